package bench

import (
	"fmt"
	"path/filepath"

	"heldout/configs"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// identity is what conditions say of the player behind a model. A run that goes on with a
// player that the user accepted keeps the one that it began with.
func (j *Job) identity(r configs.Run, name string) *record.Identity {
	var now *record.Identity
	if !r.Player.Zero() {
		now = &r.Player
	}
	if r.Out == "" || now == nil && !r.AcceptChangedModel {
		return now
	}
	if j.about.Identities == nil {
		j.about.Identities = map[string]*record.Identity{}
	}
	j.about.Identities[name] = now
	dirs, err := record.Parts{r.Out}.Dirs()
	if err != nil || len(dirs) == 0 {
		return now
	}
	m, err := record.ReadManifest(dirs[0])
	if err != nil {
		return now // to begin says what is wrong with it
	}
	first, last, planned := m.Player(name)
	if planned && (r.AcceptChangedModel || record.SamePlayer(last, now)) {
		return first
	}
	return now
}

// before says which runs without a name of their own have results from before the player
// changed. A changed player has another plan, so its run begins anew in a folder of its own.
func (j *Job) before() (lines []string) {
	if j.Config.Out != "" || j.Config.Player.Zero() {
		return nil
	}
	dirs, err := filepath.Glob(filepath.Join(RunsDir, directoryName(j.Config, "*")))
	if err != nil {
		return nil // the pattern is ours
	}
	for _, dir := range dirs {
		results := 0
		m, err := record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
			if e.Outcome.Final() {
				results++
			}
		})
		if err != nil || dir == j.Dir || results == 0 {
			continue
		}
		if model, was, now := j.Plan.Replaced(m); model != "" {
			lines = append(lines, fmt.Sprintf("%s has %s of %s as it was (%s); this run begins anew in %s", dir,
				table.Counted(results, "result"), model, record.ChangedPlayer(was, now), j.Dir))
		}
	}
	return lines
}
