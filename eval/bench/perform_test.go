package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/eval"
	"heldout/eval/episode"
	"heldout/eval/progress"
	"heldout/perturb"
	"heldout/scoring/record"
)

// around is what tests give a run from outside the process.
func around(t *testing.T) Outside {
	return Outside{Now: time.Now, Getenv: func(string) string { return "" }, Warn: func(line string) { t.Log(line) },
		Tool: record.Tool{Version: "test"}}
}

// prepared is a run of two generated tasks, which the expert plays, in a directory of its own.
func prepared(t *testing.T, change ...func(*configs.Run)) *Job {
	t.Helper()
	r := configs.DefaultRun()
	r.Env, r.Model, r.Limit = configs.Strings{"pddl"}, configs.Strings{"expert"}, 2
	r.Out = filepath.Join(t.TempDir(), "run")
	for _, c := range change {
		c(&r)
	}
	sharedtest.OK(t, Validate(r, Plain))
	j := sharedtest.Must(New(around(t), Plain, Default(r)...))(t)
	t.Cleanup(j.Close)
	return j
}

// notes collects what a screen shows.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

func (n *notes) screen() Screen {
	return Screen{Say: n.add, Warn: n.add, Follow: func(run *progress.Tracker) func() {
		return func() { n.add(run.Line()) }
	}}
}

func (n *notes) lacks(parts ...string) (missing []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, part := range parts {
		if !strings.Contains(strings.Join(n.lines, "\n"), part) {
			missing = append(missing, part)
		}
	}
	return missing
}

// A run is played once: its progress is shown, and the second time nothing is missing.
func TestPlay(t *testing.T) {
	j := prepared(t)
	got := j.Describe(t.Context(), 80)
	if !strings.Contains(got, "pddl (generated), agent expert, expert, perturbation none, "+
		"seed 0: 2 episodes of at most 30 steps\n") || !strings.HasPrefix(got, "run directory: "+j.Dir+"\n") {
		t.Error(got)
	}
	var first, second notes
	sharedtest.OK(t, j.Rehearse(t.Context(), false, first.screen()))
	sharedtest.OK(t, j.Play(t.Context(), first.screen()))
	if missing := first.lacks("2/2"); missing != nil {
		t.Errorf("%q lack %q", first.lines, missing)
	}
	sharedtest.OK(t, j.Play(t.Context(), second.screen()))
	if missing := second.lacks("2 of 2 episodes already have a result in " + j.Dir); missing != nil {
		t.Errorf("%q lack %q", second.lines, missing)
	}
	sharedtest.Equal(t, len(sharedtest.Must(os.ReadDir(j.Dir))(t)), 3, "the run directory has")
}

