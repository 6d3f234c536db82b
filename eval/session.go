package eval

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"heldout/eval/episode"
	"heldout/scoring/record"
)

// Session is one period of work on a run directory.
type Session struct {
	Store *record.Store
	// Warnings are about episodes that begin again, and about servers that changed since results were
	// recorded, though their models may be the same.
	Warnings []string
	manifest *record.Manifest
	now      func() time.Time
}

// About is what a run directory stores in addition to its plan.
type About struct {
	// Manifest has all but the plan. Without names, prices or held-in environments the earlier ones stay.
	record.Manifest
	// AcceptChangedModel accepts another model, or agent, under the same name than the one with recorded results.
	AcceptChangedModel bool
	// Reports is what the model servers report about themselves, by player.
	Reports map[string]record.ServerReport
	// Identities are the agents from outside heldout, by the model that they play as.
	Identities map[string]*record.Identity
}

// Begin opens a run directory for a plan. A directory that was made for another
// plan is refused, unless the plan only adds to it.
func Begin(dir string, p *Plan, about About, now func() time.Time) (*Session, error) {
	if err := divided(dir, p); err != nil {
		return nil, err
	}
	store, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	s := &Session{Store: store, now: now}
	if err := s.begin(dir, p, about); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return s, nil
}

// Fits reports a run directory that cannot be one of the plan, as Begin does. It changes nothing.
func Fits(dir string, p *Plan) error {
	_, err := record.MissingDirs(dir)
	if err = cmp.Or(divided(dir, p), err); err != nil || !record.IsRun(dir) {
		return err
	}
	m, err := record.ReadManifest(dir)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(slices.Concat(m.Groups, p.Groups), func(g record.Group) bool {
		return g.Condition.Player != nil
	}) {
		var attempts []record.Attempt
		if _, err := record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
			attempts = append(attempts, e.Brief())
		}); err != nil {
			return err
		}
		m.Groups = p.begun(m.Groups, attempts)
	}
	return p.extends(m)
}

// divided reports a run directory that is for a whole run where the plan is for a shard, or the other way round.
func divided(dir string, p *Plan) error {
	if p.Shard != nil {
		if parent := filepath.Dir(dir); record.IsRun(parent) {
			return fmt.Errorf("%s is a run without shards: give another --out", parent)
		}
		siblings, err := record.Shards(filepath.Dir(dir))
		if err == nil && len(siblings) > 0 && !record.SameDivision(siblings[0], dir) {
			err = fmt.Errorf("%s is a shard of another division than %s: give another --out", siblings[0],
				filepath.Base(dir))
		}
		return err
	}
	shards, err := record.Shards(dir)
	if err == nil && len(shards) > 0 {
		err = fmt.Errorf(
			"%s holds shards of a run: give --set shard again, or another --out; heldout merge puts them together", dir)
	}
	return err
}

func (s *Session) begin(dir string, p *Plan, about About) error {
	m := s.Store.Manifest
	unchecked := m == nil && len(s.Store.Attempts) > 0
	if m == nil {
		m = &record.Manifest{Schema: record.Schema}
	}
	groups := p.begun(m.Groups, s.Store.Attempts)
	change := s.change(about)
	if change == "" && len(groups) != len(m.Groups) {
		change = "another player plays"
	}
	m.Groups = groups
	err := p.extends(m)
	if err == nil {
		err = s.sameModels(about)
	}
	if err == nil && change != "" {
		var dropped bool // the replies to interrupted attempts
		if dropped, err = s.Store.DropReplies(); dropped {
			s.Warnings = append(s.Warnings, "the episodes in flight begin again: "+change)
		}
	}
	if err != nil {
		return err
	}
	m.Behaviour = episode.Behaviour
	m.Tool, m.Prompts, m.Sweep = about.Tool, about.Prompts, about.Sweep
	m.Reflection, m.Protocols = about.Reflection, about.Protocols
	m.Environments, m.Groups, m.Shard = p.Environments, p.Groups, p.Shard
	if len(about.Names) > 0 {
		m.Names = about.Names
	}
	if len(about.Prices) > 0 {
		m.Prices = about.Prices
	}
	if len(about.HeldIn) > 0 {
		m.HeldIn = about.HeldIn
	}
	for model, now := range about.Identities {
		m.NotePlayer(model, now)
	}
	if m.Servers == nil {
		m.Servers = map[string][]record.ServerReport{} // also for servers that join later
	}
	for player, server := range about.Reports {
		if !s.playedBy(player, false) { // what another model began is in no record
			m.Servers[player] = sameModel(m.Servers[player], server)
		}
		m.Servers[player] = append(m.Servers[player], server)
	}
	m.Sessions = append(m.Sessions, record.Session{Tool: about.Tool, Started: s.now().UTC()})
	s.manifest = m
	if err := s.Store.SetManifest(m); err != nil || !unchecked {
		return err
	}
	_, _, err = record.Read(dir) // run.json was missing: nothing said what was planned
	return err
}

