package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval"
	"heldout/eval/model"
	"heldout/eval/record"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// runsDir is where run directories are made.
const runsDir = "runs"

// job is a run that is ready to start.
type job struct {
	config  configs.Run
	plan    *eval.Plan
	spec    *eval.Spec
	served  []served
	opened  []envs.Env
	prompts map[string]record.Prompt // by environment
	sweep   *record.Sweep            // nil for a run without perturbations
	dir     string
}

// served is a player whose model is on a server.
type served struct {
	player *eval.Player
	client *model.Client
}

// newJob sets up environments, models and plan. It speaks to no server.
func newJob(sys *system, r configs.Run) (*job, error) {
	j := &job{config: r, spec: &eval.Spec{}, prompts: map[string]record.Prompt{}}
	if err := j.prepare(sys); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

func (j *job) prepare(sys *system) (err error) {
	r := j.config
	if j.spec.Seeds, err = eval.ParseSeeds(r.Seeds); err != nil {
		return err
	}
	j.spec.Players = make([]eval.Player, len(r.Model))
	for i, name := range r.Model {
		if err := j.setPlayer(sys, r, name, &j.spec.Players[i]); err != nil {
			return err
		}
	}
	for _, name := range r.Env {
		if err := j.addBenchmark(sys, name); err != nil {
			return err
		}
	}
	if err := j.addPerturbations(sys); err != nil {
		return err
	}
	if j.plan, err = eval.NewPlan(*j.spec); err != nil {
		return err
	}
	if j.dir = r.Out; j.dir == "" {
		j.dir = filepath.Join(runsDir, directoryName(r, j.plan.Hash()))
	}
	return nil
}

// setPlayer makes p the player of that name, and opens its model.
func (j *job) setPlayer(sys *system, r configs.Run, name string, p *eval.Player) error {
	*p = eval.Player{Name: name, Agent: name}
	if isBaseline(name) {
		return nil
	}
	client, err := openModel(sys, r, name)
	if err != nil {
		return err
	}
	*p = eval.Player{Name: name, Agent: r.Agent, Model: client, Decoding: decoding(r), NoSystemRole: r.NoSystemRole, Completions: r.Completions, ContextOption: r.Context}
	j.served = append(j.served, served{p, client})
	return nil
}

func (j *job) addBenchmark(sys *system, name string) error {
	r := j.config
	outside := sys.outside()
	outside.Keep = filepath.Dir(cmp.Or(r.Out, filepath.Join(runsDir, "any")))
	env, err := catalog.Open(name, r.Setup, outside)
	if err != nil {
		return err
	}
	j.opened = append(j.opened, env)
	b := eval.Benchmark{Env: env, StepLimit: r.StepLimit}
	if b.StepLimit == 0 {
		b.StepLimit = env.Info().StepLimit
	}
	if b.Tasks, err = eval.SelectTasks(env, r.Tasks, r.Limit); err != nil {
		return fmt.Errorf("environment %s: %w", name, err)
	}
	if len(j.served) > 0 {
		if d := env.Info().Settings["dialect"]; d != "" && r.Prompt == "" {
			return fmt.Errorf("our prompt for %s speaks dialect v1, not %s: give one that does with --prompt", name, d)
		}
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
	for _, s := range j.served {
		s.client.Close()
	}
	for _, env := range j.opened {
		closeEnv(env)
	}
}

// closeEnv closes an environment that holds something. What it says then, when
// everything else is done, helps nobody.
func closeEnv(env envs.Env) {
	if c, ok := envs.As[io.Closer](env); ok {
		c.Close()
	}
}

// describe prints the plan.
func (j *job) describe(sys *system) error {
	var b strings.Builder
	fmt.Fprintf(&b, "run directory: %s\n", j.dir)
	for _, g := range j.plan.Groups {
		c := g.Condition
		fmt.Fprintf(&b, "%s (%s), %s, agent %s, perturbation %s, seed %d: %d episodes of at most %d steps\n",
			c.Env, c.Source, c.Model, c.Agent, c.Perturbation, c.Seed, len(g.Episodes), c.StepLimit)
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
	session, err := eval.Begin(j.dir, j.plan, eval.About{Tool: sys.tool, Prompts: j.prompts, Servers: servers, Sweep: j.sweep}, sys.now)
	if err != nil {
		return err
	}
	warn := func() {
		for _, text := range session.Store.TakeWarnings() {
			fmt.Fprintf(sys.stderr, "warning: %s\n", table.Printable(text))
		}
	}
	warn()
	if n := session.Store.Recovered; n > 0 {
		fmt.Fprintf(sys.stderr, "passed over %d bytes of an episode that a crash left unfinished\n", n)
	}
	missing, _ := j.plan.Missing(session.Store.Results)
	if done := len(j.plan.Episodes) - len(missing); done > 0 {
		fmt.Fprintf(sys.stderr, "%d of %d episodes already have a result in %s\n", done, len(j.plan.Episodes), j.dir)
	}
	shown := newProgress(sys, missing, j.config.Concurrency, out.quiet)
	runErr := eval.Run(ctx, j.plan, session.Store, eval.Options{Concurrency: j.config.Concurrency, Now: sys.now, Observer: shown,
		AllowUnusable: j.config.AllowUnusable, Warn: shown.warn})
	err = errors.Join(runErr, session.End())
	shown.finish()
	warn()
	if err != nil {
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
	for _, known := range j.served {
		p, client := known.player, known.client
		s, err := client.Server(ctx)
		if err != nil {
			return nil, err
		}
		if s.Software != "" && len(s.Models) > 0 && !s.Present { // services have models that they do not list
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
