package configs

import (
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// The perturbations that are brought along are complete.
func TestLoadPerturbation(t *testing.T) {
	names := PerturbationNames()
	sharedtest.Equal(t, strings.Join(names, " "), "P1 P2 P3 P4 P5", names)
	for _, name := range names {
		p, err := LoadPerturbation(name)
		if err != nil || p.Name != name || p.Title == "" || p.Env != "alfworld" {
			t.Errorf("%+v, %v", p, err)
		}
		sharedtest.Equal(t, p.Model == NoInd, name == "P5", name, "has model", p.Model)
	}
	sharedtest.Fails(t, sharedtest.Err(LoadPerturbation("P6")), "there are P1, P2, P3, P4, P5")
}

func TestParsePerturbationErrors(t *testing.T) {
	for in, want := range sharedtest.Table[string](t, "perturbation-errors.yaml") {
		if _, err := Parse[Perturbation]("f.yaml", []byte(in)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", in, err, want)
		}
	}
}

// Reading a perturbation never panics, and what is read says something.
func FuzzParsePerturbation(f *testing.F) {
	f.Add("name: a\nenv: x\nactions:\n  go to {recep}: move to {recep}\n")
	f.Add("name: P4\nenv: x\nnames: \"{class}{number}\"\nreplies: {a: b}")
	f.Fuzz(func(t *testing.T, in string) {
		p, err := Parse[Perturbation]("f", []byte(in))
		if err == nil && (p.Name == "" || p.Env == "" || len(p.Actions)+len(p.Replies)+len(p.Names)+len(p.Model) == 0) {
			t.Errorf("%q is read as %+v", in, p)
		}
	})
}
