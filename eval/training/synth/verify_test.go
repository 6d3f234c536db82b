package synth

import (
	"encoding/json"
	"fmt"
	"regexp/syntax"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

const shop = `{
	"Environment": {"shop": {"shelf": ["lamp", "rope"]}},
	"Goal": "Put the lamp into the box.",
	"Completion Conditions": ["the lamp is in the box"],
	"Available Actions": {
		"take {item}": {"verification code": "^\\s*take\\s+(.*?)\\s*$", "parameters": {"item": ["lamp", "rope"]}},
		"put {item} into {place}": {"verification code": "^put (?P<item>\\w+) into (?P<place>\\w+)\\Z", "parameters": {"item": ["lamp", "rope"], "place": ["box"]}},
		"wait": {"verification code": "^wait$", "parameters": {}}
	}
}`

// turn is a turn as JSON; the errors are "p", "l" and "o" for the three flags.
type turns []map[string]any

func (t *turns) player(action string) *turns {
	*t = append(*t, map[string]any{"turn": len(*t), "role": "Player", "Thought": "I think.", "Action": action})
	return t
}

func (t *turns) master(observation, flags string) *turns {
	*t = append(*t, map[string]any{
		"turn": len(*t), "role": "DM", "Thought": "", "Observation": observation,
		"parameter_error": strings.Contains(flags, "p"), "place_error": strings.Contains(flags, "l"),
		"logic_error": strings.Contains(flags, "o"),
	})
	return t
}

func good() *turns {
	t := &turns{}
	return t.master("You are in a shop.", "").player("take lmap").master("There is no lmap.", "p").
		player("take lamp").master("You take the lamp.", "").
		player("put lamp into shelf").master("It is not here.", "l").
		player("put lamp into box").master("Done. Task Succeed!", "")
}

// numbered counts the turns anew.
func (t *turns) numbered(first int) *turns {
	for i := range *t {
		(*t)[i]["turn"] = first + i
	}
	return t
}

func (t *turns) json() []byte {
	b, err := json.Marshal(*t)
	if err != nil {
		panic(err)
	}
	return b
}

func script(t testing.TB, text string) *Script {
	return sharedtest.Must(ParseScript([]byte(text)))(t)
}

// Each rule of the algorithm, by hand.
func TestVerify(t *testing.T) {
	s := script(t, shop)
	without := func(i int, key string) *turns {
		x := good()
		delete((*x)[i], key)
		return x
	}
	with := func(i int, key string, value any) *turns {
		x := good()
		(*x)[i][key] = value
		return x
	}
	cut := func(n int) *turns {
		x := (*good())[:n]
		return &x
	}
	for name, c := range map[string]struct {
		trajectory *turns
		o          Options
		reason     Reason
		verified   int
		message    string
	}{
		"good":           {good(), DefaultOptions(), "", 9, ""},
		"no turns":       {&turns{}, DefaultOptions(), Format, 0, "no turns"},
		"no thought":     {without(3, "Thought"), DefaultOptions(), Keys, 3, `"Thought" is missing`},
		"flag is a word": {with(4, "logic_error", "false"), DefaultOptions(), Keys, 4, "not true or false"},
		"another role":   {with(3, "role", "User"), DefaultOptions(), Keys, 3, `want "Player" or "DM"`},
		"no such action": {with(3, "Action", "steal lamp"), DefaultOptions(), BadAction, 3,
			"matches none of the available actions, but the DM reports no error"},
		"no such value": {with(7, "Action", "put lamp into shop"), DefaultOptions(), BadAction, 7,
			"not allowed values"},
		"an error excuses": {with(1, "Action", "anything"), DefaultOptions(), "", 9, ""},
		"only parameters count": {good(), Options{MinErrors: 2, ParameterOnly: true, SuccessText: "Task Succeed"},
			BadAction, 5, "put lamp into shelf"},
		"last wrong": {with(8, "place_error", true), DefaultOptions(), LastWrong, 8,
			"last turn reports an error"},
		"unfinished": {with(8, "Observation", "Done."), DefaultOptions(), Unfinished, 8,
			`"Task Succeed"`},
		"another word": {with(8, "Observation", "Done."), Options{MinErrors: 2, SuccessText: "Done"}, "",
			9, ""},
		"too few": {good(), Options{MinErrors: 3, SuccessText: "Task Succeed"}, TooFewErrors, 8,
			"the number of error turns is 2, want at least 3"},
		"player has the last word": {cut(8), DefaultOptions(), Keys, 7, "has not answered"},
		"from 1":                   {with(0, "turn", 0).numbered(1), DefaultOptions(), "", 9, ""},
		"from 2": {good().numbered(2), DefaultOptions(), Order, 0,
			"the first turn has the number 2, want 1"},
		"a number twice": {with(4, "turn", 3), DefaultOptions(), Order, 4, "has the number 3, want 4"},
		"half a number":  {with(4, "turn", 3.5), DefaultOptions(), Keys, 4, `"turn" is 3.5`},
		"two masters": {cut(3).master("A bird sings.", ""), DefaultOptions(), Order, 3,
			"two turns of the DM follow each other"},
		"two games": {good().player("wait").master("Task Succeed", ""), DefaultOptions(), AfterEnd, 9,
			`contains "Task Succeed"`},
		"told at the start": {with(0, "Observation", "The end will be: Task Succeed"), DefaultOptions(), "", 9, ""},
		"two players": {(&turns{}).player("wait").player("wait").master("Task Succeed", ""),
			DefaultOptions(), Keys, 0, "the next turn is the player's too"},
	} {
		v := Verify(s, c.trajectory.json(), c.o)
		if v.Reason != c.reason || v.Verified != c.verified || !strings.Contains(v.Message, c.message) ||
			c.reason != "" && c.reason != Format && v.Turn != c.verified+1 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := Verify(s, []byte(`[{"turn": 1} {"turn": 2}]`), DefaultOptions()); v.Reason != Format ||
		!strings.Contains(v.Message, `, after "[{\"turn\": 1}"`) {
		t.Errorf("%+v", v)
	}
	v := Verify(s, good().json(), DefaultOptions())
	if v.Errors != 2 || v.Parameter != 1 || v.Place != 1 || v.Logic != 0 || v.Repaired != 2 || v.Unchecked != 0 {
		t.Errorf("%+v", v)
	}
	if v := Verify(s, []byte(`{"turns": 1}`), DefaultOptions()); v.Reason != Format {
		t.Errorf("%+v", v)
	}
}

// The first turns of a game need no end, and an action without an answer is not verified.
func TestVerifyTurns(t *testing.T) {
	s := script(t, shop)
	var raw []json.RawMessage
	sharedtest.OK(t, json.Unmarshal(good().json(), &raw))
	for n := 1; n <= len(raw); n++ {
		v := VerifyTurns(s, raw[:n], DefaultOptions(), false)
		if want := n - 1 + n%2; v.Reason != "" || v.Verified != want || v.Ended != (n == len(raw)) {
			t.Errorf("%d turns: %+v", n, v)
		}
	}
}

// An error counts once for every answer of the master that reports one, as in Algorithm 1,
// and a pair is an error and the right turn after it.
func TestErrorsAndPairs(t *testing.T) {
	s := script(t, shop)
	x := (&turns{}).master("You are in a shop.", "").player("a").master("No.", "p").player("b").master("No.", "lo").
		player("wait").master("Yes.", "").player("c").master("No.", "o").player("wait").master("Task Succeed", "")
	v := Verify(s, x.json(), DefaultOptions())
	if v.Reason != "" || v.Errors != 3 || v.Repaired != 2 || v.Parameter != 1 || v.Place != 1 || v.Logic != 2 {
		t.Errorf("%+v", v)
	}
}

// Patterns mean what they mean in Python's re.match.
func TestPatterns(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Pattern, Text string
		Ok            bool
	}](t, "patterns.yaml") {
		re, err := compile(c.Pattern)
		if err != nil {
			t.Errorf("%s: %v", c.Pattern, err)
			continue
		}
		sharedtest.Equal(t, re.MatchString(c.Text), c.Ok, c.Pattern, c.Text)
	}
	for _, pattern := range []string{`(?=a)b`, `(a)\1`, `(?<!a)b`, `[^\W]`, `(`, strings.Repeat("a", 3000),
		`((a{1000}){1000}){1000}`, `(?:(?:\w{50}){50}){50}`, `\w{1000}`, `(?P=x)`, `(?#c)a`} {
		if _, err := compile(pattern); err == nil {
			t.Errorf("%.40s: no error", pattern)
		}
	}
}

