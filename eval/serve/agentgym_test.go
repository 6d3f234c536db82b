package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/serve"
	"heldout/eval/serve/mount"
)

// noLog drops events.
func noLog(string, ...any) {}

// mountTime is when tests take place.
var mountTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// gymServed serves environments as AgentGym does, and returns the address under which AgentGym's servers are.
func gymServed(t testing.TB, data string, change func(*serve.Options), texts ...string) string {
	t.Helper()
	base, _ := gymServer(t, data, change, texts...)
	return base
}

// gymServer does the same, and returns the server too.
func gymServer(t testing.TB, data string, change func(*serve.Options), texts ...string) (string, *serve.Server) {
	t.Helper()
	out := bench.Outside{Now: func() time.Time { return mountTime }, Getenv: func(string) string { return "" }}
	m := mount.Defaults{Setup: envs.Setup{Data: data}, Reward: serve.RewardSuccess}
	gyms, skipped := mount.Gyms(out, m, texts)
	if len(skipped) > 0 || len(gyms) != len(texts) {
		t.Fatalf("%d servers, %v", len(gyms), skipped)
	}
	mounts, _, err := mount.Parse(out, mount.Defaults{Reward: serve.RewardSuccess}, []string{"pddl"})
	sharedtest.OK(t, err)
	o := serve.Options{
		Mounts: mounts, Gyms: gyms, Now: out.Now, Log: noLog,
		MaxSessions: 256, MaxPerAddress: 256, Idle: time.Minute, Version: "test",
	}
	if change != nil {
		change(&o)
	}
	s := sharedtest.Must(serve.New(o))(t)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h.URL + "/agentgym/", s
}

// gymClient speaks as AgentGym's own clients do: it makes an environment first, opens a connection for every
// request, wants the status 200 and the keys that it knows.
type gymClient struct {
	t    testing.TB
	base string
	http *http.Client
	id   int
}

func newGymClient(t testing.TB, base string) *gymClient {
	t.Helper()
	c := &gymClient{t: t, base: base, http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	var made struct{ ID *int }
	c.decode(c.post("/create", nil), &made)
	if made.ID == nil {
		t.Fatal("no id")
	}
	c.id = *made.ID
	return c
}

// post sends a body, and returns the answer's.
func (c *gymClient) post(path string, body any) []byte {
	c.t.Helper()
	b := sharedtest.Must(json.Marshal(body))(c.t)
	if body == nil {
		b = nil
	}
	r := sharedtest.Must(c.http.Post(c.base+path, "application/json", bytes.NewReader(b)))(c.t)
	return c.read(r)
}

func (c *gymClient) get(path string) []byte {
	c.t.Helper()
	r := sharedtest.Must(c.http.Get(fmt.Sprintf("%s%s?id=%d", c.base, path, c.id)))(c.t)
	return c.read(r)
}

func (c *gymClient) read(r *http.Response) []byte {
	c.t.Helper()
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		c.t.Fatalf("status %d, %v: %s", r.StatusCode, err, b)
	}
	return b
}

func (c *gymClient) decode(b []byte, v any) {
	c.t.Helper()
	if err := json.Unmarshal(b, v); err != nil {
		c.t.Fatalf("%v: %s", err, b)
	}
}

// reset starts AgentGym's task of a number.
func (c *gymClient) reset(number int) []byte {
	c.t.Helper()
	return c.post("/reset", map[string]any{"id": c.id, "data_idx": number, "game": number, "world_type": "Text"})
}

func (c *gymClient) step(action string) []byte {
	c.t.Helper()
	return c.post("/step", map[string]any{"id": c.id, "action": action})
}

// refused returns the text of an error.
func (c *gymClient) refused(b []byte) string {
	c.t.Helper()
	var e struct{ Error string }
	c.decode(b, &e)
	if e.Error == "" {
		c.t.Fatalf("no error: %s", b)
	}
	return e.Error
}

