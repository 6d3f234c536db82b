package openenv_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"heldout/envs"
	"heldout/envs/outside"
	"heldout/envs/outside/openenv"
	"heldout/envs/sharedtest"
	"heldout/eval/serve/dial"
)

func TestMain(m *testing.M) {
	sharedtest.Crowd("16")
	os.Exit(m.Run())
}

// fake is a server of OpenEnv whose environment repeats actions and rewards "win" with 1.
type fake struct {
	schema string
	most   int    // sessions; 0 for any number
	token  string // that clients need

	mu       sync.Mutex
	metadata string
	// tricks are played once in place of an answer, by the type of the frame, and greet in
	// place of an answer to the handshake.
	tricks map[string]func(*websocket.Conn)
	greet  func(net.Conn)
	open   int
	resets []string
}

const (
	aSchema = `{"action":{"properties":{"metadata":{"type":"object"},"type":{"const":"a","type":"string"},` +
		`"message":{"type":"string","description":"Say it."}}},"observation":{"properties":{"done":{"type":"boolean"},` +
		`"echoed":{"anyOf":[{"type":"string"},{"type":"null"}]},"won":{"type":"boolean"},"log":{"type":"array"}}}}`
	aMetadata = `{"name":"Echo Environment","version":null,"description":"It echoes."}`
)

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case f.token != "" && r.Header.Get("Authorization") != "Bearer "+f.token:
		w.WriteHeader(http.StatusUnauthorized)
	case r.URL.Path == "/schema":
		fmt.Fprint(w, f.schema)
	case r.URL.Path == "/metadata":
		f.mu.Lock()
		defer f.mu.Unlock()
		fmt.Fprint(w, f.metadata)
	case r.URL.Path == "/ws" && f.greeted(w):
	case r.URL.Path == "/ws":
		upgrader := websocket.Upgrader{}
		if conn, err := upgrader.Upgrade(w, r, nil); err == nil {
			defer conn.Close()
			f.serve(conn)
		}
	default:
		w.WriteHeader(http.StatusNotImplemented)
	}
}

// greeted reports whether a trick was played in place of an answer to the handshake.
func (f *fake) greeted(w http.ResponseWriter) bool {
	f.mu.Lock()
	greet := f.greet
	f.greet = nil
	f.mu.Unlock()
	if greet == nil {
		return false
	}
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		defer conn.Close()
		greet(conn)
	}
	return true
}

// enter counts a session, if there is room.
func (f *fake) enter(change int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if change > 0 && f.most > 0 && f.open >= f.most {
		return false
	}
	f.open += change
	return true
}

func (f *fake) serve(conn *websocket.Conn) {
	if !f.enter(1) {
		send(conn, `{"type":"error","data":{"message":"full","code":"CAPACITY_REACHED","max_sessions":%d}}`, f.most)
		return
	}
	defer f.enter(-1)
	for {
		var q struct {
			Type string
			Data json.RawMessage
		}
		if conn.ReadJSON(&q) != nil || q.Type == "close" {
			return
		}
		var action struct{ Message string }
		_ = json.Unmarshal(q.Data, &action)
		f.mu.Lock()
		trick := f.tricks[q.Type]
		delete(f.tricks, q.Type)
		f.mu.Unlock()
		switch {
		case trick != nil:
			trick(conn)
		case q.Type == "reset":
			f.mu.Lock()
			f.resets = append(f.resets, string(q.Data))
			f.mu.Unlock()
			send(conn, `{"type":"observation","data":{"observation":{"echoed":"ready"},"reward":null,"done":false}}`)
		case q.Type == "state":
			send(conn, `{"type":"state","data":{"step_count":3}}`)
		default:
			win := action.Message == "win"
			reward := map[bool]int{true: 1}[win]
			send(conn, `{"type":"observation","data":{"observation":{"echoed":%q,"won":%t,"log":[{"n":1},{"n":2}]},`+
				`"reward":%d,"done":%[2]t}}`, action.Message, win, reward)
		}
	}
}

func send(conn *websocket.Conn, format string, args ...any) {
	_ = conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...)) // the client may be gone
}

