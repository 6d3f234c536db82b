package configs

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"heldout/envs"
)

// Run says what to run. Its YAML keys are names of flags; Options declares them.
type Run struct {
	// Preset are evaluation protocols, by name or file. They say what the fields below are if nothing else does.
	Preset Strings `yaml:"preset"`
	// Originals is a folder with the files of the protocols' sources.
	Originals string `yaml:"originals"`
	// Env are the environments.
	Env        Strings `yaml:"env"`
	envs.Setup `yaml:",inline"`
	// Tasks selects tasks: names with * and ?, types, numbers or ranges of
	// numbers, separated by commas; empty for all.
	Tasks string `yaml:"tasks"`
	// Limit is the number of tasks of each environment, spread over their kinds; 0 for all.
	Limit int `yaml:"limit"`

	// Model lists the players: "expert", "expert-errs", "random", "vllm:NAME", "openai:NAME" or "ollama:NAME".
	Model Strings `yaml:"model"`
	// Names are what models are called in tables.
	Names Names `yaml:"names"`
	// Prices are what models cost.
	Prices Prices `yaml:"prices"`
	// HeldIn are the environments whose data models were trained on.
	HeldIn HeldIn `yaml:"held-in"`
	// AcceptChangedModel continues a run although the server has another model, or agent, under
	// the same name than the one with recorded results.
	AcceptChangedModel bool `yaml:"accept-changed-model"`
	// Player says which agent plays, where that is one of the user's behind a server.
	Player Identity `yaml:"player"`
	// SameWeights: servers that loaded a model from different folders have the same weights.
	SameWeights bool `yaml:"same-weights"`
	// Agent is how a served model plays: "react" or "act".
	Agent string `yaml:"agent"`
	// Prompt is a prompt file; empty for our own prompts.
	Prompt string `yaml:"prompt"`
	// NoSystemRole puts the system message of a prompt into the first user message.
	NoSystemRole bool `yaml:"no-system-role"`
	// Completions has the model continue a text rather than a chat.
	Completions bool `yaml:"completions"`
	// BaseURL is where the servers are; empty for the provider's default.
	BaseURL Servers `yaml:"base-url"`
	// APIKeyEnv names the environment variable that holds the server's key.
	APIKeyEnv string `yaml:"api-key-env"`
	// Header are headers of every request, NAME=ENV with the environment variable of the value.
	Header Strings `yaml:"header"`

	// Seeds are the seeds, as ParseSeeds reads them.
	Seeds    string `yaml:"seeds"`
	Decoding `yaml:",inline"`
	// Context is the model's context in tokens; 0 for what the server reports.
	Context int `yaml:"context"`
	// HistoryShare is the percentage of the turns that stays when the context is full; 0 for as many as fit.
	HistoryShare int `yaml:"history-share"`

	// StepLimit is the largest number of an episode's steps; 0 for the environment's own.
	StepLimit int `yaml:"step-limit"`
	// Trials is the largest number of trials of a task, Memory the number of reflections that a trial is shown.
	Trials int `yaml:"trials"`
	Memory int `yaml:"memory"`
	// ReflectionPrompt is a file with the prompt for reflections, or a version of our own; empty
	// for the default one. ReflectionTokens is the longest reflection in tokens.
	ReflectionPrompt string `yaml:"reflection-prompt"`
	ReflectionTokens int    `yaml:"reflection-tokens"`
	// SameAction ends a trial after so many equal actions in a row, SameStep after
	// so many equal actions with equal observations; 0 for never.
	SameAction int `yaml:"same-action"`
	SameStep   int `yaml:"same-step"`

	// EpisodeTimeout is the longest that an agent of the user's may play an episode; 0 for no limit.
	EpisodeTimeout time.Duration `yaml:"episode-timeout"`
	// Order is empty, or Sequential.
	Order string `yaml:"order"`
	// Concurrency is the number of episodes in flight.
	Concurrency Concurrency `yaml:"concurrency"`
	// Timeout is the longest that one request may take.
	Timeout time.Duration `yaml:"timeout"`
	// Retries is how often a failed request is sent again.
	Retries int `yaml:"retries"`
	// RPM and TPM are what a server allows per minute: requests, tokens; 0 for no limit.
	RPM int `yaml:"rpm"`
	TPM int `yaml:"tpm"`
	// GiveUpAfter is how long a run waits without any server of a model; 0 for ever.
	GiveUpAfter time.Duration `yaml:"give-up-after"`
	// WaitForServers is how long a run waits at its start for servers that are not there
	// yet, or still load their model; 0 does not wait.
	WaitForServers time.Duration `yaml:"wait-for-servers"`
	// BudgetTokens, BudgetUSD and BudgetTime bound what the run takes: tokens of prompts
	// and replies, dollars at Prices, and the time of one session; 0 for no bound.
	BudgetTokens int           `yaml:"budget-tokens"`
	BudgetUSD    float64       `yaml:"budget-usd"`
	BudgetTime   time.Duration `yaml:"budget-time"`
	// AllowUnusable continues with a model even if too few of its first replies are usable.
	AllowUnusable bool `yaml:"allow-unusable"`
	// Shard is the part of the plan to play, see record.ParseShard; empty for all.
	Shard string `yaml:"shard"`
	// Out is the run directory; empty for one named after what is run.
	Out string `yaml:"out"`

	// Perturb are the perturbations of a sweep, by name or file.
	Perturb Strings `yaml:"perturb"`
	// Suite names the perturbations of a sweep instead: Robust, or empty for none.
	// Grades are how strong they are, as numbers from 1.
	Suite  string  `yaml:"suite"`
	Grades Strings `yaml:"grades"`
	// NoIndModel are the models trained without data of the environment that
	// take the places of Model, in its order, where a perturbation says so.
	NoIndModel Strings `yaml:"no-ind-model"`
	// NoIndBaseURL are the addresses of their servers; empty for BaseURL.
	NoIndBaseURL Strings `yaml:"no-ind-base-url"`
	// Ind is "none" where the models of Model never saw such data.
	Ind string `yaml:"ind"`
}

