package eval

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"heldout/envs"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// Rollouts is a run directory for episodes that a player from outside heldout plays, one
// after another and as often as it likes. What is played becomes the plan: the rollouts of a
// task with one step limit have the seeds 0, 1, 2 and so on, counted from the beginning of a
// session. What is played again keeps its first result. It is safe for concurrent use.
type Rollouts struct {
	store *record.Store
	now   func() time.Time
	base  record.Condition // without step limit and seed

	mu       sync.Mutex
	manifest record.Manifest
	version  int             // of the manifest; goes up with every change
	tasks    map[string]int  // place in the environment's tasks, by digest and id
	groups   map[int][]int   // places in the manifest's groups, by step limit, in the order of seeds
	attempts map[string]int  // by id of the episode
	final    map[string]bool // those with a result
	fresh    map[string]bool // those with a result of this session

	writing sync.Mutex // held while the manifest is written; guards what follows
	saved   int        // version on disk
}

// RolloutPlan says what is played.
type RolloutPlan struct {
	// Player is the player's name; Named: the user chose it. Identity says more; nil if
	// nothing is known. Accept goes on with another one under the name.
	Player   string
	Named    bool
	Identity *record.Identity
	Accept   bool
	Info     envs.Info
	// Total is the number of tasks of the benchmark.
	Total int
	// Perturbation names the perturbation around the environment; empty for none.
	Perturbation, PerturbationHash string
	Tool                           record.Tool
}

// OpenRollouts opens a run directory for rollouts, and creates it if necessary. A
// directory that holds other episodes is refused, as is one of another player.
func OpenRollouts(dir string, about RolloutPlan, now func() time.Time) (*Rollouts, error) {
	store, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	r := &Rollouts{
		store: store, now: now, tasks: map[string]int{}, groups: map[int][]int{}, attempts: map[string]int{},
		final: map[string]bool{}, fresh: map[string]bool{},
		base: record.Condition{
			Env: about.Info.Name, Source: about.Info.Source, Settings: about.Info.Settings,
			Model: record.Remote + ":" + about.Player, Agent: record.Remote, Player: about.Identity,
			Perturbation: cmp.Or(about.Perturbation, episode.NoPerturbation), PerturbationHash: about.PerturbationHash,
		},
	}
	if err := r.begin(dir, about); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return r, nil
}

func (r *Rollouts) begin(dir string, about RolloutPlan) error {
	old := r.store.Manifest
	r.manifest = record.Manifest{Schema: record.Schema, Environments: []record.Environment{
		{Info: about.Info, Total: about.Total}}}
	if old == nil && len(r.store.Attempts) > 0 {
		return fmt.Errorf("%s has episodes and no run.json, so nothing says who played them: give another folder", dir)
	}
	if old != nil {
		if err := r.continues(old, about.Info); err != nil {
			return fmt.Errorf("%s %w: give another folder", dir, err)
		}
	}
	if old != nil && len(r.store.Attempts) > 0 {
		if err := r.goesOn(old, about); err != nil {
			return fmt.Errorf("%s is a recording of %w, or give another folder", dir, err)
		}
		r.manifest = *old
	}
	r.manifest.NotePlayer(r.base.Model, about.Identity)
	r.manifest.Behaviour, r.manifest.Tool = episode.Behaviour, about.Tool
	r.manifest.Sessions = append(r.manifest.Sessions, record.Session{Tool: about.Tool, Started: r.now().UTC()})
	for i, t := range r.environment().Tasks {
		r.tasks[taskKey(t)] = i
	}
	for i, g := range r.manifest.Groups {
		r.groups[g.Condition.StepLimit] = append(r.groups[g.Condition.StepLimit], i)
	}
	for i := range r.store.Attempts {
		a := &r.store.Attempts[i]
		r.attempts[a.ID] = max(r.attempts[a.ID], a.Attempt)
		r.final[a.ID] = r.final[a.ID] || a.Outcome.Final()
	}
	r.version++
	return r.flush(r.version)
}

// continues reports a run that these rollouts do not belong to.
func (r *Rollouts) continues(m *record.Manifest, info envs.Info) error {
	if old := max(1, m.Behaviour); old != episode.Behaviour {
		return fmt.Errorf("was made by another version of heldout (behaviour %d, here %d)", old, episode.Behaviour)
	}
	if len(m.Environments) != 1 || m.Shard != nil {
		return errors.New("is a run of another kind")
	}
	if e := m.Environments[0]; e.Name != info.Name || e.Source != info.Source || e.DataHash != info.DataHash ||
		!maps.Equal(e.Settings, info.Settings) {
		return fmt.Errorf("holds episodes of %s with other settings or data", e.Name)
	}
	seeds := map[int]int64{}
	for _, g := range m.Groups {
		c := g.Condition
		if c.Agent != record.Remote || c.Perturbation != r.base.Perturbation ||
			c.PerturbationHash != r.base.PerturbationHash || c.Seed != seeds[c.StepLimit] {
			return errors.New("holds other episodes than rollouts of this kind")
		}
		seeds[c.StepLimit]++
	}
	return nil
}

// goesOn reports a recording that is not known to be the present player's. A player that
// the user accepts plays on under what the recording began with.
func (r *Rollouts) goesOn(m *record.Manifest, about RolloutPlan) error {
	model := m.Groups[0].Condition.Model
	first, last, _ := m.Player(model)
	switch name := strings.TrimPrefix(model, record.Remote+":"); {
	case model == record.Unnamed:
		return errors.New("an earlier version of heldout, so nobody knows who played: start one with a name")
	case model != r.base.Model:
		return fmt.Errorf("%s, and this player is called %s: give --name %q to go on with it", name, about.Player, name)
	case about.Accept:
	case !record.SamePlayer(last, about.Identity):
		return fmt.Errorf("%s, who has changed since: %s; give --accept-changed-model to go on with it all the same", name,
			record.ChangedPlayer(last, about.Identity))
	case !about.Named && about.Identity == nil:
		return fmt.Errorf("%s, and nothing says that the same player plays on: give --name %q to say so", name, name)
	}
	r.base.Player = first
	return nil
}

