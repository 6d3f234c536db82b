package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs/alfworld"
	"heldout/envs/catalog"
	"heldout/envs/datafile"
	"heldout/envs/hotpotqa"
	"heldout/envs/hotpotqa/wiki"
	"heldout/envs/sciworld"
	"heldout/eval"
	"heldout/eval/model"
	"heldout/eval/record"
)

// serverFlags adds the flags that say which model is asked and how.
func serverFlags(f *pflag.FlagSet, r *configs.Run) {
	f.StringArrayVar((*[]string)(&r.Model), "model", r.Model, "what plays: expert, random, vllm:NAME, openai:NAME (any OpenAI-compatible server) or ollama:NAME; can be repeated")
	f.StringVar(&r.BaseURL, "base-url", r.BaseURL, "address of the server, such as http://HOST:8000/v1; the default is the provider's own, for Ollama OLLAMA_HOST")
	f.StringVar(&r.APIKeyEnv, "api-key-env", r.APIKeyEnv, "environment variable that holds the server's API key; the default is "+openAIKey+" for openai: at its own address")
	f.IntVar(&r.Context, "context", r.Context, "the model's context in tokens; 0 for what the server says (Ollama: at most 8192)")
	f.Var((*jsonObject)(&r.ExtraBody), "extra-body", "further fields of the request body as a JSON object, such as {\"top_k\":20}; null leaves a field out")
	f.DurationVar(&r.Timeout, "timeout", r.Timeout, "longest time for one request")
	f.IntVar(&r.Retries, "retries", r.Retries, "how often a request that failed on the way is sent again")
	f.IntVar(&r.Concurrency, "concurrency", r.Concurrency, "episodes in flight")
}

// playerFlags adds the flags that say how a served model plays.
func playerFlags(f *pflag.FlagSet, r *configs.Run) {
	f.StringVar(&r.Agent, "agent", r.Agent, "how a served model plays: react (thinks, then acts) or act (AgentBoard's act-only agent)")
	f.StringVar(&r.Prompt, "prompt", r.Prompt, "prompt: a file (our YAML or AgentBoard's JSON), or a version of our own: "+strings.Join(configs.PromptVersions(), ", ")+"; the first is the default")
	f.BoolVar(&r.Completions, "completions", r.Completions, "have the model continue a plain text (/v1/completions): for base models without a chat template, with --agent react")
	f.BoolVar(&r.NoSystemRole, "no-system-role", r.NoSystemRole, "put a prompt's system message into the first user message, for chat templates without a system role")
	f.Float64Var(&r.Temperature, "temperature", r.Temperature, "sampling temperature; 0 is greedy")
	f.Float64Var(&r.TopP, "top-p", r.TopP, "nucleus sampling; 1 keeps all tokens")
	f.IntVar(&r.MaxTokens, "max-tokens", r.MaxTokens, "longest reply in tokens; 0 for the agent's own: react 512, act 100")
	f.StringArrayVar((*[]string)(&r.Stop), "stop", r.Stop, `string that ends a reply; can be repeated; react's own is "\nObservation:", an empty one means none`)
}

// runFlags adds all flags of a run; their names are the keys of configs.Run.
func runFlags(f *pflag.FlagSet, r *configs.Run) {
	serverFlags(f, r)
	playerFlags(f, r)
	f.StringSliceVar((*[]string)(&r.Env), "env", r.Env, "environments to play, separated by commas; the default is all, see heldout envs")
	setupFlags(f, &r.Setup)
	f.Int64Var(&r.GeneratorSeed, "generator-seed", r.GeneratorSeed, "which generated tasks")
	f.StringVar(&r.Tasks, "tasks", r.Tasks, tasksHelp)
	f.IntVar(&r.Limit, "limit", r.Limit, "only the first tasks of each environment, so many; 0 for all")
	f.StringVar(&r.Seeds, "seeds", r.Seeds, "seeds: a range 0-9, a list 1,5, or how many: 10 means 0-9")
	f.IntVar(&r.StepLimit, "step-limit", r.StepLimit, "longest episode in steps; 0 for the environment's own, 30 for most")
	f.BoolVar(&r.AllowUnusable, "allow-unusable", r.AllowUnusable, "go on if none of a model's first replies can be used, and count that as failures; without it the run stops with the reason")
	f.StringVar(&r.Out, "out", r.Out, "run directory; the default is runs/ and a name made of what is run")
	f.SetNormalizeFunc(usualName)
}

