package alfworld

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// fixture is a folder laid out as AgentBoard's, with six games of our own.
const fixture = "testdata/games"

// copyGames copies the fixture into another split or layout and returns the
// folder and the names of the games' files.
func copyGames(t testing.TB, under string) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	from := filepath.Join(fixture, "alfworld/json_2.1.1/valid_unseen")
	sharedtest.OK(t, os.CopyFS(filepath.Join(dir, filepath.FromSlash(under)), os.DirFS(from)))
	files = sharedtest.Must(filepath.Glob(filepath.Join(dir, filepath.FromSlash(under), "*", "*", gameName)))(t)
	sharedtest.Equal(t, len(files), 6, files)
	return dir, files
}

// edit changes a game file: change gets its fields.
func edit(t testing.TB, file string, change func(map[string]any)) {
	t.Helper()
	b := sharedtest.Must(os.ReadFile(file))(t)
	var fields map[string]any
	sharedtest.OK(t, json.Unmarshal(b, &fields))
	change(fields)
	b = sharedtest.Must(json.Marshal(fields))(t)
	sharedtest.OK(t, os.WriteFile(file, b, 0o644))
}

// replace replaces text in a field of a game file.
func replace(field, old, new string) func(map[string]any) {
	return func(fields map[string]any) {
		fields[field] = strings.ReplaceAll(fields[field].(string), old, new)
	}
}

func ids(e *Env) (ids []string) {
	for _, t := range e.Tasks() {
		ids = append(ids, t.ID)
	}
	return ids
}

func TestNewOfficial(t *testing.T) {
	e := sharedtest.Must(NewOfficial(fixture, Options{}))(t)
	want := envs.Info{Name: "alfworld", Source: envs.Official, StepLimit: 30, DataHash: e.Info().DataHash}
	if d := cmp.Diff(want, e.Info()); d != "" || len(want.DataHash) != 64 {
		t.Error(d)
	}
	sorted := slices.Sorted(slices.Values(ids(e)))
	for i, from := range servedOrder(6) {
		task := e.Tasks()[i]
		typ, _, _ := strings.Cut(task.ID, "-")
		if task.ID != sorted[from] || task.Index != i || task.Type != typ || len(task.Digest) != 64 {
			t.Errorf("%+v, want %s", task, sorted[from])
		}
		sharedtest.Equal(t, typ == pickAndPlace, task.Difficulty == envs.Easy, task)
	}
	for _, task := range e.Tasks() { // half of the games are in the other dialect, and are played as v1
		if w := newTestWorld(t, e, task); slices.Contains(w.engine.commands(), "help") {
			t.Errorf("%s knows help", task.ID)
		}
	}
}

// The order of 134 games is the published one.
func TestServedOrder(t *testing.T) {
	order := servedOrder(134)
	sharedtest.Same(t, order[:10], []int{6, 131, 93, 62, 68, 78, 59, 61, 111, 32})
	sharedtest.Same(t, order[128:], []int{30, 23, 116, 53, 38, 47})
	if len(servedOrder(0)) != 0 || !slices.Equal(servedOrder(1), []int{0}) {
		t.Error("short orders are wrong")
	}
}

// Games may lie in AgentBoard's folder or in ALFWorld's, in four splits.
func TestLayouts(t *testing.T) {
	for _, base := range GameFolders() {
		for _, split := range Splits() {
			dir, _ := copyGames(t, base+"/"+split)
			e, err := NewOfficial(dir, Options{Split: split})
			if err != nil || len(e.Tasks()) != 6 {
				t.Errorf("%s, %s: %v", base, split, err)
				continue
			}
			if got := e.Info().Settings["split"]; split != "valid_unseen" && got != split || split == "valid_unseen" &&
				got != "" {
				t.Errorf("%s: setting %q", split, got)
			}
		}
	}
}

// Which games count: those that can be solved, of the six types.
func TestWhichGamesCount(t *testing.T) {
	dir, files := copyGames(t, "alfworld/json_2.1.1/valid_unseen")
	edit(t, files[0], func(f map[string]any) { f["solvable"] = false })
	edit(t, files[1], func(f map[string]any) { delete(f, "solvable") })
	edit(t, files[2], func(f map[string]any) { f["solvable"] = nil })
	for i, name := range []string{"pick_and_place_with_movable_recep-Pen-Mug-Desk-301",
		"pick_and_place_simple-AppleSliced-None-Fridge-3", "juggle-Egg-None-Fridge-3"} {
		sharedtest.OK(t, os.Rename(filepath.Dir(filepath.Dir(files[3+i])),
			filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(files[3+i]))), name)))
	}
	if e, err := NewOfficial(dir, Options{}); err == nil || !strings.Contains(err.Error(), "no solvable game") {
		t.Errorf("%v, %v", e, err)
	}
}