// gymStep has the fields of all answers to resets and steps.
type gymStep struct {
	Observation   string
	Reward, Score float64
	Done          bool
	Actions       []string `json:"available_actions"`
	Description   string   `json:"task_description"`
	Task          string   `json:"task_name"`
	Variation     int      `json:"var_num"`
}

func (c *gymClient) stepOf(b []byte) (s gymStep) {
	c.t.Helper()
	if bytes.Contains(b, []byte(`{"error"`)) {
		c.t.Fatalf("%s", b)
	}
	c.decode(b, &s)
	return s
}

// The recorded conversations with AgentGym's server come out byte for byte.
func TestGymRecorded(t *testing.T) {
	type run struct {
		Number int `json:"data_idx"`
		Reset  json.RawMessage
		Steps  []struct {
			Action   string
			Response json.RawMessage
		}
	}
	base := gymServed(t, "", nil, "babyai") + "babyai"
	compacted := func(b []byte) string {
		var out bytes.Buffer
		sharedtest.OK(t, json.Compact(&out, b))
		return out.String()
	}
	for _, r := range sharedtest.Lines[run](t, "babyai/agentgym.jsonl.gz") {
		c := newGymClient(t, base)
		if diff := cmp.Diff(compacted(r.Reset), string(c.reset(r.Number))); diff != "" {
			t.Fatalf("task %d: %s", r.Number, diff)
		}
		for i, s := range r.Steps {
			// An error names the number of the environment, which was always 0.
			want := strings.Replace(compacted(s.Response), "environment 0 ", fmt.Sprintf("environment %d ", c.id), 1)
			if diff := cmp.Diff(want, string(c.step(s.Action))); diff != "" {
				t.Fatalf("task %d, step %d: %s", r.Number, i, diff)
			}
		}
	}
}

// Every level has its number, and says what the text layer says.
func TestGymBabyAILevels(t *testing.T) {
	type level struct {
		Level, Seed int
		Goal, Obs   string
		Actions     [][]any
	}
	c := newGymClient(t, gymServed(t, "", nil, "babyai")+"babyai")
	for _, l := range sharedtest.Lines[level](t, "babyai/levels.jsonl.gz") {
		if slices.Contains([]int{35, 36, 37, 40}, l.Level) {
			continue // AgentGym generates each world twice, and these levels remember
		}
		var actions []string
		for _, a := range l.Actions {
			actions = append(actions, fmt.Sprintf("%q", a[0]))
		}
		want := "Your goal: " + l.Goal + "\n" + l.Obs + "\nAvailable actions: [" + strings.Join(actions, ", ") + "]"
		sharedtest.Equal(t, c.stepOf(c.reset(l.Seed*40+l.Level-1)).Observation, want, "level", l.Level, "seed",
			l.Seed)
	}
}

// Recorded episodes of the text layer: the same texts and rewards, and a score that adds up every reward.
func TestGymBabyAISteps(t *testing.T) {
	t.Parallel()
	type run struct {
		Level, Seed int
		Subgoals    any
		Steps       []struct {
			Action, Obs string
			Reward      float64
			Done        bool
		}
	}
	c := newGymClient(t, gymServed(t, "", nil, "babyai")+"babyai")
	steps := 0
	for _, r := range sharedtest.Lines[run](t, "babyai/text_random.jsonl.gz", 9) {
		if r.Subgoals != nil || slices.Contains([]int{35, 36, 37, 40}, r.Level) {
			continue
		}
		c.stepOf(c.reset(r.Seed*40 + r.Level - 1))
		score := 0.0
		for i, s := range r.Steps {
			got := c.stepOf(c.step(s.Action))
			score += s.Reward
			text, _, _ := strings.Cut(got.Observation, "\nAvailable actions: [")
			if text != s.Obs || got.Reward != s.Reward || got.Score != score || got.Done != s.Done {
				t.Fatalf("level %d, seed %d, step %d: %+v, want %+v with score %v", r.Level, r.Seed, i, got, s, score)
			}
			if steps++; got.Done {
				break
			}
		}
	}
	t.Logf("%d steps", steps)
}

