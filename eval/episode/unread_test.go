package episode

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/agent"
	"heldout/scoring/record"
)

// otherValues has values of the keys of a preset that are not what a preset without the key has.
// A key that has an effect in no conversation names its reader instead.
var otherValues = map[string][]any{
	"observation.banner":      {"strip"},
	"observation.arrive":      {"strip"},
	"observation.task":        {"Task {goal}, seen {observation}"},
	"actions-shown.when":      {"first", "latest", "every"},
	"actions-shown.before":    {"BEFORE "},
	"actions-shown.separator": {" + "},
	"agent.pairs":             {1, 2},
	"agent.cue":               {"CUE>"},
	"agent.acknowledge":       {"ACKNOWLEDGED"},
	"agent.shots.as":          {"turns", "text"},
	"agent.shots.count":       {1, 2},
	"reply.parser":            anyOf(configs.Parsers()),
	"reply.on-failure":        {"tell", "end", "send-empty", "send-reply", "send-tail:5"},
	"reply.messages.format":   {"FORMAT {observation} {actions}"},
	"reply.messages.several":  {"SEVERAL"},
	"reply.messages.call":     {"CALL"},
	"reply.messages.thought":  {"THOUGHT"},
	"reply.reasoning":         {"keep"},
	"stop.context-overflow":   {"end"},
	"decoding.stop":           {[]string{"STOP"}},
	"decoding.temperature":    {0.5},
	"decoding.top-p":          {0.5},
	"decoding.max-tokens":     {77},
	"decoding.extra-body":     {map[string]any{"x": 1}},
}

func anyOf(texts []string) (values []any) {
	for _, text := range texts {
		values = append(values, text)
	}
	return values
}

// bases are presets of a form.
func bases(form string) (all []map[string]any) {
	preset := func(play string) map[string]any {
		var p map[string]any
		text := `{"preset": "base", "version": 1, "title": "t", "status": "adapted", "deviations": ["a test"],
			"env": {"name": "alfworld", "tasks": {"count": 1}, "limit": {"steps": 30, "counts": "replies"}},
			"prompt": {"built-in": "v2"}, "decoding": {"temperature": 0, "top-p": 1, "max-tokens": 100},
			"metric": {"primary": "success", "aggregate": "mean-over-tasks"}, ` + play + `}`
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			panic(fmt.Sprint(err, play))
		}
		return p
	}
	for _, shown := range []string{"never", "first", "every"} {
		for _, reply := range []string{
			`{"parser": "after-first-action", "on-failure": "send-empty"}`,
			`{"parser": "one-action-line", "on-failure": "end"}`,
			`{"parser": "thought-action-i", "on-failure": "end"}`,
			`{"parser": "after-last-action", "on-failure": "tell", "messages": {"format": "No."}}`,
			`{"parser": "tool-call", "on-failure": "tell", "messages": {"format": "No."}}`,
			`{"parser": "agentrefine"}`, `{"parser": "agentboard"}`,
		} {
			for _, shots := range []string{`{}`, `{"as": "text", "count": 1}`} {
				all = append(all, preset(fmt.Sprintf(
					`"actions-shown": {"when": %q}, "agent": {"form": %q, "shots": %s}, "reply": %s`, shown, form, shots,
					reply)))
			}
		}
	}
	return all
}

// keys are the keys that files of a type have, with the keys of their parts.
func keys(t reflect.Type, prefix string) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case options == "inline" || f.Anonymous || name == "-" || name == "":
		case f.Type.Kind() == reflect.Struct:
			names = append(names, keys(f.Type, prefix+name+".")...)
		case f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct:
			names = append(names, keys(f.Type.Elem(), prefix+name+".")...)
		default:
			names = append(names, prefix+name)
		}
	}
	return names
}

func setKey(preset map[string]any, path string, value any) {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		preset[name] = value
		return
	}
	part, _ := preset[name].(map[string]any)
	part = maps.Clone(part)
	if part == nil {
		part = map[string]any{}
	}
	setKey(part, rest, value)
	preset[name] = part
}

func parsedPreset(t *testing.T, preset map[string]any) (p configs.Preset, err error) {
	text := sharedtest.Must(json.Marshal(preset))(t)
	return configs.ParsePreset("preset.yaml", text)
}

// effect is what shows of a preset: conversations, and what requests have besides.
func effect(t *testing.T, p configs.Preset) string {
	return conform(t, &p) + fmt.Sprintf("%+v %s", p.Decoding, p.Reply.Reasoning)
}

// elsewhere are keys that have no effect in the conversations of this test, with their readers.
var elsewhere = map[string]string{
	"agent.form":          "names the form",
	"reply.messages.call": "TestBadCalls of eval/agent: no script has a call that cannot be read",
}

