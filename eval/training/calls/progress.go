package calls

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"heldout/scoring/table"
)

// Progress is the progress of items that are made by calls. It is safe for concurrent use.
type Progress struct {
	now     func() time.Time
	started time.Time

	mu                                sync.Mutex
	planned, done, failed, calls, tok int
}

// NewProgress returns the progress of so many items.
func NewProgress(planned int, now func() time.Time) *Progress {
	return &Progress{now: now, started: now(), planned: planned}
}

// Call counts a call with a reply.
func (t *Progress) Call(c *Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls++
	t.tok += c.CompletionTokens
}

// Item counts an item that ended, with an error if a call has no reply.
func (t *Progress) Item(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	if err != nil {
		t.failed++
	}
}

// Line describes the state, the most important facts first.
func (t *Progress) Line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	parts := []string{fmt.Sprintf("%d/%d items", t.done, t.planned)}
	elapsed := t.now().Sub(t.started)
	if t.done > 0 && t.done < t.planned {
		rest := time.Duration(float64(elapsed) / float64(t.done) * float64(t.planned-t.done))
		parts = append(parts, "ETA "+rest.Round(time.Second).String())
	}
	if t.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d without a result", t.failed))
	}
	parts = append(parts, table.Counted(t.calls, "call"))
	if seconds := elapsed.Seconds(); t.tok > 0 && seconds > 0 {
		parts = append(parts, fmt.Sprintf("%.0f reply tokens/s", float64(t.tok)/seconds))
	}
	return strings.Join(parts, "  ")
}
