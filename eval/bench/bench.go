// Package bench turns a configuration into a run. Resolve and Validate settle what to run; New prepares
// environments, models and the plan without asking a server; Meet asks the servers about themselves; Begin opens
// the run directory, and Play plays the missing episodes. The package prints nothing.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/fleet"
	"heldout/scoring/record"
)

// Outside is what a run uses from outside the process.
type Outside struct {
	// Context is as in envs.Outside.
	Context context.Context
	// Now tells the time.
	Now func() time.Time
	// Getenv reads an environment variable.
	Getenv func(string) string
	// Data is the user's own data folder, which applies if no other is named; empty for none.
	Data string
	// Pulled is the data folder into which originals are pulled if no other is named; empty for none.
	Pulled string
	// Proxy finds the proxy for a request, in the form that http.Transport expects; nil for none.
	Proxy func(*http.Request) (*url.URL, error)
	// Dial opens WebSockets; nil where there are none.
	Dial envs.Dial
	// Tool is this build of heldout.
	Tool record.Tool
	// Warn receives one-line notes that the user should see during the run. It is called from many goroutines.
	Warn func(line string)
}

// userAgent identifies heldout to servers.
func (o Outside) userAgent() string { return "heldout/" + o.Tool.Version }

// Envs returns what environments may use from outside the process.
func (o Outside) Envs() envs.Outside {
	out := envs.Outside{Context: o.Context, Now: o.Now, Tool: o.userAgent(), Dial: o.Dial}
	if o.Proxy != nil {
		out.Proxy = func(address *url.URL) (*url.URL, error) { return o.Proxy(&http.Request{URL: address}) }
	}
	return out
}

// RunsDir is the folder of run directories that have no name of their own.
const RunsDir = "runs"

// Job is a run that is ready to start.
type Job struct {
	Config configs.Run
	Plan   *eval.Plan
	// Dir is the run directory.
	Dir string
	// Served are the players whose models are on servers.
	Served []Served

	outside Outside
	kind    Purpose
	specs   []*eval.Spec
	about   eval.About // Prompts by environment, or by preset; Meet sets the Reports
	// trials are nil if a task has one trial.
	trials   *episode.Trials
	absent   map[string]error // why models have no server, by player; set by Meet
	external []io.Closer      // environments that others run, and the program
	program  *agent.Program   // an agent of the user's; nil for none
}

// Served is a model that is on a server, with its players: one, or one per preset.
type Served struct {
	Players []*episode.Player
	Fleet   *fleet.Fleet
}

// New sets up environments, models and plan. It contacts no server. Close the job when it is done.
func New(out Outside, kind Purpose, chosen ...Chosen) (*Job, error) {
	return newJob(out, kind, nil, chosen)
}

