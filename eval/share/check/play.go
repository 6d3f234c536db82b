package check

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/bench"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

type player struct {
	*checker
	manifest *record.Manifest
	// conditions are those that were met, by group.
	conditions map[string]*replaySetup
	// tallies are what is known of the planned episodes, by id.
	tallies map[string]*tally

	mu                       sync.Mutex
	fromReplies, fromActions int
	prompts                  struct{ same, mismatched, unknown int }
	// unfinished counts the attempts without a result.
	unfinished map[record.Outcome]int
}

// replaySetup is how the episodes of a group are played again.
type replaySetup struct {
	record.Condition
	tasks map[string]envs.Task // planned
	env   envs.Env
	err   error // why it cannot be played
	// rebuilder plays replies; nil if only actions can be played, because of reason.
	rebuilder *episode.Rebuilder
	reason    error
}

// inFlight is how many attempts wait for each worker: few, because they are large.
const inFlight = 2

// play plays all attempts, some at once.
func (p *player) play(ctx context.Context, run record.Parts) error {
	group, ctx := errgroup.WithContext(ctx)
	queue := make(chan *record.Episode, p.Workers*inFlight)
	places := p.places()
	group.Go(func() error {
		defer close(queue)
		_, err := record.EachEpisode(run, func(_ *record.Manifest, e *record.Episode) {
			own := *e
			own.Trajectory = append([]record.Step(nil), e.Trajectory...)
			p.tally(places[e.ID], &own)
			select {
			case queue <- &own:
			case <-ctx.Done():
			}
		})
		return err
	})
	for range p.Workers {
		group.Go(func() error {
			for e := range queue {
				if ctx.Err() == nil {
					p.attempt(ctx, p.manifest.Groups[places[e.ID].group], e)
				}
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}

// planPosition is where an episode stands in the plan.
type planPosition struct {
	group int
	// prev is the id of the trial before it; empty for a first one.
	prev string
}

// places returns the place of each planned episode, by id.
func (p *player) places() map[string]planPosition {
	out := map[string]planPosition{}
	for i, g := range p.manifest.Groups {
		for _, first := range g.Episodes {
			prev := ""
			for trial := 1; trial <= g.Condition.MostTrials(); trial++ {
				id := record.TrialID(first, trial)
				out[id] = planPosition{i, prev}
				prev = id
			}
		}
	}
	return out
}

// conditionOf returns how the episodes of a group are played.
func (p *player) conditionOf(g record.Group) *replaySetup {
	key, err := json.Marshal(g.Condition)
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.conditions[string(key)]; c != nil {
		return c
	}
	c := &replaySetup{Condition: g.Condition, err: err, tasks: map[string]envs.Task{}}
	about, _ := p.manifest.EnvironmentOf(c.Condition)
	for _, t := range about.Tasks {
		c.tasks[t.ID] = t
	}
	if err == nil {
		c.env, c.err = p.worlds.open(c.Condition)
	}
	if c.Decoding != nil {
		c.rebuilder, c.reason = p.rebuilder(c.Condition)
	}
	p.conditions[string(key)] = c
	return c
}

func (p *player) rebuilder(c record.Condition) (*episode.Rebuilder, error) {
	texts, err := p.Texts.Find(p.manifest, c)
	if err != nil {
		return nil, err
	}
	return episode.NewRebuilder(c, texts.Prompt, texts.Preset, texts.Memory)
}

func (p *player) attempt(ctx context.Context, g record.Group, e *record.Episode) {
	c := p.conditionOf(g)
	label := fmt.Sprintf("task %s, seed %d, attempt %d", e.Task, e.Seed, e.Attempt)
	if c.err != nil {
		p.fail(episodes, "%v", c.err) // once for all of them
		return
	}
	task, err := bench.SameTask(c.env, c.tasks[e.Task])
	if err != nil {
		p.fail(tasks, "%v", err)
		return
	}
	proof, fromReplies, err := c.prove(ctx, e, task)
	if ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report.Episodes++
	p.report.Steps += len(e.Trajectory)
	if p.OnPlayed != nil {
		p.OnPlayed()
	}
	if err != nil {
		p.claim(episodes).fail("%s: %v", label, err)
		return
	}
	p.count(c, e, proof, fromReplies, label)
}

// prove plays an attempt from its replies or, where these are not known, from its actions.
func (c *replaySetup) prove(ctx context.Context, e *record.Episode, task envs.Task) (
	p episode.Proof, replies bool, err error,
) {
	if c.rebuilder != nil {
		p, err = c.rebuilder.Prove(ctx, e, c.env, task)
		return p, true, err
	}
	if c.Preset != nil || e.Trial > 1 {
		return p, false, fmt.Errorf("it cannot be played: %w", c.reason)
	}
	p, err = episode.ReplayEpisode(ctx, c.env, task, e)
	p.Ended = p.Ended || len(e.Trajectory) >= c.StepLimit
	return p, false, err
}

func (p *player) count(c *replaySetup, e *record.Episode, proof episode.Proof, fromReplies bool, label string) {
	if fromReplies {
		p.fromReplies++
	} else {
		p.fromActions++
	}
	if len(proof.Found) > 0 {
		m := proof.Found[0]
		p.claim(episodes).fail("%s, step %d: %s is %.60q in the record and %.60q here", label, m.Step, m.Field,
			m.Want, m.Got)
	}
	p.prompts.same += proof.Prompts
	p.prompts.mismatched += proof.Mismatched
	p.prompts.unknown += proof.Unknown
	if proof.Mismatched > 0 {
		p.claim(prompts).fail("%s: the prompts of %d steps are not those that were sent", label, proof.Mismatched)
	}
	switch final := e.Outcome.Final(); {
	case proof.Ended && !final && !c.lacksResult(e):
		p.claim(attempts).fail("%s: it is said to have no result (%s), but it was over: it has one", label, e.Outcome)
	case !proof.Ended && final && !gaveUp(e):
		p.claim(episodes).fail("%s: it ends before it is over", label)
	}
}

func (p *player) fail(claim int, format string, about ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claim(claim).fail(format, about...)
}

// gaveUp reports whether an episode may end before its world does: only react and act
// never give up, but where the context ends.
func gaveUp(e *record.Episode) bool {
	return e.Cut != "" || !slices.Contains(configs.Agents(), e.Agent)
}

// lacksResult reports whether an attempt that was over may have no result: its reflection
// may be missing, or the model may have given no usable reply.
func (c *replaySetup) lacksResult(e *record.Episode) bool {
	return c.Trials != nil && c.Trials.Memory > 0 || e.FormatErrors == len(e.Trajectory)
}
