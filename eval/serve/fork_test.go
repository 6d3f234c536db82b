package serve

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// forksOf forks sessions over HTTP.
func forksOf(t *testing.T, s *Server, body string) [][]string {
	t.Helper()
	answer := ask(s, "POST", "/v1/fork", body)
	var q struct{ Sessions [][]string }
	if err := json.Unmarshal(answer.Body.Bytes(), &q); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("status %d: %s", answer.Code, answer.Body)
	}
	return q.Sessions
}

// Forks go on by themselves from where their session is, with its steps.
func TestForks(t *testing.T) {
	s, _ := testServer(t, nil)
	ids := openBatch(t, s, 2)
	results(t, s, `{"session":"`+ids[0]+`","reset":{"index":1}}`, `{"session":"`+ids[0]+`","action":"one"}`,
		`{"session":"`+ids[1]+`","reset":{"index":2,"max_steps":2}}`)
	forks := forksOf(t, s, `{"forks":[{"session":"`+ids[0]+`","count":2},{"session":"`+ids[1]+`"}]}`)
	if len(forks) != 2 || len(forks[0]) != 2 || len(forks[1]) != 1 || s.Table().Len() != 5 {
		t.Fatalf("%v of %d sessions", forks, s.Table().Len())
	}
	got := results(t, s,
		`{"session":"`+forks[0][0]+`","action":"win"}`,
		`{"session":"`+forks[0][1]+`","action":"two"}`,
		`{"session":"`+ids[0]+`","action":"two"}`,
		`{"session":"`+forks[1][0]+`","action":"a"}`, `{"session":"`+forks[1][0]+`","action":"b"}`,
		`{"session":"`+ids[1]+`","action":"a"}`,
	)
	for i, want := range []string{
		`"task_id":"echo/1","progress":1.0,"success":true`, `"text":"echo two","task_id":"echo/1","progress":0.2`,
		`"text":"echo two","task_id":"echo/1","progress":0.2`, `"truncated":false},"reward":0.0,"done":false`,
		`"truncated":true},"reward":0.0,"done":true`, `"text":"echo a","task_id":"echo/2"`,
	} {
		sharedtest.Contains(t, got[i], want, "entry", i)
	}
	closing := `{"sessions":["` + strings.Join(append(forks[0], "nope"), `","`) + `"]}`
	if answer := ask(s, "POST", "/v1/close", closing); answer.Body.String() != `{"closed":2}` ||
		s.Table().Len() != 3 {
		t.Errorf("closing says %s and leaves %d sessions", answer.Body, s.Table().Len())
	}
}

// All forks are made or none.
func TestForksRefused(t *testing.T) {
	s, _ := testServer(t, func(o *Options) { o.MaxSessions = 6 })
	ids := openBatch(t, s, 2)
	results(t, s, `{"session":"`+ids[0]+`","reset":{}}`)
	for body, code := range map[string]int{
		`{"forks":[{"session":"` + ids[0] + `","count":5}]}`:                              503, // of 6
		`{"forks":[{"session":"` + ids[0] + `","count":2},{"session":"nope"}]}`:           404,
		`{"forks":[{"session":"` + ids[0] + `","count":2},{"session":"` + ids[1] + `"}]}`: 409, // not reset
		`{"forks":[{"session":"` + ids[0] + `","count":0}]}`:                              400,
		`{"forks":[{"session":"` + ids[0] + `","count":4097}]}`:                           400,
		`{"forks":[{"session":"` + ids[0] + `","from":1}]}`:                               400,
		`{"forks":[]}`: 400,
		`[]`:           400,
	} {
		if answer := ask(s, "POST", "/v1/fork", body); answer.Code != code || s.Table().Len() != 2 {
			t.Errorf("%s: status %d, want %d: %s; %d sessions are open", body, answer.Code, code, answer.Body,
				s.Table().Len())
		}
	}
}

// Keys come with every observation if a reset asks for them.
func TestKeys(t *testing.T) {
	s, _ := testServer(t, nil)
	ids := openBatch(t, s, 2)
	type keyed struct {
		Observation struct {
			State string `json:"state_key"`
			Text  string `json:"observation_key"`
			Left  *int   `json:"steps_left"`
		}
	}
	read := func(text string) (k keyed) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), &k); err != nil || len(k.Observation.State) != 16 ||
			len(k.Observation.Text) != 16 {
			t.Fatalf("%s: %v", text, err)
		}
		return k
	}
	got := results(t, s, `{"session":"`+ids[0]+`","reset":{"index":0,"keys":true}}`,
		`{"session":"`+ids[0]+`","action":"a"}`, `{"session":"`+ids[0]+`","action":"a"}`,
		`{"session":"`+ids[1]+`","reset":{"index":0,"keys":true,"max_steps":9}}`,
		`{"session":"`+ids[1]+`","action":"b"}`, `{"session":"`+ids[1]+`","reset":{"index":1,"keys":true}}`,
		`{"session":"`+ids[1]+`","reset":{"index":1}}`)
	begin, one, two, again, other := read(got[0]), read(got[1]), read(got[2]), read(got[3]), read(got[4])
	if begin.Observation.State != again.Observation.State || begin.Observation.Text != again.Observation.Text ||
		*begin.Observation.Left != 5 || *again.Observation.Left != 9 {
		t.Error("two starts of a task have different keys")
	}
	if one.Observation.State == two.Observation.State || one.Observation.Text != two.Observation.Text ||
		one.Observation.State != other.Observation.State || one.Observation.Text == other.Observation.Text ||
		*two.Observation.Left != 3 {
		t.Errorf("keys of the steps: %s", got[1:5])
	}
	if third := read(got[5]); third.Observation.State == begin.Observation.State {
		t.Error("starts of two tasks have one key")
	}
	if strings.Contains(got[6], "_key") || strings.Contains(got[6], "steps_left") {
		t.Errorf("nobody asked for keys: %s", got[6])
	}
}

