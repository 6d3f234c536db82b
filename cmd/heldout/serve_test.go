package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"heldout/envs/sharedtest"
)

// serving is a heldout serve of a test.
type serving struct {
	t    *testing.T
	url  string
	said *lockedBuffer
	stop func() (code int)
}

// lockedBuffer takes what a server says.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serveHere starts heldout serve on a free port.
func serveHere(t *testing.T, args ...string) *serving {
	t.Helper()
	s := &serving{t: t, said: &lockedBuffer{}}
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	sys := &system{stdout: in, stderr: s.said, getenv: func(string) string { return "" }, now: time.Now}
	code := make(chan int, 1)
	go func() {
		code <- execute(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), sys)
		in.Close()
	}()
	s.stop = sync.OnceValue(func() int {
		cancel()
		return <-code
	})
	t.Cleanup(func() { s.stop() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("serve %q did not start: %s", args, s.said)
	}
	s.url = strings.TrimSpace(line)
	return s
}

// post sends a JSON body and reads the JSON answer into v.
func (s *serving) post(path string, body, v any) {
	s.t.Helper()
	b := sharedtest.Must(json.Marshal(body))(s.t)
	answer := sharedtest.Must(http.Post(s.url+path, "application/json", bytes.NewReader(b)))(s.t)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(answer.Status)
	}
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		s.t.Fatalf("%s: %v: %s", path, err, text)
	}
}

// served is a reply of the batch route.
type served struct {
	Observation struct {
		Text, Goal string
		TaskID     string `json:"task_id"`
		Progress   float64
		Success    bool
		Valid      bool
		Actions    []string
	}
	Reward *float64
	Done   bool
	Error  *struct{ Message string }
}

type batchEntry struct {
	Session string         `json:"session"`
	Action  *string        `json:"action,omitempty"`
	Reset   map[string]any `json:"reset,omitempty"`
}

// step runs a batch.
func (s *serving) step(entries ...batchEntry) []served {
	s.t.Helper()
	var out struct{ Results []served }
	s.post("/v1/step", map[string]any{"steps": entries}, &out)
	return out.Results
}

