package generate

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/training/calls"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
)

// play is a game that a scripted model tells: the turns, in the words of a telling.
type play struct {
	item    int
	telling int // the same game in other words
}

// plays are the steps of every game: action, the master's flags, and its answer.
var plays = []struct{ action, flags, answer string }{
	{"take lmap", "p", "There is nothing of that name."},
	{"take lamp", "", "You take the lamp."},
	{"take rope", "l", "The rope is in the yard."},
	{"wait", "", "The shop opens."},
	{"wait", "o", "It is open already."},
	{"take rope", "", "You take the rope."},
	{"wait", "", "It is done. Task Succeed"},
}

// opening is how the master of a game begins in its first words.
func (p play) opening() string {
	if p.telling == 0 {
		return "You are in shop number %d."
	}
	return "This is the shop with the number %d, and you stand inside."
}

// turns are the turns of the game, counted from the first number.
func (p play) turns(first int) []string {
	words := []string{"I try %s in shop %d.", "My next step in shop %[2]d ought to be: %[1]s, I think."}[p.telling]
	extra := []string{"", " So the master says."}[p.telling]
	out := []string{p.master(first, fmt.Sprintf(p.opening(), p.item)+extra, "")}
	for i, s := range plays {
		thought := fmt.Sprintf(words, s.action, p.item)
		out = append(out, fmt.Sprintf(`{"turn": %d, "role": "Player", "Thought": %q, "Action": %q}`, first+2*i+1, thought,
			s.action), p.master(first+2*i+2, s.answer+extra, s.flags))
	}
	return out
}

func (p play) master(n int, observation, flags string) string {
	return fmt.Sprintf(`{"turn": %d, "role": "DM", "Thought": "", "Observation": %q, "parameter_error": %v, `+
		`"place_error": %v, "logic_error": %v}`, n, observation, strings.Contains(flags, "p"),
		strings.Contains(flags, "l"), strings.Contains(flags, "o"))
}

// scripted is a reply of a model that follows a script.
type scripted struct {
	text  string
	fault record.Fault
}

// mode is a way in which a model errs. The functions get the call of the item, from 0 for
// each kind, and what the prompt asks for; nil means that the model makes no mistake.
type mode struct {
	name string
	// script is the reply to a call for a script; shown is the earlier script if the prompt has it.
	script func(clean string, n int, prompt string) scripted
	// game is the reply to a call for turns: all of them, or those from number next on.
	game func(p play, n, next int, prompt string) scripted
	// kept is how many of 20 items are to be kept.
	kept int
}

// fromNumber is what every prompt for a continuation says.
var fromNumber = regexp.MustCompile(`from turn (\d+) to the end`)

// asks returns the number of the turn from which a prompt asks for turns: 1 for a whole game.
func asks(prompt string) int {
	next := 1
	if m := fromNumber.FindStringSubmatch(prompt); m != nil {
		fmt.Sscan(m[1], &next)
	}
	return next
}

// rest is what is asked for, as it should be.
func rest(p play, next int) []string { return p.turns(1)[next-1:] }

func said(turns []string) scripted { return scripted{text: whole(turns)} }

// cut is a reply that the length limit ends after a share of a whole game.
func cut(text string, limit int) scripted {
	if len(text) <= limit {
		return scripted{text: text}
	}
	return scripted{text[:limit], record.CutOff}
}

// spoiled makes a model whose every whole game has a mistake, and whose continuations have none.
func spoiled(spoil func(text string) string) func(play, int, int, string) scripted {
	return func(p play, _, next int, _ string) scripted {
		if next > 1 {
			return said(rest(p, next))
		}
		return scripted{text: spoil(whole(p.turns(1)))}
	}
}

// firstWrong makes a model whose first game has an unknown action in turn 10, and which then answers as told.
func firstWrong(then func(p play, next int) []string) func(play, int, int, string) scripted {
	return func(p play, n, next int, _ string) scripted {
		if n == 0 {
			turns := p.turns(1)
			turns[9] = strings.Replace(turns[9], `"Action": "wait"`, `"Action": "sleep"`, 1)
			turns[10] = p.master(11, "You doze off.", "")
			return said(turns)
		}
		return said(then(p, next))
	}
}

