package sciworld

import (
	"fmt"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/sharedtest"
)

func TestBoardPlaces(t *testing.T) {
	places := boardPlaces()
	seen := map[taskVariation]bool{}
	for _, p := range places {
		sharedtest.Equal(t, sharedtest.Must(parsePlace(p.id()))(t), p, p.id())
		if electrical(p.task) {
			t.Errorf("%s is not to be had without electricity", p.id())
		}
		seen[p] = true
	}
	if len(places) != 90 || len(seen) != 90 {
		t.Errorf("%d tasks, %d different", len(places), len(seen))
	}
	for n, want := range map[int]string{0: "lifespan-longest-lived/5", 18: "freeze/6",
		40: "change-the-state-of-matter-of/8", 67: "identify-life-stages-1/2", 89: "use-thermometer/22"} {
		sharedtest.Equal(t, places[n].id(), want, "task", n)
	}
}

// The splits of §2.1.
func TestSplits(t *testing.T) {
	want := map[int]string{
		30: "0-13 14-20 21-29", 540: "0-269 270-404 405-539", 436: "0-217 218-326 327-435", 20: "0-9 10-14 15-19",
		900: "0-449 450-674 675-899", 126: "0-61 62-92 93-125", 32: "0-15 16-23 24-31", 36: "0-17 18-26 27-35",
		125: "0-61 62-92 93-124", 14: "0-5 6-8 9-13", 10: "0-3 4-5 6-9", 168: "0-83 84-125 126-167",
		1386: "0-691 692-1037 1038-1385", 162: "0-79 80-119 120-161", 480: "0-239 240-359 360-479",
	}
	for n, parts := range want {
		var got []string
		for _, name := range []string{"train", "dev", "test"} {
			from, to := sharedtest.Must(findSplit(name))(t).bounds(n)
			got = append(got, fmt.Sprintf("%d-%d", from, to-1))
		}
		sharedtest.Same(t, strings.Join(got, " "), parts, n, "variations")
	}
	all := 0
	for _, name := range []string{"train", "dev", "test"} {
		s, _ := findSplit(name)
		all += len(s.places())
	}
	whole, _ := findSplit("all")
	standard, _ := findSplit("")
	if len(whole.places()) != all || standard.name != "test" || len(tasks) != 30 {
		t.Errorf("%d tasks in parts, %d together; the default is %s", all, len(whole.places()), standard.name)
	}
	sharedtest.Fails(t, sharedtest.Err(findSplit("valid")), "test, dev, train, all")
}

func TestParsePlace(t *testing.T) {
	for id, want := range map[string]string{
		"boil/30": "from 0 to 29", "boil/-1": "from 0 to 29", "boil/05": "from 0 to 29", "boil/+5": "from 0 to 29",
		"boil": "from 0 to 29",
		"":     "want a task and a variation", "cook/0": "want a task and a variation",
		"/0": "want a task and a variation",
	} {
		if p, err := parsePlace(id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", id, p, err)
		}
	}
}

func TestOfficialLabels(t *testing.T) {
	labels, _, err := readLabels(sharedtest.AgentBoard(t))
	if err != nil {
		t.Fatal(err)
	}
	easy, patterns := 0, 0
	for _, l := range labels {
		if l.difficulty == envs.Easy {
			easy++
		}
		patterns += len(l.subgoals)
	}
	if len(labels) != 90 || easy != 34 || patterns != 414 {
		t.Errorf("%d labels, %d easy, %d patterns; want 90, 34, 414", len(labels), easy, patterns)
	}
}

