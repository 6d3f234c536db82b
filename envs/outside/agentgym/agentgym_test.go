package agentgym_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/envs/outside"
	"heldout/envs/outside/agentgym"
	"heldout/envs/outside/gymtest"
	"heldout/envs/sharedtest"
)

// server speaks as AgentGym's servers do. Its answers are by route; {id} in one is the number of the next game.
type server struct {
	*httptest.Server
	answers  map[string]string
	mu       sync.Mutex // a request may come while another hangs
	requests []string
	games    atomic.Int64
	left     atomic.Int64 // requests that it answers before it dies
}

const greeting = `"This is environment TextCraft."`

func textCraft() map[string]string {
	return map[string]string{
		"/":       greeting,
		"/create": `{"id": {id}, "observation": "first", "done": false, "reward": 0}`,
		"/reset":  `{"id": 0, "observation": "Goal: craft a hat.", "done": false, "reward": 0}`,
		"/step":   `{"observation": "A hat.", "reward": 1, "done": true}`,
		"/close":  `true`,
	}
}

func maze() map[string]string {
	return map[string]string{
		"/": `"This is environment LMRL-Gym."`, "/maze/create": `{"id": 0}`,
		"/maze/reset": `{"observation": "A wall."}`, "/maze/available_actions": `["move up", "move down"]`,
		"/maze/step": `{"observation": "A wall.", "reward": -1.0, "done": true}`,
	}
}

func serve(t *testing.T, answers map[string]string) *server {
	t.Helper()
	s := &server{answers: answers}
	s.left.Store(math.MaxInt64)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.left.Add(-1) < 0 {
			panic(http.ErrAbortHandler)
		}
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		s.mu.Unlock()
		answer, ok := s.answers[r.URL.Path]
		switch status := 0; {
		case !ok:
			http.NotFound(w, r)
		case strings.HasPrefix(answer, "status "):
			_, _ = fmt.Sscanf(answer, "status %d", &status)
			w.Header().Set("Location", "http://192.0.2.1/")
			w.WriteHeader(status)
		case answer == "hang":
			<-r.Context().Done()
		case answer == "dribble":
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte(" "))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Millisecond)
			}
		case answer == "cut":
			panic(http.ErrAbortHandler)
		default:
			if r.URL.Path == "/create" {
				answer = strings.ReplaceAll(answer, "{id}", fmt.Sprint(s.games.Add(1)-1))
			}
			_, _ = w.Write([]byte(answer))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func open(t *testing.T, address string, s envs.Settings) (*outside.Env, error) {
	t.Helper()
	provider := agentgym.New(address, s, envs.Outside{Tool: "heldout/test"})
	t.Cleanup(func() { _ = provider.Close() })
	return outside.New(t.Context(), "agentgym", provider, outside.Configured(s))
}

// play plays one action of the first task.
func play(t *testing.T, env *outside.Env) (start envs.Start, step envs.Step, err error) {
	t.Helper()
	w := sharedtest.Must(env.NewWorld(env.Tasks()[0]))(t)
	defer w.Close()
	if start, err = w.Start(t.Context()); err != nil {
		return start, step, err
	}
	step, err = w.Step(t.Context(), "craft 1 hat")
	return start, step, err
}

// A game is created, reset to the task's index, played and closed; the last reward is the
// progress, and the largest a success.
func TestPlay(t *testing.T) {
	s := serve(t, textCraft())
	env := sharedtest.Must(open(t, s.URL+"/", envs.Settings{"agentgym-tasks": "7-9", "agentgym-version": "3ef9235"}))(t)
	info := env.Info()
	if info.Name != "agentgym:textcraft" || info.Settings["version"] != "3ef9235" || len(env.Tasks()) != 3 ||
		env.Tasks()[0].ID != "textcraft_7" {
		t.Errorf("%+v, %v", info, env.Tasks())
	}
	start, step, err := play(t, env)
	if err != nil || start.Observation != "Goal: craft a hat." || step.Observation != "A hat." ||
		step.Progress != 1 || !step.Success || !step.Done {
		t.Errorf("%+v, %+v, %v", start, step, err)
	}
	want := []string{`GET /`, `POST /create {}`, `POST /reset {"data_idx":7,"id":0}`,
		`POST /step {"action":"craft 1 hat","id":0}`, `POST /close {"id":0}`}
	sent := []string{}
	for _, r := range s.requests {
		method, body, _ := strings.Cut(r, " {")
		var fields map[string]any
		if json.Unmarshal([]byte("{"+body), &fields) == nil { // sorted
			b, _ := json.Marshal(fields)
			r = method + " " + string(b)
		}
		sent = append(sent, r)
	}
	sharedtest.Same(t, sent, want)
}

