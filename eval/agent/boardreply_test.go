package agent

import (
	"strings"
	"testing"
)

func TestParseBoard(t *testing.T) {
	for _, c := range []struct{ name, reply, want string }{
		{"plain", "open box", "open box"},
		{"blanks", "  open box \n", "open box"},
		{"label", "Action: open box", "open box"},
		{"case", "ACTION: open box", "open box"},
		{"line that mentions an action", "I think.\nMy action: open box\nlook", "open box"},
		{"first line with a colon", "About actions\nAction: open box\nAction: look", "open box"},
		{"is to", "The best action is to open box", "open box"},
		{"colon before is to", "The action is to: open box", "open box"},
		{"next action", "Here is the next action to take:\n\nopen box\nlook", "open box"},
		{"next action with a label", "Here is the next action:\nAction: open box", "open box"},
		{"next action on its line", "The next action: open box\nlook", "open box"},
		{"an action without a colon", "take action", "take action"},
		{"label without an action", "Action:\nopen box", "Action:"}, // as in AgentBoard
		{"second colon", "Action: search: box", "search: box"},
		{"quotes", "'open box'", "open box"},
		{"quotes behind a label", "Action: 'open box'", "open box"},
		{"slashes", "/open box/", "open box"},
		{"double quotes stay", `"open box"`, `"open box"`},
		{"blanks in quotes stay", "' open box '", " open box "},
		{"a line break in quotes", "'\nopen box", ""},
		{"invented history", "open box\nObservation: It is open.\nlook", "open box"},
		{"CRLF", "open box\r\nlook", "open box\r"},
		{"CRLF and label", "Action: open box\r\nlook", "open box"},
		{"empty", "", ""},
		{"blank", " \n ", ""},
		{"other scripts", "action: 打开盒子", "打开盒子"},
		{"a label and blanks", "Action:  \nopen box", "Action:"},
		{"an announced action and a later label", "My next action:\nopen box\naction: look", "look"},
		{"an announced action that nothing follows", "My next action:", "My next action:"},
		{"equal announcements", "Next, the next action:\nopen box\nNext, the next action:\nlook", "open box"},
		{"input of a tool", "with Action Input: open box\nlook", "with Action Input: open box"},
		{"is to, twice", "the action is to open box is to look", "open box"},
		{"nothing behind is to", "the action is to\nopen box", "the action is to"},
		{"a line that mentions nothing", "I see:\nno Action", "I see:"},
		{"letters that grow in lower case", "İİİİİ action is to open box", "open box"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := parseBoard(c.reply, 0); got.action != c.want || ok != (c.want != "") {
				t.Errorf("%q, %v, want %q", got.action, ok, c.want)
			}
		})
	}
}

func FuzzParseBoard(f *testing.F) {
	for _, c := range replies {
		if len(c.reply) < 1000 {
			f.Add(c.reply)
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
	for _, c := range []struct{ kept, action, want string }{
		{"", " put a in b. ", " put a in b. "},
		{"alfworld", " put a in b. ", "put a in/on b"},
		{"alfworld", "put a on b on c", "put a in/on b in/on c"},
		{"alfworld", "put a in/on b", "put a in/on b"},
		{"alfworld", "input a on b in c", "input a on b in/on c"},
		{"alfworld", "look..", "look."},
		{"alfworld:deposit", "deposit a in b.", "deposit a in/on b"},
		{"alfworld:deposit", "put a in b", "put a in b"},
		{"alfworld", "go in there .", "go in there"},
		{"jericho", "take lamp, then go.", "take lamp"},
		{"jericho", "go. north", "go"},
		{"jericho", strings.Repeat("x ", 30), strings.TrimSpace(strings.Repeat("x ", 20))},
	} {
		if got := keeper(c.kept)(c.action); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.kept, c.action, got, c.want)
		}
	}
}
