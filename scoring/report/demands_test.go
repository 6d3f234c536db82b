package report

import (
	"strings"
	"testing"
)

func TestUnmet(t *testing.T) {
	run := func(name, model, babyai, pddl string) NamedRun {
		return newRun(t, name, group{env: "babyai", tasks: 4, model: model, outcomes: babyai},
			group{env: "pddl", tasks: 4, model: model, outcomes: pddl})
	}
	one := func(babyai, pddl string) []NamedRun { return []NamedRun{run("a", "vllm:m", babyai, pddl)} }
	half := func(place string) Demands { return Demands{Floors: map[string]float64{place: 0.5}} }
	many := func(name, letters string) NamedRun {
		return newRun(t, name, group{env: "babyai", tasks: 40, model: "vllm:m", outcomes: strings.Repeat(letters, 10)})
	}
	two := func(old, fresh string) []NamedRun { return []NamedRun{many("a", old), many("b", fresh)} }
	worse := Demands{Worse: true}
	for name, tt := range map[string]struct {
		runs   []NamedRun
		margin float64
		demand Demands
		want   string
	}{
		"met":         {one("SSff", "SSSS"), 0, half("babyai"), ""},
		"below":       {one("SSff", "Sfff"), 0, half("pddl"), "SR of m on PDDL is 25.0, below 50"},
		"incomplete":  {one("SSS-", "SSSS"), 0, half("babyai"), "m on BabyAI has results for 3 of 4 episodes"},
		"no rate":     {one("SSSS", "----"), 0, half("pddl"), "m has no SR on PDDL"},
		"no place":    {one("SSSS", "SSSS"), 0, half("alfworld"), "error: the runs have no environment"},
		"one run":     {one("SSSS", "SSSS"), 0, worse, "error: whether a run is worse wants two runs"},
		"worse":       {two("SSSS", "ffff"), 0, worse, "SR on BabyAI (40 tasks, 1 seed): m (b) 0.0, m (a) 100.0: -100.0 points"},
		"better":      {two("ffff", "SSSS"), 0, worse, ""},
		"not shown":   {append(one("SSSS", "SSSS"), run("b", "vllm:m", "SSSf", "SSSS")), 0, worse, ""},
		"margin":      {two("SSSS", "SSSf"), 0.5, worse, ""},
		"beyond it":   {two("SSSS", "ffff"), 0.5, worse, "SR on BabyAI (40 tasks, 1 seed): m (b) 0.0, m (a) 100.0: -100.0 points"},
		"of the new":  {two("ffff", "SSSS"), 0, half("babyai"), ""},
		"without any": {one("SSSS", "----"), 0, Demands{}, ""},
	} {
		r := New(tt.runs, nil, weights)
		r.First = First{OldNew: true, Margin: tt.margin}
		unmet, err := r.Unmet(tt.demand)
		got := strings.Join(unmet, "\n")
		if err != nil {
			got = "error: " + err.Error()
		}
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
