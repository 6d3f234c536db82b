package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"heldout/envs/datafile"
	"heldout/envs/testset"
	"heldout/eval/episode"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
)

// Account says what was taken and what was left out. As JSON it is the manifest beside the files.
type Account struct {
	Schema int             `json:"schema"`
	Tool   record.Tool     `json:"tool"`
	Format Format          `json:"format"`
	Reader json.RawMessage `json:"reader"` // how the trainer has to read the files
	// Mask are the rules; Duplicates is one, too.
	Mask       []Mark `json:"mask"`
	Filter     Filter `json:"filter"`
	Duplicates string `json:"duplicates"`
	Seed       int64  `json:"seed"`
	// Balance bounds the episodes of tasks and kinds; Labels says whose labels the steps of the format prm have.
	Balance Balance `json:"balance"`
	Labels  string  `json:"labels,omitempty"`
	// Thoughts is the SHA-256 of the sentences that experts think; empty without any.
	Thoughts string `json:"thoughts_sha256,omitempty"`
	// ModelThoughts is the SHA-256 of the thoughts that a model wrote; empty without any.
	ModelThoughts string `json:"written_thoughts_sha256,omitempty"`

	Sources []SourceReport `json:"sources"`
	Parts   []PartReport   `json:"parts"`

	// Episodes counts those with a result, Used those that are in the files, Unfinished the planned ones that have
	// no result. TestEpisodes counts those taken whose task is one that a benchmark tests with.
	Episodes     int `json:"episodes"`
	Used         int `json:"taken"`
	Unfinished   int `json:"without_result"`
	TestEpisodes int `json:"test_task_episodes"`
	// Omitted counts the episodes that were left out, by reason.
	Omitted map[Reason]int `json:"left_out"`
	// Single counts the episodes taken whose calls do not continue each other: each call is a conversation.
	Single int `json:"one_conversation_per_call"`
	// Turns counts the model's turns in what was taken, Trained those that a model is
	// trained on, Masked the others by reason.
	Turns        int            `json:"turns"`
	Trained      int            `json:"trained_turns"`
	Masked       map[Mark]int   `json:"masked_turns"`
	Lengths      *Lengths       `json:"lengths"`      // the lengths of the examples
	Environments map[string]int `json:"environments"` // numbers of episodes taken, by environment
	// Tasks are digests of the tasks of the episodes taken, but for trajectories of a file.
	Tasks testset.List `json:"task_digests"`
	// Card is the SHA-256 of the card of a folder; empty without one.
	Card string `json:"card_sha256,omitempty"`
	// Different describes the first episodes that are not as recorded.
	Different []string `json:"different,omitempty"`
	// Uncovered names the files and lines of the sources that have no checksum.
	Uncovered []string `json:"-"`
	Checksum  string   `json:"checksum,omitempty"` // the last field; it covers all others

	digests map[string][]byte   // of tasks, by the id of an episode
	trained map[string][][]byte // digests of the tasks taken, by environment
}

// SourceReport is a source: its name, and what it held.
type SourceReport struct {
	Name   string            `json:"name"`
	SHA256 map[string]string `json:"sha256"` // the hashes of its files, by name
	Used   int               `json:"taken"`
}

// PartReport is a file that was written.
type PartReport struct {
	Division
	File          string `json:"file"`
	Episodes      int    `json:"episodes"`
	Examples      int    `json:"examples"`
	Tasks         int    `json:"tasks"`
	Bytes         int64  `json:"bytes"`
	SHA256        string `json:"sha256"`
	Parquet       string `json:"parquet,omitempty"` // the same as a Parquet file; empty without one
	ParquetBytes  int64  `json:"parquet_bytes,omitempty"`
	ParquetSHA256 string `json:"parquet_sha256,omitempty"`
	tasks         map[string]bool
	file, parquet *File // parquet is nil without one
}

// mostDifferent is how many episodes are described that are not as recorded.
const mostDifferent = 5

func newReport(o Options) *Account {
	mask := append([]Mark{}, o.Mask...) // not nil
	thoughts := ""
	if len(o.Thoughts.First) > 0 {
		thoughts, _ = o.Thoughts.Hash() // texts always marshal
	}
	labels := ""
	if o.Format == PRM {
		labels = filepath.Base(o.Labels)
	}
	return &Account{
		Labels: labels,
		Schema: record.Schema, Tool: o.Tool, Format: o.Format, Mask: mask, Filter: o.Filter, Duplicates: o.Duplicates,
		Seed: o.Seed, Balance: o.Balance, Thoughts: thoughts,
		Sources: []SourceReport{}, Omitted: map[Reason]int{}, Masked: map[Mark]int{}, Environments: map[string]int{},
		digests: map[string][]byte{}, trained: map[string][][]byte{},
	}
}

