package pddl

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/datafile"
	"heldout/envs/engine/planning"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// layout is a data folder of our own that looks like the official one, as a map from file to text.
type layout map[string]string

// newLayout returns a good one, with the problem files in the given folder.
func newLayout(t testing.TB, folder string) layout {
	t.Helper()
	files := layout{}
	var labels []string
	for i := range games {
		g := &games[i]
		domain := sharedtest.Must(domains.ReadFile("domains/" + g.Name + ".pddl"))(t)
		files[folder+g.Name+".pddl"] = string(domain)
		for n := range g.Capacity {
			files[fmt.Sprintf("%s%s/problem%d.pddl", folder, g.Name, n+1)] = generators[g.Name](n, false,
				stream.New(int64(n), "layout", g.Name))
			labels = append(labels,
				fmt.Sprintf(
					`{"id": %d, "task": "pddl", "goal": "a goal", "subgoals": ["a", "b"], "difficulty": %q, "additional_info": {"subtask": %q}}`,
					len(labels), g.difficultyOf(n), g.Name))
		}
	}
	// What lies beside the files does not matter.
	files[folder+"gripper/README"] = "not a problem"
	files[folder+"gripper_old/problem0.pddl"] = "not read"
	files["pddl/test.jsonl"] = strings.Join(labels, "\n") + "\n"
	return files
}

// write puts the files into a fresh folder.
func (l layout) write(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range l {
		file := filepath.Join(dir, filepath.FromSlash(name))
		sharedtest.OK(t, os.MkdirAll(filepath.Dir(file), 0o777))
		sharedtest.OK(t, os.WriteFile(file, []byte(text), 0o666))
	}
	return dir
}

const beside = "pddl/pddlgym/"

func TestOfficial(t *testing.T) {
	files := newLayout(t, beside)
	e := sharedtest.Must(NewOfficial(files.write(t)))(t)
	info := e.Info()
	if info.Name != "pddl" || info.Source != envs.Official || info.StepLimit != 30 || info.Settings != nil ||
		len(info.DataHash) != 64 {
		t.Errorf("%+v", info)
	}
	if len(e.Tasks()) != 60 {
		t.Fatalf("%d tasks", len(e.Tasks()))
	}
	var ids []string
	for i, task := range e.Tasks() {
		sharedtest.Equal(t, task.Index, i, task.ID, "index")
		if task.Type == "blockworld" {
			ids = append(ids, task.ID+" "+string(task.Difficulty))
		}
	}
	// The files are in the order of their names, the difficulties in the order of the labels.
	want := []string{"blockworld/problem1 easy", "blockworld/problem10 easy", "blockworld/problem2 easy",
		"blockworld/problem3 hard", "blockworld/problem4 hard",
		"blockworld/problem5 easy", "blockworld/problem6 hard", "blockworld/problem7 hard", "blockworld/problem8 hard",
		"blockworld/problem9 easy"}
	sharedtest.Same(t, ids, want)
	for _, task := range e.Tasks() {
		if _, err := e.NewWorld(task); err != nil {
			t.Errorf("%s: %v", task.ID, err)
		}
	}
}

// More problems than the benchmark uses do no harm; the first by name count.
func TestOfficialCapacity(t *testing.T) {
	files := newLayout(t, beside)
	files[beside+"blockworld/zzz.pddl"] = "not read"
	sharedtest.Equal(t, len(sharedtest.Must(NewOfficial(files.write(t)))(t).Tasks()), 60, "tasks")
}

// Domain and problem files that are devices or too large are refused.
func TestOfficialFilesHaveLimits(t *testing.T) {
	for _, name := range []string{beside + "gripper.pddl", beside + "gripper/problem1.pddl"} {
		dir := newLayout(t, beside).write(t)
		file := filepath.Join(dir, filepath.FromSlash(name))
		sharedtest.OK(t, os.Truncate(file, datafile.MaxLabels+1))
		sharedtest.Fails(t, sharedtest.Err(NewOfficial(dir)), "more than 16777216 bytes", name)
		sharedtest.OK(t, os.Remove(file))
		sharedtest.OK(t, os.Symlink(os.DevNull, file))
		sharedtest.Fails(t, sharedtest.Err(NewOfficial(dir)), "is a pipe or a device", name)
	}
}

// The problem files may also lie in a checkout of AgentBoard that the data folder is in. The tasks are the same.
func TestOfficialInCheckout(t *testing.T) {
	one := sharedtest.Must(NewOfficial(newLayout(t, beside).write(t)))(t)
	const checkout = "agentboard/environment/pddl_env/pddlgym/pddl/"
	files := layout{}
	for name, text := range newLayout(t, checkout) {
		if name == labelFile {
			name = "data/" + name
		}
		files[name] = text
	}
	dir := files.write(t)
	two := sharedtest.Must(NewOfficial(filepath.Join(dir, "data")))(t)
	sharedtest.Same(t, two.Tasks(), one.Tasks())
	sharedtest.Equal(t, one.Info().DataHash, two.Info().DataHash, "the hash of the same data differs")
}

