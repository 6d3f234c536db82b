package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs/catalog"
	"heldout/envs/jericho"
	"heldout/eval"
	"heldout/eval/model"
	"heldout/eval/record"
	"heldout/scoring/report"
)

func newRun(sys *system) *cobra.Command {
	var out output
	var file string
	var dry bool
	shown := configs.DefaultRun()
	c := &cobra.Command{
		Use:   "run",
		Short: "Play the tasks, record the episodes and print the tables",
		Long: `run plays every task with every model and seed, records each finished episode in
the run directory, and prints the tables. The same command continues a run that was
stopped, or fills in episodes that failed for want of a server. Without --env, --model
and --config it plays generated tasks with the baselines expert and random.`,
		Example: `  heldout run
  heldout run --env pddl --data DIR --model expert
  heldout run --env pddl --data DIR --model vllm:NAME --base-url http://HOST:8000/v1 --seeds 0-9 --temperature 1.0 --concurrency 64`,
		Args: args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := resolve(sys, c.Flags(), file)
			if err != nil {
				return usage(err)
			}
			if err := validate(r); err != nil {
				return usage(err)
			}
			if err := out.check(); err != nil {
				return err
			}
			job, err := newJob(sys, r)
			if err != nil {
				return usage(err)
			}
			defer job.close()
			if dry {
				return job.describe(sys)
			}
			return job.run(c.Context(), sys, &out)
		},
	}
	runFlags(c.Flags(), &shown)
	c.Flags().StringVar(&file, "config", "", "YAML file with keys named like these flags; flags win")
	c.Flags().BoolVar(&dry, "dry-run", false, "print the plan and what it costs in model calls, and stop")
	out.flags(c)
	return c
}

// job is a run that is ready to start.
type job struct {
	config  configs.Run
	plan    *eval.Plan
	spec    *eval.Spec
	clients map[string]*model.Client // by player
	prompts map[string]record.Prompt // by environment
	dir     string
}

// newJob sets up environments, models and plan. It speaks to no server.
func newJob(sys *system, r configs.Run) (*job, error) {
	j := &job{config: r, spec: &eval.Spec{}, clients: map[string]*model.Client{}, prompts: map[string]record.Prompt{}}
	var err error
	if j.spec.Seeds, err = eval.ParseSeeds(r.Seeds); err != nil {
		return nil, err
	}
	for _, name := range r.Model {
		p := eval.Player{Name: name, Agent: name}
		if !isBaseline(name) {
			client, err := openModel(sys, r, name)
			if err != nil {
				return nil, err
			}
			j.clients[name] = client
			p = eval.Player{Name: name, Agent: r.Agent, Model: client, Decoding: decoding(r), ContextOption: r.Context}
		}
		j.spec.Players = append(j.spec.Players, p)
	}
	for _, name := range r.Env {
		if err := j.addBenchmark(name); err != nil {
			return nil, err
		}
	}
	if j.plan, err = eval.NewPlan(*j.spec); err != nil {
		return nil, err
	}
	if j.dir = r.Out; j.dir == "" {
		j.dir = filepath.Join("runs", directoryName(r, j.plan.Hash()))
	}
	return j, nil
}

func (j *job) addBenchmark(name string) error {
	r := j.config
	env, err := catalog.Open(name, catalog.Options{
		Data: r.Data, GeneratorSeed: r.GeneratorSeed,
		Jericho: jericho.Options{Bindings: r.JerichoBindings, Huntdark: r.Huntdark},
	})
	if err != nil {
		return err
	}
	b := eval.Benchmark{Env: env, StepLimit: r.StepLimit}
	if b.StepLimit == 0 {
		b.StepLimit = env.Info().StepLimit
	}
	if b.Tasks, err = eval.SelectTasks(env.Tasks(), r.Tasks, r.Limit); err != nil {
		return fmt.Errorf("environment %s: %w", name, err)
	}
	if len(j.clients) > 0 {
		var about record.Prompt
		if b.Prompt, about, err = loadPrompt(name, r.Prompt); err != nil {
			return err
		}
		for _, t := range b.Tasks {
			if _, err := b.Prompt.For(t.Type); err != nil {
				return fmt.Errorf("%s: %w", about.File, err)
			}
		}
		b.PromptHash = about.SHA256
		j.prompts[name] = about
	}
	j.spec.Benchmarks = append(j.spec.Benchmarks, b)
	return nil
}

