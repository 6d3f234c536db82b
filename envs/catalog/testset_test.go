package catalog

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/babyai"
	"heldout/envs/engine/planning"
	"heldout/envs/sharedtest"
	"heldout/envs/testset"
)

var writeDigests = flag.Bool("digests", false, "write the digests of test tasks anew from the official data")

// renamed is a data folder in which the test tasks of an environment lie as if they were for training, each changed
// by change. Of ALFWorld, which has a file per task, there are at most so many. It returns the settings to open it.
func renamed(t *testing.T, env string, most int, change func(text string) string) envs.Setup {
	t.Helper()
	data := sharedtest.AgentBoard(t)
	dir := t.TempDir()
	copied := func(from, to string) {
		b := sharedtest.Must(os.ReadFile(from))(t)
		to = filepath.Join(dir, to)
		sharedtest.OK(t, os.MkdirAll(filepath.Dir(to), 0o777))
		sharedtest.OK(t, os.WriteFile(to, []byte(change(string(b))), 0o666))
	}
	switch env {
	case "alfworld":
		const games = "alfworld/json_2.1.1/valid_unseen"
		files := sharedtest.Must(filepath.Glob(filepath.Join(data, games, "*", "*", "game.tw-pddl")))(t)
		sharedtest.Equal(t, len(files), 134, "games")
		for i, f := range sharedtest.Sample(t, files, most, 3*most) {
			kind, _, _ := strings.Cut(filepath.Base(filepath.Dir(filepath.Dir(f))), "-")
			parts := strings.Split(filepath.Base(filepath.Dir(filepath.Dir(f))), "-")
			name := strings.Join(append([]string{kind}, parts[1:]...), "-")
			copied(f, filepath.Join("json_2.1.1", "train", name, "copy"+string(rune('0'+i/100))+
				string(rune('0'+i/10%10))+string(rune('0'+i%10)), "game.tw-pddl"))
		}
		return envs.Setup{Data: dir, Settings: envs.Settings{"split": "train"}}
	case "hotpotqa":
		copied(filepath.Join(data, "hotpotqa", "hotpot_dev_v1_simplified.json"), "hotpot_train_v1.1.json")
		return envs.Setup{Settings: envs.Settings{"questions": filepath.Join(dir, "hotpot_train_v1.1.json"),
			"sample": "all"}}
	}
	return envs.Setup{Data: data}
}

func opened(t *testing.T, env string, s envs.Setup) envs.Env {
	t.Helper()
	return sharedtest.Must(Open(env, s, envs.Outside{Now: time.Now}))(t)
}

// digested are the environments whose test tasks are known by digests. The test tasks of
// the others are known by what they are, not by where they lie: sciworld's by task and
// variation, and all games of jericho but heldout's own.
func digested() []string { return []string{"alfworld", "babyai", "hotpotqa", "pddl"} }

// The embedded digests match the official data. With -digests they are written:
// go test ./envs/catalog -run TestDigests -digests
func TestDigests(t *testing.T) {
	for _, env := range digested() {
		var all [][]byte
		for _, task := range opened(t, env, renamed(t, env, 134, asItIs)).Tasks() {
			content := Content(env, task)
			if content == "" {
				t.Fatalf("%s: %s has no content", env, task.ID)
			}
			all = append(all, testset.Digest(testset.Content, content))
		}
		if env == "alfworld" { // games of other splits are known by name
			for _, task := range opened(t, env, envs.Setup{Data: sharedtest.AgentBoard(t)}).Tasks() {
				all = append(all, testset.Digest(testset.ID, task.ID))
			}
			b := sharedtest.Must(os.ReadFile(sharedtest.Data(t, "agentgym/alfworld_test.txt", "AgentGym's list")))(t)
			for _, id := range strings.Fields(string(b)) {
				all = append(all, testset.Digest(testset.ID, id))
			}
		}
		want := testset.File(all)
		t.Logf("%s: %d digests, %d bytes", env, len(all), len(want))
		file := filepath.Join("..", "testset", "digests", env)
		if *writeDigests {
			sharedtest.OK(t, os.WriteFile(file, want, 0o666))
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the digests are not those of the official data: %d bytes, %v", env, len(got), err)
		}
	}
}

