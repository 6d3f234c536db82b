package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode/episodetest"
	"heldout/scoring/record"
)

// design is a set of runs that nobody played, with every result that is in them.
type design struct {
	number int
	models []string // as tables name them
	places []*designPlace
	// under are the perturbations of a sweep of the first place; empty for none.
	under []string
	cells map[cellKey]*cell
	// What is asked of the runs.
	rate, reference string
	margin          float64 // in points
	published       bool
	// trials is the number of trials of a task, 0 for one; players are what models then are:
	// cells of "last" have what is reached after the last trial.
	trials  int
	players map[string]player
	// equal: all models solve tasks with the same probability, also under perturbations.
	equal bool
	// protocols are how models were played, as far as that is not the default.
	protocols map[string]protocol
	dirs      []string
}

// protocol is how a model was played, and what its server said of it; nothing stands for the default.
type protocol struct {
	steps, context    int
	temperature       float64
	prompt, agent     string
	weights, template string
}

// designPlace is an environment with its tasks.
type designPlace struct {
	env, title string
	measures   [2]string // of success and progress
	tasks      []envs.Task
	kinds      []string
	official   bool
	whole      bool // the tasks are the whole benchmark
}

type cellKey struct{ model, env, under string }

// cell is what a model played in a place.
type cell struct {
	tasks  []int // of the place
	seeds  []int64
	played map[slot]outcome
	failed map[slot]record.Outcome
	later  map[slot][]outcome // of the trials after the first
	due    bool               // results of later trials are missing
}

type slot struct {
	task int
	seed int64
}

type outcome struct {
	success       bool
	progress      float64
	steps, unread int
}

var designEnvs = []designPlace{
	{env: "alfworld", title: "ALFWorld", measures: [2]string{"SR", "PR"}},
	{env: "babyai", title: "BabyAI", measures: [2]string{"SR", "PR"}},
	{env: "sciworld", title: "SciWorld", measures: [2]string{"SR", "PR"}},
	{env: "pddl", title: "PDDL", measures: [2]string{"SR", "PR"}},
	{env: "jericho", title: "Jericho", measures: [2]string{"SR", "PR"}},
	{env: "hotpotqa", title: "HotpotQA", measures: [2]string{"EM", "F1"}},
}

// newDesign draws a design.
func newDesign(number int, equal bool) *design { return drawDesign(number, equal, false) }

func drawDesign(number int, equal, sweep bool) *design {
	rng := rand.New(rand.NewPCG(uint64(number), map[bool]uint64{false: 50, true: 51}[sweep]))
	d := &design{number: number, rate: "SR", cells: map[cellKey]*cell{}, equal: equal}
	chance := func(p float64) bool { return rng.Float64() < p }
	names := []string{"base", "tuned", "m-8b", "refine", "agent-x", "zeta"}
	if chance(0.12) { // trainings of two arms or more
		names = []string{"arm-0", "arm-1", "leg-0", "leg-1", "leg-2", "base"}
	}
	d.models = names[:1+rng.IntN(len(names))]
	order := rng.Perm(len(designEnvs))
	for _, i := range order[:1+rng.IntN(len(order))] {
		d.places = append(d.places, drawnPlace(rng, designEnvs[i]))
	}
	if chance(0.25) { // all environments of the held-out score
		d.places = nil
		for _, i := range []int{0, 1, 2, 3, 4} {
			p := drawnPlace(rng, designEnvs[i])
			p.official, p.whole = true, true
			d.places = append(d.places, p)
		}
	}
	if chance(0.2) || sweep {
		d.places = d.places[:1]
		p := drawnPlace(rng, designEnvs[0])
		d.places[0] = p
		d.under = []string{"P1", "P2", "P3", "P4"}[:1+rng.IntN(4)]
	}
	if len(d.under) == 0 && chance(0.1) {
		d.retried(rng)
	}
	seeds := 1 + rng.IntN(4)
	if chance(0.1) {
		seeds = 10
	}
	level := rng.NormFloat64()
	for _, m := range d.models {
		skill := level + 1.5*rng.NormFloat64()
		for _, p := range d.places {
			own := seeds
			if chance(0.15) {
				own = 1 + rng.IntN(4)
			}
			d.cells[cellKey{m, p.env, "none"}] = d.drawnCell(rng, p, own, skill+rng.NormFloat64())
			for _, under := range d.under {
				if c := d.drawnCell(rng, p, own, skill-2*rng.Float64()); !chance(0.05) {
					d.cells[cellKey{m, p.env, under}] = c
				}
			}
			if chance(0.08) && p != d.places[0] {
				delete(d.cells, cellKey{m, p.env, "none"})
			}
		}
	}
	d.ties(rng)
	d.ask(rng)
	d.retry(rng)
	d.play(rng)
	return d
}

