package episode

import (
	"cmp"
	"context"
	"errors"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/agent"
	"heldout/scoring/record"
)

// turns is an attempt at an episode while it is played.
type turns struct {
	*Episode
	log    Log
	rec    *record.Episode // of the log
	watch  Watch
	onStep func(agent.Usage)
	score  *metric
	world  envs.World
	agent  agent.Agent
	move   agent.Move // of the current turn
	// progress is the progress after the last step or, before the first one, at the start.
	progress float64
	// unjudged: so was the last step.
	unjudged bool
}

func (e *Episode) attempt(w Watch, onStep func(agent.Usage)) *turns {
	rec := e.Blank()
	return &turns{Episode: e, log: Log{Episode: rec}, rec: rec, watch: w, onStep: onStep,
		score: &metric{rule: e.Benchmark.Preset.Metric}}
}

// run starts the environment and plays turn by turn. The error says why the outcome is not a result.
func (t *turns) run(ctx context.Context) (record.Outcome, error) {
	if outcome, err := t.start(ctx); err != nil {
		return outcome, err
	}
	defer t.close()
	for t.goesOn(t.rec) {
		done, outcome, err := t.turn(ctx)
		if err != nil {
			return outcome, err
		}
		if done {
			break
		}
	}
	return t.end(ctx)
}

// start starts the environment and makes the agent. The caller closes what started without an error.
func (t *turns) start(ctx context.Context) (record.Outcome, error) {
	world, start, err := t.begin(ctx)
	if err != nil {
		return failed(ctx, record.EnvError), err
	}
	t.world = world
	t.log.Begin(start, t.Benchmark.PerturbationHash != "" && t.Benchmark.Replacements == nil)
	t.progress = start.Progress
	if t.agent, err = t.newAgent(world, start); err != nil {
		t.close()
		return record.EnvError, err
	}
	return "", nil
}

// begin returns the episode's world, started as its preset wants it.
func (e *Episode) begin(ctx context.Context) (envs.World, envs.Start, error) {
	w, err := e.newWorld()
	if err != nil {
		return nil, envs.Start{}, err
	}
	start, err := w.Start(ctx)
	if err != nil {
		return nil, start, errors.Join(err, w.Close())
	}
	return w, e.open(start), nil
}

// close closes the world. An error here no longer changes the result.
func (t *turns) close() { _ = t.world.Close() }

// turn plays one turn and reports whether the episode is over.
func (t *turns) turn(ctx context.Context) (done bool, _ record.Outcome, err error) {
	t.move, err = t.agent.Act(ctx)
	move := &t.move
	spend(&t.rec.Result, move.Usage)
	t.onStep(move.Usage)
	if err != nil {
		return false, modelOutcome(ctx, t.Player.Model, err), err
	}
	if move.GiveUp {
		t.note(move.Notes)
		t.rec.Cut = move.End
		return true, "", nil
	}
	t.spell(t.world, move)
	step, err := t.step(ctx, *move)
	if err != nil {
		return false, failed(ctx, record.EnvError), err
	}
	t.log.Add(*move, step)
	t.progress, t.unjudged = step.Progress, step.Unjudged
	t.score.add(t.world, step, move.Correction != "", t.rec)
	if t.Player.Model != nil || t.Player.Program != nil {
		if err := t.watch.Reply(t.Player, *move, step.Valid || step.Understood); err != nil {
			return false, record.ModelError, err
		}
	}
	cut := cmp.Or(move.End, t.stopped(t.rec.Trajectory))
	if step.Done && (cut == "" || !t.Benchmark.Preset.Stop.BeforeEnd) {
		return true, "", nil
	}
	if t.rec.Cut = cut; cut != "" {
		t.rec.Success = false
		return true, "", nil
	}
	t.rec.Trajectory[len(t.rec.Trajectory)-1].Observation = t.agent.Observe(step.Observation)
	return false, "", nil
}

// step takes a move's action in the environment, unless the move has none.
func (t *turns) step(ctx context.Context, move agent.Move) (envs.Step, error) {
	step := envs.Step{Observation: move.Correction, Progress: t.progress, Unjudged: t.unjudged}
	var err error
	if r, ok := t.world.(*restarting); ok && move.Correction != "" {
		step.Observation, err = r.correct(ctx, move.Correction)
	} else if move.Correction == "" && move.End == "" {
		step, err = t.world.Step(ctx, move.Action)
	}
	if err != nil {
		return step, err
	}
	step.Observation = cmp.Or(move.Answer, step.Observation)
	step.Valid = (step.Valid || move.Answer != "") && (!move.FormatError || t.Player.Agent == configs.Act)
	step.Understood = step.Understood && !move.FormatError
	return step, nil
}

// tell tells an agent that wants to know how the episode ends.
func (t *turns) tell(ctx context.Context, outcome record.Outcome, cause error) (record.Outcome, error) {
	ending, ok := t.agent.(agent.Ending)
	if !ok {
		return outcome, cause
	}
	move, err := ending.End(ctx, t.rec, outcome, cause)
	t.note(move.Notes)
	spend(&t.rec.Result, move.Usage)
	if err != nil && cause == nil {
		return modelOutcome(ctx, nil, err), err
	}
	return outcome, cause
}

// note adds notes to the last step, if there is one.
func (t *turns) note(notes []record.Note) {
	if n := len(t.rec.Trajectory); n > 0 {
		last := &t.rec.Trajectory[n-1]
		last.Notes = append(last.Notes, notes...)
	}
}

func (t *turns) end(ctx context.Context) (record.Outcome, error) {
	if t.unjudged {
		return record.EnvError, envs.ErrUnjudged
	}
	if err := t.reflect(ctx, t.rec); err != nil {
		return modelOutcome(ctx, t.Player.Model, err), err
	}
	t.score.settle(t.rec)
	if t.rec.Success {
		return record.Success, nil
	}
	return record.Failure, nil
}