// reach opens the environment of a server.
func reach(t *testing.T, f *fake, s envs.Settings) (*outside.Env, error) {
	t.Helper()
	if f.schema == "" {
		f.schema = aSchema
	}
	if f.metadata == "" {
		f.metadata = aMetadata
	}
	server := httptest.NewServer(f)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	return outside.New(t.Context(), "openenv", openenv.New(server.URL+"/", s, envs.Outside{Dial: dial.New(nil)}),
		outside.Configured(s))
}

// begin starts a world of the first task.
func begin(t *testing.T, env envs.Env) (envs.World, envs.Start, error) {
	t.Helper()
	w := open(t, env, 0)
	s, err := w.Start(t.Context())
	return w, s, err
}

// Text goes to the only text field of actions, and comes from the only one of observations;
// rewards are measured between the bounds.
func TestRewards(t *testing.T) {
	f := &fake{}
	env := sharedtest.Must(reach(t, f, envs.Settings{"openenv-return": "-1:1", "success-threshold": "1",
		"openenv-tasks": "7-9", "openenv-reset": "size=2&name=a"}))(t)
	info := env.Info()
	if info.Name != "openenv:echo-environment" || info.Settings["version"] != "unknown" || len(env.Tasks()) != 3 ||
		env.Tasks()[0].ID != "seed-7" || info.Settings["openenv-reset"] != "size=2&name=a" ||
		info.Instructions[""] != "It echoes.\nAn action: Say it.\n" {
		t.Errorf("%+v, %+v", info, env.Tasks())
	}
	w, begun, err := begin(t, env)
	if err != nil || begun.Observation != "ready" || begun.Progress != 0.5 {
		t.Fatal(begun, err)
	}
	for _, want := range []envs.Step{
		{Observation: "a \"b\"\n", Progress: 0.5, Valid: true},
		{Observation: "win", Progress: 1, Valid: true, Done: true, Success: true},
	} {
		sharedtest.Equal(t, sharedtest.Must(w.Step(t.Context(), want.Observation))(t), want)
	}
	sharedtest.Equal(t, f.resets[0], `{"name":"a","seed":7,"size":2}`, "reset")
}

// Options name fields anywhere in observation and state, and the whole action.
func TestFields(t *testing.T) {
	env := sharedtest.Must(reach(t, &fake{}, envs.Settings{"openenv-success": "won",
		"openenv-action":      `{"x":{},"message":"{action}"}`,
		"openenv-observation": "echoed, log.-1.n,log.0,state.step_count"}))(t)
	w, begun, err := begin(t, env)
	if err != nil || begun.Observation != "ready\n3" {
		t.Fatal(begun, err)
	}
	want := envs.Step{Observation: "win\n2\n{\"n\":1}\n3", Progress: 1, Valid: true, Done: true, Success: true}
	sharedtest.Equal(t, sharedtest.Must(w.Step(t.Context(), "win"))(t), want)
}

