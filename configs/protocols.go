package configs

import (
	"maps"
	"slices"
	"strings"
)

// agentBench is AgentBench v0.2's house-holding.
func agentBench(p *Preset) {
	p.Agent.Form = Chat
	p.Agent.Shots.Intro = "{text:example}"
	p.Agent.Filter = Filter{Segments: 3500, Notice: "{text:omitted-before}{omitted}{text:omitted-after}"}
	p.ActionsShown.Older = " "
	p.Stop.SameReply = 3
	houseHolding(p)
	p.Reply.Normalise = []string{"nearest-bleu:0.01"}
}

// houseHolding is what both versions of AgentBench's house-holding have.
func houseHolding(p *Preset) {
	p.ActionsShown.Suffix = "\n"
	p.Stop.Start, p.Stop.BeforeEnd = 4, true
	p.Prompt.Handover = "{text:handover}"
}

// agentBenchFC is AgentBench FC's house-holding, by calls of a function.
func agentBenchFC(p *Preset) {
	p.Agent.Form = ToolCall
	p.Agent.Tool = Tool{Name: "take_action", Description: "{text:function}", Argument: "action",
		About: "{text:argument}", Closed: true}
	const function = "default/parameters/tools/0/function/"
	p.Texts = maps.Clone(p.Texts)
	p.Texts["function"] = SourceText{File: "configs/tasks/alfworld.yaml", Recipe: "yaml",
		Path:   function + "description",
		SHA256: "a04b6ea0b21e5dc9e140cd7f78d364f684093fd41dc7131f80216991aaadfc44"}
	p.Texts["argument"] = SourceText{File: "configs/tasks/alfworld.yaml", Recipe: "yaml",
		Path:   function + "parameters/properties/action/description",
		SHA256: "b9313fd2f0bc70b234da9a3832853dd97b8455f58cca610d0335253e8b3f30cc"}
	houseHolding(p)
	p.Reply.Normalise = []string{"first-line", "lower", "nearest-bleu:0.01"}
	p.Stop.SameRead = 3
	p.Env.Default = []string{"official"}
	p.list().Partial = p.Env.Part == "official"
}

// agentBoard is AgentBoard's act-only agent.
func agentBoard(p *Preset) {
	p.Agent.Form = Act
	if p.Env.Name != "" && p.Env.Name != "pddl" {
		p.Prompt.MoreHelp = "inventory"
	}
	switch p.Env.Name {
	case "alfworld":
		p.Prompt.History = KeptALFWorld
	case "jericho":
		p.Prompt.History, p.Prompt.Untold = KeptJericho, "{text:untold}"
	}
}

// agentBoardOpen is the same agent for models that continue a text, each by its chat template.
func agentBoardOpen(p *Preset) {
	agentBoard(p)
	p.Agent.Added, p.Agent.Wraps = "{text:added}", nil
	for _, model := range []string{"codellama-13b", "codellama-34b", "llama", "lemur", "vicuna", "deepseek",
		"mistral"} {
		p.Agent.Wraps = append(p.Agent.Wraps, Wrap{Model: model, Text: "{text:" + model + "}",
			Unescape: model == "vicuna"})
	}
}

// eto is ETO's eval_agent.
func eto(p *Preset) {
	p.Agent.Form = Chat
	p.Observation.Prefix = "Observation: "
	p.Decoding.Template = "that of the model's path name"
}

// etoSciWorld is ETO's ScienceWorld.
func etoSciWorld(p *Preset) {
	eto(p)
	p.Env.Limit.ByType = map[string]int{
		"measure-melting-point-known-substance": 120, "boil": 100, "melt": 80, "freeze": 80,
		"change-the-state-of-matter-of": 80, "grow-fruit": 60, "chemistry-mix": 60, "use-thermometer": 30,
		"power-component-renewable-vs-nonrenewable-energy": 30, "test-conductivity": 30,
		"test-conductivity-of-unknown-substances": 30, "grow-plant": 30, "chemistry-mix-paint-tertiary-color": 30,
		"identify-life-stages-1": 30, "identify-life-stages-2": 30, "power-component": 20, "find-animal": 15,
		"find-living-thing": 15, "find-non-living-thing": 15, "find-plant": 15,
		"chemistry-mix-paint-secondary-color": 15, "lifespan-longest-lived-then-shortest-lived": 12,
		"lifespan-longest-lived": 10, "lifespan-shortest-lived": 10,
	}
	p.Metric.Exact, p.Metric.FormatErrorResets, p.Metric.Loose = true, true, "done"
	if p.Env.Part == "unseen" {
		p.Env.Tasks.FirstOfType = 10
		p.Env.Tasks.SkipTypes = []string{"measure-melting-point-unknown-substance", "inclined-plane-determine-angle",
			"inclined-plane-friction-named-surfaces", "inclined-plane-friction-unnamed-surfaces",
			"mendelian-genetics-known-plant", "mendelian-genetics-unknown-plant"}
	}
}

// agentGym is AgentGym's, whose lists of tasks are AgentEval's.
func agentGym(p *Preset) {
	p.Agent.Form = Chat
	p.list().DataSet = "AgentGym/AgentEval"
	p.Metric.FormatErrorResets = p.Env.Name == "babyai"
}

