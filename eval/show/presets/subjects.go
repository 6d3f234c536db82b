package presets

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/scoring/table"
)

// subject is what a row of heldout preset diff is about.
type subject struct {
	name string
	// fields are the fields of the canonical JSON that it is about, by their beginnings;
	// a subject before it has precedence. text are the fields that tell puts into words.
	fields, text []string
	tell         func(*configs.Preset) string
	// named: the texts name their parts themselves.
	named bool
}

// subjects are in the order in which they are shown. Every field that can change a number belongs to one.
var subjects = []subject{
	{name: "tasks", fields: []string{"env.name", "env.tasks", "env.settings"},
		text: []string{"env.name", "env.tasks.count"}, tell: tellTasks, named: true},
	{name: "step limit", fields: []string{"env.limit"}, text: []string{"env.limit"}, tell: tellLimit},
	{name: "prompt", fields: []string{"prompt", "texts"}, text: []string{"prompt.built-in", "prompt.files",
		"prompt.format", "prompt.sha256", "texts"}, tell: tellPrompt},
	{name: "examples", fields: []string{"agent.shots"}, text: []string{"agent.shots.count", "agent.shots.as"},
		tell: tellExamples},
	{name: "history", fields: []string{"agent.pairs", "agent.left", "agent.joined", "agent.said", "agent.filter",
		"agent.memory", "agent.thoughts", "agent.think", "stop.context-overflow"},
		text: []string{"agent.pairs", "agent.filter.segments", "stop.context-overflow"}, tell: tellHistory},
	{name: "form", fields: []string{"agent"}, text: []string{"agent.form"}, tell: tellForm},
	{name: "observations", fields: []string{"observation", "actions-shown"}, text: []string{"actions-shown.when"},
		tell: tellObservations},
	{name: "reading", fields: []string{"reply"}, text: []string{"reply.parser", "reply.on-failure"}, tell: tellReading},
	{name: "stop strings", fields: []string{"decoding.stop"}, text: []string{"decoding.stop"}, tell: tellStop},
	{name: "early ends", fields: []string{"stop"}, text: []string{"stop"}, tell: tellEnds},
	{name: "sampling", fields: []string{"decoding"}, text: []string{"decoding.temperature", "decoding.top-p",
		"decoding.max-tokens"}, tell: tellSampling},
	{name: "score", fields: []string{"metric"}, text: []string{"metric.primary", "metric.aggregate", "metric.success"},
		tell: tellScore},
}

// subjectOf returns the subject of a field.
func subjectOf(field string) string {
	for _, s := range subjects {
		if beginsAny(field, s.fields) {
			return s.name
		}
	}
	return ""
}

// differs reports whether two parts differ in the subject.
func (s subject) differs(p partPair) bool {
	return slices.ContainsFunc(p.differs, s.covers) || s.tell(p.presets[0]) != s.tell(p.presets[1])
}

// covers reports whether a difference belongs to the subject.
func (s subject) covers(f configs.FieldDifference) bool { return subjectOf(f.Field) == s.name }

// beginsAny reports whether a field is one of some, or inside one.
func beginsAny(field string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(o string) bool { return field == o || strings.HasPrefix(field, o+".") })
}

func tellTasks(p *configs.Preset) string {
	text := fmt.Sprintf("%d of %s", p.Env.Tasks.Count, p.Env.Name)
	if p.Env.Part == "" || p.Env.Part == p.Env.Name {
		return text
	}
	return p.Env.Part + ": " + text
}

func tellLimit(p *configs.Preset) string {
	l := p.Env.Limit
	text := fmt.Sprintf("%d %s", l.Max(), l.Counts)
	if len(l.ByType) > 0 {
		text = fmt.Sprintf("by type, up to %d %s", l.Max(), l.Counts)
	}
	if l.Restart {
		text += "; a game that ends starts again"
	}
	return text
}

func tellPrompt(p *configs.Preset) string {
	switch {
	case p.Prompt.BuiltIn != "":
		return "heldout's own, " + p.Prompt.BuiltIn
	case len(p.Prompt.Files) > 0:
		return "the source's, of format " + p.Prompt.Format
	case len(p.TextsNamed()) > 0:
		return "the source's texts"
	}
	return "in the preset"
}

