package configs

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"heldout/envs/datafile"
)

// unread reports keys of a file that nothing reads, in each part: beside the settings that
// checkForm reports. The form of one protocol may set what it does not read.
func (p *Preset) unread(fields map[string]string) error {
	named, errs := p.TextsNamed(), Faults{}
	for _, part := range p.Env.Parts {
		if filled, err := p.Select(part.Part); err == nil {
			named = append(named, filled.TextsNamed()...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Texts)) {
		errs.want(slices.Contains(named, name), "texts.%s is for a key that has {text:%[1]s}, and none has", name)
	}
	if len(p.Env.Parts) == 0 {
		return cmp.Or(errs.Err(), p.unreadOf(fields))
	}
	for _, part := range p.Env.Parts {
		filled, err := p.Select(part.Part)
		rest := maps.Clone(fields)
		maps.Copy(rest, part.stated())
		err = cmp.Or(err, filled.unreadOf(rest))
		errs.want(err == nil, "part %s: %w", part.Part, err)
	}
	return errs.Err()
}

func (p *Preset) unreadOf(fields map[string]string) error {
	var errs Faults
	a, r := p.Agent, p.Reply
	want := func(read bool, path, reason string, values ...any) {
		errs.want(read || p.Protocol != "" && fields[path] == "", path+" is "+reason, values...)
	}
	want(r.Messages["thought"] == "" || a.Thoughts != "", "reply.messages.thought",
		"for forms of one protocol in which thoughts are sent, not for %s", a.Form)
	want(r.Messages["format"] == "" || r.OnFailure == Tell || a.Form == React, "reply.messages.format",
		"for reply.on-failure tell, not for %q", r.OnFailure)
	want(r.Messages["several"] == "" || r.Parser == oneLine, "reply.messages.several",
		"for reply.parser %s, not for %s", oneLine, r.Parser)
	want(r.OnFailure == "" || !slices.Contains(alwaysRead(), r.Parser) || p.Protocol != "", "reply.on-failure",
		"not for reply.parser %s, which reads an action from any reply", r.Parser)
	want(a.Shots.Count == 0 || a.Shots.Format != "", "agent.shots.count", "for agent.shots.as, which is missing")
	want(slices.Contains([]int{0, len(a.Shots.Order)}, a.Shots.Count) || len(a.Shots.Order) == 0, "agent.shots.count",
		"%d, and the form %s shows %d of its own", a.Shots.Count, p.Protocol, len(a.Shots.Order))
	want(a.Shots.Format == "" || a.Shots.Count+len(a.Shots.Order) > 0, "agent.shots.as",
		"for agent.shots.count, which is missing")
	want(p.Observation.Task == "" || a.Form != Single, "observation.task",
		"not for the form single, whose template tells the task")
	mentions := slices.ContainsFunc(slices.Collect(maps.Values(r.Messages)), func(text string) bool {
		return strings.Contains(text, "{actions}")
	})
	for path, text := range map[string]string{"actions-shown.before": p.ActionsShown.Prefix,
		"actions-shown.separator": p.ActionsShown.Separator} {
		want(text == "" || mentions || p.ActionsShown.Timing != Never, path,
			"for actions that are shown, and actions-shown.when is never")
	}
	want(p.Prompt.Format == "" || len(p.Prompt.Files) > 0, "prompt.format", "for prompt.files, and there are none")
	complete := slices.Contains([]string{"eto", "agentboard", "template"}, p.Prompt.Format)
	want(p.Prompt.System == "" || !complete, "prompt.system", "not for the format %s, whose files have it",
		p.Prompt.Format)
	want(p.Prompt.Instruction == "" || !complete, "prompt.instruction", "not for the format %s, whose files have it",
		p.Prompt.Format)
	return errs.Err()
}

// CheckTemplate reports keys that the template of a prompt leaves without an effect in the form
// single, of a preset that is not of one protocol.
func (p *Preset) CheckTemplate(t Template) error {
	var errs Faults
	if p.Protocol != "" || p.Agent.Form != Single {
		return nil
	}
	text := t.First + t.Next
	history := strings.Contains(text, "{history}")
	errs.want(p.ActionsShown.Timing == Never || strings.Contains(text, "{actions}"),
		"actions-shown is for a template with the slot {actions}")
	errs.want(p.Agent.Pairs == 0 || history, "agent.pairs is for a template with the slot {history}")
	errs.want(history || t.Pair == "" && t.Between == "" && t.Older == "",
		"template.pair, template.between and template.older are for a template with the slot {history}")
	for key, form := range map[string]string{"pair": t.Pair, "older": t.Older} {
		place := strings.Index(form, "{action}")
		errs.want(place < 0 || !strings.Contains(form[place:], "{observation}"),
			"template.%s has {observation} behind {action}, and it is what was seen before the action: {result} is what "+
				"was seen after it", key)
	}
	errs.want(t.Older == "" || p.Agent.Pairs > 0, "template.older is for agent.pairs, which is not there")
	return errs.Err()
}

// promptKeys are the keys of a prompt file that each form reads.
var promptKeys = map[string][]string{
	React: {"react", "correction", "examples"}, Act: {"help", "more-help", "kept", "examples"}, Single: {"template"},
	Chat: {"handover"}, ToolCall: {"handover"}, Completion: {"handover"}, Text: {"handover"},
}

// CheckPromptFile reports keys of a prompt file that nothing reads in the preset's form, unless
// the form is one protocol's.
func (p *Preset) CheckPromptFile(f PromptFile) error {
	if p.Protocol != "" {
		return nil
	}
	return CheckPromptFile(f, p.Agent.Shots.Count > 0, p.Agent.Form)
}

// CheckPromptFile reports keys of a prompt file in heldout's own YAML that none of the forms
// reads. Shots: the form shows examples.
func CheckPromptFile(f PromptFile, shots bool, forms ...string) error {
	text, err := datafile.Text(f.Name, f.Content)
	if err != nil || strings.HasPrefix(strings.TrimSpace(string(text)), "{") { // AgentBoard's JSON
		return err
	}
	var fields map[string]any
	if err := decode(f.Name, text, &fields); err != nil {
		return err
	}
	read := []string{"types", "openings"}
	for _, form := range forms {
		read = append(read, promptKeys[form]...)
	}
	var errs Faults
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		errs.want(slices.Contains(read, key), "%s: nothing reads the key %s in the form %s", f.Name, key,
			strings.Join(forms, " or "))
	}
	types, _ := fields["types"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(types)) {
		subfields, _ := types[name].(map[string]any)
		_, examples := subfields["examples"]
		_, instruction := subfields["instruction"]
		errs.want(!examples || shots || slices.Contains(read, "examples"),
			"%s: nothing reads the examples of task type %q: the preset has no agent.shots", f.Name, name)
		errs.want(!instruction || !slices.Equal(forms, []string{Single}),
			"%s: nothing reads the instruction of task type %q in the form single, which has system and a template",
			f.Name, name)
	}
	return errs.Err()
}