// Test tasks are recognised in any folder, under any name, and with other case, white space
// and order, and other names of objects.
func TestRenamedTestData(t *testing.T) {
	// the problem of an ALFWorld game is a string of JSON
	inProblem := func(change func(string) string) func(string) string {
		return func(text string) string {
			var game map[string]any
			sharedtest.OK(t, json.Unmarshal([]byte(text), &game))
			game["pddl_problem"] = change(game["pddl_problem"].(string))
			return string(sharedtest.Must(json.Marshal(game))(t))
		}
	}
	for _, c := range []struct {
		env, name string
		change    func(string) string
	}{
		{"alfworld", "as it is", asItIs},
		{"alfworld", "white space", inProblem(func(s string) string { return strings.Join(strings.Fields(s), "\n ") })},
		{"alfworld", "order of facts", inProblem(reversedFacts)},
		{"alfworld", "names of objects", inProblem(func(s string) string {
			return strings.NewReplacer("_bar_", "_", "loc_", "spot_").Replace(s)
		})},
		{"hotpotqa", "as it is", asItIs},
		{"hotpotqa", "case and punctuation", func(s string) string {
			return strings.NewReplacer("?\"", "\"", "Which", "which", "What", "WHAT", ",\"", " ,\"").Replace(s)
		}},
		{"pddl", "as it is", asItIs},
		{"alfworld", otherTasks, inProblem(func(s string) string { // a thing more
			return strings.Replace(s, "(:init", "(:init (objectType Vase_extra VaseType)", 1)
		})},
		{"hotpotqa", otherTasks, func(s string) string { return strings.ReplaceAll(s, "?\"", ", really?\"") }},
	} {
		t.Run(c.env+", "+c.name, func(t *testing.T) {
			e := opened(t, c.env, renamed(t, c.env, 12, c.change))
			n := 0
			for _, task := range e.Tasks() {
				if UseOf(e.Info(), task) == Test {
					n++
				}
			}
			t.Logf("%d of %d are recognised", n, len(e.Tasks()))
			switch {
			case c.name != otherTasks && n != len(e.Tasks()):
				t.Errorf("%d of %d are recognised", n, len(e.Tasks()))
			case c.name == otherTasks && n > len(e.Tasks())/10:
				t.Errorf("%d of %d other tasks are taken for test tasks", n, len(e.Tasks()))
			}
		})
	}
}

// otherTasks is the name of a change that makes other tasks.
const otherTasks = "other tasks"

func asItIs(text string) string { return text }

// reversedFacts writes the facts of a problem's start in the opposite order.
func reversedFacts(problem string) string {
	before, rest, _ := strings.Cut(problem, "(:init")
	facts, after, _ := strings.Cut(rest, "(:goal")
	lines := strings.Split(strings.TrimSpace(facts), "\n")
	last := lines[len(lines)-1] // it closes the list
	lines = lines[:len(lines)-1]
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return before + "(:init\n" + strings.Join(lines, "\n") + "\n" + last + "\n(:goal" + after
}

// What heldout generates for training is not tested with, but by chance.
func TestGeneratedByChance(t *testing.T) {
	for env, most := range map[string]int{"hotpotqa": 0, "pddl": 30} {
		n, all := 0, 0
		e := opened(t, env, envs.Setup{GeneratorSeed: envs.GeneratorSeeds{First: 0, Last: 4}})
		for _, task := range e.Tasks() {
			all++
			if ByChance(e.Info(), task) {
				n++
			} else if UseOf(e.Info(), task) != Train {
				t.Errorf("%s: %s is a test task", env, task.ID)
			}
		}
		t.Logf("%s: %d of %d generated tasks are test tasks but for names", env, n, all)
		if n > most {
			t.Errorf("%s: %d of %d generated tasks are test tasks", env, n, all)
		}
	}
}

