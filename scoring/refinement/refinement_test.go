package refinement

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// episode reads steps as "action>observation@progress": an action that begins with
// "!" is invalid, "?" is a format error, and progress stays where it is not given.
func episode(steps string) *record.Episode {
	e := &record.Episode{Observation: "start"}
	progress := 0.0
	for _, text := range strings.Fields(steps) {
		text, digit, ok := strings.Cut(text, "@")
		if ok {
			progress = float64(digit[0]-'0') / 10
			if digit == "10" {
				progress = 1
			}
		}
		action, observation, _ := strings.Cut(text, ">")
		s := record.Step{Action: action, Observation: observation, Progress: progress, Valid: true}
		switch {
		case action == "?":
			s.Action, s.Valid, s.FormatError = "", false, true
		case strings.HasPrefix(action, "!"):
			s.Action, s.Valid = action[1:], false
		}
		e.Trajectory = append(e.Trajectory, s)
		e.Progress, e.Success = progress, progress == 1
	}
	return e
}

// spellsOf counts spells.
func spellsOf(list ...Spell) (s Spells) {
	for _, one := range list {
		for step := range one.Steps {
			s.AtRisk[step]++
		}
		if one.Recovered {
			s.Ended[one.Steps-1]++
		}
	}
	return s
}

// TestCount has episodes that were counted by hand.
func TestCount(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Name, Steps string
		Spells      []Spell
		Want        Counts
	}](t, "counts.yaml") {
		c.Want.Spells = spellsOf(c.Spells...)
		t.Run(c.Name, func(t *testing.T) {
			got := NewCounter(nil).Count(episode(c.Steps), nil)
			if diff := cmp.Diff(c.Want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCounterKnowsTheCorpus makes episodes of which the answers are known by the
// way they are made: runs of errors between valid steps.
func TestCounterKnowsTheCorpus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := rapid.SliceOfN(rapid.IntRange(1, 8), 0, 6).Draw(t, "runs")
		var steps []string
		errors, repeated := 0, 0
		for i, n := range runs {
			steps = append(steps, "ok"+string(rune('a'+i))+">"+string(rune('a'+i)))
			for range n {
				steps = append(steps, "!x>no")
			}
			errors, repeated = errors+n, repeated+n-1
		}
		steps = append(steps, "done>end")
		c := NewCounter(nil).Count(episode(strings.Join(steps, " ")), nil)
		if int(c.Errors()) != errors || int(c.Repeated) != repeated || len(c.Runs) != len(runs) {
			t.Fatalf("%v: %+v", runs, c)
		}
		looped, within := 0, [3]int{}
		var spells Spells
		for i, n := range runs {
			for step := range uint16(min(n, longestSpell)) {
				spells.AtRisk[step] += uint16(n) - step
				spells.Ended[step]++
			}
			if int(c.Runs[i]) != n {
				t.Fatalf("runs %v, want %v", c.Runs, runs)
			}
			if n >= cycles {
				looped += n
			}
			for h, most := range Horizons {
				within[h] += min(n, most) // the last errors of a run are near its end
			}
		}
		if c.Spells != spells {
			t.Fatalf("spells %v, want %v", c.Spells, spells)
		}
		if int(c.Looped) != looped {
			t.Fatalf("%d steps in loops, want %d", c.Looped, looped)
		}
		for h := range Horizons {
			if int(c.Recovered[h]) != within[h] {
				t.Fatalf("recovered %v, want %v", c.Recovered, within)
			}
		}
	})
}

func TestThoughts(t *testing.T) {
	e := &record.Episode{Trajectory: []record.Step{
		{Thought: "I go to the desk, I go", Valid: true}, {Thought: "I GO to", Valid: true}, {Thought: "", Valid: true},
	}}
	c := NewCounter(nil).Count(e, nil).Thoughts
	// i-go go-to to-the the-desk desk-i i-go; i-go go-to
	if c.Bigrams != 8 || c.Distinct != 5 || c.Familiar != 0 || c.Bytes != 29 || c.Compressed == 0 || c.Informed != 0 {
		t.Errorf("%+v", c)
	}
	c = NewCounter([]string{"you go to the bed", "i go"}).Count(e, nil).Thoughts
	if c.Familiar != 6 || c.Informed == 0 || c.Informed > c.Compressed {
		t.Errorf("%+v", c)
	}
	e.Trajectory = slices.Repeat([]record.Step{{Thought: "I should look at the desk again."}}, 40)
	if c := NewCounter(nil).Count(e, nil).Thoughts; float64(c.Compressed) > 0.1*float64(c.Bytes) {
		t.Errorf("repetition does not compress: %+v", c)
	}
}

// An action that the environment carried out is no error, whatever the
// benchmark's grounding accuracy says of it.
// TestAdaptationCost counts the errors before the first valid action in a new form.
func TestAdaptationCost(t *testing.T) {
	old, written := record.Step{OldForm: "look"}, record.Step{NewForm: "look", Valid: true}
	refused := record.Step{NewForm: "go", Action: "go nowhere"}
	for name, c := range map[string]struct {
		steps    []record.Step
		solved   bool
		cost, of float64
	}{
		"a reader":              {[]record.Step{written, old, written}, true, 0, 1},
		"a learner":             {[]record.Step{old, written, old, old}, true, 1, 1},
		"a slow learner":        {[]record.Step{old, {Valid: true}, old, refused, written}, true, 3, 1},
		"one that fails":        {[]record.Step{old, written}, false, 0, 0},
		"no form that changes":  {[]record.Step{{Valid: true}, {}}, true, 0, 0},
		"only with wrong names": {[]record.Step{refused}, true, 0, 0},
	} {
		e := &record.Episode{Result: record.Result{Success: c.solved}, Trajectory: c.steps}
		counts := WithoutThoughts(e, Marked)
		if cost, of := AdaptationCost().Sums(&counts); cost != c.cost || of != c.of {
			t.Errorf("%s: %v of %v, want %v of %v", name, cost, of, c.cost, c.of)
		}
	}
}

func TestUnderstood(t *testing.T) {
	e := &record.Episode{Trajectory: []record.Step{
		{Action: "open door", Understood: true}, {Action: "opn door"}, {Action: "go", Valid: true},
	}}
	if c := NewCounter(nil).Count(e, nil); c.Invalid != 1 || c.Errors() != 1 || c.Actions != 2 || len(c.Runs) != 1 {
		t.Errorf("%+v", c)
	}
}

// TestOldForm has the embedded perturbations, and others that users may write.
func TestOldForm(t *testing.T) {
	household := map[string]string{"class": "[a-z]+", "number": "[0-9]+"}
	for name, c := range map[string]struct {
		rules   record.Rules
		actions map[string]bool
	}{
		"P1": {embedded(t, "P1"), map[string]bool{
			"clean mug 1 with sinkbasin 1": true, "clean mug 1 using sinkbasin 1": false, "go to desk 1": false}},
		"P2": {embedded(t, "P2"), map[string]bool{"go to desk 1": true, "Go To Desk 1": true, "move to desk 1": false,
			"I go to desk 1": false}},
		"P3": {embedded(t, "P3"), map[string]bool{"take mug 1 from desk 1": true, "from desk 1 take mug 1": false}},
		"P4": {embedded(t, "P4"), map[string]bool{"go to desk 1": true, "go to desk1": false, "look": false}},
		"new form that fits the old template": {record.Rules{
			Actions: map[string]string{"go to {recep}": "go to the {recep}"}}, map[string]bool{
			"go to desk 1": true, "go to the desk 1": false,
		}},
		"names in another order": {record.Rules{Names: "{number} {class}", OwnNames: "{class} {number}",
			NameParts: household}, map[string]bool{
			"go to desk 1": true, "go to 1 desk": false, "put 1 mug in 2 desk": false,
		}},
		"BabyAI's names": {record.Rules{Names: "{number}-{what}", OwnNames: "{what} {number}",
			NameParts: map[string]string{"what": "(?:red|grey) (?:ball|box)", "number": "[0-9]+"}}, map[string]bool{
			"go to red ball 1": true, "go to 1-red ball": false, "turn left 1": false,
		}},
	} {
		old, err := OldForm(&c.rules)
		if err != nil {
			t.Fatal(name, err)
		}
		for action, want := range c.actions {
			sharedtest.Equal(t, old(action), want, name, action)
		}
	}
	for _, r := range []*record.Rules{nil, {Replies: map[string]string{"OK": "Fine"}}} {
		if old, err := OldForm(r); old != nil || err != nil {
			t.Errorf("%v has old forms, or the error %v", r, err)
		}
	}
	if _, err := OldForm(&record.Rules{Names: "{a}", NameParts: map[string]string{"a": "("}}); err == nil {
		t.Error("a pattern that cannot be read is no error")
	}
}

// embedded are the rules of an embedded perturbation, as run.json has them.
func embedded(t *testing.T, name string) record.Rules {
	t.Helper()
	p := sharedtest.Must(configs.LoadPerturbation(name))(t)
	r := record.Rules{Actions: p.Actions, Names: p.Names}
	if p.Names != "" {
		r.OwnNames, r.NameParts = "{class} {number}", map[string]string{"class": "[a-z]+", "number": "[0-9]+"}
	}
	return r
}

// TestOldFormIsCounted: only where the environment refuses it.
func TestOldFormIsCounted(t *testing.T) {
	old := func(action string) bool { return action == "x" }
	c := NewCounter(nil).Count(episode("!x>no x>1 !y>no ?>say"), old)
	if c.OldForm != 1 || !c.Perturbed {
		t.Errorf("%+v", c)
	}
}

// TestMeasuresAreShares: what calls itself a share is one, of any counts.
func TestMeasuresAreShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a>1", "b>2@3", "!x>no", "?>say", "c>1@7", "!a>no",
			"d>3@10"}), 0, 30).Draw(t, "steps")
		c := NewCounter(nil).Count(episode(strings.Join(text, " ")), nil)
		for _, m := range Measures() {
			num, den := m.Sums(&c)
			if math.IsNaN(num) || num < 0 || den < 0 || den == 0 && num != 0 || m.Unit == Share && num > den {
				t.Fatalf("%s: %v of %v", m.Key, num, den)
			}
		}
	})
}