// A choice that is needed, or that is wrong, is an error that says what there is.
func TestChoices(t *testing.T) {
	one := envs.Settings{"openenv-return": "0:1", "success-threshold": "1"}
	two := strings.Replace(aSchema, `"message"`, `"note":{"anyOf":[{"type":"null"},{"type":"string"}]},"message"`, 1)
	for want, f := range map[string]*fake{
		"its actions have 2 text fields, want one: choose by --openenv-action; the fields are " +
			"message (text), note (text), type (string)": {schema: two},
		"its actions have 0 text fields, want one: choose by --openenv-action; the fields are " +
			"none of its own": {schema: `{}`},
		"what it answers at /schema cannot be read":            {schema: "<html>"},
		"its answer at /metadata has more than 16777216 bytes": {metadata: strings.Repeat(" ", 17<<20)},
		"/schema cannot be read":                               {schema: strings.Repeat("[", 1<<20)},
		"/metadata with the status 401":                        {token: "secret"},
	} {
		sharedtest.Fails(t, sharedtest.Err(reach(t, f, one)), want)
	}
	for _, c := range sharedtest.Cases[struct {
		Settings envs.Settings
		Want     string
	}](t, "choices.yaml") {
		sharedtest.Fails(t, sharedtest.Err(reach(t, &fake{}, c.Settings)), c.Want, c.Settings)
	}
	for _, url := range []string{"http://me:secret@127.0.0.1:1", "http://127.0.0.1:1/?key=secret", "127.0.0.1:1",
		"ftp://a"} {
		_, err := openenv.New(url, nil, envs.Outside{}).Describe(t.Context())
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// A token comes from a file, and no error has it.
func TestToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	sharedtest.OK(t, os.WriteFile(file, []byte("secret\n"), 0o600))
	f := &fake{token: "secret"}
	env := sharedtest.Must(reach(t, f, envs.Settings{"openenv-success": "won", "openenv-token-file": file}))(t)
	w, _, err := begin(t, env)
	if err != nil {
		t.Error(err)
	}
	f.tricks = map[string]func(*websocket.Conn){"step": func(c *websocket.Conn) {
		send(c, `{"type":"error","data":{"message":"no to secret","code":"EXECUTION_ERROR"}}`)
	}}
	sharedtest.Fails(t, sharedtest.Err(w.Step(t.Context(), "look")), "no to [redacted]")
}

// Whatever a server does in place of an answer is an error of that episode; the next one has a
// connection of its own.
func TestHostile(t *testing.T) {
	t.Parallel()
	text := func(format string, args ...any) func(*websocket.Conn) {
		return func(c *websocket.Conn) { send(c, format, args...) }
	}
	raw := func(first, more string) func(*websocket.Conn) {
		return func(c *websocket.Conn) {
			_, err := c.NetConn().Write([]byte(first))
			for flood := []byte(strings.Repeat(more, 1000)); err == nil; { // until the client leaves
				_, err = c.NetConn().Write(flood)
			}
		}
	}
	observation := func(data string) func(*websocket.Conn) { return text(`{"type":"observation","data":%s}`, data) }
	for name, trick := range map[string]struct {
		play func(*websocket.Conn)
		want string
	}{
		"die": {func(c *websocket.Conn) { c.Close() }, "the connection has ended"},
		"goodbye": {func(c *websocket.Conn) { _ = c.WriteMessage(websocket.CloseMessage, nil) },
			"the connection has ended"},
		"sleep": {func(*websocket.Conn) {}, "within 2s"},
		"pings": {func(c *websocket.Conn) {
			for c.WriteMessage(websocket.PingMessage, nil) == nil {
			}
		}, "it sends more than 10000 pings in place of a frame"},
		"dribble": {func(c *websocket.Conn) {
			for b := byte(1); ; b = 0 { // fragments of one byte
				if _, err := c.NetConn().Write([]byte{b, 1, ' '}); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}, "within 2s"},
		"pongs":   {raw("", "\x8a\x00"), "in place of a frame"},
		"empty":   {raw("\x01\x00", "\x00\x00"), "in place of a frame"},
		"endless": {raw("\x01\x00", "\x00\x7e\x10\x00"+strings.Repeat("a", 4096)), "read limit exceeded"},
		"bomb":    {raw("", "\xc1\x05bombs"), "RSV1 set"},
		"claim":   {raw("", "\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff"), "read limit exceeded"},
		"masked":  {raw("", "\x81\x82abcdef"), "bad MASK"},
		"flood":   {text("%02000000d", 0), "read limit exceeded"},
		"frames":  {func(c *websocket.Conn) { text("{}")(c); text("{}")(c); text("{}")(c) }, ""},
		"words":   {text("hello"), "it sends a frame that cannot be read"},
		"nan":     {observation(`{"observation":{},"reward":NaN,"done":false}`), "a frame that cannot be read"},
		"nest":    {text("%s", strings.Repeat(`{"a":`, 100_000)), "it sends a frame that cannot be read"},
		"type":    {text(`{"type":"state","data":{}}`), `its type is "state", want "observation"`},
		"nothing": {observation(`{}`), "the answer lacks observation"},
		"reward":  {observation(`{"observation":{},"reward":"much","done":false}`), `reward is the text "much", want a number`},
		"long": {observation(fmt.Sprintf(`{"observation":{"echoed":"%070000d"},"done":false}`, 0)),
			"observation has 70000 bytes"},
		"won":       {observation(`{"observation":{"won":"yes"},"done":true}`), `the field won of --openenv-success is the text "yes"`},
		"undecided": {observation(`{"observation":{},"done":true}`), "the last step lacks success"},
		"refuse": {text(`{"type":"error","data":{"message":"no\u001b[31m","code":"EXECUTION_ERROR"}}`),
			`it says: "no\x1b[31m" (EXECUTION_ERROR)`},
	} {
		for _, point := range []string{"reset", "step"} {
			if name == "undecided" && point == "reset" {
				continue // a reset decides nothing
			}
			t.Run(name+":"+point, func(t *testing.T) {
				t.Parallel()
				limit := "1h" // which nothing may take
				if name == "sleep" || name == "dribble" {
					limit = "2s"
				}
				f := &fake{tricks: map[string]func(*websocket.Conn){point: trick.play}}
				s := envs.Settings{"openenv-success": "won", "openenv-return": "0:1", "env-timeout": limit}
				env := sharedtest.Must(reach(t, f, s))(t)
				w, _, err := begin(t, env)
				if err == nil {
					_, err = w.Step(t.Context(), "look")
				}
				if err == nil || !strings.Contains(err.Error(), trick.want) || len(err.Error()) > 1500 {
					t.Errorf("%.2000v, want %s", err, trick.want)
				}
				_ = w.Close()
				if w, _, err = begin(t, env); err != nil {
					t.Fatal(err)
				}
				if s, err := w.Step(t.Context(), "win"); !s.Success || err != nil {
					t.Error(s, err)
				}
			})
		}
	}
}

// Whatever a server does in place of a handshake is an error of that episode alone.
func TestGreetings(t *testing.T) {
	t.Parallel()
	answer := func(text string) func(net.Conn) {
		return func(c net.Conn) { _, _ = c.Write([]byte(text)) } // the client may be gone
	}
	const switching = "HTTP/1.1 101 Switching Protocols\r\n"
	for name, c := range map[string]struct {
		greet func(net.Conn)
		want  string
	}{
		"close":    {answer(""), "unexpected EOF"},
		"half":     {answer(switching), "unexpected EOF"},
		"words":    {answer("hello\r\n\r\n"), "malformed HTTP"},
		"refuse":   {answer("HTTP/1.1 403 Forbidden\r\n\r\nsecret"), "with the status 403 Forbidden"},
		"redirect": {answer("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1\r\n\r\n"), "with the status 302"},
		"key": {answer(switching + "Upgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: a\r\n\r\n"),
			"it refuses a WebSocket"},
		"silent": {func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) }, "within 2s"},
		"endless": {func(c net.Conn) {
			for text := switching + "A: "; ; text = strings.Repeat("a", 1<<16) {
				if _, err := c.Write([]byte(text)); err != nil {
					return
				}
			}
		}, "it sends more than 2097152 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := map[bool]string{false: "1h", true: "2s"}[name == "silent"]
			s := envs.Settings{"openenv-success": "won", "env-timeout": limit}
			env := sharedtest.Must(reach(t, &fake{greet: c.greet}, s))(t)
			if _, _, err := begin(t, env); err == nil || !strings.Contains(err.Error(), c.want) ||
				len(err.Error()) > 500 || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, want %s", err, c.want)
			}
			if _, _, err := begin(t, env); err != nil {
				t.Error(err)
			}
		})
	}
}

