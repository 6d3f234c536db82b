package scienceworld

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"heldout/envs/sharedtest"
)

// boardSimplifications are AgentBoard's simplifications.
const boardSimplifications = "selfWateringFlowerPots,openContainers,openDoors,noElectricalAction"

// loaded is a world with a variation of a task.
func loaded(t testing.TB, task string, variation int, simplifications string) *World {
	t.Helper()
	w := New()
	if trouble := w.Load(task, variation, simplifications); trouble != "" {
		t.Fatal(trouble)
	}
	return w
}

// randomActions yields actions for random play: mostly valid ones.
func randomActions(rng *rand.Rand, w *World) string {
	valid := w.Fork().ValidActions()
	switch rng.IntN(12) {
	case 0:
		return "wait"
	case 1:
		return []string{"open bee hive", "0", "look at orange", "flush toilet", "activate sink", "use shovel on ground",
			"use lighter on table"}[rng.IntN(7)]
	}
	return valid[rng.IntN(len(valid))]
}

// The generator is Java's: new Random(42) gives -1170105035, 234785527 and -1360544799.
func TestRandom(t *testing.T) {
	r := random{}
	r.seed(42)
	if a, b, c := r.intn(10), r.intn(16), r.next(32); a != 0 || b != 0 || c != -1360544799 {
		t.Errorf("%d, %d, %d", a, b, c)
	}
	for _, n := range []int{1, 2, 3, 5, 6, 7, 12, 64, 65, 1000, 1 << 30, 1<<30 + 1, math.MaxInt32} {
		for range 1000 {
			java := r
			want := int32(java.next(31))
			if u := want; n&-n == n {
				want = int32(int64(n) * int64(u) >> 31)
			} else {
				for want = u % int32(n); u-want+int32(n)-1 < 0; want = u % int32(n) {
					u = java.next(31)
				}
			}
			if got := r.intn(n); got != int(want) || r != java {
				t.Fatalf("below %d: %d, want %d", n, got, want)
			}
		}
	}
}

// The states of generator and counter after a load, a list, its JSON form and a wait (core §18).
func TestCheckValues(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Task              string
		Variation         int
		Counter           int
		State             uint64
		Actions           int
		List, Json, After uint64
		CounterAfter      int
	}](t, "check-values.yaml") {
		w := loaded(t, c.Task, c.Variation, boardSimplifications)
		check := func(what string, counter int, state uint64) {
			t.Helper()
			if s, n := w.State(); n != counter || s != state {
				t.Errorf("%s/%d %s: counter %d, state %d; want %d, %d", c.Task, c.Variation, what, n, s, counter, state)
			}
		}
		check("load", c.Counter, c.State)
		w.Step("look around")
		sharedtest.Equal(t, len(w.ValidActions()), c.Actions, c.Task, c.Variation, "actions")
		check("list", c.Counter, c.List)
		w.ValidActionsJSON()
		check("JSON", c.Counter, c.Json)
		w.Step("wait")
		check("wait", c.CounterAfter, c.After)
	}
}

// forget drops all that a world keeps of what it worked out.
func (w *World) forget() {
	w.library = NewLibrary()
	w.shelf = w.library.open()
	w.listed, w.nearby, w.everywhere, w.reach, w.scene = listed{}, search{}, search{}, cache{}, cache{}
	for _, o := range w.collect(w.universe, true) {
		o.refs = nil
		if !o.isTerminal() {
			o.lists = nil
		}
	}
	for _, o := range w.collect(w.agent, true) {
		o.refs = nil
		if !o.isTerminal() {
			o.lists = nil
		}
	}
}

// What a world keeps from step to step is what it would work out anew.
func TestNothingKeptIsWrong(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	every := sharedtest.Every(t, 5)
	for i, name := range TaskNames() {
		if i%(3*every) != 0 { // one of most kinds of task
			continue
		}
		variation := rng.IntN(Variations(name))
		keeping := loaded(t, name, variation, "openDoors,teleportAction")
		anew := loaded(t, name, variation, "openDoors,teleportAction")
		var played []string
		for range 15 {
			action := randomActions(rng, keeping)
			played = append(played, action)
			anew.forget()
			a, b := keeping.Step(action), anew.Step(action)
			anew.forget()
			if diff := cmp.Diff(b, a) + cmp.Diff(anew.ValidActions(), keeping.ValidActions()) +
				cmp.Diff(anew.Progress(), keeping.Progress()); diff != "" {
				t.Fatalf("%s/%d, %q: %s", name, variation, played, diff)
			}
			if keeping.random != anew.random {
				t.Fatalf("%s/%d, %q: the generators differ", name, variation, played)
			}
		}
	}
}