// play draws how models were played: now and then not all in one way.
func (d *design) play(rng *rand.Rand) {
	d.protocols = map[string]protocol{}
	if rng.Float64() > 0.35 || d.trials > 0 || d.trained() {
		return
	}
	all := rng.Float64() < 0.2 // all in one other way
	var own protocol
	for _, m := range d.models {
		if p := &own; !all || m == d.models[0] {
			*p = protocol{}
			chance := func(share float64) bool { return rng.Float64() < share }
			if chance(0.4) {
				p.steps = []int{20, 40}[rng.IntN(2)]
			}
			if chance(0.4) {
				p.temperature = []float64{0.3, 0.7}[rng.IntN(2)]
			}
			if chance(0.3) {
				p.prompt = "v1"
			}
			if chance(0.2) {
				p.agent = "act"
			}
			if chance(0.2) {
				p.context = 4096
			}
			if chance(0.5) {
				p.weights = []string{"digest-1", "digest-2"}[rng.IntN(2)]
			}
			if chance(0.3) {
				p.template = []string{"template-1", "template-2"}[rng.IntN(2)]
			}
			if chance(0.2) {
				*p = protocol{steps: p.steps, agent: record.Own}
			}
		}
		d.protocols[m] = own
	}
}

// ties gives a model the results of another one, now and then.
func (d *design) ties(rng *rand.Rand) {
	if len(d.models) < 2 || rng.Float64() > 0.15 {
		return
	}
	for _, p := range d.places {
		one := d.cells[cellKey{d.models[0], p.env, "none"}]
		if one != nil && d.cells[cellKey{d.models[1], p.env, "none"}] != nil {
			d.cells[cellKey{d.models[1], p.env, "none"}] = one
		}
	}
}

// ask draws what is asked of the runs.
func (d *design) ask(rng *rand.Rand) {
	if rng.Float64() < 0.2 {
		d.rate = "PR"
	}
	if rng.Float64() < 0.15 {
		d.margin = []float64{2, 5, 20}[rng.IntN(3)]
	}
	if len(d.models) > 2 && len(d.under) == 0 && rng.Float64() < 0.15 {
		d.reference = d.models[rng.IntN(len(d.models))]
	}
	d.published = rng.Float64() < 0.15
}

func drawnPlace(rng *rand.Rand, of designPlace) *designPlace {
	p := of
	n, kinds := 1+rng.IntN(16), 1+rng.IntN(5)
	if rng.Float64() < 0.2 {
		n = 20 + rng.IntN(30)
	}
	for i := range n {
		task := envs.Task{ID: fmt.Sprintf("%s-%03d/trial", p.env, i), Index: i, Type: fmt.Sprintf("kind%d", i%kinds),
			Digest: fmt.Sprintf("%s %d", p.env, i)}
		kind := task.Type
		switch p.env {
		case "jericho":
			task.Type = fmt.Sprintf("game%d", i)
			kind = task.Type
		case "hotpotqa":
			kind = task.ID
		}
		p.tasks, p.kinds = append(p.tasks, task), append(p.kinds, kind)
	}
	p.official = rng.Float64() < 0.7
	p.whole = rng.Float64() < 0.7
	return &p
}

