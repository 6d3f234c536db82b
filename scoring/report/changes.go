package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/scoring/agentboard"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// departed says what of the default protocol the runs changed, each change with where it is
// not made everywhere. Presets list their own changes.
func (r *Report) departed() (out []string) {
	places := map[string][]string{}
	var titles []string
	for _, of := range r.plain {
		titles = appendNew(titles, of.claimPlace().Title)
		for _, change := range of.changes() {
			if places[change] == nil {
				out = append(out, change)
			}
			places[change] = appendNew(places[change], of.claimPlace().Title)
		}
	}
	for i, change := range out {
		if subset := places[change]; len(subset) < len(titles) {
			out[i] += " on " + table.List(subset)
		}
	}
	return out
}

// ownFacts are settings that environments record of themselves and nobody chose.
var ownFacts = []string{"labels", "generator-seed", "jar-sha256", "version", "hash", "return", "progress"}

// changes lists what a row's condition has changed of the default protocol.
func (r row) changes() (out []string) {
	c := r.Condition
	if c.Preset != nil {
		return c.Preset.Changes
	}
	if c.StepLimit != r.Environment.StepLimit {
		out = append(out, fmt.Sprintf("at most %s, not %d", table.Counted(c.StepLimit, "step"),
			r.Environment.StepLimit))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		if value := c.Settings[name]; !slices.Contains(ownFacts, name) && !strings.HasPrefix(value, "native ") {
			out = append(out, name+" "+value)
		}
	}
	if c.Decoding == nil {
		return out
	}
	if c.Agent != configs.React {
		out = append(out, "agent "+c.Agent)
	}
	if text := r.otherPrompt(); text != "" {
		out = append(out, text)
	}
	standard := configs.DefaultRun()
	standard.Agent = c.Agent
	usual := standard.AgentDecoding()
	if c.Decoding.TopP != usual.TopP {
		out = append(out, fmt.Sprintf("top-p %g", c.Decoding.TopP))
	}
	if c.Decoding.MaxTokens != usual.MaxTokens {
		out = append(out, fmt.Sprintf("max-tokens %d", c.Decoding.MaxTokens))
	}
	if !slices.Equal(c.Decoding.Stop, usual.Stop) {
		text := "no stop strings"
		if len(c.Decoding.Stop) > 0 {
			text = fmt.Sprintf("stop strings %q", []string(c.Decoding.Stop))
		}
		out = append(out, text)
	}
	if len(c.Decoding.Extra) > 0 {
		out = append(out, "extra-body "+compact(c.Decoding.Extra))
	}
	for _, option := range []struct {
		set  bool
		text string
	}{{c.NoSystemRole, "no system role"}, {c.Completions, "completions"},
		{c.Context > 0, fmt.Sprintf("context %d", c.Context)},
		{c.HistoryShare > 0, fmt.Sprintf("history share %d%%", c.HistoryShare)}} {
		if option.set {
			out = append(out, option.text)
		}
	}
	return out
}

// otherPrompt names a prompt that is not the default one; empty for that, and if nothing is
// known of it.
func (r row) otherPrompt() string {
	usual := configs.PromptVersions()[0]
	if p := r.promptFile; p.SHA256 != "" {
		version := cmp.Or(p.Version, "v1")
		switch {
		case p.File != record.BuiltIn:
			return "prompt " + p.File
		case version != usual:
			return "prompt " + version
		}
		return ""
	}
	for _, version := range configs.PromptVersions() {
		own, err := configs.LoadPrompt(r.Condition.Env, version)
		if err != nil {
			continue
		}
		if hash, err := own.Hash(); err == nil && hash == r.Condition.PromptHash && version != usual {
			return "prompt " + version
		}
	}
	return ""
}

// protocols names the protocols of the rows, with what is changed.
func (r *Report) protocols() string {
	text := r.protocolNames()
	if changes := r.changes(); len(changes) > 0 {
		text += ", changed: " + strings.Join(changes, ", ")
	}
	return text
}

// protocolNames names the protocols of the rows; logs of AgentBoard do not state theirs.
func (r *Report) protocolNames() string {
	var names []string
	for _, of := range r.plain {
		name := "default protocol"
		if p := of.Condition.Preset; p != nil {
			name = "preset " + p.Label()
		}
		if of.Condition.Agent == agentboard.Agent {
			name = "unstated protocol"
		}
		names = appendNew(names, name)
	}
	return table.List(names)
}
