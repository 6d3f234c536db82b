// Package alfworld is ALFWorld's household games played in text, with AgentBoard's layer around them, answered byte
// for byte as the references answer.
//
// A game is a PDDL problem over the rules in domain.pddl. Package planning grounds it and finds the expert's plans.
// This package finds the games and supplies the names of things and actions and all text about them.
package alfworld

import (
	_ "embed"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"heldout/envs"
	"heldout/envs/engine/planning"
)

// Name is the environment's name.
const Name = "alfworld"

// stepLimit is the number of steps in the published configuration.
const stepLimit = 30

// The variants: whose layer lies around the games.
const (
	AgentBoard = "agentboard"
	// ALFWorld has no layer: the texts and commands are the games' own.
	ALFWorld = "alfworld"
)

// Options configure the environment. The zero value matches published results.
type Options struct {
	// Variant is AgentBoard (also when empty) or ALFWorld.
	Variant string
	// Split is the set of official games: "valid_unseen" (also when empty), "valid_seen", "valid_train" or "train".
	Split string
	// Dialect is the dialect of the games: "v1" (also when empty), "v2", or
	// "file" for the dialect of each game's file.
	Dialect string
	// StepLimitReward counts the reference engine's own limit of 50 commands, when it is reached without success,
	// as progress 1, as the reference does. It matters only if more than 50 steps are allowed.
	StepLimitReward bool
	// Partial takes an incomplete folder of official games as it is, without those that cannot be
	// read: any of them can be played, but no rate of them is the benchmark's.
	Partial bool
	// ExpertKnows is what the expert knows: "all" (also when empty), or "shown", so that it
	// searches for what it has not been shown.
	ExpertKnows string
}

// Configured returns the options for settings.
func Configured(s envs.Settings) Options {
	return Options{Variant: s["variant"], Split: s["split"], Dialect: s["dialect"],
		StepLimitReward: s.On("step-limit-reward"), ExpertKnows: s["expert-knows"]}
}

// Splits are the sets of official games.
func Splits() []string { return []string{"valid_unseen", "valid_seen", "valid_train", trainSplit} }

// trainSplit is the only split that no benchmark tests with.
const trainSplit = "train"

// note records the settings with which published results were not made.
func (e *Env) note(o Options) {
	standard := []string{"", AgentBoard, Splits()[0], "v1", "false", knowsAll}
	for name, value := range map[string]string{"variant": o.Variant, "split": o.Split, "dialect": o.Dialect,
		"step-limit-reward": strconv.FormatBool(o.StepLimitReward), "expert-knows": o.ExpertKnows} {
		if !slices.Contains(standard, value) {
			e.Set(name, value)
		}
	}
}

// caveat says why results do not compare with published ones, if they do not.
func (o Options) caveat() string {
	switch {
	case o.Split != "" && o.Split != Splits()[0]:
		return "published results use the games of " + Splits()[0]
	case o.Dialect != "" && o.Dialect != "v1":
		return "published results use games that speak dialect v1"
	}
	return ""
}

// speech returns the dialect to play in; file is the dialect of a game's file.
func (o Options) speech(file dialect) (dialect, error) {
	switch o.Dialect {
	case "", "v1":
		return classic, nil
	case "v2":
		return modern, nil
	case "file":
		return file, nil
	default:
		return dialect{}, fmt.Errorf("alfworld: unknown dialect %q; there are v1, v2 and file", o.Dialect)
	}
}

// Env implements envs.Env.
type Env struct {
	envs.Roster
	domain *planning.Domain
	games  []gameSource // by task index
	// folder has the official games, found the games in it that are not tasks; see Task.
	folder  string
	options Options
	// unmarked are the game files that do not say whether they are solvable.
	unmarked []string
	mixed    bool // the files are in several dialects

	mu     sync.Mutex
	found  map[string]playable
	loaded map[string]func() (*loading, error) // by task; each works once
	order  []string                            // of loading
	// slots has a place for every game that may be grounded at one time. More
	// slots than processors would only delay every game.
	slots chan struct{}
}

// maxLoaded is the number of games that stay loaded: a whole evaluation split. A game takes about a megabyte.
const maxLoaded = 256

// gameSource is what a game is made from when it is first played.
type gameSource struct {
	id       string
	problem  string // in PDDL
	goal     string
	subgoals []string
	dialect  dialect
}

// domainText is our own writing of the rules.
//
//go:embed domain.pddl
var domainText string

