package openenv_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/outside"
	"heldout/envs/outside/openenv"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/serve"
	"heldout/eval/serve/dial"
	"heldout/eval/serve/guard"
	"heldout/eval/serve/mount"
)

// script is the server's side of a WebSocket: the frames that answer, in their order.
type script struct {
	frames []string
	next   chan string
	closed chan struct{}
	once   sync.Once
}

func (s *script) Read() ([]byte, error) {
	select {
	case frame := <-s.next:
		return []byte(frame), nil
	case <-s.closed:
		return nil, io.EOF
	}
}

func (s *script) Write([]byte) error {
	if len(s.frames) > 0 { // a good-bye has no answer
		s.next <- s.frames[0]
		s.frames = s.frames[1:]
	}
	return nil
}

func (s *script) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// scripted opens an environment whose server says what it is by route, and answers with frames.
func scripted(t *testing.T, about map[string]string) func(s envs.Settings, frames []string) (*outside.Env, error) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, about[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	return func(s envs.Settings, frames []string) (*outside.Env, error) {
		dial := func(context.Context, string, map[string][]string) (envs.Socket, error) {
			return &script{frames: frames, next: make(chan string, len(frames)), closed: make(chan struct{})}, nil
		}
		return outside.New(context.Background(), "openenv", openenv.New(server.URL, s, envs.Outside{Dial: dial}),
			outside.Configured(s))
	}
}

// finish plays an episode to its end, or to the step limit.
func finish(env *outside.Env, actions ...string) (last envs.Step, err error) {
	w, err := env.NewWorld(env.Tasks()[0])
	if err != nil {
		return last, err
	}
	defer w.Close()
	_, err = w.Start(context.Background())
	for _, action := range actions {
		if err == nil && !last.Done {
			last, err = w.Step(context.Background(), action)
		}
	}
	if err == nil && last.Unjudged { // as an episode ends at the step limit
		err = envs.ErrUnjudged
	}
	return last, err
}

// exchange is what was sent to a server and how it answered.
type exchange struct{ Sent, Answer string }

// What servers of OpenEnv sent for each kind of reward is a number or no verdict, never a zero.
func TestRecorded(t *testing.T) {
	const none = "nothing says how well the episode was played"
	progress := map[string]float64{"true": 1, "false": 0, "half": 0.5, "one": 1, "text": 0.5, "decimal": 0.5}
	fault := map[string]string{"none": none, "nan": none, "inf": none, "-inf": none, "assign": none,
		"word": "it says: ", "raise": "it says: the judge is out (EXECUTION_ERROR)", "big": "which is too large"}
	for _, version := range []string{"0.2.0", "0.2.1", "0.3.0", "0.10.0"} {
		about, answers := map[string]string{}, map[string]string{}
		for _, x := range sharedtest.ReadLines[exchange](t, "testdata/openenv-"+version+".jsonl.gz") {
			about[x.Sent], answers[x.Sent] = x.Answer, x.Answer
		}
		play := func(words ...string) (envs.Step, error) {
			frames := []string{answers[`{"type":"reset","data":{"seed":0}}`]}
			for _, word := range words {
				frames = append(frames, answers[`{"type":"step","data":{"text":"`+word+`"}}`])
			}
			env, err := scripted(t, about)(envs.Settings{"openenv-return": "0:1", "success-threshold": "1"}, frames)
			if err != nil {
				t.Fatal(err)
			}
			return finish(env, words...)
		}
		for word, want := range progress {
			for _, words := range [][]string{{word}, {word + " end"}, {"none", word}, {word, "nan"}, {word, "none end"},
				{"inf", word + " end"}} {
				s, err := play(words...)
				if err != nil || s.Progress != want || s.Success != (want == 1) {
					t.Errorf("%s, %q: %+v, %v", version, words, s, err)
				}
			}
		}
		for word, want := range fault {
			for _, words := range [][]string{{word}, {word + " end"}, {"none", word}, {word, "none"}} {
				sharedtest.Fails(t, sharedtest.Err(play(words...)), want, version, words)
			}
		}
	}
}