// A list that is sorted as it is made is the same as one that is sorted then, and has what it lists.
func TestSortedList(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, name := range sharedtest.Sample(t, TaskNames(), 8) {
		w := loaded(t, name, rng.IntN(Variations(name)), "openDoors,teleportAction")
		for range sharedtest.Times(t, 10, 4) {
			w.Step(randomActions(rng, w))
			l := w.DrawValidActions()
			texts := l.Texts()
			for range 20 {
				if s := texts[rng.IntN(len(texts))]; !l.Contains(s) {
					t.Errorf("%q is not on its list", s)
				}
			}
			if l.Contains("dance") {
				t.Error("dance is on the list")
			}
			slices.Sort(texts)
			if diff := cmp.Diff(texts, l.Sorted()); diff != "" {
				t.Fatalf("%s: %s", name, diff)
			}
		}
	}
}

// A goal that nobody could meet is met by what is renamed or brought to the agent.
func TestEmptyCast(t *testing.T) {
	for what, change := range map[string]func(w *World){
		"renamed": func(w *World) { w.rename(w.inventory, "gem") },
		"brought": func(w *World) {
			gem := w.new(Apple)
			gem.name = "gem"
			w.put(gem, w.place())
		},
	} {
		w := loaded(t, "boil", 0, "")
		there, state := criteria["GoalInRoomWithObject"], goalState{}
		test := func() goalTest {
			return there.test(trial{w: w, goals: w.goals, about: []string{"gem"}, state: &state})
		}
		if a, b := test(), test(); a != unmet || b != unmet {
			t.Errorf("before a gem is %s: %v, %v", what, a, b)
		}
		if change(w); test() != met {
			t.Errorf("a gem that is %s is not there", what)
		}
	}
}

// A list has what is not refused, and no more.
func TestListHasWhatIsNotRefused(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, name := range sharedtest.Sample(t, TaskNames(), 8) {
		w := loaded(t, name, rng.IntN(Variations(name)), "openDoors")
		for range sharedtest.Times(t, 20, 6) {
			if w.Step(randomActions(rng, w)); w.choices != nil {
				continue
			}
			l := w.DrawValidActions().lister()
			got := map[validDeed]bool{}
			for d := range l.deeds(actions) {
				got[d] = true
			}
			for i, x := range l.objects {
				for j, y := range l.objects {
					for _, a := range actions {
						d, want := validDeed{int32(i), int32(j), a.ID}, false
						switch carried := x.container == w.inventory; {
						case !isEnabled(a.ID, w.enabled) || a.Slots == 0:
						case a.Slots == 1:
							d.b = -1
							want = !(a.ID == pickUp && carried || a.ID == putDown && !carried) &&
								!w.refuse(w.substituted(deed{id: a.ID, a: x})).refused
						case a.ID == dunk:
							want = !w.refuse(deed{dunk, y, x}).refused
						default:
							want = !w.refuse(deed{a.ID, x, y}).refused
						}
						if got[d] != want {
							t.Fatalf("%s: %s %s, %s: %v, want %v", name, a.Name, x.name, y.name, got[d], want)
						}
					}
				}
			}
		}
	}
}

// Every fork of a moment goes on as the first one did, whatever that does.
func TestForks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range sharedtest.Sample(t, TaskNames(), 8) {
		w := loaded(t, name, rng.IntN(Variations(name)), "teleportAction")
		for range 10 {
			w.Step(randomActions(rng, w))
		}
		var actions []string
		first := ""
		moment := w
		for range 3 {
			said, w := "", moment.Fork()
			for i := range 12 {
				if i == len(actions) {
					actions = append(actions, randomActions(rng, w))
				}
				said += w.Step(actions[i]) + strings.Join(w.ValidActions(), "\n") + w.Progress() + w.Inventory() +
					fmt.Sprintln(w.Score, w.Completed, w.Moves)
			}
			if first == "" {
				first = said
			}
			if diff := cmp.Diff(first, said); diff != "" {
				t.Fatalf("%s: %q: %s", name, actions, diff)
			}
		}
	}
	if !reflect.DeepEqual(noBody, body{}) {
		t.Error("something wrote to the body of terminals")
	}
}

// Worlds share nothing: one plays as if there were no other.
func TestWorldsShareNothing(t *testing.T) {
	play := func(worlds ...*World) string {
		said := ""
		for _, a := range []string{"go to kitchen", "look around", "pick up orange", "0", "wait", "open cupboard"} {
			for i, w := range worlds {
				s := w.Step(a) + strings.Join(w.ValidActions(), "\n")
				if i == 0 {
					said += s
				}
			}
		}
		return said
	}
	alone := play(loaded(t, "boil", 0, boardSimplifications))
	w := loaded(t, "boil", 0, boardSimplifications)
	other := loaded(t, "grow-fruit", 3, "easy")
	sharedtest.Same(t, play(w, other, loaded(t, "boil", 0, "")), alone)
	w.Load("melt", 4, "")
	w.Load("boil", 0, boardSimplifications)
	sharedtest.Same(t, play(w), alone, "after another task")
}

