package child

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/outside"
	"heldout/envs/outside/lines"
	"heldout/envs/sharedtest"
)

// playing is set in a process that is an environment; its value says how it behaves.
const playing = "HELDOUT_TEST_CHILD"

func TestMain(m *testing.M) {
	if how := os.Getenv(playing); how != "" {
		play(how)
		return
	}
	sharedtest.Crowd("16")
	os.Exit(m.Run())
}

// command runs this test as an environment that behaves in a way.
func command(how string) string { return playing + "=" + how + " " + mark() + " " + os.Args[0] }

// mark is a variable of all that the environments of this test start.
func mark() string { return fmt.Sprintf("HELDOUT_TEST_OWNER=%d", os.Getpid()) }

// marked counts the processes with the mark, where the system lists them.
func marked() (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte(mark()+"\x00")) {
			n++
		}
	}
	return n
}

const about = `"protocol":1,"name":"echo","version":"1.0","hash":"0123abcd","tasks":[{"id":"a","kind":"k"},{"id":"b"}],` +
	`"step_limit":5,"instruction":"Say something.","success":true,"can":["actions","expert","fork","state_key"]`

// asked is a line to an environment.
type asked struct {
	ID     int64
	Ask    string
	World  int64
	Task   string
	Seed   int64
	Action string
	Fork   int64
}

// play answers as an environment that repeats actions, where "win" solves a task and "die" ends the process. The
// state of a world is its last action. A word such as "die:step" says how it misbehaves, and at which request.
func play(how string) {
	trick, point, _ := strings.Cut(how, ":")
	lines := bufio.NewScanner(os.Stdin)
	states := map[int64]string{} // by world
	for lines.Scan() {
		var q asked
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		switch {
		case q.Action == "die":
			os.Exit(3)
		case q.Action == "NaN":
			fmt.Printf(`{"observation":"","id":%d,"progress":NaN,"done":true}`+"\n", q.ID)
			continue
		case q.Ask == "step":
			states[q.World] = q.Action
		case q.Ask == "fork":
			states[q.Fork] = states[q.World]
		case q.Ask == "state_key":
			q.Action = "after " + states[q.World]
		}
		if tricks[trick] != nil && q.Ask == point {
			tricks[trick](&q)
			continue
		}
		fmt.Println(echo(&q))
	}
}

// tricks are what a hostile environment does in place of an answer.
var tricks = map[string]func(q *asked){
	"die": func(*asked) {
		fmt.Fprintln(os.Stderr, "\x1b[31mout of \x00memory")
		os.Exit(3)
	},
	"trace": func(*asked) {
		fmt.Fprint(os.Stderr, "Traceback:\n"+strings.Repeat("  File \"é\", line 3\n", 500),
			"é\nZeroDivisionError: division by zero\n")
		os.Exit(1)
	},
	"sleep": func(*asked) { time.Sleep(time.Hour) },
	"flood": func(*asked) {
		for {
			fmt.Print(strings.Repeat("x", 1<<16))
		}
	},
	"dribble": func(q *asked) {
		for {
			fmt.Print(" ")
			time.Sleep(20 * time.Millisecond)
		}
	},
	"chatter":  func(*asked) { fmt.Println("Loading the model ...") },
	"nameless": func(*asked) { fmt.Println(`{"observation":""}`) },
	"nest":     func(*asked) { fmt.Println(strings.Repeat("[", 100_000)) },
	"number":   func(q *asked) { fmt.Println(strings.Replace(echo(q), `"id":`, `"id":7`, 1)) },
	"repeat":   func(q *asked) { fmt.Println(echo(q) + "\n" + echo(q)) },
	"half": func(q *asked) {
		fmt.Print(echo(q)[:9])
		os.Exit(0)
	},
	"hangup": func(*asked) {
		_ = os.Stdout.Close()
		time.Sleep(time.Hour)
	},
	"litter": func(*asked) { // a grandchild holds the standard output
		c := exec.Command("sleep", "1000")
		c.Stdout = os.Stdout
		if err := c.Start(); err != nil {
			panic(err)
		}
		os.Exit(4)
	},
	"scream": func(q *asked) {
		for range 1000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("a", 1000))
		}
		fmt.Println(echo(q))
	},
	"say": func(q *asked) { fmt.Printf(`{"id":%d,"error":"no \u001b[31m such\ntask"}`+"\n", q.ID) },
	"lie": func(q *asked) {
		fmt.Printf(`{"id":%d,"observation":"","success":true,"progress":1}`+"\n", q.ID)
	},
	"add":     func(q *asked) { fmt.Println(strings.Replace(echo(q), `{`, `{"bonus":1,`, 1)) },
	"nan":     func(q *asked) { fmt.Println(success.ReplaceAllString(echo(q), `"success":NaN`)) },
	"one":     func(q *asked) { fmt.Println(success.ReplaceAllString(echo(q), `"success":1`)) },
	"empty":   func(q *asked) { fmt.Printf(`{"id":%d}`+"\n", q.ID) },
	"mix":     func(q *asked) { fmt.Printf(`{"id":%d,"observation":"","actions":[]}`+"\n", q.ID) },
	"lengthy": func(q *asked) { fmt.Printf(`{"id":%d,"observation":"%070000d"}`+"\n", q.ID, 0) },
	"unkey":   func(q *asked) { fmt.Printf(`{"id":%d,"state_key":"%05000d"}`+"\n", q.ID, 0) },
}

