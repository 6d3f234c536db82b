package eval

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode"
	"heldout/eval/episode/episodetest"
	"heldout/scoring/record"
)

func twoPlayers() Spec {
	return Spec{
		Benchmarks: []episode.Benchmark{benchmark(episodetest.NewCountdown(3))},
		Players:    []episode.Player{{Name: episode.Expert, Agent: episode.Expert}, served(episodetest.Saying("down"))},
		Seeds:      []int64{2, 3},
	}
}

func TestPlan(t *testing.T) {
	p := mustPlan(t, twoPlayers())
	var got []string
	for _, e := range p.Episodes {
		got = append(got, fmt.Sprintf("%s %d %s", e.Condition.Model, e.Condition.Seed, e.Task.ID))
	}
	want := []string{ // the expert plays one seed
		"expert 2 from/1", "expert 2 from/2", "expert 2 from/3",
		"vllm:m 2 from/1", "vllm:m 2 from/2", "vllm:m 2 from/3",
		"vllm:m 3 from/1", "vllm:m 3 from/2", "vllm:m 3 from/3",
	}
	sharedtest.Equal(t, cmp.Diff(want, got), "")
	if least, most := p.Cost(); least.Calls != 6 || most.Calls != 6*10 || most.Reflections != 0 {
		t.Errorf("it costs %+v to %+v", least, most)
	}
	if seeds, models := p.Breadth(); seeds != 2 || models != 2 {
		t.Errorf("%d seeds and %d models", seeds, models)
	}
	if again := mustPlan(t, twoPlayers()); again.Hash() != p.Hash() || again.Episodes[8].ID != p.Episodes[8].ID {
		t.Error("the same plan has another identity")
	}
}

// Everything that changes an episode changes its id, and nothing else does.
func TestEpisodeIdentity(t *testing.T) {
	base := mustPlan(t, twoPlayers()).Episodes[8].ID
	for name, change := range map[string]func(*Spec){
		"step limit":  func(s *Spec) { s.Benchmarks[0].StepLimit = 11 },
		"prompt":      func(s *Spec) { s.Benchmarks[0].PromptHash = "other" },
		"model":       func(s *Spec) { s.Players[1].Name = "vllm:n" },
		"agent":       func(s *Spec) { s.Players[1].Agent = configs.Act },
		"temperature": func(s *Spec) { s.Players[1].Decoding.Temperature = 1 },
		"top-p":       func(s *Spec) { s.Players[1].Decoding.TopP = 0.9 },
		"max-tokens":  func(s *Spec) { s.Players[1].Decoding.MaxTokens = 9 },
		"stop":        func(s *Spec) { s.Players[1].Decoding.Stop = []string{"x"} },
		"extra":       func(s *Spec) { s.Players[1].Decoding.Extra = map[string]any{"top_k": 2} },
		"context":     func(s *Spec) { s.Players[1].ContextOption = 4096 },
		"version":     func(s *Spec) { s.Players[1].Identity = &record.Identity{Version: "2"} },
		"source":      func(s *Spec) { s.Players[1].Identity = &record.Identity{Source: "0123456789abcdef"} },
		"sampling": func(s *Spec) {
			s.Players[1].Identity = &record.Identity{Sampling: map[string]any{"temperature": 1}}
		},
		"seed":         func(s *Spec) { s.Seeds[1] = 4 },
		"perturbation": func(s *Spec) { s.Benchmarks[0].Perturbation = "P1" },
		"rules":        func(s *Spec) { s.Benchmarks[0].PerturbationHash = "other" },
		"task": func(s *Spec) {
			tasks := append([]envs.Task(nil), s.Benchmarks[0].Tasks...)
			tasks[2].Digest = "other"
			s.Benchmarks[0].Tasks = tasks
		},
	} {
		s := twoPlayers()
		change(&s)
		if mustPlan(t, s).Episodes[8].ID == base {
			t.Errorf("another %s is the same episode", name)
		}
	}
	for name, change := range map[string]func(*Spec){
		"server's context": func(s *Spec) { s.Players[1].ContextLimit = 4096 },
		"fewer players":    func(s *Spec) { s.Players = s.Players[1:] },
		"other seeds":      func(s *Spec) { s.Seeds = []int64{3} },
	} {
		s := twoPlayers()
		change(&s)
		p := mustPlan(t, s)
		sharedtest.Equal(t, p.Episodes[len(p.Episodes)-1].ID, base, name, "is another episode")
	}
}

func TestPlanRefusesDoubles(t *testing.T) {
	s := twoPlayers()
	s.Players = append(s.Players, s.Players[1])
	sharedtest.Fails(t, sharedtest.Err(NewPlan(&s)), "twice", "err =")
	if _, err := NewPlan(&Spec{}); err == nil {
		t.Error("an empty plan is fine")
	}
}

