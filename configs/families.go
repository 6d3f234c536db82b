package configs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"heldout/envs/spelling"
)

// Family is one way to change the interface of an environment, in grades.
type Family struct {
	// ID names the family; Title says what it changes.
	ID, Title string
	// Said: it changes how actions must be said. Other families change only what is read.
	Said bool
	None string // why the environment lacks the family; empty if it has it
	// Grades are the rules by grade, from grade 1, the mildest. They have a title, no name.
	Grades []Perturbation
}

// Families are the families of perturbations of an environment.
type Families struct {
	Env string
	All []Family // the families in their fixed order, also those that the environment lacks
}

// families are all families in their order.
var families = []Family{
	{ID: "verbs", Title: "the verbs of actions in other words", Said: true},
	{ID: "arguments", Title: "the arguments of actions turned around", Said: true},
	{ID: "names", Title: "names put together in another way", Said: true},
	{ID: "nouns", Title: "other words for things", Said: true},
	{ID: "answers", Title: "fixed answers in other words"},
	{ID: "goal", Title: "goal and instructions paraphrased"},
	{ID: "order", Title: "lists in another order"},
	{ID: "layout", Title: "observations in another layout"},
	{ID: "lines", Title: "irrelevant but true lines added"},
	{ID: "help", Title: "the help action renamed or taken away"},
	{ID: "numbers", Title: "numbers as words"},
}

// FamilyIDs are the names of all families, in their order.
func FamilyIDs() []string {
	ids := make([]string, len(families))
	for i, f := range families {
		ids[i] = f.ID
	}
	return ids
}

// IsSaid reports whether there is such a family and it changes how actions must be said.
func IsSaid(id string) bool {
	return slices.ContainsFunc(families, func(f Family) bool { return f.ID == id && f.Said })
}

// NonceWords are words that exist in no language, for rules: pronounceable, of at
// most three tokens, and far from words of English.
func NonceWords() []string {
	b, _ := files.ReadFile("families/nonce.txt") // a test reads it
	return strings.Fields(string(b))
}

// FamilyEnvs are the environments that have families.
func FamilyEnvs() []string { return namesIn("families") }

// loaded are families that were read, by environment: a sweep asks for them with every name.
var loaded sync.Map

// LoadFamilies returns the families of an environment. They are shared: nobody changes them.
func LoadFamilies(env string) (Families, error) {
	if f, ok := loaded.Load(env); ok {
		return f.(Families), nil
	}
	file := "families/" + env + ".yaml"
	b, err := files.ReadFile(file)
	if err != nil {
		return Families{}, fmt.Errorf("%s has no families of perturbations", env)
	}
	f, err := parseFamilies(file, b)
	if err == nil {
		loaded.Store(env, f)
	}
	return f, err
}

// Family returns a family by name.
func (f Families) Family(id string) (Family, error) {
	for _, family := range f.All {
		if family.ID == id {
			return family, nil
		}
	}
	return Family{}, fmt.Errorf("unknown family %q of perturbations%s; there are %s", id,
		spelling.Hint(id, FamilyIDs()), strings.Join(FamilyIDs(), ", "))
}

// Grade returns the rules of a grade.
func (f Family) Grade(grade int) (Perturbation, error) {
	switch {
	case f.None != "":
		return Perturbation{}, fmt.Errorf("the family %s is missing: %s", f.ID, f.None)
	case grade < 1 || grade > len(f.Grades):
		return Perturbation{}, fmt.Errorf("family %s has grades 1 to %d, not %d", f.ID, len(f.Grades), grade)
	}
	return f.Grades[grade-1], nil
}

type familiesFile struct {
	Env      string `yaml:"env"`
	Families map[string]struct {
		None   string         `yaml:"none"`
		Grades []Perturbation `yaml:"grades"`
	} `yaml:"families"`
}

const maxGrades = 9

