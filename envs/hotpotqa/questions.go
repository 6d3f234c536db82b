package hotpotqa

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"heldout/envs"
	"heldout/envs/datafile"
)

// folder is the folder of HotpotQA's files in the data folder.
const folder = "hotpotqa"

// devFile is the development set in the order of ReAct's numbering.
const devFile = "hotpot_dev_v1_simplified.json"

// factFiles are files with all or part of the development set that say which articles each answer rests on.
var factFiles = []string{"hotpot_dev_distractor_v1.json", "hotpot_dev_fullwiki_v1.json", "hotpot_distractor_200.json"}

// IsPath reports whether a file of questions is given by its path rather than by its name in the data folder.
func IsPath(questions string) bool { return strings.ContainsRune(questions, filepath.Separator) }

// NewOfficial reads HotpotQA's own questions from a folder with the layout of AgentBoard's data folder. The folder
// is not needed if Options.Questions is a path.
func NewOfficial(dir string, o Options, out envs.Outside) (*Env, error) {
	e := newEnv(envs.Official, o)
	name := cmp.Or(o.Questions, devFile)
	file := name
	if !IsPath(name) {
		file = filepath.Join(dir, folder, name)
	}
	b, err := datafile.ReadText(file, datafile.MaxQuestions)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the questions of HotpotQA are missing: %w; heldout data pull hotpotqa fetches them", err)
	}
	if err != nil {
		return nil, err
	}
	name = filepath.Base(name)
	standard := reactSample
	if name != devFile {
		standard = Sample{Full: true}
		e.Set("questions", name)
	}
	sample, err := o.sample(standard)
	if err != nil {
		return nil, err
	}
	questions, err := parseQuestions(file, b)
	if err != nil {
		return nil, err
	}
	if err := e.add(questions, sample); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	e.About.DataHash = envs.Digest(string(b))
	e.facts = siblingFacts(filepath.Dir(file))
	return e, e.connect(o.Pages, out)
}

// officialFiles is how the names of HotpotQA's own files begin.
const officialFiles = "hotpot_"

// parseQuestions reads a file of questions: HotpotQA's own files, the simplified files of ReAct and LATS, or the
// files of Hugging Face and FlashRAG, as a list or as a line for each question. A repeated question counts once.
func parseQuestions(file string, b []byte) ([]question, error) {
	items, err := readItems(file, b)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("%s has no questions", file)
	}
	out := make([]question, len(items))
	name := filepath.Base(file)
	own := !strings.HasPrefix(name, officialFiles)
	for i, item := range items {
		if item.Answer == nil && len(item.Golden) > 0 {
			item.Answer = &item.Golden[0]
		}
		id := string(cmp.Or(item.ID, item.OtherID))
		bad := ""
		switch {
		case item.Question == nil || item.Answer == nil:
			bad = "has no question or no answer: want the keys question and answer, each with a text"
		case own && strings.TrimSpace(*item.Answer) == "":
			bad = "has an empty answer, so nothing could be right"
		}
		if bad != "" && id != "" {
			bad = fmt.Sprintf("(%.60q) %s", id, bad)
		}
		if bad != "" {
			return nil, fmt.Errorf("%s: question %d %s", file, i+1, bad)
		}
		switch {
		case name == devFile:
			id = fmt.Sprintf("dev/%04d", i)
		case item.Dev != nil:
			id = fmt.Sprintf("dev/%04d", *item.Dev)
		case id == "":
			id = fmt.Sprintf("%s/%d", strings.TrimSuffix(name, filepath.Ext(name)), i)
		}
		out[i] = question{id, *item.Question, *item.Answer, item.Type, item.Facts, item.Facts, own}
	}
	if out, err = unique(out); err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return out, err
}

// answered is a question in any of the forms. FlashRAG has several answers, of which the first counts.
type answered struct {
	ID       name     `json:"_id"`
	OtherID  name     `json:"id"`
	Dev      *int     `json:"dev_index"`
	Question *string  `json:"question"`
	Answer   *string  `json:"answer"`
	Golden   []string `json:"golden_answers"`
	Type     string   `json:"type"`
	Facts    facts    `json:"supporting_facts"`
}

// name is a text or a number.
type name string

