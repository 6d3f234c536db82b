package overview

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
	"heldout/eval/episode/episodetest"
	"heldout/scoring/record"
)

// synthetic describes a run that nobody played.
type synthetic struct {
	environments []string
	tasks        int // of each environment
	models       []string
	seeds        int
	steps        int // step limit
	// missing is the share of episodes without a result.
	missing float64
	// text changes every text of the model and the environment, name every name in the plan; nil leaves them.
	text, name func(string) string
}

// broken stands for bytes that are not UTF-8.
const broken = "(broken)"

// write writes the run directory. Later models are better.
func (s synthetic) write(t testing.TB, dir string) {
	t.Helper()
	m := record.Manifest{Schema: record.Schema, Behaviour: 1}
	f := sharedtest.Must(os.Create(filepath.Join(dir, "episodes.jsonl")))(t)
	out := bufio.NewWriterSize(f, 1<<20)
	rng := stream.New(1, "synthetic run")
	named := s.name
	if named == nil {
		named = func(s string) string { return s }
	}
	for _, name := range s.environments {
		name = named(name)
		env := record.Environment{Info: envs.Info{Name: name, Source: envs.Generated, StepLimit: s.steps},
			Total: s.tasks}
		if s.name != nil {
			env.Caveat, env.SuccessName, env.ProgressName = named("caveat"), named("SR"), named("PR")
		}
		for i := range s.tasks {
			env.Tasks = append(env.Tasks, envs.Task{
				ID: named(fmt.Sprintf("kind%d-%d/task%d", i%6, i/3, i)), Index: i,
				Type: named(fmt.Sprintf("kind%d", i*6/s.tasks)), Digest: fmt.Sprint(i),
			})
		}
		m.Environments = append(m.Environments, env)
		for k, model := range s.models {
			model = named(model)
			for seed := range int64(s.seeds) {
				g := record.Group{Condition: record.Condition{
					Env: name, Source: env.Source, Model: model, Agent: "react", Perturbation: "none",
					StepLimit: s.steps, Seed: seed,
					Decoding: &record.Decoding{Temperature: 1, TopP: 1, MaxTokens: 512},
				}}
				for i, task := range env.Tasks {
					id := sharedtest.Must(record.EpisodeID(1, task, g.Condition))(t)
					g.Episodes = append(g.Episodes, id)
					if rng.Float64() < s.missing/2 {
						continue
					}
					ease := (float64(k)+1)/float64(len(s.models)+1) + 0.5*(float64(i%7)/7-0.5)
					writeLine(t, out, s.episode(rng, id, g.Condition, task, ease))
				}
				m.Groups = append(m.Groups, g)
			}
		}
	}
	manifest := sharedtest.Must(record.EncodeFile(&m))(t)
	for _, err := range []error{out.Flush(), f.Close(), os.WriteFile(filepath.Join(dir, "run.json"), manifest, 0o644)} {
		sharedtest.OK(t, err)
	}
}

// episode makes an attempt at an episode. Ease is about the chance of success.
func (s synthetic) episode(rng *rand.Rand, id string, c record.Condition, task envs.Task,
	ease float64) *record.Episode {
	text := s.text
	if text == nil {
		text = func(s string) string { return s }
	}
	e := record.Episode{Result: record.Result{
		Schema: record.Schema, ID: id, Attempt: 1, Env: c.Env, Source: c.Source, Task: task.ID, TaskIndex: task.Index,
		TaskType: task.Type,
		Model:    c.Model, Agent: c.Agent, Seed: c.Seed, Perturbation: c.Perturbation, Outcome: record.Failure,
		Started: time.Unix(1, 0), Ended: time.Unix(2+rng.Int64N(60), 0), Calls: 1, Requests: 1,
	}, Goal: text("put a mug on the desk"), Observation: text("You are in the middle of a room.")}
	solved := rng.Float64() < ease
	length := s.steps
	if solved {
		length = 3 + rng.IntN(s.steps-3)
	}
	for i := range length {
		step := record.Step{
			Thought: text(
				fmt.Sprintf("I have seen shelf %d already, so next I should look for the mug in cabinet %d.",
					rng.IntN(9), rng.IntN(9))),
			Action: text(fmt.Sprintf("go to cabinet %d", rng.IntN(9))),
			Observation: text(fmt.Sprintf("On the cabinet %d, you see a mug %d, a plate %d and a book %d.", rng.IntN(9),
				rng.IntN(3), rng.IntN(3), i)),
			Progress: float64(i*4/length) / 4, Valid: true, FinishReason: "stop",
		}
		switch x := rng.Float64() * (1 + ease); {
		case x < 0.05:
			step.FinishReason, step.Fault, step.FormatError, step.Action, step.Valid = "length", record.CutOff, true,
				"", false
		case x < 0.1:
			step.Fault, step.FormatError, step.Action, step.Valid = record.NoAction, true, "", false
		case x < 0.3:
			step.Valid, step.Observation = false, text("Nothing happens.")
		}
		if step.Fault != "" {
			step.Reply = text("I would rather not.")
		}
		if solved && i == length-1 {
			step.Progress, e.Outcome, e.Success = 1, record.Success, true
		}
		e.Trajectory = append(e.Trajectory, step)
		e.PromptTokens += 400 + 60*i
		e.CompletionTokens += 20 + rng.IntN(60)
		e.ModelSeconds += 0.2 + rng.Float64()
	}
	episodetest.Settle(&e)
	if rng.Float64() < s.missing/2 {
		outcomes := []record.Outcome{record.ModelError, record.EnvError, record.ContextExceeded, record.Cancelled}
		e.Outcome, e.Success, e.Error = outcomes[rng.IntN(len(outcomes))], false, text("the server is gone")
	}
	return &e
}

// writeLine writes a record with its checksum, without flushing it to disk.
func writeLine(t testing.TB, out *bufio.Writer, e *record.Episode) {
	t.Helper()
	body := sharedtest.Must(json.Marshal(e))(t)
	body = bytes.ReplaceAll(body[:len(body)-1], []byte(broken), []byte("\xff\xfe\x80"))
	sum := sha256.Sum256(body)
	sharedtest.OK(t, sharedtest.Err(fmt.Fprintf(out, "%s,\"checksum\":%q}\n", body, hex.EncodeToString(sum[:8]))))
}