// OpenEnv's echo rewards its reset with 0 and no step: that is no verdict on what was played.
func TestRecordedEcho(t *testing.T) {
	about, frames := map[string]string{}, []string{}
	for _, x := range sharedtest.ReadLines[exchange](t, "testdata/echo-0.10.0.jsonl.gz") {
		about[x.Sent] = x.Answer
		if strings.HasPrefix(x.Sent, "{") {
			frames = append(frames, x.Answer)
		}
	}
	env, err := scripted(t, about)(envs.Settings{"openenv-return": "0:1", "success-threshold": "1"}, frames)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := finish(env, "a", "b"); !errors.Is(err, envs.ErrUnjudged) || s.Observation != "echo_message" {
		t.Errorf("%+v, %v", s, err)
	}
}

// Whatever a server sends where a number or a verdict belongs, an episode has a result only if something said
// how well it was played, and the result is what it said.
func TestVerdicts(t *testing.T) {
	open := scripted(t, map[string]string{"/metadata": aMetadata, "/schema": strings.Replace(aSchema, `"log"`, `"share"`, 1)})
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string, values ...string) string { return rapid.SampledFrom(values).Draw(t, label) }
		s := envs.Settings{}
		kinds := rapid.IntRange(1, 7).Draw(t, "measured")
		if kinds&1 > 0 {
			s["openenv-success"] = "won"
		} else {
			s["success-threshold"] = "1"
		}
		if measured := kinds >> 1; measured == 1 {
			s["openenv-progress"] = "share"
		} else if measured >= 2 || kinds&1 == 0 {
			s["openenv-return"] = "-1:1"
		}
		frames := []string{`{"type":"observation","data":{"observation":{"won":false},"reward":` +
			draw("first", "null", "0", "1") + `,"done":false}}`}
		told := oracle{s: s, won: "false"}
		steps := rapid.IntRange(1, 4).Draw(t, "steps")
		for i := range steps {
			n := fmt.Sprint(i)
			reward := draw("reward"+n, "null", "null", "null", "", "0", "1", "-0.5", "true", "false", "NaN",
				"-Infinity", "1e999",
				`"1"`, `"good"`, "[1]", "{}")
			won := draw("won"+n, "null", "null", "", "true", "false", "1", `"yes"`, "NaN", "[]")
			share := draw("share"+n, "null", "null", "", "0", "0.5", "1", "1.5", "-0.1", "true", `"1"`, "NaN")
			done := i == steps-1 && rapid.Bool().Draw(t, "done")
			var fields []string
			for _, f := range [][2]string{{"won", won}, {"share", share}} {
				if f[1] != "" {
					fields = append(fields, fmt.Sprintf("%q:%s", f[0], f[1]))
				}
			}
			data := fmt.Sprintf(`"observation":{%s},"done":%t`, strings.Join(fields, ","), done)
			if reward != "" {
				data += `,"reward":` + reward
			}
			frames = append(frames, `{"type":"observation","data":{`+data+`}}`)
			told.hear(reward, won, share, done)
		}
		got, err := finish(sharedtest.Must(open(s, frames))(t), make([]string, steps)...)
		want, ok := told.verdict()
		if ok != (err == nil) || ok && (got.Progress != want.Progress || got.Success != want.Success) {
			t.Fatalf("%v, %q: %+v, %v; want %+v, %t", s, frames, got, err, want, ok)
		}
	})
}

// oracle is the rule as the page has it.
type oracle struct {
	s             envs.Settings
	wrong         bool   // something was no number and no truth value
	won           string // the last one that was not null
	share         string
	sum           float64
	rewards       int
	done, decided bool
}

var amounts = map[string]float64{"0": 0, "1": 1, "-0.5": -0.5, "0.5": 0.5, "true": 1, "false": 0}

func (o *oracle) hear(reward, won, share string, done bool) {
	missing := func(text string) bool { return text == "" || text == "null" }
	for _, text := range []string{reward, won, share} { // wherever it stands, it is not JSON, or no number
		o.wrong = o.wrong || text == "NaN" || text == "-Infinity" || text == "1e999"
	}
	if amount, ok := amounts[reward]; ok {
		o.sum += amount
		o.rewards++
	} else if o.s["openenv-return"] != "" && !missing(reward) {
		o.wrong = true
	}
	if o.s["openenv-success"] != "" && !missing(won) {
		o.won, o.wrong = won, o.wrong || won != "true" && won != "false"
	}
	if o.s["openenv-progress"] != "" && !missing(share) {
		o.share, o.wrong = share, o.wrong || share != "0" && share != "0.5" && share != "1"
	}
	o.done, o.decided = done, !missing(won)
	if missing(won) {
		o.won = "false"
	}
}