// A key of a preset is refused where nothing reads it: whatever else is accepted has an effect.
func TestEveryKeyIsRead(t *testing.T) {
	for _, path := range slices.Concat(keys(reflect.TypeFor[configs.Play](), ""),
		keys(reflect.TypeFor[configs.PresetDecoding](), "decoding.")) {
		_, number := configs.FindOption(strings.TrimPrefix(path, "decoding.")) // TestNumbers of configs has them
		maps := path == "reply.messages"
		if otherValues[path] == nil && elsewhere[path] == "" && !maps && !number {
			t.Errorf("otherValues lacks %s", path)
		}
	}
	effects := map[string]bool{}
	for _, form := range configs.AgentForms() {
		played := 0
		for _, base := range sharedtest.Sample(t, bases(form), 3) {
			p, err := parsedPreset(t, base)
			if err != nil {
				continue
			}
			played++
			without := effect(t, p)
			for path, values := range otherValues {
				for _, value := range values {
					changed := maps.Clone(base)
					setKey(changed, path, value)
					with, err := parsedPreset(t, changed)
					states := path == "reply.on-failure" && p.Reply.OnFailure == "" // what react and act have
					instead := path == "actions-shown.when" && p.ActionsShown.Timing != configs.Never
					if err != nil || reflect.DeepEqual(p, with) || states || instead || elsewhere[path] != "" {
						continue
					}
					if effect(t, with) == without {
						t.Errorf("form %s: %s: %v has no effect in %v", form, path, value, base)
					}
					effects[path] = true
				}
			}
		}
		if played == 0 && sharedtest.Long() {
			t.Errorf("no preset has the form %s", form)
		}
	}
	for path := range otherValues {
		if !effects[path] && elsewhere[path] == "" && sharedtest.Long() && path != "reply.messages.thought" {
			t.Errorf("%s is refused everywhere", path)
		}
	}
}

// A key that the form of a protocol replaces is refused, and no key is without an effect in it.
func TestKeysOfProtocols(t *testing.T) {
	names := configs.PresetNames()
	for _, name := range sharedtest.Sample(t, names, 2) {
		text := sharedtest.Must(configs.PresetText(name))(t)
		released, err := configs.ParsePreset(name, text)
		if err != nil || released.Protocol == "" || len(released.Env.Parts) > 0 {
			continue
		}
		without := effect(t, released)
		for path, values := range otherValues {
			var idle []any                          // all of those that are accepted, if none has an effect
			effective := path == "reply.on-failure" // what any preset says, also for a parser that reads all
			for _, value := range values {
				var changed map[string]any
				sharedtest.OK(t, yaml.Unmarshal(text, &changed))
				setKey(changed, path, value)
				with, err := parsedPreset(t, changed)
				if err != nil || reflect.DeepEqual(released, with) || elsewhere[path] != "" {
					continue
				}
				effective = effective || effect(t, with) != without
				idle = append(idle, value)
			}
			if len(idle) > 0 && !effective {
				t.Errorf("%s of %s: %s: %v has no effect", released.Protocol, name, path, idle)
			}
		}
	}
}

// A key of a prompt file is refused in a form that does not read it.
func TestEveryKeyOfPromptsIsRead(t *testing.T) {
	type m = map[string]any
	example := []m{{"text": "You see a box.\n> open box 1\nIt is open.\n"}}
	values := m{
		"react": "REACT", "correction": "CORRECTION", "help": "HELP", "more-help": "MORE", "kept": "alfworld",
		"openings": m{"": m{"goal": "GOAL", "observation": "OPENING"}}, "handover": "HANDOVER",
		"types":    m{"": m{"system": "SYSTEM", "instruction": "Do the task."}},
		"template": m{"next": "{goal} {observation}"}, "examples": example, "instruction": "OTHER",
	}
	for _, name := range keys(reflect.TypeFor[configs.Prompt](), "") {
		name, _, _ = strings.Cut(name, ".") // the template is one key
		if values[name] == nil {
			t.Errorf("values lacks %s", name)
		}
	}
	effects := map[string]bool{}
	for _, form := range configs.AgentForms() {
		for _, shots := range []m{{}, {"as": "text", "count": 1}} {
			agent := m{"form": form, "shots": shots}
			reply := m{"parser": "after-last-action", "on-failure": "send-empty"}
			switch form {
			case configs.React:
				reply = m{"parser": "agentrefine"}
			case configs.Act:
				reply = m{"parser": "agentboard"}
			case configs.ToolCall:
				reply["parser"] = configs.ToolCall
			}
			given := bases(form)[0]
			given["agent"], given["reply"] = agent, reply
			p, err := parsedPreset(t, given)
			if err != nil {
				continue // a form without examples
			}
			plain := m{"types": m{"": m{"instruction": "Do the task."}}}
			if form == configs.Single {
				plain = m{"types": m{"": m{"system": "Play."}}, "template": m{"next": "{goal} {observation}!"}}
			}
			if len(shots) > 0 {
				lamp := []m{{"text": "You see a lamp.\n"}}
				plain = m{"types": m{"": m{"instruction": "Do the task.", "examples": lamp}}}
			}
			without, err := promptEffect(t, p, plain)
			if err != nil {
				t.Fatalf("%s: %v", form, err)
			}
			for key, value := range values {
				changed := maps.Clone(plain)
				if path := key; key == "examples" || key == "instruction" {
					of := maps.Clone(plain["types"].(m)[""].(m))
					of[path] = value
					changed["types"] = m{"": of}
				} else if key == "types" && len(shots) > 0 {
					continue
				} else {
					changed[key] = value
				}
				with, err := promptEffect(t, p, changed)
				if err == nil && with == without {
					t.Errorf("form %s, examples %v: %s has no effect", form, shots, key)
				}
				effects[key] = effects[key] || err == nil
			}
		}
	}
	for key := range values {
		if !effects[key] {
			t.Errorf("%s is refused everywhere", key)
		}
	}
}

