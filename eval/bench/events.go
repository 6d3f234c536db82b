package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"heldout/eval"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// events is an observer that also writes a line of JSON for every finished episode.
type events struct {
	eval.Observer
	warn func(line string)

	mu  sync.Mutex
	out io.Writer // nil after an error: a reader that is gone ends no run
}

// EpisodeDone implements eval.Observer.
func (e *events) EpisodeDone(ep *episode.Episode, r record.Result) {
	e.Observer.EpisodeDone(ep, r)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.out == nil || r.Outcome == record.Cancelled {
		return
	}
	if err := WriteEvent(e.out, "episode", r); err != nil {
		e.out = nil
		e.warn(fmt.Sprintf("no more events are written: %v", err))
	}
}

// WriteEvent writes a line of JSON: the name of an event, and what it is about under that
// name. The whole line is written at once.
func WriteEvent(w io.Writer, event string, about any) error {
	line, err := json.Marshal(map[string]any{"event": event, event: about})
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