// The games of LMRL-Gym have their own paths, and are used again where the server closes none.
func TestGames(t *testing.T) {
	s := serve(t, maze())
	env := sharedtest.Must(open(t, s.URL+"/maze", nil))(t)
	for range 2 {
		if _, step, err := play(t, env); err != nil || step.Progress != 0 || step.Success || !step.Done {
			t.Errorf("%+v, %v", step, err)
		}
	}
	creates := 0
	for _, r := range s.requests {
		if strings.HasPrefix(r, "POST /maze/create") {
			creates++
		}
	}
	if info := env.Info(); creates != 1 || info.Name != "agentgym:maze" || info.Settings["version"] != "unknown" {
		t.Errorf("%d games, %+v", creates, info)
	}
	w, _ := env.NewWorld(env.Tasks()[1])
	defer w.Close()
	if _, err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	lister, ok := envs.As[envs.Lister](w)
	list, err := lister.Actions(t.Context())
	if !ok || err != nil || !slices.Equal(list, []string{"move down", "move up"}) {
		t.Errorf("%q, %v", list, err)
	}
}

// An address that cannot be used, or would have secrets in records, is refused.
func TestAddresses(t *testing.T) {
	for _, address := range []string{"127.0.0.1:1", "ftp://a", "http://", "http://u:secret@a", "http://a?token=secret",
		"http://a#b"} {
		_, err := open(t, address, nil)
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "the address of") {
			t.Errorf("%s: %v", address, err)
		}
	}
	dead := serve(t, nil)
	dead.Close()
	sharedtest.Fails(t, sharedtest.Err(open(t, dead.URL, nil)), "when it runs again")
}

// What a hostile server answers is an error that says what it did.
func TestHostile(t *testing.T) {
	type hostile struct{ Route, Answer, Want string }
	for _, c := range append(sharedtest.Cases[hostile](t, "hostile.yaml"),
		hostile{"/create", strings.Repeat("[", 1<<16), "cannot be read"},
		hostile{"/reset", `{"observation": "` + strings.Repeat("a", 70<<10) + `"}`, "observation has 71680 bytes"},
		hostile{"/step", `{"observation": "` + strings.Repeat("a", 1<<20) + `"}`, "more than 1048576 bytes"}) {
		answers := maps.Clone(textCraft())
		answers[c.Route] = c.Answer
		s := serve(t, answers)
		env, err := open(t, s.URL, envs.Settings{"env-timeout": "200ms"})
		if err == nil {
			_, _, err = play(t, env)
		}
		if err == nil || !strings.Contains(err.Error(), c.Want) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%s %.80s: %v, want %s", c.Route, c.Answer, err, c.Want)
		}
	}
}

// Whatever goes wrong at whichever request, the error says it, and closing the game does not wait for ever.
func TestFaults(t *testing.T) {
	flood := `"` + strings.Repeat("a", 2<<20)
	for _, route := range []string{"/", "/create", "/reset", "/step", "/close"} {
		late := "has not answered " + route + " within 50ms"
		for fault, want := range map[string]string{
			"hang": late, "dribble": late, "cut": "EOF", "status 307": "status 307", flood: "1048576 bytes",
		} {
			answers, timeout := textCraft(), "1m"
			answers[route] = fault
			if want == late {
				timeout = "50ms"
			}
			env, err := open(t, serve(t, answers).URL, envs.Settings{"env-timeout": timeout})
			if err == nil {
				_, _, err = play(t, env)
			}
			if route == "/close" && err == nil {
				continue
			}
			sharedtest.Fails(t, err, want, route, fault)
		}
	}
}

// A server that dies at any request breaks that episode alone: when it is back, the next is played in a new game.
func TestDeath(t *testing.T) {
	for _, game := range []struct {
		path     string
		answers  map[string]string
		requests int // of an episode, after the greeting
	}{{"", textCraft(), 4}, {"/maze", maze(), 3}} {
		for dies := range game.requests {
			s := serve(t, game.answers)
			env := sharedtest.Must(open(t, s.URL+game.path, nil))(t)
			s.left.Store(int64(dies))
			closing := game.path == "" && dies == game.requests-1
			if _, _, err := play(t, env); (err == nil) != closing {
				t.Errorf("%s after %d requests: %v", s.requests, dies, err)
			}
			s.left.Store(math.MaxInt64)
			before := len(s.requests)
			_, step, err := play(t, env)
			if err != nil || !step.Done || !strings.HasSuffix(s.requests[before], "/create {}") {
				t.Errorf("%s after a death: %+v, %v", s.requests, step, err)
			}
		}
	}
}

