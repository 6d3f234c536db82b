package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/bench"
)

// serverFlags adds the flags that say which model is asked and how.
func serverFlags(f *pflag.FlagSet, r *configs.Run) {
	f.StringArrayVar((*[]string)(&r.Model), "model", r.Model, "model or baseline: expert, random, vllm:NAME, openai:NAME (any OpenAI-compatible server) or ollama:NAME; repeat it for several")
	f.StringArrayVar((*[]string)(&r.BaseURL.All), "base-url", r.BaseURL.All, "server address, such as http://HOST:8000/v1; repeat it for several servers of the model; @FILE reads addresses, one per line, and follows changes; the default is the provider's own, or OLLAMA_HOST")
	f.StringVar(&r.APIKeyEnv, "api-key-env", r.APIKeyEnv, "environment variable with the server's API key; the default is "+bench.OpenAIKey+" for OpenAI's own address")
	f.IntVar(&r.Context, "context", r.Context, "context length in tokens; 0 uses the server's (Ollama: at most 8192)")
	f.Var((*jsonObject)(&r.ExtraBody), "extra-body", "more fields of the request body as a JSON object, such as {\"top_k\":20}; null removes a field")
	f.DurationVar(&r.Timeout, "timeout", r.Timeout, "time limit of a request")
	f.IntVar(&r.Retries, "retries", r.Retries, "number of retries of a failed request")
	f.DurationVar(&r.GiveUpAfter, "give-up-after", r.GiveUpAfter, "end the run if no server of a model answers for that long; until then it waits; 0 waits for ever")
	f.DurationVar(&r.WaitForServers, "wait-for-servers", r.WaitForServers, "wait at the start for that long, such as 10m, while no server of a model is there or ready: vLLM takes minutes to load one; 0 does not wait")
	f.Var(&r.Concurrency, "concurrency", "number of episodes in flight; auto raises it while the rate of model calls grows")
}

// playerFlags adds the flags that say how a served model plays.
func playerFlags(f *pflag.FlagSet, r *configs.Run) {
	f.StringVar(&r.Agent, "agent", r.Agent, "agent of a served model: react (thought, then action) or act (AgentBoard's act-only agent)")
	f.StringVar(&r.Prompt, "prompt", r.Prompt, "prompt file (YAML, or AgentBoard's JSON), or a version of the built-in prompts: "+strings.Join(configs.PromptVersions(), ", ")+"; the default is the first")
	f.BoolVar(&r.Completions, "completions", r.Completions, "use plain text completion (/v1/completions) for base models without a chat template; needs --agent react")
	f.BoolVar(&r.NoSystemRole, "no-system-role", r.NoSystemRole, "put the system message into the first user message, for chat templates without a system role")
	f.Float64Var(&r.Temperature, "temperature", r.Temperature, "sampling temperature; 0 is greedy")
	f.Float64Var(&r.TopP, "top-p", r.TopP, "nucleus sampling; 1 is off")
	f.IntVar(&r.MaxTokens, "max-tokens", r.MaxTokens, "length limit of a reply in tokens; 0 uses the agent's own: react 512, act 100")
	f.StringArrayVar((*[]string)(&r.Stop), "stop", r.Stop, `stop string; repeat it for several; an empty one means none; the default for react is "\nObservation:"`)
}

// runFlags adds all flags of a run; their names are the keys of configs.Run.
func runFlags(f *pflag.FlagSet, r *configs.Run) {
	serverFlags(f, r)
	playerFlags(f, r)
	presetFlags(f, r)
	f.StringSliceVar((*[]string)(&r.Env), "env", r.Env, "environments, separated by commas; the default is all (see heldout envs)")
	setupFlags(f, &r.Setup)
	f.Int64Var(&r.GeneratorSeed, "generator-seed", r.GeneratorSeed, "seed of generated tasks")
	f.StringVar(&r.Tasks, "tasks", r.Tasks, tasksHelp)
	f.IntVar(&r.Limit, "limit", r.Limit, "use only the first N tasks of each environment; 0 uses all")
	f.StringVar(&r.Seeds, "seeds", r.Seeds, "seeds: a range 0-9, a list 1,5, or a number: 10 means 0-9")
	f.IntVar(&r.StepLimit, "step-limit", r.StepLimit, "step limit of an episode; 0 uses the environment's own, mostly 30")
	f.IntVar(&r.Trials, "trials", r.Trials, "play a task again after a failure, up to N trials (Reflexion; see heldout help trials)")
	f.IntVar(&r.Memory, "memory", r.Memory, "with --trials: number of the model's own reflections in the prompt, the newest; 0 retries without any")
	f.StringVar(&r.ReflectionPrompt, "reflection-prompt", r.ReflectionPrompt, "with --trials: YAML file with another prompt for reflections")
	f.IntVar(&r.ReflectionTokens, "reflection-tokens", r.ReflectionTokens, "with --trials: length limit of a reflection in tokens")
	f.IntVar(&r.SameAction, "same-action", r.SameAction, "with --trials: end a trial after the same action N times in a row; 0 is off")
	f.IntVar(&r.SameStep, "same-step", r.SameStep, "with --trials: end a trial after the same action with the same observation N times in a row; 0 is off")
	f.BoolVar(&r.AllowUnusable, "allow-unusable", r.AllowUnusable, "continue if none of a model's first replies is usable, and count them as failures; otherwise the run stops")
	f.StringVar(&r.Shard, "shard", r.Shard, "play part I of N of the plan, written I/N, in a directory of its own inside the run directory; auto in a Slurm array, auto/N in an indexed Kubernetes job")
	f.StringVar(&r.Out, "out", r.Out, "run directory; the default is a name derived from the plan, below runs/")
	f.SetNormalizeFunc(usualName)
}

