package configs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Preset is an evaluation protocol of the field: everything that can change a
// number. A file is never edited after its release; a change gets a new version.
type Preset struct {
	Name    string `yaml:"preset" json:"preset"`
	Version int    `yaml:"version" json:"version"`
	Title   string `yaml:"title" json:"title"` // says in a line what is played
	// Status is Exact or Adapted. UpTo names in what an exact preset's requests may differ
	// from the source's own, which differ from run to run: some of EqualUpTo. Deviations
	// say in what an adapted preset differs from its source.
	Status     string       `yaml:"status" json:"status"`
	UpTo       Strings      `yaml:"up-to" json:"up-to,omitempty"`
	Deviations []string     `yaml:"deviations" json:"deviations,omitempty"`
	Source     PresetSource `yaml:"source" json:"source"`
	// Texts are fixed texts of the source by name.
	Texts map[string]SourceText `yaml:"texts" json:"texts,omitempty"`

	Env  PresetEnv `yaml:"env" json:"env"`
	Play `yaml:",inline"`
	// Protocol is the form of one protocol that the agent's form named, such as eto@1.
	Protocol string         `yaml:"-" json:"protocol,omitempty"`
	Prompt   PresetPrompt   `yaml:"prompt" json:"prompt"` // what the model is told before the task
	Decoding PresetDecoding `yaml:"decoding" json:"decoding"`
	Metric   Metric         `yaml:"metric" json:"metric"`
	// Published names the published results that were made so: they have the name of
	// the preset; see PublishedNames. It is not part of the hash.
	Published string `yaml:"-" json:"-"`
	// Overrides are what a run changed that has no other field here; no file has any.
	Overrides map[string]string `yaml:"-" json:"overrides,omitempty"`
}

// The values of Preset.Status. Exact: every message was compared with the original code's.
const (
	Exact   = "exact"
	Adapted = "adapted"
)

// PresetSource says where a protocol comes from.
type PresetSource struct {
	// Repository is a GitHub repository as OWNER/NAME, read at Commit, 7 to 64 hex digits.
	Repository string `yaml:"repository" json:"repository,omitempty"`
	Commit     string `yaml:"commit" json:"commit,omitempty"`
	Paper      string `yaml:"paper" json:"paper,omitempty"`     // a number on arXiv
	Licence    string `yaml:"licence" json:"licence,omitempty"` // the licence of the repository
}

// PresetEnv says which tasks are played, and for how long.
type PresetEnv struct {
	Name string `yaml:"name" json:"name"` // the environment
	// Settings are its options, by the names that it declares.
	Settings map[string]string `yaml:"settings" json:"settings,omitempty"`
	Tasks    PresetTasks       `yaml:"tasks" json:"tasks"`
	Limit    PresetLimit       `yaml:"limit" json:"limit"`
	// Parts are what a preset consists of, such as splits. The values of a part
	// replace those above. Select returns a preset of one part.
	Parts []PresetPart `yaml:"parts" json:"-"`
	// Default are the parts that are played if none is named; empty for all.
	Default []string `yaml:"-" json:"-"`
	Part    string   `yaml:"-" json:"part,omitempty"` // the selected part; empty if the preset has none
}

// PresetPart is a part of a preset: a split, or an environment. Fields without a value take the value of the whole.
type PresetPart struct {
	Part string `yaml:"part"`
	Name string `yaml:"name"`
	// Status, UpTo and Deviations apply to the part.
	Status     string            `yaml:"status"`
	UpTo       Strings           `yaml:"up-to"`
	Deviations []string          `yaml:"deviations"`
	Settings   map[string]string `yaml:"settings"` // beside the settings of the whole
	Tasks      PresetTasks       `yaml:"tasks"`
	Limit      PresetLimit       `yaml:"limit"`
	Prompt     PresetPrompt      `yaml:"prompt"`
	Agent      AgentForm         `yaml:"agent"`
}

