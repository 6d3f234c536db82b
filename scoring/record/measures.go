package record

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"
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
	parse   func(line []byte) (sum string, found any, err error)
}

// measured is a line of measuresFile.
type measured[T any] struct {
	Line     string `json:"line"` // the checksum of the attempt's line
	Version  int    `json:"version"`
	Measures *T     `json:"measures"`
	Checksum string `json:"checksum,omitzero"`
}

var errForeign = errors.New("another version measured it, or it is damaged")

// NewMeasuring returns a Measuring. T has the measures as JSON, by the version of their definitions: others are not
// read. Several goroutines call measure, which must not keep the trajectory.
func NewMeasuring[T any](version int, measure func(*Manifest, *Episode) *T) *Measuring {
	return &Measuring{version, func(m *Manifest, e *Episode) any { return measure(m, e) },
		func(line []byte) (string, any, error) {
			if _, _, ok := holds(line); !ok {
				return "", nil, errForeign
			}
			var l measured[T]
			err := json.Unmarshal(line, &l)
			if err == nil && (l.Version != version || l.Measures == nil) {
				err = errForeign
			}
			return l.Line, l.Measures, err
		}}
}

// EachMeasured is EachDerived for measures of NewMeasuring[T]. A line whose measures are known is compared with its
// checksum alone.
func EachMeasured[T any](p Readable, g *Measuring, visit func(*Manifest, *Episode, Position, *T)) (*Manifest, error) {
	begin := func(m *Manifest, dir string) (func() decoder, func()) {
		made := g.begin(dir, g.known(dir))
		return made.decoder(m), made.keep
	}
	return p.chosen().visit(begin, func(m *Manifest, e *Episode, pos Position, found any) {
		visit(m, e, pos, found.(*T))
	})
}

// known are the measures that are kept in a run directory, by the checksums of the lines.
func (g *Measuring) known(dir string) map[string]any {
	content, err := wholeFile(filepath.Join(dir, measuresFile))
	if err != nil || content == nil {
		return nil
	}
	defer content.file.Close()
	known := map[string]any{}
	parsing := func() decoder {
		return func(line []byte) (e Episode, found any, err error) {
			e.Checksum, found, err = g.parse(line)
			return e, found, err
		}
	}
	_ = scan(io.NewSectionReader(content.file, 0, content.size), measuresFile, parsing, func(l *scanned) error {
		if l.bad == nil {
			known[l.episode.Checksum] = l.derived
		}
		return nil
	})
	return known
}

// measurements are made while the lines of a run directory are read.
type measurements struct {
	*Measuring
	dir   string
	known map[string]any
	mu    sync.Mutex
	fresh []measured[any]
}

func (g *Measuring) begin(dir string, known map[string]any) *measurements {
	return &measurements{Measuring: g, dir: dir, known: known}
}

// decoder decodes results, and the steps of lines whose measures are not known. Trials are decoded entirely, because
// they are checked against other lines.
func (k *measurements) decoder(m *Manifest) func() decoder {
	entirely := deriving(func(e *Episode) any {
		found := k.measure(m, e)
		if e.Checksum != "" && e.Trial == 0 {
			k.mu.Lock()
			k.fresh = append(k.fresh, measured[any]{Line: e.Checksum, Version: k.version, Measures: &found})
			k.mu.Unlock()
		}
		return found
	})
	return func() decoder {
		decode := entirely()
		return func(raw []byte) (Episode, any, error) {
			_, sum, _ := cutSeal(raw)
			if found := k.known[sum]; found != nil {
				if e, err := head(raw); err == nil && e.Checksum == sum && e.Trial == 0 {
					return e, found, nil
				}
			}
			return decode(raw)
		}
	}
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
	for i := range k.fresh {
		line, err := json.Marshal(&k.fresh[i], json.OmitZeroStructFields(true))
		if err != nil {
			return
		}
		_, _ = out.Write(Seal(line)) // the next reading measures again
	}
	k.fresh = nil
}
