package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/scoring/table"
)

// Manifest is run.json.
type Manifest struct {
	Schema int  `json:"schema"`
	Tool   Tool `json:"tool"`
	// Behaviour is the version of how heldout plays, which is part of every
	// episode's id; 0 in runs from before it was written down stands for 1.
	Behaviour    int           `json:"behaviour,omitempty"`
	Environments []Environment `json:"environments"` // the plan's
	Groups       []Group       `json:"groups"`       // the planned episodes
	// Prompts are the prompts of the environments, by environment.
	Prompts    map[string]Prompt `json:"prompts,omitempty"`
	Reflection *Prompt           `json:"reflection,omitempty"` // the prompt for reflections on failed trials
	// Names are what the user calls models in tables, by model.
	Names  map[string]string `json:"names,omitempty"`
	Prices configs.Prices    `json:"prices,omitempty"` // what the user says that models cost, by model
	// HeldIn are the environments whose data models were trained on, by model, as the user says.
	HeldIn configs.HeldIn `json:"held_in,omitempty"`
	// Servers is what the model servers reported about themselves, by model; one entry per start of the run.
	Servers map[string][]ServerReport `json:"servers,omitempty"`
	// Players are the agents from outside heldout that played after the condition's agent
	// under its name, because the user accepted them, by model, in order.
	Players   map[string][]Identity `json:"players,omitempty"`
	Sweep     *Sweep                `json:"sweep,omitempty"`     // set for a run of several perturbations
	Protocols []Protocol            `json:"protocols,omitempty"` // the presets of the run
	// Shard is the part of the plan that this directory is for; nil for all of it.
	Shard    *Shard    `json:"shard,omitempty"`
	Sessions []Session `json:"sessions"` // the periods of work on the run
	// Checksum is the last field of the file, as in a line. SetManifest computes it; it is empty here.
	Checksum string `json:"checksum,omitempty"`

	// Uncovered names what was read and has no checksum, because a version of heldout
	// from before there were checksums wrote it.
	Uncovered []string `json:"-"`
}

// Tool says which program made a run.
type Tool struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

// Environment is an environment of a plan with its planned tasks.
type Environment struct {
	envs.Info
	// Protocol is the key of the preset whose tasks these are: its name, a space and
	// its hash; empty without a preset.
	Protocol string      `json:"protocol,omitempty"`
	Total    int         `json:"total"` // the number of tasks of the whole benchmark
	Tasks    []envs.Task `json:"tasks"`
}

// Group is the part of a plan that has one condition: an episode for every task of the environment.
type Group struct {
	Condition Condition `json:"condition"`
	// Episodes holds an id for each task, in the order of Environment.Tasks. It is
	// the first trial's; TrialID returns the ids of later ones.
	Episodes []string `json:"episodes"`
}

// Decoding says how replies are sampled.
type Decoding = configs.Decoding

// Identity says which agent from outside heldout plays, besides its name.
type Identity = configs.Identity

// Condition is everything that identifies how an episode is run.
type Condition struct {
	Env        string            `json:"env"`
	Source     envs.Source       `json:"source"`
	Settings   map[string]string `json:"settings,omitempty"`
	Model      string            `json:"model"`
	Agent      string            `json:"agent"`
	Decoding   *Decoding         `json:"decoding,omitempty"` // nil without a model
	Context    int               `json:"context,omitempty"`  // tokens; 0: as the server says
	PromptHash string            `json:"prompt_hash,omitempty"`
	// the percentage of the turns that stays when the context is full; 0: as many as fit
	HistoryShare int `json:"history_share,omitempty"`
	// the system message stands in the first user message
	NoSystemRole bool   `json:"no_system_role,omitempty"`
	Completions  bool   `json:"completions,omitempty"` // the model continues a text rather than a chat
	Perturbation string `json:"perturbation"`
	// PerturbationHash identifies the rules of the perturbation; empty without.
	PerturbationHash string `json:"perturbation_hash,omitempty"`
	// Substitute is the model that Model replaces, if the perturbation changes the model.
	Substitute string  `json:"instead,omitempty"`
	StepLimit  int     `json:"step_limit"`
	Seed       int64   `json:"seed"`
	Trials     *Trials `json:"trials,omitempty"` // set if a task is played again after a failure
	Preset     *Preset `json:"preset,omitempty"` // the protocol; nil if the run had none
	// Player says more of the player if that is an agent from outside heldout; nil if nothing is known.
	Player *Identity `json:"player,omitempty"`
	// Order is "sequential" if the player remembers earlier episodes: the episodes of a seed were played one after the
	// other, in the order of the plan. It is empty if they do not depend on each other.
	Order string `json:"order,omitempty"`
}