// An action that the server does not take is invalid, and the episode goes on. What is wrong with
// anything but the agent's text is an error.
func TestInvalid(t *testing.T) {
	refuse := func(errs string) map[string]func(*websocket.Conn) {
		return map[string]func(*websocket.Conn){"step": func(c *websocket.Conn) {
			send(c, `{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":%s}}`, errs)
		}}
	}
	one := envs.Settings{"openenv-success": "won", "openenv-return": "-1:1"}
	for _, errs := range []string{
		`[{"msg":"want a number","input":"a \"b\""},{"msg":"want a word","input":"a \u0022b\u0022"}]`,
		`[{"msg":"Field required","input":{"message":"a"}}]`,
		`[]`, `{}`, `null`, `[{"input":"a \"b\""}]`} {
		w, _, err := begin(t, sharedtest.Must(reach(t, &fake{tricks: refuse(errs)}, one))(t))
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.Step(t.Context(), `a "b"`)
		want := envs.Step{Observation: "want a number\nwant a word", Progress: 0.5}
		if !strings.Contains(errs, "want") {
			sharedtest.Fails(t, err, "it says: Invalid message", errs, got)
			continue
		}
		if got != want || err != nil {
			t.Errorf("%s: %+v, want %+v; %v", errs, got, want, err)
		}
		if s, err := w.Step(t.Context(), "win"); !s.Success || s.Progress != 1 || err != nil {
			t.Error(s, err)
		}
	}
}

