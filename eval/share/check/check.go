package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/bench"
	"heldout/eval/episode"
	"heldout/eval/share/bundle"
	"heldout/scoring/record"
)

// Options say what a check has besides the bundle.
type Options struct {
	Texts   bench.Texts   // where data and prompts are
	Workers int           // how many episodes are played at once, at least 1
	Signers string        // a file of those who may sign; empty if signatures are not read
	worlds  *bench.Worlds // the worlds of earlier checks with the same Texts; nil if there were none
}

// Report is what a check found.
type Report struct {
	Claims []Claim `json:"claims"`
	// Runs, Episodes and Steps count what was played again.
	Runs     int `json:"runs"`
	Episodes int `json:"episodes"`
	Steps    int `json:"steps"`
}

// Failed reports whether any claim fails, and whether all that do fail only because something was not played.
func (r *Report) Failed() (failed, incomplete bool) {
	incomplete = true
	for _, c := range r.Claims {
		if c.Verdict == Fails {
			failed, incomplete = true, incomplete && c.Incomplete
		}
	}
	return failed, failed && incomplete
}

// Unchecked reports whether the check of any claim needs what is not here.
func (r *Report) Unchecked() bool {
	return slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Verdict == Unchecked })
}

// File checks the bundle in a file, which it unpacks into an empty directory.
func File(ctx context.Context, file, dir string, o Options) (*Report, error) {
	c, err := bundle.Open(file, dir)
	if err != nil {
		if bundle.MachineFault(err) {
			return nil, err
		}
		r := &Report{Claims: newClaims()}
		for i := range r.Claims {
			r.Claims[i].open("the file cannot be read")
		}
		r.Claims[files].Notes = nil
		r.Claims[files].fail("%v", err)
		return r, nil
	}
	r, err := Check(ctx, c, o)
	if err != nil {
		return nil, err
	}
	return r, r.signed(file, o.Signers)
}

// signed checks the signature. The error says that a file cannot be read here.
func (r *Report) signed(file, signers string) error {
	c := &r.Claims[signature]
	if signers == "" {
		c.open("signatures were not read (--signers)")
		return nil
	}
	switch name, err := bundle.Signer(file, signers); {
	case bundle.MachineFault(err):
		return err
	case err != nil:
		c.fail("%v", err)
	default:
		c.note("%s", name)
	}
	return nil
}

// Check checks an unpacked bundle. The error says why nothing could be checked; what is
// wrong with the results is in the report.
func Check(ctx context.Context, c *bundle.Contents, o Options) (*Report, error) {
	if o.worlds == nil {
		o.worlds = &bench.Worlds{Texts: o.Texts}
	}
	k := &checker{Options: o, report: &Report{Claims: newClaims(), Runs: len(c.Runs)}, seeds: map[string][]int64{},
		runOf: map[string]int{}, about: c.About, trained: map[string]map[string]bool{}}
	for i, run := range c.Runs {
		if err := k.run(ctx, i, run); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if bundle.MachineFault(err) {
				return nil, err
			}
			k.claim(plan).fail("run %d: %v", i+1, err)
		}
	}
	k.seedsFrom0()
	k.declared()
	return k.report, k.tables(c)
}

type checker struct {
	Options
	report *Report
	seeds  map[string][]int64 // the seeds of each condition, by the condition without its seed
	runOf  map[string]int     // the run of each planned episode, from 1
	// about is what the authors declare, trained are the tasks played that are among the
	// declared training tasks, by model.
	about   configs.About
	trained map[string]map[string]bool
}

func (k *checker) claim(i int) *Claim { return &k.report.Claims[i] }

// run checks a run. The error says that records cannot be read.
func (k *checker) run(ctx context.Context, number int, run record.Parts) error {
	m, err := record.ReadManifest(run[0])
	if err != nil {
		return err
	}
	if err := k.planned(m, number); err != nil {
		return err
	}
	p := &player{checker: k, manifest: m, plan: m.Plan(), prompts: bench.Prompts{Worlds: k.worlds},
		tallies: map[string]*tally{}, unfinished: map[record.Outcome]int{}}
	if err := p.play(ctx, run); err != nil {
		return err
	}
	p.settle()
	return nil
}