// PresetTasks selects tasks.
type PresetTasks struct {
	Count int `yaml:"count" json:"count"` // their number
	// SHA256 is the hash of their names, sorted bytewise, each followed by a line break; empty if it is not known.
	SHA256 string `yaml:"sha256" json:"sha256,omitempty"`
	// Partial: tasks that the data lack are left out, which is a change of the preset.
	Partial bool `yaml:"-" json:"-"`
	// FirstOfType keeps the first N tasks of every type, SkipTypes leaves types out;
	// for selections that follow a rule.
	FirstOfType int      `yaml:"-" json:"first-of-type,omitempty"`
	SkipTypes   []string `yaml:"-" json:"skip-types,omitempty"`
	// BySeed keeps one task of every type: the one whose position is the remainder of
	// the seed by the number of tasks; 0 for all.
	BySeed int `yaml:"-" json:"by-seed,omitempty"`
	// ByName: positions are in the bytewise order of names, not in the environment's order.
	ByName bool `yaml:"-" json:"by-name,omitempty"`
	// Draws is how many tasks the seed DrawSeed draws, with repetition; 0 for all once.
	Draws    int   `yaml:"-" json:"draws,omitempty"`
	DrawSeed int64 `yaml:"-" json:"draw-seed,omitempty"`
	// Sample is the size of a fixed sample, with equally many tasks of each type as far as there are; 0 for all.
	Sample int `yaml:"-" json:"sample,omitempty"`
	// List is a file of names from the source; nil to take all tasks.
	List *PresetList `yaml:"list" json:"list,omitempty"`
}

// PresetList is a file with the names of tasks.
type PresetList struct {
	File string `yaml:"file" json:"file"` // the path in the source's repository, or in DataSet
	// DataSet is a data set of Hugging Face, OWNER/NAME; empty for a list in the repository.
	DataSet string `yaml:"-" json:"data-set,omitempty"`
	// SHA256 is its hash, or at least 8 first digits of it; empty if it is not known.
	SHA256 string `yaml:"sha256" json:"sha256,omitempty"`
	Format string `yaml:"format" json:"format"`   // one of listFormats
	Key    string `yaml:"-" json:"key,omitempty"` // the key of the list in a JSON object
	// Partial: names that the environment does not have are left out. The number of tasks
	// and the hash of their names say which remain.
	Partial bool `yaml:"-" json:"partial,omitempty"`
}

// listFormats are the values of PresetList.Format:
//
//   - names: one name per line
//   - sciworld-pairs: JSON pairs of a name or number of a ScienceWorld task and
//     a variation
//   - alfworld-paths: JSON that holds, at any depth, the paths of ALFWorld's games,
//     or their folders and trials one after the other
//   - agentgym-ids: JSON that holds, at any depth, ids of AgentGym such as
//     babyai_17
func listFormats() []string {
	return []string{"names", "sciworld-pairs", "alfworld-paths", "agentgym-ids"}
}

// PresetLimit ends an episode.
type PresetLimit struct {
	// Steps is the largest number of steps; 0 if every type has its own in ByType.
	Steps  int            `yaml:"steps" json:"steps,omitempty"`
	ByType map[string]int `yaml:"-" json:"by-type,omitempty"`
	// Counts says what a step is: "replies" of the model.
	Counts string `yaml:"counts" json:"counts,omitempty"`
	// Restart starts the game again when it ends, until the limit is reached or it is won with the highest score.
	Restart bool `yaml:"-" json:"restart,omitempty"`
}

// For returns the step limit of a task type, 0 if there is none.
func (l PresetLimit) For(taskType string) int {
	if n, ok := l.ByType[taskType]; ok {
		return n
	}
	return l.Steps
}

// Max returns the largest step limit of any type.
func (l PresetLimit) Max() int {
	n := l.Steps
	for _, m := range l.ByType {
		n = max(n, m)
	}
	return n
}