func newEnv(src envs.Source, o Options) (*Env, error) {
	if !slices.Contains([]string{"", AgentBoard, ALFWorld}, o.Variant) {
		return nil, fmt.Errorf("alfworld: unknown variant %q; there are %s and %s", o.Variant, AgentBoard, ALFWorld)
	}
	domain, _ := planning.ParseDomain("domain.pddl", domainText) // it is ours, and tests read it
	e := &Env{
		domain: domain, options: o, found: map[string]playable{}, loaded: map[string]func() (*loading, error){},
		slots:  make(chan struct{}, runtime.GOMAXPROCS(0)),
		Roster: envs.Roster{About: envs.Info{Name: Name, Source: src, StepLimit: stepLimit}},
	}
	if o.Variant == ALFWorld {
		e.About.Unlayered = "published results use AgentBoard's layer"
	} else {
		e.About.Caveat = o.caveat()
	}
	e.note(o)
	return e, nil
}

func (e *Env) add(g playable) {
	e.Add(g.task)
	e.games = append(e.games, g.gameSource)
}

// playable is a task with what it is made from.
type playable struct {
	task envs.Task
	gameSource
}

// newTask completes a task outside the benchmark, and its source.
func newTask(t envs.Task, s gameSource, l gameLabel) playable {
	t.Index, t.Difficulty = -1, l.difficulty
	t.Digest = envs.Digest(append([]string{s.problem, s.goal, fmt.Sprintf("%v", s.dialect), string(l.difficulty)},
		l.subgoals...)...)
	s.id, s.subgoals = t.ID, inDialect(l.subgoals, s.dialect)
	return playable{t, s}
}

func (s gameSource) read(domain *planning.Domain) (*reading, error) {
	p, err := planning.ParseProblem(s.id, s.problem, domain)
	if err != nil {
		return nil, err
	}
	r, err := readGame(p, s.goal)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.id, err)
	}
	return r, nil
}

func (s gameSource) finish(r *reading) (*rules, error) {
	g, err := r.ground(s.dialect)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.id, err)
	}
	out := &rules{game: g}
	for _, text := range s.subgoals {
		sub, err := newSubgoal(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.id, err)
		}
		out.subgoals = append(out.subgoals, sub)
	}
	return out, nil
}

// loading is a game that is read and is being grounded: its worlds can start.
type loading struct {
	goal, room string
	rules      func() (*rules, error) // waits until it is grounded
}

// load reads a game and grounds it in the background, so that an episode's first model call does not wait for
// grounding. A game is grounded once, regardless of how many worlds need it. The number of slots limits how many
// games are grounded at a time.
func (e *Env) load(s gameSource) (*loading, error) {
	read, err := s.read(e.domain)
	if err != nil {
		return nil, err
	}
	l := &loading{goal: read.game.goal, room: read.game.room}
	l.rules = sync.OnceValues(func() (*rules, error) {
		e.slots <- struct{}{}
		defer func() { <-e.slots }()
		return s.finish(read)
	})
	go func() {
		defer func() { _ = recover() }() // the caller that plays the game meets the panic again
		_, _ = l.rules()                 // and the error
	}()
	return l, nil
}

// ready returns a game that can make worlds. The last maxLoaded ones stay loaded.
func (e *Env) ready(s gameSource) (*loading, error) {
	e.mu.Lock()
	load, ok := e.loaded[s.id]
	if !ok {
		load = sync.OnceValues(func() (*loading, error) { return e.load(s) })
		e.loaded[s.id] = load
		if e.order = append(e.order, s.id); len(e.order) > maxLoaded {
			delete(e.loaded, e.order[0])
			e.order = e.order[1:]
		}
	}
	e.mu.Unlock()
	return load()
}

// NewWorld implements envs.Env. It does not wait until the game is grounded. If a game is unsolvable or too large,
// the first call that needs the ground game returns the error.
func (e *Env) NewWorld(t envs.Task) (envs.World, error) {
	var src gameSource
	if unknown := e.Verify(t); unknown == nil {
		src = e.games[t.Index]
	} else if g, err := e.outside(t.ID); err == nil && g.task == t {
		src = g.gameSource
	} else {
		return nil, unknown
	}
	l, err := e.ready(src)
	if err != nil {
		return nil, err
	}
	w := newWorld(l)
	w.bare, w.limitPays = e.options.Variant == ALFWorld, e.options.StepLimitReward
	if e.options.ExpertKnows == knowsShown {
		w.search = &memory{}
	}
	return w, nil
}
