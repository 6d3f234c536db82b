package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
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
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, name := range r.Env {
		_, err := catalog.Find(name)
		errs = append(errs, err)
	}
	if len(r.Model) == 0 {
		fail("no model is given; name one with --model: expert, expert-errs, random, vllm:NAME, openai:NAME or ollama:NAME")
	}
	if err := configs.CheckOut(r.Out); err != nil {
		fail("%w", err)
	}
	if strings.HasPrefix(r.Out, "~") {
		fail("out is %s, and only a shell knows what ~ is: give the whole path", r.Out)
	}
	errs = append(errs, checkNames(r))
	if agents := agents(r); !slices.Contains(agents, r.Agent) {
		fail("unknown agent %q%s; there are %s", r.Agent, spelling.Hint(r.Agent, agents), strings.Join(agents, ", "))
	}
	for _, o := range configs.Options() {
		if o.Group != configs.Sampling { // which is checked as the agent has it
			errs = append(errs, o.Check(&r))
		}
	}
	errs = append(errs, checkBudget(r))
	if r.StepLimit > record.MaxSteps {
		fail("step-limit is %d, want at most %d", r.StepLimit, record.MaxSteps)
	}
	if r.EpisodeTimeout > 0 && !slices.ContainsFunc(r.Model, isProgram) {
		fail("episode-timeout is for an agent of yours (--agent exec:COMMAND); for a model there are --timeout and step-limit")
	}
	switch {
	case r.Order != "" && r.Order != configs.Sequential:
		fail("order is %.40q; there is only %s", r.Order, configs.Sequential)
	case r.Order != "" && len(r.Model) != 1:
		fail("order=sequential is for --agent exec:COMMAND alone: other players remember nothing")
	case r.Order != "" && !isProgram(r.Model[0]):
		fail("order=sequential is for --agent exec:COMMAND: %s remembers nothing", r.Model[0])
	case r.Order != "" && len(r.Env) > 1:
		fail("order=sequential is for one environment: play each in a run of its own")
	case r.Order != "" && r.Shard != "":
		fail("order=sequential does not work with shard: each part would remember tasks of its own")
	}
	if r.Concurrency < 1 && r.Concurrency != configs.Auto {
		fail("concurrency is %d, want at least 1, or auto", r.Concurrency)
	}
	served, own := servedOf(r.Model), slices.ContainsFunc(r.Model, isProgram)
	if own && len(served) > 0 {
		fail("--agent exec:COMMAND asks models itself: leave out --model %s", served[0])
	}
	if providers := providers(served); len(providers) > 1 && len(r.BaseURL.List) > 0 {
		fail("--base-url is for models of one provider, and these belong to %s: give a configuration file whose "+
			"base-url is a mapping from models to addresses", strings.Join(providers, " and "))
	}
	for name := range r.BaseURL.ByModel {
		if !slices.Contains(served, name) {
			fail("base-url has addresses for %s, which is not a --model", name)
		}
	}
	if len(served) == 0 && (r.Prompt != "" || !r.BaseURL.Empty()) {
		fail("--prompt and --base-url are for served models, and there is none")
	}
	if len(served) == 0 && !own && !r.Player.Zero() {
		fail("--set player is for served models and --agent exec:COMMAND, and there is none")
	}
	if r.AcceptChangedModel && r.Out == "" && !r.Player.Zero() {
		fail("--accept-changed-model needs the --out of the run that goes on: a player that changed has another folder")
	}
	if r.Completions && r.Agent != configs.React {
		fail("--completions is for --agent %s", configs.React)
	}
	if (r.Completions || r.Agent == configs.Completion) && slices.ContainsFunc(served, func(name string) bool {
		return strings.HasPrefix(name, string(model.Ollama)+":")
	}) {
		fail("completions need OpenAI's protocol: ask Ollama as openai:NAME with --base-url http://HOST:11434/v1")
	}
	d := r.AgentDecoding()
	errs = append(errs, d.Validate())
	if r.Context > 0 && d.MaxTokens >= r.Context {
		fail("max-tokens %d leaves no room for a prompt in a context of %d", d.MaxTokens, r.Context)
	}
	errs = append(errs, catalog.CheckSettings(r.Env, r.Settings))
	return errors.Join(slices.Concat(errs, validateTrials(r), validateSweep(r, kind))...)
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

// validateSweep reports what is wrong with the settings of a sweep, and any such settings without a sweep.
func validateSweep(r configs.Run, kind Purpose) (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if kind != Sweep {
		errs = append(errs, validateDraws(r)...)
		if len(r.NoIndModel)+len(r.NoIndBaseURL)+len(r.Grades) > 0 || r.Ind != "" || r.Suite != "" {
			fail("suite, grades, no-ind-model, no-ind-base-url and ind are settings of heldout sweep")
		}
		return errs
	}
	served := servedOf(r.Model)
	if r.Suite == "" && len(r.Perturb) == 0 {
		fail("no perturbation is given; name some with --perturb, or all with --suite %s", configs.Robust)
	}
	_, err := suiteGrades(r)
	errs = append(errs, err)
	if r.Ind != "" && r.Ind != indNone {
		fail("ind is %q; there is only %q", r.Ind, indNone)
	}
	if r.Ind == indNone && len(r.NoIndModel) > 0 {
		fail("--set no-ind-model is for models that saw data of the environment, and --set ind=none says that they did not")
	}
	if n := len(r.NoIndModel); n > 0 && n != len(served) {
		fail("there are %d --set no-ind-model for %d served models; give one for each", n, len(served))
	}
	for _, name := range r.NoIndModel {
		if IsBaseline(name) || slices.Contains(r.Model, name) {
			fail("--set no-ind-model=%s must be another served model than --model, under another name", name)
		}
	}
	return errs
}

// validateDraws reports what is wrong with the perturbations of a run, which are drawn for each task.
func validateDraws(r configs.Run) (errs []error) {
	if len(r.Perturb) == 0 {
		return nil
	}
	for _, name := range r.Perturb {
		if !perturb.IsDrawn(name) {
			errs = append(errs, fmt.Errorf("heldout sweep --perturb %s plays all tasks under it; heldout run takes "+
				"random:SEED:K, which draws a perturbation for each task", name))
		}
	}
	if i := slices.IndexFunc(r.Model, func(name string) bool { return !IsBaseline(name) }); i >= 0 {
		errs = append(errs, fmt.Errorf("--perturb in a run is for baselines: %s would need another prompt in each "+
			"episode; heldout sweep plays models under perturbations", r.Model[i]))
	}
	if len(r.Preset) > 0 {
		errs = append(errs, errors.New("--preset does not work with --perturb: a preset fixes the forms of actions"))
	}
	return errs
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

// checkAbilities refuses players without a model that ask an environment which others run for what
// it cannot say: all episodes would fail.
func checkAbilities(b episode.Benchmark, players []episode.Player) error {
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