// drawnCell plays tasks of a place: now and then not all of them.
func (d *design) drawnCell(rng *rand.Rand, p *designPlace, seeds int, skill float64) *cell {
	c := &cell{played: map[slot]outcome{}, failed: map[slot]record.Outcome{}}
	for i := range p.tasks {
		c.tasks = append(c.tasks, i)
	}
	if len(d.under) == 0 && rng.Float64() < 0.06 && len(p.tasks) > 3 { // other tasks than others
		c.tasks = c.tasks[rng.IntN(2) : len(c.tasks)-rng.IntN(2)]
	}
	for s := range seeds {
		c.seeds = append(c.seeds, int64(s))
	}
	chance := func(p float64) bool { return rng.Float64() < p }
	certain, unread := rng.Float64(), 0.0
	if chance(0.2) {
		unread = 0.2 * rng.Float64()
	}
	var all []slot
	for _, s := range c.seeds {
		for _, t := range c.tasks {
			all = append(all, slot{t, s})
		}
	}
	until := len(all)
	switch state := rng.Float64(); {
	case state < 0.08:
		until = rng.IntN(len(all) + 1) // half done
	case state < 0.12:
		until = 0
	}
	loss := 0.0
	if chance(0.12) {
		loss = 0.15 * rng.Float64()
	}
	if d.equal {
		skill, certain = 0, 1
	}
	ease := map[int]float64{}
	for i, at := range all {
		if _, known := ease[at.task]; !known {
			ease[at.task] = skill + 1.2*rng.NormFloat64()
		}
		if i >= until {
			continue
		}
		if chance(loss) {
			c.failed[at] = []record.Outcome{record.ModelError, record.EnvError, record.ContextExceeded,
				record.Cancelled}[rng.IntN(4)]
			continue
		}
		o := outcome{success: rng.NormFloat64() < ease[at.task], steps: 2 + rng.IntN(5)}
		switch {
		case certain < 0.06:
			o.success = false
		case certain < 0.12:
			o.success = true
		}
		if o.progress = 1; !o.success {
			o.progress = float64(rng.IntN(4)) / 4
		}
		for range o.steps - 1 {
			if chance(unread) {
				o.unread++
			}
		}
		c.played[at] = o
	}
	return c
}

// write writes a run directory for each model.
func (d *design) write(t testing.TB, root string) {
	t.Helper()
	for i, model := range d.models {
		dir := filepath.Join(root, fmt.Sprintf("run-%d", i))
		sharedtest.OK(t, os.MkdirAll(dir, 0o755))
		d.writeModel(t, dir, model)
		d.dirs = append(d.dirs, dir)
	}
}

func (d *design) writeModel(t testing.TB, dir, model string) {
	t.Helper()
	m := record.Manifest{Schema: record.Schema, Behaviour: 2, Prompts: map[string]record.Prompt{}}
	own := d.protocols[model]
	for _, p := range d.places {
		m.Prompts[p.env] = record.Prompt{File: record.BuiltIn, Version: cmp.Or(own.prompt, configs.PromptVersions()[0]),
			SHA256: "0123456789abcdef"}
	}
	if own.weights+own.template != "" {
		m.Servers = map[string][]record.ServerReport{"vllm:" + d.spec(model): {{Software: "ollama", Present: true,
			Digest: own.weights, Template: own.template}}}
	}
	if len(d.under) > 0 {
		m.Sweep = &record.Sweep{Env: d.places[0].env}
		for _, name := range d.under {
			m.Sweep.Perturbations = append(m.Sweep.Perturbations, record.Perturbation{Name: name,
				Title: "title of " + name, File: "built-in", SHA256: "hash of " + name, Rules: &record.Rules{}})
		}
	}
	var lines bytes.Buffer
	out := bufio.NewWriter(&lines)
	for _, p := range d.places {
		for _, under := range append([]string{"none"}, d.under...) {
			c := d.cells[cellKey{model, p.env, under}]
			if c == nil {
				continue
			}
			env := record.Environment{Info: envs.Info{Name: p.env, Source: envs.Generated, StepLimit: 30},
				Total: len(p.tasks)}
			if p.official {
				env.Source = envs.Official
			}
			if !p.whole {
				env.Total += 10
			}
			if p.measures[0] != "SR" {
				env.SuccessName, env.ProgressName = p.measures[0], p.measures[1]
			}
			for _, i := range c.tasks {
				env.Tasks = append(env.Tasks, p.tasks[i])
			}
			if under == "none" || d.cells[cellKey{model, p.env, "none"}] == nil && !slices.ContainsFunc(m.Environments,
				func(e record.Environment) bool { return e.Name == p.env }) {
				m.Environments = append(m.Environments, env)
			}
			for _, seed := range c.seeds {
				usual := configs.DefaultRun()
				usual.Agent = cmp.Or(own.agent, "react")
				decoding := usual.AgentDecoding()
				decoding.Temperature, decoding.TopP = cmp.Or(own.temperature, 1), 1
				g := record.Group{Condition: record.Condition{Env: p.env, Source: env.Source,
					Model: "vllm:" + d.spec(model),
					Agent: usual.Agent, Perturbation: under, StepLimit: cmp.Or(own.steps, 30), Seed: seed,
					PromptHash: "0123456789abcdef" + own.prompt, Context: own.context,
					Decoding: &decoding}}
				g.Condition.Trials = d.conditionOf(model)
				if own.agent == record.Own {
					g.Condition.Model = record.OwnModel + model
					g.Condition.Decoding, g.Condition.PromptHash, g.Condition.Context = nil, "", 0
					g.Condition.Player = &record.Identity{Version: "1"}
				}
				if under != "none" {
					g.Condition.PerturbationHash = "hash of " + under
				}
				for _, i := range c.tasks {
					id := sharedtest.Must(record.EpisodeID(2, p.tasks[i], g.Condition))(t)
					g.Episodes = append(g.Episodes, id)
					c.lines(t, out, id, &g.Condition, p.tasks[i], slot{i, seed})
				}
				m.Groups = append(m.Groups, g)
			}
		}
	}
	manifest, err := record.EncodeFile(&m)
	if err == nil {
		err = out.Flush()
	}
	for name, content := range map[string][]byte{"run.json": manifest, "episodes.jsonl": lines.Bytes()} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o644)
		}
	}
	sharedtest.OK(t, err)
}