// Worlds that share a library, and lie where others lay, play as if each had its own, at the same time too.
func TestLibrary(t *testing.T) {
	play := func(task string, made func() *World) (said string) {
		rng := rand.New(rand.NewPCG(7, uint64(len(task))))
		w := made()
		for v := range 4 {
			w.Load(task, v, boardSimplifications)
			for range 6 {
				said += w.Step(randomActions(rng, w)) + strings.Join(w.ValidActions(), "\n")
			}
			f := w.Fork()
			for range 3 {
				said += f.Step(randomActions(rng, f)) + strings.Join(f.ValidActions(), "\n")
			}
			w = made()
		}
		return said
	}
	shared := NewLibrary()
	var g errgroup.Group
	for _, name := range sharedtest.Sample(t, TaskNames()[:12], 3) {
		g.Go(func() error {
			alone := play(name, NewLibrary().New)
			if diff := cmp.Diff(alone, play(name, shared.New)); diff != "" {
				return fmt.Errorf("%s: %s", name, diff)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// A world with a full library lists as others do, and the next one that is loaded gets an empty library.
func TestFullLibrary(t *testing.T) {
	full, other := loaded(t, "boil", 0, ""), loaded(t, "boil", 0, "")
	shelf := full.shelf
	shelf.size.Add(mostTexts)
	for _, a := range []string{"look around", "open door to kitchen", "go kitchen", "look around"} {
		full.Step(a)
		other.Step(a)
		sharedtest.Same(t, full.ValidActions(), other.ValidActions(), "after", a)
	}
	if full.Load("boil", 0, ""); full.shelf == shelf {
		t.Error("the next world has the full library")
	}
}

// A library gives a list again, and forgets its lists when there are too many.
func TestWrittenLists(t *testing.T) {
	w := loaded(t, "boil", 0, "")
	l := w.DrawValidActions()
	first, again := l.Sorted(), l.Sorted()
	if &first[0] != &again[0] || len(w.lists) != 1 || w.entries != len(first) {
		t.Errorf("%d lists of %d entries are kept, want the one of %d", len(w.lists), w.entries, len(first))
	}
	w.entries = mostEntries
	w.Step("open door to kitchen")
	if last := w.ValidActions(); len(w.lists) != 1 || w.entries != len(last) {
		t.Errorf("%d lists of %d entries are kept, want the last one of %d", len(w.lists), w.entries, len(last))
	}
}

// What cannot be loaded says so, and so does every step.
func TestTrouble(t *testing.T) {
	w := New()
	sharedtest.Equal(t, w.Step("wait"), notInitialized)
	if l := w.ValidActions(); len(l) != 1 || l[0] != notInitialized {
		t.Error(l)
	}
	want := "ERROR: Task (boil): ERROR: The requested variation (9999) exceeds the total number of variations (30)."
	if s := w.Load("boil", 9999, ""); s != want || w.Step("wait") != want || w.Look() != want {
		t.Error(s)
	}
	sharedtest.Equal(t, w.Load("cook", 0, ""), "ERROR: Task (cook): ERROR: Unknown task (cook).")
	if s := w.Load("boil", 0, "openDoors,Flying"); s != "" ||
		w.Step("wait") != "ERROR: Unknown simplification label: flying" || w.Score != -1 || !w.Completed {
		t.Error(s, w.Score)
	}
}

// Blanks alone are a label that there is not; beside commas they are none.
func TestBlankLabels(t *testing.T) {
	for wanted, said := range map[string]string{
		"": "", " ": "ERROR: Unknown simplification label: ", "\t": "ERROR: Unknown simplification label: ",
		",": "", " , ": "", "openDoors, ": "", "openDoors,,": "", ",openDoors": "ERROR: Unknown simplification label: ",
		"openDoors, ,teleportAction": "ERROR: Unknown simplification label:  ",
		"easy ":                      "ERROR: Unknown simplification label: easy",
	} {
		w := loaded(t, "boil", 0, wanted)
		if got := w.Step("task"); said != "" && w.Look() != said || said == "" && got != "Task description:\n"+
			w.Description() {
			t.Errorf("%q: %q, %q", wanted, got, w.Look())
		}
	}
}

// FuzzCommands plays sequences of commands, one per line. No input breaks a world or keeps it from ending a step.
func FuzzCommands(f *testing.F) {
	f.Add(uint(0), "go to kitchen\npick up orange\n0\nopen fridge\nwait\n")
	f.Add(uint(7),
		"pick up jug\nmove jug to jug\nmix agent\nconnect air to agent\ndisconnect air\nwait\nfocus on agent\n")
	f.Add(uint(12),
		"open bee hive\nteleport to greenhouse\nuse axe on plant\nuse shovel on ground\nmove ground to bowl\n")
	names := TaskNames()
	f.Fuzz(func(t *testing.T, n uint, commands string) {
		name := names[n%uint(len(names))]
		w := loaded(t, name, int(n/30)%Variations(name), []string{"", "easy", boardSimplifications}[n/7%3])
		lines := strings.Split(commands, "\n")
		for i, line := range lines[:min(len(lines), 40)] {
			before := w.Moves
			w.Step(line)
			if n := w.Moves - before; n < 0 || n > 11 {
				t.Errorf("%q takes %d ticks", line, n)
			}
			if i%5 == 0 {
				w.ValidActions()
			}
		}
		w = w.Fork()
		_ = w.Look() + w.Inventory() + w.Progress() + w.Tree() + w.Combinations() + w.ObjectIDsTypesReferents()
	})
}