// A slow success pays its reward again with every invalid action, and leaves the episode open.
func TestGymScoreExceedsOne(t *testing.T) {
	c := newGymClient(t, gymServed(t, "", nil, "babyai")+"babyai")
	// Level 4 has 16 primitive steps; a success after more than 5/9 of them pays 0.5 and less.
	c.reset(1234*40 + 3)
	for range 8 {
		c.step("turn left")
	}
	got := c.stepOf(c.step("pickup purple box 1"))
	if got.Done || got.Reward <= 0 || got.Reward > 0.5 || got.Score != got.Reward {
		t.Fatalf("a slow success: %+v", got)
	}
	sum := got.Score
	for range 5 {
		sum += got.Reward
		if again := c.stepOf(c.step("jump")); again.Score != sum || again.Reward != got.Reward || again.Done {
			t.Fatalf("after an invalid action: %+v, want the score %v", again, sum)
		}
	}
	if sum <= 1 {
		t.Errorf("score %v", sum)
	}
}

// scienceFirst are the first numbers of ScienceWorld's tasks.
var scienceFirst = map[int]string{
	0: "boil", 30: "melt", 60: "freeze", 90: "change-the-state-of-matter-of", 120: "use-thermometer",
	660: "measure-melting-point-known-substance", 1096: "measure-melting-point-unknown-substance",
	1396: "power-component",
	1416: "power-component-renewable-vs-nonrenewable-energy", 1436: "test-conductivity",
	2336: "test-conductivity-of-unknown-substances",
	2936: "find-living-thing", 3236: "find-non-living-thing", 3536: "find-plant", 3836: "find-animal",
	4136: "chemistry-mix",
	4168: "chemistry-mix-paint-secondary-color", 4204: "chemistry-mix-paint-tertiary-color",
	4240: "lifespan-longest-lived",
	4365: "lifespan-shortest-lived", 4490: "lifespan-longest-lived-then-shortest-lived", 4615: "identify-life-stages-1",
	4629: "identify-life-stages-2",
}

