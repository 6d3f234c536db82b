package configs

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The limits of a preset's lists.
const (
	maxParts = 64
	maxTexts = 64     // of lists of texts, such as stop strings
	maxSteps = 100000 // the largest step limit: more is probably a typing mistake
)

var (
	presetName = regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)
	partName   = regexp.MustCompile(`^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$`)
	hexPrefix  = regexp.MustCompile(`^[0-9a-f]{8,64}$`)
	commitName = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
	repository = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_][A-Za-z0-9._-]*$`)
)

// check reports everything that is wrong with a preset, for each of its parts.
func (p Preset) check() error {
	var errs Faults
	errs.want(presetName.MatchString(p.Name), "preset is %q, want lower-case letters, digits and hyphens", p.Name)
	errs.want(p.Version >= 1, "version is %d, want at least 1", p.Version)
	p.checkStatus(&errs)
	errs.want(p.Title != "", "title is empty")
	p.Source.check(&errs)
	errs.want(len(p.Texts) <= maxTexts, "there are %d texts, more than %d", len(p.Texts), maxTexts)
	for _, name := range slices.Sorted(maps.Keys(p.Texts)) {
		p.Texts[name].check(name, &errs)
	}
	p.Metric.check(&errs)
	errs.want(len(p.Env.Parts) <= maxParts, "there are %d parts, more than %d", len(p.Env.Parts), maxParts)
	if err := errs.Err(); err != nil {
		return err
	}
	if len(p.Env.Parts) == 0 {
		return p.checkPart()
	}
	return p.checkParts()
}

func (s PresetSource) check(errs *Faults) {
	errs.want(s.Repository == "" || repository.MatchString(s.Repository),
		"source.repository is %.100q, want OWNER/NAME at GitHub", s.Repository)
	errs.want(s.Commit == "" || commitName.MatchString(s.Commit), "source.commit is %.100q, want 7 to 64 hex digits",
		s.Commit)
}

func (p *Preset) checkStatus(errs *Faults) {
	errs.oneOf("status", p.Status, []string{Exact, Adapted})
	errs.want(p.Status != Exact || len(p.Deviations) == 0, "an exact preset has no deviations")
	errs.want(p.Status != Adapted || len(p.Deviations) > 0, "an adapted preset lists its deviations")
	for _, name := range p.UpTo {
		errs.oneOf("up-to", name, equalUpTo())
	}
}

func (p *Preset) checkParts() error {
	var errs Faults
	parts := map[string]bool{}
	for _, name := range p.PartNames() {
		errs.want(partName.MatchString(name), "part %q: want letters, digits and hyphens", name)
		errs.want(!parts[name], "there are two parts %q", name)
		parts[name] = true
		part, err := p.Select(name)
		if err == nil {
			err = part.checkPart()
		}
		errs.want(err == nil, "part %s: %w", name, err)
	}
	return errs.Err()
}

// checkPart checks what may differ between the parts.
func (p *Preset) checkPart() error {
	var errs Faults
	e := p.Env
	p.checkStatus(&errs)
	p.Play.check(&errs)
	p.Decoding.check(&errs)
	errs.want(e.Name != "", "env.name is empty")
	errs.want(e.Tasks.Count > 0, "env.tasks.count is %d, want the number of tasks", e.Tasks.Count)
	errs.want(e.Tasks.SHA256 == "" || len(e.Tasks.SHA256) == 64 && hexPrefix.MatchString(e.Tasks.SHA256),
		"env.tasks.sha256 is not a SHA-256 in hex")
	if l := e.Tasks.List; l != nil {
		errs.path("env.tasks.list.file", l.File)
		errs.want(l.SHA256 == "" || hexPrefix.MatchString(l.SHA256), "env.tasks.list.sha256: want 8 to 64 hex digits")
		errs.oneOf("env.tasks.list.format", l.Format, listFormats())
	}
	e.Limit.check(&errs)
	theirs := len(p.Prompt.Files) > 0 || p.Prompt.System != "" || p.Prompt.Instruction != "" || p.Prompt.Template != nil
	errs.want((p.Prompt.BuiltIn == "") == theirs, "prompt needs either built-in or files, system, instruction or template")
	if len(p.Prompt.Files) > 0 {
		errs.oneOf("prompt.format", p.Prompt.Format, promptFormats())
	}
	for _, f := range p.Prompt.Files {
		errs.path("prompt.files", f.Path)
		errs.want(f.SHA256 == "" || hexPrefix.MatchString(f.SHA256),
			"prompt.files: %s: want 8 to 64 hex digits of its SHA-256", f.Path)
	}
	for _, name := range p.TextsNamed() {
		_, ok := p.Texts[name]
		errs.want(ok, "{text:%s} names no text of texts", name)
	}
	return errs.Err()
}

func (l PresetLimit) check(errs *Faults) {
	errs.oneOf("env.limit.counts", l.Counts, []string{"replies"})
	errs.want(l.Max() > 0 && l.Max() <= maxSteps, "env.limit.steps is %d, want a number from 1 to %d", l.Max(),
		maxSteps)
}

func (p *Play) check(errs *Faults) {
	o := p.Observation
	errs.optional("observation.banner", o.Banner, []string{Keep, Strip})
	errs.optional("observation.arrive", o.Arrive, []string{Keep, Strip})
	errs.oneOf("actions-shown.when", p.ActionsShown.Timing, actionTimes())
	errs.optional("agent.shots.as", p.Agent.Shots.Format, []string{"turns", "text"})
	errs.optional("reply.reasoning", p.Reply.Reasoning, []string{Keep, Strip})
	errs.want(min(p.Agent.Pairs, p.Agent.Shots.Count) >= 0, "agent: a number is negative")
	errs.want(p.Agent.Shots.Count <= maxExamples, "agent.shots: there are more than %d", maxExamples)
	for _, occasion := range slices.Sorted(maps.Keys(p.Reply.Messages)) {
		errs.oneOf("reply.messages", occasion, []string{"format", "several", "call", "thought"})
	}
	errs.want(p.Reply.OnFailure != Tell || p.Agent.Form == React || p.Reply.Messages["format"] != "",
		"reply.messages.format is missing: it is what on-failure: tell tells")
	errs.want(p.Agent.Thoughts == "" || p.Reply.Messages["thought"] != "",
		"reply.messages.thought is missing: it answers the thoughts that are sent")
	errs.oneOf("reply.parser", p.Reply.Parser, Parsers())
	if p.Reply.OnFailure != "" {
		errs.withNumber("reply.on-failure", p.Reply.OnFailure, OnFailures(), SendTail)
	}
	p.checkForm(errs)
	errs.optional("stop.context-overflow", p.Stop.ContextOverflow, []string{"trim", "end"})
}

func (d PresetDecoding) check(errs *Faults) {
	for _, n := range d.Numbers() {
		errs.Add(n.Range.Check("decoding."+n.Name, n.Value))
	}
	errs.want(d.MaxTokens >= 1, "decoding.max-tokens is %d, want at least 1", d.MaxTokens)
	_, err := json.Marshal(d.Extra)
	errs.want(err == nil && len(d.Extra) <= maxTexts,
		"decoding.extra-body has a value that is not JSON, or more than %d", maxTexts)
	errs.want(len(d.Stop) <= maxTexts && !slices.Contains(d.Stop, ""),
		"decoding.stop has an empty string, or more than %d", maxTexts)
}

func (m Metric) check(errs *Faults) {
	errs.oneOf("metric.primary", m.Primary, metrics())
	errs.oneOf("metric.aggregate", m.Aggregate, []string{"mean-over-tasks", "mean-over-types"})
	errs.want(m.Success >= 0 && m.Success <= 100, "metric.success is %v, want a percentage", m.Success)
}

func (f *Faults) want(ok bool, format string, args ...any) { f.Note(!ok, format, args...) }

// path complains about a path that cannot be one in a repository.
func (f *Faults) path(field, path string) {
	f.want(fs.ValidPath(path), "%s: %.100q is not a path in a repository", field, path)
}

// oneOf complains about a value that is not in a closed list.
func (f *Faults) oneOf(field, value string, values []string) {
	f.want(slices.Contains(values, value), "%s is %.50q, want one of %s", field, value, strings.Join(values, ", "))
}

// optional is oneOf for a field that may be empty.
func (f *Faults) optional(field, value string, values []string) {
	if value != "" {
		f.oneOf(field, value, values)
	}
}

// withNumber is oneOf for values of which one has a colon and a whole number after it.
func (f *Faults) withNumber(field, value string, values []string, numbered string) {
	name, number, found := strings.Cut(value, ":")
	f.oneOf(field, name, values)
	n, err := strconv.Atoi(number)
	ok := found == (name == numbered) && (!found || err == nil && n > 0)
	f.want(ok, "%s is %.50q: %s, and nothing else, is followed by a colon and a number above 0; want a whole number, "+
		"such as %[3]s:30", field, value, numbered)
}

// checkForm reports settings without an effect: those that the agent's form ignores.
func (p *Play) checkForm(errs *Faults) {
	a, r := p.Agent, p.Reply
	only := func(set bool, field string, forms ...string) {
		errs.want(!set || slices.Contains(forms, a.Form), "%s is for the forms %s, not for %s", field,
			strings.Join(forms, ", "), a.Form)
	}
	ruled := []string{Chat, ToolCall, Single, Completion, Text} // the others have rules of their own
	only(p.Observation != Observation{}, "observation", ruled...)
	only(p.ActionsShown.Timing != Never, "actions-shown", ruled...)
	only(r.Reasoning != "", "reply.reasoning", append(ruled, Act)...)
	only(len(r.Messages) > 0, "reply.messages", ruled...)
	only(p.Stop.ContextOverflow == End, "stop.context-overflow: end", append(ruled, Act)...)
	only(a.Pairs > 0, "agent.pairs", Single, Chat)
	errs.want(a.Form != Chat || a.Pairs == 0 || a.Acknowledge == "" && a.Shots.Format == "",
		"agent.pairs of the form chat is for prompts that are only a system message")
	only(r.Messages["call"] != "", "reply.messages.call", ToolCall)
	only(a.Acknowledge != "", "agent.acknowledge", Chat, ToolCall)
	only(a.Cue != "", "agent.cue", Completion, Text)
	only(r.Parser == ToolCall, "reply.parser tool-call", ToolCall)
	if a.Form == ToolCall {
		errs.want(r.Parser == ToolCall, "the form tool-call has reply.parser tool-call")
	}
	only(a.Shots.Count > 0 && len(a.Shots.Order) == 0, "agent.shots.count", Chat, ToolCall, Completion, Text)
	only(a.Shots.Format == "turns", "agent.shots.as: turns", Chat, ToolCall)
	only(a.Shots.Format == "text", "agent.shots.as: text", Chat, ToolCall, Completion, Text)
	only(r.Parser == thoughtActionI, "reply.parser "+thoughtActionI, Completion, Text)
	switch a.Form {
	case React:
		errs.want(r.Parser == "agentrefine" && cmp.Or(r.OnFailure, Tell) == Tell,
			"the form react has reply.parser agentrefine and reply.on-failure tell")
	case Act:
		errs.want(r.Parser == "agentboard" && cmp.Or(r.OnFailure, SendEmpty) == SendEmpty,
			"the form act has reply.parser agentboard and reply.on-failure send-empty")
	default:
		errs.want(r.OnFailure != "" || slices.Contains(alwaysRead(), r.Parser), "reply.on-failure is missing")
	}
}