var success = regexp.MustCompile(`"success":\w+`)

// echo is the answer to a request.
func echo(q *asked) string {
	switch q.Ask {
	case "describe":
		return `{"id":0,` + about + `}`
	case "start":
		return fmt.Sprintf(`{"id":%d,"goal":"Win.","observation":"%s %d"}`, q.ID, q.Task, q.Seed)
	case "actions":
		return fmt.Sprintf(`{"id":%d,"actions":["win","lose","win"]}`, q.ID)
	case "expert":
		return fmt.Sprintf(`{"id":%d,"action":"win"}`, q.ID)
	case "state_key":
		return fmt.Sprintf(`{"id":%d,"state_key":%q}`, q.ID, q.Action)
	case "close", "fork":
		return fmt.Sprintf(`{"id":%d}`, q.ID)
	}
	return fmt.Sprintf(`{"id":%d,"observation":%q,"done":%t,"success":%[3]t,"valid":true}`, q.ID, q.Action,
		q.Action == "win")
}

// open opens an environment that behaves in a way.
func open(t testing.TB, how string, o outside.Options) (*outside.Env, error) {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = time.Hour // which nothing may take
	}
	o.Processes = max(o.Processes, 1)
	provider := New(t.Context(), command(how), o)
	t.Cleanup(func() { _ = provider.Close() })
	return outside.New(t.Context(), "exec", provider, o)
}

// begin starts a world of an environment's first task.
func begin(t testing.TB, env envs.Env) (envs.World, error) {
	t.Helper()
	w := sharedtest.Must(env.NewWorld(env.Tasks()[0]))(t)
	if s, ok := envs.As[envs.Seeder](w); ok {
		s.SetSeed(7)
	}
	_, err := w.Start(t.Context())
	return w, err
}

// An episode goes through a process as through any environment.
func TestEpisode(t *testing.T) {
	env := sharedtest.Must(open(t, "echo", outside.Options{}))(t)
	info := env.Info()
	if info.Name != "exec:echo" || info.Source != envs.External || info.Settings["hash"] != "0123abcd" ||
		info.Settings["version"] != "1.0" || info.StepLimit != 5 || len(env.Tasks()) != 2 ||
		!strings.Contains(info.Instructions["k"], "Say something.") {
		t.Errorf("%+v", info)
	}
	w := sharedtest.Must(begin(t, env))(t)
	list, _ := envs.As[envs.Lister](w)
	expert, _ := envs.As[envs.Expert](w)
	actions, err1 := list.Actions(t.Context())
	advice, err2 := expert.ExpertAction(t.Context())
	if err1 != nil || err2 != nil || fmt.Sprint(actions) != "[lose win]" || advice != "win" {
		t.Errorf("%q, %q, %v, %v", actions, advice, err1, err2)
	}
	for action, want := range map[string]envs.Step{
		"hi \u2028\n": {Observation: "hi \u2028\n", Valid: true},
		"win":         {Observation: "win", Valid: true, Done: true, Success: true, Progress: 1},
	} {
		sharedtest.Equal(t, sharedtest.Must(w.Step(t.Context(), action))(t), want, action)
	}
	sharedtest.OK(t, w.Close())
}