// masterWrong makes a model in whose first game turn 11, of the master, lacks a key.
func masterWrong(then func(p play, next int) []string) func(play, int, int, string) scripted {
	return func(p play, n, next int, _ string) scripted {
		if n == 0 {
			turns := p.turns(1)
			turns[10] = strings.Replace(turns[10], `"Thought"`, `"Reason"`, 1)
			return said(turns)
		}
		return said(then(p, next))
	}
}

// swap replaces what is there, as often as it is.
func swap(old, with string) func(string) string {
	return func(text string) string {
		if !strings.Contains(text, old) {
			panic(fmt.Sprintf("%q is not in %s", old, text))
		}
		return strings.ReplaceAll(text, old, with)
	}
}

// alwaysScript makes a model that writes every script with one mistake, unless the prompt shows it what it wrote.
func alwaysScript(spoil func(string) string) func(string, int, string) scripted {
	return func(clean string, n int, prompt string) scripted {
		if bad := spoil(clean); n == 0 || !strings.Contains(prompt, tail(bad)) {
			return scripted{text: bad}
		}
		return scripted{text: clean}
	}
}

// tail is the end of a text, by which a model recognises what it wrote.
func tail(text string) string { return text[max(0, len(text)-60):] }

// modes lists the ways in which a model errs, and how many of 20 items must be kept.
func modes() []mode {
	return []mode{
		{"clean", nil, nil, 20},
		{"code fence and chatter", nil, spoiled(func(s string) string {
			return "Sure!\n```json\n" + s + "\n```\nEnjoy {it}."
		}), 20},
		{"bracket in the preamble", nil, spoiled(func(s string) string {
			return "The turns [1 to 15] are:\n" + s
		}), 20},
		{"brace in the preamble of the script", func(s string, _ int, _ string) scripted {
			return scripted{text: "A script with {item} as parameter:\n" + s + "\nIt has {2} actions."}
		}, nil, 20},
		{"list inside an object", nil, spoiled(func(s string) string { return `{"turns": ` + s + `}` }), 20},
		{"trailing commas", nil, spoiled(swap("}]", "},]")), 20},
		{"cut at the length limit", nil, func(p play, _, next int, _ string) scripted {
			return cut(whole(rest(p, next)), len(whole(p.turns(1)))*2/3)
		}, 20},
		{"one missing comma", nil, spoiled(swap("},\n {\"turn\": 10", "}\n {\"turn\": 10")), 20},
		{"quotes without a backslash", nil, spoiled(swap("It is open already.", `It is "open" already.`)), 20},
		{"an unknown action", nil, firstWrong(rest), 20},
		{"the same words again, then the rest", nil, firstWrong(func(p play, _ int) []string {
			return p.turns(1)
		}), 20},
		{"whole game told again in other words", nil, firstWrong(func(p play, _ int) []string {
			return play{p.item, 1}.turns(1)
		}), 20},
		{"told again with numbers that go on", nil, firstWrong(func(p play, next int) []string {
			return play{p.item, 1}.turns(next)
		}), 20},
		{"the rest, numbered from 1", nil, firstWrong(func(p play, next int) []string {
			return p.turns(2 - next)[next-1:]
		}), 20},
		{"the rest without its first two turns", nil, firstWrong(func(p play, next int) []string {
			return rest(p, next)[2:]
		}), 0},
		{"two games in one list", nil, spoiled(func(s string) string { return s[:len(s)-1] + "," + s[1:] }), 20},
		{"goes on after its end", nil, func(p play, _, next int, _ string) scripted {
			return said(append(p.turns(1),
				`{"turn": 16, "role": "Player", "Thought": "Again.", "Action": "wait"}`,
				p.master(17, "The game is over.", ""))[next-1:])
		}, 20},
		{"told again after a fault of the master", nil, masterWrong(func(p play, _ int) []string {
			return play{p.item, 1}.turns(1)
		}), 20},
		{"told again, and cut off", nil, func(p play, n, next int, prompt string) scripted {
			if n == 1 {
				text := whole(play{p.item, 1}.turns(1))
				return cut(text, len(text)/3)
			}
			return firstWrong(rest)(p, n, next, prompt)
		}, 20},
		{"two turns out of order", nil, spoiled(func(s string) string {
			s = swap(`"turn": 10,`, `"turn": X,`)(s)
			s = swap(`"turn": 12,`, `"turn": 10,`)(s)
			return swap(`"turn": X,`, `"turn": 12,`)(s)
		}), 20},
		{"a turn twice", nil, func(p play, _, next int, _ string) scripted {
			if next > 1 {
				return said(rest(p, next))
			}
			turns := p.turns(1)
			return said(slices.Insert(turns, 9, turns[7], turns[8]))
		}, 20},
		{"a turn left out", nil, func(p play, _, next int, _ string) scripted {
			if next > 1 {
				return said(rest(p, next))
			}
			return said(slices.Delete(p.turns(1), 9, 11))
		}, 20},
		{"the master speaks twice", nil, func(p play, _, next int, _ string) scripted {
			if next > 1 {
				return said(rest(p, next))
			}
			turns := p.turns(1)
			turns = slices.Insert(turns, 9, p.master(10, "A bird sings.", ""))
			return said(renumbered(turns))
		}, 20},
		{"too few error turns", nil, func(p play, n, _ int, prompt string) scripted {
			few := whole(renumbered(slices.Delete(p.turns(1), 1, 7)))
			if n > 0 && strings.Contains(prompt, fmt.Sprintf("in shop %d", p.item)) {
				return said(p.turns(1)) // it has its game before it, and adds errors
			}
			return scripted{text: few}
		}, 20},
		{"a comma is missing in the script", alwaysScript(swap(`]}}, "wait"`, `]}} "wait"`)), nil, 20},
		{"the code of an action is wrong", alwaysScript(swap("^wait$", "^await$")), nil, 20},
		{"parameters are an empty list", always(swap(`"parameters": {}`, `"parameters": []`)), nil, 20},
		{"values are numbers", always(swap(`"wait": {`,
			`"wait {n}": {"verification code": "^wait (\\d+)$", "parameters": {"n": [1, 2]}}, "wait": {`)), nil, 20},
		{"a group around alternatives", always(swap(`^take (\\w+)$`, `^(take|grab) (\\w+)$`)), nil, 20},
	}
}

