package scienceworld

import (
	"math/rand/v2"
	"os"
	"testing"

	"heldout/envs/sharedtest"
)

// traceSums are the recorded episodes.
const traceSums = "testdata/traces.jsonl"

// tracedEpisode is a recorded episode.
type tracedEpisode struct {
	Task            string   `json:"task"`
	Variation       int      `json:"variation"`
	Simplifications string   `json:"simplifications"`
	Order           order    `json:"order"`
	Actions         []string `json:"actions"`
	Sums            []uint32 `json:"sums"` // of all answers up to each action
}

func (tr tracedEpisode) play() play {
	return play{task: tr.Task, variation: tr.Variation, simplifications: tr.Simplifications, order: tr.Order,
		actions: tr.Actions}
}

// sums adds up answers, action by action.
func sums(asked []question, answers []string) (out []uint32) {
	var said []string
	for i, q := range asked {
		if q.call[0] == "getScore" {
			said = append(said, number(answers[i]))
		} else {
			said = append(said, answers[i])
		}
		if i+1 == len(asked) || asked[i+1].after > q.after {
			out = append(out, sum(said...))
			said = said[:0]
		}
	}
	return out
}

// ours are the answers of this engine.
func ours(asked []question) (out []string) {
	for _, q := range asked {
		out = append(out, q.ours)
	}
	return out
}

// Recorded episodes go as they went in the simulator.
func TestTraces(t *testing.T) {
	if *update {
		updateTraces(t)
	}
	steps := 0
	for tr := range readLines[tracedEpisode](t, traceSums) {
		r := record(tr.play())
		r.every = rareEveryTrace
		for _, a := range tr.Actions {
			r.step(a)
		}
		got := sums(r.asked, ours(r.asked))
		for i := range tr.Sums {
			if i >= len(got) || got[i] != tr.Sums[i] {
				t.Errorf("%v: differs after %d actions", tr.play(), i)
				break
			}
		}
		steps += len(tr.Actions)
	}
	if steps == 0 {
		t.Error("no steps are recorded")
	}
}

// updateTraces plays an episode of each task, and some long ones.
func updateTraces(t *testing.T) {
	d := startDriver(t)
	f := sharedtest.Must(os.Create(traceSums))(t)
	defer f.Close()
	rng := rand.New(rand.NewPCG(*diffSeed, 2))
	for i, name := range TaskNames() {
		p := play{task: name, variation: rng.IntN(Variations(name)),
			simplifications: simplificationSets[i%len(simplificationSets)], order: order(i % 3)}
		length := 20
		if i%10 == 0 {
			length = 150
		}
		r := record(p)
		r.every = rareEveryTrace
		m := &mischief{rng: rng, kinds: map[string]int{}}
		for range length {
			r.step(m.action(r))
		}
		var calls []call
		for _, q := range r.asked {
			calls = append(calls, q.call)
		}
		writeLine(t, f, tracedEpisode{name, p.variation, p.simplifications, p.order, r.play.actions,
			sums(r.asked, d.answers(t, calls))})
	}
}