func TestForksOfAPipe(t *testing.T) {
	got := throughPipe(t,
		`{"open":{"count":2}}`, `{"steps":[[0,{"index":1,"keys":true}],[0,"one"],[1,{"index":2}]]}`,
		`{"fork":[[0,2],[1,1]]}`, `{"steps":[[2,"win"],[3,"two"],[4,"x"],[0,"two"]]}`,
		`{"fork":[[9,1]]}`, `{"fork":[[0,0]]}`, `{"close":[2,3,4]}`, `{"fork":[[3,1]]}`)
	for i, want := range map[int]string{
		2: `{"first":2}`, 4: `{"error":"the session is closed: open another"}`, 5: wantForks, 6: "{}",
		7: `{"error":"the session is closed: open another"}`,
	} {
		if !strings.Contains(got[i], want) && !strings.Contains(got[i], strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("line %d: %s, want %s", i, got[i], want)
		}
	}
	for _, want := range []string{`["echo win",1.0,true,1.0,true,true,false,{"state_key":"`,
		`["echo two",0.0,false,0.2,false,true,false,{"state_key":"`, `["echo x",0.0,false,0.1,false,true,false]`} {
		sharedtest.Contains(t, got[3], want)
	}
}

// Over a WebSocket a fork is attached by a connection of its own, once.
func TestForksOfASocket(t *testing.T) {
	s, url := online(t, func(o *Options) { o.MaxSessions = 4 })
	at := url + "/openenv/echo/ws"
	c := dial(t, at)
	c.want(`{"type":"fork","data":{"count":2}}`,
		`{"type":"error","data":{"message":"no episode is running: send reset first","code":"EXECUTION_ERROR"}}`)
	c.send(`{"type":"reset","data":{"index":1}}`)
	c.send(`{"type":"step","data":{"message":"one"}}`)
	c.next()
	c.next()
	var forked struct {
		Type string
		Data struct {
			IDs []string `json:"session_ids"`
		}
	}
	c.send(`{"type":"fork","data":{"count":2}}`)
	if err := json.Unmarshal(c.next(), &forked); err != nil || forked.Type != "fork" || len(forked.Data.IDs) != 2 {
		t.Fatalf("%+v, %v", forked, err)
	}
	fork := dial(t, at+"?session_id="+forked.Data.IDs[0])
	fork.want(`{"type":"step","data":{"message":"win"}}`, `{"type":"observation","data":{"observation":{"metadata":{},`+
		`"text":"echo win","task_id":"echo/1","progress":1.0,"success":true,"valid":true,"truncated":false},`+
		`"reward":1.0,"done":true}}`)
	c.want(`{"type":"state"}`, `{"type":"state","data":{"episode_id":null,"step_count":1,"task_id":"echo/1",`+
		`"progress":0.1,"done":false}}`)
	fork.want(`{"type":"fork"}`,
		`{"type":"error","data":{"message":"no episode is running: send reset first","code":"EXECUTION_ERROR"}}`)
	for id, why := range map[string]string{
		forked.Data.IDs[0]: "session_id " + forked.Data.IDs[0] + " has a client already",
		"nope":             "Unknown session_id: nope",
	} {
		refused := dial(t, at+"?session_id="+id)
		refused.wantNext(`{"type":"error","data":{"message":"` + why + `","code":"SESSION_ERROR"}}`)
		refused.wantClose(websocket.CloseNormalClosure)
	}
	for _, frame := range []string{`{"type":"fork","data":{"count":0}}`, `{"type":"fork","data":{"count":100001}}`,
		`{"type":"fork","data":{"count":"x"}}`, `{"type":"fork","data":{"from":1}}`, `{"type":"fork","data":[]}`,
		`{"type":"fork","count":1}`} {
		c.send(frame)
		sharedtest.Contains(t, string(c.next()), `"code":"VALIDATION_ERROR"`, frame)
	}
	c.want(`{"type":"fork","data":{"count":2}}`, `{"type":"error","data":{"message":"Server at capacity: 4/4 sessions `+
		`active. Cannot accept new connections.","code":"CAPACITY_REACHED","active_sessions":4,"max_sessions":4}}`)
	fork.send(`{"type":"close"}`)
	fork.wantClose(websocket.CloseNormalClosure)
	sharedtest.Equal(t, s.Table().Len(), 2, "sessions are open")
	// the other fork outlives its client
	c.send(`{"type":"close"}`)
	c.wantClose(websocket.CloseNormalClosure)
	last := dial(t, at+"?session_id="+forked.Data.IDs[1])
	last.want(`{"type":"state"}`, `{"type":"state","data":{"episode_id":null,"step_count":1,"task_id":"echo/1",`+
		`"progress":0.1,"done":false}}`)
}

