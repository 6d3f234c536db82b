package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// how says how a case is played: a preset and what its recording changed of it.
type how struct {
	preset string
	whole  bool // what is compared holds for all parts of the preset
	// task is the task, by its name; kind and seed select one of a type instead.
	task, kind string
	seed       int
	steps      int   // 0 for the preset's
	order      []int // of examples; nil for the preset's
	pairs      int   // that a chat repeats; 0 for the preset's
	joined     bool  // the messages of a chat, though the preset's are not
	thought    int   // the length of a reply in tokens; 0 for the preset's
	settings   map[string]string
	context    int
	trials     int    // 0 for a run's
	data       string // folder of the official data
	alone      bool   // the data have no other task
	env        string // where it is, if others run it
}

// how says how a case of the file is played. The error says why it cannot be.
func (f recorded) how(t *testing.T, c *goldenCase) (h how, err error) {
	t.Helper()
	h = how{preset: f.Preset, whole: f.Whole, task: c.task, settings: f.Settings}
	if f.Preset == "" {
		return h, errors.New("no preset plays it")
	}
	if f.Served != "" {
		h.env = f.address(t, c.task)
		return h, nil
	}
	h.data = sharedtest.AgentBoard(t)
	switch {
	case strings.Contains(f.Preset, "gigpo") && strings.HasSuffix(f.Preset, ":seen"):
		h.data = seenGames(t)
	case strings.HasPrefix(f.File, "agentboard-open"):
		h.steps = 8
	case f.File == "agentboard-vllm-prompts":
		h.steps = 1
	}
	env := c.protocol[strings.LastIndex(c.protocol, ":")+1:]
	if strings.HasPrefix(f.File, "tales") {
		if env, _, _ = strings.Cut(c.task, " "); env != "alfworld" && env != "sciworld" {
			env = "jericho"
		}
	}
	h.preset = strings.ReplaceAll(h.preset, "{env}", env)
	if strings.HasPrefix(f.File, "agentboard") && strings.HasSuffix(env, "jericho") {
		h.data = withoutGoals(t, h.data)
	}
	switch f.File {
	case "agentboard-long":
		if h.context = 4096; c.requests[0]["prompt"] != nil {
			h.preset = strings.Replace(h.preset, ":", "-open:", 1)
		}
	case "react-alfworld-pairs":
		task, pair, _ := strings.Cut(c.task, " pair ")
		h.task, h.order, h.steps = task, []int{int(pair[0] - '0'), int(pair[1] - '0')}, len(c.requests)
	case "reflexion-alfworld":
		if h.task, h.trials = c.trial(); c.about != nil { // a reflection comes before a further trial
			h.task, h.trials = c.about.trial()
			h.trials++
		}
	case "react-hotpotqa":
		h.settings = map[string]string{"wiki-flow": "html", "wiki-url": recordedPages(t, c)}
	case "tales":
		err = h.tales(c, env)
	case "tales-llm-0.36":
		h.task, _, _ = strings.Cut(c.task, " ")
		h.steps, h.settings = len(c.requests), map[string]string{"game-seed": ""}
	}
	return h, err
}