// PresetPrompt says which prompt is used: one of ours, or files that the user has.
type PresetPrompt struct {
	BuiltIn string       `yaml:"built-in" json:"built-in,omitempty"` // a prompt of ours, such as v2
	Files   []PresetFile `yaml:"files" json:"files,omitempty"`       // files of the source
	// Format is how the files are written, one of PromptFormats. Key is the key of
	// the text in a file that has others too.
	Format string `yaml:"format" json:"format,omitempty"`
	Key    string `yaml:"-" json:"key,omitempty"`
	// System and Instruction are told before the examples, by prompts whose files have
	// only examples, or which have no files. Handover stands between examples and task.
	System      string `yaml:"system" json:"system,omitempty"`
	Instruction string `yaml:"instruction" json:"instruction,omitempty"`
	Handover    string `yaml:"-" json:"handover,omitempty"`
	// MoreHelp and History are MoreHelp and Kept of Prompt, for the agent act. Untold is what the format
	// agentboard says of tasks without an opening.
	MoreHelp string `yaml:"-" json:"more-help,omitempty"`
	History  string `yaml:"-" json:"kept,omitempty"`
	Untold   string `yaml:"-" json:"untold,omitempty"`
	// Template is the message of the form single, of which each text may be one of the source.
	Template *Template `yaml:"template" json:"template,omitempty"`
	// SHA256 is the hash of the content of a prompt of ours or of the user.
	SHA256 string `yaml:"-" json:"sha256,omitempty"`
}

func (p PresetPrompt) isSet() bool {
	return p.BuiltIn != "" || len(p.Files) > 0 || p.Instruction != "" || p.System != "" || p.Template != nil
}

// PresetFile is a file of the source.
type PresetFile struct {
	// Path is its path in the repository; SHA256 its hash, or the first digits of
	// it, at least 8; empty if it is not known.
	Path   string `yaml:"path" json:"path"`
	SHA256 string `yaml:"sha256" json:"sha256,omitempty"`
}

// PresetDecoding says how replies are sampled.
type PresetDecoding struct {
	Decoding `yaml:",inline"`
	Seed     int64 `yaml:"-" json:"seed,omitempty"` // sent with every call; 0 for one of the run's per call
	// Template is the chat template that the protocol expects; empty for the server's own.
	Template string `yaml:"-" json:"template,omitempty"`
}

// MarshalJSON implements json.Marshaler: fields have the names of the options, on which
// the hashes of presets depend, and not the names in requests.
func (d PresetDecoding) MarshalJSON() ([]byte, error) {
	type plain PresetDecoding
	b, err := json.Marshal(plain(d))
	if err != nil {
		return nil, err
	}
	return renamed(b, "_", "-")
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *PresetDecoding) UnmarshalJSON(b []byte) error {
	type plain PresetDecoding
	b, err := renamed(b, "-", "_")
	if err != nil {
		return err
	}
	return json.Unmarshal(b, (*plain)(d))
}

// renamed is a JSON object with other signs in the names of its fields.
func renamed(object []byte, old, replacement string) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, err
	}
	named := map[string]json.RawMessage{}
	for name, value := range fields {
		named[strings.ReplaceAll(name, old, replacement)] = value
	}
	return json.Marshal(named)
}

// Metric says how an episode becomes a number.
type Metric struct {
	Primary string `yaml:"primary" json:"primary"`   // one of Metrics
	Exact   bool   `yaml:"-" json:"exact,omitempty"` // scores are taken before the environment rounds them
	// FormatErrorResets: a reply that the environment does not get, because the model is
	// told what is wrong with it, sets the score to 0, and the best one too.
	FormatErrorResets bool `yaml:"-" json:"format-error-resets,omitempty"`
	// Success is the lowest final score of a success, in percent; 0 for the environment's.
	Success float64 `yaml:"success" json:"success,omitempty"`
	// Loose is a second, looser definition of success that the source reports: "done", which is every end but the
	// step limit, "done-and-positive", which also has a score above 0, or empty.
	Loose     string `yaml:"-" json:"loose,omitempty"`
	Aggregate string `yaml:"aggregate" json:"aggregate"` // "mean-over-tasks" or "mean-over-types"
}

