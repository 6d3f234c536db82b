package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
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

// tagRules are verl-agent's and EPO's rules for replies, in Python, which lowers, strips and counts characters in its
// own way.
const tagRules = `
import json, sys
def action(text, tail):
    begin, end = text.find("<action>"), text.find("</action>")
    return text[-tail:] if min(begin, end) < 0 else text[begin + 8:end].strip()
for line in sys.stdin:
    text = json.loads(line)
    print(json.dumps([action(text.lower(), 30), action(text, 20)]))
`

// tagPieces are pieces of odd replies: tags in any order, number and case, and characters that Python and Go could take
// differently.
var tagPieces = []string{"<action>", "</action>", "<action>", "</action>", "<think>", "</think>", "<ACTION>",
	"</Action>", "< action>", "<action", "action>", "<|im_end|>", "</s>", "<tool_call>", "```", "go to desk 1",
	"Take Mug 1 from Desk 1", "look", "help", "I should go to the fridge. ", "去冰箱", "我拿杯子。", "打开", "!", ".", "'", `"`,
	"{}", "{observation}", "{", "}", "\\", "\n", "\r\n", " ", "\t", "\x1c", "\x1f", "\u0085", "\u00a0", "\u2028",
	"\u3000", "\u200b", "\ufeff", "\x00", "İ", "Σ", "ΑΣ", "ẞ",
	"ǅ", "K", "Å", "😀", "e\u0301", "\ufffd", "", "Action: ", "ACTION:", "None"}

// A reply of any kind is the action that the original makes of it, over the wire too.
func TestOddTags(t *testing.T) {
	path, err := exec.LookPath("python3")
	if err != nil {
		sharedtest.Absent(t, "python3", "needs Python: install python3")
	}
	draw := rand.New(rand.NewPCG(1, 70))
	replies := []string{""}
	for range sharedtest.Times(t, 20000, 1000) {
		var text strings.Builder
		for range draw.IntN(12) {
			text.WriteString(strings.Repeat(tagPieces[draw.IntN(len(tagPieces))], 1+draw.IntN(2)))
		}
		replies = append(replies, text.String())
	}
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	for _, text := range replies {
		sharedtest.OK(t, encoder.Encode(text))
	}
	original := exec.Command(path, "-c", tagRules)
	original.Stdin = &input
	out := sharedtest.Must(original.Output())(t)
	var reply string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, err := json.Marshal(reply)
		if err != nil {
			panic(err) // a text is JSON
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`, text)
	}))
	defer server.Close()
	client := sharedtest.Must(model.Open(model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"},
		BaseURL: server.URL, Retry: model.Retry{Attempts: 1}, Now: time.Now}))(t)
	answers := json.NewDecoder(bytes.NewReader(out))
	for _, reply = range replies {
		var want [2]string
		sharedtest.OK(t, answers.Decode(&want))
		for i, rules := range []configs.ReplyRules{
			{Parser: "action-tags", Reasoning: configs.Keep, OnFailure: "send-tail:30"},
			{Parser: "action-tags-cased", Reasoning: configs.Keep, OnFailure: "send-tail:20"}} {
			play := configs.Play{Agent: configs.AgentForm{Form: configs.Single}, Reply: rules,
				ActionsShown: configs.ActionsShown{Timing: configs.Never}}
			protocol := Protocol{Play: play, Template: &configs.Template{Next: "{observation}"}}
			a := sharedtest.Must(NewProtocol(chat(client), protocol, nil, envs.Start{}))(t)
			got := sharedtest.Must(a.Act(t.Context()))(t)
			sharedtest.Equal(t, got.Action, want[i], rules.Parser, reply, "is")
		}
	}
}