func TestParseLabels(t *testing.T) {
	line := func(id int, difficulty, pattern string) string {
		return fmt.Sprintf(
			`{"id":%d,"goal":"g","subgoals":[%q],"difficulty":%q,"additional_info":{"var":3,"env_name":"boil"}}`, id,
			pattern, difficulty)
	}
	got, err := agentboard.Labels("labels", []byte(line(0, "easy", "a.b")+"\n"+line(1, "hard", "c|d")+"\n"), parseLabel)
	if err != nil || len(got) != 2 || got[1].place != (taskVariation{"boil", 3}) || got[1].difficulty != envs.Hard ||
		!got[0].subgoals[0].MatchString("xa-bx") {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{
		line(1, "easy", "a"):                         "labels:1: want id 0, got 1",
		line(0, "medium", "a"):                       `labels:1: want difficulty "easy" or "hard"`,
		line(0, "easy", "("):                         `labels:1: subgoal "("`,
		line(0, "easy", "a") + "\n{":                 "labels:2: it ends in the middle",
		`{"id":0,"difficulty":"hard","subgoals":[]}`: "labels:1: subgoals are missing",
	} {
		if _, err := agentboard.Labels("labels", []byte(text), parseLabel); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzParseLabels(f *testing.F) {
	f.Add(
		[]byte(
			`{"id":0,"goal":"g","subgoals":["a"],"difficulty":"easy","additional_info":{"var":3,"env_name":"boil"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		labels, err := agentboard.Labels("labels", b, parseLabel)
		if err != nil {
			return
		}
		for _, l := range labels {
			if len(l.subgoals) == 0 || l.difficulty == "" {
				t.Errorf("%+v", l)
			}
		}
	})
}

func TestSimplifications(t *testing.T) {
	for _, board := range []bool{true, false} {
		usual := map[bool]string{true: "selfWateringFlowerPots,openContainers,openDoors,noElectricalAction"}[board]
		for wanted, want := range map[string]string{"": usual, "none": "", "easy": "easy",
			"openContainers": "openContainers", "openDoors,teleportAction": "openDoors,teleportAction"} {
			e := &Env{board: board}
			sharedtest.OK(t, e.simplify(wanted))
			sharedtest.Equal(t, e.simplifications, want, wanted, board)
			sharedtest.Equal(t, e.About.Settings["simplifications"], wanted, wanted, board, "setting")
		}
	}
	e := &Env{}
	for _, wanted := range []string{"OpenDoors", "openDoors,", "openDoors, none"} {
		sharedtest.Fails(t, e.simplify(wanted), "unknown simplification", wanted)
	}
	newer := opened(t, Options{Variant: Newer, Split: "all", Simplifications: "openContainers"})
	s := sharedtest.Must(atStart(t, newer, "grow-fruit/15").Step(t.Context(), "look around"))(t)
	if !strings.Contains(s.Observation, "freezer door is open") {
		t.Error("as 1.2.3, openContainers opens none: " + s.Observation)
	}
}

// Options are checked.
func TestOptions(t *testing.T) {
	for want, o := range map[string]Options{
		`unknown variant "chess"`:          {Variant: "chess"},
		`unknown split "valid"`:            {Variant: ScienceWorld, Split: "valid"},
		`unknown split "test" in AgentBoa`: {Split: "test"},
		`unknown split "test" in AgentGym`: {Variant: AgentGym, Split: "test"},
		`labels of the official`:           {Data: "nowhere"},
		`easy stands alone`:                {Simplifications: "easy,openDoors"},
	} {
		sharedtest.Fails(t, sharedtest.Err(New(o)), want, o)
	}
	sharedtest.Same(t, Splits(), []string{"test", "dev", "train", "all"})
}

func TestCurrentName(t *testing.T) {
	for old, want := range map[string]string{
		"task-1-boil": "boil", "boil": "boil", "task-2a-test-conductivity": "test-conductivity",
		"task-10-measure-melting-point-(known-substance)":     "measure-melting-point-known-substance",
		"task-5-chemistry-mix-paint-(secondary-color)":        "chemistry-mix-paint-secondary-color",
		"task-10-mendellian-genetics-(known-plant)":           "mendelian-genetics-known-plant",
		"task-6-lifespan-(longest-lived-then-shortest-lived)": "lifespan-longest-lived-then-shortest-lived",
		"0": "boil", "4": "chemistry-mix-paint-tertiary-color", "29": "use-thermometer",
	} {
		sharedtest.Equal(t, sharedtest.Must(CurrentName(old))(t), want, old)
	}
	for _, bad := range []string{"", "30", "-1", "task-1-", "task-1-boil/3", "fly"} {
		sharedtest.Fails(t, sharedtest.Err(CurrentName(bad)), "", bad)
	}
}

func TestGymTask(t *testing.T) {
	for number, want := range map[int]string{0: "boil/0", 30: "melt/0", 4136: "chemistry-mix/0",
		4240: "lifespan-longest-lived/0", 4638: "identify-life-stages-2/9"} {
		sharedtest.Equal(t, sharedtest.Must(GymTask(number))(t), want, number)
	}
	for _, bad := range []int{-1, 4639} {
		sharedtest.Fails(t, sharedtest.Err(GymTask(bad)), "", bad)
	}
}
