package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/datafile"
	"heldout/envs/spelling"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/perturb"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/report"
)

// Validate reports everything that is wrong with what to run.
func Validate(r configs.Run, kind Purpose) error {
	var faults configs.Faults
	for _, name := range r.Env {
		_, err := catalog.Find(name)
		faults.Add(err)
	}
	faults.Note(len(r.Model) == 0,
		"no model is given; name one with --model: expert, expert-errs, random, vllm:NAME, openai:NAME or "+
			"ollama:NAME")
	faults.Add(configs.CheckOut(r.Out))
	hint := datafile.ShellPath(r.Out)
	faults.Note(hint != "", "out is %s, and %s", r.Out, hint)
	faults.Add(checkNames(r))
	agents := agents(r)
	faults.Note(!slices.Contains(agents, r.Agent), "unknown agent %q%s; there are %s", r.Agent,
		spelling.Hint(r.Agent, agents), strings.Join(agents, ", "))
	for _, o := range configs.Options() {
		if o.Group != configs.Sampling { // which is checked as the agent has it
			faults.Add(o.Check(&r))
		}
	}
	faults.Add(checkBudget(r))
	faults.Note(r.StepLimit > record.MaxSteps, "step-limit is %d, want at most %d", r.StepLimit,
		record.MaxSteps)
	faults.Note(r.EpisodeTimeout > 0 && !slices.ContainsFunc(r.Model, isProgram),
		"episode-timeout is for an agent of yours (--agent exec:COMMAND); for a model there are --timeout "+
			"and step-limit")
	faults.Add(checkOrder(r))
	faults.Note(r.Concurrency < 1 && r.Concurrency != configs.Auto,
		"concurrency is %d, want at least 1, or auto", r.Concurrency)
	served, own := servedOf(r.Model), slices.ContainsFunc(r.Model, isProgram)
	if own && len(served) > 0 {
		faults.Add(fmt.Errorf("--agent exec:COMMAND asks models itself: leave out --model %s", served[0]))
	}
	providers := providers(served)
	faults.Note(len(providers) > 1 && len(r.BaseURL.List) > 0,
		"--base-url is for models of one provider, and these belong to %s: give a configuration file whose "+
			"base-url is a mapping from models to addresses", strings.Join(providers, " and "))
	for name := range r.BaseURL.ByModel {
		faults.Note(!slices.Contains(served, name), "base-url has addresses for %s, which is not a --model",
			name)
	}
	faults.Note(len(served) == 0 && (r.Prompt != "" || !r.BaseURL.Empty()),
		"--prompt and --base-url are for served models, and there is none")
	faults.Note(len(served) == 0 && !own && !r.Player.Zero(),
		"--set player is for served models and --agent exec:COMMAND, and there is none")
	faults.Note(r.AcceptChangedModel && r.Out == "" && !r.Player.Zero(),
		"--accept-changed-model needs the --out of the run that goes on: a player that changed has another "+
			"folder")
	faults.Note(r.Completions && r.Agent != configs.React, "--completions is for --agent %s", configs.React)
	faults.Note((r.Completions || r.Agent == configs.Completion) && slices.ContainsFunc(served, onOllama),
		"completions need OpenAI's protocol: ask Ollama as openai:NAME with --base-url http://HOST:11434/v1")
	d := r.AgentDecoding()
	faults.Add(d.Validate())
	faults.Note(r.Context > 0 && d.MaxTokens >= r.Context,
		"max-tokens %d leaves no room for a prompt in a context of %d", d.MaxTokens, r.Context)
	faults.Add(catalog.CheckSettings(r.Env, r.Settings))
	checkTrials(r, &faults)
	checkSweep(r, kind, &faults)
	return faults.Err()
}

// onOllama reports whether Ollama has a model.
func onOllama(name string) bool { return strings.HasPrefix(name, string(model.Ollama)+":") }

// checkOrder reports an order of episodes that does not fit what is played.
func checkOrder(r configs.Run) error {
	switch {
	case r.Order == "":
		return nil
	case r.Order != configs.Sequential:
		return fmt.Errorf("order is %.40q; there is only %s", r.Order, configs.Sequential)
	case len(r.Model) != 1:
		return errors.New("order=sequential is for --agent exec:COMMAND alone: other players remember nothing")
	case !isProgram(r.Model[0]):
		return fmt.Errorf("order=sequential is for --agent exec:COMMAND: %s remembers nothing", r.Model[0])
	case len(r.Env) > 1:
		return errors.New("order=sequential is for one environment: play each in a run of its own")
	case r.Shard != "":
		return errors.New("order=sequential does not work with shard: each part would remember tasks of its own")
	}
	return nil
}

// agents are those that a run may have: a preset may have any form.
func agents(r configs.Run) []string {
	if len(r.Preset) > 0 {
		return configs.AgentForms()
	}
	return configs.Agents()
}

func providers(served []string) (out []string) {
	for _, name := range served {
		if provider, _, ok := strings.Cut(name, ":"); ok && !slices.Contains(out, provider) {
			out = append(out, provider)
		}
	}
	return out
}

