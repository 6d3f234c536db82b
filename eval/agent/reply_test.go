package agent

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// replies are texts that models write, and what parseReact reads in them; no
// action stands for a format error.
var replies = []struct {
	name, reply     string
	thought, action string
}{
	{"as asked for", "Thought: I see.\nAction: open box", "I see.", "open box"},
	{"without a thought", "Action: open box", "", "open box"},
	{"a thought of several lines", "Thought: I see.\n\nA box.\nAction: open box", "I see.\n\nA box.", "open box"},
	{"a thought without its label", "I see a box.\nAction: open box", "I see a box.", "open box"},
	{"a preamble", "Sure! Here is my answer.\n\nThought: I see.\nAction: open box", "I see.", "open box"},
	{"the observation repeated", "Observation: A box.\nThought: I see.\nAction: open box", "I see.", "open box"},
	{"two thoughts", "Thought: I see.\nThought: A box.\nAction: open box", "I see.\nThought: A box.", "open box"},

	// The label.
	{"lower case", "thought: I see.\naction: open box", "I see.", "open box"},
	{"upper case", "THOUGHT: I see.\nACTION: open box", "I see.", "open box"},
	{"no blank", "Thought:I see.\nAction:open box", "I see.", "open box"},
	{"blank before the colon", "Thought : I see.\nAction : open box", "I see.", "open box"},
	{"full-width colon", "Thought：I see.\nAction：open box", "I see.", "open box"},
	{"one full-width colon", "Thought: I see.\nAction：open box\nObservation： It opens.", "I see.", "open box"},
	{"a label in a quotation", "I must finish with \"The action:)\" and require care.", "", ""},
	{"a label in a quotation, then one", "They say “the action: x”, but my action is: open box",
		"They say “the action: x”, but", "open box"},
	{"a label in a bracket", "They are:\n- Enable: (Action: Enable)\n- Wait", "", ""},
	{"a noun that is no label", "Thought: The list has only one action: turn right. I will.", "", ""},
	{"a label after words", "I will do this Action: open box", "I will do this", "open box"},
	{"a label before punctuation", "Give the action:, and no more.", "", ""},
	{"an invented observation", "Observation: A box.\nAction: open box", "", "open box"},
	{"one within the thought", "Thought: I see.\nObservation: A box.\nThought: Good.\nAction: open box", "I see.", "open box"},
	{"bold label", "**Thought:** I see.\n**Action:** open box", "I see.", "open box"},
	{"bold label, colon outside", "**Thought**: I see.\n**Action**: open box", "I see.", "open box"},
	{"bold line", "**Thought: I see.**\n**Action: open box**", "I see.**", "open box"},
	{"underscores", "__Thought:__ I see.\n__Action:__ open box", "I see.", "open box"},
	{"bullets", "- Thought: I see.\n- Action: open box", "I see.", "open box"},
	{"round bullets", "• Thought: I see.\n• Action: open box", "I see.", "open box"},
	{"list of numbers", "1. Thought: I see.\n2. **Action**: open box", "I see.", "open box"},
	{"quotation", "> Thought: I see.\n> Action: open box", "I see.", "open box"},
	{"headings", "### Thought\nI see.\n\n### Action\nopen box", "I see.", "open box"},
	{"headings with colons", "## Thought:\nI see.\n## Action:\nopen box", "I see.", "open box"},
	{"numbers", "Thought 1: I see.\nAction 1: open box", "I see.", "open box"},
	{"numbers with a sign", "Thought #2: I see.\nAction #2: open box", "I see.", "open box"},
	{"plural", "Thoughts: I see.\nActions: open box", "I see.", "open box"},
	{"indented", "  Thought: I see.\n  Action: open box", "I see.", "open box"},
	{"doubled", "Action: Action: open box", "", "open box"},
	{"label in code", "`Action: open box`", "", "open box"},

	// No colon.
	{"no colon", "Thought I see.\nAction open box", "Thought I see.", "open box"},
	{"no colon after a thought", "Thought: I see.\nAction open box", "I see.", "open box"},
	{"dash", "Thought: I see.\nAction - open box", "I see.", "open box"},
	{"long dash", "Action — open box", "", "open box"},
	{"no colon, number", "Action 2 open box", "", "open box"},
	{"no colon, bold", "**Action** open box", "", "open box"},
	{"no colon, quoted", "Action \"open box\"", "", "open box"},
	{"compound word", "Action-oriented people open boxes.", "", ""},
	{"longer word", "Actionable: open box", "", ""},
	{"sentence about an action", "Action is needed here.", "", ""},
	{"another sentence", "Action must be taken.", "", ""},
	{"sentence, then the action", "Action is needed.\nAction: open box", "Action is needed.", "open box"},
	{"input of a tool", "Action Input: box", "", ""},
	{"tool and its input", "Action: open\nAction Input: box", "", "open"},
	{"plan", "Action plan: open all boxes.\nAction: open box", "Action plan: open all boxes.", "open box"},
	{"in parentheses", "Action (step 1): open box", "", ""},

	// Within a line.
	{"on the line of the thought", "Thought: I see. Action: open box", "I see.", "open box"},
	{"bold on the line of the thought", "Thought: I see. **Action:** open box", "I see.", "open box"},
	{"next action", "Thought: I see.\nNext action: open box", "I see.", "open box"},
	{"the next action is", "I see. The next action is: open box", "I see.", "open box"},
	{"action to take", "Action to take: open box", "", "open box"},
	{"my action will be", "My action will be:\nopen box", "", "open box"},
	{"an action named in the thought", "Thought: one action: wait. Better not.\nAction: open box",
		"one action: wait. Better not.", "open box"},
	{"nothing named in the thought", "Thought: I think of an action:\nAction: open box", "I think of an action:",
		"open box"},
	{"two turns on two lines", "Thought: I see. Action: open box\nThought: It is open.\nAction: look", "I see.",
		"open box"},
	{"invented answer within", "Thought: I see. Action: open box\nObservation: It is open.\nAction: look", "I see.",
		"open box"},
	{"sentence about the next action", "The next action is to open the box.", "", ""},
	{"reaction", "My reaction: none", "", ""},

	// More than an action.
	{"several actions", "Action: open box\nAction: look", "", "open box"},
	{"several actions on a line", "Action: open box Action: look", "", "open box"},
	{"list of actions", "Actions:\n1. open box\n2. look", "", "open box"},
	{"bulleted list of actions", "Action:\n- open box\n- look", "", "open box"},
	{"several turns", "Thought: I see.\nAction: open box\nObservation: It is open.\nThought: Good.\nAction: look",
		"I see.", "open box"},
	{"invented observation", "Action: open box\nObservation: It is open.", "", "open box"},
	{"invented observation, same line", "Action: open box Observation: It is open.", "", "open box"},
	{"invented observation, bold", "Action: open box **Observation:** It is open.", "", "open box"},
	{"thought behind", "Action: open box Thought: good.", "", "open box"},
	{"text after it", "Action: open box\n\nI hope that helps!", "", "open box"},
	{"comment on the same line", "Action: open box (it is locked)", "", "open box (it is locked)"},
	{"word in an argument", "Action: search[observation: a box]", "", "search[observation: a box]"},

	// The action's place.
	{"next line", "Thought: I see.\nAction:\nopen box", "I see.", "open box"},
	{"line after next", "Thought: I see.\nAction:\n\n  open box", "I see.", "open box"},
	{"nothing", "Thought: I see.\nAction:", "I see.", ""},
	{"observation in its place", "Action:\nObservation: It is open.\nopen box", "", ""},
	{"observation on its line", "Action: Observation: It is open.\nopen box", "", ""},
	{"empty, then another", "Action:\nThought: I see.\nAction: open box", "I see.", "open box"},
	{"nothing but quotes", "Action: \"\"", "", ""},

	// Fences.
	{"all in a fence", "```\nThought: I see.\nAction: open box\n```", "I see.", "open box"},
	{"all in a fence with a language", "```json\nThought: I see.\nAction: open box\n```", "I see.", "open box"},
	{"action in a fence", "Thought: I see.\nAction:\n```\nopen box\n```", "I see.", "open box"},
	{"action in a fence with a language", "Action:\n```shell-session\nopen box\n```", "", "open box"},
	{"fence on the label's line", "Action: ```\nopen box\n```", "", "open box"},
	{"fence with a language on the label's line", "Action: ```text\nopen box\n```", "", "open box"},
	{"fence on one line", "Action: ```open box```", "", "open box"},
	{"code", "Action: `open box`", "", "open box"},
	{"label and action in a fence on one line", "```Action: open box```", "", "open box"},
	{"fence that is the label", "Thought: I see.\n```action\nopen box\n```", "I see.", "open box"},
	{"tildes", "~~~\nAction: open box\n~~~", "", "open box"},
	{"fence in the thought", "Thought: I see\n```\na box\n```\nAction: open box", "I see\na box", "open box"},
	{"JSON", "```json\n{\"action\": \"open box\"}\n```", "", ""},

	// Around the action.
	{"double quotes", `Action: "open box"`, "", "open box"},
	{"single quotes", "Action: 'open box'", "", "open box"},
	{"curly quotes", "Action: “open box”", "", "open box"},
	{"quotes in quotes", `Action: "'open box'"`, "", "open box"},
	{"bold", "Action: **open box**", "", "open box"},
	{"bold code", "Action: **`open box`**", "", "open box"},
	{"quotes within", `Action: say "hello"`, "", `say "hello"`},
	{"apostrophe", "Action: open bob's box", "", "open bob's box"},
	{"leading underscore", "Action: _open_ box", "", "_open_ box"},
	{"full stop", "Action: open box.", "", "open box."},
	{"brackets", "Action: search[open box]", "", "search[open box]"},
	{"colon", "Action: search[box: open]", "", "search[box: open]"},
	{"blanks", "Action:   open   box   ", "", "open   box"},

	// Reasoning.

	// Nothing.
	{"empty", "", "", ""},
	{"blank", " \n\t\n", "", ""},
	{"only a thought", "Thought: I see a box.", "", ""},
	{"prose", "I would open the box.", "", ""},
	{"only an observation", "Observation: It is open.", "", ""},

	// Characters.
	{"CRLF", "Thought: I see.\r\nAction: open box\r\n", "I see.", "open box"},
	{"CR", "Thought: I see.\rAction: open box\r", "I see.", "open box"},
	{"blank lines first", "\n\n  \nThought: I see.\n\nAction: open box", "I see.", "open box"},
	{"other scripts", "Thought: 我看到盒子。\nAction: 打开盒子", "我看到盒子。", "打开盒子"},
	{"accents", "Action: öffne die Kiste", "", "öffne die Kiste"},
	{"other blanks", "Action:\u00a0\u3000open box\u00a0", "", "open box"},
	{"very long", "Action: " + strings.Repeat("open box ", 20000), "",
		strings.TrimSpace(strings.Repeat("open box ", 20000))},
}