// A server that gives two games at a time one number would mix their episodes: neither has a result. Once one is over,
// its number may come again.
func TestDoubled(t *testing.T) {
	for _, c := range []struct {
		path, create string
		answers      map[string]string
	}{{"", "/create", textCraft()}, {"/maze", "/maze/create", maze()}} {
		c.answers[c.create] = `{"id": 7}`
		env := sharedtest.Must(open(t, serve(t, c.answers).URL+c.path, nil))(t)
		start := func() (envs.World, error) {
			w, _ := env.NewWorld(env.Tasks()[0])
			_, err := w.Start(t.Context())
			return w, err
		}
		first := sharedtest.Must(start())(t)
		const want = "it gives the number 7 to two games that are played at the same time"
		if w, err := start(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", c.create, err)
		} else if err := w.Close(); err != nil {
			t.Error(err)
		}
		sharedtest.Fails(t, sharedtest.Err(first.Step(t.Context(), "look")), want, c.create)
		sharedtest.OK(t, first.Close())
		for range 2 {
			if _, step, err := play(t, env); err != nil || !step.Done {
				t.Errorf("%s: %+v, %v", c.create, step, err)
			}
		}
	}
}

// Whatever stands where a score belongs, a step has it as its progress, or is an error: never a zero that nobody gave.
func TestVerdicts(t *testing.T) {
	numbers := map[string]float64{"0": 0, "1": 1, "0.25": 0.25, "-0": 0, "1.0": 1, "25e-2": 0.25}
	others := []string{"null", "", "NaN", "Infinity", "-Infinity", "1e999", "true", "false", `"1"`, `"good"`, "[1]", "{}",
		"2", "-1", "1.", ".5", "nan", "None"}
	values := append(slices.Sorted(maps.Keys(numbers)), others...)
	answers := textCraft()
	env := sharedtest.Must(open(t, serve(t, answers).URL, nil))(t)
	rapid.Check(t, func(r *rapid.T) {
		reward, done := rapid.SampledFrom(values).Draw(r, "reward"),
			rapid.SampledFrom([]string{"true", "false", "null", "", "1", `"yes"`, "True"}).Draw(r, "done")
		fields := []string{`"observation":"a"`}
		for name, value := range map[string]string{"reward": reward, "done": done} {
			if value != "" {
				fields = append(fields, fmt.Sprintf("%q:%s", name, value))
			}
		}
		answers["/step"] = "{" + strings.Join(fields, ",") + "}"
		_, step, err := play(t, env)
		score, ok := numbers[reward]
		ok = ok && (done == "true" || done == "false")
		if ok != (err == nil) || ok && (step.Progress != score || step.Success != (score == 1)) {
			r.Fatalf("%s: %+v, %v", answers["/step"], step, err)
		}
	})
}

// A list of actions is read with limits.
func TestLists(t *testing.T) {
	for list, want := range map[string]string{
		`{"a": 1}`: "cannot be read", `["a", 1]`: "cannot be read",
		`[` + strings.Repeat(`"a",`, 10000) + `"a"]`: "10001 valid actions",
		`["` + strings.Repeat("a", 5000) + `"]`:      "5000 bytes", "status 500": "status 500",
	} {
		answers := maze()
		answers["/maze/available_actions"] = list
		env := sharedtest.Must(open(t, serve(t, answers).URL+"/maze", nil))(t)
		w, _ := env.NewWorld(env.Tasks()[0])
		defer w.Close()
		if _, err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		lister, _ := envs.As[envs.Lister](w)
		sharedtest.Fails(t, sharedtest.Err(lister.Actions(t.Context())), want, list)
	}
}

// BabyAI's score is a field of its own.
func TestScores(t *testing.T) {
	for answer, want := range map[string]string{
		`{"observation": "a", "reward": 1, "done": true}`:              "has no score",
		`{"observation": "a", "score": true, "done": true}`:            "score is true, want a number",
		`{"observation": "a", "reward": 0, "score": -1, "done": true}`: "the score is -1",
		`{"observation": "a", "score": 1e308, "done": true}`:           "",
	} {
		answers := textCraft()
		answers["/"], answers["/step"] = `"This is environment BabyAI."`, answer
		_, step, err := play(t, sharedtest.Must(open(t, serve(t, answers).URL, nil))(t))
		if want == "" && (err != nil || step.Progress != 1 || step.Success) ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v, want %s", answer, step, err, want)
		}
	}
}

// A first observation that is asked for is a text or lines, and nothing else.
func TestOpenings(t *testing.T) {
	for answer, want := range map[string]string{
		`"a\nb"`: "a\nb", `["a", "b"]`: "a\nb", `[]`: "", `null`: "neither a text nor", `7`: "neither a text nor",
		`["a", 1]`: "neither a text nor", `{"error": "no room"}`: "it says: no room", "cut": "EOF",
		`["` + strings.Repeat("a", 70<<10) + `"]`: "observation has 71680 bytes",
	} {
		s := serve(t, map[string]string{"/": `"ok"`, "/create": `{id}`, "/reset": `["", null]`, "/observation": answer})
		env := sharedtest.Must(open(t, s.URL, envs.Settings{"agentgym-env": "webshop"}))(t)
		w, _ := env.NewWorld(env.Tasks()[0])
		start, err := w.Start(t.Context())
		if err == nil && start.Observation != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %.40q, %v, want %s", answer, start.Observation, err, want)
		}
		sharedtest.OK(t, w.Close())
	}
}

