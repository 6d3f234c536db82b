package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
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
		if !strings.Contains(got[i], want) {
			t.Errorf("entry %d: %s, want %s", i, got[i], want)
		}
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
		2: `{"first":2}`, 4: `{"error":"the session is closed"}`, 5: wantForks, 6: "{}",
		7: `{"error":"the session is closed"}`,
	} {
		if !strings.Contains(got[i], want) && !strings.Contains(got[i], strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("line %d: %s, want %s", i, got[i], want)
		}
	}
	for _, want := range []string{`["echo win",1.0,true,1.0,true,true,false,{"state_key":"`,
		`["echo two",0.0,false,0.2,false,true,false,{"state_key":"`, `["echo x",0.0,false,0.1,false,true,false]`} {
		if !strings.Contains(got[3], want) {
			t.Errorf("%s lacks %s", got[3], want)
		}
	}
}

// BenchmarkForkRequest forks a session a thousand times and closes the forks.
func BenchmarkForkRequest(b *testing.B) {
	s, _ := testServer(b, func(o *Options) { o.MaxSessions, o.MaxPerAddress = 2000, 2000 })
	session, err := s.Table().Open(Owner{Protocol: batchProtocol})
	if err != nil {
		b.Fatal(err)
	}
	m := s.options.Mounts[0]
	set, task, err := m.Find(Choice{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := session.Reset(Episode{Mount: m, Set: set, Task: task}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		forks, err := session.Fork(1000)
		if err != nil {
			b.Fatal(fmt.Errorf("forking: %w", err))
		}
		closeAll(forks)
	}
}
