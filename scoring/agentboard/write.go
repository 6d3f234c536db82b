package agentboard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/natefinch/atomic"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Written says what was written, and what was not.
type Written struct {
	Folders  []string
	Episodes int
	// LeftOut are episodes that AgentBoard has no place for, by reason.
	LeftOut map[string]int
	// Missing counts the planned episodes without a result.
	Missing   int
	Uncovered []string
}

// Write writes runs in a folder, or in a folder in it for each model and seed if there are
// several. Force replaces files that are there.
func Write(dir string, runs []record.Chosen, force bool) (*Written, error) {
	w := &boardWriter{players: map[subject]board{}, Written: Written{LeftOut: map[string]int{}}}
	for _, run := range runs {
		if err := w.add(run); err != nil {
			return nil, err
		}
	}
	if len(w.players) == 0 {
		return nil, errors.New("there is nothing to write: no episode of an environment of AgentBoard has a result")
	}
	owners, err := w.owners(dir)
	if err != nil {
		return nil, err
	}
	w.Folders = slices.Sorted(maps.Keys(owners))
	if !force {
		for _, folder := range w.Folders { // before the first is written
			if err := w.players[owners[folder]].absent(folder); err != nil {
				return nil, err
			}
		}
	}
	for _, folder := range w.Folders {
		if err := w.players[owners[folder]].write(folder); err != nil {
			return nil, err
		}
	}
	return &w.Written, nil
}

// subject is whose episodes a folder has.
type subject struct {
	model string
	seed  int64
}

// board has the episodes of a subject by environment.
type board map[string][]episode

type boardWriter struct {
	Written
	players map[subject]board
}

// owners are the subjects by their folders in a folder.
func (w *boardWriter) owners(dir string) (map[string]subject, error) {
	owners := map[string]subject{}
	for p := range w.players {
		folder := filepath.Join(dir, w.folder(p))
		if o, ok := owners[folder]; ok {
			return nil, fmt.Errorf("%s and %s would share the folder %s: choose one with --model", min(o.model, p.model),
				max(o.model, p.model), folder)
		}
		owners[folder] = p
	}
	return owners, nil
}

// folder names the folder of a subject: the one folder without a name, else by what differs.
func (w *boardWriter) folder(p subject) string {
	models, seeds := map[string]bool{}, map[int64]bool{}
	for o := range w.players {
		models[o.model], seeds[o.seed] = true, true
	}
	var parts []string
	if len(models) > 1 {
		name := strings.NewReplacer("/", "-", ":", "-", "\\", "-").Replace(table.Printable(p.model))
		if strings.Trim(name, ".") == "" {
			name = "model" + name // not the folder itself, or the one above
		}
		parts = append(parts, name)
	}
	if len(seeds) > 1 {
		parts = append(parts, fmt.Sprintf("seed-%d", p.seed))
	}
	return strings.Join(parts, "-")
}

// counted is an attempt with its rank.
type counted struct {
	record.Rank
	episode
}

// add adds the episodes of a run that count.
func (w *boardWriter) add(run record.Chosen) error {
	found := map[record.Position]counted{}
	derive := func(_ *record.Manifest, e *record.Episode) counted { return counted{e.Rank(), newEpisode(e)} }
	m, err := record.EachDerived(run, derive,
		func(m *record.Manifest, e *record.Episode, pos record.Position, c counted) {
			if previous, ok := found[pos]; e.Outcome.Final() && (!ok || c.CountsBefore(previous.Rank)) {
				found[pos] = c
			}
		})
	if err != nil {
		return err
	}
	w.Uncovered = append(w.Uncovered, m.Uncovered...)
	byGroup := make([][]episode, len(m.Groups))
	for pos, c := range found {
		if pos.Trial > 1 {
			w.LeftOut["of later trials"]++
			continue
		}
		byGroup[pos.Group] = append(byGroup[pos.Group], c.episode)
	}
	for i, g := range m.Groups {
		if err := w.addGroup(run.Name(), g, byGroup[i]); err != nil {
			return err
		}
	}
	return nil
}

// addGroup adds the episodes of a condition.
func (w *boardWriter) addGroup(run string, g record.Group, episodes []episode) error {
	c := g.Condition
	switch {
	case !slices.Contains(configs.BoardEnvironments, c.Env):
		w.LeftOut["of "+envs.Title(c.Env)] += len(episodes)
		return nil
	case c.Perturbation != "none":
		w.LeftOut["under perturbations"] += len(episodes)
		return nil
	}
	w.Missing += len(g.Episodes) - len(episodes)
	w.Episodes += len(episodes)
	if len(episodes) == 0 {
		return nil
	}
	slices.SortFunc(episodes, func(a, b episode) int { return cmp.Compare(a.ID, b.ID) })
	p := subject{c.Model, c.Seed}
	if w.players[p] == nil {
		w.players[p] = board{}
	}
	if w.players[p][c.Env] != nil {
		return fmt.Errorf("%s: %s played %s in several ways with seed %d, and a folder of AgentBoard has one: choose with "+
			"--preset, or give one run at a time", run, c.Model, c.Env, c.Seed)
	}
	w.players[p][c.Env] = episodes
	return nil
}