// lines writes the attempts at an episode: of each trial one, if there is one.
func (c *cell) lines(t testing.TB, out *bufio.Writer, id string, of *record.Condition, task envs.Task, at slot) {
	t.Helper()
	o, ok := c.played[at]
	if why := c.failed[at]; ok || why != "" {
		line(t, out, attempt(id, of, task, at, o, 1), why)
	}
	for i, o := range c.later[at] {
		line(t, out, attempt(id, of, task, at, o, i+2), "")
	}
}

// attempt is a trial of a task.
func attempt(id string, of *record.Condition, task envs.Task, at slot, o outcome, trial int) *record.Episode {
	e := record.Episode{Result: record.Result{Schema: record.Schema, ID: record.TrialID(id, trial), Attempt: 1,
		Env: of.Env, Source: of.Source,
		Task: task.ID, TaskIndex: task.Index, TaskType: task.Type, Model: of.Model, Agent: of.Agent, Seed: of.Seed,
		Perturbation: of.Perturbation, Outcome: record.Failure, Started: time.Unix(1, 0), Ended: time.Unix(2, 0)}}
	for i := range o.steps {
		s := record.Step{Thought: "I look.", Action: fmt.Sprintf("go %d", i), Observation: fmt.Sprint(i), Valid: true,
			FinishReason: "stop"}
		if i < o.unread {
			s.Action, s.Valid, s.FormatError, s.Fault, s.Reply = "", false, true, record.NoAction, "Well."
		}
		if i == o.steps-1 {
			s.Progress = o.progress
		}
		e.Trajectory = append(e.Trajectory, s)
	}
	e.Calls, e.Requests = len(e.Trajectory), len(e.Trajectory)
	if o.success {
		e.Outcome, e.Success = record.Success, true
	}
	if t := of.Trials; t != nil {
		e.Trial = trial
		if !o.success && trial < t.Limit && t.Memory > 0 {
			e.Reflection = &record.Reflection{Text: "I plan.", Calls: 1, Requests: 1}
		}
	}
	episodetest.Settle(&e)
	return &e
}

// line writes an attempt, which has no result for a reason that is not empty.
func line(t testing.TB, out *bufio.Writer, e *record.Episode, why record.Outcome) {
	t.Helper()
	if why != "" {
		e.Outcome, e.Success, e.Error, e.Reflection = why, false, "it is gone", nil
	}
	body := sharedtest.Must(json.Marshal(e))(t)
	body = body[:len(body)-1]
	sum := sha256.Sum256(body)
	fmt.Fprintf(out, "%s,\"checksum\":%q}\n", body, hex.EncodeToString(sum[:8]))
}
