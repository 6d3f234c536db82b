package alfworld

import (
	"os"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/engine/planning"
	"heldout/envs/sharedtest"
)

// household makes a world of testdata/household.pddl.
func household(t testing.TB, d dialect) *world {
	t.Helper()
	return worldOf(t, string(sharedtest.Must(os.ReadFile("testdata/household.pddl"))(t)), d)
}

// worldOf makes a world of a problem about a hot apple that belongs into a fridge.
func worldOf(t testing.TB, problem string, d dialect) *world {
	t.Helper()
	domain := sharedtest.Must(planning.ParseDomain("domain.pddl", domainText))(t)
	l := sharedtest.Must(derivedLabel("pick_heat_then_place_in_recep-Apple-None-Fridge-1"))(t)
	s := gameSource{id: "test", problem: problem, goal: "heat some apple and put it in fridge.", subgoals: l.subgoals,
		dialect: d}
	return sharedtest.Must(loaded(s, domain))(t)
}

// line is a command with the answer it should get.
type line struct{ command, answer string }

// dialogue gives commands to the engine alone.
func dialogue(t *testing.T, e *engine, lines ...line) {
	t.Helper()
	for i, l := range lines {
		before := e.clone()
		if got := e.do(l.command); got != l.answer {
			t.Fatalf("%d: %q: %q, want %q", i+1, l.command, got, l.answer)
		}
		if l.answer == rejected && !e.state.Equal(before.state) {
			t.Fatalf("%d: %q changed something", i+1, l.command)
		}
	}
}

// episode gives actions to the benchmark.
func episode(t *testing.T, w *world, lines ...line) (last envs.Step) {
	t.Helper()
	for i, l := range lines {
		var err error
		if last, err = w.Step(t.Context(), l.command); err != nil || last.Observation != l.answer {
			t.Fatalf("%d: %q: %q, %v, want %q", i+1, l.command, last.Observation, err, l.answer)
		}
	}
	return last
}

const (
	wholeRoom = "You are in the middle of a room. Looking quickly around you, you see a bathtubbasin 1, a cabinet 1, a countertop 2, " +
		"a countertop 1, a desk 1, a drawer 1, a fridge 1, a microwave 1, and a sinkbasin 1."
	counter = "On the countertop 2, you see a apple 3, a mug 1, and a spoon 1."
	no      = rejected
)

// What the engine alone answers, quirk by quirk.
func TestQuirks(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Quirk string
		Lines [][2]string // command and answer
	}](t, "quirks.yaml") {
		var lines []line
		for _, l := range c.Lines {
			lines = append(lines, line{l[0], l[1]})
		}
		t.Log(c.Quirk)
		dialogue(t, household(t, modern).engine, lines...)
	}
}

// Quirks 3 and 4: the engine sees nothing from the middle of the room; the benchmark shows the room, and later what
// was seen on the last arrival or opening, however much has changed.
func TestQuirkLook(t *testing.T) {
	w := household(t, classic)
	dialogue(t, w.engine, line{"look", middle + "nothing."})
	start, err := w.Start(t.Context())
	if err != nil || start.Observation != wholeRoom || start.Goal != "heat some apple and put it in fridge." {
		t.Fatalf("%+v, %v", start, err)
	}
	episode(t, w,
		line{"look", wholeRoom},
		line{"go to countertop 2", counter},
		line{"take apple 3 from countertop 2", "You pick up the apple 3 from the countertop 2."},
		line{"look", counter},
		line{"go to fridge 2", no},
		line{"look", counter},
		line{"open cabinet 1", "You open the cabinet 1. The cabinet 1 is open. In it, you see a apple 2."},
		line{"close cabinet 1", "You close the cabinet 1."},
		line{"look", "You open the cabinet 1. The cabinet 1 is open. In it, you see a apple 2."},
		line{"examine countertop 2", "On the countertop 2, you see a mug 1, and a spoon 1."},
	)
	// A full stop too many survives the driver, a space too many the benchmark.
	episode(t, w, line{"look ..", "You are facing the cabinet 1, and countertop 2. Next to it, you see nothing."})
}

// Quirks 5 and 17: using a lamp turns it on, every time; it counts as used for ever.
func TestQuirkToggle(t *testing.T) {
	w := household(t, modern)
	dialogue(t, w.engine,
		line{"go to drawer 1", "You arrive at drawer 1. The drawer 1 is closed."},
		line{"use desklamp 2", "You turn on the desklamp 2."},
		line{"use desklamp 2", "You turn on the desklamp 2."},
		line{"use desklamp 1", no}, // stands on the floor
	)
	if lamp := w.thing(t, "desklamp 2").object; !lamp.toggled.Holds(w.engine.state) {
		t.Error("the lamp counts as not used")
	}
}