// Only one of many clients gets a fork, and one that ends meanwhile is nobody's.
func TestAttachOnce(t *testing.T) {
	s, _ := testServer(t, nil)
	for range 200 {
		parent := start(t, s, Owner{})
		forks := sharedtest.Must(parent.Fork(1))(t)
		var got, told atomic.Int64
		var clients sync.WaitGroup
		for range 4 {
			clients.Go(func() {
				if forks[0].attach(func(EndReason) { told.Add(1) }) {
					got.Add(1)
				}
			})
		}
		clients.Go(func() { forks[0].Close(Idle) })
		clients.Wait()
		if got.Load() > 1 || got.Load() != told.Load() {
			t.Fatalf("%d clients have the fork, %d know of its end", got.Load(), told.Load())
		}
		parent.Close(ByClient)
	}
}

// A fork that nobody uses ends after a minute, whatever the idle time; a pipe's forks stay.
func TestUnusedForks(t *testing.T) {
	s, clock := testServer(t, func(o *Options) { o.Idle = time.Hour })
	session := start(t, s, Owner{})
	forks := sharedtest.Must(session.Fork(2))(t)
	piped := sharedtest.Must(start(t, s, Owner{Idle: pipeIdle}).Fork(1))(t)
	clock.pass(unusedForkTime)
	s.Table().Sweep()
	step(t, forks[0], "one")
	clock.pass(time.Second)
	s.Table().Sweep()
	if n := s.Table().Len(); n != 4 || forks[1].endErr.Load() == nil {
		t.Errorf("%d sessions are open, %v", n, forks[1].endErr.Load())
	}
	clock.pass(time.Hour + 1)
	s.Table().Sweep()
	if n := s.Table().Len(); n != 2 || piped[0].endErr.Load() != nil {
		t.Errorf("%d sessions are open", n)
	}
}

// What is played from forks is recorded beside the episodes, with parent and step.
func TestForksAreRecorded(t *testing.T) {
	s, kept, _ := recording1(t)
	session := start(t, s, Owner{})
	fork := func(of *Session) *Session {
		t.Helper()
		forks := sharedtest.Must(of.Fork(1))(t)
		return forks[0]
	}
	step(t, session, "a")
	first := fork(session)
	unplayed := fork(first)
	second := fork(unplayed)
	step(t, first, "b", "win")
	step(t, second, "c")
	third := fork(second)
	step(t, third, "d")
	unplayed.Close(ByClient)
	second.Close(ByClient)
	third.Close(Gone)
	step(t, session, "e", "win")
	if len(kept.kept) != 1 || kept.kept[0].Steps != 3 || kept.kept[0].Branch == "" {
		t.Fatalf("episodes: %+v", kept.kept)
	}
	root := kept.kept[0].Branch
	if len(kept.forks) != 3 {
		t.Fatalf("forks: %+v", kept.forks)
	}
	for i, want := range []struct {
		parent  string
		step    int
		actions string
		outcome record.Outcome
	}{
		{root, 1, "b win", record.Success},
		{root, 1, "c", record.Cancelled},
		{kept.forks[1].Branch, 2, "d", record.Cancelled},
	} {
		f := kept.forks[i]
		var actions []string
		for _, s := range f.Trajectory {
			actions = append(actions, s.Action)
		}
		if f.Parent != want.parent || f.Step != want.step || strings.Join(actions, " ") != want.actions ||
			f.Outcome != want.outcome || f.Task != "echo/0" || f.StepLimit != 5 {
			t.Errorf("fork %d: %+v, want %+v", i, f, want)
		}
	}
}

// A session is not forked in the middle of a step, and neither once it has ended.
func TestForkDuringAStep(t *testing.T) {
	s, _ := testServer(t, nil)
	session := start(t, s, Owner{Protocol: batchProtocol, Mount: s.options.Mounts[0]})
	began := waiting(t, s)
	stepped := make(chan error, 1)
	go func() {
		_, err := session.Step("wait")
		stepped <- err
	}()
	<-began
	body := `{"forks":[{"session":"` + session.ID() + `"}]}`
	if got := ask(s, "POST", "/v1/fork", body); got.Code != http.StatusConflict ||
		!strings.Contains(got.Body.String(), "busy") {
		t.Errorf("during a step: %d %s", got.Code, got.Body)
	}
	session.Close(ByClient)
	<-stepped
	if got := ask(s, "POST", "/v1/fork", body); got.Code != http.StatusNotFound || s.Table().Len() != 0 {
		t.Errorf("after the end: %d %s", got.Code, got.Body)
	}
}
