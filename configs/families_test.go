package configs

import (
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

func TestLoadFamilies(t *testing.T) {
	envs := FamilyEnvs()
	sharedtest.Equal(t, strings.Join(envs, " "), "alfworld babyai hotpotqa jericho pddl sciworld", envs)
	for _, env := range envs {
		f := sharedtest.Must(LoadFamilies(env))(t)
		var ids []string
		for _, family := range f.All {
			ids = append(ids, family.ID)
		}
		if f.Env != env || !slices.Equal(ids, FamilyIDs()) {
			t.Errorf("%s has %q", f.Env, ids)
		}
	}
	sharedtest.Fails(t, sharedtest.Err(LoadFamilies("../heldout")), "has no families")
}

// family returns a file whose family numbers has the given content, and whose others have none.
func family(content string) string {
	var b strings.Builder
	b.WriteString("env: x\nfamilies:\n")
	for _, id := range FamilyIDs() {
		if id == "numbers" {
			b.WriteString("  numbers: " + content + "\n")
		} else {
			b.WriteString("  " + id + ": {none: no}\n")
		}
	}
	return b.String()
}

func TestParseFamiliesErrors(t *testing.T) {
	if f, err := parseFamilies("f", []byte(family("{grades: [{title: t, numbers: words}]}"))); err != nil ||
		len(f.All) != len(families) {
		t.Fatal(f, err)
	}
	for in, want := range map[string]string{
		"":       "f: env does not say",
		"env: x": "f: family verbs is missing",
		family("{none: no, grades: [{title: t, numbers: words}]}"): "f: family numbers: give it either grades or none",
		family("{}"):                           "f: family numbers: give it either grades or none",
		family("{grades: []}"):                 "f: family numbers: give it either grades or none",
		family("{grades: [{numbers: words}]}"): "f: family numbers: grade 1: it has a title",
		family("{grades: [{title: t, name: n, numbers: words}]}"): "f: family numbers: grade 1: it has a title, and",
		family(
			"{grades: [{title: t}]}"): "f: family numbers: grade 1: the perturbation changes nothing",
		family(
			"{grades: [{title: t, numbers: greek}]}"): "f: family numbers: grade 1: numbers: unknown value",
		family("{none: no}") +
			"  spells: {none: no}": `f: unknown family "spells"`,
		family("{none: no}") + "nonce: [a]": `f:14: unknown key "nonce"`,
		family("{grades: [" + strings.Repeat("{title: t, numbers: words},", 10) +
			"]}"): "f: family numbers: there are 10 grades",
	} {
		if _, err := parseFamilies("f", []byte(in)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", in, err, want)
		}
	}
}

func TestAdd(t *testing.T) {
	one := Perturbation{Verbs: map[string]string{"take": "grab"}, Order: Reversed, Without: []string{"look"}}
	for _, other := range []Perturbation{
		{Verbs: map[string]string{"take": "get"}}, {Order: Reversed},
	} {
		both := one
		sharedtest.Fails(t, both.Add(other), "two rules", other)
	}
	both := Perturbation{}
	sharedtest.OK(t, both.Add(one))
	other := Perturbation{Verbs: map[string]string{"take": "grab", "put": "place"}, Layout: Bars}
	sharedtest.OK(t, both.Add(other))
	if len(both.Verbs) != 2 || both.Order != Reversed || both.Layout != Bars || len(one.Verbs) != 1 {
		t.Errorf("%+v; %+v", both, one)
	}
}

func FuzzParseFamilies(f *testing.F) {
	f.Add(family("{grades: [{title: t, numbers: words}]}"))
	f.Add(family("{grades: [{title: t, lines: {count: 1, of: [a]}, seed: 3}]}"))
	f.Fuzz(func(t *testing.T, in string) {
		out, err := parseFamilies("f", []byte(in))
		if err != nil {
			return
		}
		for _, family := range out.All {
			if (family.None == "") == (len(family.Grades) == 0) {
				t.Errorf("%q is read as %+v", in, family)
			}
		}
	})
}
