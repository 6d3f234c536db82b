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

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

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
