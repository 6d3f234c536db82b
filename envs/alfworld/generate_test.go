package alfworld

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

func generated(t testing.TB, seed int64) *Env {
	t.Helper()
	return sharedtest.Must(NewGenerated(seed, Options{}))(t)
}

func TestNewGenerated(t *testing.T) {
	e := generated(t, 7)
	want := envs.Info{Name: Name, Source: envs.Generated, StepLimit: 30, Settings: map[string]string{
		"generator-seed": "7"}}
	sharedtest.Same(t, e.Info(), want)
	types, goals := map[string]int{}, map[string]bool{}
	for i, task := range e.Tasks() {
		types[task.Type]++
		goals[e.games[i].goal] = true
		if easy := task.Type == pickAndPlace; task.Index != i || easy != (task.Difficulty == envs.Easy) {
			t.Errorf("%+v", task)
		}
	}
	official := map[string]int{pickAndPlace: 24, lookInLight: 18, pickClean: 31, pickHeat: 23, pickCool: 21,
		pickTwo: 17}
	sharedtest.Same(t, types, official)
	if len(goals) < 90 {
		t.Errorf("%d different goals of 134", len(goals))
	}
}

// The same seed gives the same tasks, another one others.
func TestGeneratedSeeds(t *testing.T) {
	a, again, b := generated(t, 1), generated(t, 1), generated(t, 2)
	sharedtest.Same(t, again.Tasks(), a.Tasks())
	digests := map[string]bool{}
	for _, task := range slices.Concat(a.Tasks(), b.Tasks()) {
		digests[task.Digest] = true
	}
	sharedtest.Equal(t, len(digests), 2*134, "different games of 268")
}

// Games are like the official ones: no two alike, in all four kinds of rooms, with
// some of everything that is odd in those.
func TestGeneratedVariety(t *testing.T) {
	sharedtest.Heavy(t)
	found := map[string]int{}
	for seed := range int64(3) {
		e := generated(t, seed)
		for i := range e.Tasks() {
			text := e.games[i].problem
			for room, mark := range map[string]string{"kitchen": "StoveBurnerType)\n", "bathroom": "TowelHolderType)\n",
				"bedroom": "BedType)\n", "living room": "SofaType)\n"} {
				if strings.Contains(text, " "+mark) {
					found[room]++
				}
			}
			for what, has := range oddities(text) {
				if has {
					found[what]++
				}
			}
		}
	}
	for _, want := range []string{"kitchen", "bathroom", "bedroom", "living room", "shared place", "listed twice",
		"in an object", "in no receptacle", "cool at the start"} {
		if found[want] < 10 {
			t.Errorf("%s: in %d of 402 games", want, found[want])
		}
	}
	if n := found["shared place"]; n < 200 || n > 390 {
		t.Errorf("receptacles share a place in %d of 402 games, want about three quarters", n)
	}
}

// oddities says what a problem has.
func oddities(problem string) map[string]bool {
	out := map[string]bool{"in an object": strings.Contains(problem, "(inReceptacleObject"),
		"cool at the start": strings.Contains(problem, "(isCool")}
	places, listed, objects := map[string]int{}, map[string]int{}, 0
	for line := range strings.Lines(problem) {
		switch f := strings.Fields(strings.Trim(line, " ()\n")); {
		case len(f) < 3:
		case f[0] == "receptacleAtLocation":
			places[f[2]]++
		case f[0] == "inReceptacle":
			listed[f[1]]++
		case f[0] == "objectAtLocation":
			objects++
		}
	}
	for _, n := range places {
		out["shared place"] = out["shared place"] || n > 1
	}
	for _, n := range listed {
		out["listed twice"] = out["listed twice"] || n > 1
	}
	out["in no receptacle"] = objects > len(listed)
	return out
}