// Many sessions with the same task and actions get the texts of heldout play --format json.
func TestServeEqualsPlay(t *testing.T) {
	t.Parallel()
	s := serveHere(t, "pddl", "babyai", "alfworld", "sciworld", "--data", "")
	const clients, steps = 5, 12
	for _, env := range []string{"pddl", "babyai", "alfworld", "sciworld"} {
		var opened struct{ Sessions []string }
		s.post("/v1/sessions", map[string]any{"env": env, "count": clients}, &opened)
		all := func(make func(session string) batchEntry) []served {
			var entries []batchEntry
			for _, id := range opened.Sessions {
				entries = append(entries, make(id))
			}
			got := s.step(entries...)
			for i := range got {
				if a, b := mustJSON(t, got[0]), mustJSON(t, got[i]); a != b {
					t.Fatalf("%s: two sessions got\n%s\nand\n%s", env, a, b)
				}
			}
			return got
		}
		first := all(func(id string) batchEntry {
			return batchEntry{Session: id, Reset: map[string]any{"index": 3, "actions": true}}
		})[0]
		var actions bytes.Buffer
		answers := []served{first}
		for i := range steps {
			list := answers[i].Observation.Actions
			if answers[i].Done || len(list) == 0 {
				break
			}
			action := list[i*7%len(list)]
			actions.WriteString(mustJSON(t, map[string]string{"action": action}) + "\n")
			answers = append(answers, all(func(id string) batchEntry {
				return batchEntry{Session: id, Action: &action}
			})[0])
		}
		var out, said bytes.Buffer
		sys := &system{stdin: &actions, stdout: &out, stderr: &said, getenv: func(string) string { return "" },
			now: time.Now}
		if code := execute(t.Context(), []string{"play", env, "--data", "", "--task", first.Observation.TaskID,
			"--format", "json", "--actions"}, sys); code != exitOK {
			t.Fatal(said.String())
		}
		d := json.NewDecoder(&out)
		for i, got := range answers {
			var want struct {
				Observation, Goal    string
				Progress             float64
				Done, Success, Valid bool
				Actions              []string
			}
			if err := d.Decode(&want); err != nil {
				t.Fatalf("%s, line %d: %v", env, i, err)
			}
			o := got.Observation
			if o.Text != want.Observation || o.Goal != want.Goal || o.Progress != want.Progress ||
				o.Success != want.Success || got.Done != want.Done ||
				i > 0 && o.Valid != want.Valid || strings.Join(o.Actions, "\n") != strings.Join(want.Actions, "\n") {
				t.Errorf("%s, step %d: served %+v, played %+v", env, i, got, want)
			}
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b := sharedtest.Must(json.Marshal(v))(t)
	return string(b)
}

// What is recorded is a run: tables read it, and a second server continues it. What it plays
// again keeps its first result.
func TestServeRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	play := func(rollouts int) {
		s := serveHere(t, "pddl", "--data", "", "--record", dir, "--name", "my agent")
		var opened struct{ Sessions []string }
		s.post("/v1/sessions", map[string]any{"env": "pddl", "count": rollouts}, &opened)
		look := "look around"
		for _, id := range opened.Sessions {
			s.step(batchEntry{Session: id, Reset: map[string]any{"index": 0, "max_steps": 2}})
			s.step(batchEntry{Session: id, Action: &look}, batchEntry{Session: id, Action: &look})
		}
		if code := s.stop(); code != exitInterrupted && code != exitOK {
			t.Errorf("exit code %d: %s", code, s.said)
		}
	}
	play(2)
	play(3)
	var out, said bytes.Buffer
	sys := &system{stdout: &out, stderr: &said, getenv: func(string) string { return "" }, now: time.Now}
	run := filepath.Join(dir, "pddl")
	if code := execute(t.Context(), []string{"compare", run, "--wide", "--format", "csv", "--table", "results"},
		sys); code != exitOK {
		t.Fatal(said.String())
	}
	if text := out.String(); !strings.Contains(text, "my agent") || !strings.Contains(text, ",3,3,") {
		t.Errorf("the table:\n%s", text)
	}
	lines, err := os.ReadFile(filepath.Join(run, "episodes.jsonl"))
	if err != nil || bytes.Count(lines, []byte("\n")) != 5 || bytes.Count(lines, []byte(`"attempt":2`)) != 2 {
		t.Errorf("recorded %s, %v", lines, err)
	}
	out.Reset()
	if code := execute(t.Context(), []string{"replay", run, "--data", ""}, sys); code != exitOK ||
		!strings.Contains(out.String(), "pddl") {
		t.Errorf("replay: exit code %d\n%s%s", code, &out, &said)
	}
	// A changed record is found.
	changed := filepath.Join(t.TempDir(), "changed")
	sharedtest.OK(t, os.CopyFS(changed, os.DirFS(run)))
	whole := bytes.Replace(lines, []byte(`"action":"look around"`), []byte(`"action":"look"`), 1)
	first, rest, _ := bytes.Cut(whole, []byte("\n"))
	body, _, _ := bytes.Cut(first, []byte(`,"checksum":`)) // an old line may lack it
	body = bytes.Replace(body, []byte(`"schema":2`), []byte(`"schema":1`), 1)
	sharedtest.OK(t, os.WriteFile(filepath.Join(changed, "episodes.jsonl"), slices.Concat(body, []byte("}\n"), rest),
		0o666))
	if code := execute(t.Context(), []string{"replay", changed, "--data", ""}, sys); code != exitError ||
		!strings.Contains(out.String(), "first difference") {
		t.Errorf("replay of a changed record: exit code %d\n%s%s", code, &out, &said)
	}
	// Episodes of other data do not belong there.
	text := refusal(t, "pddl", "--generator-seed", "5", "--record", dir, "--name", "my agent")
	sharedtest.Contains(t, text, "other settings or data: give another folder", "a foreign folder")
}

// refusal is what a server says that does not start.
func refusal(t *testing.T, args ...string) string {
	t.Helper()
	var said bytes.Buffer
	sys := &system{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &said, getenv: noVariables,
		now: time.Now}
	code := execute(t.Context(), append([]string{"serve", "--data", "", "--stdio"}, args...), sys)
	if code != exitUsage {
		t.Fatalf("serve %q ends with code %d: %s", args, code, &said)
	}
	return said.String()
}

// A recording has one player, over every protocol: another name, version or source is refused
// before anything is played, and so is a player without a name. The same one goes on.
func TestServeKeepsPlayersApart(t *testing.T) {
	t.Parallel()
	for protocol, of := range map[string]struct {
		env, run string
		play     func(s *serving)
	}{
		"batches": {"pddl", "pddl", func(s *serving) {
			var opened struct{ Sessions []string }
			s.post("/v1/sessions", map[string]any{"env": "pddl"}, &opened)
			look := "look around"
			s.step(batchEntry{Session: opened.Sessions[0],
				Reset: map[string]any{"index": 0, "step_limit": 1, "rollout": 1}})
			s.step(batchEntry{Session: opened.Sessions[0], Action: &look})
		}},
		"openenv": {"pddl", "pddl", func(s *serving) {
			c, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.url, "http")+"/openenv/pddl/ws", nil)
			sharedtest.OK(t, err)
			defer c.Close()
			for _, frame := range []string{`{"type":"reset","data":{"index":0,"step_limit":1}}`,
				`{"type":"step","data":{"message":"look around"}}`} {
				sharedtest.OK(t, c.WriteMessage(websocket.TextMessage, []byte(frame)))
				if _, _, err := c.ReadMessage(); err != nil {
					t.Fatal(err)
				}
			}
		}},
		"agentgym": {"babyai", "agentgym-babyai", func(s *serving) {
			for _, call := range [][2]string{{"create", "{}"}, {"reset", `{"id":0,"data_idx":0}`},
				{"step", `{"id":0,"action":"turn left"}`}, {"close", `{"id":0}`}} {
				var answer any
				s.post("/agentgym/babyai/"+call[0], json.RawMessage(call[1]), &answer)
			}
		}},
	} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "folder")
			session := func(args ...string) string {
				s := serveHere(t, append([]string{of.env, "--data", "", "--record", dir}, args...)...)
				of.play(s)
				s.stop()
				return s.said.String()
			}
			if said := session(); !strings.Contains(said, "with the folder as their player, folder; --name gives") {
				t.Errorf("a recording without a name says: %s", said)
			}
			for want, args := range map[string][]string{
				"nothing says that the same player plays on: give --name \"folder\"": {},
				"folder, and this player is called mine: give --name \"folder\"":     {"--name", "mine"},
				"folder, who has changed since: unknown, now version 2; give --accept-changed-model": {
					"--name", "folder", "--set", "player=version=2"},
			} {
				text := refusal(t, append([]string{of.env, "--record", dir}, args...)...)
				sharedtest.Contains(t, text, want, args)
			}
			said := session("--name", "folder")
			sharedtest.Contains(t, said, of.run+" goes on: results of 1 episode are there", "the same player")
			session("--name", "folder", "--set", "player=version=2", "--accept-changed-model")
			var out bytes.Buffer
			sys := &system{stdout: &out, stderr: &out, getenv: noVariables, now: time.Now}
			if code := execute(t.Context(), []string{"compare", filepath.Join(dir, of.run), "--table", "notes,rates"},
				sys); code != exitOK || !strings.Contains(strings.Join(strings.Fields(out.String()), " "),
				"folder: the player behind this name changed while "+filepath.Join(dir, of.run)+
					" was played: unknown, now version 2.") {
				t.Errorf("the notes: %s", &out)
			}
		})
	}
}

