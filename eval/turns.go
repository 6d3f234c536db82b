package eval

import (
	"cmp"
	"context"

	"heldout/envs"
	"heldout/eval/agent"
	"heldout/scoring/record"
)

// turns is an attempt at an episode while it is played.
type turns struct {
	*Episode
	rec    *record.Episode
	watch  *watch
	onStep func(agent.Usage)
	score  *metric
	world  envs.World
	agent  agent.Agent
	move   agent.Move // of the current turn
	valid  int        // steps whose action was valid
}

// run starts the environment and plays turn by turn. The error says why the
// outcome is no result.
func (t *turns) run(ctx context.Context) (record.Outcome, error) {
	world, err := t.newWorld()
	if err != nil {
		return record.EnvError, err
	}
	defer world.Close() // an error here no longer changes the result
	t.world = world
	if outcome, err := t.start(ctx); err != nil {
		return outcome, err
	}
	for t.goesOn(t.rec) {
		over, outcome, err := t.turn(ctx)
		if err != nil {
			return outcome, err
		}
		if over {
			break
		}
	}
	return t.end(ctx)
}

// start starts the environment and makes the agent.
func (t *turns) start(ctx context.Context) (record.Outcome, error) {
	start, err := t.world.Start(ctx)
	if err != nil {
		return failed(ctx, record.EnvError), err
	}
	if start.Observation, err = t.open(ctx, t.world, start.Observation); err != nil {
		return failed(ctx, record.EnvError), err
	}
	t.rec.Goal, t.rec.Observation = start.Goal, start.Observation
	if t.agent, err = t.newAgent(t.world, start); err != nil {
		return record.EnvError, err
	}
	return "", nil
}

// turn plays one turn and reports whether the episode is over. It is short, because
// an episode spends nearly all its time in Act: a goroutine that waits with a small
// stack is a small goroutine.
func (t *turns) turn(ctx context.Context) (over bool, _ record.Outcome, err error) {
	t.move, err = t.agent.Act(ctx)
	return t.follow(ctx, err)
}

// follow carries out the move, unless the agent returned an error.
func (t *turns) follow(ctx context.Context, err error) (over bool, _ record.Outcome, _ error) {
	move := &t.move
	spend(&t.rec.Result, move.Usage)
	t.onStep(move.Usage)
	if err != nil {
		return false, modelOutcome(ctx, t.player.Model, err), err
	}
	if move.GiveUp {
		t.rec.Cut = move.End
		return true, "", nil
	}
	t.spell(t.world, move)
	step, err := t.step(ctx, *move)
	if err != nil {
		return false, failed(ctx, record.EnvError), err
	}
	t.keep(*move, step)
	if t.player.Model != nil {
		if err := t.watch.reply(t.player.Name, *move); err != nil {
			return false, record.ModelError, err
		}
	}
	if step.Done {
		return true, "", nil
	}
	if t.rec.Cut = cmp.Or(move.End, t.stopped(t.rec.Trajectory)); t.rec.Cut != "" {
		return true, "", nil
	}
	t.rec.Trajectory[len(t.rec.Trajectory)-1].Observation = t.agent.Observe(step.Observation)
	return false, "", nil
}

// step takes a move's action in the environment, unless the move has none.
func (t *turns) step(ctx context.Context, move agent.Move) (envs.Step, error) {
	step := envs.Step{Observation: move.Correction, Progress: t.rec.Progress}
	if move.Correction == "" && move.End == "" {
		var err error
		if step, err = t.world.Step(ctx, move.Action); err != nil {
			return step, err
		}
	}
	step.Observation = cmp.Or(move.Answer, step.Observation)
	step.Valid = step.Valid && !move.FormatError
	step.Understood = step.Understood && !move.FormatError
	return step, nil
}

// keep records a turn.
func (t *turns) keep(move agent.Move, step envs.Step) {
	if step.Valid {
		t.valid++
	}
	t.rec.Progress, t.rec.Success = step.Progress, step.Success
	oldForm, newForm := "", step.Written.Form
	if step.Written.Old {
		oldForm, newForm = newForm, ""
	}
	t.rec.Trajectory = append(t.rec.Trajectory, record.Step{
		Thought: move.Thought, Action: move.Action, Observation: step.Observation,
		Progress: step.Progress, Valid: step.Valid, Understood: step.Understood, FormatError: move.FormatError,
		FinishReason: move.FinishReason, Fault: move.Fault, Reply: move.Reply, Reasoning: move.Reasoning,
		Parsed: move.Parsed, Repairs: move.Repairs, OldForm: oldForm, NewForm: newForm,
		PromptTokens: move.Usage.PromptTokens, CompletionTokens: move.Usage.CompletionTokens, ModelSeconds: move.Usage.Latency.Seconds(),
	})
	count(&t.rec.Result, move)
	t.score.add(t.world, step, t.rec)
}

// end returns the outcome of an episode that was played to its end.
func (t *turns) end(ctx context.Context) (record.Outcome, error) {
	if t.player.Model != nil && t.rec.FormatErrors == len(t.rec.Trajectory) {
		if err := t.watch.unproven(t.player.Name); err != nil {
			return record.ModelError, err // it would count as the model's failure
		}
	}
	if err := t.reflect(ctx, t.rec); err != nil {
		return modelOutcome(ctx, t.player.Model, err), err
	}
	t.score.settle(t.rec)
	if t.rec.Success {
		return record.Success, nil
	}
	return record.Failure, nil
}
