package configs

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// Option is something that can be said about how to play. It is declared once, in options.yaml, and has a field of
// Run; flag, key, default, check and completion follow from it, and what workers of a queue and presets do with it.
type Option struct {
	Name    string      `yaml:"name"` // the name of the flag and of the key, and the yaml tag of the field
	Help    string      `yaml:"help"`
	Default string      `yaml:"default"` // the value as a text; empty for the zero value of the field
	Group   OptionGroup `yaml:"group"`
	Owner   Owner       `yaml:"owner"`
	First   bool        `yaml:"first"`  // among the few that everybody needs
	Range   Range       `yaml:"range"`  // what a number may be
	Commas  bool        `yaml:"commas"` // the values of a list may be separated by commas
	// Values are the values that are completed. Names says what others there are.
	Values []string `yaml:"values"`
	Names  Naming   `yaml:"names"`
	// Own: an agent of the user's reads it, though its group is about models that heldout asks.
	Own     bool `yaml:"own"`
	Changes bool `yaml:"changes"` // any other value than the default changes a preset
}

// OptionGroup says what an option is about, and so which commands have it.
type OptionGroup string

// The groups.
const (
	Server    OptionGroup = "server"    // which model is asked, and how
	Sampling  OptionGroup = "sampling"  // how tokens are drawn
	Length    OptionGroup = "length"    // of a reply
	Player    OptionGroup = "player"    // how a served model plays
	Protocols OptionGroup = "protocols" // presets
	Playing   OptionGroup = "playing"   // what is played, and how often
	Sweeping  OptionGroup = "sweeping"  // under perturbations
)

// Title names the group in help.
func (g OptionGroup) Title() string {
	return map[OptionGroup]string{Server: "Model server", Sampling: "Sampling", Length: "Sampling", Player: "Agent",
		Protocols: "Presets", Playing: "What is played", Sweeping: "Perturbations"}[g]
}

// Owner says whose an option is if workers play a run that another process leads: empty for one that says what is
// played, the same for all.
type Owner string

// The owners.
const (
	EachWorker Owner = "worker"  // says how a worker plays, and changes no result
	EachOne    Owner = "machine" // is about a machine, and changes no result
	TheLeader  Owner = "leader"  // is for the process that leads
)

// Naming says what kind of names an option has.
type Naming string

// The kinds of names.
const (
	Words   Naming = ""
	Files   Naming = "files" // words or files, which workers must have too
	Folders Naming = "folders"
)

// DefaultRun returns the defaults of a run.
func DefaultRun() (r Run) {
	for _, o := range Options() {
		if o.Default == "" {
			continue
		}
		if err := fillScalar(o.Default, reflect.ValueOf(o.Pointer(&r)).Elem()); err != nil {
			panic(fmt.Sprintf("the default of %s: %v", o.Name, err)) // a test makes a run
		}
	}
	return r
}

// Asks reports whether an option says how heldout asks a model, which it leaves to an agent of the user's.
func (o Option) Asks() bool {
	return slices.Contains([]OptionGroup{Server, Sampling, Length, Player}, o.Group) && !o.Own
}

// Given reports whether a run has another value of the option than the zero value, as where nothing is set.
func (o Option) Given(r *Run) bool { return !reflect.ValueOf(o.Pointer(r)).Elem().IsZero() }

// Pointer returns the address of the option's field in a pointer to Run, or to a part of it that has the field.
func (o Option) Pointer(in any) any {
	v := reflect.ValueOf(in).Elem()
	index, ok := optionFields(v.Type())[o.Name]
	if !ok {
		panic(fmt.Sprintf("%s has no field for the option %s", v.Type(), o.Name)) // a test walks all options
	}
	return v.FieldByIndex(index).Addr().Interface()
}

// fieldsOf has what optionFields returned: every start of a command asks for all options.
var fieldsOf sync.Map

// optionFields returns where a type has its options, by their names.
func optionFields(t reflect.Type) map[string][]int {
	if cached, ok := fieldsOf.Load(t); ok {
		return cached.(map[string][]int)
	}
	fields := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("yaml"); fields[name] == nil {
			fields[name] = f.Index
		}
	}
	fieldsOf.Store(t, fields)
	return fields
}

// Text writes what a run says of an option.
func (o Option) Text(r *Run) string { return fmt.Sprint(reflect.ValueOf(o.Pointer(r)).Elem()) }

