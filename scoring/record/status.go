package record

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"heldout/envs/datafile"
)

// Status is status.json: how far the process is that works on a run, for those who watch. It is replaced about once
// a second and removed at the end. Nothing depends on it.
type Status struct {
	Schema int `json:"schema"`
	// Updated is when it was written, Started when the process began to play.
	Updated     time.Time `json:"updated"`
	Started     time.Time `json:"started"`
	Concurrency int       `json:"concurrency"` // the largest number of episodes in flight
	// Planned counts the episodes that had no result when the process began, and the
	// trials that have become due since. MaxPlanned counts all that can become due. Done
	// counts those that have ended, Failed those that ended without a result.
	Planned    int `json:"planned"`
	MaxPlanned int `json:"most"`
	Done       int `json:"done"`
	Failed     int `json:"failed"`
	Tokens     int `json:"tokens"` // the tokens of all replies since the start
	// RemainingSeconds is the estimate of the time that is left; nil for none.
	RemainingSeconds *float64 `json:"remaining_seconds,omitempty"`
	// InFlight are the episodes in flight, the oldest first, at most MaxInFlight of them; Others counts the rest.
	InFlight []InFlight `json:"in_flight"`
	Others   int        `json:"others,omitempty"`
}

// InFlight is an episode that is being played.
type InFlight struct {
	ID string `json:"id"`
	// Steps counts the steps that are done.
	Steps   int       `json:"steps"`
	Started time.Time `json:"started"`
}

// Silent is after how long without a new status a process counts as gone.
const Silent = 15 * time.Second

// MaxInFlight is how many episodes a status describes.
const MaxInFlight = 200

// maxStatus is the largest status.json that is read, in bytes.
const maxStatus = 1 << 20

// SetStatus replaces status.json. It is not flushed: after a crash it means nothing.
func (s *Store) SetStatus(status *Status) error {
	status.Schema = Schema
	content, err := EncodeFile(status)
	if err != nil {
		return err
	}
	d := realDisk()
	d.sync = func(*os.File) error { return nil }
	return d.replace(filepath.Join(s.dir, statusFile), content)
}

// RemoveStatus removes status.json: nobody works on the run any more.
func (s *Store) RemoveStatus() error { return removeIfThere(filepath.Join(s.dir, statusFile)) }

// Status reads what the processes say that work on the run: the sum of all that were
// updated after a time. It is nil if there is none. A killed process leaves its last
// status behind. A status that cannot be read is none: it is replaced in a moment.
func (p Parts) Status(since time.Time) (*Status, error) {
	dirs, err := p.Dirs()
	if err != nil {
		return nil, err
	}
	var sum *Status
	for _, dir := range dirs {
		s, err := readStatus(dir)
		switch {
		case err != nil || s.Updated.Before(since):
		case sum == nil:
			sum = s
		default:
			sum.add(s)
		}
	}
	return sum, nil
}

// add adds the status of another shard. The run ends with the last of them.
func (s *Status) add(o *Status) {
	if o.Started.Before(s.Started) {
		s.Started = o.Started
	}
	if o.Updated.After(s.Updated) {
		s.Updated = o.Updated
	}
	s.Concurrency, s.Planned, s.MaxPlanned = s.Concurrency+o.Concurrency, s.Planned+o.Planned, s.MaxPlanned+o.MaxPlanned
	s.Done, s.Failed, s.Tokens, s.Others = s.Done+o.Done, s.Failed+o.Failed, s.Tokens+o.Tokens, s.Others+o.Others
	switch {
	case s.RemainingSeconds == nil || o.RemainingSeconds == nil:
		s.RemainingSeconds = nil
	case *o.RemainingSeconds > *s.RemainingSeconds:
		s.RemainingSeconds = o.RemainingSeconds
	}
	s.InFlight = append(s.InFlight, o.InFlight...)
	slices.SortStableFunc(s.InFlight, func(a, b InFlight) int { return a.Started.Compare(b.Started) })
	if n := len(s.InFlight); n > MaxInFlight {
		s.InFlight, s.Others = s.InFlight[:MaxInFlight], s.Others+n-MaxInFlight
	}
}

// readStatus reads status.json of a run directory.
func readStatus(dir string) (*Status, error) {
	var s Status
	b, err := datafile.Read(filepath.Join(dir, statusFile), maxStatus)
	if err == nil {
		_, err = DecodeFile(b, &s)
	}
	return &s, err
}