// A split that lacks games is told, with a file that was left out because it does not say
// whether its game can be solved.
func TestWhole(t *testing.T) {
	dir, files := copyGames(t, "alfworld/json_2.1.1/valid_unseen")
	edit(t, files[1], func(f map[string]any) { delete(f, "solvable") })
	e := sharedtest.Must(NewOfficial(dir, Options{}))(t)
	err := e.CheckComplete()
	if err == nil || !strings.Contains(err.Error(), "has 5 of the 134 official games of valid_unseen ("+
		filepath.ToSlash(strings.TrimPrefix(files[1], filepath.Dir(filepath.Dir(filepath.Dir(files[1])))+
			string(filepath.Separator)))+" does not say") {
		t.Errorf("%v", err)
	}
	sharedtest.OK(t, official(t, Options{}).CheckComplete())
}

// The dialect is a setting of its own: default, the other one, or the file's.
func TestDialects(t *testing.T) {
	helps := map[string]int{"": 0, "v1": 0, "v2": 6, "file": 3}
	digests := map[string]bool{}
	for name, want := range helps {
		e := sharedtest.Must(NewOfficial(fixture, Options{Dialect: name}))(t)
		got := 0
		for _, task := range e.Tasks() {
			w := newTestWorld(t, e, task)
			if w.engine.do("help") == helpText {
				got++
			}
			digests[task.Digest] = true
		}
		if setting := e.Info().Settings["dialect"]; got != want || setting != map[string]string{
			"v2": "v2", "file": "file"}[name] {
			t.Errorf("%q: %d games know help, want %d; setting %q", name, got, want, setting)
		}
	}
	if len(digests) != 12 { // six games in two dialects, however chosen
		t.Errorf("%d different tasks, want 12", len(digests))
	}
}

// A sub-goal about placing things is in the words of the dialect.
func TestSubgoalsInDialect(t *testing.T) {
	e := sharedtest.Must(NewOfficial(fixture, Options{Dialect: "v2"}))(t)
	i := slices.IndexFunc(e.Tasks(), func(task envs.Task) bool { return task.Type == pickTwo })
	if got, want := e.games[i].subgoals[2], `You move the soapbar \d+ to the drawer \d+`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Labels are taken from the label file as far as it goes.
func TestLabelFile(t *testing.T) {
	plain := sharedtest.Must(NewOfficial(fixture, Options{}))(t)
	dir, _ := copyGames(t, "alfworld/json_2.1.1/valid_unseen")
	task := plain.Tasks()[2]
	line :=
		`{"task": "alfworld", "id": 2, "goal": "", "subgoals": ["^(?=.* you see)(?=.*a bed)", "x\\d"], "difficulty": "easy", "additional_info": {"description": "` + task.ID + `"}}`
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, "alfworld/test.jsonl"), []byte(line+"\n"), 0o644))
	e := sharedtest.Must(NewOfficial(dir, Options{}))(t)
	for i, got := range e.Tasks() {
		sharedtest.Equal(t, got == plain.Tasks()[i], i != 2, "task", i, got)
	}
	if r := newTestWorld(t, e, e.Tasks()[2]).rules; len(r.subgoals) != 2 || e.Tasks()[2].Difficulty != envs.Easy {
		t.Errorf("%+v", r)
	}
	if e.Info().DataHash == plain.Info().DataHash {
		t.Error("the label file is not part of the data's hash")
	}
}

