package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/envs/testset"
	"heldout/eval/bench"
	"heldout/eval/episode/episodetest"
	"heldout/eval/share/bundle"
	"heldout/scoring/record"
)

// server answers as a model that tries actions by the hash of what it is sent.
func server(t *testing.T) string {
	t.Helper()
	actions := []string{"look around", "check valid actions", "move from rooma to roomb", "pick ball1 rooma left",
		"pick-up b1", "pour shot1 to shaker1"}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		h := fnv.New32a()
		h.Write(body)
		text := "Thought: I try.\nAction: " + actions[int(h.Sum32())%len(actions)]
		if h.Sum32()%7 == 0 {
			text = "I do not know."
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%q},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":%d,"completion_tokens":9}}`, text, len(body))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// play plays all generated games of PDDL with two seeds and three steps.
func play(t *testing.T, kind bench.Purpose, change func(*configs.Run)) string {
	t.Helper()
	run := configs.DefaultRun()
	run.Env, run.Model = configs.Strings{"pddl"}, configs.Strings{"vllm:m"}
	run.BaseURL = configs.Servers{List: configs.Strings{server(t)}}
	run.StepLimit, run.Seeds, run.Temperature, run.Out = 3, "2", 1, filepath.Join(t.TempDir(), "run")
	change(&run)
	job := sharedtest.Must(bench.New(outside(), kind, bench.Default(run)...))(t)
	return session(t, job)
}

// session plays what a job has planned and returns the run directory.
func session(t *testing.T, job *bench.Job) string {
	t.Helper()
	defer job.Close()
	session := sharedtest.Must(job.Begin())(t)
	sharedtest.OK(t, session.Play(t.Context(), nil, nil, func(string) {}))
	sharedtest.OK(t, session.End())
	return job.Config.Out
}

func outside() bench.Outside {
	return bench.Outside{Now: time.Now, Getenv: func(string) string { return "" }, Warn: func(string) {}}
}

// pack makes a bundle of a run directory.
func pack(t *testing.T, dir string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x"+bundle.Extension)
	_, err := bundle.Create(t.Context(), file, []record.Parts{{dir}}, configs.About{}, "")
	return file, err
}

// failing checks a bundle and returns the ids of the claims that fail.
func failing(t *testing.T, file string) (ids []string) {
	t.Helper()
	r := sharedtest.Must(File(t.Context(), file, t.TempDir(), again()))(t)
	for _, c := range r.Claims {
		if c.Verdict == Fails {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// shared are the worlds of all checks that measure nothing.
var shared = &bench.Worlds{Texts: options().Texts}

// again are options with the worlds that earlier checks have opened.
func again() Options {
	o := options()
	o.worlds = shared
	return o
}

func options() Options {
	return Options{Workers: 2, Texts: bench.Texts{Outside: envs.Outside{Now: time.Now}}}
}

// forged is a run that a cheat can change at will: ids and checksums fit afterwards.
type forged struct {
	manifest *record.Manifest
	episodes []*record.Episode
}

func read(t *testing.T, dir string) *forged {
	t.Helper()
	f := &forged{}
	m := sharedtest.Must(record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
		own := *e
		own.Trajectory = slices.Clone(e.Trajectory)
		f.episodes = append(f.episodes, &own)
	}))(t)
	f.manifest = m
	return f
}

// write writes a run directory with new ids and checksums.
func (f *forged) write(t *testing.T) string {
	t.Helper()
	renamed := map[string]string{}
	for i := range f.manifest.Groups {
		g := &f.manifest.Groups[i]
		about, _ := f.manifest.EnvironmentOf(g.Condition)
		ids, err := record.EpisodeIDs(f.manifest.Behaviour, about.Tasks, g.Condition)
		if err != nil || len(ids) != len(g.Episodes) {
			t.Fatalf("%d ids for %d episodes, %v", len(ids), len(g.Episodes), err)
		}
		for j, id := range g.Episodes {
			for trial := 1; trial <= g.Condition.MostTrials(); trial++ {
				renamed[record.TrialID(id, trial)] = record.TrialID(ids[j], trial)
			}
		}
		g.Episodes = ids
	}
	dir := filepath.Join(t.TempDir(), "forged")
	m := sharedtest.Must(record.EncodeFile(f.manifest))(t)
	var lines bytes.Buffer
	for _, e := range f.episodes {
		e.ID, e.Checksum = renamed[e.ID], ""
		b := sharedtest.Must(json.Marshal(e))(t)
		lines.Write(record.Seal(b))
	}
	sharedtest.OK(t, os.Mkdir(dir, 0o755))
	for name, b := range map[string][]byte{"run.json": m, "episodes.jsonl": lines.Bytes()} {
		sharedtest.OK(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
	}
	return dir
}

// seeds keeps those seeds.
func (f *forged) seeds(keep ...int64) {
	f.manifest.Groups = slices.DeleteFunc(f.manifest.Groups, func(g record.Group) bool {
		return !slices.Contains(keep, g.Condition.Seed)
	})
	f.episodes = slices.DeleteFunc(f.episodes, func(e *record.Episode) bool { return !slices.Contains(keep, e.Seed) })
}

// win makes a success of an attempt, in all its fields.
func win(e *record.Episode) {
	last := &e.Trajectory[len(e.Trajectory)-1]
	last.Progress = 1
	e.Progress, e.Success, e.Outcome = 1, true, record.Success
}

// again adds an attempt at the same episode.
func (f *forged) again(e *record.Episode) *record.Episode {
	next := *e
	next.Attempt++
	next.Trajectory = slices.Clone(e.Trajectory)
	f.episodes = append(f.episodes, &next)
	return &next
}

// Cheats and what shows each of them; none where nothing can. The table in heldout help bundles says the same.
func TestCheats(t *testing.T) {
	honest := play(t, bench.Plain, func(*configs.Run) {})
	cheats := map[string]struct {
		cheat func(*forged)
		want  []string
	}{
		"nothing is changed": {func(*forged) {}, nil},
		"an edited action":   {func(f *forged) { readable(f).Action = "dance" }, []string{"episodes", "prompts"}},
		"an edited thought":  {func(f *forged) { readable(f).Thought = "I know." }, []string{"prompts"}},
		"an edited observation": {func(f *forged) { f.episodes[0].Trajectory[0].Observation = "You win." },
			[]string{"episodes"}},
		"an edited outcome": {func(f *forged) { win(f.episodes[0]) }, []string{"episodes"}},
		"steps left out": {func(f *forged) {
			e := f.episodes[0]
			e.Trajectory = e.Trajectory[:1]
			episodetest.Settle(e)
		}, []string{"episodes"}},
		"an episode left out":     {func(f *forged) { f.episodes = f.episodes[1:] }, []string{"results"}},
		"a task left out":         {leaveTaskOut, []string{"tasks"}},
		"the first seed left out": {func(f *forged) { f.seeds(1) }, []string{"seeds"}},
		"a failure played again":  {func(f *forged) { f.again(f.episodes[0]).PromptTokens++ }, []string{"attempts"}},
		"a failure said to have no result": {func(f *forged) {
			f.again(f.episodes[0])
			f.episodes[0].Outcome = record.ModelError
		}, []string{"attempts"}},
		"other prompts": {func(f *forged) {
			for _, e := range f.episodes {
				for i := range e.Trajectory {
					e.Trajectory[i].Sent = []string{"0123456789abcdef"}
				}
			}
		}, []string{"prompts"}},
		"other decoding than that of the ids": {func(f *forged) {
			d := *f.manifest.Groups[0].Condition.Decoding
			d.Temperature = 0
			f.manifest.Groups[0].Condition.Decoding = &d
		}, nil},
		"the last seed left out": {func(f *forged) { f.seeds(0) }, nil},
		"stopped early and repeated": {func(f *forged) {
			e := f.episodes[0]
			f.again(e)
			e.Outcome, e.Trajectory = record.Cancelled, e.Trajectory[:1]
			episodetest.Settle(e)
		}, nil},
		"another model's name": {func(f *forged) {
			for i := range f.manifest.Groups {
				f.manifest.Groups[i].Condition.Model = "vllm:small"
			}
			for _, e := range f.episodes {
				e.Model = "vllm:small"
			}
		}, nil},
	}
	for name, c := range sharedtest.SampleMap(t, cheats, 3) {
		t.Run(name, func(t *testing.T) {
			f := read(t, honest)
			c.cheat(f)
			file := sharedtest.Must(pack(t, f.write(t)))(t)
			sharedtest.Same(t, failing(t, file), c.want, "fail")
		})
	}
}

// What later trials are shown is what the model wrote after the earlier ones.
func TestEditedReflections(t *testing.T) {
	honest := play(t, bench.Plain, func(run *configs.Run) {
		run.Seeds, run.Trials, run.Memory = "1", 4, 2
	})
	cheats := map[string]struct {
		cheat func(*forged)
		want  []string
	}{
		"nothing is changed": {func(*forged) {}, nil},
		"an edited reflection": {func(f *forged) { f.trial(1).Reflection.Text = "Open the door." },
			[]string{"prompts"}},
		"an empty reflection": {func(f *forged) { f.trial(3).Reflection.Text = "" }, []string{"prompts"}},
		"an edited memory without hashes": {func(f *forged) {
			e := f.trial(3)
			e.Memory = slices.Clone(e.Memory)
			e.Memory[1].Text = "Open the door."
			for i := range e.Trajectory {
				e.Trajectory[i].Sent = nil
			}
		}, []string{"prompts"}},
		"an edited reflection, and the memories of it": {func(f *forged) {
			first := f.trial(1)
			first.Reflection.Text = "Open the door."
			for _, e := range f.episodes {
				if e.Task == first.Task && e.Seed == first.Seed && len(e.Memory) > 0 && e.Memory[0].Trial == 1 {
					e.Memory = slices.Clone(e.Memory)
					e.Memory[0].Text = "Open the door."
				}
			}
		}, []string{"prompts"}},
	}
	for name, c := range sharedtest.SampleMap(t, cheats, 1) {
		t.Run(name, func(t *testing.T) {
			f := read(t, honest)
			c.cheat(f)
			sharedtest.Same(t, failing(t, must(pack(t, f.write(t)))), c.want, "fail")
		})
	}
}

// trial is an attempt of a trial with that number, which failed and is followed by another one.
func (f *forged) trial(number int) *record.Episode {
	for _, e := range f.episodes {
		if e.Trial == number && e.Reflection != nil {
			return e
		}
	}
	panic("no trial failed")
}

// A model whose declared training tasks were played fails; other tasks leave it open, as does no declaration.
func TestTrainedOn(t *testing.T) {
	dir := play(t, bench.Plain, func(run *configs.Run) { run.Seeds = "1" })
	f := read(t, dir)
	played := f.manifest.Environments[0].Tasks[0]
	for name, c := range sharedtest.SampleMap(t, map[string]struct {
		model  string
		digest []byte
		want   Verdict
		says   string
	}{
		"nothing declared":       {"vllm:m", nil, Open, "is what its authors say"},
		"a task that was played": {"vllm:m", catalog.Digest("pddl", played), Fails, "vllm:m: 1 of the tasks"},
		"by its name":            {"vllm:m", testset.Digest(testset.ID, played.ID), Fails, "played are declared"},
		"another task":           {"vllm:m", testset.Digest(testset.ID, "other"), Open, "none of the 1 declared"},
		"of another model":       {"vllm:n", catalog.Digest("pddl", played), Open, "vllm:n: none of the 1 declared"},
	}, 2) {
		t.Run(name, func(t *testing.T) {
			var m configs.AboutModel
			if c.digest != nil {
				m.Tasks = testset.NewList(map[string][][]byte{"pddl": {c.digest}})
			}
			file := filepath.Join(t.TempDir(), "x"+bundle.Extension)
			sharedtest.OK(t, sharedtest.Err(bundle.Create(t.Context(), file, []record.Parts{{dir}},
				configs.About{Models: map[string]configs.AboutModel{c.model: m}}, "")))
			r := sharedtest.Must(File(t.Context(), file, t.TempDir(), again()))(t)
			got := r.Claims[training]
			if notes := strings.Join(got.Notes, "; "); got.Verdict != c.want || !strings.Contains(notes, c.says) {
				t.Errorf("%s: %s, want %s: %s", got.Verdict, notes, c.want, c.says)
			}
		})
	}
}

// A preset fails, and what differs is said, if the run changed a field, if another one has
// its name, and if heldout does not have it.
func TestPresets(t *testing.T) {
	generated := playPreset(t, func(*configs.Run) {})
	changed := playPreset(t, func(run *configs.Run) { run.StepLimit = 3 })
	for name, c := range sharedtest.SampleMap(t, map[string]struct {
		dir   string
		cheat func(*forged)
		says  string
	}{
		"as released, but for the tasks": {generated, func(*forged) {}, `the run changed [source "generated"]`},
		"a changed field":                {changed, func(*forged) {}, "the run changed [env.limit.steps 3 instead of"},
		"another one under its name": {generated, func(f *forged) {
			f.define(t, func(p *configs.Preset) { p.Env.Limit.Steps = 19 })
		}, "the run changed [env.limit.steps 19 instead of"},
		"an unknown one": {generated, func(f *forged) {
			f.define(t, func(p *configs.Preset) { p.Name = "mine" })
		}, "is none of heldout's own"},
	}, 2) {
		t.Run(name, func(t *testing.T) {
			f := read(t, c.dir)
			c.cheat(f)
			r := sharedtest.Must(File(t.Context(), must(pack(t, f.write(t))), t.TempDir(), again()))(t)
			got := r.Claims[presets]
			notes := strings.Join(got.Notes, "; ")
			if got.Verdict != Fails || !strings.Contains(notes, c.says) {
				t.Errorf("%s: %s, want %q", got.Verdict, notes, c.says)
			}
		})
	}
}

// playPreset plays all tasks of a preset that needs no data.
func playPreset(t *testing.T, change func(*configs.Run)) string {
	t.Helper()
	address, dir := server(t), filepath.Join(t.TempDir(), "run")
	job, _, err := bench.Prepare(outside(), bench.Plain, bench.Input{Override: func(run *configs.Run) error {
		run.Model, run.Out = configs.Strings{"vllm:m"}, dir
		run.Preset = configs.Strings{"agentrefine:pddl"}
		run.BaseURL = configs.Servers{List: configs.Strings{address}}
		change(run)
		return nil
	}})
	sharedtest.OK(t, err)
	return session(t, job)
}

// define changes the definition of the preset, and what depends on it.
func (f *forged) define(t *testing.T, change func(*configs.Preset)) {
	t.Helper()
	about := &f.manifest.Protocols[0]
	var p configs.Preset
	sharedtest.OK(t, json.Unmarshal(about.Definition, &p))
	change(&p)
	hash := sharedtest.Must(p.Hash())(t)
	about.Definition = sharedtest.Must(json.Marshal(p))(t)
	about.Name, about.SHA256 = p.Name, hash
	for i := range f.manifest.Groups {
		of := *f.manifest.Groups[i].Condition.Preset
		of.Name, of.SHA256 = p.Name, hash
		f.manifest.Groups[i].Condition.Preset = &of
	}
	for i := range f.manifest.Environments {
		f.manifest.Environments[i].Protocol = about.Key()
	}
	for _, e := range f.episodes {
		e.Preset = about.Key()
	}
}

// readable is the first step of an episode, with a valid action and a step behind it.
func readable(f *forged) *record.Step {
	for _, e := range f.episodes {
		if s := &e.Trajectory[0]; s.Valid && s.Reply == "" && len(e.Trajectory) > 1 {
			return s
		}
	}
	panic("no first action is valid")
}

// leaveTaskOut removes the first task from plan and records.
func leaveTaskOut(f *forged) {
	about := &f.manifest.Environments[0]
	gone := about.Tasks[0].ID
	about.Tasks, about.Total = about.Tasks[1:], about.Total-1
	for i := range f.manifest.Groups {
		f.manifest.Groups[i].Episodes = f.manifest.Groups[i].Episodes[1:]
	}
	f.episodes = slices.DeleteFunc(f.episodes, func(e *record.Episode) bool { return e.Task == gone })
}

// A run under a perturbation that is said to be plain shows.
func TestPerturbedAsPlain(t *testing.T) {
	sharedtest.Heavy(t)
	f := read(t, play(t, bench.Sweep, func(run *configs.Run) {
		run.Env, run.Perturb, run.Seeds = configs.Strings{"alfworld"}, configs.Strings{"P1"}, "1"
		run.Model, run.BaseURL, run.Limit, run.StepLimit = configs.Strings{"expert"}, configs.Servers{}, 3, 30
	}))
	if got := failing(t, must(pack(t, f.write(t)))); slices.Contains(got, "episodes") {
		t.Errorf("%q fail in the run as it is", got)
	}
	f.manifest.Sweep = nil
	f.manifest.Groups = slices.DeleteFunc(f.manifest.Groups, func(g record.Group) bool {
		return g.Condition.Perturbation == "none"
	})
	f.episodes = slices.DeleteFunc(f.episodes, func(e *record.Episode) bool { return e.Perturbation == "none" })
	for i := range f.manifest.Groups {
		c := &f.manifest.Groups[i].Condition
		c.Perturbation, c.PerturbationHash = "none", ""
	}
	for _, e := range f.episodes {
		e.Perturbation, e.Rewritten = "none", nil
		for i := range e.Trajectory {
			e.Trajectory[i].OldForm, e.Trajectory[i].NewForm = "", ""
		}
	}
	if got := failing(t, must(pack(t, f.write(t)))); !slices.Contains(got, "episodes") {
		t.Errorf("%q fail, want episodes", got)
	}
}

func must(file string, err error) string {
	if err != nil {
		panic(err)
	}
	return file
}