// noneLeft waits a minute until no process has the mark: what was killed takes a while to end.
func noneLeft(t *testing.T, of string) {
	t.Helper()
	for range 1200 {
		if marked() == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%s: %d processes are left", of, marked())
}

// Whatever an environment does in place of an answer is an error that says what it did, and
// takes no longer than it may.
func TestHostile(t *testing.T) {
	t.Cleanup(func() { noneLeft(t, "hostile programs") }) // which is after all of them
	for how, want := range sharedtest.Table[string](t, "hostile.yaml") {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			_, err := playOnce(t, how)
			if want == "" && err == nil {
				return
			}
			sharedtest.Fails(t, err, want)
			if err != nil && len(err.Error()) > 1500 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

// playOnce plays an episode of two steps. What never answers has a second to do so, and longer if the
// machine is so busy that what comes before is late.
func playOnce(t *testing.T, how string) (last envs.Step, err error) {
	trick, point, _ := strings.Cut(how, ":")
	if !slices.Contains([]string{"sleep", "dribble", "hangup"}, trick) {
		return playWithin(t, how, 0)
	}
	for limit := time.Second; limit < time.Minute; limit *= 2 {
		if last, err = playWithin(t, how, limit); err == nil || strings.Contains(err.Error(), strconv.Quote(point)) {
			break
		}
	}
	return last, err
}

func playWithin(t *testing.T, how string, limit time.Duration) (last envs.Step, err error) {
	env, err := open(t, how, outside.Options{Timeout: limit})
	if err != nil {
		return last, err
	}
	w, err := begin(t, env)
	for _, action := range []string{"look", "win"} {
		if err == nil {
			last, err = w.Step(t.Context(), action)
		}
	}
	if forker, _ := envs.As[envs.Forker](w); err == nil {
		var fork envs.World
		if fork, err = forker.Fork(); err == nil {
			err = fork.Close()
		}
	}
	if err == nil {
		_, err = envs.StateKey(envs.Task{}, w)
	}
	return last, errors.Join(err, w.Close())
}

// A fork goes on by itself, also after the world that was forked, and is another game of its process.
func TestFork(t *testing.T) {
	env := sharedtest.Must(open(t, "echo", outside.Options{Processes: 2}))(t)
	first := sharedtest.Must(begin(t, env))(t)
	key := func(w envs.World) string {
		text := sharedtest.Must(envs.StateKey(env.Tasks()[0], w))(t)
		sharedtest.Equal(t, len(text), 16, text)
		return text
	}
	step := func(w envs.World, action string) {
		if s, err := w.Step(t.Context(), action); err != nil || s.Observation != action {
			t.Error(s, err)
		}
	}
	fork := func(w envs.World) envs.World {
		f, _ := envs.As[envs.Forker](w)
		return sharedtest.Must(f.Fork())(t)
	}
	step(first, "a")
	second := fork(first)
	before := key(first)
	step(second, "b")
	if key(second) == before || key(first) != before {
		t.Error("the fork is not by itself, or its key does not change")
	}
	sharedtest.OK(t, first.Close())
	third := fork(second)
	step(third, "a")
	sharedtest.Equal(t, key(third), before, "one state has two keys")
	other, err := begin(t, env) // in the other process, as the first has two games
	if err != nil {
		t.Fatal(err)
	}
	sharedtest.Fails(t, sharedtest.Err(second.Step(t.Context(), "die")), "", "it does not die")
	sharedtest.Fails(t, sharedtest.Err(third.Step(t.Context(), "b")), "exit status 3",
		"a fork in a process that has ended")
	step(other, "a")
}

// A start that is stopped ends at once, however long an answer may take, and leaves no process.
func TestStopStart(t *testing.T) {
	begun := filepath.Join(t.TempDir(), "begun")
	for name, program := range map[string]string{"a process": "exec sleep 1000", "children": "sleep 1000 & sleep 1000",
		"one that ignores SIGTERM": `trap "" TERM; sleep 1000`} {
		ctx, stop := context.WithCancel(t.Context())
		provider := New(ctx, mark()+"; export HELDOUT_TEST_OWNER; : >"+begun+"; "+program,
			outside.Options{Processes: 1, Timeout: time.Hour})
		failed := make(chan error)
		go func() {
			_, err := outside.New(ctx, "exec", provider, outside.Options{})
			failed <- err
		}()
		for _, err := os.Stat(begun); err != nil; _, err = os.Stat(begun) {
			time.Sleep(time.Millisecond)
		}
		stop()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		noneLeft(t, name)
		if err := errors.Join(provider.Close(), os.Remove(begun)); err != nil {
			t.Error(err)
		}
	}
}

// An answer with a field that cannot be read costs its own game, and no other of the process.
func TestMisread(t *testing.T) {
	env := sharedtest.Must(open(t, "echo", outside.Options{}))(t)
	var worlds []envs.World
	for range 3 {
		worlds = append(worlds, sharedtest.Must(begin(t, env))(t))
	}
	sharedtest.Fails(t, sharedtest.Err(worlds[0].Step(t.Context(), "NaN")),
		"in its answer to step, progress is NaN, want a number")
	for _, w := range worlds[1:] {
		if s, err := w.Step(t.Context(), "win"); err != nil || !s.Success {
			t.Error(s, err)
		}
	}
}

// The end of the standard error is its end, however long it is.
func TestTraceback(t *testing.T) {
	w := sharedtest.Must(begin(t, sharedtest.Must(open(t, "trace:step", outside.Options{}))(t)))(t)
	_, err := w.Step(t.Context(), "win")
	if err == nil || !strings.HasSuffix(err.Error(), "é ZeroDivisionError: division by zero") ||
		len(err.Error()) > 500 {
		t.Error(err)
	}
}

// A process that dies is started again: its games are lost, and no other.
func TestRestart(t *testing.T) {
	env := sharedtest.Must(open(t, "echo", outside.Options{Processes: 2}))(t)
	var worlds []envs.World
	for range 4 {
		worlds = append(worlds, sharedtest.Must(begin(t, env))(t))
	}
	if _, err := worlds[0].Step(t.Context(), "die"); err == nil ||
		!strings.Contains(err.Error(), "it has ended with exit status 3") {
		t.Error(err)
	}
	lost := 0
	for _, w := range worlds {
		if _, err := w.Step(t.Context(), "win"); err != nil {
			lost++
		}
		_ = w.Close()
	}
	sharedtest.Equal(t, lost, 2, "lost games of 4, with one process of 2 gone")
	for range 4 {
		w := sharedtest.Must(begin(t, env))(t)
		if s, err := w.Step(t.Context(), "win"); err != nil || !s.Success {
			t.Error(s, err)
		}
	}
}

// A program that dies again and again is given up.
func TestGiveUp(t *testing.T) {
	env := sharedtest.Must(open(t, "die:start", outside.Options{}))(t)
	var err error
	for range 20 {
		if _, err = begin(t, env); err != nil && strings.Contains(err.Error(), "it has ended 5 times in a row") {
			return
		}
	}
	t.Error(err)
}

// FuzzAnswer looks for bytes that are read as an answer to several requests.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"id":1,"observation":"x","reward":1e3,"done":true}` + "\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		var a response
		if lines.Parse(line, &a) != nil {
			return
		}
		kinds := 0
		for _, ask := range []string{askStart, askStep, askActions, askExpert, askFork, askStateKey, askClose} {
			if a.only(ask) == nil {
				kinds++
			}
		}
		one := a.Reward != nil || a.Actions != nil || a.Action != nil || a.StateKey != ""
		if kinds > 1 && a.Goal+a.Error == "" && one {
			t.Errorf("%q answers %d requests", line, kinds)
		}
	})
}
