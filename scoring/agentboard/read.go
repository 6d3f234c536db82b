package agentboard

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/refinement"
)

// Agent stands for the agents of logs, which do not say them.
const Agent = "AgentBoard"

// usualSteps is the step limit of AgentBoard.
const usualSteps = 30

// totals are how many tasks AgentBoard has in the environments that heldout plays.
var totals = map[string]int{"alfworld": 134, "babyai": 112, "sciworld": 90, "pddl": 60, "jericho": 20}

// Logs is a folder of AgentBoard's logs.
type Logs struct {
	Dir      string
	Manifest *record.Manifest
	// Notes say what the logs do not say, and where the rates in all_results.txt are not the episodes'.
	Notes []string

	episodes [][]episode // by group of the manifest
}

// IsFolder reports whether a folder has logs of AgentBoard.
func IsFolder(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, resultsFile))
	return err == nil && info.Mode().IsRegular() && !record.IsRun(dir)
}

// Split divides folders into AgentBoard's and others.
func Split(dirs []string) (boards, runs []string) {
	for _, dir := range dirs {
		if IsFolder(dir) {
			boards = append(boards, dir)
		} else {
			runs = append(runs, dir)
		}
	}
	return boards, runs
}

// Read reads a folder. The files of an environment may be missing, or those with steps.
func Read(dir string) (*Logs, error) {
	l := &Logs{Dir: dir, Manifest: &record.Manifest{Schema: record.Schema}}
	own, err := readResults(filepath.Join(dir, resultsFile))
	if err != nil {
		return nil, err
	}
	var bare []string
	for _, env := range configs.BoardEnvironments {
		episodes, steps, err := readEpisodes(dir, env)
		if err != nil {
			return nil, err
		}
		if len(episodes) == 0 {
			continue
		}
		if !steps {
			bare = append(bare, envs.Title(env))
		}
		l.add(env, episodes)
		if note := differs(env, own[taskName(env)], episodes); note != "" {
			l.Notes = append(l.Notes, note)
		}
	}
	if l.episodes == nil {
		return nil, fmt.Errorf("%s has no episodes of AgentBoard: there is neither a TASK.txt nor a logs/TASK.jsonl", dir)
	}
	if bare != nil {
		l.Notes = append(l.Notes, "names, difficulties and steps are not known on "+strings.Join(bare, ", ")+
			", because logs/ is missing")
	}
	return l, nil
}

// readEpisodes reads the episodes of an environment: with their steps if there is a log of them.
func readEpisodes(dir, env string) (episodes []episode, steps bool, err error) {
	episodes, err = readFile(logFile(dir, env), parseLog)
	if steps = len(episodes) > 0; !steps && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		episodes, err = readFile(linesFile(dir, env), parseLines)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	for i := range episodes {
		if e := &episodes[i]; env == "jericho" && e.Progress < 1 {
			e.Done = false // a game that is over is done, and not won
		}
	}
	return episodes, steps, err
}

// readFile reads and checks episodes, and sorts them.
func readFile(name string, parse func(name string, b []byte) ([]episode, error)) ([]episode, error) {
	b, err := datafile.ReadText(name, maxFile)
	if err != nil {
		return nil, err
	}
	episodes, err := parse(name, b)
	if err != nil {
		return nil, err
	}
	if err := check(episodes); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return episodes, nil
}

// readResults reads the rates in all_results.txt by AgentBoard's names of environments. It skips
// lines that are not rates, as AgentBoard does.
func readResults(name string) (map[string]ownRates, error) {
	b, err := datafile.ReadText(name, datafile.MaxConfig)
	if err != nil {
		return nil, err
	}
	out := map[string]ownRates{}
	for line := range strings.SplitSeq(string(b), "\n") {
		var r ownRates
		if json.Unmarshal([]byte(line), &r) == nil && r.Task != "" {
			r.Progress = cmp.Or(r.Progress, r.Reward)
			out[r.Task] = r
		}
	}
	return out, nil
}