// play plays a case, and returns what was sent and what was recorded.
func (f recorded) play(t *testing.T, folder string, c *goldenCase, h how) (
	p *configs.Preset, model *goldenServer, rec *record.Episode, err error,
) {
	t.Helper()
	model = &goldenServer{model: c.model, replies: slices.Concat(c.earlier, c.replies)}
	server := httptest.NewServer(model)
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "run")
	out := Outside{Now: time.Now, Getenv: func(string) string { return "" }, Warn: func(string) {}}
	chosen, _, err := resolvePresets(out, Plain, Input{Override: func(r *configs.Run) error {
		r.Data, r.Originals = h.data, filepath.Join(folder, "originals", f.Originals)
		if f.Originals == "epo" {
			r.Originals = withPossible(t, r.Originals)
		}
		r.Model, r.BaseURL = configs.Strings{"openai:" + c.model}, configs.Servers{List: []string{server.URL + "/v1"}}
		r.Concurrency, r.AllowUnusable, r.Out, r.Retries, r.Context = 1, true, dir, 0, h.context
		r.Partial = h.alone
		r.Settings = maps.Clone(r.Settings)
		for name, value := range h.settings {
			if r.Settings[name] = value; value == "" {
				delete(r.Settings, name)
			}
		}
		if h.steps > 0 {
			r.StepLimit = h.steps
		}
		if h.trials > 0 {
			r.Trials = h.trials
		}
		if h.env != "" {
			r.Env, r.Originals = configs.Strings{h.env}, t.TempDir()
		}
		return nil
	}}, []string{h.preset})
	if err != nil {
		return nil, model, nil, err
	}
	if err := f.adapt(t, out, &chosen[0], h); err != nil {
		return nil, model, nil, err
	}
	rec, err = playChosen(t, out, chosen, dir)
	skipped := min(len(c.earlier), len(model.requests))
	model.paths, model.requests = model.paths[skipped:], model.requests[skipped:]
	if c.about != nil {
		model.paths, model.requests = model.paths[:min(1, len(model.paths))],
			model.requests[:min(1, len(model.requests))]
	}
	return &chosen[0].Released, model, rec, err
}

// adapt changes a preset as its recording does.
func (f recorded) adapt(t *testing.T, out Outside, c *Chosen, h how) (err error) {
	t.Helper()
	if h.order != nil {
		c.Released.Agent.Shots.Order = h.order
	}
	if f.Served != "" {
		f.standIn(t, c)
	}
	if err := h.asTales(c); err != nil {
		return err
	}
	if h.alone {
		c.Released.Env.Tasks = configs.PresetTasks{Count: 1}
	}
	if !f.Elsewhere {
		c.Run.Tasks = h.task
		return nil
	}
	if h.kind != "" {
		if h.task, err = h.ofKind(out, c); err != nil {
			return err
		}
	}
	const list = "recorded-task.txt"
	c.Released.Env.Tasks = configs.PresetTasks{Count: 1, List: &configs.PresetList{File: list, Format: "names"}}
	c.Run.Originals = beside(t, c.Run.Originals, list, h.task)
	return nil
}

// withPossible is a checkout of EPO with the file that says what is possible, of which only that text is read:
// the folder of originals lacks it, and the recorded requests have it.
func withPossible(t *testing.T, folder string) string {
	t.Helper()
	recorded := readCases(t, sharedtest.Golden(t, "protocols"), "rlvmr-sciworld/L0")
	message := fmt.Sprint(recorded[0].requests[0]["messages"])
	_, text, _ := strings.Cut(message, "Current available actions:\n")
	text, _, _ = strings.Cut(text, "\n\n")
	list := regexp.MustCompile(`\[('[^]]*|"[^]]*)\]`)
	text = strings.ReplaceAll(list.ReplaceAllString(text, "{x}"), "\n", `\n`)
	const file = "agent_system/environments/env_package/sciworld/envs.py"
	return beside(t, folder, file, strings.Repeat("\n", 29)+`f"`+text+`"`)
}

// onlyGame is a data folder of which ALFWorld has one game: it takes as long to read as a case to play.
// The first case of each file reads them all.
func (h *how) onlyGame(t *testing.T) {
	t.Helper()
	const games = "alfworld/json_2.1.1/valid_unseen"
	game := filepath.Join(h.data, games, h.task)
	if _, err := os.Stat(game); err != nil || h.kind != "" || !strings.Contains(h.task, "/") {
		return
	}
	to := filepath.Join(t.TempDir(), games, filepath.Dir(h.task))
	sharedtest.OK(t, os.MkdirAll(to, 0o755))
	sharedtest.OK(t, os.Symlink(game, filepath.Join(to, filepath.Base(h.task))))
	h.data, h.alone = strings.TrimSuffix(to, filepath.Join(games, filepath.Dir(h.task))), true
}

