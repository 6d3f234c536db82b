package eval

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode"
	"heldout/eval/episode/episodetest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// trying is a player with up to so many trials.
func trying(m model.Model, trials, memory int) episode.Player {
	p := served(m)
	p.Trials = &episode.Trials{
		Trials: record.Trials{Limit: trials, Memory: memory},
		Prompt: configs.Reflection{Instruction: "write a plan", Memory: "plans"},
	}
	if memory > 0 {
		p.Trials.PromptHash, p.Trials.Decoding = "hash", &record.Decoding{TopP: 1, MaxTokens: 16}
	}
	return p
}

// reflects reports whether a request is for a reflection.
func reflects(req model.Request) bool {
	return strings.HasSuffix(req.Messages[len(req.Messages)-1].Content, "New plan:")
}

// learning is a model that goes down only with so many plans in its prompt. It
// writes the number of the plans into its reflections.
func learning(plans int) episodetest.ModelFunc {
	return func(_ context.Context, req model.Request) (model.Reply, error) {
		n := strings.Count(req.Messages[0].Content, "\nTrial ")
		switch {
		case reflects(req):
			return model.Reply{Text: fmt.Sprintf("plan after %d", n), PromptTokens: 7, CompletionTokens: 3,
				Attempts: 1}, nil
		case n >= plans:
			return episodetest.Saying("down")(nil, req)
		}
		return episodetest.Saying("up")(nil, req)
	}
}

// episodes reads the episodes of a run directory by trial.
func episodes(t *testing.T, dir string) map[int]*record.Episode {
	t.Helper()
	out := map[int]*record.Episode{}
	sharedtest.OK(t, sharedtest.Err(record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
		if e.Outcome.Final() {
			out[e.Trial] = e
		}
	})))
	return out
}

// A task is played again until it is solved, each trial with the newest plans.
func TestTrials(t *testing.T) {
	dir := t.TempDir()
	p := planOne(t, benchmark(episodetest.NewCountdown(1)), trying(learning(2), 5, 2), 1)
	sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), dir, p, Options{Concurrency: 2})))
	got := episodes(t, dir)
	if trials := slices.Sorted(maps.Keys(got)); !slices.Equal(trials, []int{1, 2, 3}) || !got[3].Success {
		t.Fatalf("trials %v", trials)
	}
	plan := record.Reflection{Text: "plan after 0", PromptTokens: 7, CompletionTokens: 3, Calls: 1, Requests: 1}
	sharedtest.Same(t, got[1].Reflection, &plan, "reflection")
	sharedtest.Same(t, got[3].Memory,
		[]record.Remembered{{Trial: 1, Text: "plan after 0"}, {Trial: 2, Text: "plan after 1"}}, "memory")
	if got[1].Calls != 10 || got[1].PromptTokens != 100 || got[3].Reflection != nil || got[1].Memory != nil {
		t.Errorf("%+v", got[1].Result)
	}
	for trial, e := range got {
		if e.ID != record.TrialID(p.Episodes[0].ID, trial) || e.Goal != got[1].Goal ||
			e.Observation != got[1].Observation {
			t.Errorf("trial %d has id %s, start %q", trial, e.ID, e.Observation)
		}
	}
}

// A field of the decoding that the server refuses in the call for a reflection is listed with the trial.
func TestReflectionDropsFields(t *testing.T) {
	m := episodetest.ModelFunc(func(ctx context.Context, req model.Request) (model.Reply, error) {
		reply, err := learning(9)(ctx, req)
		if reflects(req) {
			reply.Dropped = []string{"temperature"}
		}
		return reply, err
	})
	p := planOne(t, benchmark(episodetest.NewCountdown(1)), trying(m, 2, 1), 1)
	results, err := play(t, t.Context(), t.TempDir(), p, Options{})
	if err != nil || len(results) != 2 || !slices.Equal(results[0].Dropped, []string{"temperature"}) ||
		results[1].Dropped != nil {
		t.Errorf("error %v, %+v", err, results)
	}
}