// verdict is the result; ok is false if there is none.
func (o *oracle) verdict() (s envs.Step, ok bool) {
	switch {
	case o.wrong, o.s["openenv-success"] != "" && o.done && !o.decided, o.s["openenv-return"] != "" && o.rewards == 0,
		o.s["openenv-progress"] != "" && o.share == "":
		return s, false
	case o.s["openenv-return"] != "":
		s.Progress = min(max((o.sum+1)/2, 0), 1)
	case o.s["openenv-progress"] != "":
		s.Progress = amounts[o.share]
	case o.won == "true":
		s.Progress = 1
	}
	s.Success = o.won == "true"
	if o.s["openenv-success"] == "" {
		s.Success = s.Progress >= 1
	}
	return s, true
}

// served serves environments as heldout serve does, and returns the address.
func served(t *testing.T, token string, texts ...string) string {
	t.Helper()
	out := bench.Outside{Now: time.Now, Getenv: func(string) string { return "" }, Warn: func(string) {}}
	mounts, _, err := mount.Parse(out, mount.Defaults{Reward: serve.RewardDelta}, texts)
	if err != nil {
		t.Fatal(err)
	}
	s, err := serve.New(serve.Options{Mounts: mounts, Now: time.Now, Log: func(string, ...any) {}, Idle: time.Minute,
		MaxSessions: 10, MaxPerAddress: 10, Version: "1.2",
		Callers: guard.Callers{Token: token}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// What heldout serves is what it plays itself: an expert's episodes are equal.
func TestRoundTrip(t *testing.T) {
	url := served(t, "", "pddl", "babyai")
	every := sharedtest.Every(t, 9)
	for _, name := range []string{"pddl", "babyai"} {
		t.Run(name, func(t *testing.T) {
			own := sharedtest.Must(catalog.Open(name, envs.Setup{}, envs.Outside{Now: time.Now}))(t)
			theirs := sharedtest.Must(catalog.Reach("openenv:"+url+"/openenv/"+name, envs.Setup{Settings: envs.Settings{
				"openenv-observation": "goal,text", "openenv-success": "success", "openenv-progress": "progress",
				"openenv-tasks": "test"}}, envs.Outside{Dial: dial.New(nil)}))(t)
			tasks := own.Tasks()
			if n := len(theirs.Tasks()); n != len(tasks) {
				t.Fatalf("%d tasks, want %d", n, len(tasks))
			}
			for i := 0; i < len(tasks); i += every {
				if theirs.Tasks()[i].ID != tasks[i].ID || theirs.Tasks()[i].Type != tasks[i].Type {
					t.Errorf("task %d is %+v, want %+v", i, theirs.Tasks()[i], tasks[i])
				}
				equal(t, own, theirs, i)
			}
		})
	}
}

// equal plays a task in two environments, as the expert of the first says after a wrong action.
func equal(t *testing.T, own, theirs envs.Env, i int) {
	t.Helper()
	a, b := open(t, own, i), open(t, theirs, i)
	defer b.Close() // the server has room for few
	want, err := a.Start(t.Context())
	got, err2 := b.Start(t.Context())
	shown := want.Goal + "\n" + want.Observation
	if err != nil || err2 != nil || got.Observation != shown || got.Progress != want.Progress {
		t.Fatalf("task %d begins with %+v, want %+v; %v, %v", i, got, want, err, err2)
	}
	expert, _ := envs.As[envs.Expert](a)
	for action := `fly "away" {action} ✈`; ; {
		want, err := a.Step(t.Context(), action)
		got, err2 := b.Step(t.Context(), action)
		if got.Valid, want.Valid = true, true; got != want || err != nil || err2 != nil { // OpenEnv has no word for it
			t.Fatalf("task %d, %s: %+v, want %+v; %v, %v", i, action, got, want, err, err2)
		}
		if want.Done {
			if !want.Success || want.Progress != 1 {
				t.Errorf("the expert fails at task %d", i)
			}
			return
		}
		action = sharedtest.Must(expert.ExpertAction(t.Context()))(t)
	}
}

// open opens a world, which is closed at the end.
func open(t *testing.T, env envs.Env, i int) envs.World {
	t.Helper()
	w := sharedtest.Must(env.NewWorld(env.Tasks()[i]))(t)
	t.Cleanup(func() { _ = w.Close() })
	return w
}