// Sequential plays episodes one after the other, all tasks of a seed in the benchmark's order: for an agent of the
// user's that remembers.
const Sequential = "sequential"

// Strings is a list of strings; in YAML one string may stand without brackets.
type Strings []string

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (s *Strings) UnmarshalYAML(read func(any) error) error {
	var text string
	if read(&text) == nil {
		*s = Strings{text}
		return nil
	}
	return read((*[]string)(s))
}

// Robust is the suite of all families of perturbations, alone and combined.
const Robust = "robust"

// LoadSuite overrides r with an embedded suite.
func LoadSuite(name string, r *Run) error {
	return embedded(path.Join("suites", name+".yaml"), r)
}

// ParseRun overrides r with a run configuration: fields that it does not name stay unchanged. Keys among settings
// are settings of environments. Keys among extras are returned: they do not belong to r.
func ParseRun(file string, b []byte, r *Run, settings, extras []string) (map[string]Values, error) {
	if strings.TrimSpace(string(b)) == "" {
		return nil, fmt.Errorf("%s: the configuration is empty", file)
	}
	root, err := parseYAML(file, b)
	if err != nil || root == nil { // nothing but comments
		return nil, err
	}
	values, err := takeKeys(root, slices.Concat(settings, extras))
	if err == nil {
		joinLists(root)
		err = fill(root, r)
	}
	if unknown, ok := errors.AsType[*unknownKeyError](err); ok {
		unknown.known = slices.Concat(unknown.known, settings, extras)
	}
	if err != nil {
		return nil, inFile(file, err)
	}
	if len(r.Env) == 1 && !strings.Contains(r.Env[0], ":") { // as its flag
		r.Env = strings.Split(strings.ReplaceAll(r.Env[0], " ", ""), ",")
	}
	if r.Settings == nil {
		r.Settings = envs.Settings{}
	}
	for _, name := range settings {
		value, ok := values[name]
		if ok && value.List {
			return nil, fmt.Errorf("%s:%d: %s: want one value, not a list", file, value.Line, name)
		}
		if ok {
			r.Settings[name] = value.Texts[0]
		}
		delete(values, name)
	}
	return values, nil
}

// joinLists lets a document have lists of tasks and of seeds, whose flags take a text with commas. A list of one number
// is that seed, not how many there are.
func joinLists(m *yaml.Node) {
	for i := 0; m.Kind == yaml.MappingNode && i < len(m.Content); i += 2 {
		var texts Strings
		key, list := m.Content[i].Value, unaliased(m.Content[i+1])
		isList := list.Kind == yaml.SequenceNode && (key == "tasks" || key == "seeds")
		if !isList || fill(list, &texts) != nil || len(texts) == 0 {
			continue
		}
		if key == "seeds" && len(texts) == 1 {
			texts = append(texts, texts[0])
		}
		m.Content[i+1] = &yaml.Node{Kind: yaml.ScalarNode, Value: strings.Join(texts, ","), Line: list.Line}
	}
}

// remote matches the address of a store elsewhere, such as s3://bucket/run.
var remote = regexp.MustCompile(`^\w{2,}://`)

// CheckOut refuses a store elsewhere as the place of results: such a name would become a folder of this machine.
func CheckOut(out string) error {
	if remote.MatchString(out) {
		return fmt.Errorf("out is %q, want a folder or file of this machine: mount the store, or copy there afterwards", out)
	}
	return nil
}