// Key identifies a condition: equal ones have equal keys.
func (c Condition) Key() string {
	b, err := json.Marshal(c)
	if err != nil {
		return err.Error() // a condition that was read or hashed can be written
	}
	return string(b)
}

// Stopped returns the budget that ended the last session; empty if none did.
func (m *Manifest) Stopped() string {
	if len(m.Sessions) == 0 {
		return ""
	}
	return m.Sessions[len(m.Sessions)-1].Stopped
}

// Sweep says that a run plays environments under several perturbations.
type Sweep struct {
	Suite  string `json:"suite,omitempty"`  // the suite that the perturbations are; empty if they were named
	Grades []int  `json:"grades,omitempty"` // the suite's
	Env    string `json:"env"`              // the environment of the perturbations that name none
	// Anchors are players that nobody asked for, which give numbers under perturbations a
	// scale. Only the table of robustness indices has them.
	Anchors       []string       `json:"anchors,omitempty"`
	Perturbations []Perturbation `json:"perturbations"` // those beside none, in the order of the table
	// LeftOut are perturbations of the suite that do not fit a preset.
	LeftOut []LeftOut `json:"left_out,omitempty"`
}

// LeftOut is a family of perturbations, or a combination, that a suite has for an
// environment and a sweep does not play, since it does not fit the preset.
type LeftOut struct {
	Env          string `json:"env"`
	Perturbation string `json:"perturbation"`
	Reason       string `json:"why"`
}

// In returns the perturbations of an environment, in the order of the table.
func (s *Sweep) In(env string) []Perturbation {
	return table.Filter(s.Perturbations, func(p Perturbation) bool { return cmp.Or(p.Env, s.Env) == env })
}

// Combines reports whether a perturbation combines families of rules; false without a sweep.
func (s *Sweep) Combines() bool {
	return s != nil && slices.ContainsFunc(s.Perturbations, func(p Perturbation) bool { return len(p.Parts) > 0 })
}

// ExtraAnchor reports whether a player is an anchor that nobody asked for; false without a sweep.
func (s *Sweep) ExtraAnchor(model string) bool { return s != nil && slices.Contains(s.Anchors, model) }

// Perturbation is a perturbation of a sweep.
type Perturbation struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Env   string `json:"env,omitempty"` // the environment, if it is not the sweep's
	// Parts are the families of rules that it combines; empty if it belongs to no family.
	Parts []FamilyGrade `json:"parts,omitempty"`
	// Forms counts the forms of actions that are written differently. Steps then say
	// which form their action has; nil in records from before they did.
	Forms *int `json:"forms,omitempty"`
	// File is the source of the rules, BuiltIn or a path; SHA256 is the hash of their content.
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Rules  *Rules `json:"rules,omitempty"` // what changes about the interface; nil if the model changes
	// Model is set if the perturbation changes the model and not the interface:
	// "no-ind" stands for a model trained without data of the environment.
	Model string `json:"model,omitempty"`
	// Departs lists what of the environment's preset is not the original's under the
	// perturbation, such as "the instruction"; empty without a preset.
	Departs []string `json:"departs,omitempty"`
	// Base are the models for whom the result without perturbation counts: they
	// were trained without such data anyway, or not at all.
	Base []string `json:"base,omitempty"`
}

// FamilyGrade is a family of rules at a grade, from 1: the larger, the further from the environment's own words.
type FamilyGrade struct {
	Family string `json:"family"`
	Grade  int    `json:"grade"`
}