func (r *Account) take(a about, conversations int) {
	r.Used++
	r.Environments[a.Env]++
	if digest, ok := r.digests[a.ID]; ok {
		r.trained[a.Env] = append(r.trained[a.Env], digest)
	}
	if conversations > 1 {
		r.Single++
	}
}

// masks counts the turns of an episode that is taken.
func (r *Account) masks(e *record.Episode, marked []Mark, calls []episode.Call) {
	replied := map[int]bool{}
	for _, c := range calls {
		replied[c.Step] = replied[c.Step] || !blank(c.Reply)
	}
	for i := range e.Trajectory {
		mark := marked[i]
		if mark == "" && !replied[i] {
			mark = Empty
		}
		r.turn(mark)
	}
}

func (r *Account) itemMasks(i *synth.Item) {
	for k, t := range i.Turns {
		switch {
		case t.Master:
		case i.Train[k]:
			r.turn("")
		default:
			r.turn(Invalid)
		}
	}
}

func (r *Account) turn(mark Mark) {
	r.Turns++
	if mark == "" {
		r.Trained++
	} else {
		r.Masked[mark]++
	}
}

func (r *Account) differs(e *record.Episode, err error) {
	if len(r.Different) < mostDifferent {
		r.Different = append(r.Different, fmt.Sprintf("%s %s: %v", e.Env, e.ID, err))
	}
}

func hashSource(s recordSource) (SourceReport, error) {
	about := SourceReport{Name: filepath.Base(s.path), SHA256: map[string]string{}}
	files := map[string]string{about.Name: s.path}
	if s.run != nil {
		var err error
		if files, err = s.run.parts.Files(); err != nil {
			return about, err
		}
	}
	for name, path := range files {
		sum, err := datafile.Sum(path)
		if err != nil {
			return about, err
		}
		about.SHA256[name] = sum
	}
	return about, nil
}

// complete puts the parts on disk, completes what the report says, and writes the manifest last.
func (x *exporter) complete() (err error) {
	for i := range x.report.Parts {
		p := &x.report.Parts[i]
		if x.Format == AgentGym {
			end := map[bool]string{true: "[]\n", false: "\n]\n"}[p.Examples == 0]
			if _, err := io.WriteString(p.file, end); err != nil {
				return fmt.Errorf("writing %s: %w", p.file.Name(), err)
			}
		}
		p.Tasks, p.Bytes, p.SHA256 = len(p.tasks), p.file.Size(), p.file.Sum()
		if err := p.file.Flush(); err != nil {
			return err
		}
		if p.parquet == nil {
			continue
		}
		err := x.Parquet(x.Format, p.file.partial(), p.parquet.partial())
		if err = cmp.Or(err, p.parquet.adopt()); err != nil {
			return fmt.Errorf("writing %s: %w", p.parquet.Name(), err)
		}
		p.ParquetBytes, p.ParquetSHA256 = p.parquet.Size(), p.parquet.Sum()
	}
	if x.ThoughtsDir != "" {
		x.report.ModelThoughts, err = datafile.Sum(filepath.Join(x.ThoughtsDir, record.ThoughtsFile))
	}
	x.report.Lengths.Needed = (x.report.Lengths.Max + 63) / 64 * 64
	x.report.Tasks = testset.NewList(x.report.trained)
	x.report.Reader = x.Format.settings(x.report.Parts[0].File, x.report.Lengths.Needed)
	if err == nil && x.Folder {
		err = x.writeCard()
	}
	if err != nil {
		return err
	}
	return x.writeManifest()
}

// writeManifest puts the manifest on disk, under its unfinished name.
func (x *exporter) writeManifest() error {
	manifest, err := x.files.create(x.ManifestFile())
	if err != nil {
		return err
	}
	var b bytes.Buffer
	text, err := datafile.Marshal(x.report)
	if err = cmp.Or(err, json.Indent(&b, text, "", "  ")); err != nil {
		return err
	}
	return manifest.replace(record.Seal(b.Bytes()))
}

func (x *exporter) writeCard() error {
	f, err := x.files.create(filepath.Join(filepath.Dir(x.Out), cardName))
	if err == nil {
		_, err = io.WriteString(f, x.card())
		x.report.Card = f.Sum()
	}
	return err
}

// ManifestFile is the name of the manifest.
func (o Options) ManifestFile() string { return o.Out + manifestEnd }