// metrics are the values of Metric.Primary. The score of an episode is the environment's own, from -1 to 1.
//
//   - success: 1 for a success, otherwise 0
//   - progress: the final progress
//   - score-last: the last score
//   - score-best: the highest score of the episode, which begins with 0
//   - score-best-step: the highest score after a step
//   - score-last-non-negative: the last score that was not negative
func metrics() []string {
	return []string{"success", "progress", "score-last", "score-best", "score-best-step", "score-last-non-negative"}
}

// ID names a preset and its part, such as eto-alfworld@1:unseen. "+" follows the
// version of a preset that was changed.
func (p *Preset) ID(changed bool) string {
	id := fmt.Sprintf("%s@%d", p.Name, p.Version)
	if changed {
		id += "+"
	}
	if p.Env.Part != "" {
		id += ":" + p.Env.Part
	}
	return id
}

// PartNames lists the parts of a preset; nil if it has none.
func (p *Preset) PartNames() (names []string) {
	for _, part := range p.Env.Parts {
		names = append(names, part.Part)
	}
	return names
}

// Select returns the preset of one part.
func (p Preset) Select(name string) (Preset, error) {
	i := slices.IndexFunc(p.Env.Parts, func(part PresetPart) bool { return part.Part == name })
	if i < 0 {
		return p, fmt.Errorf("preset %s has no part %q; it has %s", p.Name, name, strings.Join(p.PartNames(), ", "))
	}
	part := p.Env.Parts[i]
	p.Env.Parts, p.Env.Default, p.Env.Part = nil, nil, name
	if part.Name != "" {
		p.Env.Name = part.Name
	}
	if part.UpTo != nil {
		p.UpTo = part.UpTo
	}
	if part.Status != "" {
		p.Status, p.Deviations = part.Status, part.Deviations
	}
	if len(part.Settings) > 0 {
		settings := map[string]string{}
		maps.Copy(settings, p.Env.Settings)
		maps.Copy(settings, part.Settings)
		p.Env.Settings = settings
	}
	if part.Tasks.Count > 0 {
		p.Env.Tasks = part.Tasks
	}
	if part.Limit.Max() > 0 {
		p.Env.Limit = part.Limit
	}
	if part.Prompt.isSet() {
		p.Prompt = part.Prompt
	}
	if p.Protocol != "" {
		p.Agent.Form = p.Protocol
	}
	if part.Agent.Form != "" {
		p.Agent = part.Agent
	}
	if err := p.fill(); err != nil {
		return p, err
	}
	return p.complete()
}

// PresetNames lists the embedded presets.
func PresetNames() []string { return namesIn("presets") }

// PresetParts returns every part of every embedded preset.
func PresetParts() (out []Preset, err error) {
	for _, name := range PresetNames() {
		base, err := LoadPreset(name)
		if err != nil {
			return nil, err
		}
		parts, err := base.Split()
		if err != nil {
			return nil, err
		}
		out = append(out, parts...)
	}
	return out, nil
}

// LoadPreset returns an embedded preset by name.
func LoadPreset(name string) (Preset, error) {
	b, err := PresetText(name)
	if err != nil {
		return Preset{}, err
	}
	p, err := ParsePreset(name+".yaml", b)
	if slices.Contains(PublishedNames(), name) {
		p.Published = name
	}
	return p, err
}

// PresetText returns the file of an embedded preset.
func PresetText(name string) ([]byte, error) {
	return named("presets", "preset", name, "or give a YAML file")
}