// TestMeasuresAreDocumented: every measure has a line, and every line a measure.
func TestMeasuresAreDocumented(t *testing.T) {
	text := sharedtest.Must(os.ReadFile("MEASURES.md"))(t)
	documented := regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)`").FindAllStringSubmatch(string(text), -1)
	var have []string
	for _, d := range documented {
		have = append(have, d[1])
	}
	var want []string
	for _, m := range Measures() {
		want = append(want, m.Key)
		if m.Key == "error_run_mean" {
			want = append(want, LongRuns().Key)
		}
		if m.Key == "progressed_5" {
			for _, steps := range SurvivalSteps {
				want = append(want, Unrecovered(steps).Key)
			}
		}
	}
	sharedtest.Same(t, have, want, "MEASURES.md (-measures +documented)")
}

// What one episode adds to measures that count episodes and steps.
func TestMeasuresOfAnEpisode(t *testing.T) {
	of := map[string]Measure{}
	for _, m := range Measures() {
		of[m.Key] = m
	}
	for _, c := range []struct {
		key      string
		counts   Counts
		num, den float64
	}{
		{"lost_progress", Counts{Steps: 4, Lost: true}, 1, 1},
		{"lost_progress", Counts{Steps: 4}, 0, 1},
		{"stuck_since", Counts{Steps: 9, Stuck: 3}, 3, 1},
		{"stuck_steps", Counts{Steps: 9, Stuck: 3}, 6, 9},
		{"stuck_steps", Counts{Steps: 9, Stuck: 3, Solved: true}, 0, 0},
	} {
		if num, den := of[c.key].Sums(&c.counts); num != c.num || den != c.den {
			t.Errorf("%s of %+v: %v of %v, want %v of %v", c.key, c.counts, num, den, c.num, c.den)
		}
	}
}
