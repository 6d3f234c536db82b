package configs

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