// ParsePreset reads a preset, fills in the rules of its protocol, and checks it.
func ParsePreset(file string, b []byte) (p Preset, err error) {
	if err = decode(file, b, &p); err != nil {
		return p, withForms(err)
	}
	for name, x := range p.Texts {
		x.Recipe = recipeOf(x.File)
		p.Texts[name] = x
	}
	settings := stated(reflect.ValueOf(p), "")
	if err = p.fill(); err == nil {
		err = cmp.Or(p.overruled(settings), p.check(), p.unread(settings))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return p, err
}

// withForms adds to an error of a key that presets do not have the forms that have it.
func withForms(err error) error {
	var unknown *unknownKeyError
	if !errors.As(err, &unknown) {
		return err
	}
	forms := formsWith(unknown.key)
	if len(forms) == 0 {
		return fmt.Errorf("%w; heldout help presets says what presets have", err)
	}
	return fmt.Errorf("%w; %s is a rule of one protocol, which agent.form names: %s", err, unknown.key,
		strings.Join(forms, ", "))
}

// Split returns the parts of a preset, each as a preset of its own, or itself without any.
func (p Preset) Split() ([]Preset, error) {
	if len(p.Env.Parts) == 0 {
		p, err := p.complete()
		return []Preset{p}, err
	}
	return p.parts(p.PartNames())
}

func (p Preset) parts(names []string) (out []Preset, err error) {
	for _, name := range names {
		part, err := p.Select(name)
		if err != nil {
			return nil, err
		}
		out = append(out, part)
	}
	return out, nil
}

// complete fills in the hash of a prompt of ours, and drops what the part does not use.
func (p Preset) complete() (Preset, error) {
	p = p.withoutOtherTexts()
	if p.Prompt.BuiltIn == "" {
		return p, nil
	}
	prompt, err := LoadPrompt(p.Env.Name, p.Prompt.BuiltIn)
	if err == nil {
		p.Prompt.SHA256, err = prompt.Hash()
	}
	return p, err
}

// FindPresets returns the presets that a text such as eto-alfworld@1:unseen names,
// one for each part: all default parts if it names none. read reads a user's file.
func FindPresets(text string, read func(file string) ([]byte, error)) ([]Preset, error) {
	name, part := cutPart(text)
	p, err := readPreset(name, read)
	if err != nil {
		return nil, err
	}
	switch {
	case part != "":
		found, err := p.parts([]string{part})
		if err != nil && isPresetFile(name) {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return found, err
	case len(p.Env.Default) > 0:
		return p.parts(p.Env.Default)
	}
	return p.Split()
}

// cutPart cuts the part off a name or the path of a file.
func cutPart(text string) (name, part string) {
	i := strings.LastIndex(text, ":")
	if i < 0 || strings.ContainsAny(text[i:], `/\.`) {
		return text, ""
	}
	return text[:i], text[i+1:]
}

func isPresetFile(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// readPreset reads an embedded preset, whose name may have a version, or a file.
func readPreset(name string, read func(file string) ([]byte, error)) (Preset, error) {
	if isPresetFile(name) {
		b, err := read(name)
		if err != nil {
			return Preset{}, err
		}
		return ParsePreset(name, b)
	}
	name, version, versioned := strings.Cut(name, "@")
	p, err := LoadPreset(name)
	if err == nil && versioned && version != strconv.Itoa(p.Version) {
		err = fmt.Errorf("preset %s has version %d here, not %q", name, p.Version, version)
	}
	return p, err
}

// DefaultPreset is what a run plays in an environment if it names no preset. It has no name and
// no metric, and the environment's own step limit.
func DefaultPreset(env string) Preset {
	return Preset{Env: PresetEnv{Name: env, Limit: PresetLimit{Counts: "replies"}}, Play: OwnPlay(React)}
}

// OwnPlay is how the agents react and act play.
func OwnPlay(form string) Play {
	return Play{ActionsShown: ActionsShown{Timing: Never}, Agent: AgentForm{Form: form}}
}
