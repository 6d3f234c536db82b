package export

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/bench"
	"heldout/scoring/record"
)

type recordSource struct {
	path string
	run  *runSource // nil for a file
}

// runSource is what has to be known of a run before its episodes are read.
type runSource struct {
	parts      record.Parts
	manifest   *record.Manifest
	planned    map[string]planned     // by id of the episode
	counts     map[string]record.Rank // the attempts that count, by id of the episode
	unfinished int                    // the number of planned first trials that have no result
	lists      map[string]bool        // by hash of the preset
}

type planned struct {
	condition *record.Condition
	env       *record.Environment
	task      *envs.Task
}

// findSources lists the sources that directories and files name, each once.
func findSources(paths []string) ([]recordSource, error) {
	var out []recordSource
	added := map[string]bool{}
	add := func(s recordSource) {
		real, err := filepath.EvalSymlinks(s.path)
		if err != nil {
			real = s.path
		}
		if real, err = filepath.Abs(real); err != nil || !added[real] {
			added[real] = true
			out = append(out, s)
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if base := filepath.Base(path); !info.IsDir() && (base == "episodes.jsonl" || base == "run.json") {
			return nil, fmt.Errorf("%s is a file of a run: give the run directory", path)
		}
		if !info.IsDir() {
			add(recordSource{path: path})
			continue
		}
		found, err := inDirectory(path)
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			add(s)
		}
	}
	return together(out)
}

// together makes one source of directories that hold one run.
func together(sources []recordSource) ([]recordSource, error) {
	var dirs []string
	for _, s := range sources {
		if s.run != nil {
			dirs = append(dirs, s.path)
		}
	}
	runs, err := record.Together(dirs, func(string) {})
	for _, p := range runs {
		i := slices.IndexFunc(sources, func(s recordSource) bool { return s.run != nil && s.path == p[0] })
		sources[i].run.parts = p
	}
	return slices.DeleteFunc(sources, func(s recordSource) bool { return s.run != nil && s.run.parts == nil }), err
}

// inDirectory lists the sources in a directory: the run or the synthesis that it is, or the runs below it.
func inDirectory(dir string) ([]recordSource, error) {
	shards, err := record.Shards(dir)
	switch {
	case err != nil:
		return nil, err
	case record.IsRun(dir) || len(shards) > 0:
		return []recordSource{{path: dir, run: &runSource{}}}, nil
	}
	file := filepath.Join(dir, record.TrajectoriesFile)
	if _, err := os.Stat(file); err == nil {
		return []recordSource{{path: file}}, nil
	}
	var errs []error
	var out []recordSource
	for _, found := range record.Find(dir, func(folder string, err error) {
		errs = append(errs, fmt.Errorf("%s: %w", folder, err))
	}) {
		out = append(out, recordSource{path: found, run: &runSource{}})
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no run (run.json) and no trajectories (%s)", dir, record.TrajectoriesFile)
	}
	return out, nil
}

func (r *runSource) survey() error {
	r.counts = map[string]record.Rank{}
	m, err := record.EachEpisode(r.parts, func(_ *record.Manifest, e *record.Episode) {
		if a := e.Rank(); a.Outcome.Final() && a.CountsBefore(r.counts[e.ID]) {
			r.counts[e.ID] = a
		}
	})
	if err != nil {
		return err
	}
	r.manifest, r.planned, r.lists = m, map[string]planned{}, map[string]bool{}
	for i := range m.Groups {
		g := &m.Groups[i]
		env, _ := m.EnvironmentOf(g.Condition)
		for j, id := range g.Episodes {
			if m.Sweep.ExtraAnchor(g.Condition.Model) {
				delete(r.counts, id)
				continue
			}
			p := planned{&g.Condition, &env, &env.Tasks[j]}
			if r.planned[id] = p; !r.counts[id].Outcome.Final() {
				r.unfinished++
			}
			for trial := 2; trial <= g.Condition.MostTrials(); trial++ {
				r.planned[record.TrialID(id, trial)] = p
			}
		}
	}
	return nil
}

// forEach visits the episodes that count, in the order of the file.
func (r *runSource) forEach(visit func(*record.Episode, planned) error) error {
	var failed error
	_, err := record.EachEpisode(r.parts, func(_ *record.Manifest, e *record.Episode) {
		if counts, ok := r.counts[e.ID]; failed != nil || !ok || counts != e.Rank() {
			return
		}
		delete(r.counts, e.ID) // two processes can have written one attempt
		failed = visit(e, r.planned[e.ID])
	})
	return errors.Join(failed, err)
}

// use says what the benchmark has the task of an episode for. A preset with a list of
// tasks of its own is a benchmark of its own.
func (r *runSource) use(p planned) catalog.Use {
	use := catalog.UseOf(p.env.Info, *p.task)
	if use != catalog.Test && p.condition.Source == envs.Official && r.listed(p.condition) {
		return catalog.Test
	}
	return use
}

// listed reports whether the tasks of a condition are from a list of its preset that is
// not for training or development.
func (r *runSource) listed(c *record.Condition) bool {
	if c.Preset == nil {
		return false
	}
	if cached, ok := r.lists[c.Preset.SHA256]; ok {
		return cached
	}
	preset, err := bench.PlayedPreset(r.manifest, *c)
	listed := err != nil || preset.Env.Tasks.List != nil &&
		!slices.Contains([]string{string(catalog.Dev), string(catalog.Train)}, preset.Env.Part)
	r.lists[c.Preset.SHA256] = listed
	return listed
}
