package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/eval"
	"heldout/eval/record"
	"heldout/perturb"
)

// sweepRun plays under several perturbations.
var sweepRun = runKind{suite: "sweep", always: true}

// indNone is the value of --ind for models that never saw data of the
// environment.
const indNone = "none"

func newSweep(sys *system) *cobra.Command {
	return newRunner(sys, sweepFlags, sweepRun, &cobra.Command{
		Use:   "sweep",
		Short: "Play one environment as it is and under perturbations, and print how robust the models are",
		Long: `sweep plays every task as it is and under each perturbation, as one run that can be
stopped and continued, and prints the table of robustness: the rates of every
condition, their average and spread, and the change from the unperturbed tasks, task by
task. The default are AgentRefine's perturbations of ALFWorld: P1 to P4 change the
interface, P5 takes a model trained without data of the environment (--no-ind-model), or
the unperturbed result of one that never saw such data (--ind none).`,
		Example: `  heldout sweep
  heldout sweep --data DIR --model vllm:NAME --base-url http://HOST:8000/v1 --ind none --concurrency 64
  heldout sweep --data DIR --model vllm:TUNED --no-ind-model vllm:OTHER --base-url http://HOST:8000/v1 --perturb P4,P5,mine.yaml`,
		Args: args(0, 0, "no arguments"),
	})
}

// sweepFlags adds the flags of a run and those of a sweep.
func sweepFlags(f *pflag.FlagSet, r *configs.Run) {
	runFlags(f, r)
	f.StringSliceVar((*[]string)(&r.Perturb), "perturb", r.Perturb, "perturbations, separated by commas: P1 to P5 or YAML files (the default is P1 to P5)")
	f.StringArrayVar((*[]string)(&r.NoIndModel), "no-ind-model", r.NoIndModel, "model trained without data of the environment, for P5; repeated, one for every served --model in their order")
	f.StringVar(&r.NoIndBaseURL, "no-ind-base-url", r.NoIndBaseURL, "address of its server; the default is --base-url")
	f.StringVar(&r.Ind, "ind", r.Ind, `"none" if the models never saw data of the environment: P5 then is the unperturbed result`)
}

// validateSweep reports what is wrong with the settings of a sweep, and with
// having any without one.
func validateSweep(r configs.Run, kind runKind) (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if kind != sweepRun {
		if len(r.Perturb)+len(r.NoIndModel) > 0 || r.Ind != "" || r.NoIndBaseURL != "" {
			fail("perturb, no-ind-model, no-ind-base-url and ind are settings of heldout sweep")
		}
		return errs
	}
	served := slices.DeleteFunc(slices.Clone(r.Model), isBaseline)
	if len(r.Env) != 1 {
		fail("a sweep is of one environment, not of %d", len(r.Env))
	}
	if len(r.Perturb) == 0 {
		fail("no perturbation is given; name some with --perturb")
	}
	if r.Ind != "" && r.Ind != indNone {
		fail("ind is %q; there is only %q", r.Ind, indNone)
	}
	if r.Ind == indNone && len(r.NoIndModel) > 0 {
		fail("--no-ind-model is for models that saw data of the environment, and --ind none says that they did not")
	}
	if n := len(r.NoIndModel); n > 0 && n != len(served) {
		fail("there are %d --no-ind-model for %d served models; give one for each", n, len(served))
	}
	for _, name := range r.NoIndModel {
		if isBaseline(name) || slices.Contains(r.Model, name) {
			fail("--no-ind-model %s must be another served model than --model, under another name", name)
		}
	}
	return errs
}

// addPerturbations adds the perturbed benchmarks of a sweep.
func (j *job) addPerturbations(sys *system) error {
	if len(j.config.Perturb) == 0 {
		return nil
	}
	base := j.spec.Benchmarks[0]
	j.sweep = &record.Sweep{Env: base.Env.Info().Name}
	for _, arg := range j.config.Perturb {
		rules, file, err := loadPerturbation(arg)
		if err != nil {
			return err
		}
		about := record.Perturbation{Name: rules.Name, Title: rules.Title, Model: rules.Model, File: file, SHA256: perturb.Hash(rules)}
		if slices.ContainsFunc(j.sweep.Perturbations, func(p record.Perturbation) bool { return p.Name == rules.Name }) {
			return fmt.Errorf("there are two perturbations named %s", rules.Name)
		}
		b := base
		b.Perturbation, b.PerturbationHash = rules.Name, about.SHA256
		if rules.Model == "" {
			err = perturbBenchmark(&b, rules)
		} else {
			b.Instead, about.Base, err = j.noInd(sys)
		}
		if err != nil {
			return err
		}
		j.spec.Benchmarks = append(j.spec.Benchmarks, b)
		j.sweep.Perturbations = append(j.sweep.Perturbations, about)
	}
	return nil
}

// loadPerturbation finds a perturbation, embedded or in a file.
func loadPerturbation(arg string) (rules configs.Perturbation, file string, err error) {
	if !strings.HasSuffix(arg, ".yaml") && !strings.HasSuffix(arg, ".yml") {
		rules, err = configs.LoadPerturbation(arg)
		return rules, "built-in", err
	}
	b, err := datafile.Read(arg, datafile.MaxConfig)
	if err != nil {
		return rules, arg, err
	}
	rules, err = configs.ParsePerturbation(arg, b)
	return rules, arg, err
}

// perturbBenchmark puts a perturbation around a benchmark and its prompt.
func perturbBenchmark(b *eval.Benchmark, rules configs.Perturbation) error {
	env, err := perturb.Wrap(b.Env, rules)
	if err != nil {
		return err
	}
	b.Env = env
	if b.PromptHash == "" { // nobody reads it
		return nil
	}
	if b.Prompt, err = env.WritePrompt(b.Prompt); err != nil {
		return err
	}
	b.PromptHash = promptRecord("", b.Prompt).SHA256
	return nil
}

// noInd returns who plays in whose place where the models are to be ones trained
// without data of the environment, and for whom the unperturbed result counts:
// baselines are not trained.
func (j *job) noInd(sys *system) (instead map[string]*eval.Player, base []string, err error) {
	instead = map[string]*eval.Player{}
	r := j.config
	if r.NoIndBaseURL != "" {
		r.BaseURL = r.NoIndBaseURL
	}
	for _, p := range j.spec.Players {
		switch {
		case p.Model == nil || r.Ind == indNone:
			base = append(base, p.Name)
		case len(instead) < len(r.NoIndModel):
			other := &eval.Player{}
			if err := j.setPlayer(sys, r, r.NoIndModel[len(instead)], other); err != nil {
				return nil, nil, err
			}
			instead[p.Name] = other
		}
	}
	return instead, base, nil
}

// perturbed puts a perturbation around an environment.
func perturbed(env envs.Env, arg string) (envs.Env, error) {
	rules, _, err := loadPerturbation(arg)
	if err != nil {
		return nil, err
	}
	if rules.Model != "" {
		return nil, fmt.Errorf("perturbation %s changes the model, so by hand there is nothing to see of it", rules.Name)
	}
	return perturb.Wrap(env, rules)
}