// sameModels reports a server that has another model under the same name than the one with
// recorded results, unless the user accepts it: its results would share a row with theirs.
func (s *Session) sameModels(about About) error {
	m := s.Store.Manifest
	if m == nil {
		return nil
	}
	for _, player := range slices.Sorted(maps.Keys(about.Reports)) {
		recorded := m.Servers[player]
		if len(recorded) == 0 || !s.playedBy(player, true) {
			continue
		}
		old, now := recorded[len(recorded)-1], about.Reports[player]
		if changed := record.Changes(old, now); len(changed) > 0 && !about.AcceptChangedModel {
			return fmt.Errorf("the model behind %s is not the one with recorded results: %s; give another --out, or "+
				"--accept-changed-model to continue with it", player, strings.Join(changed, "; "))
		}
		if prev, current := old.Program(), now.Program(); prev != "" && current != "" && prev != current {
			s.Warnings = append(s.Warnings, fmt.Sprintf("the server of %s is %s, and recorded results are from %s",
				player, current, prev))
		}
	}
	return nil
}

// playedBy reports whether there is an attempt of a player or, with final, one with a result.
func (s *Session) playedBy(player string, final bool) bool {
	return slices.ContainsFunc(s.Store.Attempts, func(a record.Attempt) bool {
		return a.Model == player && (a.Outcome.Final() || !final)
	})
}

// sameModel returns the last reports of those that are about the same model as one.
func sameModel(reports []record.ServerReport, now record.ServerReport) []record.ServerReport {
	for i, report := range slices.Backward(reports) {
		if len(record.Changes(report, now)) > 0 {
			return reports[i+1:]
		}
	}
	return reports
}

// change says what keeps interrupted attempts from going on: the program or a model is not the
// one that they began with. It is empty if they can go on.
func (s *Session) change(about About) string {
	m := s.Store.Manifest
	if m == nil || len(m.Sessions) == 0 {
		return "run.json does not say who began them"
	}
	if m.Sessions[len(m.Sessions)-1].Tool != about.Tool {
		return "another version of heldout began them"
	}
	for model, now := range about.Identities {
		if _, last, planned := m.Player(model); planned && !record.SamePlayer(last, now) {
			return fmt.Sprintf("the player behind %s changed: %s", model, record.ChangedPlayer(last, now))
		}
	}
	for _, player := range slices.Sorted(maps.Keys(about.Reports)) {
		recorded := m.Servers[player]
		if n := len(recorded); n > 0 {
			if changed := record.Changes(recorded[n-1], about.Reports[player]); len(changed) > 0 {
				return fmt.Sprintf("the model behind %s changed: %s", player, strings.Join(changed, "; "))
			}
		}
	}
	return ""
}

// AddServers notes what servers that joined the run report about themselves, by
// player. What is known is not noted again.
func (s *Session) AddServers(servers map[string]record.ServerReport) error {
	changed := false
	for player, server := range servers {
		recorded := s.manifest.Servers[player]
		if slices.ContainsFunc(recorded, func(k record.ServerReport) bool { return reflect.DeepEqual(k, server) }) {
			continue
		}
		s.manifest.Servers[player], changed = append(recorded, server), true
	}
	if !changed {
		return nil
	}
	return s.Store.SetManifest(s.manifest)
}

// Mark identifies the run directory: when work on it began.
func (s *Session) Mark() time.Time { return s.manifest.Sessions[0].Started }

// Stop notes the budget that ends the session.
func (s *Session) Stop(e *BudgetError) {
	s.manifest.Sessions[len(s.manifest.Sessions)-1].Stopped = e.Rule
}

// End notes the end of the session, removes its status and closes the directory.
func (s *Session) End() error {
	s.manifest.Sessions[len(s.manifest.Sessions)-1].Ended = new(s.now().UTC())
	return errors.Join(s.Store.RemoveStatus(), s.Store.SetManifest(s.manifest), s.Store.Close())
}