// An unsupported pattern never counts as a wrong action, unless nothing else is left.
func TestUnsupportedPattern(t *testing.T) {
	s := script(t, strings.Replace(shop, `^wait$`, `^(?!x)wait$`, 1))
	x := good()
	(*x)[3]["Action"] = "wait"
	if v := Verify(s, x.json(), DefaultOptions()); v.Reason != Unsupported || !strings.Contains(v.Message, "wait: ") {
		t.Errorf("%+v", v)
	}
	if v := Verify(s, good().json(), DefaultOptions()); v.Reason != "" {
		t.Errorf("%+v", v)
	}
}

func TestScripts(t *testing.T) {
	for old, c := range sharedtest.Table[struct{ With, Want string }](t, "badscripts.yaml") {
		sharedtest.Fails(t, sharedtest.Err(ParseScript([]byte(replacedOnce(t, old, c.With)))), c.Want, old)
	}
	sharedtest.OK(t, script(t, shop).Check())
	sharedtest.Fails(t, script(t, strings.Replace(shop, "^wait$", "^await$", 1)).Check(), `does not match "wait"`)
}

// replacedOnce is the shop with a replacement.
func replacedOnce(t *testing.T, old, with string) string {
	t.Helper()
	if !strings.Contains(shop, old) {
		t.Fatalf("%s is not in the script", old)
	}
	return strings.Replace(shop, old, with, 1)
}