// Every generated game is open at the start and solved by the expert.
func TestExpertGenerated(t *testing.T) {
	for seed := range int64(2) {
		e := generated(t, seed)
		for _, task := range sharedtest.Sample(t, e.Tasks()[:[]int{134, 20}[seed]], 2, 20) {
			if newTestWorld(t, e, task).engine.won() {
				t.Errorf("%s is won at the start", task.ID)
			}
			if steps, success := solve(t, e, task); !success || steps < 3 || steps > 14 {
				t.Errorf("%s: %d steps, success %v", task.ID, steps, success)
			}
		}
	}
}

// What is exported is read again as the same game, and its walkthrough wins.
func TestExport(t *testing.T) {
	for _, d := range sharedtest.Sample(t, []dialect{modern, classic}, 1) {
		e := sharedtest.Must(NewGenerated(4, Options{Dialect: map[bool]string{false: "v1", true: "v2"}[d.helps]}))(t)
		for _, task := range sharedtest.Sample(t, e.Tasks()[:12], 1) {
			b := sharedtest.Must(e.export(task))(t)
			f := sharedtest.Must(parseGameFile(b))(t)
			sharedtest.Equal(t, f, (gameFile{e.games[task.Index].problem, e.games[task.Index].goal, d, true, false}),
				task.ID)
			var extra struct {
				Domain      string `json:"pddl_domain"`
				Walkthrough []string
			}
			sharedtest.OK(t, json.Unmarshal(b, &extra))
			sharedtest.Equal(t, strings.Contains(extra.Domain, ":action help"), d.helps, task.ID,
				"help is in the domain")
			w := newTestWorld(t, e, task)
			for _, command := range extra.Walkthrough {
				if w.engine.do(command) == rejected {
					t.Errorf("%s: %q is rejected", task.ID, command)
				}
			}
			if !w.engine.won() {
				t.Errorf("%s: %q does not win", task.ID, extra.Walkthrough)
			}
		}
	}
	e := generated(t, 0)
	sharedtest.Fails(t, sharedtest.Err(e.export(envs.Task{Index: 5})), "", "a foreign task was exported")
}

// The tables say nothing that cannot be: every class is known, what is to be brought somewhere is accepted there,
// and every errand of the training games can come up.
func TestTables(t *testing.T) {
	objects := furnishing().Classes["objectClasses"]
	accepted := furnishing().Accepts
	for _, list := range furnishing().Classes {
		for _, class := range list {
			if !slices.Contains(objects, class) {
				t.Errorf("unknown object %s", class)
			}
		}
	}
	for container, list := range accepted {
		for _, class := range list {
			if !slices.Contains(objects, class) {
				t.Errorf("%s accepts the unknown %s", container, class)
			}
		}
	}
	for _, r := range furnishing().Rooms {
		for _, c := range r.Receptacles {
			if _, ok := accepted[c.Class]; !ok || c.Low > c.Median || c.Median > c.High || c.Scenes < 1 ||
				c.Scenes > 27 || c.Opens > 100 {
				t.Errorf("%+v", c)
			}
		}
		for _, o := range r.Objects {
			if !slices.Contains(objects, o.Class) || o.Games > 100 || o.High < 1 || o.Idle > 100 || o.Idle < 100 &&
				o.Places == nil {
				t.Errorf("%+v", o)
			}
			for _, p := range o.Places {
				if !r.contains(p.Class) || p.Share < 1 {
					t.Errorf("%s in %+v", o.Class, p)
				}
			}
		}
	}
	g := newGenerator()
	for taskType, byTarget := range furnishing().Targets {
		possible := map[[2]string]bool{}
		for _, room := range g.errands[taskType] {
			for _, e := range room {
				possible[[2]string{e.object, e.target}] = true
			}
		}
		missing := 0
		for target, list := range byTarget {
			for _, object := range list {
				if taskType != lookInLight && !slices.Contains(accepted[target], object) {
					t.Errorf("%s: %s is not accepted by %s", taskType, object, target)
				}
				if !possible[[2]string{object, target}] {
					t.Logf("%s: %s to %s cannot come up", taskType, object, target)
					missing++
				}
			}
		}
		if missing > 0 {
			t.Errorf("%s: %d errands of %d cannot come up", taskType, missing, missing+len(possible))
		}
	}
}
