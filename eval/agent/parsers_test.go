package agent

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/eval/model"
)

// Presets can name exactly the parsers that there are.
func TestParsersAreThoseOfPresets(t *testing.T) {
	want := slices.Sorted(slices.Values(configs.Parsers()))
	if got := slices.Sorted(maps.Keys(parsers)); !slices.Equal(got, want) {
		t.Errorf("there are %q, presets name %q", got, want)
	}
}

// ReadAs writes a reply in the form of every parser.
func TestParsersReadTheirForms(t *testing.T) {
	for _, name := range configs.Parsers() {
		play := configs.Play{Agent: configs.AgentForm{Tool: configs.Tool{Name: "act", Argument: "action"}},
			Reply: configs.ReplyRules{Parser: name}}
		if read, err := ReadAs(play, "open box"); read != "open box" || err != nil {
			t.Errorf("%s reads %q, %v: ReadAs in sayable.go must write a reply in its form", name, read, err)
		}
	}
}

// TestNamedParsers: what each protocol reads, slips included.
func TestNamedParsers(t *testing.T) {
	for _, c := range []struct {
		parser, reply   string
		thought, action string
		ok              bool
	}{
		{"react-line", " go to desk 1", "", "go to desk 1", true},
		{"react-line", "think: I see.\ngo", "", "think: I see.", true},
		{"react-line", "", "", "", false},
		{"react-line", "\ngo", "", "", false}, // its server stops there
		{"after-first-action", "Thought: I see.\nAction: open box", "I see.", "open box", true},
		{"after-first-action", "Action: open box\nAction: look", "", "open box\nAction: look", true},
		{"after-first-action", "Action:open\n\nbox ", "", "open\n\nbox", true},
		{"after-first-action", "Action:\n open box\n", "", " open box", true},
		{"after-first-action", "Action:\u3000open\u00a0\x1f", "", "open", true},
		{"after-first-action", "Action:", "", "", true},
		{"after-first-action", "action: open box", "", "", false},
		{"after-first-action-blank", "Action:open box", "", "", false},
		{"after-first-action-blank", "Action: ", "", "", false}, // the blank at the end is gone
		{"after-first-action-blank", "Action:  open box", "", " open box", true},
		{"after-first-action-blank", "I see. Action: open box", "I see.", "open box", true},
		{"after-last-action", "Thought: a\nAction: open box\nAction: look</s>", "a\nAction: open box", "loo", true},
		{"after-last-action", "Action: open box\nAction: look\u00a0</s>", "Action: open box", "look", true},
		{"after-last-action", "look</s>", "", "", false},
		{"after-last-action", "</s>", "", "", false},
		{"after-last-action", "Action: look</s>\n", "", "look</s>", true},
		{"after-last-action", "search[a red box]\n", "", "search[a red box]", true},
		{"after-last-action", "Action:\n", "", "", true},
		{"one-action-line", "Thought: a\nAction: go to the red ball 1!", "a", "go to the red ball 1", true},
		{"one-action-line", "Action: pick up, <b>\r\nDone.", "", "pick up, b", true},
		{"one-action-line", "Thought:\na\n\nAction:\n\u00a0turn  left</s>\nDone.", "a", "turn lefts", true},
		{"one-action-line", "The Action: a Action: b", "The", "a Action b", true},
		{"one-action-line", "Action:\nAction: b", "", "Action b", true},
		{"one-action-line", "Action:", "", "", true},
		{"one-action-line", "action: a", "", "", false},
		{"between-action-labels", "Thought: a\nAction: go\nup Action: look", "a", "go\nup", true},
		{"between-action-labels", "Action: look\n</s>", "", "look", true},
		{"between-action-labels", "look</s>", "", "loo", true},
		{"upper-action-line", "THOUGHT: a\nACTION: Go to Desk 1\nACTION: look", "a", "go to desk 1", true},
		{"upper-action-line", "Action: go", "", "", false},
		{"upper-action-line", "ACTION:\ngo", "", "", false},
		{"action-tags", "<think>A</think><action> Open Box </action>", "a", "open box", true},
		// as str.strip
		{"action-tags", "<think>\x1cA</think><action>\x1f Open Box\u0085</action>", "a", "open box", true},
		{"action-tags", "<ACTION>open box</Action>", "", "open box", true},
		{"action-tags", "<action>a</action><action>b</action>", "", "a", true},
		{"action-tags", "</action><action>b", "</action>", "", true},
		{"action-tags", "<action>a<action>b</action>", "", "a<action>b", true},
		{"action-tags", "Open Box", "", "open box", false},
		{"action-tags", "<action>open", "", "<action>open", false},
		{"action-tags-cased", "<action>Open\nBox</action>", "", "Open\nBox", true},
		{"action-tags-cased", "<ACTION>open</ACTION>", "", "<ACTION>open</ACTION>", false},
		{"whole-reply", " open box\n", "", "open box", true},
		{"whole-reply", "open\nbox", "", "", false},
		{"whole-reply", "  ", "", "", false},
		{"thought-action-i", "I see.\nAction 3: Search[Box]", "I see.", "search[Box]", true},
		{"thought-action-i", "I see.\nI go.\nAction 2: Search[Box]", "I see.", "", false},
		{"thought-action-i", "I see.\nAction 3: Éclair[a]\n", "I see.", "éclair[a]", true},
		{"thought-action-i", "I see.\nAction 3:  Search[Box]", "I see.", " Search[Box]", true},
		{"thought-action-i", "I see.\nAction 3: a\nAction 3: b", "I see.", "", false},
		{"thought-action-i", "", "", "", false},
		{"agentrefine", "**Action:** open box", "", "open box", true},
		{"agentboard", "The next action is to open box", "", "open box", true},
	} {
		got, ok := parsers[c.parser](c.reply, 3)
		if got.occasion != "" || got.thought != c.thought || got.action != c.action || ok != c.ok {
			t.Errorf("%s, %q: %+v, %v, want %q, %q, %v", c.parser, c.reply, got, ok, c.thought, c.action, c.ok)
		}
	}
}

