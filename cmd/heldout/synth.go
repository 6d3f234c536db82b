package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval/training/calls"
	"heldout/eval/training/synth"
	"heldout/eval/training/synth/generate"
	"heldout/scoring/record"
)

// The defaults of heldout synth, and its limits.
const (
	synthTemperature = 1.0
	synthMaxTokens   = 4096
	nearThreshold    = 0.7
	mostItems        = 100_000
	maxPersonaFile   = 1 << 30 // bytes
)

// synthesis are the settings of heldout synth.
type synthesis struct {
	*asking
	personas, prompt string
	count, maxCalls  int
	near             float64
	verify           synth.Options
	signal           string
}

func newSynth(sys *system) *cobra.Command {
	s := &synthesis{asking: newAsking(synthTemperature, synthMaxTokens), verify: synth.DefaultOptions()}
	c := &cobra.Command{
		Use:   "synth --model MODEL --count N --out DIR",
		Short: "Have a model write training trajectories, as AgentRefine does",
		Long: `synth makes training trajectories by AgentRefine's method (Fu et al. 2025). For
a persona, a model writes the script of an environment with a task, and then a
whole game of game master and player, with errors and their repair, in one
call. What heldout verify rejects is written again with its message: a script as
a whole, a trajectory from its last verified turn on. An item takes at most 4
calls.

DIR/trajectories.jsonl has what passed, without near duplicates, in the form
that heldout verify and heldout export read. DIR/items.jsonl says for every item
what became of it. Every call is recorded, so the same command continues after a
stop or a kill. heldout help synthesis says more.`,
		Example: `  heldout synth --model vllm:NAME --count 1000 --out synthetic
  heldout synth --personas personas.txt --model openai:NAME --count 100 \
          --base-url http://HOST:8000/v1 --out synthetic --dry-run`,
		Args: args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error { return s.execute(c.Context(), sys) },
	}
	f := c.Flags()
	f.StringVar(&s.personas, "personas", "", `file with a persona per line, as text or as {"persona": …}; the default is heldout's own`)
	f.StringVar(&s.prompt, "prompt", "", "YAML file with other prompts; heldout help synthesis says which")
	f.IntVar(&s.count, "count", 0, "number of items to attempt")
	f.IntVar(&s.maxCalls, "max-calls", generate.MostCalls, "largest number of calls of an item, those for its script included")
	f.Float64Var(&s.near, "near", nearThreshold, "least similarity of near duplicates, from 0 to 1; more than 1 removes none")
	verifyFlags(f, &s.verify, &s.signal)
	s.flags(c)
	return c
}

// verifyFlags adds the flags for what the verification leaves open.
func verifyFlags(f *pflag.FlagSet, o *synth.Options, signal *string) {
	f.IntVar(&o.MinErrors, "min-errors", o.MinErrors, "least number of error turns: 2 in the paper's text, 1 in its algorithm as printed")
	f.StringVar(signal, "error-signal", "any", "which flags of the master are an error: any, or parameter")
	f.StringVar(&o.SuccessText, "success-text", o.SuccessText, "text that the last observation must contain")
}

// checkVerify reports wrong settings of the verification, and takes over the signal.
func checkVerify(o *synth.Options, signal string) error {
	switch signal {
	case "any":
	case "parameter":
		o.ParameterOnly = true
	default:
		return usage(fmt.Errorf("error-signal is %q, want any or parameter", signal))
	}
	if o.MinErrors < 0 {
		return usage(fmt.Errorf("min-errors is %d, want at least 0", o.MinErrors))
	}
	return nil
}