func (r *Rollouts) environment() *record.Environment { return &r.manifest.Environments[0] }

func taskKey(t envs.Task) string { return t.Digest + " " + t.ID }

// Append records one attempt at a task: Outcome, Error, Success, Progress, times and texts are the caller's, the
// rest follows. The attempt is on disk when Append returns without an error. Rollout is the seed; below 0 it is the
// first one that has no result of this session.
func (r *Rollouts) Append(t envs.Task, stepLimit, rollout int, e *record.Episode) error {
	version, err := r.place(t, stepLimit, rollout, e)
	if err != nil {
		return err
	}
	if err := r.flush(version); err != nil {
		return err
	}
	return r.store.Append(e)
}

// AppendFork records what was played from a fork of a rollout: it is on disk when
// AppendFork returns without an error, and no part of the plan.
func (r *Rollouts) AppendFork(f *record.Fork) error { return r.store.AppendFork(f) }

// place gives an attempt its place in the plan, and returns the version of the manifest that has it.
func (r *Rollouts) place(t envs.Task, stepLimit, rollout int, e *record.Episode) (version int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	task, ok := r.tasks[taskKey(t)]
	if !ok {
		if task, err = r.addTask(t); err != nil {
			return 0, err
		}
	}
	seed := max(0, rollout)
	for rollout < 0 && r.fresh[r.planned(task, stepLimit, seed)] {
		seed++
	}
	for len(r.groups[stepLimit]) <= seed {
		if err := r.addGroup(stepLimit, len(r.groups[stepLimit])); err != nil {
			return 0, err
		}
	}
	g := &r.manifest.Groups[r.groups[stepLimit][seed]]
	c, id := &g.Condition, g.Episodes[task]
	r.attempts[id]++
	r.final[id] = r.final[id] || e.Outcome.Final()
	r.fresh[id] = r.fresh[id] || e.Outcome.Final()
	e.ID, e.Attempt, e.Env, e.Source, e.Model, e.Agent, e.Seed, e.Perturbation = id, r.attempts[id], c.Env, c.Source,
		c.Model, c.Agent, c.Seed, c.Perturbation
	e.Task, e.TaskIndex, e.TaskType, e.Difficulty = t.ID, t.Index, t.Type, t.Difficulty
	return r.version, nil
}

// planned is the id of an episode; empty if it is not planned yet.
func (r *Rollouts) planned(task, stepLimit, seed int) string {
	if groups := r.groups[stepLimit]; seed < len(groups) {
		return r.manifest.Groups[groups[seed]].Episodes[task]
	}
	return ""
}

// Finished reports whether a rollout of a task has a result.
func (r *Rollouts) Finished(t envs.Task, stepLimit, rollout int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	task, ok := r.tasks[taskKey(t)]
	return ok && r.final[r.planned(task, stepLimit, rollout)]
}

// Results counts the episodes with a result.
func (r *Rollouts) Results() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, final := range r.final {
		if final {
			n++
		}
	}
	return n
}

func (r *Rollouts) addTask(t envs.Task) (int, error) {
	for i := range r.manifest.Groups {
		g := &r.manifest.Groups[i]
		id, err := record.EpisodeID(episode.Behaviour, t, g.Condition)
		if err != nil {
			return 0, err
		}
		g.Episodes = append(g.Episodes, id)
	}
	env := r.environment()
	env.Tasks = append(env.Tasks, t)
	r.tasks[taskKey(t)] = len(env.Tasks) - 1
	r.version++
	return len(env.Tasks) - 1, nil
}

func (r *Rollouts) addGroup(stepLimit, seed int) error {
	c := r.base
	c.StepLimit, c.Seed = stepLimit, int64(seed)
	ids, err := record.EpisodeIDs(episode.Behaviour, r.environment().Tasks, c)
	if err != nil {
		return err
	}
	r.manifest.Groups = append(r.manifest.Groups, record.Group{Condition: c, Episodes: ids})
	r.groups[stepLimit] = append(r.groups[stepLimit], len(r.manifest.Groups)-1)
	r.version++
	return nil
}

// flush writes the manifest unless the disk has that version or a later one.
// Attempts that come meanwhile share the next write.
func (r *Rollouts) flush(version int) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if r.saved >= version {
		return nil
	}
	r.mu.Lock()
	m, latest := r.manifest, r.version
	// Lists only grow: what is in a copy of their heads does not change.
	m.Environments, m.Groups, m.Sessions = slices.Clone(m.Environments), slices.Clone(m.Groups),
		slices.Clone(m.Sessions)
	r.mu.Unlock()
	if err := r.store.SetManifest(&m); err != nil {
		return err
	}
	r.saved = latest
	return nil
}

// TakeWarnings returns what the file system does not guarantee.
func (r *Rollouts) TakeWarnings() []string { return r.store.TakeWarnings() }

// Close notes the end of the session and closes the directory.
func (r *Rollouts) Close() error {
	r.mu.Lock()
	r.manifest.Sessions[len(r.manifest.Sessions)-1].Ended = new(r.now().UTC())
	r.version++
	version := r.version
	r.mu.Unlock()
	return errors.Join(r.flush(version), r.store.Close())
}