func TestBadLabels(t *testing.T) {
	const good = `{"subgoals": ["a"], "difficulty": "easy", "additional_info": {"description": "x/y"}}` + "\n"
	for text, want := range map[string]string{
		"{":         "labels:1: it ends in the middle of a value: the file is not complete",
		good + good: "labels:2: game x/y has a label already",
		`{"subgoals": ["a"], "difficulty": "easy"}`: "labels:1: want subgoals and additional_info.description",
		strings.Replace(good, `"a"`, ``, 1):         "labels:1: want subgoals and additional_info.description",
		strings.Replace(good, `easy`, `harder`, 1):  `labels:1: want difficulty "easy" or "hard", got "harder"`,
		strings.Replace(good, `"a"`, `"("`,
			1): "labels:1: sub-goal \"(\": error parsing regexp: missing closing ): `(`",
		strings.Replace(good, `"a"`, `"(?=b)"`,
			1): "labels:1: sub-goal \"(?=b)\": error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
		strings.Replace(good, `"a"`, `"^(?=.* you see)(?=.*b"`,
			1): `labels:1: sub-goal "^(?=.* you see)(?=.*b": want ")" at its end`,
	} {
		if _, err := parseLabels("labels", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// What is wrong with a file is said when the games are listed.
func TestBadFiles(t *testing.T) {
	const published = "; heldout help alfworld-versions has the published ones"
	for _, tt := range []struct {
		name   string
		spoil  func(t *testing.T, file string)
		expect string
	}{
		{"truncated", func(t *testing.T, file string) {
			b, err := os.ReadFile(file)
			sharedtest.OK(t, errors.Join(err, os.WriteFile(file, b[:len(b)/2], 0o644)))
		}, `not a whole game file: "pddl_problem": it ends in the middle of a value: the file is not complete`},
		{"no problem", func(t *testing.T, file string) {
			edit(t, file, func(f map[string]any) { delete(f, "pddl_problem") })
		}, `not a game file: "pddl_problem" or "grammar" is missing`},
		{"other verb", func(t *testing.T, file string) {
			edit(t, file, replace("grammar", "put {o} in/on {r}", "place {o} on {r}"))
		}, `unknown grammar: putobject is typed "place {o} on {r}", not "put {o} in/on {r}"` + published},
		{"no goal", func(t *testing.T, file string) {
			edit(t, file, replace("grammar", "Your task is to: ", "Please "))
		},
			`unknown grammar: its symbol task says "Please put a soapbottle in garbagecan.", not "Your task is to: " and the goal`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, files := copyGames(t, "alfworld/json_2.1.1/valid_unseen")
			spoiled := files[1] // in the classic dialect
			tt.spoil(t, spoiled)
			if _, err := NewOfficial(dir, Options{}); err == nil || err.Error() != spoiled+": "+tt.expect {
				t.Errorf("%v, want %s", err, tt.expect)
			}
		})
	}
}

// What is wrong with a problem is said when its game is played.
func TestBadProblems(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ Old, New, Want string }](t, "bad-problems.yaml") {
		t.Run(c.New, func(t *testing.T) {
			dir, files := copyGames(t, "alfworld/json_2.1.1/valid_unseen")
			i := slices.IndexFunc(files, func(f string) bool {
				return strings.Contains(f, "SoapBottle-None-GarbageCan")
			})
			edit(t, files[i], replace("pddl_problem", c.Old, c.New))
			e := sharedtest.Must(NewOfficial(dir, Options{}))(t)
			i = slices.IndexFunc(e.Tasks(), func(task envs.Task) bool { return task.Type == pickAndPlace })
			w, err := e.NewWorld(e.Tasks()[i])
			if err == nil { // then it can be read, but not played
				_, err = w.Step(t.Context(), "look")
			}
			if err == nil || !strings.Contains(err.Error(), c.Want) ||
				!strings.Contains(err.Error(), e.Tasks()[i].ID) {
				t.Errorf("%v, want %s", err, c.Want)
			}
		})
	}
}

func TestBadOptions(t *testing.T) {
	for want, o := range map[string]Options{
		`unknown split "test"`: {Split: "test"},
		`unknown dialect "v3"`: {Dialect: "v3"},
		"want the folder":      {Split: "valid_seen"},
	} {
		sharedtest.Fails(t, sharedtest.Err(NewOfficial(fixture, o)), want, o)
	}
	for want, o := range map[string]Options{
		"no split and no file": {Split: "train"},
		"come from no split":   {Dialect: "file"},
		`unknown dialect "v3"`: {Dialect: "v3"},
	} {
		sharedtest.Fails(t, sharedtest.Err(NewGenerated(0, o)), want, o)
	}
	e := sharedtest.Must(NewGenerated(3, Options{Dialect: "v2", StepLimitReward: true}))(t)
	want := map[string]string{"dialect": "v2", "step-limit-reward": "true", "generator-seed": "3"}
	sharedtest.Same(t, e.Info().Settings, want)
}

// A task of another environment, or another seed, is not played by mistake.
func TestForeignTask(t *testing.T) {
	a := sharedtest.Must(NewGenerated(1, Options{}))(t)
	b := sharedtest.Must(NewGenerated(2, Options{}))(t)
	for _, task := range []envs.Task{b.Tasks()[0], {Index: -1}, {Index: 1000}} {
		sharedtest.Fails(t, sharedtest.Err(a.NewWorld(task)), "unknown task", task)
	}
}