// A run that is stopped says what is kept.
func TestPlayIsStopped(t *testing.T) {
	j := prepared(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	err := j.Play(ctx, new(notes).screen())
	if err == nil || err.Error() != "stopped; what was played is kept in "+j.Dir+", and the same command continues" {
		t.Error(err)
	}
}

// A shard says how far it is, and that episodes are missing.
func TestShardEnds(t *testing.T) {
	j := prepared(t, func(r *configs.Run) { r.Shard, r.Limit = "1/2", 20 })
	nothing := func(*JobSession, *progress.Tracker, eval.Observer) error { return nil }
	sharedtest.OK(t, j.Work(t.Context(), new(notes).screen(), 1, nothing))
	var shown notes
	var incomplete *IncompleteError
	if err := j.EndShard(shown.screen()); !errors.As(err, &incomplete) || incomplete.Missing < 1 ||
		incomplete.Missing > 19 {
		t.Errorf("%v", err)
	}
	want := "shard 1/2: 0 episodes have a result; heldout compare " + filepath.Dir(j.Dir)
	if missing := shown.lacks(want); missing != nil {
		t.Errorf("%q", shown.lines)
	}
}

// A suite has a line for each environment and player, anchors too, and breaks the names of its perturbations.
func TestDescribeSuite(t *testing.T) {
	r := configs.DefaultRun()
	r.Suite, r.Model, r.Limit, r.Env = configs.Robust, configs.Strings{"expert", "random"}, 1, configs.Strings{"pddl"}
	r.Grades = configs.Strings{"2"}
	chosen, _, err := Prepare(around(t), Sweep, Input{Override: func(to *configs.Run) error { *to = r; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer chosen.Close()
	got := chosen.Describe(t.Context(), 60)
	if !strings.Contains(got, "pddl, without a perturbation and under ") ||
		strings.Count(got, "episodes of at most 30 steps") != 4 {
		t.Error(got)
	}
	for line := range strings.Lines(got) {
		if strings.Contains(line, "verbs") && len(line) > 61 {
			t.Errorf("%q is longer than 60", line)
		}
	}
}

func TestLasting(t *testing.T) {
	for d, want := range map[time.Duration]string{90 * time.Second: "90 s", 2 * time.Minute: "2 min",
		2 * time.Hour: "2.0 h", 72 * time.Hour: "3.0 days"} {
		sharedtest.Equal(t, lasting(d), want, d)
	}
}

// A doctor tells each check, and counts those that fail.
func TestDoctor(t *testing.T) {
	var got []envs.Check
	d := Doctor{Outside: around(t), Tell: func(c envs.Check) { got = append(got, c) }, Say: func(string) {}}
	if err := d.Environment(t.Context(), "pddl", envs.Setup{}); err != nil || len(got) != 1 ||
		got[0].Status != envs.CheckOK {
		t.Errorf("%v, %v", got, err)
	}
	var config ConfigError
	if err := d.Environment(t.Context(), "pdd", envs.Setup{}); !errors.As(err, &config) {
		t.Errorf("an unknown environment: %v", err)
	}
	if err := d.Presets([]string{"eto-alfworld:unseen"}, func(*configs.Run) error { return nil }); err == nil ||
		!strings.HasSuffix(err.Error(), "check(s) failed") {
		t.Errorf("originals that are not there: %v", err)
	}
}

// An episode of generated tasks is drawn from its record, also under a perturbation.
func TestReopen(t *testing.T) {
	out := envs.Outside{Now: time.Now}
	c := record.Condition{Env: "babyai", Source: envs.Generated, Perturbation: episode.NoPerturbation}
	task := envs.Task{ID: "BabyAI-GoToRedBallGrey-v0/1234"}
	_, _, err := (&Worlds{Texts: Texts{Outside: out}}).Task(c, task)
	if err == nil || !strings.Contains(err.Error(), "is another one here than in the records") {
		t.Fatalf("another task is opened: %v", err)
	}
	env := sharedtest.Must(catalog.Open(c.Env, envs.Setup{}, out))(t)
	task = sharedtest.Must(eval.FindTask(env, task.ID))(t)
	reopened, found, err := (&Worlds{Texts: Texts{Outside: out}}).Task(c, task)
	if err != nil || found.Digest != task.Digest {
		t.Fatalf("task %v, %v", found, err)
	}
	world := sharedtest.Must(reopened.NewWorld(found))(t)
	start := sharedtest.Must(world.Start(t.Context()))(t)
	pictures, differs, err := episode.Pictures(t.Context(), reopened, found, &record.Episode{
		Observation: start.Observation})
	if err != nil || len(pictures) != 1 || differs != -1 || len(pictures[0].Rows) < 5 {
		t.Errorf("%d pictures, differs %d, %v", len(pictures), differs, err)
	}
	rules := sharedtest.Must(perturb.Named("babyai", "random:7:4"))(t)
	drawn := c
	drawn.Perturbation, drawn.PerturbationHash = rules.Name, perturb.Hash(rules)
	if env, _, err := (&Worlds{Texts: Texts{Outside: out}}).Task(drawn, task); err != nil {
		t.Error(err)
	} else if _, ok := env.(*perturb.Env); !ok {
		t.Errorf("a drawn perturbation is opened as %T", env)
	}
	for name, change := range map[string]func(*record.Condition){
		"give it with --data": func(c *record.Condition) { c.Source = envs.Official },
		"unknown environment": func(c *record.Condition) { c.Env = "chess" },
		"unknown variant":     func(c *record.Condition) { c.Settings = map[string]string{"variant": "x"} },
		"perturbation":        func(c *record.Condition) { c.Perturbation = "../../secret.yaml" },
		"has other rules": func(c *record.Condition) {
			c.Perturbation, c.PerturbationHash = "random:8:4",
				perturb.Hash(rules)
		},
		"want K from 1 to": func(c *record.Condition) { c.Perturbation = "random:8:99" },
	} {
		bad := c
		change(&bad)
		_, _, err := (&Worlds{Texts: Texts{Outside: out}}).Task(bad, task)
		sharedtest.Fails(t, err, name)
	}
}

// Records choose no files, programs or addresses.
func TestRecordsNameNoFiles(t *testing.T) {
	c := record.Condition{Env: "hotpotqa", Settings: map[string]string{
		"questions": "evil.json", "wiki-flow": "html", "nonsense": "x"}}
	got, err := recordedSettings(c, envs.Settings{"sample": "all"})
	if err != nil || got["questions"] != "" || got["nonsense"] != "" || got["wiki-flow"] != "html" ||
		got["sample"] != "all" {
		t.Errorf("settings %v, %v", got, err)
	}
}

// A record chooses neither the program nor how it is run.
func TestRecordsStartNothing(t *testing.T) {
	c := record.Condition{Env: "exec:touch ran", Source: envs.External, Perturbation: episode.NoPerturbation,
		Settings: map[string]string{"env-processes": "1000000000000", "env-timeout": "1ns"}}
	t.Chdir(t.TempDir())
	for own, want := range map[string]string{"": "records do not say where", "exec:exit 3": "exit status 3"} {
		_, err := ReopenEnv(c, envs.Setup{External: own}, envs.Outside{})
		sharedtest.Fails(t, err, want, own)
	}
	c.Source = envs.Generated
	if _, err := ReopenEnv(c, envs.Setup{}, envs.Outside{}); err == nil {
		t.Error("a generated environment is a program")
	}
	if _, err := os.Stat("ran"); err == nil {
		t.Error("the record has started its program")
	}
}