// A reply with two actions is told from one without any.
func TestSeveralActions(t *testing.T) {
	for reply, several := range map[string]bool{"Action: a\nAction: b": true, "Action: a\nmy Action:": true,
		"a\nb": false} {
		if got, ok := parsers["one-action-line"](reply, 1); (got.occasion == "several") != several || ok {
			t.Errorf("%q: %+v, %v", reply, got, ok)
		}
	}
}

func TestNormalisers(t *testing.T) {
	choices := []string{"go to desk 1", "put mug 1 in/on desk 1", "look"}
	for _, c := range []struct{ name, action, want string }{
		{"lower", "Go To DESK 1", "go to desk 1"},
		{"first-line", "\u00a0look \nGo.", "look "},
		{"nearest-bleu:0.01", "look", "look"},
		{"nearest-bleu:0.01", "go to the desk 1", "go to desk 1"},
		{"nearest-bleu:0.01", "xyzzy", "xyzzy"},
		{"nearest-bleu:0.01", "", ""},
	} {
		n, err := newNormaliser(c.name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := n.apply(c.action, func() ([]string, error) { return choices, nil })
		if got != c.want || err != nil {
			t.Errorf("%s, %q: %q, %v, want %q", c.name, c.action, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "upper", "nearest-bleu", "nearest-bleu:", "nearest-bleu:1", "nearest-bleu:-1",
		"nearest-bleu:NaN", "lower:1"} {
		if _, err := newNormaliser(bad); err == nil {
			t.Errorf("%q is a normalisation", bad)
		}
	}
}

func TestTail(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"abcdef", 3, "def"}, {"ab", 3, "ab"}, {"", 3, ""}, {"äöü", 2, "öü"}} {
		if got := tail(c.text, c.n); got != c.want {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

// FuzzParsers asks that no reply breaks a parser, and that no parser reads what the
// reply does not hold.
func FuzzParsers(f *testing.F) {
	for _, reply := range []string{"Thought: a\nAction: b", "<think>a</think><action>b</action>", "</action><action>",
		"ACTION: B\n", "a\nAction 1: C[d]", "Action:", "",
		callReply{"a", model.ToolCall{Name: "act", Arguments: `{"action": "b"}`}}.text()} {
		f.Add(reply)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		for _, name := range slices.Sorted(maps.Keys(parsers)) {
			p, ok := parsers[name](reply, 1)
			if !ok && p.action != "" && !strings.HasPrefix(name, "action-tags") {
				t.Errorf("%s reads %q without an action from %q", name, p.action, reply)
			}
			if len(p.action) > 3*len(reply) { // lower case can be longer
				t.Errorf("%s reads %q from %q", name, p.action, reply)
			}
		}
	})
}
