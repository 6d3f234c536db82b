// Package protocol says how episodes were played, as a list of parts: what names of rows show,
// what of the default protocol is changed, and what differs between models besides themselves.
package protocol

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Part is a part of a protocol, such as the step limit.
type Part struct {
	Name, Value string
	// Usual is the value of the default protocol; empty if any value is usual.
	Usual string
	// Label is how names of rows say it, "name value" if it is empty; Unlabelled: they do not.
	Label      string
	Unlabelled bool
	// Exact tells apart what has one value, such as two versions of a file.
	Exact string
}

// String is the label.
func (p Part) String() string { return cmp.Or(p.Label, p.Name+" "+p.Value) }

// flag is a part that is there or not: a row without it has no label.
func flag(set bool, name, value, usual, label string) Part {
	if set {
		return Part{Name: name, Value: value, Usual: usual, Label: label}
	}
	return Part{Name: name, Value: usual, Usual: usual, Unlabelled: true}
}

// Labels are what names of rows say of parts.
func Labels(parts []Part) []string {
	return table.Each(table.Filter(parts, func(p Part) bool { return !p.Unlabelled }), Part.String)
}

// Player are the parts that belong to the player, the same in every environment.
func Player(c record.Condition) []Part {
	parts := []Part{{Name: "agent", Value: c.Agent}}
	if d := c.Decoding; d != nil {
		parts[0].Usual = configs.React
		standard := configs.DefaultRun()
		standard.Agent = c.Agent
		usual := standard.AgentDecoding()
		for _, n := range d.Numbers() {
			p := Part{Name: n.Name, Value: fmt.Sprint(n.Value)}
			if n.Name == "top-p" {
				p.Usual = fmt.Sprint(usual.TopP)
			}
			parts = append(parts, p)
		}
		parts = append(parts, Part{Name: "max-tokens", Value: fmt.Sprint(d.MaxTokens),
			Usual: fmt.Sprint(usual.MaxTokens)},
			Part{Name: "stop", Value: fmt.Sprintf("%q", d.Stop), Usual: fmt.Sprintf("%q", usual.Stop)},
			Part{Name: "extra-body", Value: compact(d.Extra), Usual: compact(nil)})
	}
	outside := record.Outside(c.Agent) // what its calls are like is its own
	if !outside {
		parts = append(parts, flag(c.NoSystemRole, "system role", "none", "own", "no system role"),
			flag(c.Completions, "endpoint", "completions", "chat", "completions"))
	}
	if t := c.Trials; t != nil {
		parts = append(parts, Part{Name: "trials", Value: fmt.Sprint(t.Limit),
			Label: fmt.Sprintf("%d trials", t.Limit)},
			Part{Name: "memory", Value: fmt.Sprint(t.Memory)},
			Part{Name: "same action", Value: fmt.Sprint(t.SameAction)},
			Part{Name: "same step", Value: fmt.Sprint(t.SameStep)})
	}
	if outside {
		return parts
	}
	share, context := fmt.Sprintf("%d%%", c.HistoryShare),
		Part{Name: "context", Value: "of the server", Usual: "of the server"}
	if c.Context > 0 {
		context.Value = fmt.Sprint(c.Context)
	}
	return append(parts, flag(c.HistoryShare > 0, "history share", share, "all", "history share "+share), context)
}

// Setup are the parts that belong to the environment: its step limit and its settings.
func Setup(c record.Condition, e record.Environment) []Part {
	parts := []Part{{Name: "steps", Value: fmt.Sprint(c.StepLimit), Usual: fmt.Sprint(e.StepLimit),
		Label: table.Counted(c.StepLimit, "step")}}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		p := Part{Name: name, Value: c.Settings[name]}
		if !slices.Contains(own, name) && !strings.HasPrefix(p.Value, "native ") {
			p.Usual = "without it"
		}
		parts = append(parts, p)
	}
	return parts
}

// own are settings that environments record of themselves and nobody chose: no change of the default protocol.
var own = []string{"labels", "generator-seed", "jar-sha256", "version", "hash", "return", "progress"}

// Prompt is the prompt, which the run may name; without a name it is known by its hash.
func Prompt(c record.Condition, p record.Prompt) Part {
	usual := configs.PromptVersions()[0]
	part := Part{Name: "prompt", Usual: usual, Exact: fmt.Sprintf("%.8s", c.PromptHash)}
	switch {
	case p.SHA256 == "":
		part.Value = version(c)
	case p.File == record.BuiltIn:
		part.Value = cmp.Or(p.Version, "v1")
	default:
		part.Value = p.File
	}
	return part
}