// The memory has the newest reflections; an empty one is none.
func TestMemory(t *testing.T) {
	empty := episodetest.ModelFunc(func(_ context.Context, req model.Request) (model.Reply, error) {
		if n := strings.Count(req.Messages[0].Content, "\nTrial "); reflects(req) && n == 1 {
			return model.Reply{Fault: record.Empty, Attempts: 1}, nil
		}
		return learning(9)(context.Background(), req)
	})
	for _, c := range []struct {
		model  episodetest.ModelFunc
		trials int
		memory int
		want   string
	}{
		{learning(9), 5, 2, " 1 12 23 34"},
		{learning(9), 5, 9, " 1 12 123 1234"},
		{learning(9), 4, 0, "   "},
		{empty, 4, 3, " 1 1 1"},
	} {
		dir := t.TempDir()
		p := planOne(t, benchmark(episodetest.NewCountdown(1)), trying(c.model, c.trials, c.memory), 1)
		sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), dir, p, Options{})))
		var shown []string
		got := episodes(t, dir)
		for trial := 1; trial <= c.trials; trial++ {
			text := ""
			for _, m := range got[trial].Memory {
				text += fmt.Sprint(m.Trial)
			}
			shown = append(shown, text)
			if wants := trial < c.trials && c.memory > 0; (got[trial].Reflection != nil) != wants {
				t.Errorf("memory %d, trial %d: reflection %v", c.memory, trial, got[trial].Reflection)
			}
		}
		sharedtest.Equal(t, strings.Join(shown, " "), c.want, "memory : the trials are shown", c.memory, shown)
	}
}

// A later trial does not repeat the server's seeds of an earlier one, and the
// first has the seeds of a run with one trial.
func TestSeedsOfTrials(t *testing.T) {
	seeds := func(trials int) []int64 {
		var mu sync.Mutex
		var out []int64
		m := episodetest.ModelFunc(func(ctx context.Context, req model.Request) (model.Reply, error) {
			mu.Lock()
			defer mu.Unlock()
			out = append(out, req.Seed)
			return learning(9)(ctx, req)
		})
		player := served(m)
		if trials > 1 {
			player = trying(m, trials, 1)
		}
		p := planOne(t, benchmark(episodetest.NewCountdown(1)), player, 1)
		sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), t.TempDir(), p, Options{})))
		return out
	}
	one, three := seeds(1), seeds(3)
	sharedtest.Same(t, one, three[:10], "the first trial has seeds", three[:10], "a run with one trial")
	slices.Sort(three)
	sharedtest.Equal(t, len(slices.Compact(three)), 3*10+2, "different seeds")
}

func TestRulesEndTrials(t *testing.T) {
	for _, c := range []struct {
		action, step int
		says         []string
		steps        int
		cut          record.Cut
	}{
		{3, 0, []string{"up", "up", "left", "up", "up", "up"}, 6, record.SameAction},
		{2, 0, []string{"down", "down"}, 2, record.SameAction},
		{0, 2, []string{"down", "down", "up", "up"}, 4, record.SameStep},
		{0, 0, []string{"up"}, 10, ""},
		{2, 0, []string{"up", "left"}, 10, ""},
		{5, 0, []string{"down"}, 5, ""}, // the step is carried out before a rule applies, and none undoes a success
	} {
		calls := 0
		m := episodetest.ModelFunc(func(ctx context.Context, req model.Request) (model.Reply, error) {
			calls++
			return episodetest.Saying(c.says[(calls-1)%len(c.says)])(ctx, req)
		})
		player := trying(m, 2, 0)
		player.Trials.SameAction, player.Trials.SameStep = c.action, c.step
		dir := t.TempDir()
		b := benchmark(episodetest.NewCountdown(5))
		b.Tasks = b.Tasks[4:]
		p := planOne(t, b, player, 1)
		sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), dir, p, Options{})))
		if e := episodes(t, dir)[1]; e.Steps != c.steps || e.Cut != c.cut || e.Success != (c.steps == 5) {
			t.Errorf("%v: %d steps, cut %q, success %v", c, e.Steps, e.Cut, e.Success)
		}
	}
}

// A server that fails in a trial or in its reflection leaves no result. The next
// session plays the same trial again, with the same plans.
func TestTrialWithoutResult(t *testing.T) {
	for name, fails := range map[string]func(model.Request) bool{
		"in a trial": func(req model.Request) bool {
			return !reflects(req) && strings.Contains(req.Messages[0].Content, "\nTrial 1:")
		},
		"in a reflection": func(req model.Request) bool {
			return reflects(req) && strings.Contains(req.Messages[0].Content, "\nTrial 1:")
		},
	} {
		t.Run(name, func(t *testing.T) {
			down := true
			m := episodetest.ModelFunc(func(ctx context.Context, req model.Request) (model.Reply, error) {
				if down && fails(req) {
					return model.Reply{}, &model.UnavailableError{Message: "connection refused", Attempts: 1}
				}
				return learning(2)(ctx, req)
			})
			dir := t.TempDir()
			plan := func() *Plan {
				return planOne(t, benchmark(episodetest.NewCountdown(1)), trying(m, 5, 3), 1)
			}
			results, err := play(t, t.Context(), dir, plan(), Options{})
			if err != nil || len(results) != 2 || results[1].Trial != 2 || results[1].Outcome != record.ModelError ||
				results[1].Reflection != nil {
				t.Fatalf("error %v, %+v", err, results)
			}
			due := plan().Due([]record.Attempt{results[0].Brief(), results[1].Brief()})
			if m := due.Missing; len(m) != 1 || m[0].Trial != 2 || len(due.Finished) != 1 ||
				due.Attempts[m[0].ID] != 1 || len(m[0].Blank().Memory) != 1 {
				t.Errorf("%+v", due)
			}
			down = false
			sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), dir, plan(), Options{})))
			got := episodes(t, dir)
			if len(got) != 3 || got[2].Attempt != 2 || !got[3].Success || len(got[3].Memory) != 2 {
				t.Errorf("%d trials, %+v", len(got), got[3])
			}
		})
	}
}