// A directory takes the plan it was made for, and one that adds to it.
func TestBeginChecksTheDirectory(t *testing.T) {
	dir := t.TempDir()
	begin := func(change func(*Spec)) error {
		spec := twoPlayers()
		change(&spec)
		about := About{Manifest: record.Manifest{Tool: record.Tool{Version: "test"}}}
		s, err := Begin(dir, mustPlan(t, spec), about, clock())
		if err != nil {
			return err
		}
		return s.End()
	}
	sharedtest.OK(t, begin(func(*Spec) {}))
	if err := begin(func(s *Spec) { s.Seeds = []int64{2, 3, 4} }); err != nil {
		t.Errorf("more seeds: %v", err)
	}
	for _, c := range []struct {
		want   string
		change func(*Spec)
	}{
		{"(decoding temperature 0 there, 1 here)", func(s *Spec) {
			s.Seeds = []int64{2, 3, 4}
			s.Players[1].Decoding.Temperature = 1
		}},
		{"(seed 4 there, 2 here)", func(s *Spec) {}},
		{"other tasks of countdown; if an earlier version began it with --limit 3, give --tasks 0-2", func(s *Spec) {
			s.Seeds = []int64{2, 3, 4}
			s.Benchmarks[0].Tasks = s.Benchmarks[0].Tasks[:1]
		}},
	} {
		sharedtest.Fails(t, begin(c.change), c.want, "err =")
	}
	m, err := record.ReadManifest(dir)
	if err != nil || len(m.Sessions) != 2 || m.Sessions[1].Ended == nil || len(m.Groups) != 4 {
		t.Errorf("%v, %+v", err, m)
	}
}

func TestParseSeeds(t *testing.T) {
	for in, want := range sharedtest.Table[[]int64](t, "seeds.yaml") {
		got, err := ParseSeeds(in)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("ParseSeeds(%q) = %v, %v", in, got, err)
		}
	}
}