// version is the version of the built-in prompt with a condition's hash; the usual one if none has it.
func version(c record.Condition) string {
	for _, version := range configs.PromptVersions() {
		own, err := configs.LoadPrompt(c.Env, version)
		if err != nil {
			continue
		}
		if hash, err := own.Hash(); err == nil && hash == c.PromptHash {
			return version
		}
	}
	return configs.PromptVersions()[0]
}

// Template is the server's chat template, by its hash; ok is false if the server does not say it.
func Template(s record.ServerReport) (p Part, ok bool) {
	return Part{Name: "chat template", Value: s.Template, Unlabelled: true}, s.Template != ""
}

// Changes says which parts differ from the default protocol.
func Changes(parts []Part) (out []string) {
	for _, p := range parts {
		switch {
		case p.Name == "steps" && p.Value != p.Usual:
			out = append(out, fmt.Sprintf("at most %s, not %s", p, p.Usual))
		case p.Name == "stop" && p.Value != p.Usual && p.Value == "[]":
			out = append(out, "no stop strings")
		case p.Name == "stop" && p.Value != p.Usual:
			out = append(out, "stop strings "+p.Value)
		case p.Usual != "" && p.Value != p.Usual:
			out = append(out, p.String())
		}
	}
	return out
}

// Play is how somebody played in a place.
type Play struct {
	Name  string
	Parts []Part
}

// answers reports whether the part of that name can be compared: an agent of the user's says of some parts nothing.
func (p Play) answers(name string) bool {
	return !record.Outside(p.part("agent").Value) ||
		slices.ContainsFunc(p.Parts, func(part Part) bool { return part.Name == name })
}

// part is the part of that name, and what it is if there is none.
func (p Play) part(name string) Part {
	if i := slices.IndexFunc(p.Parts, func(part Part) bool { return part.Name == name }); i >= 0 {
		return p.Parts[i]
	}
	return Part{Name: name, Value: "not set"}
}

// Differences says of players what they have of the parts that not all have in common, such as "tuned: 3 steps,
// temperature 0". Said are names of parts that are left out.
func Differences(plays []Play, mentioned func(part string) bool) (out []string) {
	var names []string
	for _, p := range plays {
		for _, part := range p.Parts {
			if !slices.Contains(names, part.Name) && !mentioned(part.Name) {
				names = append(names, part.Name)
			}
		}
	}
	texts := map[string][]string{} // by player
	for _, name := range names {
		answering := table.Filter(plays, func(p Play) bool { return p.answers(name) })
		for i, text := range values(name, answering) {
			texts[answering[i].Name] = append(texts[answering[i].Name], text)
		}
	}
	text := func(p Play) string { return strings.Join(texts[p.Name], ", ") }
	for _, same := range table.Grouped(plays, text) {
		if differs := text(same[0]); differs != "" {
			out = append(out, shortList(table.Keys(same, func(p Play) string { return p.Name }))+": "+differs)
		}
	}
	return out
}

// values are what players have of a part; none if all have the same, or what is usual with their agents.
func values(name string, plays []Play) []string {
	if !slices.ContainsFunc(plays, func(p Play) bool {
		return p.part(name).Usual == "" ||
			p.part(name).Value != p.part(name).Usual
	}) {
		return nil
	}
	plain := func(p Part) string { return cmp.Or(p.Label, p.Name+" "+table.Shortened(p.Value, mostValue)) }
	exact := func(p Part) string { return p.Name + " " + cmp.Or(p.Exact, p.Value) }
	for _, say := range []func(Part) string{plain, exact} {
		out := table.Each(plays, func(p Play) string { return say(p.part(name)) })
		if slices.ContainsFunc(out, func(text string) bool { return text != out[0] }) {
			return out
		}
	}
	return nil
}

// mostValue is how long a value is at most, in bytes, and mostNames how many names stand before a value.
const (
	mostValue = 40
	mostNames = 3
)

func shortList(names []string) string {
	if len(names) > mostNames {
		return table.Counted(len(names), "model")
	}
	return table.List(names)
}

// compact writes fields of a request body.
func compact(fields map[string]any) string {
	if len(fields) == 0 {
		return "{}"
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return fmt.Sprint(fields) // fields that were read from a file can always be encoded
	}
	return string(b)
}