// Models write actions in many forms. What can be understood is checked, the rest is
// reported with the name of the action.
func TestActions(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Template, Code, Parameters string
		Check                      string // what Check reports
		Fits, Misfits              []string
	}](t, "actions.yaml") {
		s := script(t, fmt.Sprintf(`{"Environment": {}, "Goal": "g", "Completion Conditions": [], "Available Actions": `+
			`{%q: {"verification code": "%s", "parameters": %s}}}`, c.Template, c.Code, c.Parameters))
		err := s.Check()
		if (err == nil) != (c.Check == "") || err != nil && (!strings.Contains(err.Error(), c.Check) ||
			!strings.Contains(err.Error(), fmt.Sprintf("the action %q", c.Template))) {
			t.Errorf("%s: %v", c.Template, err)
		}
		for _, action := range c.Fits {
			if ok, parameters, _, why := s.Fits(action); !ok || !parameters {
				t.Errorf("%s: %q does not fit: %s", c.Code, action, why)
			}
		}
		for _, action := range c.Misfits {
			if ok, _, _, _ := s.Fits(action); ok {
				t.Errorf("%s: %q fits", c.Code, action)
			}
		}
	}
}

// A change of a good trajectory is found at its turn, with its reason.
func TestMutations(t *testing.T) {
	s := script(t, shop)
	rapid.Check(t, func(t *rapid.T) {
		x := &turns{}
		x.master("You are in a shop.", "")
		for range rapid.IntRange(2, 12).Draw(t, "errors") {
			x.player(rapid.String().Draw(t, "nonsense")).master("No.",
				rapid.SampledFrom([]string{"p", "l", "o", "plo"}).Draw(t, "flags"))
			for range rapid.IntRange(0, 3).Draw(t, "good") {
				x.player(rapid.SampledFrom([]string{"wait", " take rope ", "put rope into box"}).Draw(t,
					"action")).master("Yes.", "")
			}
		}
		x.player("put lamp into box").master("Task Succeed", "")
		if v := Verify(s, x.json(), DefaultOptions()); v.Reason != "" {
			t.Fatalf("%+v of %s", v, x.json())
		}
		i := rapid.IntRange(0, len(*x)-1).Draw(t, "turn")
		turn := (*x)[i]
		want, at := Keys, i
		switch keys := []string{"role", "turn", "Thought"}; rapid.IntRange(0, 2).Draw(t, "change") {
		case 0:
			delete(turn, rapid.SampledFrom(keys).Draw(t, "key"))
		case 1:
			turn[rapid.SampledFrom(keys).Draw(t, "key")] = rapid.SampledFrom(
				[]any{nil, []int{1}, map[string]int{}}).Draw(t, "value")
		case 2:
			last := len(*x) - 2
			(*x)[last]["Action"] = "put lamp in the box"
			want, at = BadAction, last
		}
		if v := Verify(s, x.json(), DefaultOptions()); v.Reason != want || v.Turn != at+1 || v.Verified != at {
			t.Fatalf("%+v, want %s at %d, of %s", v, want, at+1, x.json())
		}
	})
}