// parseFamilies reads the families of an environment. It lists every family, with
// grades or with the reason why there are none.
func parseFamilies(file string, b []byte) (Families, error) {
	var in familiesFile
	if err := decode(file, b, &in); err != nil {
		return Families{}, err
	}
	if in.Env == "" {
		return Families{}, fmt.Errorf("%s: env does not say which environment the rules are about", file)
	}
	out := Families{Env: in.Env}
	for _, f := range families {
		entry, ok := in.Families[f.ID]
		if !ok {
			return out, fmt.Errorf("%s: family %s is missing; give it grades, or none with a reason", file, f.ID)
		}
		f.None, f.Grades = entry.None, entry.Grades
		for i := range f.Grades {
			f.Grades[i].Env = in.Env
		}
		if err := f.check(); err != nil {
			return out, fmt.Errorf("%s: family %s: %w", file, f.ID, err)
		}
		out.All = append(out.All, f)
		delete(in.Families, f.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(in.Families)) {
		_, err := out.Family(id)
		return out, fmt.Errorf("%s: %w", file, err)
	}
	return out, nil
}

func (f Family) check() error {
	switch {
	case (f.None == "") == (len(f.Grades) == 0):
		return errors.New("give it either grades or none with a reason")
	case len(f.Grades) > maxGrades:
		return fmt.Errorf("there are %d grades, more than %d", len(f.Grades), maxGrades)
	}
	for i, g := range f.Grades {
		if g.Name != "" || g.Model != "" || g.Title == "" {
			return fmt.Errorf("grade %d: it has a title, and neither name nor model", i+1)
		}
		g.Name = f.ID
		if err := g.check(); err != nil {
			return fmt.Errorf("grade %d: %w", i+1, err)
		}
	}
	return nil
}

// Add adds the rules of another perturbation. Two rules about one thing are an error.
func (p *Perturbation) Add(q Perturbation) error {
	for _, m := range []struct {
		name string
		dst  *map[string]string
		src  map[string]string
	}{
		{"actions", &p.Actions, q.Actions}, {"replies", &p.Replies, q.Replies},
		{"verbs", &p.Verbs, q.Verbs},
		{"words", &p.Words, q.Words}, {"texts", &p.Texts, q.Texts},
		{"instructions", &p.Instructions, q.Instructions},
	} {
		for _, old := range slices.Sorted(maps.Keys(m.src)) {
			if rule, ok := (*m.dst)[old]; ok && rule != m.src[old] {
				return fmt.Errorf("%s: there are two rules about %q", m.name, old)
			}
			if *m.dst == nil {
				*m.dst = map[string]string{}
			}
			(*m.dst)[old] = m.src[old]
		}
	}
	for _, v := range []struct {
		name string
		dst  *string
		src  string
	}{{"names", &p.Names, q.Names}, {"numbers", &p.Numbers, q.Numbers}, {"order", &p.Order, q.Order},
		{"layout", &p.Layout, q.Layout}} {
		if *v.dst != "" && v.src != "" {
			return fmt.Errorf("%s: there are two rules about it", v.name)
		}
		*v.dst += v.src
	}
	if p.Lines != nil && q.Lines != nil {
		return errors.New("lines: there are two rules about them")
	}
	if q.Lines != nil {
		p.Lines = q.Lines
	}
	p.Without = append(slices.Clip(p.Without), q.Without...)
	return nil
}

// PerturbArguments are names of perturbations: those with names of their own, families in
// their grades, and a random one.
func PerturbArguments() ([]string, error) {
	names := PerturbationNames()
	grades := map[string]int{}
	for _, env := range FamilyEnvs() {
		families, err := LoadFamilies(env)
		if err != nil {
			return nil, err
		}
		for _, f := range families.All {
			for _, id := range []string{f.ID, "all"} {
				grades[id] = max(grades[id], len(f.Grades))
			}
		}
	}
	for _, id := range append(slices.Clone(FamilyIDs()), "all") {
		for grade := 1; grade <= grades[id]; grade++ {
			names = append(names, fmt.Sprintf("%s:%d", id, grade))
		}
	}
	return append(names, "random:0:1", "random:0:all"), nil
}
