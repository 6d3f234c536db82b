package report

import (
	"fmt"
	"slices"
)

// CheckMixed reports two runs of one environment that no protocol is common to: a
// table of both would have numbers in one column that do not compare. Within a run,
// several protocols are what the user asked for.
func CheckMixed(runs []NamedRun) error {
	for i, a := range runs {
		for _, b := range runs[:i] {
			if err := mixed(b, a); err != nil {
				return err
			}
		}
	}
	return nil
}

func mixed(a, b NamedRun) error {
	x, y := places(a), places(b)
	for _, s := range b.Scores {
		env := s.Condition.Env
		if len(x[env]) == 0 || slices.ContainsFunc(x[env], func(p string) bool { return slices.Contains(y[env], p) }) {
			continue
		}
		return fmt.Errorf(
			"%s has %s of %s, and %s has %s: their numbers do not compare; heldout preset diff says why, and --mixed "+
				"prints them in one table",
			a.Name, x[env][0], env, b.Name, y[env][0])
	}
	return nil
}

// places lists how a run played each environment.
func places(r NamedRun) map[string][]string {
	out := map[string][]string{}
	for _, s := range r.Scores {
		place := "the default protocol"
		if p := s.Condition.Preset; p != nil {
			place = p.Label()
		}
		if env := s.Condition.Env; !slices.Contains(out[env], place) {
			out[env] = append(out[env], place)
		}
	}
	return out
}
