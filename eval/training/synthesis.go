package training

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval/bench"
	"heldout/eval/training/calls"
	"heldout/eval/training/synth"
	"heldout/eval/training/synth/generate"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

const (
	mostItems      = 100_000
	maxPersonaFile = 1 << 30 // bytes
)

// Synthesis has a model write training trajectories.
type Synthesis struct {
	*ModelCalls
	Personas, Prompt string  // files; empty for heldout's own
	Count, MaxCalls  int     // of items to attempt, and of calls of one
	Cutoff           float64 // the least similarity of near duplicates; more than 1 removes none
	Verify           synth.Options
	Signal           string // which flags of the master are an error: "any" or "parameter"
	Seed             int64
}

// Check reports settings that are wrong.
func (s *Synthesis) Check() error {
	var faults configs.Faults
	faults.Note(s.Count < 1 || s.Count > mostItems, "count is %d, want 1 to %d", s.Count, mostItems)
	faults.Note(s.MaxCalls < 2 || s.MaxCalls > 100, "max-calls is %d, want 2 to 100", s.MaxCalls)
	faults.Note(!(s.Cutoff > 0), "near is %v, want more than 0", s.Cutoff)
	faults.Note(strings.TrimSpace(s.Verify.SuccessText) == "", "success-text is empty")
	faults.Add(TakeSignal(&s.Verify, s.Signal))
	return faults.Err()
}

// TakeSignal reports wrong settings of a verification, and takes over which flags of the master are an error.
func TakeSignal(o *synth.Options, signal string) error {
	switch signal {
	case "any":
	case "parameter":
		o.ParameterOnly = true
	default:
		return fmt.Errorf("error-signal is %q, want any or parameter", signal)
	}
	if o.MinErrors < 0 {
		return fmt.Errorf("min-errors is %d, want at least 0", o.MinErrors)
	}
	return nil
}

// Make makes the items that are missing and returns the tables of all. missing counts the items without a result.
func (s *Synthesis) Make(ctx context.Context, g *generate.Generator) (tables []table.Table, missing int, err error) {
	base := *g
	first := &firstItems{warn: s.Outside.Warn}
	missing, err = s.work(ctx, record.SynthLog, g.Condition, s.Count,
		func(ctx context.Context, ask Asker, item int) error {
			own := base
			own.Ask = ask
			result, err := own.Make(ctx, item)
			if err == nil {
				first.note(result)
			}
			return err
		},
		func(book *calls.Book) error {
			tables, err = s.collect(ctx, book, g)
			return err
		})
	return tables, missing, err
}

// firstItems warns if none of the first items has a script: a server may be set up in
// a way that no reply can be used.
type firstItems struct {
	warn func(string)

	mu      sync.Mutex
	n       int
	scripts bool
}

// probation is the number of items within which one must have a script.
const probation = 24

func (f *firstItems) note(item *generate.Item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	f.scripts = f.scripts || slices.ContainsFunc(item.Attempts, func(a generate.ItemCall) bool {
		return a.Kind == generate.ScriptCall && a.Reason == ""
	})
	if f.n == probation && !f.scripts {
		f.warn(fmt.Sprintf("none of the first %d items has a usable script; the last one: %s", f.n,
			item.Attempts[len(item.Attempts)-1].Message))
	}
}

// Generator reads personas and prompts.
func (s *Synthesis) Generator() (*generate.Generator, error) {
	personas, err := s.readPersonas()
	if err != nil {
		return nil, err
	}
	prompts, err := bench.FileOr(s.Prompt, configs.LoadSynthesis, configs.Parse)
	if err != nil {
		return nil, err
	}
	hash, err := configs.HashJSON(prompts)
	if err != nil {
		return nil, err
	}
	return &generate.Generator{
		Prompts: prompts, Personas: personas, Verify: s.Verify,
		Condition: generate.Setting{
			Model: s.Run.Model[0], Decoding: s.Run.Decoding, Prompts: hash,
			Personas: datafile.Hash(strings.Join(personas, "\n")), Seed: s.Seed,
			MaxCalls: s.MaxCalls, MinErrors: s.Verify.MinErrors, ErrorSignal: s.Signal,
			SuccessText: s.Verify.SuccessText,
		},
	}, nil
}

func (s *Synthesis) readPersonas() ([]string, error) {
	if s.Personas == "" {
		return configs.LoadPersonas()
	}
	f, err := datafile.Open(s.Personas, maxPersonaFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return configs.ParsePersonas(s.Personas, f)
}

// collect writes the results of the recorded calls and returns their tables.
func (s *Synthesis) collect(ctx context.Context, book *calls.Book, g *generate.Generator) ([]table.Table, error) {
	g.Ask = recorded(book)
	c, err := generate.Collect(ctx, book, g, s.Count, s.Cutoff)
	if err != nil {
		return nil, err
	}
	usage, err := book.Usage()
	if err != nil {
		return nil, err
	}
	return c.Tables(usage, book.Took(), s.Cutoff), nil
}
