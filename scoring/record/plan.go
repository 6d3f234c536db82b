package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"heldout/envs"
	"heldout/envs/datafile"
)

// EpisodeID hashes the identity of a task and the condition, and the version of heldout's behaviour: 20 hex digits.
func EpisodeID(behaviour int, t envs.Task, c Condition) (string, error) {
	ids, err := EpisodeIDs(behaviour, []envs.Task{t}, c)
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// EpisodeIDs returns the EpisodeID of each task.
func EpisodeIDs(behaviour int, tasks []envs.Task, c Condition) ([]string, error) {
	starts, err := idStarts(behaviour, tasks)
	if err != nil {
		return nil, err
	}
	return episodeIDs(starts, c)
}

// idStarts is what is hashed of tasks for their ids, up to the condition.
func idStarts(behaviour int, tasks []envs.Task) (starts [][]byte, err error) {
	for _, t := range tasks {
		id, err1 := json.Marshal(t.ID)
		digest, err2 := json.Marshal(t.Digest)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		starts = append(starts, fmt.Appendf(nil, `{"Behaviour":%d,"Task":%s,"Digest":%s,"Condition":`, behaviour, id, digest))
	}
	return starts, nil
}

func episodeIDs(starts [][]byte, c Condition) ([]string, error) {
	condition, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("the condition of %s on %s cannot be written down: %w", c.Model, c.Env, err)
	}
	ids := make([]string, len(starts))
	var b []byte
	for i, start := range starts {
		b = append(append(append(b[:0], start...), condition...), '}')
		sum := sha256.Sum256(b)
		ids[i] = hex.EncodeToString(sum[:10])
	}
	return ids, nil
}

// Plan finds planned episodes by their ids; nil without a manifest.
type Plan struct {
	groups []plannedGroup
	byID   map[string]Position
}

type plannedGroup struct {
	*Group
	tasks  []envs.Task
	preset string // the key of the condition's preset
}

// Position is where an episode stands in a plan.
type Position struct {
	// Group and Task are indices of Manifest.Groups and of the tasks of the group's
	// environment. Trial counts from 1.
	Group, Task, Trial int32
}

// Plan returns the planned episodes.
func (m *Manifest) Plan() *Plan {
	if m == nil {
		return nil
	}
	p := &Plan{byID: make(map[string]Position, m.Planned())}
	for i := range m.Groups {
		g := &m.Groups[i]
		env, _ := m.EnvironmentOf(g.Condition)
		p.groups = append(p.groups, plannedGroup{g, env.Tasks, g.Condition.Preset.Key()})
		for j, id := range g.Episodes {
			for trial := 1; trial <= g.Condition.MostTrials(); trial++ {
				p.byID[TrialID(id, trial)] = Position{int32(i), int32(j), int32(trial)}
			}
		}
	}
	return p
}

// Find returns where the episode with an id stands.
func (p *Plan) Find(id string) (Position, bool) {
	pos, ok := p.byID[id]
	return pos, ok
}

// planned is what is planned of an episode.
type planned struct {
	pos       Position
	id        string
	task      *envs.Task
	condition *Condition
	preset    string // the key of the condition's preset
	// trial is the number of the trial, 0 if the task has only one; previous is the id of the trial before it.
	trial    int
	previous string
}

// lookup returns what is planned under an id.
func (p *Plan) lookup(id string) (planned, bool) {
	pos, ok := p.byID[id]
	if !ok {
		return planned{}, false
	}
	return p.planned(pos), true
}

// planned returns what is planned at a position.
func (p *Plan) planned(pos Position) planned {
	g, trial := &p.groups[pos.Group], int(pos.Trial)
	want := planned{pos: pos, id: g.Episodes[pos.Task], task: &g.tasks[pos.Task], condition: &g.Condition,
		preset: g.preset}
	if g.Condition.MostTrials() > 1 {
		want.trial = trial
	}
	if trial > 1 {
		want.previous, want.id = TrialID(want.id, trial-1), TrialID(want.id, trial)
	}
	return want
}

// checker checks the attempts of a run, in the order of their lines, against its plan.
type checker struct {
	plan   *Plan
	failed map[string]bool // the ids of the trials that failed
}

func newChecker(p *Plan) *checker { return &checker{p, map[string]bool{}} }

// check compares an attempt with what was planned under its id. It returns where the episode stands in the plan.
func (c *checker) check(e *Episode) (Position, error) {
	if c.plan == nil {
		return Position{}, nil
	}
	want, err := c.plan.check(&e.Result)
	if err != nil {
		return Position{}, err
	}
	return want.pos, c.checkPlanned(e, want)
}

// checkPlanned compares an attempt, whose result is as planned, with the trials before it.
func (c *checker) checkPlanned(e *Episode, want planned) error {
	want.share(&e.Result)
	return c.checkTrial(e, want)
}

// lines visits the lines of an episodes file. Those that contradict the plan are bad, too.
func (c *checker) lines(visit func(*scanned, Position) error) func(*scanned) error {
	return func(l *scanned) error {
		var pos Position
		if l.bad == nil {
			pos, l.bad = c.check(&l.episode)
		}
		return visit(l, pos)
	}
}

// check compares a result with what was planned under its id.
func (p *Plan) check(r *Result) (planned, error) {
	want, ok := p.lookup(r.ID)
	if !ok {
		return want, fmt.Errorf("id: %s has no episode %.80q", manifestFile, r.ID)
	}
	return want, want.check(r)
}

