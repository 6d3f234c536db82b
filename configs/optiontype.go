package configs

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"time"
)

// Option is something that can be said about how to play. It is declared once, in
// Options, and has a field of Run; flag, key, default, check and completion follow from
// it, and what workers of a queue and presets do with it.
type Option struct {
	// Name is the name of the flag and of the key, and the yaml tag of the field.
	Name, Help string
	// Default is nil for the zero value of the field.
	Default any
	Group   OptionGroup
	Owner   Owner
	// First: it is among the few that everybody needs.
	First bool
	// Range is what a number may be.
	Range Range
	// Commas: the values of a list may be separated by commas.
	Commas bool
	// Values are the values that are completed. Names says what others there are.
	Values []string
	Names  Naming
	// Own: an agent of the user's reads it, though its group is about models that heldout asks.
	Own bool
	// Changes: any other value than the default changes a preset.
	Changes bool
}

// OptionGroup says what an option is about, and so which commands have it.
type OptionGroup int

// The groups.
const (
	Server    OptionGroup = iota // which model is asked, and how
	Sampling                     // how tokens are drawn
	Length                       // of a reply
	Player                       // how a served model plays
	Protocols                    // presets
	Playing                      // what is played, and how often
	Sweeping                     // under perturbations
)

// Title names the group in help.
func (g OptionGroup) Title() string {
	return map[OptionGroup]string{Server: "Model server", Sampling: "Sampling", Length: "Sampling", Player: "Agent",
		Protocols: "Presets", Playing: "What is played", Sweeping: "Perturbations"}[g]
}

// Owner says whose an option is if workers play a run that another process leads.
type Owner int

// The owners.
const (
	TheRun     Owner = iota // says what is played: the same for all
	EachWorker              // says how a worker plays, and changes no result
	EachOne                 // is about a machine, and changes no result
	TheLeader               // is for the process that leads
)

// Naming says what kind of names an option has.
type Naming int

// The kinds of names.
const (
	Words Naming = iota
	Files        // words or files, which workers must have too
	Folders
)

// DefaultRun returns the defaults of a run.
func DefaultRun() (r Run) {
	for _, o := range Options() {
		if o.Default != nil {
			field := reflect.ValueOf(o.Pointer(&r)).Elem()
			field.Set(reflect.ValueOf(o.Default).Convert(field.Type()))
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

// Pointer returns the address of the option's field in a pointer to Run, or to a part of it
// that has the field.
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

// Texts are the texts that a run says of an option: one, or those of a list.
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

// Range is what a number may be; the zero Range is any number.
type Range struct {
	bounded   bool
	low, high float64
	exclusive bool // more than least
}

func atLeast(low float64) Range {
	return Range{bounded: true, low: low, high: math.MaxFloat64}
}

func moreThan(low float64) Range {
	return Range{bounded: true, low: low, high: math.MaxFloat64, exclusive: true}
}

func (r Range) upTo(high float64) Range {
	r.high = high
	return r
}

// Check reports a number that is out of the range.
func (r Range) Check(name string, value any) error {
	if !r.bounded {
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
	if (x > r.low || x == r.low && !r.exclusive) && x <= r.high {
		return nil
	}
	low, high := format(r.low), format(r.high)
	switch {
	case r.exclusive && r.high < math.MaxFloat64:
		return fmt.Errorf("%s is %v, want more than %v and at most %v", name, value, low, high)
	case r.exclusive:
		return fmt.Errorf("%s is %v, want more than %v", name, value, low)
	case r.high < math.MaxFloat64:
		return fmt.Errorf("%s is %v, want %v to %v", name, value, low, high)
	}
	return fmt.Errorf("%s is %v, want at least %v", name, value, low)
}