// The words of a schema are the actions, which an agent is told and can choose from.
func TestWords(t *testing.T) {
	words := func(enum string) string {
		return strings.Replace(`{"$defs":{"Move":{"enum":ENUM,"type":"string"}},"properties":{"message":{`+
			`"$ref":"#/$defs/Move","description":"Move."}}}`, "ENUM", enum, 1)
	}
	for enum, want := range map[string][]string{`["win","lose"]`: {"lose", "win"}, `[1,2]`: nil,
		`["a"` + strings.Repeat(`,"a"`, 100) + `]`: nil} {
		schema := `{"action":` + words(enum) + `,"observation":{"properties":{"echoed":{"type":"string"}}}}`
		env := sharedtest.Must(reach(t, &fake{schema: schema},
			envs.Settings{"openenv-return": "0:1", "success-threshold": "1"}))(t)
		w, _, err := begin(t, env)
		lister, ok := envs.As[envs.Lister](w)
		if err != nil || ok != (want != nil) {
			t.Fatalf("%.40s: %t, %v", enum, ok, err)
		}
		if !ok {
			continue
		}
		const told = "It echoes.\nAn action: Move.\nYou can take these actions:\nwin\nlose\n"
		list, err := lister.Actions(t.Context())
		if err != nil || !slices.Equal(list, want) || env.Info().Instructions[""] != told {
			t.Errorf("%q, %q, %v", list, env.Info().Instructions, err)
		}
	}
}

// Rewards that have no finite sum are an error of the environment.
func TestLargeRewards(t *testing.T) {
	large := func(c *websocket.Conn) {
		send(c, `{"type":"observation","data":{"observation":{},"reward":1e308,"done":false}}`)
	}
	f := &fake{tricks: map[string]func(*websocket.Conn){"step": large}}
	env := sharedtest.Must(reach(t, f, envs.Settings{"openenv-return": "0:1", "success-threshold": "1"}))(t)
	w, _, err := begin(t, env)
	if err != nil {
		t.Fatal(err)
	}
	sharedtest.Equal(t, sharedtest.Must(w.Step(t.Context(), "look"))(t).Progress, 1)
	f.mu.Lock()
	f.tricks["step"] = large
	f.mu.Unlock()
	s, err := w.Step(t.Context(), "look")
	sharedtest.Fails(t, err, "the sum of rewards is +Inf", s)
}

// Worlds wait while the server has no room, and no longer than an answer may take if it has none
// for others' sessions.
func TestCapacity(t *testing.T) {
	t.Parallel()
	f := &fake{most: 2}
	s := envs.Settings{"openenv-success": "won", "env-timeout": "2s"}
	env := sharedtest.Must(reach(t, f, s))(t)
	var playing sync.WaitGroup
	for range 12 {
		playing.Go(func() {
			w, err := env.NewWorld(env.Tasks()[0])
			if err == nil {
				_, err = w.Start(t.Context())
			}
			time.Sleep(30 * time.Millisecond)
			if err != nil {
				t.Error(err)
			}
			_ = w.Close()
		})
	}
	playing.Wait()
	for range f.most { // others' sessions, once those before have ended
		for !f.enter(1) {
			time.Sleep(time.Millisecond)
		}
	}
	if _, _, err := begin(t, env); err == nil || !strings.Contains(err.Error(), "it says: full (CAPACITY_REACHED)") {
		t.Error(err)
	}
}

// Another environment at the same address is not played, and a server that is gone is an error.
func TestChange(t *testing.T) {
	f := &fake{tricks: map[string]func(*websocket.Conn){"step": func(c *websocket.Conn) { c.Close() }}}
	env := sharedtest.Must(reach(t, f, envs.Settings{"openenv-success": "won"}))(t)
	w, _, err := begin(t, env)
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.metadata = `{"name":"Echo Environment","version":"2","description":"It echoes."}`
	f.mu.Unlock()
	sharedtest.Fails(t, sharedtest.Err(w.Step(t.Context(), "look")), "", "the connection is alive")
	_ = w.Close()
	if _, _, err := begin(t, env); err == nil || !strings.Contains(err.Error(), "describes itself otherwise") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, env, 0).Start(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