func TestGymScience(t *testing.T) {
	c := newGymClient(t, gymServed(t, "", nil, "sciworld")+"sciworld")
	last := 4639
	for _, first := range slices.Backward(slices.Sorted(maps.Keys(scienceFirst))) {
		for _, number := range []int{first, (first + last) / 2, last - 1} {
			got := c.stepOf(c.reset(number))
			if got.Task != scienceFirst[first] || got.Variation != number-first || got.Description == "" ||
				!strings.HasPrefix(got.Observation, "This ") || got.Done || got.Reward != got.Score {
				t.Errorf("task %d: %+v", number, got)
			}
		}
		last = first
	}
	sharedtest.Equal(t, c.refused(c.reset(4639)), "list index out of range")
	c.reset(0)
	const description = "Your task is to boil water. For compounds without a boiling point, combusting the substance is also acceptable. First, focus on the substance. Then, take actions that will cause it to change its state of matter."
	for path, want := range map[string]string{
		"/task_description": `{"task_description":"` + description + `"}`,
		"/action_hint":      `{"possible_actions":["activate OBJ","close OBJ",`,
		"/goals":            `{"goals":"Completed keys: \n---`,
		"/observation":      `"This room is called the hallway. In it, you see: \n\tthe agent\n`,
		"/detail":           `{"task_name":"boil","var_num":0,"task_description":"` + description + `","observation":"This room `,
	} {
		if got := string(c.get(path)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	// Version 1.1.3 of the simulator says that something is wrong here.
	if got := c.stepOf(c.step("look at bedroom door")); got.Observation != "A door to the bedroom (that is closed)" {
		t.Errorf("%+v", got)
	}
	// A solution of the simulator's own, with its scores.
	c.reset(3836)
	score := 0
	for _, s := range []struct {
		action string
		score  int
	}{
		{"open door to greenhouse", 8}, {"go to greenhouse", 17}, {"jump", 17}, {"open door to outside", 17},
		{"go to outside", 17},
		{"focus on dove", 67}, {"pick up dove", 75}, {"open door to kitchen", 75}, {"go to kitchen", 83},
		{"move egg dove egg in inventory to red box", 100},
	} {
		got := string(c.step(s.action))
		if want := fmt.Sprintf(`,"reward":%d,"score":%d,"done":%v}`, s.score-score, s.score, s.score == 100); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want %s", s.action, got, want)
		}
		score = s.score
	}
	if got, want := string(c.step("look around")), fmt.Sprintf(`{"error":"The task with environment %d has finished."}`, c.id); got != want {
		t.Error(got)
	}
	// A wrong focus ends the episode.
	c.reset(3836)
	c.step("open door to greenhouse")
	if got, want := string(c.step("focus on agent")), `{"observation":"You focus on the agent.","reward":-108,"score":-100,"done":true}`; got != want {
		t.Error(got)
	}
	if got := c.stepOf(c.reset(1)); got.Score != 0 || got.Done {
		t.Errorf("after another reset: %+v", got)
	}
	// The look around at the start reaches goals of some tasks: a reset says so, and
	// the first action is not rewarded for it.
	for number, score := range map[int]float64{1719: 5, 232: 3} {
		if got := c.stepOf(c.reset(number)); got.Reward != score || got.Score != score {
			t.Errorf("task %d begins with %+v, want %v", number, got, score)
		}
		if got := c.stepOf(c.step("look around")); got.Reward != 0 || got.Score != score {
			t.Errorf("task %d goes on with %+v, want the score %v", number, got, score)
		}
	}
	c.reset(232)
	if got := c.stepOf(c.step("focus on bowl")); got.Reward != -103 || got.Score != -100 {
		t.Errorf("after a wrong focus: %+v", got)
	}
}

// gymGames is a data folder in which the games of recorded episodes have the numbers
// of others in AgentGym's lists: 0 and up in training, 2420 and up for tests.
func gymGames(t *testing.T, games []string) string {
	t.Helper()
	lists := sharedtest.Data(t, "agentgym", "AgentGym's lists of games")
	board := sharedtest.AgentBoard(t)
	data := t.TempDir()
	write := func(b []byte, path ...string) {
		file := filepath.Join(append([]string{data}, path...)...)
		sharedtest.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
		sharedtest.OK(t, os.WriteFile(file, b, 0o644))
	}
	for split, name := range map[string]string{"train": "alfworld_train.txt", "valid_train": "alfworld_test.txt"} {
		b := sharedtest.Must(os.ReadFile(filepath.Join(lists, name)))(t)
		write(b, "agentgym", name)
		ids := strings.Fields(string(b))
		for i, game := range games {
			b := sharedtest.Must(os.ReadFile(filepath.Join(board, "alfworld", "json_2.1.1",
				filepath.FromSlash(game))))(t)
			write(b, "json_2.1.1", split, filepath.FromSlash(ids[i]), "game.tw-pddl")
		}
	}
	return data
}

// Recorded episodes of ALFWorld's games: texts, commands and the end.
func TestGymALFWorld(t *testing.T) {
	t.Parallel()
	type step struct {
		Action, Obs string
		Done        bool
		Valid       []string `json:"valid_before"`
	}
	type run struct {
		Game, Goal string
		Obs        string `json:"init_obs"`
		Steps      []step
	}
	runs := sharedtest.Lines[run](t, "alfworld/agentboard_unseen134_v1.jsonl.gz", 24)
	runs = runs[:min(len(runs), 24)]
	var games []string
	for _, r := range runs {
		games = append(games, r.Game)
	}
	c := newGymClient(t, gymServed(t, gymGames(t, games), nil, "alfworld")+"alfworld")
	ids := strings.Fields(string(firstGymList(t)))
	for i, r := range runs {
		number := []int{i, 2420 + i}[i%2]
		b := c.reset(number)
		got := c.stepOf(b)
		if want := r.Obs + "\n" + r.Goal; got.Observation != want {
			t.Fatalf("game %d: %q, want %q", number, got.Observation, want)
		}
		if i == 0 && !strings.HasSuffix(string(b), `,"task_type":"`+ids[0]+`"}`) {
			t.Errorf("%s", b)
		}
		for n, s := range r.Steps {
			action := strings.TrimSuffix(s.Action, ".")
			if action == "check valid actions" {
				continue // AgentBoard answers it, not the game
			}
			want := slices.DeleteFunc(slices.Clone(s.Valid), func(a string) bool { return a == "check valid actions" })
			slices.Sort(want)
			if diff := cmp.Diff(want, got.Actions); diff != "" {
				t.Fatalf("game %d, before step %d: %s", number, n, diff)
			}
			got = c.stepOf(c.step(action))
			if action != "look" && got.Observation != s.Obs || got.Done != s.Done ||
				(got.Reward == 1) != (got.Done && n < 49) {
				t.Fatalf("game %d, step %d, %s: %+v, want %q, %v", number, n, action, got, s.Obs, s.Done)
			}
			if got.Done {
				break
			}
		}
	}
	for number, want := range map[int]string{2620: "list index out of range", -1: "list index out of range",
		100: "no task"} {
		sharedtest.Contains(t, c.refused(c.reset(number)), want, "game", number)
	}
	if text := c.refused(c.post("/reset", map[string]any{"id": c.id, "game": 0, "world_type": "Chess"})); text != `world_type must be one of "Text", "Embody" and "Hybrid"` {
		t.Error(text)
	}
	c.reset(0)
	for path, want := range map[string]string{"/observation": `"You are in the middle`, "/available_actions": `["go to `, "/detail": fmt.Sprintf(`{"id":%d,"observation":"You are`, c.id)} {
		if got := string(c.get(path)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	// The engine takes 50 commands.
	for n := range 50 {
		if got := string(c.step("jump")); !strings.HasPrefix(got, `{"observation":"Nothing happens.","reward":0.0,"available_actions":["`) || strings.HasSuffix(got, `"done":true}`) != (n == 49) {
			t.Fatalf("command %d: %s", n, got)
		}
	}
}

func firstGymList(t *testing.T) []byte {
	b := sharedtest.Must(os.ReadFile(filepath.Join(sharedtest.Data(t, "agentgym", "AgentGym's lists of games"),
		"alfworld_train.txt")))(t)
	return b
}

// What the servers say about numbers and bodies that are wrong.
func TestGymErrors(t *testing.T) {
	t.Parallel()
	base := gymServed(t, "", nil, "babyai", "sciworld")
	ask := func(method, path, body string) (int, string) {
		r := sharedtest.Must(http.NewRequest(method, base+path, strings.NewReader(body)))(t)
		answer := sharedtest.Must(http.DefaultClient.Do(r))(t)
		defer answer.Body.Close()
		b := sharedtest.Must(io.ReadAll(answer.Body))(t)
		return answer.StatusCode, string(b)
	}
	long := `{"id":1,"action":"` + strings.Repeat("a", 64<<10) + `"}`
	if code, got := ask("POST", "babyai/step", long); code != 413 || got != `{"detail":"http: request body too large"}` {
		t.Errorf("a long body: %d %s", code, got)
	}
	for _, c := range sharedtest.Cases[struct {
		Method, Path, Body string
		Code               int
		Want               string
	}](t, "gymerrors.yaml") {
		code, got := ask(c.Method, c.Path, c.Body)
		if code != c.Code || got != c.Want {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.Method, c.Path, c.Body, code, got, c.Code, c.Want)
		}
	}
}

// A trainer of AgentGym-RL: environments one by one, then a thread for each.
func TestGymBatch(t *testing.T) {
	base := gymServed(t, "", nil, "babyai") + "babyai"
	const batch, n = 8, 4
	var clients []*gymClient
	for i := range batch * n {
		c := newGymClient(t, base)
		if c.id != i {
			t.Fatalf("environment %d has the number %d", i, c.id)
		}
		clients = append(clients, c)
	}
	for i, c := range clients {
		c.stepOf(c.reset(i / n))
	}
	said := make([][]string, len(clients))
	var threads sync.WaitGroup
	for i, c := range clients {
		threads.Go(func() {
			for _, action := range []string{"turn left", "move forward", "jump", "turn right",
				"check available actions", "move forward"} {
				said[i] = append(said[i], string(c.step(action)))
			}
		})
	}
	threads.Wait()
	for i, c := range clients {
		sharedtest.Same(t, said[i], said[i/n*n], i/n)
		sharedtest.Equal(t, string(c.post("/close", map[string]int{"id": c.id})), "true")
	}
}

// Many threads on one number: every step counts once.
func TestGymOneNumber(t *testing.T) {
	c := newGymClient(t, gymServed(t, "", nil, "babyai")+"babyai")
	c.reset(1234*40 + 3)
	for range 8 {
		c.step("turn left")
	}
	paid := c.stepOf(c.step("pickup purple box 1"))
	var threads sync.WaitGroup
	const steps = 40
	for range steps {
		threads.Go(func() { c.step("jump") })
	}
	threads.Wait()
	want := paid.Reward * (steps + 2)
	if got := c.stepOf(c.step("jump")); math.Abs(got.Score-want) > 1e-9 {
		t.Errorf("score %v, want %v", got.Score, want)
	}
}

// Environments that nobody closes: there is a limit, and an idle one makes room.
func TestGymLeaks(t *testing.T) {
	var passed atomic.Int64
	base, server := gymServer(t, "", func(o *serve.Options) {
		o.MaxSessions, o.MaxPerAddress = 3, 3
		o.Now = func() time.Time { return mountTime.Add(time.Duration(passed.Load())) }
	}, "babyai")
	base += "babyai"
	first := newGymClient(t, base)
	first.reset(0)
	newGymClient(t, base)
	newGymClient(t, base)
	r := sharedtest.Must(http.Post(base+"/create", "", nil))(t)
	r.Body.Close()
	if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
		t.Errorf("status %d, %v", r.StatusCode, r.Header)
	}
	passed.Store(int64(2 * time.Minute))
	server.Table().Sweep()
	sharedtest.Equal(t, first.refused(first.step("jump")), "The task with environment 0 has been deleted.")
	sharedtest.Equal(t, newGymClient(t, base).id, 3, "the next number is")
}

// Whatever a body says, the server answers with JSON.
func FuzzGymBody(f *testing.F) {
	for _, body := range []string{
		`{"id":0,"action":"turn left"}`, `{"id":0,"data_idx":17}`, `{"id":"0","data_idx":1e9}`, `{"id":true,"action":""}`, `{"id":`, `[]`, `{"id":-0.0,"data_idx":"1_000"}`,
	} {
		f.Add([]byte(body), "step")
		f.Add([]byte(body), "reset")
	}
	base, server := gymServer(f, "", nil, "babyai")
	newGymClient(f, base+"babyai").reset(0)
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		if path != "step" {
			path = "reset"
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest("POST", "http://localhost/agentgym/babyai/"+path,
			bytes.NewReader(body)))
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("no JSON: %s", w.Body)
		}
		switch w.Code {
		case 200, 413, 422:
		default:
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	})
}
