package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/bench"
	"heldout/eval/episode"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

type player struct {
	*checker
	manifest *record.Manifest
	plan     *record.Plan
	prompts  bench.Prompts
	// tallies are what is known of the planned episodes, by id, and unfinished counts the attempts without a result.
	tallies    map[string]*tally
	unfinished map[record.Outcome]int

	mu                       sync.Mutex
	fromReplies, fromActions int
	sent                     struct{ same, mismatched, unknown int }
}

// play plays all attempts, some at once.
func (p *player) play(ctx context.Context, run record.Parts) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(p.Workers)
	_, err := record.EachEpisode(run, func(_ *record.Manifest, e *record.Episode) {
		own := *e
		own.Trajectory = append([]record.Step(nil), e.Trajectory...)
		p.tally(&own)
		group.Go(func() error {
			if ctx.Err() == nil {
				p.attempt(ctx, &own)
			}
			return ctx.Err()
		})
	})
	return cmp.Or(group.Wait(), err)
}

// planned returns the condition of an episode, with its place in the plan.
func (p *player) planned(e *record.Episode) (*record.Condition, record.Position) {
	pos, _ := p.plan.Find(e.ID) // reading has checked it
	return &p.manifest.Groups[pos.Group].Condition, pos
}

func (p *player) attempt(ctx context.Context, e *record.Episode) {
	c, pos := p.planned(e)
	label := fmt.Sprintf("task %s, seed %d, attempt %d", e.Task, e.Seed, e.Attempt)
	env, err := p.worlds.Open(*c)
	if err != nil {
		p.unchecked(c, unopened(c, err)) // once for all of them
		return
	}
	about, _ := p.manifest.EnvironmentOf(*c)
	task, err := bench.SameTask(env, about.Tasks[pos.Task])
	if err != nil {
		p.fail(tasks, "%v", err)
		return
	}
	rebuilder, lacks := p.rebuilder(c)
	if lacks != nil && (c.Preset != nil || e.Trial > 1) { // its actions do not show what it did
		p.unchecked(c, fmt.Errorf("attempts cannot be played: %w", lacks))
		return
	}
	proof, err := prove(ctx, rebuilder, c, e, env, task)
	if ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report.Episodes++
	p.report.Steps += len(e.Trajectory)
	if err != nil {
		p.claim(episodes).fail("%s: %v", label, err)
		return
	}
	p.count(c, e, proof, rebuilder != nil, label)
}

// prove plays an attempt from its replies or, without a rebuilder, from its actions.
func prove(ctx context.Context, rebuilder *episode.Rebuilder, c *record.Condition, e *record.Episode, env envs.Env,
	task envs.Task) (episode.Proof, error) {
	if rebuilder != nil {
		return rebuilder.Prove(ctx, e, env, task)
	}
	proof, err := episode.ReplayEpisode(ctx, env, task, e)
	proof.Ended = proof.Ended || len(e.Trajectory) >= c.StepLimit
	return proof, err
}

// rebuilder returns what plays the replies of a condition; nil if only actions can be played, because of the error
// or as no model played.
func (p *player) rebuilder(c *record.Condition) (*episode.Rebuilder, error) {
	if c.Decoding == nil {
		return nil, nil
	}
	return p.prompts.Rebuilder(p.manifest, *c)
}

func (p *player) count(c *record.Condition, e *record.Episode, proof episode.Proof, fromReplies bool, label string) {
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
	p.sent.same += proof.Prompts
	p.sent.mismatched += proof.Mismatched
	p.sent.unknown += proof.Unknown
	if proof.Mismatched > 0 {
		p.claim(prompts).fail("%s: the prompts of %s are not those that were sent", label,
			table.Counted(proof.Mismatched, "step"))
	}
	switch final := e.Outcome.Final(); {
	case proof.Ended && !final && !lacksResult(c, e):
		p.claim(attempts).fail("%s: it is said to have no result (%s), but it was over: it has one", label, e.Outcome)
	case !proof.Ended && final && !gaveUp(e):
		p.claim(episodes).fail("%s: it ends before it is over", label)
	}
}

// unchecked notes what is not here to play a condition.
func (p *player) unchecked(c *record.Condition, lacks error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claim(episodes).unchecked(lacks)
	if c.Decoding != nil {
		p.claim(prompts).unchecked(lacks)
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
func lacksResult(c *record.Condition, e *record.Episode) bool {
	return c.Trials != nil && c.Trials.Memory > 0 || e.FormatErrors == len(e.Trajectory)
}
