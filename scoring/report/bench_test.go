package report

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

var keep = flag.String("keep", "", "write the run directory of BenchmarkLargeRun here and leave it")

var seeds = flag.Int64("seeds", 373, "number of seeds of BenchmarkLargeRun; 3732 make 1,000,000 episodes")

// BenchmarkLargeRun reads a run of 100,000 episodes of 20 steps, about 520 MB: to make all tables of it, and to
// continue it. Memory is best measured with -keep DIR, and then of heldout compare DIR.
func BenchmarkLargeRun(b *testing.B) {
	dir := *keep
	if dir == "" {
		dir = b.TempDir()
	}
	writeLargeRun(b, dir)
	b.Run("tables", func(b *testing.B) {
		for b.Loop() {
			run := sharedtest.Must(scoring.ReadRun(record.Parts{dir}, nil, scoring.Companion{}))(b)
			scores := scoring.Compute(run, stats.TheseKinds)
			if tables := everything([]NamedRun{{Name: dir, Scores: scores}}, nil, weights); len(tables) < 5 {
				b.Fatalf("%d tables", len(tables))
			}
		}
	})
	b.Run("continue", func(b *testing.B) {
		for b.Loop() {
			store := sharedtest.Must(record.Open(dir))(b)
			if n := int(2 * 134 * *seeds); len(store.Attempts) != n {
				b.Fatalf("%d attempts, want %d", len(store.Attempts), n)
			}
			sharedtest.OK(b, store.Close())
		}
	})
}

// writeLargeRun plans 134 tasks for two models with that many seeds, and records them.
func writeLargeRun(b *testing.B, dir string) {
	b.Helper()
	env := record.Environment{Info: envs.Info{Name: "alfworld", Source: envs.Generated, StepLimit: 30}, Total: 134}
	for i := range env.Total {
		env.Tasks = append(env.Tasks, envs.Task{ID: fmt.Sprintf("kind%d-%d/task%d", i%6, i/3, i), Index: i,
			Type: fmt.Sprintf("kind%d", i%6), Digest: fmt.Sprint(i)})
	}
	m := record.Manifest{Schema: record.Schema, Behaviour: 1, Environments: []record.Environment{env}}
	f := sharedtest.Must(os.Create(filepath.Join(dir, "episodes.jsonl")))(b)
	var line bytes.Buffer
	out := bufio.NewWriterSize(f, 1<<20)
	rng := stream.New(1, "large run")
	for _, name := range []string{"vllm:base", "vllm:tuned"} {
		for seed := range *seeds {
			g := record.Group{Condition: record.Condition{Env: env.Name, Source: env.Source, Model: name,
				Agent: "react", Perturbation: "none", StepLimit: 30, Seed: seed, Decoding: &record.Decoding{
					Temperature: 1, TopP: 1, MaxTokens: 512}}}
			for _, task := range env.Tasks {
				id := sharedtest.Must(record.EpisodeID(1, task, g.Condition))(b)
				g.Episodes = append(g.Episodes, id)
				e := record.Episode{Result: record.Result{
					Schema: record.Schema, ID: id, Attempt: 1, Env: env.Name, Source: env.Source, Task: task.ID,
					TaskIndex: task.Index, TaskType: task.Type,
					Model: name, Agent: "react", Seed: seed, Perturbation: "none", Outcome: record.Failure, Steps: 20,
					Started: time.Unix(1, 0), Ended: time.Unix(2, 0),
				}, Goal: "put a mug on the desk"}
				valid := 0
				for step := range 20 {
					s := record.Step{
						Thought: fmt.Sprintf(
							"I have seen shelf %d already, so next I should look for the mug in cabinet %d.",
							rng.IntN(9), rng.IntN(9)),
						Action: fmt.Sprintf("go to cabinet %d", rng.IntN(9)),
						Observation: fmt.Sprintf("On the cabinet %d, you see a mug %d, a plate %d and a book %d.",
							rng.IntN(9), rng.IntN(3), rng.IntN(3), step),
						Valid: rng.IntN(3) > 0, FinishReason: "stop",
					}
					if s.Valid {
						valid++
					} else {
						s.Observation = "Nothing happens."
					}
					e.Trajectory = append(e.Trajectory, s)
				}
				e.Grounding = float64(valid) / 20
				line.Reset()
				sharedtest.OK(b, record.Encode(&line, &e))
				_, _ = line.WriteTo(out) // Flush returns the error
			}
			m.Groups = append(m.Groups, g)
		}
	}
	manifest := sharedtest.Must(record.EncodeFile(&m))(b)
	for _, err := range []error{out.Flush(), f.Close(), os.WriteFile(filepath.Join(dir, "run.json"), manifest, 0o644)} {
		sharedtest.OK(b, err)
	}
}
