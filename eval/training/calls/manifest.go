package calls

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"heldout/envs/datafile"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Manifest says under which condition the calls of a directory are made.
type Manifest struct {
	Schema    int             `json:"schema"`
	Tool      record.Tool     `json:"tool"`
	Planned   int             `json:"planned"`   // the number of items that the calls are for
	Condition json.RawMessage `json:"condition"` // a JSON object: everything that the replies depend on
	// Servers is what the servers reported about themselves, in the order of time.
	Servers  []record.ServerReport `json:"servers,omitempty"`
	Sessions []record.Session      `json:"sessions"`
}

// Setup says what a directory is for.
type Setup struct {
	Kind      record.LogKind
	Tool      record.Tool
	Condition any // a value that is a JSON object
	Planned   int // the number of items; it may grow from session to session
	Now       func() time.Time
}

// Open opens a directory of calls, and makes it if necessary. A directory with
// another condition is refused. End the book when it is done.
func Open(dir string, s Setup) (*Book, error) {
	b := &Book{now: s.Now, done: map[string]record.Span{}}
	log, err := record.OpenLog(dir, s.Kind, b.note)
	if err != nil {
		return nil, err
	}
	b.Log = log
	if err := b.begin(dir, s); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return b, nil
}

func (b *Book) begin(dir string, s Setup) error {
	condition, err := json.Marshal(s.Condition)
	if err != nil {
		return err
	}
	m := &Manifest{Schema: record.Schema, Condition: condition}
	exists, err := b.Log.Manifest(m)
	if err != nil {
		return err
	}
	if exists && b.lines == 0 { // nothing was asked under its condition
		m.Condition = condition
	} else if exists {
		if err := m.suits(condition, s.Planned); err != nil {
			return fmt.Errorf("%s: %w; give another --out", dir, err)
		}
	}
	m.Schema, m.Tool, m.Planned = record.Schema, s.Tool, s.Planned
	m.Sessions = append(m.Sessions, record.Session{Tool: s.Tool, Started: b.now().UTC()})
	b.manifest = m
	return b.SetManifest(m)
}

// suits reports a condition that differs from the manifest's.
func (m *Manifest) suits(condition []byte, planned int) error {
	old, err := fields(m.Condition)
	if err != nil {
		return err
	}
	current, err := fields(condition)
	if err != nil {
		return err
	}
	var differ []string
	merged := maps.Clone(old)
	maps.Copy(merged, current)
	for _, name := range slices.Sorted(maps.Keys(merged)) {
		if a, b := old[name], current[name]; !bytes.Equal(a, b) {
			differ = append(differ, fmt.Sprintf("%s is %s there and %s here", name, shortened(a), shortened(b)))
		}
	}
	if len(differ) > 0 {
		return fmt.Errorf("its calls were made under another condition: %s", strings.Join(differ, "; "))
	}
	if planned < m.Planned {
		return fmt.Errorf("it is planned for %d items, which is more than %d", m.Planned, planned)
	}
	return nil
}

// fields returns the fields of a JSON object in compact form.
func fields(object []byte) (out map[string]json.RawMessage, err error) {
	var compact bytes.Buffer
	err = json.Compact(&compact, object)
	if err == nil {
		err = datafile.Unmarshal(compact.Bytes(), &out)
	}
	if err != nil {
		return nil, fmt.Errorf("its condition is not a JSON object: %w", err)
	}
	return out, nil
}

func shortened(value []byte) string {
	if value == nil {
		return "not set"
	}
	return table.Shortened(string(value), 80)
}

// Met notes what the servers report about themselves, and the address of the server
// if there is only one. It must not be called while calls are being made.
func (b *Book) Met(s record.ServerReport, only string) error {
	b.address = only
	if slices.ContainsFunc(b.manifest.Servers, func(k record.ServerReport) bool { return reflect.DeepEqual(k, s) }) {
		return nil
	}
	b.manifest.Servers = append(b.manifest.Servers, s)
	return b.SetManifest(b.manifest)
}

// Took says how long all sessions that ended took, and this one so far.
func (b *Book) Took() string {
	total, killed := 0.0, 0
	last := len(b.manifest.Sessions) - 1
	for i, s := range b.manifest.Sessions {
		switch {
		case i == last:
			total += b.now().Sub(s.Started).Seconds()
		case s.Ended != nil:
			total += s.Ended.Sub(s.Started).Seconds()
		default:
			killed++
		}
	}
	text := fmt.Sprintf("The sessions took %.0f s.", total)
	if killed > 0 {
		text += " " + table.Counted(killed, "session that was killed does not count.",
			"sessions that were killed do not count.")
	}
	return text
}

// End notes the end of the session and closes the directory.
func (b *Book) End() error {
	b.manifest.Sessions[len(b.manifest.Sessions)-1].Ended = new(b.now().UTC())
	return errors.Join(b.SetManifest(b.manifest), b.Close())
}