// BenchmarkCost measures an episode's beginning with its end, and a step. Both have the work of a server in this
// process; "bare" is the same request by Go's client alone.
func BenchmarkCost(b *testing.B) {
	answers := textCraft()
	answers["/create"] = `{"id": 0}`
	answers["/step"] = `{"observation": "` + strings.Repeat("Got 1 stick. ", 20) + `", "reward": 0, "done": false}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, answers[path.Clean(r.URL.Path)])
	}))
	defer server.Close()
	provider := agentgym.New(server.URL, nil, envs.Outside{})
	defer provider.Close()
	env := sharedtest.Must(outside.New(b.Context(), "agentgym", provider, outside.Configured(nil)))(b)
	begin := func() envs.World {
		w, err := env.NewWorld(env.Tasks()[0])
		if err == nil {
			_, err = w.Start(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
		return w
	}
	sharedtest.Cost(b, "start", func(int) { _ = begin().Close() })
	w := begin()
	defer w.Close()
	sharedtest.Cost(b, "step", func(int) {
		if _, err := w.Step(b.Context(), "get 1 stick"); err != nil {
			b.Fatal(err)
		}
	})
	sharedtest.Cost(b, "bare", func(int) {
		body := strings.NewReader(`{"action":"get 1 stick","id":0}`)
		response := sharedtest.Must(http.Post(server.URL+"/step", "application/json", body))(b)
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	})
}

// outcome is what AgentGym's evaluator reported of a task.
type outcome struct {
	Task    string
	Success bool
	Reward  float64
}

// What AgentGym's servers answered to its evaluator is played here, byte for byte; the last step has the
// evaluator's score, up to 1, and its success.
func TestRecorded(t *testing.T) {
	for _, game := range []string{"textcraft", "maze", "wordle", "babyai", "webshop"} {
		file := filepath.Join("testdata", "agentgym-"+game)
		recorded := sharedtest.ReadLines[gymtest.Exchange](t, file+".server.jsonl.gz")
		outcomes := sharedtest.ReadLines[outcome](t, file+".outcomes.jsonl.gz")
		sharedtest.Equal(t, len(outcomes), len(gymtest.Tasks(recorded)), game, "outcomes")
		for _, want := range outcomes {
			t.Run(want.Task, func(t *testing.T) { playRecorded(t, recorded, want) })
		}
	}
}

func playRecorded(t *testing.T, recorded []gymtest.Exchange, want outcome) {
	game, index, _ := strings.Cut(want.Task, "_")
	settings := envs.Settings{"agentgym-tasks": index}
	if game == "webshop" { // it does not say so
		settings["agentgym-env"] = game
	}
	env := sharedtest.Must(open(t, gymtest.Serve(t, recorded, want.Task), settings))(t)
	w, err := env.NewWorld(env.Tasks()[0])
	if err != nil || env.Info().Name != "agentgym:"+game || env.Tasks()[0].ID != want.Task {
		t.Fatalf("%v, %s, %v", err, env.Info().Name, env.Tasks())
	}
	defer w.Close()
	start, err := w.Start(t.Context())
	step := envs.Step{Observation: start.Observation}
	own := gymtest.TaskExchanges(recorded, want.Task)
	switch game { // the evaluator does not show how these answer a reset
	case "webshop":
		own = own[1:]
	case "wordle":
		own[0] = gymtest.TaskExchanges(recorded, "")[2]
	}
	for _, x := range own {
		if action, ok := x.Sent["action"].(string); ok && err == nil {
			step, err = w.Step(t.Context(), action)
		}
		if text, done := shown(x); err != nil || step.Observation != text || step.Done != done {
			t.Fatalf("%s %v: %+v, %v, want %s", x.Path, x.Sent, step, err, x.Answer)
		}
	}
	if step.Progress != min(want.Reward, 1) || step.Success != want.Success {
		t.Errorf("the last step is %+v, want %+v", step, want)
	}
}

// shown is what an answer shows, and whether it ends the task.
func shown(x gymtest.Exchange) (text string, done bool) {
	var list []string
	if json.Unmarshal([]byte(x.Answer), &text) == nil {
		return text, false
	} else if json.Unmarshal([]byte(x.Answer), &list) == nil {
		return strings.Join(list, "\n"), false
	}
	var answer struct {
		Observation, State string
		Done               bool
	}
	_ = json.Unmarshal([]byte(x.Answer), &answer) // else nothing is shown
	return answer.Observation + answer.State, answer.Done
}