// promptEffect is what shows of a prompt, or why it is refused.
func promptEffect(t *testing.T, p configs.Preset, file map[string]any) (string, error) {
	text := sharedtest.Must(yaml.Marshal(file))(t)
	prompt, err := configs.ParsePrompt("prompt.yaml", text)
	if err != nil {
		return "", err
	}
	if err := p.CheckPromptFile(configs.PromptFile{Name: "prompt.yaml", Content: text}); err != nil {
		return "", err
	}
	if err := p.CheckTemplate(*cmp.Or(prompt.Template, &configs.Template{})); err != nil {
		return "", err
	}
	var out strings.Builder
	all := scripts(p.Reply.Parser)
	all["put"] = []string{"put mug 1 on desk 1.", "Action: put mug 1 on desk 1.", "look", "look"}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m := &recorder{replies: all[name]}
		p.Env.Limit = configs.PresetLimit{Steps: len(m.replies), Counts: "replies"}
		rec := playPrompt(t, &p, prompt, "pick_and_place_simple", m)
		out.WriteString(m.text.String() + ending(t, rec))
	}
	return out.String(), nil
}

// spellingHouse is a house that spells actions in lower case.
type spellingHouse struct{ house }

func (h spellingHouse) NewWorld(envs.Task) (envs.World, error) {
	return spellingWorld{&houseWorld{}}, nil
}

type spellingWorld struct{ *houseWorld }

func (spellingWorld) Spell(action string) string { return strings.ToLower(action) }

// A form sends an action in the environment's spelling, but a form of one protocol sends it as it was read.
func TestSpelling(t *testing.T) {
	for _, form := range []string{configs.Chat, configs.ToolCall, configs.Single, configs.Completion, configs.Text} {
		for _, protocol := range []string{"", "react-hotpotqa@1"} {
			base, parser := bases(form)[0], "after-first-action"
			if form == configs.ToolCall {
				parser = configs.ToolCall
			}
			base["reply"] = map[string]any{"parser": parser, "on-failure": "send-empty"}
			p, err := parsedPreset(t, base)
			if err != nil {
				t.Fatal(form, err)
			}
			p.Protocol, p.Env.Limit.Steps = protocol, 1
			h := spellingHouse{}
			m := &recorder{replies: []string{wellFormed(parser, "Go to desk 1", 1)}}
			b := Benchmark{Env: h, Tasks: h.Tasks(), StepLimit: 1, Prompt: standIn(&p), PromptHash: "hash", Preset: p,
				Named: &record.Preset{Name: p.Name, SHA256: "hash"}}
			player := Player{Name: "vllm:m", Agent: form, Model: m}
			rec, cause := planned(t, &b, &player)[0].Play(t.Context(), Trusting{}, func(agent.Usage) {})
			if cause != nil || len(rec.Trajectory) == 0 {
				t.Fatal(form, cause, rec.Outcome)
			}
			sent, read, valid := "go to desk 1", "Go to desk 1", true
			if protocol != "" {
				sent, read, valid = "Go to desk 1", "", false
			}
			if s := rec.Trajectory[0]; s.Action != sent || s.Parsed != read || s.Valid != valid {
				t.Errorf("%s, protocol %q: %+v", form, protocol, s)
			}
		}
	}
}
