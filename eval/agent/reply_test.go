package agent

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// reading is a text that a model writes, and what parseReact reads in it; no action stands for a format error.
type reading struct{ Name, Reply, Thought, Action string }

func replies(t testing.TB) []reading { return sharedtest.Cases[reading](t, "replies.yaml") }

func TestParseReact(t *testing.T) {
	long := strings.Repeat("open box ", 20000)
	for _, c := range append(replies(t), reading{"very long", "Action: " + long, "", strings.TrimSpace(long)}) {
		t.Run(c.Name, func(t *testing.T) {
			p, ok := parseReact(c.Reply)
			if ok != (c.Action != "") || p.action != c.Action {
				t.Errorf("action %.100q, %v; want %.100q", p.action, ok, c.Action)
			}
			if ok && p.thought != c.Thought {
				t.Errorf("thought %q, want %q", p.thought, c.Thought)
			}
			checkParse(t, c.Reply)
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
		sharedtest.Equal(t, p, (parsed{}), reply, "is no action, and still")
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
	for _, c := range replies(f) {
		if len(c.Reply) < 1000 {
			f.Add(c.Reply)
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