// seenGames is a data folder with ALFWorld's seen games, which no shared folder has.
func seenGames(t *testing.T) string {
	t.Helper()
	folder, _, _ := strings.Cut(os.Getenv("HELDOUT_TEST_ALFWORLD_DATA"), string(filepath.ListSeparator))
	if folder == "" {
		sharedtest.Absent(t, "alfworld/valid_seen", "needs ALFWorld's 140 seen games: set HELDOUT_TEST_ALFWORLD_DATA to a "+
			"data folder that has them, such as one of heldout data pull alfworld")
	}
	return folder
}

// withoutGoals is a data folder with labels of Jericho whose sub-goals no text has: the
// recordings have such labels in place of AgentBoard's.
func withoutGoals(t *testing.T, data string) string {
	t.Helper()
	b := sharedtest.Must(os.ReadFile(filepath.Join(data, "jericho", "partial_labels.json")))(t)
	var known []struct {
		Name string `json:"game_name"`
	}
	sharedtest.OK(t, json.Unmarshal(b, &known))
	labels := ""
	for _, game := range known {
		labels += fmt.Sprintf(
			`{"goal": "?", "difficulty": "easy", "additional_info": {"subtask": %q, "init_obs": "?"}, "subgoals": ["no text has this"]}`+"\n", game.Name)
	}
	return beside(t, data, filepath.Join("jericho", "test.jsonl"), labels)
}

// beside is a folder with what another one has, and one more file.
func beside(t *testing.T, folder, file, content string) string {
	t.Helper()
	dir := t.TempDir()
	first, rest, deeper := strings.Cut(file, "/")
	entries := sharedtest.Must(os.ReadDir(folder))(t)
	for _, e := range entries {
		from, to := filepath.Join(folder, e.Name()), filepath.Join(dir, e.Name())
		if deeper && e.Name() == first {
			from = beside(t, from, rest, content)
		}
		sharedtest.OK(t, os.Symlink(from, to))
	}
	if deeper {
		return dir
	}
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644))
	return dir
}

// ofKind is the task of a type that TALES takes for a seed.
func (h how) ofKind(out Outside, c *Chosen) (string, error) {
	env, err := catalog.Open(c.Released.Env.Name, c.Run.Setup, out.Envs())
	if err != nil {
		return "", err
	}
	var of []string
	for _, task := range env.Tasks() {
		if task.Type == h.kind {
			of = append(of, task.ID)
		}
	}
	if len(of) == 0 {
		return "", fmt.Errorf("no task has the type %s", h.kind)
	}
	if !strings.HasPrefix(of[0], h.kind+"/") {
		slices.Sort(of) // TALES sorts ALFWorld's games; variations are in order
	}
	return of[h.seed%len(of)], nil
}

// playChosen plays a run with one task, and returns its last trial.
func playChosen(t *testing.T, out Outside, chosen []Chosen, dir string) (*record.Episode, error) {
	t.Helper()
	job, err := New(out, Plain, chosen...)
	if err != nil {
		return nil, err
	}
	defer job.Close()
	if err := job.Meet(t.Context()); err != nil {
		return nil, err
	}
	session, err := job.Begin()
	if err != nil {
		return nil, err
	}
	if err := session.Play(t.Context(), nil, nil, func(string) {}); err != nil {
		return nil, err
	}
	if err := session.End(); err != nil {
		return nil, err
	}
	var played []*record.Episode
	keep := func(_ *record.Manifest, e *record.Episode) { played = append(played, e) }
	if _, err := record.EachEpisode(record.Parts{dir}, keep); err != nil {
		return nil, err
	}
	if len(played) != max(1, chosen[0].Run.Trials) {
		return nil, fmt.Errorf("%d episodes were played", len(played))
	}
	return played[len(played)-1], nil
}
