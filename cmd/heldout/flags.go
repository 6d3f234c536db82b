package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/bench"
)

// serverFlags adds the flags that say which model is asked and how.
func serverFlags(f *pflag.FlagSet, r *configs.Run) {
	f.StringArrayVar((*[]string)(&r.Model), "model", r.Model, "what plays: expert, random, vllm:NAME, openai:NAME (any OpenAI-compatible server) or ollama:NAME; can be repeated")
	f.StringVar(&r.BaseURL, "base-url", r.BaseURL, "address of the server, such as http://HOST:8000/v1; the default is the provider's own, for Ollama OLLAMA_HOST")
	f.StringVar(&r.APIKeyEnv, "api-key-env", r.APIKeyEnv, "environment variable that holds the server's API key; the default is "+bench.OpenAIKey+" for openai: at its own address")
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

// setupFlags adds the flags that say how environments are set up. Those of the
// environments are not shown in the help of every command; heldout envs NAME shows
// them. Which generated tasks there are has other names in other commands.
func setupFlags(f *pflag.FlagSet, s *configs.Setup) {
	f.StringVar(&s.Data, "data", s.Data, "folder with the official task data (or "+bench.DataVariable+", or the folder that heldout data pull fills); \"\" for generated tasks")
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