// IsBaseline reports whether a player needs no model.
func IsBaseline(name string) bool { return slices.Contains(episode.Baselines(), name) }

// checkSweep notes what is wrong with the settings of a sweep, and any such settings without a sweep.
func checkSweep(r configs.Run, kind Purpose, faults *configs.Faults) {
	if kind != Sweep {
		checkDraws(r, faults)
		faults.Note(len(r.NoIndModel)+len(r.NoIndBaseURL)+len(r.Grades) > 0 || r.Ind != "" || r.Suite != "",
			"suite, grades, no-ind-model, no-ind-base-url and ind are settings of heldout sweep")
		return
	}
	served := servedOf(r.Model)
	faults.Note(r.Suite == "" && len(r.Perturb) == 0,
		"no perturbation is given; name some with --perturb, or all with --suite %s", configs.Robust)
	_, err := suiteGrades(r)
	faults.Add(err)
	faults.Note(r.Ind != "" && r.Ind != indNone, "ind is %q; there is only %q", r.Ind, indNone)
	faults.Note(r.Ind == indNone && len(r.NoIndModel) > 0,
		"--set no-ind-model is for models that saw data of the environment, and --set ind=none says that "+
			"they did not")
	n := len(r.NoIndModel)
	faults.Note(n > 0 && n != len(served),
		"there are %d --set no-ind-model for %d served models; give one for each", n, len(served))
	for _, name := range r.NoIndModel {
		faults.Note(IsBaseline(name) || slices.Contains(r.Model, name),
			"--set no-ind-model=%s must be another served model than --model, under another name", name)
	}
}

// checkDraws notes what is wrong with the perturbations of a run, which are drawn for each task.
func checkDraws(r configs.Run, faults *configs.Faults) {
	if len(r.Perturb) == 0 {
		return
	}
	for _, name := range r.Perturb {
		faults.Note(!perturb.IsDrawn(name),
			"heldout sweep --perturb %s plays all tasks under it; heldout run takes "+
				"random:SEED:K, which draws a perturbation for each task", name)
	}
	if i := slices.IndexFunc(r.Model, func(name string) bool { return !IsBaseline(name) }); i >= 0 {
		faults.Add(fmt.Errorf("--perturb in a run is for baselines: %s would need another prompt in each "+
			"episode; heldout sweep plays models under perturbations", r.Model[i]))
	}
	faults.Note(len(r.Preset) > 0,
		"--preset does not work with --perturb: a preset fixes the forms of actions")
}

// checkBudget reports models that a budget in dollars needs the prices of.
func checkBudget(r configs.Run) error {
	for _, name := range slices.Concat(r.Model, r.NoIndModel) {
		if _, ok := r.Prices.Lookup(name); r.BudgetUSD > 0 && !ok && !IsBaseline(name) {
			return fmt.Errorf("--budget-usd needs the price of %s: give --set prices=%s=INPUT/OUTPUT", name, name)
		}
	}
	return nil
}

// checkNames reports names, prices and held-in environments of models that are not played, and names that two
// models would have.
func checkNames(r configs.Run) error {
	if len(r.Names)+len(r.Prices)+len(r.HeldIn) == 0 {
		return nil
	}
	run := report.NamedRun{Manifest: record.Manifest{Names: r.Names}}
	for _, name := range slices.Concat(r.Model, r.NoIndModel) {
		run.Scores = append(run.Scores, &scoring.Score{Condition: record.Condition{Model: name}})
	}
	runs := []report.NamedRun{run}
	return report.CheckModels(runs, r.Names, r.Prices, r.HeldIn)
}

// checkAbilities refuses players all of whose episodes would fail: a model for which the preset has no chat template,
// and a player without a model that needs from an environment of others what it cannot say.
func checkAbilities(b episode.Benchmark, players []episode.Player) error {
	for _, p := range players {
		if _, err := b.Preset.Agent.Wrap(p.Name); err != nil && p.Model != nil && len(b.Preset.Agent.Wraps) > 0 {
			return err
		}
		expert, ok := b.Env.(interface{ CheckExpert() error })
		if ok && IsBaseline(p.Name) && p.Name != episode.Random && expert.CheckExpert() != nil {
			return fmt.Errorf("the expert cannot play: %w", expert.CheckExpert())
		}
	}
	if b.Env.Info().Source != envs.External || len(b.Tasks) == 0 {
		return nil
	}
	w, err := b.Env.NewWorld(b.Tasks[0])
	if err != nil {
		return err
	}
	_, lists := envs.As[envs.Lister](w)
	_, advises := envs.As[envs.Expert](w)
	for _, p := range players {
		lacks := ""
		switch {
		case !IsBaseline(p.Name):
		case !lists && (p.Name == episode.Random || p.Name == episode.Erring):
			lacks = "does not list valid actions"
		case !advises && p.Name != episode.Random:
			lacks = "has no expert"
		}
		if lacks != "" {
			return fmt.Errorf("%s cannot play %s, which %s: name another player with --model", p.Name,
				b.Env.Info().Name, lacks)
		}
	}
	return w.Close()
}