// usualName lets a flag be called as other harnesses call it.
func usualName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "max-steps" {
		name = "step-limit"
	}
	return pflag.NormalizedName(name)
}

// setupFlags adds the flags that say how environments are set up; which
// generated tasks there are has other names in other commands.
func setupFlags(f *pflag.FlagSet, s *configs.Setup) {
	f.StringVar(&s.Data, "data", s.Data, "folder with the official task data, laid out as AgentBoard's data folder (or "+dataVariable+"); without it tasks are generated")
	f.StringVar(&s.Variant, "variant", s.Variant, "babyai: agentboard (the default) or agentgym; sciworld: agentboard (the default) or scienceworld, all its tasks with its own score")
	f.StringVar(&s.Split, "split", s.Split, "alfworld: set of official games, "+strings.Join(alfworld.Splits(), ", ")+"; sciworld, variant scienceworld: "+strings.Join(sciworld.Splits(), ", ")+"; the first is the default")
	f.StringVar(&s.Dialect, "dialect", s.Dialect, "alfworld: how games speak: v1 (the default, behind published numbers), v2, or file for each as its file says")
	f.BoolVar(&s.StepLimitReward, "step-limit-reward", s.StepLimitReward, "alfworld: count the engine's limit of 50 commands as progress 1, as the reference does")
	f.StringVar(&s.JerichoBindings, "jericho-bindings", s.JerichoBindings, "jericho: file with Jericho's templates of commands and walkthroughs, its game_info.py, or JSON; without it templates are derived from the stories")
	f.StringVar(&s.Huntdark, "huntdark", s.Huntdark, "jericho: texts with which the game huntdark starts: upstream (none, as the benchmark has it; the default) or fixed")
	f.StringVar(&s.Questions, "questions", s.Questions, "hotpotqa: file of questions, in the hotpotqa folder of --data or by its path; the default is the development set")
	f.StringVar(&s.Sample, "sample", s.Sample, "hotpotqa: which questions: all, seed:N or seed:N:COUNT; the default is ReAct's seed:233:300 of the development set, and all of other files")
	f.StringVar(&s.Wiki, "wiki", s.Wiki, "hotpotqa: where pages come from: "+strings.Join(hotpotqa.Origins(), ", ")+"; the first is the default, but our own questions have articles of their own")
	f.StringVar(&s.WikiFlow, "wiki-flow", s.WikiFlow, "hotpotqa: how Wikipedia is asked: json (the default) or html, as the reference does")
	f.StringVar(&s.WikiURL, "wiki-url", s.WikiURL, "hotpotqa: script path of the Wikipedia to ask; the default is "+wiki.DefaultURL)
	f.StringVar(&s.WikiContact, "wiki-contact", s.WikiContact, "hotpotqa: your mail address or page, which Wikipedia asks of programs that read much")
	f.StringVar(&s.WikiCache, "wiki-cache", s.WikiCache, "hotpotqa: folder in which live answers are kept, and recorded ones found; a run's default is a folder beside its own")
	f.StringVar(&s.WikiIndex, "wiki-index", s.WikiIndex, "hotpotqa: folder of an index made by heldout wiki build, for --wiki offline")
	f.StringVar(&s.SciworldJar, "sciworld-jar", s.SciworldJar, "sciworld: the simulator's file, scienceworld.jar (or "+jarVariable+"); heldout doctor sciworld says how to get it")
	f.IntVar(&s.JVMs, "jvms", s.JVMs, "sciworld: worlds played at once, each by a Java virtual machine of its own; 0 for the number of processors")
	f.StringVar(&s.Simplifications, "simplifications", s.Simplifications, "sciworld: "+strings.Join(sciworld.Simplifications(), ", ")+"; several are separated by commas; the default is the variant's")
}

// checkSetup reports settings that none of the environments has a use for.
func checkSetup(environments []string, s configs.Setup) error {
	var given []string
	places := []string{"data", "sciworld-jar"} // which variables can name for all commands
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	var shown configs.Setup
	setupFlags(f, &shown)
	shown = s
	f.VisitAll(func(f *pflag.Flag) {
		if v := f.Value.String(); !slices.Contains(places, f.Name) && v != f.DefValue {
			given = append(given, f.Name)
		}
	})
	if unused := catalog.Unused(environments, given); len(unused) > 0 {
		return fmt.Errorf("%s: there is no such setting in %s", strings.Join(unused, ", "), strings.Join(environments, ", "))
	}
	return nil
}