// Options that say who plays are for recordings, and are checked.
func TestServeRefusesPlayers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "x")
	for want, args := range map[string][]string{
		"--name, --set player and --accept-changed-model are for --record": {"--name", "x"},
		"has 0 characters":              {"--record", dir, "--set", "player=version="},
		"is no hash":                    {"--record", dir, "--set", "player=source=x"},
		"want a JSON object":            {"--record", dir, "--set", "player=sampling=hot"},
		"a player has no \"weights\"":   {"--record", dir, "--set", "player=weights=1"},
		"says nothing about a player":   {"--record", dir, "--set", "player=2"},
		"without blanks at its ends":    {"--record", dir, "--name", " x"},
		"characters, want 1 to 80 that": {"--record", dir, "--name", "a\nb"},
	} {
		sharedtest.Contains(t, refusal(t, append([]string{"pddl"}, args...)...), want, args)
	}
}

func TestServeTokens(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	sharedtest.OK(t, os.WriteFile(file, []byte("correct-horse-battery\n"), 0o600))
	for _, c := range []struct {
		args []string
		code int
	}{
		{nil, 200},
		{[]string{"--token-file", file}, 401},
		{[]string{"--listen", "0.0.0.0:0"}, 401},
		{[]string{"--listen", "0.0.0.0:0", "--no-token"}, 200},
	} {
		s := serveHere(t, append([]string{"pddl", "--data", ""}, c.args...)...)
		url := s.url[strings.LastIndexByte(s.url, ':'):]
		answer := sharedtest.Must(http.Get("http://127.0.0.1" + url + "/metadata"))(t)
		answer.Body.Close()
		sharedtest.Equal(t, answer.StatusCode, c.code, c.args, "status")
		s.stop()
		if strings.Contains(s.said.String(), "correct-horse-battery") {
			t.Errorf("%q: the token is in %s", c.args, s.said)
		}
	}
}
