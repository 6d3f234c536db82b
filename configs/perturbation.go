package configs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Perturbation is a rewriting of an environment's interface that keeps the tasks
// as they are: rules over the forms of envs.Interface.
type Perturbation struct {
	Name  string `yaml:"name"`  // what tables call it
	Title string `yaml:"title"` // says in a line what changes
	Env   string `yaml:"env"`   // the environment whose forms the rules are about
	// Actions maps forms of actions to new ones with the same slots, such as
	// "take {obj} from {recep}" to "from {recep} take {obj}".
	Actions map[string]string `yaml:"actions"`
	// Names is how names are written, from the parts that the environment has,
	// such as "{class}{number}"; empty to leave them.
	Names string `yaml:"names"`
	// Replies maps fixed answers of the environment to new ones.
	Replies map[string]string `yaml:"replies"`
	Model   string            `yaml:"model"` // NoInd if the model changes and not the interface
	// Hashes leave the fields below out if they are empty: they are younger than recorded hashes.

	// Verbs maps words of forms of actions, such as "go to", to new ones, after Actions.
	Verbs   map[string]string `yaml:"verbs" json:",omitempty"`
	Without []string          `yaml:"without" json:",omitempty"` // forms of actions that are taken away
	// Words maps words to new ones, wherever they are said. Old and new words trade
	// places. A word is small letters a to z.
	Words map[string]string `yaml:"words" json:",omitempty"`
	// Numbers is NumberWords if numbers are written as words.
	Numbers string `yaml:"numbers" json:",omitempty"`
	// Texts maps forms of goals and observations to new ones with the same slots.
	Texts map[string]string `yaml:"texts" json:",omitempty"`
	// Instructions maps passages of prompts to new ones, before all other rules.
	// Prompts that lack a passage stay as they are.
	Instructions map[string]string `yaml:"instructions" json:",omitempty"`
	// Order is Reversed or Shuffled if lists have another order.
	Order string `yaml:"order" json:",omitempty"`
	// Layout is Bullets, Bars or Semicolons if enumerations have another layout.
	Layout string `yaml:"layout" json:",omitempty"`
	Lines  *Lines `yaml:"lines" json:",omitempty"` // added below observations; nil for none
	// Seed selects the order of Shuffled lists and the added lines.
	Seed  int64         `yaml:"seed" json:",omitempty"`
	Parts []FamilyGrade `yaml:"-" json:"-"` // the families that the rules come from; nil for a file
}

// Lines are true lines that have nothing to do with the task. Count of them, from 1
// to maxLines, stand below every observation.
type Lines struct {
	Count int      `yaml:"count"`
	Of    []string `yaml:"of"`
}

// FamilyGrade is a family of perturbations in one of its grades, counted from 1.
type FamilyGrade struct {
	Family string
	Grade  int
}

// The values of fields with few of them.
const (
	NumberWords = "words"

	Reversed = "reversed"
	Shuffled = "shuffled" // one order for each length of a list

	Bullets    = "bullets"    // one item per line, behind a dash
	Bars       = "bars"       // in one line, with bars between
	Semicolons = "semicolons" // in one line, with semicolons between
)

const maxLines = 10

// NoInd is the Model of a perturbation that replaces a model trained with data of
// the environment by one trained without.
const NoInd = "no-ind"

// PerturbationNames lists the embedded perturbations.
func PerturbationNames() []string { return namesIn("perturbations") }

// LoadPerturbation returns an embedded perturbation by name.
func LoadPerturbation(name string) (Perturbation, error) {
	b, err := named("perturbations", "perturbation", name,
		"FAMILY:GRADE such as verbs:2 (heldout envs ENV lists the families), or give a YAML file")
	if err != nil {
		return Perturbation{}, err
	}
	return Parse[Perturbation]("perturbations/"+name+".yaml", b)
}

// The limits of a perturbation: the time to check rules grows with the product
// of their lengths. The longest of our own has 60 bytes.
const (
	maxRules      = 200
	MaxRuleLength = 500 // the most bytes of a rule and of a name
)

