package eval

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/episode/episodetest"
	"heldout/eval/fleet"
	"heldout/eval/fleet/fleettest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// twoModels is a plan of one task and many seeds for the model b, and then for the good one.
func twoModels(t *testing.T, b model.Model, steps int) *Plan {
	bad := served(b)
	bad.Name = "vllm:b"
	task := longTask(steps)
	return mustPlan(t, Spec{Benchmarks: []episode.Benchmark{task}, Players: []episode.Player{bad,
		served(episodetest.Saying("up"))}, Seeds: []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}})
}

// outcomes counts the results of a model by their outcome.
func outcomes(results []record.Result, name string) map[record.Outcome]int {
	counts := map[record.Outcome]int{}
	for _, r := range results {
		if r.Model == name {
			counts[r.Outcome]++
		}
	}
	return counts
}

// Whatever ends the episodes of a model costs another one nothing: no episode is cancelled.
func TestModelsAreSetAside(t *testing.T) {
	for want, m := range map[string]episodetest.ModelFunc{
		"none of the first 40 replies of vllm:b could be used": replying(model.Reply{Text: "I do not know."}),
		"wrong key":     failing(&model.RequestError{Status: 401, Message: "wrong key"}),
		"has answered":  failing(&fleet.LostError{Wait: time.Minute}),
		"the first 8 c": failing(&model.RequestError{Status: 400, Message: "bad request"}),
	} {
		var warned []string
		results, err := play(t, t.Context(), t.TempDir(), twoModels(t, m, 40), Options{Concurrency: 1,
			Warn: func(line string) { warned = append(warned, line) }})
		aside, ok := errors.AsType[*AsideError](err)
		if !ok || len(aside.Reasons) != 1 || !strings.HasPrefix(err.Error(), "vllm:b was set aside: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: the run ends with %v", want, err)
		}
		if got := outcomes(results, "vllm:m"); got[record.Failure] != 10 || len(got) != 1 {
			t.Errorf("%s: the other model has %v", want, got)
		}
		got := outcomes(results, "vllm:b")
		if n := got[record.ModelError]; n == 0 || n > 8 || len(got) != 1 {
			t.Errorf("%s: the model has %v", want, got)
		}
		if !strings.Contains(strings.Join(warned, "\n"), "vllm:b is set aside; the other models continue: ") {
			t.Errorf("%s: warned of %q", want, warned)
		}
	}
}

// A model is judged by the share of its first 100 replies that can be used.
func TestShareOfUsableReplies(t *testing.T) {
	for usable := range 8 {
		w := newWatch(Options{}, nil, nil)
		var err error
		for n := range 300 {
			readable := n%20 == 7 && n/20 < usable || n >= probation && n%50 == 0
			got := w.Reply(&episode.Player{Name: "m"},
				agent.Move{Step: record.Step{FormatError: !readable, Fault: record.Empty}}, true)
			if (got != nil) != (n >= probation-1 && usable < leastUsable || n >= silence-1 && usable == 0) {
				t.Fatalf("%d usable, reply %d: %v", usable, n+1, got)
			}
			err = got
		}
		if want := fmt.Sprintf("only %d of the first 100 replies", usable); usable > 0 && usable < leastUsable &&
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if (len(w.verdicts()) > 0) != (usable < leastUsable) {
			t.Errorf("%d usable: the end says %v", usable, w.verdicts())
		}
	}
}

// An episode without a usable reply counts as soon as some reply of the model is usable.
func TestUnprovenEpisodes(t *testing.T) {
	calls := 0
	m := episodetest.ModelFunc(func(context.Context, model.Request) (model.Reply, error) {
		if calls++; calls <= 6 {
			return model.Reply{Text: "I do not know."}, nil
		}
		return model.Reply{Text: "Action: up"}, nil
	})
	p := planOne(t, longTask(3), served(m), 0, 1, 2, 3, 4)
	results, err := play(t, t.Context(), t.TempDir(), p, Options{Concurrency: 1})
	if got := outcomes(results, "vllm:m"); err != nil || got[record.Failure] != 5 || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// A model whose server is away holds no slot while another one has episodes to play; its
// episodes go on when the server is back.
func TestNoSlotWithoutServer(t *testing.T) {
	ctx := sharedtest.Limited(t)
	reply := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"Action: up"},"finish_reason":"stop"}]}`)
	})
	server := fleettest.New(t, reply)
	server.Leave()
	f, err := fleet.Open(fleet.Options{Servers: []string{server.URL + "/v1"}, Attempts: 3, Pace: time.Millisecond,
		Now: time.Now, Open: func(address string) (*model.Client, error) {
			return model.Open(model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "b"}, BaseURL: address,
				Now: time.Now, Concurrency: 2, Retry: model.Retry{Attempts: 1}})
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	came := &arrivals{good: 10, all: server.Come}
	o := Options{Concurrency: 2, Now: time.Now, Observer: came}
	results, err := play(t, ctx, t.TempDir(), twoModels(t, f, 3), o)
	if err != nil || outcomes(results, "vllm:m")[record.Failure] != 10 ||
		outcomes(results, "vllm:b")[record.Failure] != 10 {
		t.Errorf("%v, %v", results, err)
	}
}

// arrivals calls a function once so many episodes of the good model are done.
type arrivals struct {
	counting
	good int32
	all  func()
}

func (a *arrivals) EpisodeDone(e *episode.Episode, r record.Result) {
	a.counting.EpisodeDone(e, r)
	if e.Player.Name == "vllm:m" && a.episodes.Load() == a.good {
		a.all()
	}
}