// Rules are the rules of a perturbation of the interface. Slots of forms and of
// names are in braces, such as "go to {recep}" and "{class} {number}".
type Rules struct {
	// Actions maps forms of actions, and Replies answers of the environment, to those that replace them.
	Actions map[string]string `json:"actions,omitempty"`
	Replies map[string]string `json:"replies,omitempty"`
	// Names is how names are written; empty if they stay. OwnNames is how the environment itself writes them, and
	// NameParts has a regular expression for each slot of both; they are set only with Names.
	Names     string            `json:"names,omitempty"`
	OwnNames  string            `json:"own_names,omitempty"`
	NameParts map[string]string `json:"name_parts,omitempty"`
	Removed   []string          `json:"without,omitempty"` // the forms of actions that are taken away
	// Words trade places with those that they map to. Numbers is "words" if numbers are written as words.
	Words   map[string]string `json:"words,omitempty"`
	Numbers string            `json:"numbers,omitempty"`
	// Texts maps forms of goals and sentences, and Instructions passages of prompts, to those that replace them.
	Texts        map[string]string `json:"texts,omitempty"`
	Instructions map[string]string `json:"instructions,omitempty"`
	// Order is the order of lists: "reversed" or "shuffled". Layout is the layout of
	// enumerations: "bullets", "bars" or "semicolons". LineCount of Lines stand below
	// every observation. Seed decides about shuffled lists and lines.
	Order     string   `json:"order,omitempty"`
	Layout    string   `json:"layout,omitempty"`
	LineCount int      `json:"line_count,omitempty"`
	Lines     []string `json:"lines,omitempty"`
	Seed      int64    `json:"seed,omitempty"`
}

// BuiltIn is the file of prompts and perturbations that are heldout's own.
const BuiltIn = "built-in"

// Prompt names the prompt that was used and its hash.
type Prompt struct {
	File string `json:"file"` // BuiltIn or a path
	// Version is the version of a built-in prompt, such as "v2"; empty before there were versions, which is "v1".
	Version string `json:"version,omitempty"`
	SHA256  string `json:"sha256"`
}

// Session is one period of work on a run.
type Session struct {
	Tool    Tool       `json:"tool"`
	Started time.Time  `json:"started"`
	Ended   *time.Time `json:"ended,omitempty"` // missing when the session was killed
	// Stopped is the budget that ended the session, as it is given on the command line.
	Stopped string `json:"stopped,omitempty"`
}

// maxManifest is the largest run.json that is read, in bytes. The file of a run
// of a million episodes is a fifth of this.
const maxManifest = 1 << 28