// ownRates are rates that a folder states, nil where it does not. Older folders say reward for progress.
type ownRates struct {
	Task      string   `json:"task_name"`
	Success   *float64 `json:"success_rate"`
	Progress  *float64 `json:"progress_rate"`
	Reward    *float64 `json:"reward_score"`
	Grounding *float64 `json:"grounding_acc"`
}

// differs says that rates are not the episodes'; empty if they are or there are none.
func differs(env string, own ownRates, episodes []episode) string {
	var sums [3]float64
	for _, e := range episodes {
		if e.Done {
			sums[0]++
		}
		sums[1], sums[2] = sums[1]+e.Progress, sums[2]+e.Grounding
	}
	var parts []string
	for i, rate := range []*float64{own.Success, own.Progress, own.Grounding} {
		const rounding = 1e-6
		ours := sums[i] / float64(len(episodes))
		if rate == nil || math.Abs(*rate-ours) < rounding {
			continue
		}
		stated, computed := fmt.Sprintf("%.1f", 100**rate), fmt.Sprintf("%.1f", 100*ours)
		if name := []string{"SR", "PR", "GA"}[i]; stated != computed {
			parts = append(parts, fmt.Sprintf("%s %s, and the episodes give %s", name, stated, computed))
		}
	}
	if parts == nil {
		return ""
	}
	return resultsFile + " has for " + envs.Title(env) + " " + strings.Join(parts, "; ")
}

// add adds an environment with its episodes.
func (l *Logs) add(env string, episodes []episode) {
	limit := usualSteps
	tasks := make([]envs.Task, len(episodes))
	names := make([]string, len(episodes))
	for i, e := range episodes {
		limit = max(limit, e.steps())
		kind, _, _ := strings.Cut(e.Task, "-")
		if env != "alfworld" {
			kind = e.Task
		}
		digest := datafile.Hash(fmt.Sprintf("%s\n%d\n%s\n%s", env, e.ID, e.Task, e.Goal))
		tasks[i] = envs.Task{ID: fmt.Sprintf("%s/%d", cmp.Or(e.Task, "task"), e.ID), Index: e.ID, Type: kind,
			Difficulty: envs.Difficulty(e.Difficulty), Digest: "agentboard " + digest}
		names[i] = fmt.Sprintf("%s-%d", env, e.ID)
	}
	l.Manifest.Environments = append(l.Manifest.Environments, record.Environment{
		Info:  envs.Info{Name: env, Source: envs.Official, StepLimit: usualSteps},
		Total: cmp.Or(totals[env], len(tasks)), Tasks: tasks})
	c := record.Condition{Env: env, Source: envs.Official, Model: filepath.Base(l.Dir), Agent: Agent,
		Perturbation: "none", StepLimit: limit}
	l.Manifest.Groups = append(l.Manifest.Groups, record.Group{Condition: c, Episodes: names})
	l.episodes = append(l.episodes, episodes)
}

// Run is what tables need of the episodes that a choice keeps.
func (l *Logs) Run(only record.EpisodeFilter) *scoring.Run {
	part := l.Manifest.Only(only)
	byName := map[string]*episode{}
	for i, g := range l.Manifest.Groups {
		for j, name := range g.Episodes {
			byName[name] = &l.episodes[i][j]
		}
	}
	run := scoring.NewRun(part)
	for i, g := range part.Groups {
		for j, name := range g.Episodes {
			result, counts := byName[name].result()
			run.Add(record.Position{Group: int32(i), Task: int32(j), Trial: 1}, result, counts)
		}
	}
	return run
}

// result is what tables need of an episode; counts are nil if its steps are not known.
func (e *episode) result() (*record.Result, *refinement.Counts) {
	r := &record.Result{Attempt: 1, Outcome: record.Failure, Success: bool(e.Done), Progress: e.Progress,
		Grounding: e.Grounding, Steps: e.steps()}
	if r.Success {
		r.Outcome = record.Success
	}
	if e.Turns == nil {
		return r, nil
	}
	counts := &refinement.Counts{Steps: uint16(e.steps()), ProgressOnly: true, Solved: r.Success}
	for _, c := range e.Changes {
		counts.Changes = append(counts.Changes, refinement.Change{Step: uint16(c.step + 1), Progress: c.progress})
	}
	return r, counts
}