// A name that looks like a number is a name first.
func TestSelectTasksNumberedNames(t *testing.T) {
	env := episodetest.NewCountdown(3)
	env.List[1].ID, env.List[2].ID = "905", "0"
	for name, want := range map[string]int{"905": 1, " 905": 1, "0": 2, "1": 1} {
		sharedtest.Equal(t, sharedtest.Must(FindTask(env, name))(t).Index, want, name)
		if got, err := SelectTasks(env, name, 0); err != nil || len(got) != 1 || got[0].Index != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := FindTask(env, "500"); err == nil ||
		err.Error() != `no task has the name or number "500"; the numbers are 0 to 2` {
		t.Error(err)
	}
}

func TestSeedsReversed(t *testing.T) {
	sharedtest.Fails(t, sharedtest.Err(ParseSeeds("0")), "write 0-0 for the seed 0", "no seeds")
	if _, err := ParseSeeds("3,9-0"); err == nil ||
		err.Error() != `seeds "3,9-0": the range "9-0" is reversed; write 0-9` {
		t.Error(err)
	}
}

func TestSelectTasks(t *testing.T) {
	var tasks []envs.Task
	for i, id := range []string{"a/x1", "a/x2", "b/x1", "b/y+"} {
		tasks = append(tasks, envs.Task{ID: id, Index: i, Type: id[:1]})
	}
	env := &episodetest.Countdown{List: tasks}
	for _, c := range []struct {
		patterns string
		limit    int
		want     string
	}{
		{"", 0, "[a/x1 a/x2 b/x1 b/y+]"},
		{"", 2, "[a/x1 b/y+]"},
		{"b", 0, "[b/x1 b/y+]"},
		{"*/x1", 0, "[a/x1 b/x1]"},
		{"b/y+, 0", 0, "[a/x1 b/y+]"},
		{"1-2", 1, "[b/x1]"},
		{"?/x?", 9, "[a/x1 a/x2 b/x1]"},
		{"A", 0, ""}, {"4", 0, ""}, {"a,", 0, ""}, {"b/y", 0, ""}, {"a", -1, ""},
	} {
		got, err := SelectTasks(env, c.patterns, c.limit)
		var ids []string
		for _, task := range got {
			ids = append(ids, task.ID)
		}
		if (err == nil) != (c.want != "") || err == nil && fmt.Sprint(ids) != c.want {
			t.Errorf("SelectTasks(%q, %d) = %v, %v; want %s", c.patterns, c.limit, ids, err, c.want)
		}
	}
	sharedtest.Equal(t, sharedtest.Must(FindTask(env, "2"))(t).ID, "b/x1", "FindTask =")
	for _, bad := range []string{"", "a", "1,2", "*", "nothing"} {
		if task, err := FindTask(env, bad); err == nil {
			t.Errorf("FindTask(%q) = %v", bad, task)
		}
	}
	wide := finder{env}
	if got, err := SelectTasks(wide, "first, b/y+", 0); err != nil || len(got) != 2 || got[0].ID != "a/x1" {
		t.Errorf("tasks by another name: %v, %v", got, err)
	}
	list := filepath.Join(t.TempDir(), "list")
	sharedtest.OK(t, os.WriteFile(list, []byte("# mine\nc/77\n\n c/78\nc/77\n"), 0o600))
	for patterns, want := range map[string]string{
		"c/77": "[c/77]", "c/78, b/x1, c/77, c/78, 0": "[a/x1 b/x1 c/78 c/77]", "@" + list: "[c/77 c/78]",
		"c/79,@" + list: "[c/79 c/77 c/78]"} {
		got, err := SelectTasks(wide, patterns, 0)
		var ids []string
		for _, task := range got {
			ids = append(ids, task.ID)
			sharedtest.Equal(t, task.ID[0] == 'c', (task.Index < 0), task.ID, task.Index, "has the index")
		}
		if err != nil || fmt.Sprint(ids) != want {
			t.Errorf("SelectTasks(%q) = %v, %v; want %s", patterns, ids, err, want)
		}
	}
	sharedtest.OK(t, os.WriteFile(list, []byte("# nothing\n"), 0o600))
	for _, bad := range []string{"@" + list, "@" + list + "-gone", "elsewhere"} {
		if got, err := SelectTasks(wide, bad, 0); err == nil {
			t.Errorf("SelectTasks(%q) = %v", bad, got)
		}
	}
	// Names may come from records, which must not have files read.
	if got, err := FindTask(wide, "@"+list); err == nil {
		t.Errorf("FindTask reads a file: %v", got)
	}
	for name, want := range map[string]string{"2": "b/x1", "b/x1": "b/x1", " c/77 ": "c/77"} {
		sharedtest.Equal(t, sharedtest.Must(FindTask(wide, name))(t).ID, want, "FindTask(", name, ") =")
	}
	for _, bad := range []string{"a", "1,2", "nothing"} {
		if task, err := FindTask(wide, bad); err == nil {
			t.Errorf("FindTask(%q) = %v", bad, task)
		}
	}
}

// finder is a countdown that has tasks outside its benchmark, and another name for one inside.
type finder struct{ *episodetest.Countdown }

func (f finder) Task(id string) (envs.Task, error) {
	if id == "first" {
		return f.List[0], nil
	}
	if !strings.HasPrefix(id, "c/") {
		return envs.Task{}, errors.New("no such task")
	}
	return envs.Task{ID: id, Index: -1}, nil
}

// Patterns of any form are read without a panic, and what is selected keeps the order.
func TestSelectTasksHolds(t *testing.T) {
	env := episodetest.NewCountdown(30)
	rapid.Check(t, func(t *rapid.T) {
		got, err := SelectTasks(env, rapid.String().Draw(t, "patterns"), rapid.IntRange(0, 40).Draw(t, "limit"))
		for i := 1; i < len(got) && err == nil; i++ {
			if got[i-1].Index >= got[i].Index {
				t.Fatalf("%v before %v", got[i-1], got[i])
			}
		}
	})
}

// Under a perturbation that changes the model another one plays; the condition
// says in whose place, and a player without a substitute does not play.
func TestInstead(t *testing.T) {
	s := twoPlayers()
	other := served(episodetest.Saying("up"))
	other.Name = "vllm:other"
	b := s.Benchmarks[0]
	b.Perturbation, b.PerturbationHash, b.Replacements = "P5", "hash", map[string]*episode.Player{"vllm:m": &other}
	s.Benchmarks = append(s.Benchmarks, b)
	p := mustPlan(t, s)
	sharedtest.Equal(t, len(p.Environments), 1, "environments")
	var got []string
	for _, g := range p.Groups {
		c := g.Condition
		got = append(got, fmt.Sprint(c.Model, " ", c.Perturbation, " ", c.PerturbationHash, " ", c.Substitute, " ",
			c.Seed))
	}
	want := []string{
		"expert none   2", "vllm:m none   2", "vllm:m none   3",
		"vllm:other P5 hash vllm:m 2", "vllm:other P5 hash vllm:m 3",
	}
	sharedtest.Equal(t, cmp.Diff(want, got), "")
	if e := p.Episodes[len(p.Episodes)-1]; e.Player.Name != "vllm:other" {
		t.Errorf("%s plays", e.Player.Name)
	}
}
