package serve

import (
	"net/http"
	"strings"
	"unicode/utf8"
)

// maxEvent is the largest part of a result that one event holds, in bytes.
const maxEvent = 4096

// events is a stream of server-sent events. Its lines end in CR LF.
type events struct{ w http.ResponseWriter }

func newEvents(w http.ResponseWriter) *events {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	return &events{w}
}

// send sends an event. Each line of its data becomes a line of the event.
func (e *events) send(name, data string) {
	var b strings.Builder
	b.WriteString("event: " + name + "\r\n")
	for line := range strings.SplitSeq(strings.ReplaceAll(data, "\r", "\n"), "\n") {
		b.WriteString("data: " + line + "\r\n")
	}
	b.WriteString("\r\n")
	_, _ = e.w.Write([]byte(b.String())) // the client may be gone
}

// result sends a result, in parts if it is long.
func (e *events) result(text []byte) {
	for len(text) > maxEvent {
		n := maxEvent
		for !utf8.RuneStart(text[n]) {
			n--
		}
		e.send("chunk", string(text[:n]))
		text = text[n:]
	}
	e.send("end", string(text))
}

func (e *events) flush() { _ = http.NewResponseController(e.w).Flush() }
