package check

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"heldout/envs/stream"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Spot says how a model is asked again.
type Spot struct {
	// Ask asks the model; nil if nobody is asked. Its name is Model, as --model calls it:
	// only turns of that model are asked.
	Ask   model.Model
	Model string
	// Turns is how many turns are asked again, each twice.
	Turns int
	// Concurrency is how many are asked at once, at least 1.
	Concurrency int
}

// fewestTurns is how many turns with a repeatable reply a verdict needs.
const fewestTurns = 20

// spotSeed is the seed of the draw of turns: the same bundle gives the same turns.
const spotSeed = 0

type spotted struct {
	rank    uint64
	id      string // of attempt, step and call, for a draw that no order changes
	request model.Request
	reply   string // as recorded
	// agrees: the first reply now is the recorded one. repeats: the second is the first.
	agrees, repeats bool
	failed          error
}

// spot offers the turns of an attempt to the draw, which keeps those of the lowest ranks.
func (k *checker) spot(e *record.Episode, calls []episode.Call) {
	if k.Spot.Ask == nil || e.Model != k.Spot.Model || e.Trimmed > 0 || e.Forgotten > 0 {
		return // what was sent is not known if something was left out
	}
	for i, c := range calls {
		id := fmt.Sprintf("%s %d %d %d", e.ID, e.Attempt, c.Step, i)
		s := spotted{rank: stream.New(spotSeed, "spot", id).Uint64(), id: id, request: c.Request, reply: c.Reply}
		pos, _ := slices.BinarySearchFunc(k.drawn, s, func(a, b spotted) int {
			return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.id, b.id))
		})
		if pos < k.Spot.Turns {
			k.drawn = slices.Insert(k.drawn, pos, s)
			k.drawn = k.drawn[:min(len(k.drawn), k.Spot.Turns)]
		}
	}
}

// askAgain asks the model at the drawn turns, twice each: how often a server repeats itself
// is what the agreement with the record is compared with.
func (k *checker) askAgain(ctx context.Context) error {
	c := k.claim(modelName)
	if k.Spot.Ask == nil {
		c.open("a name proves nothing; --ask asks a server")
		return nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, k.Spot.Concurrency))
	for i := range k.drawn {
		group.Go(func() error {
			k.drawn[i].ask(ctx, k.Spot.Ask)
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	k.judge(c)
	return nil
}

func (s *spotted) ask(ctx context.Context, m model.Model) {
	first, err := m.Chat(ctx, s.request)
	if err != nil {
		s.failed = err
		return
	}
	second, err := m.Chat(ctx, s.request)
	s.agrees, s.repeats, s.failed = same(first.Text, s.reply), same(second.Text, first.Text), err
}

// same compares replies by their words: records leave out white space at their ends.
func same(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

type agreement struct{ turns, agree, repeat int }

// judge compares the agreement with the record with how often the server repeats itself.
// Other machines and versions of a server sample otherwise, so only less than half of it
// fails.
func (k *checker) judge(c *Claim) {
	byTemperature := map[float64]*agreement{}
	var total agreement
	for _, s := range k.drawn {
		if s.failed != nil {
			c.open("a turn has no reply: %v", s.failed)
			continue
		}
		t := s.request.Decoding.Temperature
		if byTemperature[t] == nil {
			byTemperature[t] = &agreement{}
		}
		for _, a := range []*agreement{byTemperature[t], &total} {
			a.turns++
			if s.agrees {
				a.agree++
			}
			if s.repeats {
				a.repeat++
			}
		}
	}
	for _, t := range slices.Sorted(maps.Keys(byTemperature)) {
		a := byTemperature[t]
		c.note("temperature %g: %d of %d replies are the recorded ones; asked twice, the server repeats %d", t, a.agree,
			a.turns, a.repeat)
	}
	switch {
	case total.repeat < fewestTurns:
		c.open("the server repeats too few replies for a verdict: %d, want %d", total.repeat, fewestTurns)
	case 2*total.agree < total.repeat:
		c.fail("the replies of %s are others", k.Spot.Model)
	case 10*total.agree < 9*total.repeat:
		c.open("fewer agree than the server repeats: another machine, version or quantisation, or another model")
	}
}