// planned checks the plan of a run before anything is played.
func (k *checker) planned(m *record.Manifest, number int) error {
	if m.Behaviour != episode.Behaviour {
		return fmt.Errorf("it was played by behaviour %d of heldout, this version has %d", m.Behaviour, episode.Behaviour)
	}
	for _, g := range m.Groups {
		c := g.Condition
		about, _ := m.EnvironmentOf(c) // reading has checked it
		if env, err := k.worlds.Open(c); err != nil {
			k.claim(tasks).unchecked(unopened(&c, err))
		} else {
			k.complete(m, about, c, env)
			k.trainedOn(c, about, env)
		}
		if err := bench.AsReleased(m, c); err != nil {
			k.claim(presets).fail("%v", err)
		}
		key := fmt.Sprintf("%s of %s (%s)", c.Model, cmp.Or(c.Preset.Label(), c.Env), c.Perturbation)
		k.seeds[key] = append(k.seeds[key], c.Seed)
		for _, id := range g.Episodes {
			if first := k.runOf[id]; first > 0 && first != number+1 {
				k.claim(attempts).fail("runs %d and %d both played episodes of %s", first, number+1, key)
				break
			}
			k.runOf[id] = number + 1
		}
	}
	return nil
}

// unopened says why the environment of a condition is not here.
func unopened(c *record.Condition, err error) error {
	return fmt.Errorf("%s cannot be opened here: %w", c.Env, err)
}

func (k *checker) complete(m *record.Manifest, about record.Environment, c record.Condition, env envs.Env) {
	if err := bench.CheckComplete(m, about, c, env); errors.Is(err, bench.ErrPart) {
		k.claim(tasks).lack("%v", err)
	} else if err != nil {
		k.claim(tasks).fail("%v", err)
	} else if c.Source != envs.Official {
		k.claim(tasks).open("the tasks of %s are %s, not official", c.Env, c.Source)
	}
}

// seedsFrom0 checks that the seeds of each player are the first ones.
func (k *checker) seedsFrom0() {
	for _, key := range slices.Sorted(maps.Keys(k.seeds)) {
		played := slices.Compact(slices.Sorted(slices.Values(k.seeds[key])))
		if last := len(played) - 1; played[last] != int64(last) {
			k.claim(seeds).lack("%s: of the seeds from 0 on, only %s are there", key, record.SeedRanges(played))
		}
	}
}

// tables compares the tables. The error says that a file cannot be read here.
func (k *checker) tables(c *bundle.Contents) error {
	got, err := bundle.Tables(c.Runs)
	want, err2 := os.ReadFile(c.Tables)
	switch err := errors.Join(err, err2); {
	case bundle.MachineFault(err):
		return err
	case err != nil:
		k.claim(tables).fail("%v", err)
	case !bytes.Equal(got, want):
		k.claim(tables).fail("the tables in the bundle are others: the records give other numbers")
	}
	return nil
}

// trainedOn notes the tasks of a condition that the model was trained on, as its authors
// declare. What tasks contain is read here: the record could say anything.
func (k *checker) trainedOn(c record.Condition, about record.Environment, env envs.Env) {
	list := k.about.Models[c.Model].Tasks
	if list.Len() == 0 {
		return
	}
	byID := map[string]envs.Task{}
	for _, t := range env.Tasks() {
		byID[t.ID] = t
	}
	for _, t := range about.Tasks {
		if own, ok := byID[t.ID]; ok {
			t = own
		}
		if catalog.Listed(list, c.Env, t) {
			if k.trained[c.Model] == nil {
				k.trained[c.Model] = map[string]bool{}
			}
			k.trained[c.Model][c.Env+" "+t.ID] = true
		}
	}
}

// declared says what authors declare of the training data. More than these tasks does not show.
func (k *checker) declared() {
	k.claim(training).open("what it was trained on is what its authors say")
	for _, name := range slices.Sorted(maps.Keys(k.about.Models)) {
		declared := k.about.Models[name].Tasks.Len()
		if n := len(k.trained[name]); n > 0 {
			k.claim(training).fail("%s: %d of the tasks played are declared training tasks", name, n)
		} else if declared > 0 {
			k.claim(training).note("%s: none of the %d declared training tasks was played", name, declared)
		}
	}
}