// check reports settings that are wrong.
func (s *synthesis) check() error {
	var errs []error
	if s.count < 1 || s.count > mostItems {
		errs = append(errs, fmt.Errorf("count is %d, want 1 to %d", s.count, mostItems))
	}
	if s.maxCalls < 2 || s.maxCalls > 100 {
		errs = append(errs, fmt.Errorf("max-calls is %d, want 2 to 100", s.maxCalls))
	}
	if !(s.near > 0) {
		errs = append(errs, fmt.Errorf("near is %v, want more than 0", s.near))
	}
	if strings.TrimSpace(s.verify.SuccessText) == "" {
		errs = append(errs, errors.New("success-text is empty"))
	}
	return errors.Join(s.asking.check(), s.wants(), usage(errors.Join(errs...)), checkVerify(&s.verify, s.signal))
}

func (s *synthesis) execute(ctx context.Context, sys *system) error {
	if err := s.check(); err != nil {
		return usage(err)
	}
	g, err := s.generator()
	if err != nil {
		return usage(err)
	}
	if s.dry {
		_, err := fmt.Fprintf(sys.stdout, "folder: %s\n%s\n", s.out, g.Estimate(s.count))
		return err
	}
	one := *g
	first := &firstItems{warn: sys.warn}
	missing, err := s.work(ctx, sys,
		calls.Setup{Kind: record.SynthLog, Tool: sys.tool, Condition: g.Condition, Planned: s.count, Now: sys.now},
		func(ctx context.Context, ask asker, item int) error {
			own := one
			own.Ask = ask
			it, err := own.Make(ctx, item)
			if err == nil {
				first.note(it)
			}
			return err
		},
		func(book *calls.Book) error { return s.finish(ctx, sys, book, g) })
	if err != nil {
		return err
	}
	return withoutResult(missing, "items")
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

// note notes an item that is complete.
func (f *firstItems) note(it *generate.Item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	f.scripts = f.scripts || slices.ContainsFunc(it.Attempts, func(a generate.Attempt) bool {
		return a.Kind == generate.ScriptCall && a.Reason == ""
	})
	if f.n == probation && !f.scripts {
		f.warn(fmt.Sprintf("none of the first %d items has a usable script; the last one: %s", f.n, it.Attempts[len(it.Attempts)-1].Message))
	}
}

// generator reads personas and prompts.
func (s *synthesis) generator() (*generate.Generator, error) {
	personas, err := s.readPersonas()
	if err != nil {
		return nil, err
	}
	prompts, err := configs.LoadSynthesis()
	if s.prompt != "" {
		var b []byte
		if b, err = datafile.Read(s.prompt, datafile.MaxConfig); err == nil {
			prompts, err = configs.ParseSynthesis(s.prompt, b)
		}
	}
	if err != nil {
		return nil, err
	}
	hash, err := prompts.Hash()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(strings.Join(personas, "\n")))
	return &generate.Generator{
		Prompts: prompts, Personas: personas, Verify: s.verify,
		Condition: generate.Condition{
			Model: s.run.Model[0], Decoding: s.decoding(), Prompts: hash, Personas: hex.EncodeToString(sum[:]), Seed: s.seed,
			MaxCalls: s.maxCalls, MinErrors: s.verify.MinErrors, ErrorSignal: s.signal, SuccessText: s.verify.SuccessText,
		},
	}, nil
}

func (s *synthesis) readPersonas() ([]string, error) {
	if s.personas == "" {
		return configs.LoadPersonas()
	}
	f, err := datafile.Open(s.personas, maxPersonaFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return configs.ParsePersonas(s.personas, f)
}

// finish writes the results of the recorded calls and prints the tables.
func (s *synthesis) finish(ctx context.Context, sys *system, book *calls.Book, g *generate.Generator) error {
	g.Ask = recorded(book)
	c, err := generate.Collect(ctx, book, g, s.count, s.near)
	if err != nil {
		return err
	}
	spent := generate.Spent{Took: book.Took()}
	if spent.Usage, err = book.Usage(); err != nil {
		return err
	}
	if err := render(sys, s.format, s.wide, c.Tables(spent, s.near)...); err != nil {
		return err
	}
	sys.say("results: %s", s.out)
	return nil
}
