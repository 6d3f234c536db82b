package record

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// measuresFile has what was measured on the steps of attempts. Nothing depends on it: what it lacks, or what is
// damaged in it, is measured again.
const measuresFile = "measures.jsonl"

// worthKeeping is from how many new measures on they are written: a reading of fewer attempts takes no time.
const worthKeeping = 1000

// Measuring measures the steps of attempts. What it finds is kept in the run directory by the checksums of the
// attempts' lines, so that a later reading need not decode the steps.
type Measuring struct {
	version int
	measure func(*Manifest, *Episode) any
	decode  func(text []byte) (any, error)
}

// measured is a line of measuresFile.
type measured struct {
	Line     string         `json:"line"` // the checksum of the attempt's line
	Version  int            `json:"version"`
	Measures jsontext.Value `json:"measures"`
	Checksum string         `json:"checksum,omitzero"`
}

// mostShared is how many different measures a reading of the file remembers. Short episodes have few, and 600,000 of
// four steps take 110 MB less with it.
const mostShared = 1 << 12

// Unkept is the version of measures that no other reader may take.
const Unkept = 0

var errForeign = errors.New("another version measured it, or it is damaged")

// NewMeasuring returns a Measuring. T has the measures as JSON, by the version of their definitions: others are not
// read. Several goroutines call measure, which must not keep the trajectory.
func NewMeasuring[T any](version int, measure func(*Manifest, *Episode) *T) *Measuring {
	return &Measuring{version, func(m *Manifest, e *Episode) any { return measure(m, e) },
		func(text []byte) (any, error) {
			var found *T
			err := json.Unmarshal(text, &found)
			if err == nil && found == nil {
				err = errForeign
			}
			return found, err
		}}
}

// reader reads lines of measuresFile, one after the other. Equal measures are one.
func (g *Measuring) reader() func(line []byte) (sum string, found any, err error) {
	shared := map[string]any{}
	return func(line []byte) (string, any, error) {
		var l measured
		if _, _, ok := holds(line); !ok {
			return "", nil, errForeign
		}
		if err := json.Unmarshal(line, &l); err != nil || l.Version != g.version {
			return "", nil, cmp.Or(err, errForeign)
		}
		if found := shared[string(l.Measures)]; found != nil {
			return l.Line, found, nil
		}
		found, err := g.decode(l.Measures)
		if err == nil && len(shared) < mostShared {
			shared[string(l.Measures)] = found
		}
		return l.Line, found, err
	}
}

// Companion makes something else of attempts whose steps are measured.
type Companion struct {
	// Takes says of which attempts; nil for none.
	Takes func(*Result) bool
	// Derive makes it, for several attempts at the same time. It must not keep the trajectory.
	Derive func(*Manifest, Position, *Episode) any
}

func (b Companion) takes(r *Result) bool { return b.Takes != nil && b.Takes(r) }

// EachMeasured is EachDerived for measures of NewMeasuring[T]. A line whose measures are known is compared with its
// checksum alone, if nothing is made of it beside. Visit receives that as well, nil if there is nothing.
func EachMeasured[T any](p Readable, g *Measuring, companion Companion,
	visit func(m *Manifest, e *Episode, pos Position, measures *T, extra any)) (*Manifest, error) {
	reading := &measurements{}
	defer func() { reading.keep() }()
	begin := func(m *Manifest, plan *Plan, dir string) func() decoder {
		reading.keep() // the measures of the directory before
		reading = &measurements{Measuring: g, companion: companion, plan: plan, dir: dir, lines: g.load(dir)}
		return reading.decoder(m)
	}
	return p.chosen().visit(begin, func(m *Manifest, e *Episode, pos Position, found any) {
		f := found.(findings)
		visit(m, e, pos, f.measures.(*T), f.extra)
	})
}

// lineMeasures are the measures of a line with a checksum. A run can have millions.
type lineMeasures struct {
	sum   uint64
	found any
}

