package agent

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// around is a way to decorate an action, with what it needs of the action.
type around struct {
	name, before, after string
	// lacks are characters that the action must not have, because it would be another text then.
	lacks string
}

// decorations are what models put around an action, and %s is where it stands.
var decorations = func() (all []around) {
	for _, d := range []struct{ form, lacks string }{
		{`"%s"`, `"`}, {"'%s'", "'"}, {"“%s”", ""}, {"„%s“", ""}, {"‘%s’", ""}, {"«%s»", ""}, {"「%s」", ""}, {"`%s`", "`"},
		{"``%s``", "`"}, {"```%s```", "`"}, {"*%s*", "*"}, {"**%s**", "*"}, {"***%s***", "*"},
		{"_%s_", "_"}, {"__%s__", "_"}, {"** %s **", "*"}, {"\\boxed{%s}", "{}\\"}, {"\\boxed{\\text{%s}}", "{}\\"},
		{"$\\boxed{%s}$", "{}\\$"}, {"$$\\boxed{\\texttt{%s}}$$", "{}\\$"}, {"\\(\\boxed{%s}\\)", "{}\\"},
		{"\\[\\boxed{%s}\\]", "{}\\"}, {"\\text{%s}", "{}\\"}, {`{"action": "%s"}`, `"\`}, {`{"Action":"%s"}`, `"\`},
		{"- %s", ""}, {"* %s", "*"}, {"• %s", ""}, {"1. %s", ""}, {"2) %s", ""}, {"> %s", ""}, {"Action: %s", ""},
		{"  %s  ", ""},
	} {
		before, after, _ := strings.Cut(d.form, "%s")
		all = append(all, around{name: d.form, before: before, after: after, lacks: d.lacks})
	}
	return all
}()

// labels are lines of an action with what may follow it.
var labels = []struct{ before, after string }{
	{"Action: ", ""}, {"**Action:** ", ""}, {"**Action**: ", ""}, {"**Action: ", "**"}, {"*Action: ", "*"},
	{"`Action: ", "`"},
	{"```Action: ", "```"}, {"__Action:__ ", ""}, {"- **Action:** ", ""}, {"* Action: ", ""}, {"* **Action:** ", ""},
	{"1. Action: ", ""}, {"### Action\n", ""},
	{"Action:\n", ""}, {"Action:\n```\n", "\n```"}, {"Action: ```text\n", "\n```"}, {"**Action:**\n", ""},
	{"**Action: ", "**."},
	{"> Action: ", ""}, {"I go on. **Action:** ", ""}, {"action： ", ""}, {"Action:**", "**"},
}

func (d around) fits(action string) bool { return !strings.ContainsAny(action, d.lacks) }

// bareActions are texts as models write them bare: words of actions, with what may stand within.
func bareActions(t *rapid.T) string {
	word := rapid.SampledFrom([]string{"look", "go", "to", "desk", "1", "finish", "[Bob's", "box]", "search[a b]",
		"take", "the",
		"bird's", "nest", "dogs'", "don't", "\"hello\"", "say", "x/y", "in/on", "(3,", "4)", "a*b", "2*3", "red_ball",
		"b-c", "`x`", "100%",
		"café", "盒", "O'Brien", "it.", "Mr.", "{a}", "$5", "\\n", "“so”", "‘tis", "rock’n’roll", "[sic]", "(band)"})
	first := rapid.SampledFrom([]string{"look", "go", "say", "finish[x", "put", "3", "盒", "x'"}).Draw(t, "first")
	rest := rapid.SliceOfN(word, 0, 6).Draw(t, "rest")
	last := rapid.SampledFrom([]string{"", " box", " 2", " x.", "]", " nest", " dogs'", " \"hello\"", "?", "!"}).Draw(t,
		"last")
	return strings.Join(append([]string{first}, rest...), " ") + last
}

// A bare action comes through as it is, and so it does out of every decoration in pairs, one within
// the other, with a full stop behind.
func TestDecorations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		action := bareActions(t)
		label := rapid.SampledFrom(labels).Draw(t, "label")
		text, name := action, ""
		for range rapid.IntRange(0, 3).Draw(t, "layers") {
			d := rapid.SampledFrom(decorations).Draw(t, "decoration")
			// a label on a line of its own, and another
			again := d.before == "Action: " && strings.HasSuffix(label.before, "\n")
			if !d.fits(text) || again {
				continue
			}
			text, name = d.before+text+d.after, d.name
			if d.after != "" && strings.TrimSpace(d.after) != "" && rapid.Bool().Draw(t, "stop") {
				text += rapid.SampledFrom([]string{".", "。", " ."}).Draw(t, "with")
			}
		}
		if strings.ContainsAny(label.after, "*`") && strings.ContainsAny(text, "*`") {
			label = labels[0]
		}
		reply := "Thought: I'm \"here\".\n" + label.before + text + label.after
		if p, ok := parseReact(reply); !ok || p.action != action {
			t.Fatalf("%q (%s) gives %q, want %q", reply, name, p.action, action)
		}
		checkParse(t, reply)
	})
}

// Half of a pair stays, and so do two pairs beside each other.
func TestHalves(t *testing.T) {
	for _, d := range decorations {
		if d.before == "" || d.after == "" || strings.HasSuffix(d.before, " ") { // its side cannot be seen
			continue
		}
		for _, text := range []string{"look" + d.after, d.before + "look" + d.after + " or " + d.before + "wait" +
			d.after} {
			if strings.HasPrefix(text, "{") {
				continue
			}
			if p, _ := parseReact("Action: " + text); p.action != strings.TrimSpace(text) {
				t.Errorf("%s: %q gives %q", d.name, text, p.action)
			}
		}
	}
}

func ExampleCanonical() {
	fmt.Println(HistoryEntry("**Thought:** I turn.\n**Action:** `turn left`."))
	// Output:
	// Thought: I turn.
	// Action: turn left
}