// thing finds a thing by its name.
func (w *world) thing(t *testing.T, name string) *thing {
	t.Helper()
	things := w.rules.game.things
	i := slices.IndexFunc(things, func(th thing) bool { return th.name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return &things[i]
}

// Quirk 6: what can hold things is always normal; cool things are cold, but for those that are clean or sliced too.
func TestQuirkDescriptions(t *testing.T) {
	w := household(t, modern)
	dialogue(t, w.engine,
		line{"go to countertop 2", "You arrive at countertop 2. " + counter},
		line{"take mug 1 from countertop 2", "You pick up the mug 1 from the countertop 2."},
		line{"go to microwave 1", "You arrive at microwave 1. The microwave 1 is closed."},
		line{"heat mug 1 with microwave 1", "You heat the mug 1 using the microwave 1."},
		line{"examine mug 1", "This is a normal mug 1. In it, you see a spoon 1."},
		line{"open microwave 1", "You open the microwave 1. The microwave 1 is open. In it, you see nothing."},
		line{"move mug 1 to microwave 1", "You move the mug 1 to the microwave 1."},
		line{"go to fridge 1", "You arrive at fridge 1. The fridge 1 is closed."},
		line{"open fridge 1", "You open the fridge 1. The fridge 1 is open. In it, you see a egg 1."},
		line{"take egg 1 from fridge 1", "You pick up the egg 1 from the fridge 1."},
		line{"examine egg 1", "This is a cold egg 1."},
	)
	apple := w.thing(t, "apple 3")
	for _, tt := range sharedtest.Cases[struct {
		Facts string
		Want  string
	}](t, "descriptions.yaml") {
		e := newEngine(w.rules.game)
		o := apple.object
		facts := map[string]planning.Fact{"clean": o.clean, "hot": o.hot, "cool": o.cool, "sliced": o.sliced}
		for _, name := range strings.Fields(tt.Facts) {
			f := facts[name]
			e.state[f>>6] |= 1 << (f & 63)
		}
		sharedtest.Equal(t, e.describe(apple), tt.Want, tt.Facts)
	}
}

// Quirk 7: a comma before "and" even between two, and always the article "a".
func TestQuirkLists(t *testing.T) {
	for want, names := range map[string][]string{
		"nothing":                     nil,
		"a egg 1":                     {"egg 1"},
		"a egg 2, and a egg 1":        {"egg 2", "egg 1"},
		"a cup 1, a egg 2, and a x 1": {"cup 1", "egg 2", "x 1"},
	} {
		sharedtest.Equal(t, list(article, names), want)
	}
}

// Quirk 10, of what is listed twice, taken twice and put elsewhere: it is shown twice.
func TestQuirkNextToIt(t *testing.T) {
	w := household(t, modern)
	dialogue(t, w.engine, line{"go to desk 1", "You arrive at desk 1. On the desk 1, you see a bare-bell , and a pencil 1."})
	desk, drawer := w.number(t, "desk 1"), w.number(t, "drawer 1")
	w.engine.move(taking{w.number(t, "pencil 1"), drawer}, true)
	w.engine.move(taking{w.number(t, "pencil 1"), desk}, true)
	dialogue(t, w.engine, line{"look", "You are facing the desk 1, and drawer 1. Next to it, you see a pencil 1, and a pencil 1."})
}

// number finds the number of a thing by its name.
func (w *world) number(t *testing.T, name string) int {
	return slices.IndexFunc(w.rules.game.things, func(th thing) bool { return th.name == name })
}

// Quirk 11: the engine takes 50 commands, rejected ones and looks included, but
// not the list of valid actions. That it counts as reached is a setting.
func TestQuirkStepLimit(t *testing.T) {
	for _, pays := range []bool{false, true} {
		w := household(t, classic)
		w.limitPays = pays
		for i := range engineLimit - 1 {
			episode(t, w, line{[]string{"look", "dance"}[i%2], []string{wholeRoom, no}[i%2]})
		}
		list := episode(t, w, line{checkAction,
			checkPrefix + strings.Join(append(w.engine.commands(), checkAction), ", ")})
		if list.Done || list.Progress != 0 {
			t.Fatalf("%+v", list)
		}
		last, want := episode(t, w, line{"inventory", "You are not carrying anything."}), 0.0
		if pays {
			want = 1
		}
		if !last.Done || last.Success || last.Progress != want {
			t.Errorf("limit pays %v: %+v", pays, last)
		}
	}
}

// win heats an apple and puts it into the fridge.
var win = []line{
	{"go to countertop 2", "You arrive at countertop 2. " + counter},
	{"take apple 3 from countertop 2", "You pick up the apple 3 from the countertop 2."},
	{"go to microwave 1", "You arrive at microwave 1. The microwave 1 is closed."},
	{"heat apple 3 with microwave 1", "You heat the apple 3 using the microwave 1."},
	{"go to fridge 1", "You arrive at fridge 1. The fridge 1 is closed."},
	{"open fridge 1", "You open the fridge 1. The fridge 1 is open. In it, you see a egg 1."},
	{"move apple 3 to fridge 1", "You move the apple 3 to the fridge 1."},
}

// Quirks 12 and 13: the engine plays on after a win, which can be undone; for the benchmark the game stands still.
func TestQuirkAfterTheWin(t *testing.T) {
	w := household(t, modern)
	s := episode(t, w, win...)
	if !s.Done || !s.Success || s.Progress != 1 {
		t.Fatalf("%+v", s)
	}
	s = episode(t, w, line{"take apple 3 from fridge 1", "You move the apple 3 to the fridge 1."},
		line{"look", win[5].answer})
	if !s.Done || !s.Success || s.Progress != 1 || !w.engine.won() {
		t.Fatalf("%+v", s)
	}
	e := household(t, modern).engine
	dialogue(t, e, win...)
	if !e.won() {
		t.Fatal("not won")
	}
	dialogue(t, e, line{"take apple 3 from fridge 1", "You pick up the apple 3 from the fridge 1."})
	if e.won() {
		t.Error("still won")
	}
	dialogue(t, e,
		line{"cool apple 3 with fridge 1", "You cool the apple 3 using the fridge 1."},
		line{"move apple 3 to fridge 1", "You move the apple 3 to the fridge 1."},
	)
	if e.won() {
		t.Error("won with a cold apple")
	}
}

// Quirks 15 and 16: numbers count what is not visible, and count down; what has no
// place in the scene has no number, and no command that ends with it can be given.
func TestQuirkNames(t *testing.T) {
	ids := []string{"agent1", "apple_bar_1", "apple_bar_2", "bare_minus_bell", "bathtub_bar_1_bar_bathtubbasin",
		"loc_bar_1", "sink_bar_1", "sink_bar_1_bar_sinkbasin", "sink_bar_2"}
	want := []string{"agent1 ", "apple 2", "apple 1", "bare-bell ", "bathtubbasin 1", "loc 1", "sink 2", "sinkbasin 1",
		"sink 1"}
	sharedtest.Same(t, displayNames(ids), want)
	w := household(t, modern)
	dialogue(t, w.engine,
		line{"go to desk 1", "You arrive at desk 1. On the desk 1, you see a bare-bell , and a pencil 1."},
		line{"take bare-bell  from desk 1", "You pick up the bare-bell  from the desk 1."},
		line{"examine bare-bell ", no},
	)
	if !slices.Contains(w.engine.commands(), "examine bare-bell ") {
		t.Error("the command is not listed")
	}
	classicLine := household(t, classic).engine.do("go to desk 1") // of nine locations eight occur
	if want := "You arrive at loc 1. On the desk 1, you see "; !strings.HasPrefix(classicLine, want) {
		t.Errorf("%q, want %q", classicLine, want)
	}
}

// Quirk 19: the expert has no trouble with either verb, nor with detours.
func TestQuirkExpert(t *testing.T) {
	for _, d := range []dialect{classic, modern} {
		w := household(t, d)
		for i := range stepLimit {
			action, err := w.ExpertAction(t.Context())
			if err != nil || action == "" {
				t.Fatal(action, err)
			}
			if i == 2 {
				action = "go to drawer 1"
			}
			if s, err := w.Step(t.Context(), action); err != nil || s.Done && s.Success {
				break
			} else if i == stepLimit-1 {
				t.Errorf("%+v: not solved", d)
			}
		}
		sharedtest.Equal(t, sharedtest.Must(w.ExpertAction(t.Context()))(t), "", "after the win")
	}
}

// Quirk 20: the list of valid actions ends with the command that shows it, once.
func TestQuirkCheck(t *testing.T) {
	w := household(t, classic)
	want := checkPrefix + "go to bathtubbasin 1, go to cabinet 1, go to countertop 1, go to countertop 2, go to desk 1, " +
		"go to drawer 1, go to fridge 1, go to microwave 1, go to sinkbasin 1, inventory, look, check valid actions"
	s := episode(t, w, line{checkAction, want}, line{" check valid actions. ", want})
	if !s.Valid || s.Done || w.commands != 0 {
		t.Errorf("%+v, %d commands", s, w.commands)
	}
	actions, err := w.Actions(t.Context())
	if err != nil || !slices.IsSorted(actions) || slices.Contains(actions, checkAction) {
		t.Error(actions, err)
	}
	actions[0] = "overwritten"
	episode(t, w, line{checkAction, want})
}

func TestNormalize(t *testing.T) {
	for in, want := range sharedtest.Table[string](t, "normalized.yaml") {
		sharedtest.Equal(t, agentboard.ALFWorldAction(in, "put"), want, in)
	}
}

// Progress comes in shares of the sub-goals and the goal, in any order.
func TestProgress(t *testing.T) {
	w := household(t, modern)
	for i, want := range []float64{0.25, 0.5, 0.5, 0.75, 0.75, 0.75, 1} {
		if s := episode(t, w, win[i]); s.Progress != want || !s.Valid || s.Done != (want == 1) {
			t.Errorf("%d: %+v, want %v", i, s, want)
		}
	}
}