// A game that is no task is found by its name, and plays; other names are not.
func TestGamesOutsideTheBenchmark(t *testing.T) {
	dir, files := copyGames(t, "json_2.1.1/valid_unseen")
	edit(t, files[0], func(fields map[string]any) { fields["solvable"] = false })
	e := sharedtest.Must(NewOfficial(dir, Options{Variant: ALFWorld}))(t)
	trial := filepath.Dir(files[0])
	id := filepath.Base(filepath.Dir(trial)) + "/" + filepath.Base(trial)
	task, err := e.Task(id)
	if err != nil || task.Index != -1 || slices.Contains(ids(e), id) {
		t.Fatalf("%+v, %v", task, err)
	}
	if start, err := sharedtest.Must(e.NewWorld(task))(t).Start(t.Context()); err != nil || start.Goal == "" {
		t.Errorf("%+v, %v", start, err)
	}
	sharedtest.Equal(t, sharedtest.Must(e.Task(e.Tasks()[1].ID))(t), e.Tasks()[1])
	for _, name := range []string{"", "none", "../x", id + "/x", filepath.Dir(id) + "/trial_none"} {
		if _, err := e.Task(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
	changed := task
	changed.Type = "other"
	sharedtest.Fails(t, sharedtest.Err(e.NewWorld(changed)), "", "another task of that name is played")
}

// Of many games only some are kept ready.
func TestKeptGames(t *testing.T) {
	e := sharedtest.Must(NewOfficial(fixture, Options{}))(t)
	if again, _ := e.ready(e.games[0]); again != sharedtest.Must(e.ready(e.games[0]))(t) {
		t.Error("the game was loaded twice")
	}
	e.order = append(e.order, make([]string, maxLoaded-1)...)
	if _, err := e.ready(e.games[1]); err != nil {
		t.Fatal(err)
	}
	if _, kept := e.loaded[e.games[0].id]; kept || len(e.order) != maxLoaded {
		t.Errorf("%d games are kept", len(e.order))
	}
}

// Where there are no games, the error says where there are some, or what lies there instead.
func TestWhereGamesAre(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ Layout, Data, Split, Want string }](t, "where-games-are.yaml") {
		dir, _ := copyGames(t, c.Layout)
		_, err := NewOfficial(filepath.Join(dir, filepath.FromSlash(c.Data)), Options{Split: c.Split})
		if want := strings.ReplaceAll(c.Want, "DIR", dir); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", c, err, want)
		}
	}
	for what, tt := range map[string]struct {
		name, want string
	}{
		"compressed":   {gameName + ".gz", "its games are compressed; gunzip -r "},
		"trajectories": {"traj_data.json", "it has trajectories only"},
		"other":        {"game.txt", "want TASK/TRIAL/game.tw-pddl"},
	} {
		dir, files := copyGames(t, "json_2.1.1/valid_unseen")
		for _, f := range files {
			sharedtest.OK(t, os.Rename(f, filepath.Join(filepath.Dir(f), tt.name)))
		}
		sharedtest.Fails(t, sharedtest.Err(NewOfficial(dir, Options{})), tt.want, what)
	}
}

// Of several folders the first with games counts: ALFWorld's archive of trajectories makes one
// without. Links are followed.
func TestWhichFolder(t *testing.T) {
	dir, _ := copyGames(t, "json_2.1.3/valid_unseen")
	sharedtest.OK(t, os.MkdirAll(filepath.Join(dir, "json_2.1.1/valid_unseen/task/trial"), 0o777))
	linked := t.TempDir()
	sharedtest.OK(t, os.Symlink(filepath.Join(dir, "json_2.1.3"), filepath.Join(linked, "json_2.1.1")))
	for _, data := range []string{dir, linked} {
		sharedtest.Equal(t, len(sharedtest.Must(NewOfficial(data, Options{}))(t).Tasks()), 6, data)
	}
}

// Of an incomplete folder a game can be played, though no run: also beside a broken one.
func TestPartial(t *testing.T) {
	dir, files := copyGames(t, "json_2.1.3/valid_unseen")
	sharedtest.OK(t, os.WriteFile(files[2], []byte("{"), 0o666))
	sharedtest.Fails(t, sharedtest.Err(NewOfficial(dir, Options{})), files[2])
	e := sharedtest.Must(NewOfficial(dir, Options{Partial: true}))(t)
	sharedtest.Equal(t, len(e.Tasks()), 5)
	sharedtest.Fails(t, e.CheckComplete(), "has 5 of the 134 official games")
	for _, task := range e.Tasks() {
		if steps, success := solve(t, e, task); !success {
			t.Errorf("%s: not solved in %d steps", task.ID, steps)
		}
	}
	sharedtest.Fails(t, sharedtest.Err(e.Task(taskOf(files[2]))), files[2], "the broken game")
}

