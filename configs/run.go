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

// Run says what to run. Its YAML keys are names of flags; options.yaml declares them, and says what each means.
type Run struct {
	Preset     Strings `yaml:"preset"`
	Originals  string  `yaml:"originals"`
	Env        Strings `yaml:"env"`
	envs.Setup `yaml:",inline"`
	Tasks      string `yaml:"tasks"`
	Limit      int    `yaml:"limit"`

	Model              Strings  `yaml:"model"`
	Names              Names    `yaml:"names"`
	Prices             Prices   `yaml:"prices"`
	HeldIn             HeldIn   `yaml:"held-in"`
	AcceptChangedModel bool     `yaml:"accept-changed-model"`
	Player             Identity `yaml:"player"`
	SameWeights        bool     `yaml:"same-weights"`
	Agent              string   `yaml:"agent"`
	Prompt             string   `yaml:"prompt"`
	NoSystemRole       bool     `yaml:"no-system-role"`
	Completions        bool     `yaml:"completions"`
	BaseURL            Servers  `yaml:"base-url"`
	APIKeyEnv          string   `yaml:"api-key-env"`
	Header             Strings  `yaml:"header"`

	Seeds        string `yaml:"seeds"`
	Decoding     `yaml:",inline"`
	Context      int `yaml:"context"`
	HistoryShare int `yaml:"history-share"`

	StepLimit        int    `yaml:"step-limit"`
	Trials           int    `yaml:"trials"`
	Memory           int    `yaml:"memory"`
	ReflectionPrompt string `yaml:"reflection-prompt"`
	ReflectionTokens int    `yaml:"reflection-tokens"`
	SameAction       int    `yaml:"same-action"`
	SameStep         int    `yaml:"same-step"`

	EpisodeTimeout time.Duration `yaml:"episode-timeout"`
	Order          string        `yaml:"order"`
	Concurrency    Concurrency   `yaml:"concurrency"`
	Timeout        time.Duration `yaml:"timeout"`
	Retries        int           `yaml:"retries"`
	RPM            int           `yaml:"rpm"`
	TPM            int           `yaml:"tpm"`
	GiveUpAfter    time.Duration `yaml:"give-up-after"`
	WaitForServers time.Duration `yaml:"wait-for-servers"`
	BudgetTokens   int           `yaml:"budget-tokens"`
	BudgetUSD      float64       `yaml:"budget-usd"`
	BudgetTime     time.Duration `yaml:"budget-time"`
	AllowUnusable  bool          `yaml:"allow-unusable"`
	Shard          string        `yaml:"shard"`
	Out            string        `yaml:"out"`

	Perturb      Strings `yaml:"perturb"`
	Suite        string  `yaml:"suite"`
	Grades       Strings `yaml:"grades"`
	NoIndModel   Strings `yaml:"no-ind-model"`
	NoIndBaseURL Strings `yaml:"no-ind-base-url"`
	Ind          string  `yaml:"ind"`
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
	if root.Kind != yaml.MappingNode {
		return nil, inFile(file, fill(root, r)) // an error
	}
	root.Content = merged(root)
	values, err := takeKeys(root, slices.Concat(settings, extras))
	if err == nil {
		joinLists(root)
		err = fill(root, r)
	}
	if unknown, ok := errors.AsType[*unknownKeyError](err); ok {
		unknown.keys = slices.Concat(unknown.keys, settings, extras)
	}
	if err != nil {
		return nil, inFile(file, err)
	}
	for _, o := range Options() { // as their flags
		if list, ok := o.Pointer(r).(*Strings); ok && o.Commas && len(*list) == 1 && (*list)[0] != "" {
			*list = SplitCommas((*list)[0])
		}
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

// outsideEnv matches an environment that others run, whose address may have commas.
var outsideEnv = regexp.MustCompile(`^\s*(exec|agentgym|openenv):`)

// SplitCommas splits values that commas separate.
func SplitCommas(text string) (values []string) {
	for text != "" {
		value, rest, _ := strings.Cut(text, ",")
		if outsideEnv.MatchString(value) {
			value, rest = text, ""
		}
		values, text = append(values, strings.TrimSpace(value)), rest
	}
	return values
}

// joinLists lets a document have lists of tasks and of seeds, whose flags take a text with commas, and a mapping of
// headers, whose flag takes NAME=ENV. A list of one number is that seed, not how many there are.
func joinLists(m *yaml.Node) {
	for i := 0; i < len(m.Content); i += 2 {
		var texts Strings
		var headers map[string]string
		key, value := m.Content[i].Value, unaliased(m.Content[i+1])
		if key == "header" && fill(value, &headers) == nil {
			list := &yaml.Node{Kind: yaml.SequenceNode}
			for name, env := range headers {
				list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name + "=" + env})
			}
			m.Content[i+1] = list
		}
		isList := value.Kind == yaml.SequenceNode && (key == "tasks" || key == "seeds")
		if !isList || fill(value, &texts) != nil || len(texts) == 0 {
			continue
		}
		if key == "seeds" && len(texts) == 1 {
			texts = append(texts, texts[0])
		}
		m.Content[i+1] = &yaml.Node{Kind: yaml.ScalarNode, Value: strings.Join(texts, ","), Line: value.Line}
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
