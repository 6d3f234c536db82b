package export

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// ofOneTask writes runs of one task with different seeds, an episode in each.
func ofOneTask(t *testing.T, episodes ...record.Episode) (dirs []string) {
	for i, e := range episodes {
		dirs = append(dirs, makeRun(t, func(m *record.Manifest) {
			m.Groups[0].Condition.Seed = int64(i)
			m.Environments[0].Tasks = []envs.Task{{ID: "gripper/0", Type: "gripper", Digest: "one"}}
		}, e))
	}
	return dirs
}

func solved(steps ...record.Step) record.Episode {
	steps[len(steps)-1].Progress = 1
	e := of(steps...)
	e.Outcome = record.Success
	return e
}

// Pairs part where the episodes do, after what the user said, and the better one is chosen.
func TestPairs(t *testing.T) {
	dirs := ofOneTask(t, solved(good(1), good(2), good(3)), of(good(1), good(2), invalid(), good(4)), of(good(9)),
		solved(good(1), good(2), good(3)))
	o := options(t, DPO, dirs...)
	r := export(t, o)
	pairs := lines[pairExample](t, o.Out)
	if len(pairs) != 2 || r.Used != 3 || r.Omitted[Duplicate] != 1 {
		t.Fatalf("%d pairs, %+v", len(pairs), r)
	}
	var turns []int
	for _, p := range pairs {
		turns = append(turns, p.Turn)
		if p.Prompt[len(p.Prompt)-1].Role != model.User || p.Chosen[0].Role != model.Assistant ||
			p.Rejected[0].Role != model.Assistant || p.Chosen[0] == p.Rejected[0] || p.ID == p.RejectedID {
			t.Errorf("%+v", p)
		}
	}
	if slices.Sort(turns); !slices.Equal(turns, []int{1, 3}) {
		t.Errorf("turns %v", turns)
	}
	o = options(t, ETO, dirs...) // no expert has played
	if _, err := Run(t.Context(), o); err == nil {
		t.Error("there is a pair of an expert")
	}
	o = options(t, StepDPO, dirs...)
	export(t, o)
	steps := lines[pairExample](t, o.Out)
	if len(steps) != 1 || len(steps[0].Chosen) != 1 || !strings.Contains(steps[0].Chosen[0].Content, "move 3") ||
		!strings.Contains(steps[0].Rejected[0].Content, "dance") || steps[0].Turn != 3 {
		t.Errorf("%+v", steps)
	}
}

// Labels say what is known: wrong turns, and right ones of solved episodes.
func TestLabels(t *testing.T) {
	dirs := ofOneTask(t, solved(good(1), invalid(), good(3)), of(good(4), invalid()))
	o := options(t, KTO, dirs...)
	export(t, o)
	got := ""
	for _, e := range lines[labelExample](t, o.Out) {
		got += fmt.Sprint(e.Turn, e.Label, " ")
	}
	sharedtest.Equal(t, got, "1 true 2 false 3 true 2 false ")
	o = options(t, PRM, dirs...)
	export(t, o)
	episodes := lines[stepsExample](t, o.Out)
	judged := t.TempDir()
	text := fmt.Sprintf(`{"trajectory":%q,"step":1,"answer":{"label":"right"}}
{"trajectory":%q,"step":0,"answer":{"label":"wrong"}}
{"trajectory":%q,"step":1,"answer":{"unreadable":"x"}}
`, episodes[0].ID, episodes[1].ID, episodes[1].ID)
	sharedtest.OK(t, os.WriteFile(filepath.Join(judged, record.LabelsFile), []byte(text), 0o644))
	for labels, want := range map[string]string{
		ByEnvironment: "[true false true][true false]", ByProgress: "[true false true][true false]",
		judged: "[true][false]",
	} {
		o := options(t, PRM, dirs...)
		o.Labels = labels
		export(t, o)
		got := ""
		for _, e := range lines[stepsExample](t, o.Out) {
			got += fmt.Sprint(e.Labels)
			if len(e.Labels) != len(e.Completions) || !strings.Contains(e.Prompt, "the goal") {
				t.Errorf("%+v", e)
			}
			for i, c := range e.Completions {
				if labels != judged && i > 0 && !strings.HasPrefix(c, "Observation: ") {
					t.Errorf("step %d is %q", i, c)
				}
			}
		}
		sharedtest.Equal(t, got, want, labels)
	}
	o.Format, o.Labels = PRM, "nowhere"
	sharedtest.Fails(t, sharedtest.Err(Run(t.Context(), o)), "labels are valid, progress, or")
}

// The best episodes of a task are taken, and no more of a task or a kind than is said;
// of a kind, as many tasks as there are.
func TestBalance(t *testing.T) {
	half := good(5)
	half.Progress = 0.5
	dirs := ofOneTask(t, of(good(1)), solved(good(2)), of(half), of(good(3)))
	for i := range 3 {
		dirs = append(dirs, makeRun(t, func(m *record.Manifest) {
			m.Environments[0].Tasks[0].ID = fmt.Sprint("gripper/other", i)
			m.Environments[0].Tasks[0].Digest = fmt.Sprint("other", i)
		}, of(good(10+i))))
	}
	for _, c := range []struct {
		balance Balance
		taken   int
		reason  Reason
		left    int
	}{
		{Balance{}, 7, "", 0},
		{Balance{Best: 2}, 5, "not among the best 2 of its task", 2},
		{Balance{PerTask: 1}, 4, "beyond 1 of its task", 3},
		{Balance{PerKind: 4}, 4, "beyond 4 of its kind", 3},
	} {
		o := options(t, Axolotl, dirs...)
		o.Balance = c.balance
		r := export(t, o)
		text := read(t, o.Out)
		if r.Used != c.taken || r.Omitted[c.reason] != c.left ||
			c.balance.Best == 2 && (!strings.Contains(text, "move 2") || !strings.Contains(text, "move 5")) ||
			c.balance.PerKind == 4 && r.Parts[0].Tasks != 4 {
			t.Errorf("%+v: %+v", c.balance, r)
		}
	}
}
