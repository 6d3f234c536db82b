// Package jericho is AgentBoard's environment of text adventures, Jericho's games on a Z-machine of our own,
// answered byte for byte as the reference answers. Where the reference lists valid actions in an order that changes
// from run to run, ours is fixed.
package jericho

import (
	"errors"
	"fmt"
	"strings"

	"heldout/envs"
	"heldout/envs/agentboard"
)

// Name is the environment's name.
const Name = "jericho"

// stepLimit is the largest number of steps in the published configuration.
const stepLimit = 30

// Which texts the game huntdark starts with.
const (
	// HuntdarkUpstream are the benchmark's texts: it looks for them under a wrong name, and reports no error.
	HuntdarkUpstream = "upstream"
	// HuntdarkFixed are the intended texts.
	HuntdarkFixed = "fixed"
)

// The values of Options.Variant.
const (
	// AgentBoard is the benchmark's layer: a goal, sub-goals and a help command.
	AgentBoard = "agentboard"
	// Jericho is the games with Jericho's own texts and scores.
	Jericho = "jericho"
)

// Options say which games are played and how.
type Options struct {
	// Variant is AgentBoard, also when empty, or Jericho.
	Variant string
	// Data is the folder with the official data, laid out as AgentBoard's data
	// folder; empty for the game of our own.
	Data string
	// GeneratorSeed starts the random numbers of our own game.
	GeneratorSeed int64
	// Story is a story file to play instead.
	Story string
	// Seed starts the random numbers of Story, or of all games of the variant
	// Jericho; 0 for the known seed of the game.
	Seed int
	// Raw shows what Story shows without cleaning, and passes every action on as it is.
	Raw bool
	// Bindings is a file with Jericho's templates and walkthroughs: its game_info.py, or JSON of the same content;
	// empty for templates derived from the stories.
	Bindings string
	// Huntdark is HuntdarkUpstream, also when empty, or HuntdarkFixed.
	Huntdark string
}

// Configured returns the options for settings.
func Configured(s envs.Settings) Options {
	return Options{Variant: s["variant"], Seed: s.Number("game-seed"), Bindings: s["jericho-bindings"],
		Huntdark: s["huntdark"]}
}

// Env implements envs.Env.
type Env struct {
	envs.Roster
	plays []*play // by task index
}

// New sets up the environment.
func New(o Options) (*Env, error) {
	if o.Huntdark != "" && o.Huntdark != HuntdarkUpstream && o.Huntdark != HuntdarkFixed {
		return nil, fmt.Errorf("jericho: huntdark is %q, want %s or %s", o.Huntdark, HuntdarkUpstream, HuntdarkFixed)
	}
	if o.Story == "" && o.Raw {
		return nil, errors.New("jericho: only a story file given by name can be shown raw")
	}
	binds := bindings{}
	if o.Bindings != "" {
		var err error
		if binds, err = readBindings(o.Bindings); err != nil {
			return nil, err
		}
	}
	switch {
	case o.Variant != "" && o.Variant != AgentBoard && o.Variant != Jericho:
		return nil, fmt.Errorf("jericho: variant is %q, want %s or %s", o.Variant, AgentBoard, Jericho)
	case o.Variant != Jericho && o.Story == "" && o.Seed != 0:
		return nil, fmt.Errorf("jericho: game-seed is for the variant %s; AgentBoard's games have known seeds", Jericho)
	case o.Story != "":
		return newStory(o, binds)
	case o.Data != "" && o.Variant == Jericho:
		return newPlain(o, binds)
	case o.Data != "":
		return newOfficial(o, binds)
	default:
		return newOwn(o), nil
	}
}

// add puts a game at the end of the benchmark.
func (e *Env) add(p *play, id string, difficulty envs.Difficulty, texts ...string) {
	e.Add(envs.Task{
		ID: id, Type: p.game.Name, Difficulty: difficulty,
		Digest: envs.Digest(append(texts, string(difficulty))...),
	})
	e.plays = append(e.plays, p)
}

func newEnv(src envs.Source) *Env {
	return &Env{Roster: envs.Roster{About: envs.Info{Name: Name, Source: src, StepLimit: stepLimit}}}
}

// NewWorld implements envs.Env.
func (e *Env) NewWorld(t envs.Task) (envs.World, error) {
	if err := e.Verify(t); err != nil {
		return nil, err
	}
	w := newWorld(e.plays[t.Index])
	if w.play.plain {
		return scored{w}, nil
	}
	return w, nil
}

// SameObservation implements envs.Comparer. Which actions the reference lists,
// and in which order, depends on a neural network and on hashing; for two such
// lists, only the form is compared. Everything else is compared exactly.
func (e *Env) SameObservation(action, recorded, ours string) bool {
	if asksForHelp(agentboard.JerichoAction(action)) {
		return isHelp(recorded) && isHelp(ours)
	}
	return recorded == ours
}

func isHelp(observation string) bool {
	return strings.HasPrefix(observation, helpPrefix) && strings.HasSuffix(observation, helpAction)
}
