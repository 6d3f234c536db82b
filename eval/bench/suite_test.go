package bench

import (
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

func TestSuiteGrades(t *testing.T) {
	for in, want := range map[string]string{"": "at least one", "0": "not a grade", "two": "not a grade",
		"1,1": "twice", "10": "not a grade"} {
		r := configs.Run{Suite: configs.Robust}
		if in != "" {
			r.Grades = strings.Split(in, ",")
		}
		sharedtest.Fails(t, sharedtest.Err(suiteGrades(r)), want, in)
	}
	got, err := suiteGrades(configs.Run{Suite: configs.Robust, Grades: configs.Strings{"3", "1"}})
	if err != nil || !slices.Equal(got, []int{1, 3}) {
		t.Errorf("%v, %v", got, err)
	}
}
