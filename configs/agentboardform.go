package configs

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