// check compares an attempt with its task and condition.
func (want planned) check(r *Result) error {
	c, t := want.condition, want.task
	if r.Env == c.Env && r.Source == c.Source && r.Task == t.ID && r.TaskIndex == t.Index && r.TaskType == t.Type &&
		r.Difficulty == t.Difficulty &&
		r.Model == c.Model && r.Agent == c.Agent && r.Seed == c.Seed && r.Perturbation == c.Perturbation &&
		r.Preset == want.preset && r.Steps <= c.StepLimit {
		return nil
	}
	for _, f := range []struct {
		field     string
		got, want any
	}{
		{"env", r.Env, c.Env}, {"source", r.Source, c.Source},
		{"task", r.Task, t.ID}, {"task_index", r.TaskIndex, t.Index}, {"task_type", r.TaskType, t.Type},
		{"difficulty", r.Difficulty, t.Difficulty},
		{"model", r.Model, c.Model}, {"agent", r.Agent, c.Agent}, {"seed", r.Seed, c.Seed},
		{"perturbation", r.Perturbation, c.Perturbation},
		{"preset", r.Preset, want.preset},
	} {
		if f.got != f.want {
			return fmt.Errorf("%s: it is %.200s, but %s has %#v for the episode %s", f.field,
				fmt.Sprintf("%#v", f.got), manifestFile, f.want, r.ID)
		}
	}
	if r.Steps > c.StepLimit {
		return fmt.Errorf("steps: there are %d, but the step limit of the episode %s is %d", r.Steps, r.ID, c.StepLimit)
	}
	return nil
}

// share replaces the strings of a checked result by the equal ones of the plan, so
// that many results take little memory.
func (want planned) share(r *Result) {
	c, t := want.condition, want.task
	r.Env, r.Source, r.Task, r.TaskType, r.Difficulty = c.Env, c.Source, t.ID, t.Type, t.Difficulty
	r.Model, r.Agent, r.Perturbation, r.Preset = c.Model, c.Agent, c.Perturbation, want.preset
	r.ID, r.Outcome = want.id, r.Outcome.shared()
}

// check reports a manifest that contradicts itself: ids are computed anew.
func (m *Manifest) check() error {
	found := make(map[string]bool, m.Planned())
	starts := map[string][][]byte{} // of environments and their protocols
	for i := range m.Groups {
		g := &m.Groups[i]
		env, ok := m.EnvironmentOf(g.Condition)
		if !ok || len(env.Tasks) != len(g.Episodes) {
			return &fieldError{fmt.Sprintf("groups[%d].episodes", i), "",
				fmt.Sprintf("the plan for %s on %s does not fit its tasks", g.Condition.Model, g.Condition.Env)}
		}
		if g.Condition.Source != env.Source || !maps.Equal(g.Condition.Settings, env.Settings) {
			return &fieldError{fmt.Sprintf("groups[%d].condition", i), "",
				"source or settings differ from the environment " + env.Name}
		}
		place := env.Name + " " + env.Protocol
		if starts[place] == nil {
			var err error
			if starts[place], err = idStarts(max(1, m.Behaviour), env.Tasks); err != nil {
				return err
			}
		}
		ids, err := episodeIDs(starts[place], g.Condition)
		if err != nil {
			return err
		}
		for j, id := range g.Episodes {
			field := func() string { return fmt.Sprintf("groups[%d].episodes[%d]", i, j) }
			if found[id] {
				return &fieldError{field(), id, "the id is there twice"}
			}
			if id != ids[j] {
				return &fieldError{field(), id, fmt.Sprintf(
					"the id of task %s under this condition is %s: the id, the task or the condition was changed",
					env.Tasks[j].ID, ids[j])}
			}
			found[id] = true
		}
	}
	return nil
}

// fieldError is an error in a field of the manifest.
type fieldError struct {
	field   string
	text    string // a string of the file that tells where it is; may be empty
	problem string
}

func (e *fieldError) Error() string { return e.field + ": " + e.problem }

// lineOf returns the number of the line that contains a JSON string, 0 if no line does.
func lineOf(file []byte, text string) int {
	quoted, err := json.Marshal(text)
	index := bytes.LastIndex(file, quoted)
	if err != nil || index < 0 || text == "" {
		return 0
	}
	return 1 + bytes.Count(file[:index], []byte("\n"))
}

// badManifest says where a manifest is bad and what can be done.
func badManifest(file string, content []byte, err error) error {
	place := file
	switch e := err.(type) {
	case *fieldError:
		if n := lineOf(content, e.text); n > 0 {
			place = fmt.Sprintf("%s:%d", file, n)
		}
	case *datafile.JSONError:
		place = fmt.Sprintf("%s:%d", file, e.Line)
	case *schemaError:
		return fmt.Errorf("%s: %w", file, err)
	}
	return fmt.Errorf(
		"%s: %w; move %s away and give the command that made the run again: it writes a new one, and what is "+
			"finished is not played again",
		place, err, filepath.Base(file))
}

// Planned counts the planned episodes, first trials only.
func (m *Manifest) Planned() int {
	n := 0
	for _, g := range m.Groups {
		n += len(g.Episodes)
	}
	return n
}
