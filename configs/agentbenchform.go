package configs

import "maps"

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