// Every byte that is read counts for the hash of the data, and a byte of a task for that task and no other.
func TestDigests(t *testing.T) {
	good := sharedtest.Must(NewOfficial(newLayout(t, beside).write(t)))(t)
	for file, changed := range map[string]func(envs.Task) bool{
		beside + "gripper/problem3.pddl": func(t envs.Task) bool { return t.ID == "gripper/problem3" },
		beside + "barman.pddl":           func(t envs.Task) bool { return t.Type == "barman" },
		labelFile:                        func(envs.Task) bool { return false },
	} {
		files := newLayout(t, beside)
		if file == labelFile {
			files[file] = strings.Replace(files[file], "a goal", "another goal", 1)
		} else {
			files[file] += "\n"
		}
		e := sharedtest.Must(NewOfficial(files.write(t)))(t)
		if e.Info().DataHash == good.Info().DataHash {
			t.Errorf("%s has changed, but not the hash of the data", file)
		}
		for i, task := range e.Tasks() {
			sharedtest.Equal(t, task.Digest != good.Tasks()[i].Digest, changed(task), file, "changes the digest of",
				task.ID)
		}
	}
	files := newLayout(t, beside)
	files[labelFile] = strings.Replace(files[labelFile], `"easy"`, `"hard"`, 1)
	if sharedtest.Must(NewOfficial(files.write(t)))(t).Tasks()[0].Digest == good.Tasks()[0].Digest {
		t.Error("the difficulty has changed, but not the digest of the task")
	}
}

func TestOfficialErrors(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ File, Pattern, Text, Want string }](t, "errors.yaml") {
		t.Run(c.Want, func(t *testing.T) {
			files := newLayout(t, beside)
			text := strings.ReplaceAll(c.Text, "LONG", strings.Repeat(" ", 1<<21))
			for name := range files {
				if strings.HasPrefix(name, c.File) {
					files[name] = regexp.MustCompile(c.Pattern).ReplaceAllString(files[name], text)
					if c.Pattern == "" {
						delete(files, name)
					}
				}
			}
			dir := files.write(t)
			e, err := NewOfficial(dir)
			if err == nil {
				t.Fatal("no error")
			}
			if e != nil {
				t.Error("an environment beside the error")
			}
			sharedtest.Same(t, err.Error(), filepath.FromSlash(strings.ReplaceAll(c.Want, "DIR", dir)))
		})
	}
	sharedtest.Fails(t, sharedtest.Err(NewOfficial(filepath.Join(t.TempDir(), "nowhere"))), "",
		"a folder that does not exist was read")
}

// A problem that is too large for grounding is an error of its task alone.
func TestTooLargeProblem(t *testing.T) {
	files := newLayout(t, beside)
	objs := names("o", 400)
	var init strings.Builder
	for _, o := range objs {
		fmt.Fprintf(&init, "(room %s) (ball %s) (gripper %s)", o, o, o)
	}
	files[beside+"gripper/problem1.pddl"] = fmt.Sprintf(
		"(define (problem x) (:domain gripper) (:objects %s) (:init %s) (:goal (at o1 o2)))",
		strings.Join(objs, " "), init.String())
	e := sharedtest.Must(NewOfficial(files.write(t)))(t)
	w, err := e.NewWorld(e.Tasks()[0])
	if want := "gripper/problem1.pddl: grounding action pick: the problem is too large"; err == nil ||
		err.Error() != want || w != nil {
		t.Errorf("world %v, error %v, want %s", w, err, want)
	}
	sharedtest.Must(e.NewWorld(e.Tasks()[1]))(t)
}

func FuzzParseLabels(f *testing.F) {
	f.Add([]byte(`{"id": 0, "difficulty": "easy", "additional_info": {"subtask": "gripper"}}`))
	f.Add([]byte("{\"id\": 0, \"difficulty\": \"hard\"}\n{\"id\": 1, \"difficulty\": \"easy\"}\r\n"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		labels, err := agentboard.Labels("labels", b, parseLabel)
		if err != nil {
			if labels != nil {
				t.Error("labels beside the error")
			}
			return
		}
		for i, l := range labels {
			if l.ID != i || l.Difficulty != envs.Easy && l.Difficulty != envs.Hard {
				t.Errorf("line %d: %+v", i, l)
			}
		}
	})
}

// What follows compares with the real thing.

// goldenGame is a game in golden/pddl/templates.json.
type goldenGame struct {
	Facts map[string]struct {
		Types    []string
		Template *string
	}
	Actions map[string]struct {
		Params   []string
		Template *string
	}
}