// Seeds of BabyAI's small levels repeat worlds that AgentBoard tests with; so they are test
// tasks, with and without its labels.
func TestRepeatedWorlds(t *testing.T) {
	for _, info := range []envs.Info{
		{Name: babyai.Name, Source: envs.Generated}, {Name: babyai.Name, Source: envs.Official},
	} {
		repeated := 0
		for seed := range 300 {
			task := envs.Task{ID: fmt.Sprintf("BabyAI-OpenRedDoor-v0/%d", 10_000+seed), Index: -1}
			chance, use := ByChance(info, task), UseOf(info, task)
			sharedtest.Equal(t, chance, use == Test, task.ID, "is for", use, "by chance")
			if chance {
				repeated++
			}
		}
		if repeated < 2 || repeated > 30 {
			t.Errorf("%d of 300 seeds repeat a world that is tested with", repeated)
		}
	}
}

var (
	objectList = regexp.MustCompile(`(?is)\(:objects(.*?)\)`)
	typeName   = regexp.MustCompile(`-\s*\S+`)
)

// withOtherNames renames the objects of a problem.
func withOtherNames(problem string) string {
	names := strings.Fields(typeName.ReplaceAllString(objectList.FindStringSubmatch(problem)[1], ""))
	for i, name := range names {
		word := regexp.MustCompile(`(?i)([\s(])` + regexp.QuoteMeta(name) + `([\s)])`)
		for range 2 { // neighbours share a blank
			problem = word.ReplaceAllString(problem, "${1}thing"+strconv.Itoa(i)+"${2}")
		}
	}
	return problem
}

// The problems of PDDL are recognised in other words, but not with another goal.
func TestRenamedProblems(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedtest.AgentBoard(t), "pddl", "pddlgym", "*", "*.pddl"))
	if err != nil || len(files) < 60 {
		t.Fatal(len(files), err)
	}
	recognised := map[string]int{}
	for _, file := range files {
		text := string(sharedtest.Must(os.ReadFile(file))(t))
		for name, changed := range map[string]string{
			"as it is": text, "case": strings.ToUpper(text), "white space": strings.Join(strings.Fields(text), "\n\t"),
			"other names": withOtherNames(text), "another goal": strings.Replace(text, "(:goal", "(:goal (won)", 1),
		} {
			if testset.Tests().Contains("pddl", testset.Content, sharedtest.Must(planning.Sameness(file, changed))(t)) {
				recognised[name]++
			}
		}
	}
	want := map[string]int{"as it is": 60, "case": 60, "white space": 60, "other names": 60}
	sharedtest.Same(t, recognised, want, "of", len(files), "files")
}

// Where a task is made from its name, every spelling of the name is the same task, in whatever split it is played.
func TestNamesOfTestTasks(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Env, Split, Name string
		Want             Use
	}](t, "names.yaml") {
		s := envs.Setup{}
		if c.Split != "" {
			s.Settings = envs.Settings{"variant": "scienceworld", "split": c.Split}
		}
		e := opened(t, c.Env, s)
		finder, ok := envs.As[envs.Finder](e)
		if !ok {
			t.Fatalf("%s finds no tasks", c.Env)
		}
		sharedtest.Equal(t, UseOf(e.Info(), sharedtest.Must(finder.Task(c.Name))(t)), c.Want, c.Env, c.Name)
	}
	stories := opened(t, "jericho", envs.Setup{Data: sharedtest.AgentBoard(t), Settings: envs.Settings{
		"variant": "jericho"}})
	for _, task := range stories.Tasks() {
		sharedtest.Equal(t, UseOf(stories.Info(), task), Test, task.ID, "is for training")
	}
}
