package eval

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// partly is a model of whose replies a share can be used: which ones, the seeds of the calls decide. A reply takes a
// random time, and asked counts the calls by their seeds.
type partly struct {
	share float64
	mu    sync.Mutex
	rng   *rand.Rand
	asked map[int64]int
}

// Chat implements model.Model.
func (m *partly) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	m.mu.Lock()
	m.asked[req.Seed]++
	took := time.Duration(m.rng.IntN(1000)) * time.Millisecond
	m.mu.Unlock()
	if err := model.Pause(ctx, took); err != nil {
		return model.Reply{}, err
	}
	reply := model.Reply{Text: "I do not know.", PromptTokens: 10, CompletionTokens: 1, Attempts: 1}
	if rand.New(rand.NewPCG(uint64(req.Seed), 0)).Float64() < m.share {
		reply.Text = "Action: up"
	}
	return reply, nil
}

// Whichever replies come first: an episode is recorded as what it is. One without a usable reply is a failure if the
// model has given a usable one, and has no result if the run was stopped. With allow-unusable it is then a failure, no
// reply is asked for twice, and none is counted twice.
func TestUnusableInAnyOrder(t *testing.T) {
	t.Parallel()
	stopped, held := 0, 0
	shares := []float64{0, 0.03, 0.01, 0.2, 0.06}
	for n := range sharedtest.Times(t, 200, 10, 2000) {
		rng := rand.New(rand.NewPCG(uint64(n), 2))
		steps := 1 + rng.IntN(30)
		seeds := make([]int64, 2+rng.IntN(11))
		for i := range seeds {
			seeds[i] = int64(i)
		}
		share := shares[n%len(shares)]
		playIn := func(dir string, m *partly, o Options) (results []record.Result, err error) {
			synctest.Test(t, func(t *testing.T) {
				p := planOne(t, longTask(steps), served(m), seeds...)
				results, err = play(t, t.Context(), dir, p, o)
			})
			return results, err
		}
		fresh := func(order uint64) *partly {
			return &partly{share: share, rng: rand.New(rand.NewPCG(order, 1)), asked: map[int64]int{}}
		}
		plain := fresh(0)
		want, err := playIn(t.TempDir(), plain, Options{AllowUnusable: true})
		if err != nil {
			t.Fatal(n, err)
		}
		whole := map[string]record.Result{}
		for _, r := range want {
			whole[r.ID] = r
		}
		dir, m := t.TempDir(), fresh(rng.Uint64())
		o := Options{Concurrency: configs.Concurrency(1 + rng.IntN(12))}
		results, err := playIn(dir, m, o)
		unusable := errors.As(err, new(*UnusableError))
		if err != nil && !unusable {
			t.Fatal(n, err)
		}
		for _, r := range results {
			if r.Outcome != record.Failure && !(unusable && r.Outcome == record.ModelError && r.Unusable) {
				t.Fatalf("%d: stopped: %v: %+v", n, unusable, r)
			}
		}
		if unusable {
			stopped++
			o.AllowUnusable = true
			if results, err = playIn(dir, m, o); err != nil {
				t.Fatal(n, err)
			}
		} else if share < 0.1 {
			held++
		}
		calls, final := 0, 0
		for _, r := range results {
			calls += r.Own().Calls
			if ref := whole[r.ID]; r.Outcome.Final() {
				final++
				if r.Outcome != ref.Outcome || r.Steps != ref.Steps || r.FormatErrors != ref.FormatErrors ||
					r.Calls != ref.Calls || r.PromptTokens != ref.PromptTokens {
					t.Fatalf("%d: %+v, want %+v", n, r, ref)
				}
			}
		}
		if final != len(seeds) || calls != len(plain.asked) {
			t.Fatalf("%d: %d of %d episodes have a result, and %d of %d calls are counted", n, final, len(seeds), calls,
				len(plain.asked))
		}
		for seed := range plain.asked {
			if m.asked[seed] != 1 {
				t.Fatalf("%d: a call was made %d times", n, m.asked[seed])
			}
		}
	}
	if stopped == 0 || held == 0 {
		t.Errorf("%d runs were stopped, and %d with few usable replies were not", stopped, held)
	}
}