func (p Perturbation) checkLength() error {
	n := len(p.Without)
	texts := append([]string{p.Name, p.Title, p.Env, p.Names}, p.Without...)
	for _, rules := range []map[string]string{p.Actions, p.Replies, p.Verbs, p.Words, p.Texts, p.Instructions} {
		n += len(rules)
		for _, name := range slices.Sorted(maps.Keys(rules)) {
			texts = append(texts, name, rules[name])
		}
	}
	if p.Lines != nil {
		n += len(p.Lines.Of)
		texts = append(texts, p.Lines.Of...)
	}
	if n > maxRules {
		return fmt.Errorf("there are %d rules, more than %d", n, maxRules)
	}
	for _, text := range texts {
		if len(text) > MaxRuleLength {
			return fmt.Errorf("a rule has more than %d bytes: %.20q…", MaxRuleLength, text)
		}
	}
	return nil
}

// checkValues reports values outside the closed vocabularies.
func (p Perturbation) checkValues() error {
	for _, f := range []struct {
		name, value string
		values      []string
	}{
		{"numbers", p.Numbers, []string{NumberWords}},
		{"order", p.Order, []string{Reversed, Shuffled}},
		{"layout", p.Layout, []string{Bullets, Bars, Semicolons}},
	} {
		if f.value != "" && !slices.Contains(f.values, f.value) {
			return fmt.Errorf("%s: unknown value %q; there is %s", f.name, f.value, strings.Join(f.values, ", "))
		}
	}
	if p.Seed != 0 && p.Order != Shuffled && p.Lines == nil {
		return fmt.Errorf("seed: only order %s and lines have one", Shuffled)
	}
	for _, old := range slices.Sorted(maps.Keys(p.Instructions)) {
		if strings.TrimSpace(old) == "" {
			return errors.New("instructions: the passage to replace is empty")
		}
	}
	return p.Lines.check()
}

// check reports lines that cannot be added; nil has none.
func (l *Lines) check() error {
	if l == nil {
		return nil
	}
	if l.Count < 1 || l.Count > min(maxLines, len(l.Of)) {
		return fmt.Errorf("lines: count is from 1 to %d and to the number of lines, not %d", maxLines, l.Count)
	}
	for i, line := range l.Of {
		if line == "" || line != strings.TrimSpace(line) || strings.ContainsFunc(line, unicode.IsControl) {
			return fmt.Errorf("lines: %q is empty, has blanks at an end or holds a control character", line)
		}
		if slices.Contains(l.Of[:i], line) {
			return fmt.Errorf("lines: %q stands there twice", line)
		}
	}
	return nil
}

func (p Perturbation) changes() bool {
	return len(p.Actions)+len(p.Replies)+len(p.Verbs)+len(p.Without)+len(p.Words)+len(p.Texts)+
		len(p.Instructions) > 0 ||
		p.Names != "" || p.Numbers != "" || p.Order != "" || p.Layout != "" || p.Lines != nil
}

// Rewords reports whether there are rules about anything else than whole forms of actions and fixed answers.
func (p Perturbation) Rewords() bool {
	p.Actions, p.Replies = nil, nil
	return p.changes()
}

// check reports what is wrong with a perturbation by itself. Its rules are checked against the environment when that is
// wrapped.
func (p Perturbation) check() error {
	if err := p.checkLength(); err != nil {
		return err
	}
	switch {
	case p.Name == "" || p.Name == "base" || p.Name == "none":
		return fmt.Errorf("the perturbation needs a name, and %q is none", p.Name)
	case p.Env == "":
		return errors.New("env does not say which environment the rules are about")
	case p.Model != "" && p.Model != NoInd:
		return fmt.Errorf("unknown model %q; there is only %s", p.Model, NoInd)
	case p.Model != "" && p.changes():
		return errors.New("change either the interface or the model, so that an effect has one cause")
	case p.Model == "" && !p.changes():
		return errors.New("the perturbation changes nothing; give rules, such as actions, names or replies")
	}
	return p.checkValues()
}
