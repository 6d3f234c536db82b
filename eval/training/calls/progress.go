package calls

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"heldout/scoring/table"
)

// Progress is the progress of items that are made by calls. It is safe for concurrent use.
type Progress struct {
	now     func() time.Time
	started time.Time

	planned                     int
	done, failed, calls, tokens atomic.Int64
}

// NewProgress returns the progress of so many items.
func NewProgress(planned int, now func() time.Time) *Progress {
	return &Progress{now: now, started: now(), planned: planned}
}

// Call counts a call with a reply.
func (t *Progress) Call(c *Call) {
	t.calls.Add(1)
	t.tokens.Add(int64(c.CompletionTokens))
}

// Item counts an item that ended, with an error if a call has no reply.
func (t *Progress) Item(err error) {
	t.done.Add(1)
	if err != nil {
		t.failed.Add(1)
	}
}

// Line describes the state, the most important facts first.
func (t *Progress) Line() string {
	done, failed, tokens := int(t.done.Load()), t.failed.Load(), t.tokens.Load()
	parts := []string{fmt.Sprintf("%d/%d items", done, t.planned)}
	elapsed := t.now().Sub(t.started)
	if done > 0 && done < t.planned {
		rest := time.Duration(float64(elapsed) / float64(done) * float64(t.planned-done))
		parts = append(parts, "ETA "+rest.Round(time.Second).String())
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d without a result", failed))
	}
	parts = append(parts, table.Counted(int(t.calls.Load()), "call"))
	if seconds := elapsed.Seconds(); tokens > 0 && seconds > 0 {
		parts = append(parts, fmt.Sprintf("%.0f reply tokens/s", float64(tokens)/seconds))
	}
	return strings.Join(parts, "  ")
}
