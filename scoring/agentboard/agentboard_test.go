package agentboard

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// written is an episode of golden/agentboard-logs.
type written struct {
	Env        string          `json:"env"`
	Source     string          `json:"source"`
	ID         int             `json:"id"`
	Task       string          `json:"task_name"`
	Goal       string          `json:"goal"`
	Difficulty string          `json:"difficulty"`
	Done       bool            `json:"done"`
	Progress   float64         `json:"progress"`
	Grounding  float64         `json:"grounding"`
	Changes    json.RawMessage `json:"score_changes"`
	Steps      []struct {
		Action      string  `json:"action"`
		Observation string  `json:"observation"`
		Progress    float64 `json:"progress"`
	} `json:"steps"`
}

// log is the episode as AgentBoard logs it: on several lines.
func (w written) log(t *testing.T) string {
	t.Helper()
	steps := map[string]any{}
	for i, s := range w.Steps {
		steps[fmt.Sprintf("Interaction Turn %d", i)] = map[string]any{"Action": s.Action, "Observation": s.Observation,
			"Progress Rate": s.Progress}
	}
	b, err := json.MarshalIndent(map[string]any{"id": w.ID, "task_name": w.Task, "goal": w.Goal,
		"difficulty": w.Difficulty, "is_done": w.Done, "progress_rate": w.Progress, "grounding_acc": w.Grounding,
		"score_change_record": w.Changes, "trajectory": steps, "example_prompt": "none"}, "", "  ")
	sharedtest.OK(t, err)
	return string(b) + "\n"
}

// line is the episode as a line of AgentBoard's.
func (w written) line() string {
	changes := strings.NewReplacer("[[", "[(", "]]", ")]", "], [", "), (").Replace(string(w.Changes))
	return fmt.Sprintf("[EXP] %d: [success_rate]: %s, [progress_rate]: %v, [grounding_acc]: %v, [score_state]: %s \n", w.ID,
		map[bool]string{true: "True", false: "False"}[w.Done], w.Progress, w.Grounding, changes)
}

// write makes a file.
func write(t *testing.T, content string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	sharedtest.OK(t, os.MkdirAll(filepath.Dir(name), 0o777))
	sharedtest.OK(t, os.WriteFile(name, []byte(content), 0o666))
}

// scores are the scores of a folder by environment.
func scores(t *testing.T, dir string) (out map[string]*scoring.Score, notes []string) {
	t.Helper()
	logs := sharedtest.Must(Read(dir))(t)
	list := scoring.Compute(logs.Run(record.EpisodeFilter{}), stats.TheseKinds)
	out = map[string]*scoring.Score{}
	for _, s := range list {
		out[s.Condition.Env] = s
	}
	return out, logs.Notes
}

// The rates of published logs are those that AgentBoard computes of the same episodes, in all 31
// runs, whether the folder has the steps or only a line for each episode.
func TestPublishedLogs(t *testing.T) {
	runs := map[string]map[string][]written{} // by source and environment
	count := 0
	for _, env := range []string{"alfworld", "babyai", "jericho", "pddl", "scienceworld"} {
		for _, w := range sharedtest.Lines[written](t, "agentboard-logs/"+env+".jsonl.gz") {
			if runs[w.Source] == nil {
				runs[w.Source] = map[string][]written{}
			}
			if runs[w.Source][env] == nil {
				count++
			}
			runs[w.Source][env] = append(runs[w.Source][env], w)
		}
	}
	sharedtest.Equal(t, count, 31, "runs")
	for source, byEnv := range runs {
		dir, bare := filepath.Join(t.TempDir(), source), filepath.Join(t.TempDir(), source)
		var results strings.Builder
		for env, list := range byEnv {
			var logs, lines strings.Builder
			for _, w := range list {
				logs.WriteString(w.log(t))
				lines.WriteString(w.line())
			}
			write(t, logs.String(), dir, "logs", env+".jsonl")
			write(t, lines.String(), dir, env+".txt")
			write(t, lines.String(), bare, env+".txt")
			success, progress, grounding := means(list)
			fmt.Fprintf(&results, `{"task_name": %q, "success_rate": %v, "progress_rate": %v, "grounding_acc": %v}`+"\n", env,
				success, progress, grounding)
		}
		write(t, results.String(), dir, resultsFile)
		write(t, results.String(), bare, resultsFile)
		compare(t, dir, byEnv, false)
		compare(t, bare, byEnv, true)
	}
}

// means are the rates of episodes: a game of Jericho is won with all progress.
func means(list []written) (success, progress, grounding float64) {
	n := float64(len(list))
	for _, w := range list {
		if w.Done && (w.Env != "jericho" || w.Progress == 1) {
			success += 1 / n
		}
		progress += w.Progress / n
		grounding += w.Grounding / n
	}
	return success, progress, grounding
}