// newJob is New with an agent of the user's, if there is one. The job closes it.
func newJob(out Outside, kind Purpose, program *agent.Program, chosen []Chosen) (*Job, error) {
	j := &Job{Config: chosen[0].Run, kind: kind, outside: out, program: program}
	j.about.Prompts = map[string]record.Prompt{}
	if program != nil {
		j.external = append(j.external, program)
	}
	if err := j.prepare(chosen); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

func (j *Job) prepare(chosen []Chosen) error {
	if err := onePerEnv(j.kind, chosen); err != nil {
		return err
	}
	j.Config.Env = nil
	for _, c := range chosen {
		if err := j.add(c); err != nil {
			return err
		}
		name := c.name()
		if envs.IsExternal(name) { // else the name of the run directory would have the command
			b := j.specs[len(j.specs)-1].Benchmarks
			name = b[len(b)-1].Env.Info().Name
		}
		j.Config.Env = append(j.Config.Env, name)
	}
	if err := j.addPerturbations(); err != nil {
		return err
	}
	return j.plan()
}

// add plans to play a preset. All of the default have the same players.
func (j *Job) add(c Chosen) error {
	if len(j.specs) == 0 || !c.isDefault() {
		spec, err := j.newSpec(c.Run, c.effective().Agent.Reflection)
		if err != nil {
			return err
		}
		j.specs = append(j.specs, spec)
	}
	spec := j.specs[len(j.specs)-1]
	b, err := j.benchmark(c, spec.Players)
	if err == nil {
		err = checkAbilities(b, spec.Players)
	}
	if err != nil && !c.isDefault() {
		err = fmt.Errorf("preset %s: %w", c.name(), err)
	}
	spec.Benchmarks = append(spec.Benchmarks, b)
	return err
}

// newSpec has the seeds and players of a run, whose reflections have that form.
func (j *Job) newSpec(r configs.Run, form configs.ReflectionForm) (*eval.Spec, error) {
	seeds, err := eval.ParseSeeds(r.Seeds)
	if err != nil {
		return nil, err
	}
	if err := j.setTrials(r, form); err != nil {
		return nil, err
	}
	names := slices.Concat(r.Model, j.anchors())
	spec := &eval.Spec{Seeds: seeds, Players: make([]episode.Player, len(names))}
	for i, name := range names {
		if err := j.setPlayer(r, name, &spec.Players[i]); err != nil {
			return nil, err
		}
		spec.Players[i].Anchor = i >= len(r.Model)
	}
	return spec, nil
}

// plan plans the episodes and names the run directory.
func (j *Job) plan() (err error) {
	if j.Plan, err = eval.NewPlan(j.specs...); err != nil {
		return err
	}
	if j.Dir = j.Config.Out; j.Dir == "" {
		j.Dir = filepath.Join(RunsDir, directoryName(j.Config, j.Plan.Hash()))
		former := filepath.Join(RunsDir, formerName(j.Config, j.Plan.Hash()))
		if _, err := os.Stat(former); err == nil {
			j.Dir = former
		}
	}
	if j.Config.Shard == "" {
		return nil
	}
	shard, err := shardOf(j.Config.Shard, j.outside.Getenv)
	if err != nil {
		return err
	}
	j.Plan, j.Dir = j.Plan.Part(shard), filepath.Join(j.Dir, shard.Dir())
	return nil
}

// setPlayer makes p the player of that name, and opens its model.
func (j *Job) setPlayer(r configs.Run, name string, p *episode.Player) error {
	*p = episode.Player{Name: name, Agent: name}
	if IsBaseline(name) {
		return nil
	}
	if isProgram(name) {
		*p = episode.Player{Name: name, Agent: record.Own, Program: j.program, Identity: j.identity(r, name),
			Order: r.Order}
		return nil
	}
	i := slices.IndexFunc(j.Served, func(s Served) bool { return s.Players[0].Name == name })
	if i < 0 {
		client, err := openModel(j.outside, r, name)
		if err != nil {
			return err
		}
		i = len(j.Served)
		j.Served = append(j.Served, Served{Fleet: client})
	}
	served := &j.Served[i]
	*p = episode.Player{Name: name, Agent: r.Agent, Model: served.Fleet, Decoding: r.AgentDecoding(),
		NoSystemRole: r.NoSystemRole, Completions: r.Completions, ContextOption: r.Context,
		HistoryShare: r.HistoryShare, Trials: j.trials, Identity: j.identity(r, name)}
	served.Players = append(served.Players, p)
	return nil
}

// oneKind reports tasks of the benchmark beside others: a rate over both would be one of neither.
func oneKind(tasks []envs.Task) error {
	outside := func(t envs.Task) bool { return t.Index < 0 }
	if i := slices.IndexFunc(tasks, outside); i > 0 {
		return fmt.Errorf("%s is a task of the benchmark and %s is not: play them in two runs", tasks[0].ID,
			tasks[i].ID)
	}
	return nil
}

func (j *Job) open(r configs.Run, name string) (envs.Env, error) {
	outside := j.outside.Envs()
	outside.Keep = filepath.Dir(cmp.Or(r.Out, filepath.Join(RunsDir, "any")))
	env, err := catalog.Reach(name, r.Setup, outside)
	if closer, ok := env.(io.Closer); ok {
		j.external = append(j.external, closer)
	}
	return env, err
}

// notInName matches what a directory name should not contain.
var notInName = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// mostNamed is how many environments or models the name of a directory has; of more it has the number.
const mostNamed = 2

// directoryName names a run after its environments, models and plan.
func directoryName(r configs.Run, hash string) string {
	named := func(list []string, noun string) []string {
		if len(list) > mostNamed {
			return []string{strconv.Itoa(len(list)) + noun}
		}
		return list
	}
	var models []string
	for _, spec := range r.Model {
		_, name, _ := strings.Cut(spec, ":")
		models = append(models, path.Base(cmp.Or(name, spec)))
	}
	name := strings.Join(append(named(r.Env, "envs"), named(models, "models")...), "-")
	name = notInName.ReplaceAllString(name, "-")
	return strings.Trim(name[:min(len(name), 30)], "-.") + "-" + hash
}

// formerName is the name that earlier versions gave to the directory, for runs that they began.
func formerName(r configs.Run, hash string) string {
	name := notInName.ReplaceAllString(strings.Join(append(slices.Clone(r.Env), r.Model...), "-"), "-")
	return strings.Trim(name[:min(len(name), 60)], "-.") + "-" + hash
}

// Close closes connections, and ends environments that others run.
func (j *Job) Close() {
	for _, s := range j.Served {
		s.Fleet.Close()
	}
	for _, env := range j.external {
		_ = env.Close() // nothing more comes of it
	}
}