// always makes a model that writes every script in a way.
func always(spoil func(string) string) func(string, int, string) scripted {
	return func(clean string, _ int, _ string) scripted { return scripted{text: spoil(clean)} }
}

var numberOf = regexp.MustCompile(`^\{"turn": \d+`)

// renumbered counts turns from 1.
func renumbered(turns []string) (out []string) {
	for i, t := range turns {
		out = append(out, numberOf.ReplaceAllString(t, fmt.Sprintf(`{"turn": %d`, i+1)))
	}
	return out
}

// sound says what is wrong with a game that was kept, by what the scripted model knows: ""
// if it is one game from its opening to its end.
func sound(turns []json.RawMessage) string {
	errors := 0
	for i, raw := range turns {
		var t struct {
			Turn                         int
			Role, Observation            string
			Parameter_error, Place_error bool
			Logic_error                  bool
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return err.Error()
		}
		opens := strings.HasPrefix(t.Observation, "You are in shop number") ||
			strings.HasPrefix(t.Observation, "This is the shop")
		ends := strings.Contains(t.Observation, "Task Succeed")
		if t.Parameter_error || t.Place_error || t.Logic_error {
			errors++
		}
		switch {
		case t.Turn != i+1:
			return fmt.Sprintf("turn %d has the number %d", i+1, t.Turn)
		case (t.Role == "DM") != (i%2 == 0):
			return fmt.Sprintf("turn %d is of %s", i+1, t.Role)
		case opens != (i == 0):
			return fmt.Sprintf("turn %d: opening %v", i+1, opens)
		case ends != (i == len(turns)-1):
			return fmt.Sprintf("turn %d of %d: end %v", i+1, len(turns), ends)
		}
	}
	if errors < 2 {
		return fmt.Sprintf("%d error turns", errors)
	}
	return ""
}