// notInName matches what a directory name should not have.
var notInName = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// directoryName names a run after its environments, models and plan.
func directoryName(r configs.Run, hash string) string {
	name := notInName.ReplaceAllString(strings.Join(append(append([]string{}, r.Env...), r.Model...), "-"), "-")
	return strings.Trim(name[:min(len(name), 60)], "-.") + "-" + hash
}

func (j *job) close() {
	for _, c := range j.clients {
		c.Close()
	}
}

// describe prints the plan.
func (j *job) describe(sys *system) error {
	var b strings.Builder
	fmt.Fprintf(&b, "run directory: %s\n", j.dir)
	for _, g := range j.plan.Groups {
		c := g.Condition
		fmt.Fprintf(&b, "%s (%s), %s, agent %s, seed %d: %d episodes of at most %d steps\n",
			c.Env, c.Source, c.Model, c.Agent, c.Seed, len(g.Episodes), c.StepLimit)
	}
	fmt.Fprintf(&b, "together: %d episodes, at most %d model calls\n", len(j.plan.Episodes), j.plan.MaxCalls())
	_, err := sys.stdout.Write([]byte(b.String()))
	return err
}

// run plays what is missing and prints the tables.
func (j *job) run(ctx context.Context, sys *system, out *output) error {
	servers, err := j.meetServers(ctx)
	if err != nil {
		return err
	}
	session, err := eval.Begin(j.dir, j.plan, eval.About{Tool: sys.tool, Prompts: j.prompts, Servers: servers}, sys.now)
	if err != nil {
		return err
	}
	if n := session.Store.Recovered; n > 0 {
		fmt.Fprintf(sys.stderr, "took away %d bytes of an episode that a crash left unfinished\n", n)
	}
	missing, _ := j.plan.Missing(session.Store.Results)
	if done := len(j.plan.Episodes) - len(missing); done > 0 {
		fmt.Fprintf(sys.stderr, "%d of %d episodes already have a result in %s\n", done, len(j.plan.Episodes), j.dir)
	}
	shown := newProgress(sys, len(missing))
	runErr := eval.Run(ctx, j.plan, session.Store, eval.Options{Concurrency: j.config.Concurrency, Now: sys.now, Observer: shown})
	shown.finish()
	if err := errors.Join(runErr, session.End()); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("stopped; what is finished is kept in %s, and the same command continues", j.dir)
		}
		return fmt.Errorf("%w\nwhat is finished is kept in %s, and the same command continues", err, j.dir)
	}
	runs, err := out.print(sys, []string{j.dir})
	if err != nil {
		return err
	}
	fmt.Fprintf(sys.stderr, "records: %s\n", j.dir)
	return complete(runs)
}

// complete reports episodes without a result.
func complete(runs []report.Run) error {
	missing, tooLong := 0, 0
	for _, run := range runs {
		for _, s := range run.Scores {
			missing += s.Planned - s.Finished
			tooLong += s.Unfinished[record.ContextExceeded]
		}
	}
	if missing == 0 {
		return nil
	}
	err := fmt.Errorf("%d episodes have no result; the same command tries them again", missing)
	if tooLong > 0 {
		err = fmt.Errorf("%w\n%d of them do not fit the model's context: they need a longer one, or a shorter --prompt", err, tooLong)
	}
	return &codedError{err, exitIncomplete}
}

// meetServers asks every server about itself before the first episode: a wrong
// address or name must not cost an evening. It settles the contexts in force.
func (j *job) meetServers(ctx context.Context) (map[string]model.Server, error) {
	servers := map[string]model.Server{}
	for i := range j.spec.Players {
		p := &j.spec.Players[i]
		client, ok := j.clients[p.Name]
		if !ok {
			continue
		}
		s, err := client.Server(ctx)
		if err != nil {
			return nil, err
		}
		if len(s.Models) > 0 && !s.Present {
			return nil, fmt.Errorf("the server has no model of the name in %s; it has: %s", p.Name, strings.Join(s.Models, ", "))
		}
		p.ContextLimit = client.ContextLimit()
		if p.ContextLimit > 0 && p.Decoding.MaxTokens >= p.ContextLimit {
			return nil, usage(fmt.Errorf("max-tokens %d leaves no room for a prompt in the context of %d tokens that %s has", p.Decoding.MaxTokens, p.ContextLimit, p.Name))
		}
		servers[p.Name] = s
	}
	return servers, nil
}
