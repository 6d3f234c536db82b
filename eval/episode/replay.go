package episode

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/scoring/record"
)

// Recorded is an episode that a reference implementation recorded.
type Recorded struct {
	Env string `json:"env"`
	// Source names the implementation that made the run.
	Source string `json:"source"`
	// ID is the 0-based number of the task in benchmark order.
	ID        int            `json:"id"`
	Goal      string         `json:"goal"`
	Done      bool           `json:"done"`
	Progress  float64        `json:"progress"`
	Grounding float64        `json:"grounding"`
	Steps     []RecordedStep `json:"steps"`
}

// RecordedStep is a step of a Recorded episode.
type RecordedStep struct {
	Action      string  `json:"action"`
	Observation string  `json:"observation"`
	Progress    float64 `json:"progress"`
}

// The limits of a file of recorded episodes, in bytes after decompression: a small
// gzip file can stand for terabytes. The largest recorded episode has 90 kB.
const (
	maxRecordedLine = 16 << 20
	maxRecorded     = 4 << 30
)

// ReadRecorded reads episodes from JSON Lines, compressed with gzip or not, and
// visits them in order until ctx is done. Errors name the file and the line.
func ReadRecorded(ctx context.Context, r io.Reader, file string, visit func(line int, e *Recorded) error) error {
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		in = bufio.NewReader(z)
	}
	limited := &io.LimitedReader{R: stoppable{ctx, in}, N: maxRecorded}
	last := 0
	err := datafile.EachLine(file, limited, maxRecordedLine, func(n int, line []byte) error {
		var e Recorded
		last = n
		if err := datafile.Unmarshal(line, &e, datafile.Lenient); err != nil {
			return err
		}
		return visit(n, &e)
	})
	if err == nil && limited.N == 0 {
		err = fmt.Errorf("%s:%d: the file has more than %d bytes when it is decompressed", file, last+1, maxRecorded)
	}
	return err
}

// stoppable is a reader that ends with its context.
type stoppable struct {
	ctx context.Context
	io.Reader
}

func (s stoppable) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(b)
}

// Mismatch is a place where a replay differs from its record.
type Mismatch struct {
	Task   envs.Task
	Source string
	// Step counts from 1; 0 is the start, and one more than the last step stands for
	// the values of the whole episode.
	Step   int
	Action string
	Field  string // which value differs
	Want   string // as recorded
	Got    string
}

// Replay plays a recorded episode's actions and compares every observation and
// progress, and the episode's outcome and grounding.
func Replay(ctx context.Context, env envs.Env, rec *Recorded) ([]Mismatch, error) {
	tasks := env.Tasks()
	if rec.ID < 0 || rec.ID >= len(tasks) {
		return nil, fmt.Errorf("environment %s has no task number %d", rec.Env, rec.ID)
	}
	r := replay{task: tasks[rec.ID], source: rec.Source, same: comparer(env)}
	var last envs.Step
	valid := 0
	err := retell(ctx, env, r.task, rec.episode(), func(_ envs.World, start envs.Start) error {
		if rec.Goal != "" {
			r.compare(0, "", "goal", rec.Goal, start.Goal)
		}
		return nil
	}, func(i int, s record.Step, ours *envs.Step) error {
		last = *ours
		if ours.Valid {
			valid++
		}
		r.step(i+1, s, ours)
		return nil
	})
	if err != nil {
		return nil, err
	}
	end := len(rec.Steps) + 1
	grounding := 0.0
	if len(rec.Steps) > 0 {
		grounding = float64(valid) / float64(len(rec.Steps))
	}
	r.compare(end, "", "done", rec.Done, last.Done)
	r.compare(end, "", "final progress", rec.Progress, last.Progress)
	r.compare(end, "", "grounding", rec.Grounding, grounding)
	return r.found, nil
}

// episode is the record as an episode of an agent whose actions are all sent.
func (r *Recorded) episode() *record.Episode {
	e := &record.Episode{Result: record.Result{Agent: configs.Act}}
	for _, s := range r.Steps {
		e.Trajectory = append(e.Trajectory, record.Step{Action: s.Action, Observation: s.Observation,
			Progress: s.Progress})
	}
	return e
}

// ReplayEpisode plays the recorded actions of an episode again and compares every
// observation, progress and validity, and the final success. The task must be the
// recorded one, and the episode without a preset. The proof says of prompts nothing.
func ReplayEpisode(ctx context.Context, env envs.Env, task envs.Task, e *record.Episode) (Proof, error) {
	r := replay{task: task, source: e.ID, same: comparer(env)}
	var last envs.Step
	err := retell(ctx, env, task, e, func(_ envs.World, start envs.Start) error {
		r.compare(0, "", "goal", e.Goal, start.Goal)
		r.compare(0, "", "observation", e.Observation, start.Observation)
		return nil
	}, func(i int, s record.Step, ours *envs.Step) error {
		if ours != nil {
			last = *ours
			r.step(i+1, s, ours)
			r.compare(i+1, s.Action, "validity", s.Valid, ours.Valid && !s.FormatError)
		}
		return nil
	})
	if err != nil {
		return Proof{}, err
	}
	if e.Outcome.Final() {
		r.compare(len(e.Trajectory)+1, "", "success", e.Success, last.Success)
	}
	return Proof{Found: r.found, Ended: last.Done}, nil
}

type replay struct {
	task   envs.Task
	source string
	same   func(action, recorded, ours string) bool
	found  []Mismatch
}

func (r *replay) step(n int, recorded record.Step, ours *envs.Step) {
	if !r.same(recorded.Action, recorded.Observation, ours.Observation) {
		r.compare(n, recorded.Action, "observation", recorded.Observation, ours.Observation)
	}
	r.compare(n, recorded.Action, "progress", recorded.Progress, ours.Progress)
}

// compare notes a difference between two values of one comparable type.
func (r *replay) compare(step int, action, field string, want, got any) {
	if want != got {
		r.found = append(r.found, Mismatch{
			Task: r.task, Source: r.source, Step: step, Action: action,
			Field: field, Want: fmt.Sprint(want), Got: fmt.Sprint(got),
		})
	}
}

// retell plays the actions of a record again in a new world of its task. It calls begun
// once the world has started, and onStep for every recorded step, with our answer to
// its action; nil if the action of the step did not reach the environment.
func retell(ctx context.Context, env envs.Env, task envs.Task, e *record.Episode,
	begun func(envs.World, envs.Start) error, onStep func(i int, recorded record.Step, ours *envs.Step) error,
) error {
	ep := Episode{Task: &task, Benchmark: &Benchmark{Env: env}, Condition: &record.Condition{Seed: e.Seed}}
	world, start, err := ep.begin(ctx)
	if err != nil {
		return err
	}
	defer world.Close()
	if err := begun(world, start); err != nil {
		return err
	}
	for i, s := range e.Trajectory {
		var ours *envs.Step
		if !s.FormatError || e.Agent == configs.Act { // else the environment was not stepped
			if err := ctx.Err(); err != nil {
				return err
			}
			step, err := world.Step(ctx, s.Action)
			if err != nil {
				return fmt.Errorf("task %s, step %d: %w", task.ID, i+1, err)
			}
			ours = &step
		}
		if err := onStep(i, s, ours); err != nil {
			return err
		}
	}
	return nil
}

// comparer returns how an environment compares a recorded observation with ours.
func comparer(env envs.Env) func(action, recorded, ours string) bool {
	if c, ok := envs.As[envs.Comparer](env); ok {
		return c.SameObservation
	}
	return func(_, recorded, ours string) bool { return recorded == ours }
}
