package configs

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