// Strings of JSON as models write them are read; with lenient also what surrounds them.
func TestLines(t *testing.T) {
	quoted := func(text string) string { b, _ := json.Marshal(text); return string(b) }
	trajectory := string(good().json())
	lines := strings.Join([]string{
		fmt.Sprintf(`{"script": %s, "trajectory": %s}`, strings.Join(strings.Fields(shop), " "), trajectory),
		fmt.Sprintf(`{"script": %s, "trajectory": %s}`, quoted(shop), quoted(trajectory)),
		"",
		fmt.Sprintf(`{"script": %s, "trajectory": %s}`, quoted(shop),
			quoted("```json\n"+strings.TrimSuffix(trajectory, "]")+", ]\n```")),
		`{"script": {}}`,
		`nonsense`,
	}, "\n")
	for lenient, want := range map[bool]string{
		false: "1 2 4format 5format 6format",
		true:  "1 2 4(mended) 5format 6format",
	} {
		var got []string
		err := VerifyLines("lines", strings.NewReader(lines), DefaultOptions(), lenient, func(c Checked) error {
			text := fmt.Sprint(c.Line, c.Reason)
			if c.Mended {
				text += "(mended)"
			}
			got = append(got, text)
			return nil
		})
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("lenient %v: %q, %v", lenient, got, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add([]byte(shop), good().json())
	f.Add([]byte("```json\n"+shop+",]"), []byte(`[{"role":"DM"}]`))
	f.Fuzz(func(t *testing.T, script, trajectory []byte) {
		s, err := ParseScript(script)
		if err != nil {
			return
		}
		_ = s.Check()
		v := Verify(s, trajectory, DefaultOptions())
		if v.Reason == "" && v.Verified != v.Turns || v.Verified > v.Turns {
			t.Errorf("%+v", v)
		}
	})
}

// A pattern is as large as its text, with repetitions written out.
func TestSizeOfPatterns(t *testing.T) {
	for pattern, want := range map[string]int{
		"abcdefghij":     10,
		"(?:abcdef){20}": 20 * 7,
		"(?:abcdef){3,}": 3 * 7,
		"[a-z]":          1,
		"a|bcdef":        1 + 1 + 5,
	} {
		re := sharedtest.Must(syntax.Parse(pattern, syntax.Perl))(t)
		sharedtest.Equal(t, size(re), want, pattern)
	}
}

// What passes is written so that it can be read for training, with a mask by the master's next turn.
func TestMasked(t *testing.T) {
	line := fmt.Sprintf(`{"id": "a<b", "script": %s, "trajectory": %s, "more": 1}`,
		strings.Join(strings.Fields(shop), " "), good().json())
	var out []byte
	check := func(o Options, want string) {
		t.Helper()
		sharedtest.OK(t, VerifyLines("lines", strings.NewReader(line), o, false, func(c Checked) error {
			if c.Reason != "" || c.Masked == nil {
				t.Fatalf("%+v", c)
			}
			out = c.Masked
			return nil
		}))
		got := ""
		if _, err := ReadItems("lines", strings.NewReader(string(out)), func(i *Item) error {
			if i.ID != "a<b" || len(i.Turns) != 9 || i.Script.Goal == "" || i.Turns[1].Thought != "I think." {
				t.Errorf("%+v", i)
			}
			for n, turn := range i.Turns {
				if !turn.Master {
					got += map[bool]string{true: "+", false: "-"}[i.Train[n]]
				} else if i.Train[n] {
					t.Errorf("turn %d is the master's", n+1)
				}
			}
			return nil
		}); err != nil || got != want {
			t.Errorf("%q, want %q; %v", got, want, err)
		}
	}
	check(DefaultOptions(), "-+-+")
	if !strings.Contains(string(out), "a<b") || strings.Contains(string(out), "more") {
		t.Errorf("%s", out)
	}
	line = string(out) // again
	check(DefaultOptions(), "-+-+")
}

func TestItemsThatAreNotVerified(t *testing.T) {
	raw := fmt.Sprintf(`{"script": %s, "trajectory": %s}`, strings.Join(strings.Fields(shop), " "), good().json())
	for line, want := range map[string]string{
		raw:              `lines:2: turn 2: the key "train" is missing`,
		`{"script": {}}`: `needs the keys`,
		`[1]`:            `heldout verify --masked`,
		strings.ReplaceAll(raw, `"Goal"`, `"Goals"`): `no "Goal"`,
	} {
		_, err := ReadItems("lines", strings.NewReader("\n"+line), func(*Item) error { return nil })
		sharedtest.Fails(t, err, want)
	}
}

func FuzzReadItem(f *testing.F) {
	f.Add(
		[]byte(`{"script": ` + shop +
			`, "trajectory": [{"turn": 0, "role": "Player", "Thought": "", "Action": "wait", "train": true}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		item, err := readItem(line)
		if err == nil && (len(item.Turns) != len(item.Train) || len(item.Turns) == 0) {
			t.Errorf("%+v", item)
		}
	})
}