// presetFlags adds the flags that choose evaluation protocols.
func presetFlags(f *pflag.FlagSet, r *configs.Run) {
	f.StringSliceVar((*[]string)(&r.Preset), "preset", r.Preset, "evaluation protocols, separated by commas: NAME, NAME:PART or a YAML file; heldout presets lists them")
	f.StringVar(&r.Originals, "originals", r.Originals, "folder with the original prompt and task files that presets read; heldout preset prompt NAME says which")
}

// usualName accepts the names that other harnesses use for a flag.
func usualName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "max-steps" {
		name = "step-limit"
	}
	return pflag.NormalizedName(name)
}

// setupFlags adds the flags that say how environments are set up. Those of the
// environments are not shown in the help of every command; heldout envs NAME shows
// them. Which generated tasks there are has other names in other commands.
func setupFlags(f *pflag.FlagSet, s *envs.Setup) {
	f.StringVar(&s.Data, "data", s.Data, "folder with the official task data (or "+bench.DataVariable+", or the folder of heldout data pull); \"\" uses generated tasks")
	for _, setting := range catalog.Settings() {
		v := f.VarPF(&settingValue{setting: setting, settings: &s.Settings}, setting.Name, "", setting.Help)
		v.Hidden = true
		if setting.Type == envs.Switch {
			v.NoOptDefVal = "true"
		}
	}
}

// settingValue is a flag that chooses a setting.
type settingValue struct {
	setting  envs.Setting
	settings *envs.Settings
}

// String implements pflag.Value.
func (v *settingValue) String() string {
	if v.settings == nil {
		return ""
	}
	return (*v.settings)[v.setting.Name]
}

// Set implements pflag.Value. Environments that share the name may have other
// values, so those are checked once the environments are known.
func (v *settingValue) Set(value string) error {
	if v.setting.Type != envs.Choice {
		if err := v.setting.Check(value); err != nil {
			return err
		}
	}
	if *v.settings == nil {
		*v.settings = envs.Settings{}
	}
	(*v.settings)[v.setting.Name] = value
	return nil
}

// Type implements pflag.Value.
func (v *settingValue) Type() string { return string(v.setting.Type) }

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

// onlyFlags are the flags of a command with a configuration file that are no keys of
// it, with the reason.
var onlyFlags = map[string]string{
	"config": "it names the file",
	"help":   "it asks for a text and plays nothing",
}

// ownKeys are the flags that are keys of a configuration file and no matter of
// configs.Run: they say what the command itself does.
func ownKeys(all *pflag.FlagSet) (names []string) {
	ofRun := pflag.NewFlagSet("", pflag.ContinueOnError)
	sweepFlags(ofRun, new(configs.Run))
	all.VisitAll(func(f *pflag.Flag) {
		if ofRun.Lookup(f.Name) == nil && onlyFlags[f.Name] == "" {
			names = append(names, f.Name)
		}
	})
	return names
}

// setOwnKeys sets the flags of a command to what the configuration file says of them,
// unless they were given.
func setOwnKeys(all *pflag.FlagSet, given bench.Given) error {
	keys, err := given.ReadOwn()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		f, values := all.Lookup(name), keys[name]
		if f.Changed {
			continue
		}
		if err := setFlag(f, values); err != nil {
			return fmt.Errorf("%s: line %d: %s: %w", given.File, values.Line, name, err)
		}
	}
	return nil
}

// setFlag sets a flag to the values of a key.
func setFlag(f *pflag.Flag, values configs.Values) error {
	f.Changed = true
	if list, ok := f.Value.(pflag.SliceValue); ok && values.List {
		return list.Replace(values.Texts)
	}
	if values.List {
		return errors.New("it takes one value")
	}
	err := f.Value.Set(values.Texts[0])
	switch {
	case err == nil:
		return nil
	case f.Value.Type() == "bool":
		return fmt.Errorf("want true or false, not %q", values.Texts[0])
	case f.Value.Type() == "duration":
		return fmt.Errorf("want a duration such as 30s, not %q", values.Texts[0])
	}
	return err
}

// flagger adds flags that set what to run.
type flagger func(*pflag.FlagSet, *configs.Run)

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