// Texts are the texts that a run says of an option: one, or all of a list.
func (o Option) Texts(r *Run) []string {
	if list, ok := o.Pointer(r).(*Strings); ok {
		return *list
	}
	return []string{o.Text(r)}
}

// Check reports a number that is out of its range.
func (o Option) Check(r *Run) error {
	return o.Range.Check(o.Name, reflect.ValueOf(o.Pointer(r)).Elem().Interface())
}

var byName = sync.OnceValue(func() map[string]Option {
	out := map[string]Option{}
	for _, o := range Options() {
		out[o.Name] = o
	}
	return out
})

// FindOption returns the option of that name.
func FindOption(name string) (o Option, ok bool) {
	o, ok = byName()[name]
	return o, ok
}

// Range is what a number may be: from Min, or more than ExclusiveMin, up to Max; nil for no bound. The zero Range is
// any number.
type Range struct {
	Min          *float64 `yaml:"least"`
	ExclusiveMin *float64 `yaml:"above"`
	Max          *float64 `yaml:"most"`
}

// Check reports a number that is out of the range.
func (r Range) Check(name string, value any) error {
	if r == (Range{}) {
		return nil
	}
	x, format := 0.0, func(x float64) any { return x }
	switch v := value.(type) {
	case float64:
		x = v
	case int:
		x = float64(v)
	case time.Duration:
		x = float64(v)
		format = func(x float64) any {
			if x == 0 {
				return 0
			}
			return time.Duration(x)
		}
	default:
		return fmt.Errorf("%s is %v, which is not a number", name, value)
	}
	low, high := *cmp.Or(r.Min, r.ExclusiveMin), math.MaxFloat64
	if r.Max != nil {
		high = *r.Max
	}
	if (x > low || x == low && r.ExclusiveMin == nil) && x <= high {
		return nil
	}
	want := fmt.Sprintf("at least %v", format(low))
	switch {
	case r.ExclusiveMin != nil && r.Max != nil:
		want = fmt.Sprintf("more than %v and at most %v", format(low), format(high))
	case r.ExclusiveMin != nil:
		want = fmt.Sprintf("more than %v", format(low))
	case r.Max != nil:
		want = fmt.Sprintf("%v to %v", format(low), format(high))
	}
	return fmt.Errorf("%s is %v, want %s", name, value, want)
}

// OpenAIKey is the variable that holds the key for OpenAI's own address, DataVariable
// the one that names the data folder.
const (
	OpenAIKey     = "OPENAI_API_KEY"
	DataVariable  = "HELDOUT_DATA"
	OpenAIAddress = "OPENAI_BASE_URL" // the variable that OpenAI's own clients take the address from
)

// MaxTrials bounds the number of trials: more is probably a typing mistake.
const MaxTrials = 100

// Options are all options of a run but the settings of environments, which environments
// declare in the same way. They are shared: nobody changes them.
var Options = sync.OnceValue(func() (list []Option) {
	if err := embedded("options.yaml", &list); err != nil {
		panic(err) // it is ours, and tests read it
	}
	values := map[string][]string{"agent": Agents(), "prompt": PromptVersions(),
		"reflection-prompt": ReflectionVersions()}
	for i := range list {
		o := &list[i]
		if values[o.Name] != nil {
			o.Values = values[o.Name]
		}
		o.Help = strings.ReplaceAll(o.Help, "{values}", strings.Join(o.Values, ", "))
	}
	return list
})

// Rename is a flag, and the keyword of Python, that has another name since the version before.
type Rename struct {
	Old, New string
	Command  string // the only one with the flag; empty for all
	Mounts   bool   // mounts have the name, too
}

// Renames are the names that go on for a version, with a hint.
func Renames() []Rename {
	return []Rename{
		{Old: "name", New: "names"},
		{Old: "max-steps", New: "step-limit", Mounts: true},
		{Old: "task", New: "tasks"},
		{Old: "seed", New: "generator-seed", Command: "play"},
	}
}

// Hint says that a name is another one now; prefix is what stands before names, such as "--".
func (r Rename) Hint(prefix string) string {
	return fmt.Sprintf("%[1]s%[2]s is called %[1]s%[3]s now; the next version forgets %[1]s%[2]s", prefix, r.Old, r.New)
}