// newEpisode is an episode in AgentBoard's form.
func newEpisode(e *record.Episode) episode {
	out := episode{ID: e.TaskIndex, Task: taskOf(e), Goal: e.Goal, Difficulty: string(e.Difficulty),
		Done: flag(e.Success), Progress: e.Progress, Grounding: e.Grounding, Changes: []rise{}, Turns: turns{}}
	previous := 0.0
	for i, s := range e.Trajectory {
		if s.Progress > previous {
			out.Changes = append(out.Changes, rise{i, s.Progress})
		}
		previous = s.Progress
		t := boardStep{Action: s.Action, Observation: s.Observation, Progress: s.Progress}
		if i == 0 {
			t.Goal = e.Goal
		}
		out.Turns = append(out.Turns, t)
	}
	return out
}

// taskOf names a task as AgentBoard does: without what tells tasks of one kind apart.
func taskOf(e *record.Episode) string {
	if name, _, ok := strings.Cut(e.Task, "/"); ok {
		return name
	}
	return e.Task
}

// absent reports a file of a folder that exists.
func (b board) absent(dir string) error {
	names := []string{filepath.Join(dir, resultsFile), filepath.Join(dir, abilitiesFile)}
	for env := range b {
		names = append(names, linesFile(dir, env), logFile(dir, env))
	}
	for _, name := range names {
		if _, err := os.Stat(name); err == nil {
			return fmt.Errorf("%s exists; --force replaces it", name)
		}
	}
	return nil
}

// write writes the files of a folder.
func (b board) write(dir string) error {
	files := map[string][]byte{}
	for env, episodes := range b {
		var lines, logs bytes.Buffer
		encoder := json.NewEncoder(&logs)
		encoder.SetEscapeHTML(false)
		for _, e := range episodes {
			lines.WriteString(e.line())
			if err := encoder.Encode(e); err != nil {
				return err
			}
		}
		files[linesFile(dir, env)], files[logFile(dir, env)] = lines.Bytes(), logs.Bytes()
	}
	results, abilities, err := b.results()
	if err != nil {
		return err
	}
	files[filepath.Join(dir, resultsFile)], files[filepath.Join(dir, abilitiesFile)] = results, abilities
	return replaceFiles(dir, files)
}

// replaceFiles writes all files of a folder beside it, and then gives each its name.
func replaceFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o777); err != nil {
		return fmt.Errorf("the folder cannot be made: %w; name another one with --out", err)
	}
	work, err := record.OpenWorkplace(dir)
	if err != nil {
		return err
	}
	defer work.Close()
	if err := work.Empty(); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(work.Path(filepath.Base(name)), content, 0o666); err != nil {
			return err
		}
	}
	for name := range files {
		if err := atomic.ReplaceFile(work.Path(filepath.Base(name)), name); err != nil {
			return err
		}
	}
	return nil
}

// results are all_results.txt and dimension.txt. Abilities are scored on the environments that were
// played.
func (b board) results() (rates, abilities []byte, err error) {
	byEnv := map[string]taskRates{}
	var list []taskRates
	for _, env := range configs.BoardEnvironments {
		if episodes, ok := b[env]; ok {
			byEnv[env] = rated(taskName(env), episodes)
			list = append(list, byEnv[env])
		}
	}
	for _, s := range summaries {
		if r, ok := summary(s.name, s.envs, byEnv); ok {
			list = append(list, r)
		}
	}
	for _, r := range list {
		line, err := json.Marshal(r)
		if err != nil {
			return nil, nil, err
		}
		rates = append(append(rates, line...), '\n')
	}
	var scores []string
	for _, a := range configs.Abilities {
		var values, weights []float64
		for _, env := range configs.BoardEnvironments {
			if r, ok := byEnv[env]; ok {
				values, weights = append(values, 100*r.Success), append(weights, a.Weight(env))
			}
		}
		scores = append(scores, fmt.Sprintf("%q: %s", a.Board, float(stats.WeightedMean(values, weights))))
	}
	return rates, []byte("{" + strings.Join(scores, ", ") + "}\n"), nil
}

// rated are the rates of an environment. Rates of easy or hard tasks are 0 if there are none, as in AgentBoard.
func rated(name string, episodes []episode) taskRates {
	mean := func(difficulty envs.Difficulty, value func(*episode) float64) float64 {
		var values []float64
		for i := range episodes {
			if difficulty == "" || episodes[i].Difficulty == string(difficulty) {
				values = append(values, value(&episodes[i]))
			}
		}
		if values == nil {
			return 0
		}
		return stats.Mean(values)
	}
	success := func(e *episode) float64 {
		if e.Done {
			return 1
		}
		return 0
	}
	progress := func(e *episode) float64 { return e.Progress }
	grounding := func(e *episode) float64 { return e.Grounding }
	return taskRates{name, mean("", success), mean("", progress), mean("", grounding), mean(envs.Hard, success),
		mean(envs.Easy, success), mean(envs.Hard, progress), mean(envs.Easy, progress)}
}

// summary has the means over a group of environments; not ok if one is missing.
func summary(name string, group []string, byEnv map[string]taskRates) (out taskRates, ok bool) {
	out.Task = name + "_summary"
	n := float64(len(group))
	for _, env := range group {
		r, ok := byEnv[env]
		if !ok {
			return out, false
		}
		out.Success += r.Success / n
		out.Progress += r.Progress / n
		out.Grounding += r.Grounding / n
		out.HardSuccess += r.HardSuccess / n
		out.EasySuccess += r.EasySuccess / n
		out.HardProgress += r.HardProgress / n
		out.EasyProgress += r.EasyProgress / n
	}
	return out, true
}
