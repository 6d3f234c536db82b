package episode

import (
	"cmp"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/agent"
	"heldout/eval/fleet"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// The players without a model.
const (
	Expert = record.Expert
	Random = "random"
	// Erring is an expert that errs on purpose, and recovers.
	Erring = "expert-errs"
	// Memoriser and Reciter know an expert's episode by heart.
	Memoriser = record.Memoriser
	Reciter   = record.Reciter
)

// Baselines are the players without a model.
func Baselines() []string { return []string{Expert, Erring, Memoriser, Random, Reciter} }

// Anchors are the players that say what a number under perturbations means: expert is the
// reader, which loses nothing, the memoriser loses all where other actions are needed,
// the reciter where other texts are read, and random is right by luck.
func Anchors() []string { return []string{Expert, Memoriser, Reciter, Random} }

// NoPerturbation is the perturbation of episodes that have none.
const NoPerturbation = "none"

// Player is a model with its agent, or a baseline without a model.
type Player struct {
	// Name is one of Baselines, or a provider and model such as "vllm:NAME".
	Name string
	// Agent is one of configs.Agents, or the form of a preset, for a served model, otherwise the name.
	Agent string
	// Model is nil for baselines and programs.
	Model model.Model
	// Program is an agent of the user's; nil for all other players.
	Program *agent.Program
	// Decoding is how the model is sampled.
	Decoding record.Decoding
	// NoSystemRole puts the system message into the first user message.
	NoSystemRole bool
	// Completions: the model continues a text rather than a chat.
	Completions bool
	// ContextOption is the context in tokens that the user asked for, 0 to use the
	// value that the server reports. ContextLimit is the limit in force.
	ContextOption, ContextLimit int
	// HistoryShare is the percentage of the turns that stays when the context is full; 0 for as many as fit.
	HistoryShare int
	// Trials says how the player plays a task again after a failure; nil if it does not.
	Trials *Trials
	// Identity says more of the player if the model is an agent from outside heldout; nil if nothing is known.
	Identity *record.Identity
	// Order is as in record.Condition.
	Order string
	// Anchor: nobody asked for the player, and it plays beside those that were asked for.
	// Random does so without a perturbation only.
	Anchor bool
}

// Adviser knows what helps against symptoms of the player's model.
func (p *Player) Adviser() model.Adviser {
	a := model.Adviser{Decoding: p.Decoding, Shows: "heldout doctor --show prints them: ",
		Own: p.Program != nil}
	if f, ok := p.Model.(*fleet.Fleet); ok {
		a.Kind = f.Clients()[0].Kind()
	}
	return a
}

// Benchmark is an environment with the tasks and settings to play.
type Benchmark struct {
	Env   envs.Env
	Tasks []envs.Task // a selection of Env.Tasks
	// Caveat says what of the tasks' files does not compare with published results, in addition to Env's own.
	Caveat string
	// StepLimit is the largest number of steps.
	StepLimit int
	// Prompt is the prompt for models; PromptHash is its SHA-256 in hex.
	Prompt     configs.Prompt
	PromptHash string
	// Preset is what is played. Named is how records name it; nil for heldout's default, which they do not name.
	Preset configs.Preset
	Named  *record.Preset
	// Perturbation is the perturbation around Env; empty for none. PerturbationHash identifies its rules.
	Perturbation, PerturbationHash string
	// Unperturbed is the benchmark without the perturbation; nil if there is none.
	Unperturbed *Benchmark
	// Replacements maps a player's name to the player that replaces it if the perturbation changes the model. A
	// player that is not in the map does not play. Nil means that every player plays.
	Replacements map[string]*Player
}

// Condition is how a player plays the benchmark with a seed; info describes Env.
func (b *Benchmark) Condition(info envs.Info, p *Player, seed int64) record.Condition {
	c := record.Condition{
		Env: info.Name, Source: info.Source, Settings: info.Settings,
		Model: p.Name, Agent: p.Agent,
		Perturbation: cmp.Or(b.Perturbation, NoPerturbation), PerturbationHash: b.PerturbationHash,
		StepLimit: b.StepLimit, Seed: seed, Preset: b.Named,
	}
	if p.Model != nil {
		c.Decoding, c.Context, c.PromptHash = &p.Decoding, p.ContextOption, b.PromptHash
		c.HistoryShare, c.NoSystemRole, c.Completions = p.HistoryShare, p.NoSystemRole, p.Completions
		c.Player = p.Identity
		if p.Trials != nil {
			c.Trials = &p.Trials.Trials
		}
	}
	if p.Agent == Reciter {
		c.PromptHash = b.PromptHash
	}
	if p.Program != nil {
		c.PromptHash, c.Player, c.Order = b.PromptHash, p.Identity, p.Order
	}
	return c
}

// Episodes are the episodes of all tasks of the benchmark under a condition of the
// player, in the order of the tasks.
func (b *Benchmark) Episodes(p *Player, c *record.Condition) ([]Episode, error) {
	ids, err := record.EpisodeIDs(Behaviour, b.Tasks, *c)
	episodes := make([]Episode, len(ids))
	for i, id := range ids {
		episodes[i] = Episode{
			ID: id, Task: &b.Tasks[i], Condition: c, Trial: min(1, c.MostTrials()-1), Benchmark: b, Player: p,
			First: id,
		}
	}
	return episodes, err
}

// Behaviour is part of every episode's identity. It goes up if heldout starts to play the same condition
// differently, for example if it parses replies in another way.
//
//	2: markup of more reasoning formats is not part of a reply; stop strings do
//	   not end reasoning
const Behaviour = 2