func TestParseReact(t *testing.T) {
	for _, c := range replies {
		t.Run(c.name, func(t *testing.T) {
			p, ok := parseReact(c.reply)
			if ok != (c.action != "") || p.action != c.action {
				t.Errorf("action %.100q, %v; want %.100q", p.action, ok, c.action)
			}
			if ok && p.thought != c.thought {
				t.Errorf("thought %q, want %q", p.thought, c.thought)
			}
			checkParse(t, c.reply)
		})
	}
}

// checkParse checks what holds for every reply: an action is one line of text,
// and what is kept in the history reads as what was played.
func checkParse(t interface {
	Helper()
	Errorf(string, ...any)
}, reply string) {
	t.Helper()
	p, ok := parseReact(reply)
	if !ok {
		if p != (parsed{}) {
			t.Errorf("%q is no action, and still %+v", reply, p)
		}
		return
	}
	if p.action == "" || p.action != strings.TrimSpace(p.action) || strings.ContainsAny(p.action, "\r\n") {
		t.Errorf("%q gives the action %q", reply, p.action)
	}
	if p.thought != strings.TrimSpace(p.thought) || strings.Contains(p.thought, "\r") {
		t.Errorf("%q gives the thought %q", reply, p.thought)
	}
	if again, ok := parseReact(p.canonical()); !ok || again != p {
		t.Errorf("%q gives %+v, which reads as %+v, %v", reply, p, again, ok)
	}
}