// sumOf is the number that a checksum writes; ok is false if it is none.
func sumOf(checksum string) (sum uint64, ok bool) {
	sum, err := strconv.ParseUint(checksum, 16, 64)
	return sum, err == nil
}

// load returns the measures that are kept in a run directory, in the order of the lines' checksums.
func (g *Measuring) load(dir string) []lineMeasures {
	if g.version == Unkept {
		return nil
	}
	content, err := wholeFile(filepath.Join(dir, measuresFile))
	if err != nil || content == nil {
		return nil
	}
	defer content.file.Close()
	var lines []lineMeasures
	parsing := func() decoder {
		read := g.reader()
		return func(line []byte, e *Episode) (found any, err error) {
			e.Checksum, found, err = read(line)
			return found, err
		}
	}
	_ = scan(io.NewSectionReader(content.file, 0, content.size), measuresFile, parsing, func(l *scanned) error {
		if sum, ok := sumOf(l.episode.Checksum); ok && l.bad == nil {
			lines = append(lines, lineMeasures{sum, l.derived})
		}
		return nil
	})
	slices.SortFunc(lines, func(a, b lineMeasures) int { return cmp.Compare(a.sum, b.sum) })
	return lines
}

// find returns the known measures of the line with a checksum, nil if there are none.
func (k *measurements) find(checksum string) any {
	sum, ok := sumOf(checksum)
	i, found := slices.BinarySearchFunc(k.lines, sum, func(l lineMeasures, sum uint64) int {
		return cmp.Compare(l.sum, sum)
	})
	if !ok || !found {
		return nil
	}
	return k.lines[i].found
}

// measurements are made while the lines of a run directory are read.
type measurements struct {
	*Measuring
	companion Companion
	plan      *Plan // for what is made beside
	dir       string
	lines     []lineMeasures
	mu        sync.Mutex
	fresh     []fresh
}

// fresh are measures of an attempt's line.
type fresh struct {
	line     string // its checksum
	measures any
}

// findings are the measures of an attempt, and what was made of it beside.
type findings struct{ measures, extra any }

// decoder decodes results, and the steps of lines whose measures are not known or of which something is made beside.
// Trials are decoded entirely, because they are checked against other lines.
func (k *measurements) decoder(m *Manifest) func() decoder {
	return func() decoder {
		var measures any // of the line, if they are known
		entirely := deriving(func(e *Episode) any {
			found := findings{measures: measures}
			if measures == nil {
				found.measures = k.measured(m, e)
			}
			if k.companion.takes(&e.Result) {
				if pos, planned := k.plan.Find(e.ID); planned {
					found.extra = k.companion.Derive(m, pos, e)
				}
			}
			return found
		})
		return func(raw []byte, e *Episode) (any, error) {
			measures = nil
			_, sum, _ := cutSeal(raw)
			if found := k.find(sum); found != nil && head(raw, e) == nil && e.Checksum == sum && e.Trial == 0 {
				if !k.companion.takes(&e.Result) {
					return findings{measures: found}, nil
				}
				measures = found
			}
			return entirely(raw, e)
		}
	}
}

// measured measures an attempt.
func (k *measurements) measured(m *Manifest, e *Episode) any {
	found := k.measure(m, e)
	if e.Checksum != "" && e.Trial == 0 && k.version != Unkept {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.fresh = append(k.fresh, fresh{e.Checksum, found})
	}
	return found
}

// keep writes what was measured, if it is worth it and can be written.
func (k *measurements) keep() {
	if len(k.fresh) < worthKeeping {
		return
	}
	f, err := os.OpenFile(filepath.Join(k.dir, measuresFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	defer out.Flush()
	for _, f := range k.fresh {
		text, err1 := json.Marshal(f.measures, json.OmitZeroStructFields(true))
		line, err2 := json.Marshal(measured{Line: f.line, Version: k.version, Measures: text})
		if errors.Join(err1, err2) != nil {
			return
		}
		_, _ = out.Write(Seal(line)) // the next reading measures again
	}
	k.fresh = nil
}
