package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/token/shingle"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	bleveindex "github.com/blevesearch/bleve_index_api"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"heldout/envs/catalog"
	"heldout/scoring/report"
)

// passage is a part of the help: a section of a page, a table, a command or a flag. Its
// text has a sentence or an example per line.
type passage struct {
	title, text string
	command     string // prints the passage
	flag        bool   // its title is shown, but is not what it is about
}

// match is a passage that fits a question, with the line that fits best.
type match struct {
	passage
	line  string
	score float64
}

// marks gives the marks of tables names that can be looked up.
var marks = strings.NewReplacer("*", "asterisk", "#", "hash", "†", "dagger", "‡", "double dagger", "¶", "pilcrow",
	"§", "section sign", "~", "tilde")

// mostResults is how many passages an answer has.
const mostResults = 6

// lookUp prints the passages that fit a question best.
func lookUp(w io.Writer, root *cobra.Command, question string) error {
	list := passages(root)
	index, err := indexPassages(list)
	if err != nil {
		return err
	}
	defer index.Close() // it is in memory
	results, err := find(index, list, marks.Replace(question))
	if err != nil {
		return err
	}
	if len(results) == 0 {
		return unknownTopic(root, question)
	}
	var b strings.Builder
	for i, r := range results {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n    %s\n    > %s\n", r.title, hanging(r.line, 4), r.command)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// The fields of an indexed passage.
const (
	askedField = "asked" // by what words people look for the passage; its title is some of them
	textField  = "text"
)

// indexPassages makes an index of passages, in memory.
func indexPassages(list []passage) (bleve.Index, error) {
	index, err := bleve.NewUsing("", helpMapping(), bleve.Config.DefaultIndexType, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		return nil, err
	}
	batch := index.NewBatch()
	for i, p := range list {
		name, heading, _ := strings.Cut(p.title, ": ")
		asked := cmp.Or(readWords().Asked[p.title], readWords().Asked[name])
		if !p.flag {
			asked = strings.Repeat(heading+"\n", headingCount) + name + "\n" + asked
		}
		fields := map[string]any{askedField: asked, textField: p.text + "\n" + asked}
		if err := batch.Index(strconv.Itoa(i), fields); err != nil {
			return nil, err
		}
	}
	for i, words := range readWords().Synonyms {
		definition := &bleve.SynonymDefinition{Synonyms: strings.Fields(words)}
		if err := batch.IndexSynonym(fmt.Sprint("synonyms", i), synonymSource, definition); err != nil {
			return nil, err
		}
	}
	return index, index.Batch(batch)
}

// synonymSource is the name of the synonyms in the index.
const synonymSource = "field"

// The names of the analysis of texts and questions, and of that of the pairs of neighbouring words in a question.
const (
	analyzer     = "help"
	pairAnalyzer = "pairs"
)

// words is the index of the help: what users say in place of the words of the pages.
type words struct {
	Idle     string            // words that say nothing of what a question is about
	Synonyms []string          // words for one thing
	Asked    map[string]string // by the title of a section, or by a command
}

//go:embed words.yaml
var wordsFile []byte

var readWords = sync.OnceValue(func() (w words) {
	if err := yaml.Unmarshal(wordsFile, &w); err != nil {
		panic(err) // the file is embedded
	}
	return w
})

// find searches passages in their index by the words of a question, the best first.
func find(index bleve.Index, list []passage, question string) ([]match, error) {
	words, err := helpQuery(index, question)
	if err != nil {
		return nil, err
	}
	request := bleve.NewSearchRequestOptions(words, len(list), 0, false)
	request.IncludeLocations = true
	found, err := index.Search(request)
	if err != nil {
		return nil, err
	}
	var results []match
	pages := map[string]float64{} // what the passages of a page or command have together
	for _, hit := range found.Hits {
		i, err := strconv.Atoi(hit.ID)
		if err != nil {
			return nil, err
		}
		results = append(results, match{list[i], list[i].best(hit.Locations[textField]), hit.Score * list[i].weight()})
		pages[list[i].command] += hit.Score * hit.Score
	}
	for i, r := range results {
		results[i].score += pageShare * math.Sqrt(pages[r.command])
	}
	slices.SortStableFunc(results, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return results[:min(len(results), mostResults)], nil
}

// How much the words by which a passage is asked for count beside its text, and pairs of words beside single ones.
const (
	askedBoost = 2
	pairBoost  = 2
)

// headingCount is how much a word of a heading counts beside others by which a passage is asked for.
const headingCount = 4

// pageShare is how much the whole page counts beside a passage of it.
const pageShare = 0.2

// weight is how much a passage counts beside others: pages explain, flags and tables are named in them.
func (p passage) weight() float64 {
	switch {
	case p.flag:
		return 0.6
	case strings.HasPrefix(p.title, "table "):
		return 0.6
	}
	return 1
}

func helpMapping() mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	// The usual analysis of English leaves out words such as own and off, which are a question's subject here.
	// Pairs of words make few-shot, few shot and fewshot one.
	for name, words := range map[string]bool{analyzer: true, pairAnalyzer: false} {
		err := errors.Join(
			m.AddCustomTokenFilter(name, map[string]any{"type": shingle.Name, "min": 2.0, "max": 2.0, "separator": "",
				"output_original": words}),
			m.AddCustomAnalyzer(name, map[string]any{"type": custom.Name, "tokenizer": unicode.Name,
				"token_filters": []string{en.PossessiveName, lowercase.Name, porter.Name, name}}))
		if err != nil {
			panic(err) // it is the same for all questions
		}
	}
	m.DefaultAnalyzer = analyzer
	m.ScoringModel = bleveindex.BM25Scoring
	m.StoreDynamic, m.DocValuesDynamic = false, false
	m.DefaultSynonymSource = synonymSource
	source := map[string]any{"collection": synonymSource, "analyzer": analyzer}
	if err := m.AddSynonymSource(synonymSource, source); err != nil {
		panic(err) // it is the same for all questions
	}
	m.DefaultMapping.AddSubDocumentMapping("_all", bleve.NewDocumentDisabledMapping())
	return m
}

// helpQuery matches words of titles and texts. A passage counts the more, the more words of the question it has, and
// more again if they stand side by side as in the question.
func helpQuery(index bleve.Index, question string) (query.Query, error) {
	words := bleve.NewDisjunctionQuery()
	idle := strings.Fields(readWords().Idle)
	for word := range strings.FieldsSeq(question) {
		if slices.Contains(idle, strings.ToLower(strings.Trim(word, "?!.,;:"))) {
			continue
		}
		found, err := index.Search(bleve.NewSearchRequestOptions(matchQuery(word, textField, 1), 0, 0, false))
		if err != nil {
			return nil, err
		}
		fuzziness := 0
		if found.Total == 0 { // a name of code, or mistyped
			word = humps.ReplaceAllString(word, "$1$3 $2$4")
			if !strings.Contains(word, " ") {
				fuzziness = min(len(word)/4, 2)
			}
		}
		parts := bleve.NewDisjunctionQuery()
		for field, boost := range map[string]float64{askedField: askedBoost, textField: 1} {
			q := matchQuery(word, field, boost)
			q.SetPrefix(1)
			q.SetFuzziness(fuzziness)
			parts.AddQuery(q)
		}
		words.AddQuery(parts)
	}
	pairs := matchQuery(question, askedField, pairBoost)
	pairs.Analyzer = pairAnalyzer
	both := bleve.NewBooleanQuery()
	both.AddMust(words)
	both.AddShould(pairs)
	return both, nil
}

// humps matches the ends of words in names such as JSONDecodeError.
var humps = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)

func matchQuery(words, field string, boost float64) *query.MatchQuery {
	q := bleve.NewMatchQuery(words)
	q.SetField(field)
	q.SetBoost(boost)
	return q
}

// best is the line of the text with the most of the found words.
func (p passage) best(words search.TermLocationMap) string {
	best, most, start := "", -1, 0
	for line := range strings.Lines(p.text) {
		n := 0
		for _, places := range words {
			if slices.ContainsFunc(places, func(l *search.Location) bool {
				return int(l.Start) >= start && int(l.Start) < start+len(line)
			}) {
				n++
			}
		}
		if n > most {
			best, most = strings.TrimSpace(line), n
		}
		start += len(line)
	}
	return best
}

// passages are all parts of the help.
func passages(root *cobra.Command) (list []passage) {
	for _, name := range topicNames() {
		if generated()[name] == nil {
			page, _ := readTopic(name)
			list = append(list, pageSections(name, string(page))...)
		}
	}
	for _, k := range report.Kinds() {
		list = append(list, passage{title: "table " + k.ID + ": " + k.Title, command: "heldout help tables " + k.ID,
			text: unwrapped(underline.ReplaceAllString(explained(k), ""))})
	}
	for _, e := range catalog.All() {
		for _, s := range e.Settings {
			list = append(list, passage{title: "--" + s.Name, text: settingKey(s), command: "heldout envs " + e.Name,
				flag: true})
		}
	}
	return append(list, commandPassages(root)...)
}

// commandPassages are the commands below a command, and their flags without repetitions:
// a flag that run has counts as run's.
func commandPassages(root *cobra.Command) (list []passage) {
	seen := map[string]bool{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if !c.IsAvailableCommand() || seen[c.CommandPath()] {
			return
		}
		seen[c.CommandPath()] = true
		list = append(list, passage{title: c.CommandPath() + ": " + c.Short, command: c.CommandPath() + " --help",
			text: unwrapped(c.Long + "\n\n" + c.Example)})
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if p := flagPassage(c, f); (!f.Hidden || isKey(c, f.Name)) && !seen[f.Name+f.Usage] {
				seen[f.Name+f.Usage] = true
				list = append(list, p)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	if run, _, err := root.Find([]string{"run"}); err == nil {
		visit(run)
	}
	for _, c := range root.Commands() {
		visit(c)
	}
	return list
}

func flagPassage(c *cobra.Command, f *pflag.Flag) passage {
	option := "--help"
	if c.Flags().Lookup(helpAll) != nil {
		option = "--" + helpAll
	}
	if isKey(c, f.Name) {
		return passage{title: "--set " + f.Name + "=…", text: key(f), command: "heldout help keys", flag: true}
	}
	return passage{title: "--" + f.Name, text: key(f), command: c.CommandPath() + " " + option,
		flag: true}
}

// underline matches the line below a heading.
var underline = regexp.MustCompile(`(?m)^(.+)\n(?:=+|---+)\n`)

// pageSections divides a page at its headings.
func pageSections(name, page string) (list []passage) {
	headings := underline.FindAllStringSubmatchIndex(page, -1)
	for i, h := range headings {
		end := len(page)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		list = append(list, passage{title: name + ": " + page[h[2]:h[3]], text: unwrapped(page[h[1]:end]),
			command: "heldout help " + name})
	}
	return list
}

var (
	example  = regexp.MustCompile(`^(    |\s*\|)`)
	listItem = regexp.MustCompile(`^(- |\d+\. )`)
	sentence = regexp.MustCompile(`\. ([A-Z\x60])`)
)

// unwrapped has a sentence, an item or a line of an example per line.
func unwrapped(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || example.MatchString(line) || listItem.MatchString(line):
			b.WriteString("\n" + strings.TrimSpace(line))
		default:
			b.WriteString(" " + strings.TrimSpace(line))
		}
		if example.MatchString(line) {
			b.WriteString("\n")
		}
	}
	out := sentence.ReplaceAllString(b.String(), ".\n$1")
	return strings.TrimSpace(regexp.MustCompile(`\s*\n\s*`).ReplaceAllString(out, "\n"))
}