func tellExamples(p *configs.Preset) string {
	if n := p.Agent.Shots.Count; n > 0 {
		return fmt.Sprintf("%d, as %s", n, p.Agent.Shots.Format)
	}
	if p.Prompt.BuiltIn == "" {
		if len(p.Prompt.Files) > 0 {
			return "those of the prompt's files"
		}
		return "none"
	}
	largest := 0
	if prompt, err := configs.LoadPrompt(p.Env.Name, p.Prompt.BuiltIn); err == nil {
		for _, in := range prompt.Types {
			largest = max(largest, len(in.Examples))
		}
	}
	if largest == 0 {
		return "none"
	}
	return fmt.Sprintf("%d, in the first message", largest)
}

func tellHistory(p *configs.Preset) string {
	text := "all turns that fit"
	if p.Agent.Form == configs.Single && p.Agent.Pairs == 0 {
		text = "what the template has"
	}
	if n := p.Agent.Pairs; n > 0 {
		text = "the last " + table.Counted(n, "turn")
	}
	if n := p.Agent.Filter.Segments; n > 0 {
		text += fmt.Sprintf(", fewer than %d segments", n)
	}
	if p.Stop.ContextOverflow == configs.End {
		text += "; a prompt that is refused as too long ends the episode"
	}
	return text
}

// formTexts say what the forms of agents are.
var formTexts = map[string]string{
	configs.React:      "a chat, thought and action in each reply",
	configs.Act:        "one message that grows, actions without thoughts",
	configs.Chat:       "a chat of replies and observations",
	configs.ToolCall:   "a chat with calls of a function",
	configs.Single:     "one message, written anew at every turn",
	configs.Completion: "one text that a base model continues",
	configs.Text:       "one text, as a message",
}

func tellForm(p *configs.Preset) string { return p.Agent.Form + ": " + formTexts[p.Agent.Form] }

func tellObservations(p *configs.Preset) string {
	switch p.ActionsShown.Timing {
	case configs.Never:
		return "no valid actions shown"
	case configs.First:
		return "valid actions shown with the task"
	case configs.Latest:
		return "valid actions shown with the latest"
	}
	return "valid actions shown with every one"
}

// failureTexts say what happens to a reply without an action.
var failureTexts = map[string]string{
	configs.Tell: "the model is told", configs.End: "the episode ends", configs.SendEmpty: "the empty action is sent",
	configs.SendReply: "the reply is sent", configs.SendTail: "the end of the reply is sent", "": "nothing is sent",
}

func tellReading(p *configs.Preset) string {
	name, _, _ := strings.Cut(p.Reply.OnFailure, ":")
	return fmt.Sprintf("parser %s; without an action, %s", p.Reply.Parser, failureTexts[name])
}

func tellStop(p *configs.Preset) string {
	var out []string
	for _, s := range p.Decoding.Stop {
		out = append(out, fmt.Sprintf("%q", s))
	}
	if out == nil {
		return "none"
	}
	return strings.Join(out, ", ")
}

func tellEnds(p *configs.Preset) string {
	rules := p.Stop
	rules.ContextOverflow = ""
	b, err := json.Marshal(rules)
	var fields map[string]json.RawMessage
	if err != nil || json.Unmarshal(b, &fields) != nil || len(fields) == 0 {
		return "none"
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		out = append(out, name+" "+string(fields[name]))
	}
	return strings.Join(out, ", ")
}

func tellSampling(p *configs.Preset) string {
	d := p.Decoding
	return fmt.Sprintf("temperature %v, top-p %v, replies of up to %d tokens", d.Temperature, d.TopP, d.MaxTokens)
}

func tellScore(p *configs.Preset) string {
	m := p.Metric
	text := m.Primary + ", " + strings.ReplaceAll(m.Aggregate, "-", " ")
	if m.Success > 0 {
		text += fmt.Sprintf("; success from a score of %v", m.Success)
	}
	return text
}

// longHex matches a hash.
var longHex = regexp.MustCompile(`[0-9a-f]{64}`)

// shortValue is a value in JSON, cut if it is long.
func shortValue(value string) string {
	value = longHex.ReplaceAllStringFunc(value, func(sum string) string { return sum[:8] + "…" })
	if runes := []rune(value); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return value
}