// taskOf is the ID of the task in a game's file.
func taskOf(file string) string {
	trial := filepath.Dir(file)
	return filepath.Base(filepath.Dir(trial)) + "/" + filepath.Base(trial)
}

// Games of both dialects are not played as they are in one run; nor are more games than the split has.
func TestOtherSets(t *testing.T) {
	dir, files := copyGames(t, "json_2.1.1/valid_unseen")
	b := sharedtest.Must(os.ReadFile(files[0]))(t)
	many := func(n int) {
		for i := range n {
			copied := filepath.Join(filepath.Dir(filepath.Dir(files[0])), fmt.Sprint("copy", i), gameName)
			sharedtest.OK(t, errors.Join(os.MkdirAll(filepath.Dir(copied), 0o777), os.WriteFile(copied, b, 0o666)))
		}
	}
	check := func(dialect string) string {
		e := sharedtest.Must(NewOfficial(dir, Options{Dialect: dialect}))(t)
		if err := e.CheckComplete(); err != nil {
			return err.Error()
		}
		return ""
	}
	many(128)
	if got := check("file"); !strings.Contains(got, "have both dialects; --dialect v1 or v2 plays all alike") {
		t.Errorf("%q", got)
	}
	sharedtest.Equal(t, check("v2"), "")
	many(129)
	if got := check(""); !strings.Contains(got, "has 135 games, and valid_unseen has only 134") {
		t.Errorf("%q", got)
	}
}

// The game of a file is played wherever the file lies: with sub-goals if its folders name them.
func TestNewGame(t *testing.T) {
	_, files := copyGames(t, "any/where")
	loose := filepath.Join(t.TempDir(), "a game.tw-pddl")
	for i, file := range files {
		e := sharedtest.Must(NewGame(file, Options{Dialect: "file"}))(t)
		want := map[bool]int{true: 2, false: 3}[i == 1] // the easy one
		if len(e.Tasks()) != 1 || e.Tasks()[0].ID != taskOf(file) || len(e.games[0].subgoals) != want ||
			e.CheckComplete() != nil {
			t.Errorf("%+v", e.games)
		}
		b := sharedtest.Must(os.ReadFile(file))(t)
		sharedtest.OK(t, os.WriteFile(loose, append([]byte("\ufeff"), b...), 0o666))
		same := sharedtest.Must(NewGame(loose, Options{Dialect: "file"}))(t)
		if got := same.Tasks()[0].ID; got != "a game.tw-pddl" || len(same.games[0].subgoals) != 0 {
			t.Errorf("%q: %+v", got, same.games)
		}
		for _, env := range []*Env{e, same} {
			if _, success := solve(t, env, env.Tasks()[0]); !success {
				t.Errorf("%s is not solved", env.Tasks()[0].ID)
			}
		}
	}
	sharedtest.Fails(t, sharedtest.Err(NewGame(loose, Options{Split: "train"})), "of no split")
	if _, err := NewGame("none.tw-pddl", Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// The official games in today's form are known as such; in other forms, and with another problem, they are not.
func TestRepublished(t *testing.T) {
	games := filepath.Join(sharedtest.AgentBoard(t), "alfworld/json_2.1.1/valid_unseen")
	files, err := filepath.Glob(filepath.Join(games, "*", "*", gameName))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range sharedtest.Sample(t, files, 8, 40) {
		b := sharedtest.Must(os.ReadFile(file))(t)
		for form, tt := range map[string]struct {
			problem bool // is the game's own
			write   func(string) string
		}{
			"classic": {true, func(classic string) string { return classic }},
			"today":   {true, republished},
			"later":   {true, generatedLater},
			"partly":  {true, inModernWords},
			"another": {false, republished},
		} {
			var fields map[string]any
			sharedtest.OK(t, json.Unmarshal(b, &fields))
			fields["grammar"] = tt.write(fields["grammar"].(string))
			if !tt.problem {
				replace("pddl_problem", "(:init", "(:init (checked loc_x)")(fields)
			}
			changed := sharedtest.Must(json.Marshal(fields))(t)
			if got, want := Republished(changed), form == "today" || form == "later"; got != want {
				t.Errorf("%s, %s: %v", taskOf(file), form, got)
			}
		}
	}
	if Republished(nil) || Republished([]byte("{}")) {
		t.Error("what is no game is one")
	}
}
