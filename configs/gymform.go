package configs

import (
	"slices"
	"strings"
)

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
