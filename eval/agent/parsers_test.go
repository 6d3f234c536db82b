package agent

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
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
	for _, c := range sharedtest.Cases[struct {
		Parser, Reply, Thought, Action string
		Ok                             bool
	}](t, "parsers.yaml") {
		got, ok := parsers[c.Parser](c.Reply, 3)
		if got.occasion != "" || got.thought != c.Thought || got.action != c.Action || ok != c.Ok {
			t.Errorf("%s, %q: %+v, %v, want %q, %q, %v", c.Parser, c.Reply, got, ok, c.Thought, c.Action, c.Ok)
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
		n := sharedtest.Must(newNormaliser(c.name))(t)
		got := sharedtest.Must(n.apply(c.action, func() ([]string, error) { return choices, nil }))(t)
		sharedtest.Equal(t, got, c.want, c.name, c.action)
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
		sharedtest.Equal(t, tail(c.text, c.n), c.want, c.text)
	}
}

// FuzzParsers asks that no reply breaks a parser, and that no parser reads what the reply does not hold.
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

func TestParseBoard(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ Name, Reply, Want string }](t, "boardreplies.yaml") {
		t.Run(c.Name, func(t *testing.T) {
			if got, ok := parseBoard(c.Reply, 0); got.action != c.Want || ok != (c.Want != "") {
				t.Errorf("%q, %v, want %q", got.action, ok, c.Want)
			}
		})
	}
}

func FuzzParseBoard(f *testing.F) {
	for _, c := range replies(f) {
		if len(c.Reply) < 1000 {
			f.Add(c.Reply)
		}
	}
	f.Add("The next action:\n'İ action is to\r\n/open box/")
	f.Fuzz(func(t *testing.T, reply string) {
		got, ok := parseBoard(reply, 0)
		if strings.Contains(got.action, "\n") || ok != (got.action != "") {
			t.Errorf("%q gives %q, %v", reply, got.action, ok)
		}
		if !strings.Contains(reply, got.action) {
			t.Errorf("%q gives %q, which it does not contain", reply, got.action)
		}
	})
}

// What the history holds is what AgentBoard's drivers make of an action.
func TestKeptActions(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ Kept, Action, Want string }](t, "keptactions.yaml") {
		sharedtest.Equal(t, keeper(c.Kept)(c.Action), c.Want, c.Kept, c.Action, "gives")
	}
}
