package configs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// protocolForm is a form of agents that one protocol alone has: what forms.yaml says of it, as the JSON of a preset.
type protocolForm struct {
	Base  string                    `yaml:"base"`
	Rules map[string]any            `yaml:"rules"`
	Parts map[string]map[string]any `yaml:"parts"`
}

// protocolForms are all of them by name and version.
var protocolForms = sync.OnceValue(func() (forms map[string]protocolForm) {
	if err := embedded("forms.yaml", &forms); err != nil {
		panic(err) // it is ours, and tests read it
	}
	return forms
})

// ownRules are the rules of forms that depend on what the preset says. They follow the rules of forms.yaml.
var ownRules = map[string]func(*Preset){
	"agentbench-fc@1": agentBenchFC,
	"agentboard@1":    agentBoard,
	"agentgym@1":      agentGym,
	"gigpo@1":         gigpo,
	"rlvmr@1":         rlvmr,
	"tales@1":         tales,
}

// ProtocolForms lists the forms that one protocol alone has, sorted.
func ProtocolForms() []string { return slices.Sorted(maps.Keys(protocolForms())) }

// fill completes a preset by the rules of the protocol that its agent's form names.
func (p *Preset) fill() error {
	if p.Agent.Form == ToolCall {
		p.Agent.Tool = Tool{Name: "act", Argument: "action"}
	}
	if slices.Contains(AgentForms(), p.Agent.Form) {
		return nil
	}
	if _, ok := protocolForms()[p.Agent.Form]; !ok {
		return fmt.Errorf("agent.form is %.50q, want one of %s, or the form of a protocol: %s", p.Agent.Form,
			strings.Join(AgentForms(), ", "), strings.Join(ProtocolForms(), ", "))
	}
	p.Protocol = p.Agent.Form
	return p.follow(p.Protocol)
}

// follow sets what a form of one protocol says.
func (p *Preset) follow(name string) error {
	form := protocolForms()[name]
	if form.Base != "" {
		if err := p.follow(form.Base); err != nil {
			return err
		}
	}
	p.Texts, p.Env.Limit.ByType = maps.Clone(p.Texts), maps.Clone(p.Env.Limit.ByType) // the whole shares them
	for _, rules := range []map[string]any{form.Rules, form.Parts[p.Env.Part]} {
		b, err := json.Marshal(rules)
		if err == nil {
			err = json.Unmarshal(b, p)
		}
		if err != nil {
			return fmt.Errorf("the form %s: %w", name, err)
		}
	}
	if own := ownRules[name]; own != nil {
		own(p)
	}
	return nil
}

// hashedProtocol is the protocol's form as hashes have it. Those of version 1 are left out, as
// in records from before there were forms: their rules stand in the hash.
func (p *Preset) hashedProtocol() string {
	if strings.HasSuffix(p.Protocol, "@1") {
		return ""
	}
	return p.Protocol
}

// formsWith lists the forms that shipped presets have a rule of that name from.
func formsWith(rule string) (forms []string) {
	parts, _ := PresetParts() // of our own files, which tests read
	for _, p := range parts {
		canonical, _ := p.Canonical()
		fields := map[string]string{}
		_ = flatten("", canonical, fields)
		exists := slices.ContainsFunc(slices.Collect(maps.Keys(fields)), func(path string) bool {
			return slices.Contains(strings.Split(path, "."), rule)
		})
		if exists && p.Protocol != "" && !slices.Contains(forms, p.Protocol) {
			forms = append(forms, p.Protocol)
		}
	}
	return forms
}

// series is the number at the end of a part's name, such as 3 of seed-3; 0 for others.
func (p *Preset) series() int {
	_, number, _ := strings.Cut(p.Env.Part, "-")
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return n
}

// list is the list of the preset's tasks, to be completed.
func (p *Preset) list() *PresetList {
	var l PresetList
	if p.Env.Tasks.List != nil {
		l = *p.Env.Tasks.List
		p.Env.Tasks.List = &l
	}
	return &l
}

// agentBenchFC is AgentBench FC's: the seen games are not played unless they are named.
func agentBenchFC(p *Preset) {
	p.Env.Default = []string{"official"}
	p.list().Partial = p.Env.Part == "official"
}

// agentBoard has a second help action and a history of their own in most environments.
func agentBoard(p *Preset) {
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

// agentGym has AgentEval's lists of tasks.
func agentGym(p *Preset) {
	p.list().DataSet = "AgentGym/AgentEval"
	p.Metric.FormatErrorResets = p.Env.Name == "babyai"
}

// gigpo draws games in a part sampled-N, by the seed N.
func gigpo(p *Preset) {
	if names := p.PartNames(); slices.Contains(names, "seen") && slices.Contains(names, "unseen") {
		p.Env.Default = []string{"seen", "unseen"} // not the drawn parts
	}
	if strings.HasPrefix(p.Env.Part, "sampled-") {
		p.Env.Tasks.Draws, p.Env.Tasks.DrawSeed = p.Env.Tasks.Count, int64(p.series())
	}
}

func rlvmr(p *Preset) {
	p.Env.Tasks.Sample = p.Env.Tasks.Count
	p.list().Key = "test"
}

// talesSeeds is what TALES' seeds have before their number.
const talesSeeds = 202411060

// tales plays a part seed-N, seen-N or unseen-N with the Nth seed.
func tales(p *Preset) {
	if p.Agent.Pairs > 0 {
		p.Agent.Notice = "{text:left-before}{pairs}{text:left-after}"
	}
	if p.Env.Name == "jericho" { // of which the seed is a setting
		p.Env.Tasks.Partial = true
	} else if n := p.series(); n > 0 {
		p.Env.Tasks.BySeed, p.Env.Tasks.ByName = talesSeeds+n, p.Env.Name == "alfworld"
	}
}
