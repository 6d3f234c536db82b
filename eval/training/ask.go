// Package training is the door to what makes training data with a model: it asks the
// model, keeps its calls in a directory, and makes results of them.
package training

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"heldout/configs"
	"heldout/eval/bench"
	"heldout/eval/model"
	"heldout/eval/training/calls"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// ModelCalls are calls of a model outside episodes, and the directory that keeps its calls.
type ModelCalls struct {
	Run     configs.Run // model, servers, decoding and concurrency
	Dir     string
	Outside bench.Outside // what the calls use from outside the process
	// Say receives a line about the work.
	Say func(format string, args ...any)
	// Counter returns a counter for the progress of so many items; finish ends it.
	Counter func(items int) (c Counter, finish func())
}

// Counter is told of the progress. It is safe for concurrent use.
type Counter interface {
	// Call counts a call with a reply, Item an item that ended, with an error if a call has no reply.
	Call(*calls.Call)
	Item(error)
}

// Asker makes or finds a call.
type Asker = func(context.Context, calls.Question) (*calls.Call, error)

// Piece makes one item by its calls.
type Piece func(ctx context.Context, ask Asker, item int) error

// work opens the directory, makes the items that are not complete, and hands the
// directory to finish. What of the items is complete is found by making them from
// the recorded calls alone. missing counts the items without a result.
func (a *ModelCalls) work(ctx context.Context, kind record.LogKind, condition any, planned int, create Piece,
	finish func(*calls.Book) error) (missing int, err error) {
	book, err := calls.Open(a.Dir, calls.Setup{Kind: kind, Tool: a.Outside.Tool, Condition: condition, Planned: planned,
		Now: a.Outside.Now})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, book.End()) }()
	warn := func() {
		for _, text := range book.TakeWarnings() {
			a.Outside.Warn(text)
		}
	}
	warn()
	defer warn()
	if book.Recovered > 0 {
		a.Say("passed over %s of a call that a crash left unfinished", table.Counted(int(book.Recovered), "byte"))
	}
	rest, err := incomplete(ctx, book, planned, create)
	if err != nil {
		return 0, err
	}
	if done := planned - len(rest); done > 0 {
		share := fmt.Sprintf("of %d items", planned)
		a.Say("%s complete in %s", table.Counted(done, share+" is", share+" are"), a.Dir)
	}
	if len(rest) > 0 {
		if missing, err = a.ask(ctx, book, rest, create); err != nil {
			return missing, a.stopped(ctx, err)
		}
	}
	if err := book.Reread(); err != nil {
		return missing, err
	}
	return missing, finish(book)
}

// nameDir names the directory after the condition, if it has no name.
func (a *ModelCalls) nameDir(kind string, condition any) error {
	if a.Dir != "" {
		return nil
	}
	name, err := configs.HashJSON(condition)
	if err == nil {
		a.Dir = filepath.Join(bench.RunsDir, kind+"-"+name[:12])
	}
	return err
}

// incomplete returns the items whose calls are not all recorded.
func incomplete(ctx context.Context, book *calls.Book, planned int, create Piece) (rest []int, err error) {
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
func recorded(book *calls.Book) Asker {
	return func(ctx context.Context, q calls.Question) (*calls.Call, error) { return book.Ask(ctx, nil, q) }
}

// ask makes the items that are given.
func (a *ModelCalls) ask(ctx context.Context, book *calls.Book, rest []int, create Piece) (missing int, err error) {
	servers, err := bench.OpenModel(a.Outside, a.Run)
	if err != nil {
		return 0, err
	}
	defer servers.Close()
	about, err := bench.MeetModel(ctx, servers, a.Run)
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
	counter, finish := a.Counter(len(rest))
	defer finish()
	var warned sync.Once
	return book.Work(ctx, len(rest), int(a.Run.Concurrency), func(ctx context.Context, i int) error {
		var conversation model.Model = servers.Conversation()
		err := create(ctx, func(ctx context.Context, q calls.Question) (*calls.Call, error) {
			c, err := book.Ask(ctx, conversation, q)
			if err == nil {
				counter.Call(c)
			}
			return c, err
		}, rest[i])
		counter.Item(err)
		if err != nil && ctx.Err() == nil {
			warned.Do(func() { a.Outside.Warn(fmt.Sprintf("item %d has no result: %v", rest[i], err)) })
		}
		return err
	})
}

// stopped says what is left of work that ended with an error.
func (a *ModelCalls) stopped(ctx context.Context, err error) error {
	if errors.Is(err, record.ErrMoved) {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("stopped; what is finished is kept in %s, and the same command continues", a.Dir)
	}
	return fmt.Errorf("%w\nwhat is finished is kept in %s, and the same command continues", err, a.Dir)
}