// agentTuning is AgentTuning's ScienceWorld.
func agentTuning(p *Preset) {
	p.Agent.Form = React
	p.Stop.InvalidRunning = 10
}

// gigpo is verl-agent's ALFWorld. In a part sampled-N, the seed N draws games.
func gigpo(p *Preset) {
	p.Agent.Form = Single
	p.ActionsShown.Item, p.ActionsShown.Exclude = "'{action}'", []string{"help"}
	if names := p.PartNames(); slices.Contains(names, "seen") && slices.Contains(names, "unseen") {
		p.Env.Default = []string{"seen", "unseen"} // not the drawn parts
	}
	if strings.HasPrefix(p.Env.Part, "sampled-") {
		p.Env.Tasks.Draws, p.Env.Tasks.DrawSeed = p.Env.Tasks.Count, int64(p.series())
	}
}

// rlvmr is RLVMR's and EPO's ScienceWorld.
func rlvmr(p *Preset) {
	p.Agent.Form = Single
	p.Env.Tasks.Sample = p.Env.Tasks.Count
	p.list().Key = "test"
	p.Metric.Loose = "done-and-positive"
}

// reactCompletion is ReAct's ALFWorld, a text that a base model continues.
func reactCompletion(p *Preset) {
	reactChat(p)
	p.Agent.Form = Completion
}

// reactChat is the same text as one message to a chat model.
func reactChat(p *Preset) {
	p.Agent.Form, p.Agent.Thoughts = Text, "sent"
	p.Agent.Shots.Order = []int{1, 0}
	p.Prompt.Handover = "{text:handover}"
}

// reactHotpotQA is ReAct's HotpotQA.
func reactHotpotQA(p *Preset) {
	p.Agent.Form = Completion
	p.Observation.Remove, p.Observation.Prefix = `\n`, "Observation {turn}: "
	p.Prompt.Key = "webthink_simple6"
}

// reflexion is Reflexion's ALFWorld, with plans from earlier trials.
func reflexion(p *Preset) {
	reactChat(p)
	p.Agent.CueFollows = true
	p.Agent.Memory = MemoryForm{Intro: "{text:memory}", Item: "{text:plan-before}{number}{text:plan-after}{plan}"}
	p.Agent.Reflection = ReflectionForm{
		Intro: "{text:reflect}{text:failed-trials}\n\n", Middle: "\n\nSTATUS: FAIL", End: "{text:new-plan}",
		Plans: MemoryForm{Intro: "{text:plans}", Item: "Trial #{number}: {plan}\n"},
		Decoding: PresetDecoding{Decoding: Decoding{TopP: 1, MaxTokens: 256,
			Extra: map[string]any{"frequency_penalty": 0, "presence_penalty": 0}}},
	}
	p.Reply.Retry = Retry{Short: 5, Calls: 6, Warmer: 0.2}
	p.Stop.SameAction, p.Stop.EmptyAction = 2, true
}

// talesSeeds is what TALES' seeds have before their number.
const talesSeeds = 202411060

// tales is TALES' agent, with so many pairs of its history as the preset says. A part seed-N, seen-N or unseen-N
// is played with the Nth seed.
func tales(p *Preset) {
	p.Agent.Form, p.Agent.History = Chat, "{reply}\n"
	if p.Agent.Pairs > 0 {
		p.Agent.Notice = "{text:left-before}{pairs}{text:left-after}"
	}
	p.Observation.Suffix = "\n> "
	p.Decoding.Seed = 20241001
	p.Env.Limit.Restart = true
	if p.Env.Name == "jericho" { // of which the seed is a setting
		p.Env.Tasks.Partial = true
	} else if n := p.series(); n > 0 {
		p.Env.Tasks.BySeed, p.Env.Tasks.ByName = talesSeeds+n, p.Env.Name == "alfworld"
	}
}

// talesJoined is TALES' agent without a conversation.
func talesJoined(p *Preset) {
	tales(p)
	p.Agent.Joined = true
}

// talesLimit is TALES' agent with three pairs of its history.
func talesLimit(p *Preset) {
	p.Agent.Pairs = 3
	tales(p)
}

// talesNewer is TALES' agent with a newer client, which loses all but the last step.
func talesNewer(p *Preset) {
	tales(p)
	p.Agent.Pairs, p.Agent.Notice = 1, ""
}

// talesReact is TALES' agent that thinks before each action.
func talesReact(p *Preset) {
	tales(p)
	p.Agent.Think = Think{Ask: "{text:question}", Action: "{text:answer}", MaxTokens: 1024}
}

// talesReasoning is TALES' agent for models that reason.
func talesReasoning(p *Preset) {
	tales(p)
	p.Decoding.MaxTokens = 1024
	p.Reply.Retry = Retry{Empty: true, Calls: 10}
	p.Reply.Thinks = Thinks{Models: []string{"Qwen3", "DeepSeek-R1"}, Until: "</think>"}
	p.Reply.Blank = "(empty)"
}
