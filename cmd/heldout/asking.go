package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/eval/bench"
	"heldout/eval/model"
	"heldout/eval/training/calls"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// asking is what commands share that ask a model without playing episodes, and keep
// the calls in a directory.
type asking struct {
	run        configs.Run // model, servers and decoding
	out        string
	seed       int64
	format     string
	wide       bool
	quiet, dry bool
}

// newAsking returns the settings with their defaults.
func newAsking(temperature float64, maxTokens int) *asking {
	a := &asking{run: configs.DefaultRun()}
	a.run.Temperature, a.run.MaxTokens = temperature, maxTokens
	return a
}

// flags adds the flags to a command.
func (a *asking) flags(c *cobra.Command) {
	f := c.Flags()
	serverFlags(f, &a.run)
	f.Lookup("model").Usage = "model to ask: vllm:NAME, openai:NAME (any OpenAI-compatible server) or ollama:NAME"
	f.Lookup("concurrency").Usage = "number of calls in flight"
	f.Float64Var(&a.run.Temperature, "temperature", a.run.Temperature, "sampling temperature; 0 is greedy")
	f.Float64Var(&a.run.TopP, "top-p", a.run.TopP, "nucleus sampling; 1 is off")
	f.IntVar(&a.run.MaxTokens, "max-tokens", a.run.MaxTokens, "length limit of a reply in tokens")
	f.Int64Var(&a.seed, "seed", 0, "seed of all random draws, and of the calls' own seeds")
	f.StringVar(&a.out, "out", "", "folder for calls and results; the same command continues there")
	f.BoolVar(&a.dry, "dry-run", false, "print the plan and its cost, and stop")
	f.BoolVar(&a.quiet, "quiet", false, "show no progress")
	f.BoolVar(&a.wide, "wide", false, "show all columns of text tables, however wide")
	formatFlag(c, &a.format)
}

// check reports settings that are wrong.
func (a *asking) check() error {
	var errs []error
	switch {
	case len(a.run.Model) == 0:
		errs = append(errs, errors.New("no model is given; name one with --model: vllm:NAME, openai:NAME or ollama:NAME"))
	case len(a.run.Model) > 1:
		errs = append(errs, fmt.Errorf("there are %d models; give one", len(a.run.Model)))
	case bench.IsBaseline(a.run.Model[0]):
		errs = append(errs, fmt.Errorf("%s is no model on a server; give vllm:NAME, openai:NAME or ollama:NAME", a.run.Model[0]))
	default:
		errs = append(errs, bench.Validate(a.run, bench.Plain))
	}
	if a.run.Concurrency == configs.Auto {
		errs = append(errs, errors.New("concurrency auto is for runs; give a number"))
	}
	if a.run.MaxTokens < 1 {
		errs = append(errs, fmt.Errorf("max-tokens is %d, want at least 1", a.run.MaxTokens))
	}
	if !slices.Contains(table.Formats(), table.Format(a.format)) {
		errs = append(errs, fmt.Errorf("unknown format %q; there are %s", a.format, formats()))
	}
	return usage(errors.Join(errs...))
}

// decoding says how replies are sampled.
func (a *asking) decoding() record.Decoding {
	return record.Decoding{Temperature: a.run.Temperature, TopP: a.run.TopP, MaxTokens: a.run.MaxTokens, Extra: a.run.ExtraBody}
}

// asker makes or finds a call.
type asker func(context.Context, calls.Question) (*calls.Call, error)

// piece makes one item by its calls.
type piece func(ctx context.Context, ask asker, item int) error

// work opens the directory, makes the items that are not complete, and hands the
// directory to finish. What of the items is complete is found by making them from
// the recorded calls alone. The number is that of the items without a result.
func (a *asking) work(ctx context.Context, sys *system, setup calls.Setup, create piece, finish func(*calls.Book) error) (missing int, err error) {
	book, err := calls.Open(a.out, setup)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, book.End()) }()
	warn := func() {
		for _, text := range book.TakeWarnings() {
			sys.warn(text)
		}
	}
	warn()
	defer warn()
	if book.Recovered > 0 {
		sys.say("passed over %d bytes of a call that a crash left unfinished", book.Recovered)
	}
	rest, err := incomplete(ctx, book, setup.Planned, create)
	if err != nil {
		return 0, err
	}
	if done := setup.Planned - len(rest); done > 0 {
		sys.say("%d of %d items are complete in %s", done, setup.Planned, a.out)
	}
	if len(rest) > 0 {
		if missing, err = a.ask(ctx, sys, book, rest, create); err != nil {
			return missing, a.stopped(ctx, err)
		}
	}
	if err := book.Reread(); err != nil {
		return missing, err
	}
	return missing, finish(book)
}

// incomplete returns the items whose calls are not all recorded.
func incomplete(ctx context.Context, book *calls.Book, planned int, create piece) (rest []int, err error) {
	for i := range planned {
		err := create(ctx, recorded(book), i)
		switch {
		case errors.Is(err, calls.ErrUnasked):
			rest = append(rest, i)
		case err != nil:
			return nil, err
		}
	}
	return rest, ctx.Err()
}

// recorded finds calls, and asks no model.
func recorded(book *calls.Book) asker {
	return func(ctx context.Context, q calls.Question) (*calls.Call, error) { return book.Ask(ctx, nil, q) }
}

// ask makes the items that are given.
func (a *asking) ask(ctx context.Context, sys *system, book *calls.Book, rest []int, create piece) (missing int, err error) {
	servers, err := bench.OpenModel(sys.bench(), a.run)
	if err != nil {
		return 0, usage(err)
	}
	defer servers.Close()
	about, err := bench.MeetModel(ctx, servers, a.run.Model[0], a.run.MaxTokens)
	if err != nil {
		return 0, err
	}
	only := ""
	if clients := servers.Clients(); len(clients) == 1 {
		only = clients[0].URL()
	}
	if err := book.Met(about, only); err != nil {
		return 0, err
	}
	shown := newTally(sys, len(rest), a.quiet)
	defer shown.finish()
	var told sync.Once
	return book.Work(ctx, len(rest), int(a.run.Concurrency), func(ctx context.Context, i int) error {
		var conversation model.Model = servers.Conversation(1)
		err := create(ctx, func(ctx context.Context, q calls.Question) (*calls.Call, error) {
			c, err := book.Ask(ctx, conversation, q)
			if err == nil {
				shown.call(c)
			}
			return c, err
		}, rest[i])
		shown.item(err)
		if err != nil && ctx.Err() == nil {
			told.Do(func() { sys.warn("item " + fmt.Sprint(rest[i]) + " has no result: " + err.Error()) })
		}
		return err
	})
}

// stopped says what is left of work that ended with an error.
func (a *asking) stopped(ctx context.Context, err error) error {
	if errors.Is(err, record.ErrMoved) {
		return err
	}
	if ctx.Err() != nil {
		err = errors.New("stopped")
	}
	return fmt.Errorf("%w\nwhat is finished is kept in %s, and the same command continues", err, a.out)
}

// wants reports a folder that is not given.
func (a *asking) wants() error {
	if strings.TrimSpace(a.out) == "" {
		return usage(errors.New("no folder is given; name one with --out"))
	}
	return nil
}

// withoutResult is the error of items without a result.
func withoutResult(n int, what string) error {
	if n == 0 {
		return nil
	}
	return &codedError{fmt.Errorf("%d %s have no result; the same command tries them again", n, what), exitIncomplete}
}