// jsonObject is a flag whose value is a JSON object.
type jsonObject map[string]any

func (o *jsonObject) String() string {
	if len(*o) == 0 {
		return ""
	}
	b, err := json.Marshal(map[string]any(*o))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func (o *jsonObject) Set(s string) error {
	var m map[string]any
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		return fmt.Errorf("want a JSON object such as {\"top_k\":20}: %w", err)
	}
	*o = m
	return nil
}

func (o *jsonObject) Type() string { return "json" }

// runKind says what a command that plays stands for.
type runKind struct {
	// suite is the embedded configuration that holds where nothing else is
	// said.
	suite string
	// always: it also holds beside a configuration file and chosen models.
	always bool
}

var plainRun = runKind{suite: "default"}

// flagger adds flags that set what to run.
type flagger func(*pflag.FlagSet, *configs.Run)

// resolve puts together what to run: defaults, the suite of the kind, the
// configuration file, and over them the flags that were given. Environments that
// nobody named are left out if they cannot be played; skipped says why.
func resolve(sys *system, given *pflag.FlagSet, kind runKind, file string) (r configs.Run, skipped []error, err error) {
	r = configs.DefaultRun()
	r.Data, r.SciworldJar = sys.getenv(dataVariable), sys.getenv(jarVariable)
	chosen := file != "" || given.Changed("env") || given.Changed("model")
	if kind.always || !chosen {
		if err := configs.LoadSuite(kind.suite, &r); err != nil {
			return r, nil, err
		}
	}
	offered := r.Env
	r.Env = nil
	if file != "" {
		b, err := datafile.Read(file, datafile.MaxConfig)
		if err != nil {
			return r, nil, err
		}
		if err := configs.ParseRun(file, b, &r); err != nil {
			return r, nil, err
		}
	}
	if err := override(&r, given); err != nil || len(r.Env) > 0 {
		return r, nil, err
	}
	if len(offered) == 0 {
		for _, e := range catalog.All() {
			offered = append(offered, e.Name)
		}
	}
	if err := checkData(r.Data); err != nil {
		return r, nil, err
	}
	r.Env, skipped = catalog.Available(offered, r.Setup)
	if len(r.Env) == 0 {
		return r, nil, errors.Join(skipped...)
	}
	return r, skipped, nil
}

// override sets the fields of r whose flags were given.
func override(r *configs.Run, given *pflag.FlagSet) error {
	over := pflag.NewFlagSet("", pflag.ContinueOnError)
	sweepFlags(over, r) // which are those of a run and more
	var errs []error
	given.Visit(func(f *pflag.Flag) {
		to := over.Lookup(f.Name)
		if to == nil {
			return // not a field of configs.Run, such as --format
		}
		if from, ok := f.Value.(pflag.SliceValue); ok {
			errs = append(errs, to.Value.(pflag.SliceValue).Replace(from.GetSlice()))
		} else {
			errs = append(errs, to.Value.Set(f.Value.String()))
		}
	})
	return errors.Join(errs...)
}

// validate reports everything that is wrong with what to run.
func validate(r configs.Run, kind runKind) error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(r.Model) == 0 {
		fail("no model is given; name one with --model: expert, random, vllm:NAME, openai:NAME or ollama:NAME")
	}
	if r.Agent != eval.React && r.Agent != eval.Act {
		fail("unknown agent %q; there are %s and %s", r.Agent, eval.React, eval.Act)
	}
	for _, n := range []struct {
		flag  string
		value int
		least int
	}{
		{"limit", r.Limit, 0}, {"max-tokens", r.MaxTokens, 0}, {"context", r.Context, 0}, {"step-limit", r.StepLimit, 0},
		{"concurrency", r.Concurrency, 1}, {"retries", r.Retries, 0},
	} {
		if n.value < n.least {
			fail("%s is %d, want at least %d", n.flag, n.value, n.least)
		}
	}
	if r.Timeout <= 0 {
		fail("timeout is %v, want more than 0", r.Timeout)
	}
	served := slices.DeleteFunc(slices.Clone(r.Model), isBaseline)
	if len(served) > 1 && r.BaseURL != "" {
		fail("--base-url can only be one model's; run %d models one after the other and put them together with heldout compare", len(served))
	}
	if len(served) == 0 && (r.Prompt != "" || r.BaseURL != "") {
		fail("--prompt and --base-url are for served models, and there is none")
	}
	if r.Completions && r.Agent != eval.React {
		fail("--completions is for --agent %s", eval.React)
	}
	if r.Completions && slices.ContainsFunc(served, func(name string) bool { return strings.HasPrefix(name, string(model.Ollama)+":") }) {
		fail("--completions needs OpenAI's protocol: ask Ollama as openai:NAME with --base-url http://HOST:11434/v1")
	}
	if d := decoding(r); d.Validate() != nil {
		errs = append(errs, d.Validate())
	}
	if r.Context > 0 && decoding(r).MaxTokens >= r.Context {
		fail("max-tokens %d leaves no room for a prompt in a context of %d", decoding(r).MaxTokens, r.Context)
	}
	if err := checkSetup(r.Env, r.Setup); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(append(errs, validateSweep(r, kind)...)...)
}