// compare compares the rates of a folder with its episodes'. Bare folders have no steps.
func compare(t *testing.T, dir string, byEnv map[string][]written, bare bool) {
	t.Helper()
	got, notes := scores(t, dir)
	if len(got) != len(byEnv) || len(notes) > 0 != bare {
		t.Errorf("%s: %d environments of %d, notes %q", dir, len(got), len(byEnv), notes)
	}
	for env, list := range byEnv {
		name := strings.Replace(env, "scienceworld", "sciworld", 1)
		success, progress, grounding := means(list)
		s := got[name]
		far := math.Abs(s.Success.Mean-success) + math.Abs(s.Progress.Mean-progress) +
			math.Abs(s.Grounding.Mean-grounding)
		if far > 1e-9 || s.Finished != len(list) {
			t.Errorf("%s, %s: SR %v of %d, want %v of %d; %v in all", dir, env, s.Success.Mean, s.Finished, success,
				len(list), far)
		}
		curve, easy, hard := s.BySteps(), s.Level(envs.Easy).Tasks(), s.Level(envs.Hard).Tasks()
		switch {
		case bare && (curve != nil || easy+hard > 0):
			t.Errorf("%s, %s: steps or classes of lines that have none", dir, env)
		case !bare && easy+hard != len(list):
			t.Errorf("%s, %s: %d easy and %d hard tasks of %d", dir, env, easy, hard, len(list))
		case !bare && s.Refinement() != nil:
			t.Errorf("%s, %s: measures of errors, and nothing says which actions are valid", dir, env)
		}
	}
}

// Rates that all_results.txt has and the episodes do not give are told; so is what is missing.
func TestNotes(t *testing.T) {
	dir := t.TempDir()
	write(t, "[EXP] 0: [sr]: 1, [score]: 0.5, [grounding_acc]: 1.0, [score_state]: [('0', 0.25), ('3', 0.5)] \n", dir,
		"webarena.txt")
	write(t, "not a rate\n"+`{"task_name": "webarena", "success_rate": 0.9999, "reward_score": 0.6}`, dir, resultsFile)
	got, notes := scores(t, dir)
	if got["webarena"].Success.Mean != 1 || len(notes) != 2 ||
		notes[0] != "all_results.txt has for webarena PR 60.0, and the episodes give 50.0" ||
		!strings.Contains(notes[1], "not known on webarena, because logs/ is missing") {
		t.Errorf("%+v, %q", got["webarena"], notes)
	}
}

// Damaged folders are errors that name the file and the place.
func TestDamaged(t *testing.T) {
	const good = "[EXP] 0: [sr]: 1, [score]: 1.0, [grounding_acc]: 1.0, [score_state]: [] \n"
	for _, c := range []struct{ file, content, want string }{
		{"pddl.txt", good + good, "pddl.txt: episode 0 is there twice"},
		{"pddl.txt", "[EXP] x", "pddl.txt:1: "},
		{"pddl.txt", strings.Replace(good, "[score]: 1.0", "[score]: 1.5", 1), "progress 1.5 is outside"},
		{"pddl.txt", strings.Replace(good, "[score_state]: []", "[score_state]: [(0)]", 1), "is not a step and"},
		{"logs/pddl.jsonl", `{"id": 0, "progress_rate": 1}`, "grounding_acc -1 is outside of 0 to 1, or missing"},
		{"logs/pddl.jsonl", `{"id": 0`, "pddl.jsonl:1: it ends in the middle"},
		{"logs/pddl.jsonl", `{"id":0,"progress_rate":1,"grounding_acc":1,"difficulty":"odd"}`, `want difficulty "easy"`},
		{"pddl.txt", strings.Replace(good, "[sr]: 1", "[sr]: yes", 1), `txt:1: "yes" is neither true nor false`},
		{"pddl.txt", strings.Replace(good, "[score]: 1.0", "[score]: 0.5x", 1), `txt:1: want a number, not "0.5x"`},
		{"pddl.txt", good + strings.Repeat("x", maxLine+1), "txt:2: the line has more than"},
		{"other.txt", good, "has no episodes of AgentBoard"},
	} {
		dir := t.TempDir()
		write(t, "", dir, resultsFile)
		write(t, c.content, dir, c.file)
		sharedtest.Fails(t, sharedtest.Err(Read(dir)), c.want, c.file)
	}
	if IsFolder(t.TempDir()) {
		t.Error("a folder without all_results.txt is one of AgentBoard")
	}
}

// FuzzParse reads any text as a log and as lines: an error, or episodes within the limits.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"id":3,"task_name":"gripper","is_done":1,"progress_rate":0.5,"score_change_record":[[1,0.5]],` +
		`"grounding_acc":1,"difficulty":"easy","trajectory":{"Interaction Turn 0":{}}}`))
	f.Add([]byte("[EXP] 0: [sr]: 0.0, [score]: 0.5, [grounding_acc]: 0.4, [score_state]: [(0, 0.25), ('25', 0.5)] \n"))
	f.Add([]byte(`{"id":1e400,"trajectory":[]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		text := string(b)
		logged, err := parseLog("log", []byte(text))
		if err != nil {
			logged = nil
		}
		lined, err := parseLines("TASK.txt", []byte(text))
		if err != nil {
			lined = nil
		}
		for _, list := range [][]episode{logged, lined} {
			if check(list) != nil {
				continue
			}
			for i := range list {
				if e := list[i]; e.Progress < 0 || e.Progress > 1 || e.Grounding < 0 || e.Grounding > 1 {
					t.Errorf("progress %g, grounding %g", e.Progress, e.Grounding)
				}
				if r, counts := list[i].result(); counts != nil && int(counts.Steps) != r.Steps {
					t.Errorf("%d steps of %d", counts.Steps, r.Steps)
				}
			}
		}
	})
}
