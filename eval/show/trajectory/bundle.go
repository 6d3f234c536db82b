package trajectory

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"heldout/eval/episode"
	"heldout/eval/show/page"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

//go:embed bundle.js
var bundleScript template.JS

const (
	maxBundle = 20 << 20 // how large the episodes in a page may be, in bytes
	chunkSize = 1 << 20  // how much is compressed together, in bytes before that
	// ratio is how many bytes of records have room in a byte of a page, at least:
	// records without repetition, in base64.
	ratio = 3
	// separator stands between episodes; no page has it, because a terminal obeys it.
	separator = "\x1e"
)

// Bundle collects episodes for a page that is one file. They are compressed inside
// it, and a script shows them on request. If they do not fit, it takes the episodes
// of a part of the tasks, so that the episodes of one task can still be compared.
type Bundle struct {
	share   float64
	rows    []AttemptRow
	offered int // attempts that were offered
	full    bool
	pending []string // rendered episodes
	waiting int      // bytes of pending
	data    []page.Data
	size    int // of data, as base64
	keys    map[string]bool
	shapes  shapes
	gzip    *gzip.Writer // of one text after the other: each takes a megabyte
	packed  bytes.Buffer // what it has written of a text
}

// NewBundle returns an empty bundle for records of that size, in bytes.
func NewBundle(records int64) *Bundle {
	return &Bundle{share: min(1, float64(ratio*maxBundle)/float64(max(1, records))), gzip: gzip.NewWriter(nil)}
}

// Render renders an attempt of a run, which has a name of its own, with what the model was sent, or why that is not
// known. Several goroutines may call it at once.
func (b *Bundle) Render(run string, e *record.Episode, sent []episode.Call, unknown error) template.HTML {
	prompts := NewPrompts(e, sent, unknown)
	b.shapes.add(&prompts)
	return Render(EpisodePage{Episode: e, Run: run, Sent: prompts.Sent})
}

// Omit counts an attempt that the bundle does not take.
func (b *Bundle) Omit() { b.offered++ }

// Add adds an attempt that Render has rendered, with the reason why it was not solved.
func (b *Bundle) Add(run string, r *record.Result, reason Reason, rendered template.HTML) error {
	b.offered++
	if b.full {
		return nil
	}
	result := *r
	b.rows = append(b.rows, AttemptRow{Result: &result, Run: run, Reason: reason, Chunk: len(b.data),
		Place: len(b.pending), Href: "#" + Fragment(Target{run, Name(r)})})
	b.pending = append(b.pending, string(rendered))
	b.waiting += len(rendered)
	if b.waiting >= chunkSize {
		return b.flush()
	}
	return nil
}

// Target is an attempt that a link leads to, by the names of its run and of itself.
type Target struct{ Run, Name string }

// key names the attempt in a bundle. HTML changes characters that do not print.
func (t Target) key() string { return table.Printable(t.Run + "/" + t.Name) }

// Fragment is the part of an address, behind #, that shows an attempt of a bundle.
func Fragment(t Target) string { return "episode=" + template.URLQueryEscaper(t.key()) }

// Addresses returns where pages show an attempt, or two beside each other; empty if they do not.
type Addresses func(first Target, companions ...Target) string

// Takes reports whether the bundle takes the episodes of a result's task.
func (b *Bundle) Takes(r *record.Result) bool {
	if b.share >= 1 {
		return true
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(r.Env + " " + r.Task)) // it never fails
	return float64(h.Sum32()) < b.share*(1<<32)
}

// flush compresses what waits. If there is no room for it, the bundle is full.
func (b *Bundle) flush() error {
	if b.waiting == 0 {
		return nil
	}
	packed, err := b.compressed(text(strings.Join(b.pending, separator)))
	if err != nil {
		return err
	}
	chunk := page.Data{ID: "episodes-" + strconv.Itoa(len(b.data)), Content: packed}
	if n := len(chunk.Base64()); b.size+n > maxBundle {
		b.full = true
		b.rows = b.rows[:len(b.rows)-len(b.pending)]
	} else {
		b.size += n
		b.data = append(b.data, chunk)
	}
	b.pending, b.waiting = nil, 0
	return nil
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func (b *Bundle) compressed(write func(io.Writer) error) ([]byte, error) {
	b.packed.Reset()
	b.gzip.Reset(&b.packed)
	err := errors.Join(write(b.gzip), b.gzip.Close())
	return bytes.Clone(b.packed.Bytes()), err
}

// pack adds compressed data to the page.
func (b *Bundle) pack(id string, write func(io.Writer) error) error {
	packed, err := b.compressed(write)
	b.data = append(b.data, page.Data{ID: id, Content: packed})
	return err
}

// Section is a bundle as a part of a page.
type Section struct {
	Body    template.HTML
	Style   template.CSS
	Scripts []template.JS
	Data    []page.Data
}

// Close compresses what is left, after which Address knows what the bundle holds.
func (b *Bundle) Close() error {
	if err := b.flush(); err != nil {
		return err
	}
	shapes, err := json.Marshal(b.shapes.fitting(b.size))
	if err != nil {
		return err
	}
	if err := errors.Join(b.pack("rows", b.list().bundle), b.pack("prompts", text(string(shapes)))); err != nil {
		return err
	}
	b.keys = map[string]bool{}
	for _, r := range b.rows {
		b.keys[r.target().key()] = true
	}
	return nil
}

// Address is Addresses of the page of a closed bundle.
func (b *Bundle) Address(first Target, companions ...Target) string {
	for _, a := range append(companions, first) {
		if !b.keys[a.key()] {
			return ""
		}
	}
	address := "#" + Fragment(first)
	for _, a := range companions {
		address += "&with=" + template.URLQueryEscaper(a.key())
	}
	return address
}

// Section is the part of a page with a closed bundle.
func (b *Bundle) Section() Section {
	return Section{page.Fragment(parsed, "bundle", b.list().Render()), Style, []template.JS{Script, bundleScript},
		b.data}
}

// list is the list of all episodes of the bundle.
func (b *Bundle) list() List {
	result := func(i int) record.Result { return *b.rows[i].Result }
	choices, _ := Filter{}.Choose(Attempts{Count: len(b.rows), Result: result})
	l := List{Choices: choices, Count: b.count(), Rows: b.rows, Pager: Pager{Number: 1, Pages: Pages(len(b.rows))}}
	if l.Pager.Pages > 1 {
		l.Pager.Next = "#page=2"
	}
	return l
}

// count says how many episodes the page has, and which.
func (b *Bundle) count() string {
	if len(b.rows) == b.offered {
		return table.Counted(b.offered, "episode")
	}
	text := fmt.Sprintf("%d of %d episodes", len(b.rows), b.offered)
	if b.share < 1 {
		text += fmt.Sprintf(": all attempts at about %.1f %% of the tasks, chosen by a hash of their names",
			100*b.share)
	}
	if b.full {
		text += "; of these the first that have room"
	}
	return text + ". heldout view shows all."
}