// Our domains and templates say what the reference's say, name by name.
func TestGoldenTemplates(t *testing.T) {
	var want map[string]goldenGame
	sharedtest.JSON(t, "pddl/templates.json", &want)
	typ := func(s string) string { return strings.Replace(s, "default", "object", 1) }
	for _, g := range games {
		facts, actions := map[string]string{}, map[string]string{}
		d := embeddedDomain(t, g.Name)
		arity := map[string]int{}
		for name, f := range want[g.Name].Facts {
			arity[name] = len(f.Types)
			if f.Template != nil {
				facts[name] = *f.Template
			}
		}
		gotArity := map[string]int{}
		for _, p := range d.Predicates {
			gotArity[p.Name] = len(p.Params)
		}
		sharedtest.Same(t, gotArity, arity, g.Name, "predicates")
		params := map[string][]string{}
		for name, a := range want[g.Name].Actions {
			for _, p := range a.Params {
				params[name] = append(params[name], typ(p))
			}
			if a.Template != nil {
				actions[name] = *a.Template
			}
		}
		gotParams := map[string][]string{}
		for _, a := range d.Actions {
			for _, p := range a.Params {
				gotParams[a.Name] = append(gotParams[a.Name], strings.TrimPrefix(p.Name, "?")+":"+p.Type)
			}
		}
		sharedtest.Same(t, gotParams, params, g.Name, "actions")
		sharedtest.Same(t, g.Facts, facts, g.Name, "texts of facts")
		sharedtest.Same(t, g.Actions, actions, g.Name, "texts of actions")
	}
}

// The official problems are read as the reference reads them.
func TestGoldenProblems(t *testing.T) {
	var want []struct {
		ID         int `json:"task_id"`
		Game       string
		File       string `json:"problem_file"`
		Difficulty envs.Difficulty
		Objects    map[string]string
		Init, Goal [][]string
	}
	sharedtest.JSON(t, "pddl/problems.json", &want)
	e := official(t)
	words := func(atoms []planning.Atom) (out [][]string) {
		for _, a := range atoms {
			out = append(out, append([]string{a.Predicate}, a.Args...))
		}
		return out
	}
	for i, p := range want {
		task, parsed := e.Tasks()[i], e.problems[i].parsed
		if id := p.Game + "/" + strings.TrimSuffix(p.File, ".pddl"); p.ID != i || task.ID != id ||
			task.Difficulty != p.Difficulty {
			t.Errorf("task %d is %+v, want %s, %s", i, task, id, p.Difficulty)
		}
		objects := map[string]string{}
		for _, o := range parsed.Objects {
			objects[o.Name] = strings.Replace(o.Type, "object", "default", 1)
		}
		for o, typ := range p.Objects {
			p.Objects[o] = strings.Replace(typ, "object", "default", 1)
		}
		sharedtest.Same(t, objects, p.Objects, task.ID, "objects")
		init := words(parsed.Init)
		slices.SortFunc(init, slices.Compare)
		slices.SortFunc(p.Init, slices.Compare)
		sharedtest.Same(t, init, p.Init, task.ID, "init")
		goal, ok := parsed.Goal.Literals()
		if diff := cmp.Diff(p.Goal, words(goal)); diff != "" || !ok {
			t.Errorf("%s: goal: %s", task.ID, diff)
		}
	}
}

// Our writing of the domains gives the same ground tasks as the official files.
func TestEmbeddedDomainsEqualOfficial(t *testing.T) {
	e, every := official(t), sharedtest.Every(t, 6)
	for i, task := range e.Tasks() {
		if i%every > 0 {
			continue
		}
		g := e.problems[i].game
		text := sharedtest.Must(os.ReadFile(filepath.Join(sharedtest.AgentBoard(t), "pddl/pddlgym",
			task.ID+".pddl")))(t)
		theirs := sharedtest.Must(e.problems[i].ready())(t)
		ours := newTestInstance(t, g.Name, string(text))
		sharedtest.Same(t, describeTask(ours.task), describeTask(theirs.task), task.ID)
	}
}

// describeTask writes everything about a ground task, by names and sorted.
func describeTask(t *planning.Task) []string {
	var out []string
	for _, o := range t.Objects {
		out = append(out, "object "+o.Name+" "+o.Type)
	}
	literals := func(ls []planning.Literal) string {
		var words []string
		for _, l := range ls {
			word := t.Facts[l.Fact()].String()
			if l.Negated() {
				word = "not " + word
			}
			words = append(words, word)
		}
		slices.Sort(words)
		return strings.Join(words, " ")
	}
	for i, a := range t.Facts {
		out = append(out, fmt.Sprint("fact ", a, t.Init.Contains(i)))
	}
	for _, a := range t.Constant {
		out = append(out, "constant "+a.String())
	}
	for i := range t.Operators {
		op := &t.Operators[i]
		text := t.Name(op) + " needs " + literals(op.Precondition)
		for _, e := range op.Effects {
			text += " where " + literals(e.Condition) + " makes " + literals(e.Literals)
		}
		out = append(out, text)
	}
	for _, way := range t.Goal {
		out = append(out, "goal "+literals(way))
	}
	slices.Sort(out)
	return out
}