// UnmarshalJSON implements json.Unmarshaler.
func (n *name) UnmarshalJSON(b []byte) error {
	var number json.Number
	if b[0] != '"' && json.Unmarshal(b, &number) == nil {
		*n = name(number)
		return nil
	}
	return datafile.Unmarshal(b, (*string)(n))
}

// readItems reads a list, a value a line, or columns, as pandas writes them.
func readItems(file string, b []byte) (items []answered, err error) {
	switch start := bytes.TrimSpace(b[:min(len(b), 1<<10)]); {
	case bytes.HasPrefix(start, []byte("[")):
		return items, datafile.JSON(file, b, &items)
	case !bytes.HasPrefix(start, []byte("{")):
		return nil, fmt.Errorf("%s:1: a file of questions begins with [ or {: it is JSON, a list or a question on each line, "+
			"with the keys question and answer", file)
	}
	return items, datafile.EachValue(file, b, func(value []byte) error {
		if rows, ok := rowsOf(value); ok {
			return datafile.Unmarshal(rows, &items)
		}
		var next answered
		err := datafile.Unmarshal(value, &next)
		items = append(items, next)
		return err
	})
}

// rowsOf turns an object of columns, each an object with the values of all rows by their index, into
// a list of rows, in the order of the indices.
func rowsOf(value []byte) (rows []byte, ok bool) {
	var columns map[string]map[string]jsontext.Value
	if jsonv2.Unmarshal(value, &columns) != nil || columns["question"] == nil {
		return nil, false
	}
	var list []map[string]jsontext.Value
	byNumber := func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
	for _, index := range slices.SortedFunc(maps.Keys(columns["question"]), byNumber) {
		row := map[string]jsontext.Value{}
		for name, column := range columns {
			if v := column[index]; v != nil {
				row[name] = v
			}
		}
		list = append(list, row)
	}
	rows, err := jsonv2.Marshal(list)
	return rows, err == nil
}

// unique drops repeated questions; different ones with the same name are an error.
func unique(questions []question) ([]question, error) {
	byID := map[string]question{}
	var out []question
	for i, q := range questions {
		first, repeated := byID[q.id]
		switch {
		case !repeated:
			byID[q.id] = q
			out = append(out, q)
		case first.text != q.text || first.answer != q.answer:
			return nil, fmt.Errorf("question %d has the name %q of another one", i+1, q.id)
		}
	}
	return out, nil
}

// facts are the titles of the articles that an answer rests on, each once.
type facts []string

// UnmarshalJSON reads a list of [title, sentence], or an object with titles.
func (f *facts) UnmarshalJSON(b []byte) error {
	var parallel struct {
		Title []string `json:"title"`
	}
	var pairs [][]json.RawMessage
	var titles []string
	switch {
	case json.Unmarshal(b, &parallel) == nil:
		titles = parallel.Title
	case json.Unmarshal(b, &pairs) == nil:
		for i, p := range pairs {
			var title string
			if len(p) != 2 || json.Unmarshal(p[0], &title) != nil {
				return fmt.Errorf("supporting fact %d is not a title with the number of a sentence", i+1)
			}
			titles = append(titles, title)
		}
	default:
		return fmt.Errorf("the supporting facts %s are not a list", bytes.TrimSpace(b[:min(len(b), 40)]))
	}
	for _, t := range titles {
		if t = html.UnescapeString(t); !slices.Contains(*f, t) {
			*f = append(*f, t)
		}
	}
	return nil
}

// siblingFacts returns the articles of questions in the official files in a folder, by digests of the questions. It
// reads the files when it is called first.
func siblingFacts(dir string) func() (map[string]facts, error) {
	return sync.OnceValues(func() (map[string]facts, error) {
		found := map[string]facts{}
		for _, name := range factFiles {
			b, err := datafile.ReadText(filepath.Join(dir, name), datafile.MaxQuestions)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			questions, err := parseQuestions(filepath.Join(dir, name), b)
			if err != nil {
				return nil, err
			}
			for _, q := range questions {
				found[envs.Digest(q.text, q.answer)] = q.pages
			}
		}
		return found, nil
	})
}

// CheckExpert reports a file from which the expert cannot learn which articles questions need.
func (e *Env) CheckExpert() (err error) {
	if e.facts != nil {
		_, err = e.facts()
	}
	return err
}