// isBaseline reports whether a player needs no model.
func isBaseline(name string) bool { return name == eval.Expert || name == eval.Random }

// The longest replies of the agents, in tokens. AgentBoard lets open models
// write 100; a thought needs more.
const (
	reactMaxTokens = 512
	actMaxTokens   = 100
)

// decoding says how replies are sampled.
func decoding(r configs.Run) model.Decoding {
	d := model.Decoding{Temperature: r.Temperature, TopP: r.TopP, MaxTokens: r.MaxTokens, Extra: r.ExtraBody}
	if d.MaxTokens == 0 && r.Agent == eval.Act {
		d.MaxTokens = actMaxTokens
	} else if d.MaxTokens == 0 {
		d.MaxTokens = reactMaxTokens
	}
	switch {
	case r.Stop != nil:
		d.Stop = slices.DeleteFunc(slices.Clone([]string(r.Stop)), func(s string) bool { return s == "" })
	case r.Agent == eval.React:
		d.Stop = []string{"\nObservation:"}
	}
	if len(d.Stop) == 0 {
		d.Stop = nil
	}
	return d
}

// openAIKey is the variable that holds the key for OpenAI's own address.
const openAIKey = "OPENAI_API_KEY"

// openModel prepares to ask a served model.
func openModel(sys *system, r configs.Run, name string) (*model.Client, error) {
	spec, err := model.ParseSpec(name)
	if err != nil {
		return nil, err
	}
	o := model.Options{
		Spec: spec, BaseURL: r.BaseURL, ContextLimit: r.Context, Timeout: r.Timeout,
		Retry:       model.Retry{Attempts: r.Retries + 1},
		Concurrency: r.Concurrency, Now: sys.now, Proxy: sys.proxy, UserAgent: sys.userAgent(),
		Tell: func(line string) { sys.warn(name + ": " + line) },
	}
	if spec.Provider == model.Ollama && o.BaseURL == "" {
		o.BaseURL = sys.getenv("OLLAMA_HOST")
	}
	if r.APIKeyEnv == "" && spec.Provider == model.OpenAI && r.BaseURL == "" {
		o.Key = model.NewSecret(sys.getenv(openAIKey))
	}
	if r.APIKeyEnv != "" {
		key := sys.getenv(r.APIKeyEnv)
		if key == "" {
			return nil, fmt.Errorf("the environment variable %s, which --api-key-env names, is not set", r.APIKeyEnv)
		}
		o.Key = model.NewSecret(key)
	}
	return model.Open(o)
}

// loadPrompt returns the prompt of an environment: ours, of the newest version or
// the one named, or the user's.
func loadPrompt(env, name string) (configs.Prompt, record.Prompt, error) {
	versions := configs.PromptVersions()
	if name == "" {
		name = versions[0]
	}
	if slices.Contains(versions, name) {
		p, err := configs.LoadPrompt(env, name)
		about := promptRecord("built-in", p)
		about.Version = name
		return p, about, err
	}
	b, err := datafile.Read(name, datafile.MaxConfig)
	if err != nil {
		return configs.Prompt{}, record.Prompt{}, err
	}
	p, err := configs.ParsePrompt(name, b)
	return p, promptRecord(name, p), err
}

// promptRecord hashes what a prompt says, not how its file is written.
func promptRecord(file string, p configs.Prompt) record.Prompt {
	b, err := json.Marshal(p)
	if err != nil {
		return record.Prompt{File: file, SHA256: err.Error()} // strings and maps of them always marshal
	}
	sum := sha256.Sum256(b)
	return record.Prompt{File: file, SHA256: hex.EncodeToString(sum[:])}
}