// stated lists the values that a file gives of a preset, or of a part of one, by the paths of their keys.
func stated(v reflect.Value, prefix string) map[string]string {
	found := map[string]string{}
	add := func(path string, v reflect.Value) {
		switch {
		case v.IsZero():
		case v.Kind() == reflect.Struct:
			maps.Copy(found, stated(v, path+"."))
		case v.Kind() == reflect.Pointer:
			maps.Copy(found, stated(v.Elem(), path+"."))
		default:
			found[path] = fmt.Sprintf("%.100q", fmt.Sprint(v))
		}
	}
	for i := range v.NumField() {
		f := v.Field(i)
		switch name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ","); {
		case options == "inline":
			maps.Copy(found, stated(f, prefix))
		case name == "-" || name == "" || name == "parts":
		case f.Kind() == reflect.Map:
			for entries := f.MapRange(); entries.Next(); {
				add(prefix+name+"."+entries.Key().String(), entries.Value())
			}
		default:
			add(prefix+name, f)
		}
	}
	return found
}

// overruled reports values that a file gives and the form of its protocol replaces: of the
// whole, as it was given, and of its parts.
func (p *Preset) overruled(fields map[string]string) error {
	var errs Faults
	compare := func(fields map[string]string, prefix string, filled *Preset) {
		now := stated(reflect.ValueOf(*filled), "")
		for _, path := range slices.Sorted(maps.Keys(fields)) {
			errs.want(now[path] == fields[path] || path == "agent.form",
				"%s%s is %s, and the form %s has its own: leave it out", prefix, path, fields[path], filled.Protocol)
		}
	}
	if p.Protocol != "" {
		compare(fields, "", p)
	}
	for _, part := range p.Env.Parts {
		filled, err := p.Select(part.Part)
		if err != nil || filled.Protocol == "" {
			continue // check says what is wrong
		}
		compare(part.stated(), "part "+part.Part+": ", &filled)
	}
	return errs.Err()
}

func (part PresetPart) stated() map[string]string {
	fields := stated(reflect.ValueOf(part.Agent), "agent.")
	maps.Copy(fields, stated(reflect.ValueOf(part.Prompt), "prompt."))
	maps.Copy(fields, stated(reflect.ValueOf(part.Limit), "env.limit."))
	return fields
}