// pieces are what replies of the react form are made of.
var pieces = []string{
	"Thought", "thought", "Thoughts", "Action", "action", "actions", "Observation", "observation:", ":", ":", " : ",
	" ", "\n", "\n\n", "\r\n", "\r",
	"**", "*", "_", "`", "```", "```action", "```json\n", "~~~", "\"", "'", "“", "”", "- ", "-", "— ", "1. ", "2", "#",
	"> ", "•",
	"the next ", "my ", " is", " to take", "open box", "x", "(", ".", "\u00a0", "\u2028", "盒", "İ", "\xff",
}

func TestParseReactHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkParse(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), ""))
	})
}

func FuzzParseReact(f *testing.F) {
	for _, c := range replies {
		if len(c.reply) < 1000 {
			f.Add(c.reply)
		}
	}
	f.Fuzz(func(t *testing.T, reply string) { checkParse(t, reply) })
}

// The word that patterns look for is tested first, because that is faster.
func FuzzFirstTests(f *testing.F) {
	for _, line := range []string{"Action: go", "my next ACTION is: x", "**aCtIoN 2**", "```action", "~~~",
		"Thought: x", "observation：", "fraction"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if !mentionsAction(line) && (actionLabel.MatchString(line) || actionWithin.MatchString(line) ||
			actionBare.MatchString(line)) {
			t.Errorf("%q has a label", line)
		}
	})
}

// TestParseReactIsLinear reads what models write when they cannot stop: a reply
// must not hold up a run. What is quadratic takes minutes here.
func TestParseReactIsLinear(t *testing.T) {
	for _, piece := range []string{
		"Action: ", "Action:\n", "action ", "\"", "'\"", "`", "* ", "- ", "1. ", "\n", "> ", "_", "Thought: ",
		"Observation: ",
		"the ", "next ", "the next action ", "Action", "```\n", "Action: \"",
	} {
		begun := time.Now()
		checkParse(t, strings.Repeat(piece, 1<<16/len(piece)))
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%q again and again takes %v", piece, took)
		}
	}
}
