package presets

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/scoring/table"
)

// subject is what a row of heldout preset diff is about.
type subject struct {
	Name string
	// Fields are the fields of the canonical JSON that it is about, by their beginnings;
	// a subject before it has precedence. Text are the fields that its words tell.
	Fields, Text []string
	Named        bool // the words name their parts themselves
}

//go:embed subjects.yaml
var subjectsYAML []byte

// words are the subjects in the order in which they are shown, and what words say: of forms of agents, of when valid
// actions are shown, and of replies without an action. Every field that can change a number belongs to a subject.
var words = datafile.Embedded[struct {
	Subjects                      []subject
	Forms, Observations, Failures map[string]string
}](subjectsYAML)

// tell puts the fields of a subject into words.
func (s subject) tell(p *configs.Preset) string {
	return map[string]func(*configs.Preset) string{
		"tasks": tellTasks, "step limit": tellLimit, "prompt": tellPrompt, "examples": tellExamples,
		"history": tellHistory, "form": tellForm, "observations": tellObservations, "reading": tellReading,
		"stop strings": tellStop, "early ends": tellEnds, "sampling": tellSampling, "score": tellScore,
	}[s.Name](p)
}

// subjectOf returns the subject of a field.
func subjectOf(field string) string {
	for _, s := range words().Subjects {
		if beginsAny(field, s.Fields) {
			return s.Name
		}
	}
	return ""
}

// differs reports whether two parts differ in the subject.
func (s subject) differs(p partPair) bool {
	return slices.ContainsFunc(p.differs, s.covers) || s.tell(p.presets[0]) != s.tell(p.presets[1])
}

// covers reports whether a difference belongs to the subject.
func (s subject) covers(f configs.FieldDifference) bool { return subjectOf(f.Field) == s.Name }

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

func tellForm(p *configs.Preset) string { return p.Agent.Form + ": " + words().Forms[p.Agent.Form] }

func tellObservations(p *configs.Preset) string {
	return cmp.Or(words().Observations[p.ActionsShown.Timing], words().Observations[configs.Every])
}

func tellReading(p *configs.Preset) string {
	name, _, _ := strings.Cut(p.Reply.OnFailure, ":")
	return fmt.Sprintf("parser %s; without an action, %s", p.Reply.Parser, words().Failures[name])
}

func tellStop(p *configs.Preset) string {
	return cmp.Or(strings.Join(table.Each(p.Decoding.Stop, strconv.Quote), ", "), "none")
}

func tellEnds(p *configs.Preset) string {
	rules := p.Stop
	rules.ContextOverflow = ""
	b, err := json.Marshal(rules)
	var fields map[string]json.RawMessage
	if err != nil || json.Unmarshal(b, &fields) != nil || len(fields) == 0 {
		return "none"
	}
	rule := func(name string) string { return name + " " + string(fields[name]) }
	return strings.Join(table.Each(slices.Sorted(maps.Keys(fields)), rule), ", ")
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