// Of 20 items of every way to err, as many are kept as can be, and none is corrupt.
func TestModes(t *testing.T) {
	const items = 20
	t.Logf("%-42s %5s %8s %6s", "mode", "kept", "corrupt", "calls")
	for _, m := range sharedtest.Sample(t, modes(), 8) {
		kept, corrupt, asked, why := 0, 0, 0, ""
		for item := range items {
			it := m.make(t, item)
			asked += len(it.Attempts)
			if !it.Passed {
				why = it.Attempts[len(it.Attempts)-1].Message
				continue
			}
			kept++
			if fault := sound(it.Trajectory); fault != "" {
				corrupt++
				why = fault
			}
		}
		t.Logf("%-42s %5d %8d %6d %.200s", m.name, kept, corrupt, asked, why)
		if kept != m.kept || corrupt > 0 {
			t.Errorf("%s: %d of %d kept, %d of them corrupt: %s", m.name, kept, items, corrupt, why)
		}
	}
}

// make has the model of a mode write an item.
func (m mode) make(t *testing.T, item int) *Item {
	t.Helper()
	g := newGenerator(t, fmt.Sprintf("Ada%d the miller", item))
	asked := map[string]int{}
	g.Ask = func(_ context.Context, q calls.Question) (*calls.Call, error) {
		n, prompt := asked[q.Kind], q.Messages[0].Content
		asked[q.Kind]++
		var r scripted
		switch p := (play{item, 0}); {
		case q.Kind == ScriptCall && m.script != nil:
			r = m.script(shop(g.Personas[0]), n, prompt)
		case q.Kind == ScriptCall:
			r = scripted{text: shop(g.Personas[0])}
		case m.game != nil:
			r = m.game(p, n, asks(prompt), prompt)
		default:
			r = said(rest(p, asks(prompt)))
		}
		return &calls.Call{Reply: r.text, Fault: r.fault}, nil
	}
	return sharedtest.Must(g.Make(t.Context(), 0))(t)
}

// Whatever a model writes, an item ends within its calls, and what passes verifies and can be written for training.
func FuzzMake(f *testing.F) {
	bad := whole(game("!p a", "!o b", "steal lamp"))
	f.Add(shop("Ada"), whole(good()), "", "")
	f.Add("no", shop("Ada"), bad, whole(good()[4:]))
	f.Add(shop("Ada"), bad, "[]", "[1, {}]")
	f.Add("```json\n"+shop("Ada")+"\n```", "x"+whole(good())+"y", `[{"turn": 1e400}]`, "[[[[")
	g := newGenerator(f, "Ada")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		replies := []string{a, b, c, d}
		asked := 0
		own := *g
		own.Ask = func(context.Context, calls.Question) (*calls.Call, error) {
			asked++
			return &calls.Call{Reply: replies[asked-1]}, nil
		}
		it, err := own.Make(t.Context(), 0)
		if err != nil || asked != len(it.Attempts) || asked > MostCalls {
			t.Fatalf("%v, %d calls, %+v", err, asked, it)
		}
		if !it.Passed {
			return
		}
		s := sharedtest.Must(synth.ParseScript(it.Script))(t)
		if v := synth.Verify(s, list(it.Trajectory), g.Verify); v.Reason != "" {
			t.Fatalf("%+v", v)
		}
		masked, err := synth.Mask(list(it.Trajectory), g.Verify)
		if err != nil || !json.Valid(masked) {
			t.Fatalf("%s, %v", masked, err)
		}
		places(it.Script)
	})
}