// Another number of trials, memory or rule makes other episodes.
func TestTrialsAreAnIdentity(t *testing.T) {
	ids := map[string]bool{}
	for _, change := range []func(*episode.Trials){
		func(*episode.Trials) {}, func(t *episode.Trials) { t.Limit++ }, func(t *episode.Trials) { t.Memory++ },
		func(t *episode.Trials) { t.PromptHash = "other" },
		func(t *episode.Trials) { t.Decoding.MaxTokens++ }, func(t *episode.Trials) { t.SameAction = 3 },
		func(t *episode.Trials) { t.SameStep = 3 },
	} {
		player := trying(episodetest.Saying("up"), 3, 1)
		change(player.Trials)
		ids[planOne(t, benchmark(episodetest.NewCountdown(1)), player, 1).Episodes[0].ID] = true
	}
	once := planOne(t, benchmark(episodetest.NewCountdown(1)), served(episodetest.Saying("up")), 1)
	ids[once.Episodes[0].ID] = true
	sharedtest.Equal(t, len(ids), 8, "ids for 8 conditions")
}

func TestCostOfTrials(t *testing.T) {
	p := planOne(t, benchmark(episodetest.NewCountdown(3)), trying(episodetest.Saying("up"), 4, 1), 1, 2)
	least, most := p.Cost()
	if least != (Cost{Episodes: 6, Calls: 6}) || most != (Cost{Episodes: 24, Calls: 24*10 + 18, Reflections: 18}) {
		t.Errorf("%+v to %+v", least, most)
	}
}

// agendaOf is an agenda of all episodes as they are planned.
func agendaOf(p *Plan) *agenda {
	a := newAgenda(nil, 8)
	for i := range p.Episodes {
		a.add(&p.Episodes[i])
	}
	return a
}

// ended notes that an episode is recorded, and which one follows it; nil for none.
func ended(a *agenda, next *episode.Episode) {
	if next != nil {
		a.more(next)
	}
	a.done()
}

// First trials come before later ones, and no worker waits for another task.
func TestOrderOfTrials(t *testing.T) {
	a := agendaOf(planOne(t, benchmark(episodetest.NewCountdown(3)), trying(episodetest.Saying("up"), 2, 0), 1))
	first := a.take()
	a.release(first)
	ended(a, first.NextTrial(record.Attempt{Rank: record.Rank{Outcome: record.Failure}}))
	var order []string
	for e := a.take(); e != nil; e = a.take() {
		order = append(order, fmt.Sprintf("%s trial %d", e.Task.ID, e.Trial))
		a.release(e)
		ended(a, e.NextTrial(record.Attempt{Rank: record.Rank{Outcome: record.Success}}))
	}
	sharedtest.Same(t, order, []string{"from/2 trial 1", "from/3 trial 1", "from/1 trial 2"})
}

// A worker without work waits until the last episode is done, and a stopped agenda lets it go.
func TestAgendaEnds(t *testing.T) {
	for _, stops := range []bool{false, true} {
		a := agendaOf(planOne(t, benchmark(episodetest.NewCountdown(1)), trying(episodetest.Saying("up"), 2, 0), 1))
		e := a.take()
		got := make(chan *episode.Episode)
		go func() { got <- a.take() }()
		if stops {
			a.stop()
			if next := <-got; next != nil {
				t.Errorf("a stopped agenda gives %s", next.ID)
			}
			continue
		}
		a.release(e)
		ended(a, e.NextTrial(record.Attempt{Rank: record.Rank{Outcome: record.Failure}}))
		if next := <-got; next == nil || next.Trial != 2 {
			t.Errorf("next is %v", next)
		}
	}
}