// notRun says why a folder is not a run directory, because of an error of reading it.
func notRun(dir string, err error) error {
	if _, absent := os.Stat(dir); errors.Is(absent, fs.ErrNotExist) {
		return missingRun(dir)
	}
	if info, failed := os.Stat(dir); failed == nil && !info.IsDir() {
		return notFolder(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not a run directory: %w; heldout runs lists the run directories below a folder", dir, err)
	}
	return fmt.Errorf("%s is not a run directory: %w", dir, err)
}

// notFolder is the error of a file in the place of a run directory.
func notFolder(file string) error {
	if strings.HasSuffix(file, ".heldout") {
		return fmt.Errorf("%s is a bundle, want a run directory; tar xf %[1]s unpacks its runs, "+
			"and heldout check %[1]s proves what it says", file)
	}
	return fmt.Errorf("%s is a file, want a run directory; heldout runs lists the run directories below a folder", file)
}

// missingRun is the error of a run directory that does not exist. It is fs.ErrNotExist.
type missingRun string

func (dir missingRun) Error() string {
	return string(dir) + " does not exist; heldout runs lists the run directories below a folder"
}

func (missingRun) Is(err error) bool { return err == fs.ErrNotExist }

// ReadManifest reads run.json of a run directory and checks it: the ids of the
// episodes are computed anew from their tasks and conditions.
func ReadManifest(dir string) (*Manifest, error) {
	file := filepath.Join(dir, manifestFile)
	b, err := datafile.Read(file, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notRun(dir, err)
	}
	if err != nil {
		return nil, err
	}
	long, err := checkNesting(b)
	if err != nil {
		return nil, badManifest(file, b, err)
	}
	var m Manifest
	if err := unmarshal(b, &m); err != nil {
		return nil, badManifest(file, b, err)
	}
	if !readable(m.Schema) {
		return nil, badManifest(file, b, &schemaError{m.Schema})
	}
	if err := m.checkLimits(b, long); err != nil {
		return nil, badManifest(file, b, err)
	}
	if err := m.check(); err != nil { // which says more than a checksum
		return nil, badManifest(file, b, err)
	}
	covered, err := checkFile(b, m.Schema)
	if err != nil {
		return nil, badManifest(file, b, err)
	}
	if m.Checksum = ""; !covered {
		m.Uncovered = []string{file}
	}
	return &m, nil
}

// Uncovered names lines of a file that have no checksum, if there are any.
func Uncovered(lines int, file string) []string {
	if lines == 0 {
		return nil
	}
	return []string{table.Counted(lines, "line") + " of " + file}
}

// NotCovered says what it means that files or lines have no checksum.
func NotCovered(places []string) string {
	const limit = 6
	return fmt.Sprintf(
		"no checksum covers %s: an earlier version of heldout or another program wrote that, and if it was changed "+
			"since, nothing shows it", table.Shortlist(places, limit))
}

// Preset identifies the evaluation protocol that an episode was played by.
type Preset struct {
	// Name is name, version and part, such as "eto-alfworld@1:unseen"; "+" follows
	// the version if the run changed the protocol.
	Name    string   `json:"name"`
	SHA256  string   `json:"sha256"`            // the hash of the protocol as it was played
	Changes []string `json:"changes,omitempty"` // what the run changed, a field each
}

// Key tells protocols apart.
func (p *Preset) Key() string {
	if p == nil {
		return ""
	}
	return p.Name + " " + p.SHA256
}

// Label names a protocol in tables: name and the start of the hash.
func (p *Preset) Label() string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s (%.4s…)", p.Name, p.SHA256)
}

// Protocol is a preset of a run.
type Protocol struct {
	Preset
	Released string `json:"released"` // the hash of the preset without changes
	// Published names the published results that were made with the preset.
	Published string `json:"published,omitempty"`
	// Definition is the protocol as it was played, of which SHA256 is the hash.
	Definition json.RawMessage `json:"definition"`
	// Tasks is the hash of the names of the planned tasks, sorted bytewise, each followed by a line break.
	Tasks string `json:"tasks_sha256"`
	// Files are the files of the protocol's source that were read, with their hashes.
	Files map[string]string `json:"files,omitempty"`
}

// Protocol returns the preset of a condition; nil if there is none.
func (m *Manifest) Protocol(p *Preset) *Protocol {
	i := slices.IndexFunc(m.Protocols, func(protocol Protocol) bool { return p != nil && protocol.Key() == p.Key() })
	if i < 0 {
		return nil
	}
	return &m.Protocols[i]
}

// EnvironmentOf returns the environment of a condition. A run of several presets
// may have an environment several times.
func (m *Manifest) EnvironmentOf(c Condition) (env Environment, ok bool) {
	protocol := c.Preset.Key()
	for i := range m.Environments {
		if e := &m.Environments[i]; e.Name == c.Env && e.Protocol == protocol {
			return *e, true
		}
	}
	return Environment{}, false
}

// checkScore reports scores that no protocol gives.
func (r *Result) checkScore() error {
	if r.Score != nil && (math.IsNaN(*r.Score) || math.Abs(*r.Score) > maxScore) {
		return fmt.Errorf("score: %v is not a score", *r.Score)
	}
	if r.Score != nil && r.Preset == "" {
		return fmt.Errorf("score: there is one, but no preset")
	}
	return nil
}

// maxScore bounds scores. They are from -1 to 1, but AgentGym's BabyAI adds up rewards.
const maxScore = 1000
