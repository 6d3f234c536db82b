package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/refinement"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

var update = flag.Bool("update", false, "write the golden files anew")

// weights are the weights of a small held-out score.
var weights = configs.Weights{
	Source:  "a paper",
	HeldOut: []configs.Weight{{Env: "babyai", Weight: 3}, {Env: "pddl", Weight: 1}},
	HeldIn:  []string{"alfworld"},
}

// group is a part of a plan with what came of it.
type group struct {
	env    string
	source envs.Source
	tasks  int // planned of the environment's four
	model  string
	seed   int64
	change func(*record.Condition)
	// outcomes has a letter for each task: S success, f failure at half the
	// way, m model error, a agent error, e environment error, x context exceeded, c cancelled,
	// - not run.
	outcomes string
}

var outcomes = map[rune]record.Outcome{
	'S': record.Success, 'f': record.Failure, 'm': record.ModelError, 'a': record.AgentError, 'e': record.EnvError,
	'x': record.ContextExceeded, 'c': record.Cancelled,
}

// newRun computes the scores of groups.
func newRun(t *testing.T, name string, groups ...group) NamedRun {
	t.Helper()
	m := &record.Manifest{Schema: record.Schema}
	var results []record.Result
	for i, g := range groups {
		if _, ok := m.EnvironmentOf(record.Condition{Env: g.env}); !ok {
			e := record.Environment{Info: envs.Info{Name: g.env, Source: g.source, StepLimit: 30}, Total: 4}
			for j := range g.tasks {
				difficulty := []envs.Difficulty{envs.Easy, envs.Hard}[j%2]
				if g.env == "alfworld" {
					difficulty = ""
				}
				e.Tasks = append(e.Tasks, envs.Task{
					ID: fmt.Sprintf("t%d", j), Index: j, Digest: string(g.source) + g.env, Difficulty: difficulty})
			}
			m.Environments = append(m.Environments, e)
		}
		c := record.Condition{Env: g.env, Source: g.source, Model: g.model, Agent: g.model, Perturbation: "none",
			StepLimit: 30, Seed: g.seed}
		if strings.Contains(g.model, ":") {
			c.Agent, c.Decoding, c.PromptHash = "react", &record.Decoding{TopP: 1, MaxTokens: 512,
				Stop: []string{"\nObservation:"}}, "0123456789abcdef"
		}
		if g.change != nil {
			g.change(&c)
		}
		planned := record.Group{Condition: c}
		for j, letter := range g.outcomes {
			id := fmt.Sprintf("%d-%d", i, j)
			planned.Episodes = append(planned.Episodes, id)
			if outcome, ok := outcomes[letter]; ok {
				r := record.Result{Schema: record.Schema, ID: id, Attempt: 1, Outcome: outcome, Success: letter == 'S',
					Progress: 0.5, Grounding: 0.75}
				if r.Success {
					r.Progress = 1
				}
				results = append(results, r)
			}
		}
		m.Groups = append(m.Groups, planned)
	}
	return NamedRun{Name: name, Scores: scoresFrom(t, m, results, nil)}
}

// scoresFrom computes the scores of results; counts are each result's, if any are known.
func scoresFrom(t *testing.T, m *record.Manifest, results []record.Result,
	counts []refinement.Counts) []*scoring.Score {
	t.Helper()
	run, plan := scoring.NewRun(m), m.Plan()
	for i := range results {
		at, ok := plan.Find(results[i].ID)
		if !ok {
			t.Fatalf("%s is not planned", results[i].ID)
		}
		var of *refinement.Counts
		if counts != nil {
			of = &counts[i]
		}
		run.Add(at, &results[i], of)
	}
	scores := scoring.Compute(run, stats.TheseKinds)
	return scores
}

func percents(values ...float64) (out []*float64) {
	for _, v := range values {
		if v < 0 {
			out = append(out, nil)
		} else {
			out = append(out, &v)
		}
	}
	return out
}

// baseline is a published table with what such have.
func baseline(name string) Baseline {
	return Baseline{
		Name:   name,
		Source: configs.Published{Title: "A paper", Notes: []string{"The paper's own note."}},
		Table: configs.PublishedTable{
			ID: "main", Title: "Main results", Notes: []string{"The table's own note."},
			Columns: []string{"pddl", "webshop", "babyai", "alfworld"},
			Rows: []configs.PublishedRow{
				{Model: "GPT-9", Success: percents(10, 99, 30, 40), Progress: percents(20, 99, 40, 50)},
				{Model: "Tuned", Base: "Llama", HeldIn: []string{"alfworld", "webshop"},
					Success: percents(12.5, 1, -1, 80), Progress: percents(20, 1, 40, 90)},
			},
		},
	}
}

// everything makes all tables.
func everything(runs []NamedRun, baselines []Baseline, w configs.Weights) (out []table.Table) {
	from := New(runs, baselines, w)
	for _, k := range Kinds() {
		out = append(out, from.Tables(k.ID)...)
	}
	return out
}

// find returns the first table with that ID.
func find(t *testing.T, tables []table.Table, id string) table.Table {
	t.Helper()
	i := slices.IndexFunc(tables, func(tb table.Table) bool { return tb.ID == id })
	if i < 0 {
		t.Fatalf("there is no table %s", id)
	}
	return tables[i]
}

// below returns what stands below a key.
func below(t *testing.T, tb table.Table, key string) (out []string) {
	t.Helper()
	i := slices.IndexFunc(tb.Columns, func(c table.Column) bool { return c.Key == key })
	if i < 0 {
		t.Fatalf("table %s has no column %s", tb.ID, key)
	}
	for _, row := range tb.Rows {
		out = append(out, row[i].Text+row[i].Mark)
	}
	return out
}

// on returns what stands below a key in the lines of an environment.
func on(t *testing.T, tb table.Table, environment, key string) (out []string) {
	t.Helper()
	texts := below(t, tb, key)
	for i, env := range below(t, tb, "environment") {
		if env == environment {
			out = append(out, texts[i])
		}
	}
	return out
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	sharedtest.Same(t, got, want, what)
}

func hasNote(t *testing.T, tb table.Table, note string) {
	t.Helper()
	if !slices.ContainsFunc(tb.Notes, func(n string) bool { return strings.Contains(n, note) }) {
		t.Errorf("no note of table %s says %q:\n%s", tb.ID, note, strings.Join(tb.Notes, "\n"))
	}
}

func hasNoNote(t *testing.T, tb table.Table, note string) {
	t.Helper()
	if slices.ContainsFunc(tb.Notes, func(n string) bool { return strings.Contains(n, note) }) {
		t.Errorf("a note of table %s says %q:\n%s", tb.ID, note, strings.Join(tb.Notes, "\n"))
	}
}

// figureTables are those whose numbers a page shows with figures.
var figureTables = []string{"rates", "tasks", "seeds", "steps", "usage", "endings", "lost-steps"}

// ids lists the tables that are not for figures.
func ids(tables []table.Table) (out []string) {
	for _, t := range tables {
		if !slices.Contains(figureTables, t.ID) {
			out = append(out, t.ID)
		}
	}
	return out
}

// TestGolden shows what a reader gets, of a plain run and of one with everything
// that can be said; -update writes the files anew.
func TestGolden(t *testing.T) {
	plain := newRun(t, "runs/plain",
		group{"pddl", envs.Generated, 4, "expert", 0, nil, "SSSS"},
		group{"pddl", envs.Generated, 4, "random", 0, nil, "fSff"},
		group{"pddl", envs.Generated, 4, "random", 1, nil, "SSff"},
	)
	hot := func(c *record.Condition) { c.Decoding.Temperature, c.StepLimit = 1, 40 }
	full := newRun(t, "runs/full",
		group{"pddl", envs.Official, 4, "expert", 0, nil, "SSSS"},
		group{"pddl", envs.Official, 4, "vllm:M", 0, nil, "SfSf"},
		group{"pddl", envs.Official, 4, "vllm:M", 1, nil, "ffSS"},
		group{"pddl", envs.Official, 4, "vllm:M", 0, hot, "SSSf"},
		group{"pddl", envs.Official, 4, "vllm:M", 1, hot, "ffff"},
		group{"pddl", envs.Official, 4, "vllm:N", 0, nil, "Smm-"},
		group{"pddl", envs.Official, 4, "vllm:N", 1, nil, "excf"},
		group{"babyai", envs.Official, 4, "vllm:M", 0, nil, "SSff"},
		group{"babyai", envs.Official, 4, "vllm:N", 0, nil, "SSff"},
		group{"alfworld", envs.Official, 2, "vllm:M", 0, nil, "Sf"},
	)
	types := map[string]string{}
	for name, tables := range map[string][]table.Table{
		"plain": everything([]NamedRun{plain}, nil, weights),
		"full":  everything([]NamedRun{full}, []Baseline{baseline("paper"), baseline("paper:other")}, weights),
		"sweep": everything(sweepRuns(t), []Baseline{published()}, weights),
	} {
		t.Run(name, func(t *testing.T) {
			oneType(t, types, tables)
			var got bytes.Buffer
			sharedtest.OK(t, table.Render(&got, table.Text, tables...))
			for _, f := range table.Formats() {
				if err := table.Render(&bytes.Buffer{}, f, tables...); err != nil {
					t.Error(f, err)
				}
			}
			file := filepath.Join("testdata", name+".text")
			if *update {
				sharedtest.OK(t, os.WriteFile(file, got.Bytes(), 0o644))
			}
			want := sharedtest.Must(os.ReadFile(file))(t)
			sharedtest.Same(t, got.String(), string(want), file, "-update writes it")
		})
	}
}

// oneType reports keys of CSV and JSON whose values are of two types.
func oneType(t *testing.T, known map[string]string, tables []table.Table) {
	for _, tb := range tables {
		programs := tb.Programs
		if programs == nil {
			programs = []table.Table{tb}
		}
		for _, of := range programs {
			for i, c := range of.Columns {
				for _, row := range of.Rows {
					if row[i].Value == nil {
						continue
					}
					typ := fmt.Sprintf("%T", row[i].Value)
					if known[c.Key] != "" && known[c.Key] != typ {
						t.Errorf("%s of table %s is %s, elsewhere %s", c.Key, of.ID, typ, known[c.Key])
					}
					known[c.Key] = typ
				}
			}
		}
	}
}

// TestWhichTables: a table that would say nothing is left out.
func TestWhichTables(t *testing.T) {
	one := group{"pddl", envs.Generated, 4, "expert", 0, nil, "SSSS"}
	other := group{"pddl", envs.Generated, 4, "random", 0, nil, "ffff"}
	seed := group{"pddl", envs.Generated, 4, "random", 1, nil, "ffff"}
	official := group{"pddl", envs.Official, 4, "expert", 0, nil, "SSSS"}
	elsewhere := group{"chess", envs.Official, 4, "expert", 0, nil, "SSSS"}
	plain := group{"alfworld", envs.Generated, 4, "expert", 0, nil, "SSSS"}
	for _, c := range []struct {
		name      string
		groups    []group
		baselines []Baseline
		want      string
	}{
		{"nothing", nil, nil, "results"},
		{"one model", []group{one}, nil, "headline paper results difficulty kinds notes"},
		{"no classes", []group{plain}, nil, "headline paper results kinds notes"},
		{"two models", []group{one, other}, nil, "headline verdict paper results difficulty kinds notes"},
		{"two seeds", []group{other, seed}, nil, "headline paper paper-best-of results difficulty pass-at-k kinds notes"},
		{"two environments", []group{one, plain}, nil, "headline paper results difficulty abilities kinds kinds notes"},
		{"official", []group{official}, nil, "headline paper results difficulty kinds notes"},
		{"official, not weighted", []group{elsewhere}, nil, "headline paper results difficulty kinds notes"},
		{"baseline", []group{one}, []Baseline{baseline("paper")},
			"headline paper results difficulty kinds notes"},
		{"only a baseline", nil, []Baseline{baseline("paper")}, "results"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tables := everything([]NamedRun{newRun(t, "run", c.groups...)}, c.baselines, weights)
			same(t, "tables", ids(tables), strings.Fields(c.want)...)
			for _, tb := range tables {
				if tb.Title == "" || len(tb.Notes) == 0 && tb.ID != "paper" {
					t.Errorf("table %s has title %q and %d notes", tb.ID, tb.Title, len(tb.Notes))
				}
			}
		})
	}
}

func TestResults(t *testing.T) {
	tables := everything([]NamedRun{newRun(t, "run",
		group{"pddl", envs.Generated, 3, "vllm:M", 0, nil, "SfS"},
		group{"pddl", envs.Generated, 3, "vllm:M", 1, nil, "fff"},
		group{"babyai", envs.Official, 4, "vllm:M", 0, nil, "SSSS"},
	)}, nil, weights)
	r := find(t, tables, "results")
	same(t, "environments", below(t, r, "environment"), "pddl", "babyai")
	same(t, "tasks", below(t, r, "task_set"), "3 of 4 generated", "4 official")
	same(t, "models", below(t, r, "model"), "M", "M")
	same(t, "agents", below(t, r, "agent"), "react", "react")
	same(t, "seeds", below(t, r, "seeds"), "2", "1")
	same(t, "finished", below(t, r, "finished"), "6", "4")
	same(t, "planned", below(t, r, "planned"), "6", "4")
	same(t, "success", below(t, r, "success"), "33.3", "100.0")
	same(t, "progress", below(t, r, "progress"), "66.7", "100.0")
	same(t, "grounding", below(t, r, "grounding"), "75.0", "75.0")
	same(t, "low", below(t, r, "success_low"), "6.1", "51.0")
	hasNote(t, r, "Generated tasks are heldout's own")
	hasNote(t, r, "M: temperature 0, top-p 1, replies of at most 512 tokens.")
	hasNoNote(t, r, "Incomplete")
	hasNoNote(t, r, "steps")
}

// TestNotesOnlyWhereTrue: what does not hold for any row is not said.
func TestNotesOnlyWhereTrue(t *testing.T) {
	tables := everything([]NamedRun{newRun(t, "run", group{"pddl", envs.Official, 4, "expert", 0, nil, "SSSf"})}, nil,
		weights)
	r := find(t, tables, "results")
	for _, note := range []string{"Generated", "Incomplete", "temperature", "steps"} {
		hasNoNote(t, r, note)
	}
	h := find(t, tables, "rates")
	for _, mark := range []string{incompleteMark + " ", partMark, heldInMark} {
		hasNoNote(t, h, mark)
	}
}

func TestStepLimit(t *testing.T) {
	more := func(c *record.Condition) { c.StepLimit = 40 }
	tables := everything([]NamedRun{newRun(t, "run",
		group{"pddl", envs.Official, 4, "expert", 0, more, "SSSS"},
		group{"pddl", envs.Official, 4, "random", 0, more, "ffff"},
		group{"babyai", envs.Official, 4, "random", 0, nil, "ffff"},
	)}, nil, weights)
	hasNote(t, find(t, tables, "results"), "expert; random: at most 40 steps on pddl, where the benchmark has 30.")
	hasNoNote(t, find(t, tables, "results"), "on babyai,")
}

// TestIncomplete: an incomplete row is marked in every table, its reasons stand
// below the results, and it is not compared.
func TestIncomplete(t *testing.T) {
	tables := everything([]NamedRun{newRun(t, "run",
		group{"pddl", envs.Official, 4, "expert", 0, nil, "SSSS"},
		group{"pddl", envs.Official, 4, "random", 0, nil, "Sme-"},
		group{"pddl", envs.Official, 4, "random", 1, nil, "xcmf"},
	)}, nil, weights)
	r := find(t, tables, "results")
	same(t, "success", below(t, r, "success"), "100.0", "50.0*")
	same(t, "finished", below(t, r, "finished"), "4", "2")
	hasNote(t, r,
		"* Incomplete: random on pddl has results for 2 of 8 episodes (2 model_error, 1 env_error, 1 "+
			"context_exceeded, 1 cancelled, 1 not run). "+
			"Its rates cover only those; the same command plays the rest.")
	same(t, "easy", below(t, find(t, tables, "difficulty"), "easy_success"), "100.0", "100.0*")
	hasNote(t, find(t, tables, "difficulty"), incompleteNote)
	p := find(t, tables, "verdict")
	same(t, "shows", below(t, p, "claim"), "not compared")
	same(t, "reason", below(t, p.Programs[0], "reason")[:1], "random has 2 of 8 episodes")
	h := find(t, tables, "rates")
	same(t, "rates", on(t, h, "pddl", "success"), "100.0")
	hasNote(t, h, "random: the held-out score is incomplete; missing: babyai, pddl (2 of 8 episodes).")
	hasNote(t, h, "expert: the held-out score is incomplete; missing: babyai.")
}

func TestNothingFinished(t *testing.T) {
	tables := everything([]NamedRun{newRun(t, "run", group{"pddl", envs.Official, 4, "vllm:M", 0, nil, "----"})}, nil,
		weights)
	same(t, "success", below(t, find(t, tables, "results"), "success"), "–*")
	same(t, "low", below(t, find(t, tables, "results"), "success_low"), "–")
}

// TestLabels: one model that stands in several rows is told apart by what differs, and by nothing else.
func TestLabels(t *testing.T) {
	plan := func(model string, change func(*record.Condition)) group {
		return group{"pddl", envs.Generated, 4, model, 0, change, "SSff"}
	}
	for _, c := range []struct {
		name string
		runs [][]group
		want []string
	}{
		{"different models", [][]group{{plan("expert", nil), plan("random", nil)}}, []string{"expert", "random"}},
		{"temperature", [][]group{{plan("vllm:M", nil),
			plan("vllm:M", func(c *record.Condition) { c.Decoding.Temperature = 0.7 }), plan("random", nil)}},
			[]string{"M (temperature 0)", "M (temperature 0.7)", "random"}},
		{"agent and prompt", [][]group{{plan("vllm:M", nil),
			plan("vllm:M", func(c *record.Condition) { c.Agent, c.PromptHash = "act", "fedcba9876543210" })}},
			[]string{"M (agent react)", "M (agent act)"}},
		{"rest of the decoding", [][]group{{plan("vllm:M", nil), plan("vllm:M", func(c *record.Condition) {
			c.Decoding.TopP, c.Decoding.MaxTokens, c.Decoding.Stop, c.Context = 0.9, 64, []string{"\n"}, 4096
			c.Decoding.Extra = map[string]any{"top_k": 20, "min_p": 0}
		})}}, []string{
			`M (top-p 1, max-tokens 512, stop ["\nObservation:"], extra-body {}, context of the server)`,
			`M (top-p 0.9, max-tokens 64, stop ["\n"], extra-body {"min_p":0,"top_k":20}, context 4096)`,
		}},
		{"steps and settings", [][]group{{plan("expert", nil),
			plan("expert", func(c *record.Condition) { c.StepLimit = 40 }),
			plan("expert", func(c *record.Condition) { c.Settings = map[string]string{"generator-seed": "7"} })}},
			[]string{"expert (30 steps)", "expert (40 steps)", "expert (30 steps, generator-seed 7)"}},
		{"source", [][]group{{plan("expert", nil)}, {{"pddl", envs.Official, 4, "expert", 0, nil, "SSSS"}}},
			[]string{"expert (run0)", "expert (run1)"}},
		{"run", [][]group{{plan("expert", nil)}, {plan("expert", nil)}}, []string{"expert (run0)", "expert (run1)"}},
		{"run and temperature", [][]group{
			{plan("vllm:M", nil)}, {plan("vllm:M", nil)},
			{plan("vllm:M", func(c *record.Condition) { c.Decoding.Temperature = 1 })},
		}, []string{"M (temperature 0, run0)", "M (temperature 0, run1)", "M (temperature 1)"}},
		{"different environments", [][]group{{plan("expert", nil),
			{"babyai", envs.Generated, 4, "expert", 0, nil, "SSSS"}}}, []string{"expert", "expert"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var runs []NamedRun
			for i, groups := range c.runs {
				runs = append(runs, newRun(t, fmt.Sprintf("run%d", i), groups...))
			}
			same(t, "models", below(t, find(t, everything(runs, nil, weights), "results"), "model"), c.want...)
		})
	}
}

// TestHeldOut is worked by hand: (3*0.5 + 1*0.25) / 4.
func TestHeldOut(t *testing.T) {
	tables := everything([]NamedRun{newRun(t, "run",
		group{"babyai", envs.Official, 4, "vllm:M", 0, nil, "SSff"},
		group{"pddl", envs.Official, 4, "vllm:M", 0, nil, "Sfff"},
	)}, nil, weights)
	h := find(t, tables, "rates")
	same(t, "score", on(t, h, column.HeldOutScore, "success"), "43.8")
	same(t, "progress", on(t, h, column.HeldOutScore, "progress"), "71.9")
	same(t, "babyai", on(t, h, "babyai", "success"), "50.0")
	hasNote(t, h, "weighted with babyai 3, pddl 1 (a paper)")
	hasNoNote(t, h, "incomplete")
}

// TestHeldOutWhole: tasks of one's own, another variant and a part of the official tasks make no held-out score.
func TestHeldOutWhole(t *testing.T) {
	babyai := group{"babyai", envs.Official, 4, "expert", 0, nil, "SSSS"}
	for _, c := range []struct {
		name, missing string
		other         group
	}{
		{"generated", "pddl (not the official tasks)", group{"pddl", envs.Generated, 4, "expert", 0, nil, "SSSS"}},
		{"a variant", "pddl (not the official tasks)",
			group{"pddl", envs.Official, 4, "expert", 0, func(c *record.Condition) {
				c.Settings = map[string]string{"variant": "another"}
			}, "SSSS"}},
		{"a part", "pddl (2 of 4 tasks)", group{"pddl", envs.Official, 2, "expert", 0, nil, "SS"}},
		{"incomplete", "pddl (3 of 4 episodes)", group{"pddl", envs.Official, 4, "expert", 0, nil, "SSSm"}},
		{"incomplete part", "pddl (1 of 2 episodes)", group{"pddl", envs.Official, 2, "expert", 0, nil, "Sm"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := find(t, everything([]NamedRun{newRun(t, "run", babyai, c.other)}, nil, weights), "rates")
			same(t, "score", on(t, h, column.HeldOutScore, "success"))
			hasNote(t, h, "expert: the held-out score is incomplete; missing: "+c.missing+".")
			if c.name == "a part" {
				hasNote(t, h, partMark+" On a part of the tasks")
			}
		})
	}
}

// TestHeldOutLines: what one player did in several runs stands in one line, unless it did the same twice, and
// players are told apart the same way on every environment.
func TestHeldOutLines(t *testing.T) {
	warm := func(c *record.Condition) { c.Decoding.Temperature = 1 }
	babyai := func(change func(*record.Condition)) group {
		return group{"babyai", envs.Official, 4, "vllm:M", 0, change, "SSff"}
	}
	pddl := func(change func(*record.Condition)) group {
		return group{"pddl", envs.Official, 4, "vllm:M", 0, change, "Sfff"}
	}
	for _, c := range []struct {
		name          string
		runs          [][]group
		models, score []string
	}{
		{"two runs", [][]group{{babyai(nil)}, {pddl(nil)}}, []string{"M"}, []string{"43.8"}},
		{"another prompt", [][]group{{babyai(nil)}, {pddl(func(c *record.Condition) { c.PromptHash = "fedc" })}},
			[]string{"M"}, []string{"43.8"}},
		{"another temperature on one", [][]group{{babyai(nil), pddl(nil)}, {pddl(warm)}},
			[]string{"M (temperature 0)"}, []string{"43.8"}},
		{"the same twice", [][]group{{babyai(nil), pddl(nil)}, {pddl(nil)}}, []string{"M (run0)"}, []string{"43.8"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var runs []NamedRun
			for i, groups := range c.runs {
				runs = append(runs, newRun(t, fmt.Sprintf("run%d", i), groups...))
			}
			h := find(t, everything(runs, nil, weights), "rates")
			same(t, "models", on(t, h, column.HeldOutScore, "model"), c.models...)
			same(t, "scores", on(t, h, column.HeldOutScore, "success"), c.score...)
		})
	}
}

func TestBaselines(t *testing.T) {
	tables := everything([]NamedRun{newRun(t, "run", group{"pddl", envs.Official, 4, "expert", 0, nil, "SSSf"},
		group{"alfworld", envs.Official, 4, "expert", 0, nil, "SSSf"})},
		[]Baseline{baseline("paper"), baseline("paper:two")}, weights)
	h := find(t, tables, "rates")
	same(t, "models", on(t, h, "pddl", "model"), "expert", "GPT-9 [paper]", "Tuned, Llama [paper]", "GPT-9 [paper:two]",
		"Tuned, Llama [paper:two]")
	same(t, "pddl", on(t, h, "pddl", "success"), "75.0", "10.0", "12.5", "10.0", "12.5")
	same(t, "alfworld", on(t, h, "alfworld", "progress"), "87.5", "50.0", "90.0†", "50.0", "90.0†")
	same(t, "score", on(t, h, column.HeldOutScore, "success"), "25.0", "25.0") // (3*30 + 10) / 4
	for note, want := range map[string]int{
		"[paper]: A paper; Main results.": 1, "[paper:two]: A paper; Main results.": 1,
		"The paper's own note.": 1, "The table's own note.": 2, heldInMark + " Held in": 1,
	} {
		n := 0
		for _, got := range h.Notes {
			if strings.Contains(got, note) {
				n++
			}
		}
		sharedtest.Equal(t, n, want, note)
	}
}

// TestBestOf is worked by hand: of three seeds, the tasks have 3, 1, 0 and 0
// successes, and progress is 0.5 without one.
func TestBestOf(t *testing.T) {
	seeds := func(model string, outcomes ...string) (groups []group) {
		for seed, o := range outcomes {
			for _, env := range []string{"babyai", "pddl"} {
				groups = append(groups, group{env, envs.Official, 4, model, int64(seed), nil, o})
			}
		}
		return groups
	}
	published := baseline("paper")
	published.Table.Rows[0].BestOf = 10
	run := newRun(t, "run", append(seeds("a:A", "SSff", "Sfff", "Sfff"), seeds("b:B", "ffff", "ffff", "Sfff")...)...)
	tables := everything([]NamedRun{run}, []Baseline{published}, weights)
	k := find(t, tables, "pass-at-k")
	same(t, "pass@k", below(t, k, "pass")[:6], "33.3", "41.7", "50.0", "8.3", "16.7", "25.0") // A at 2: (1 + 2/3)/4
	same(t, "best PR", below(t, k, "best_progress")[:3], "66.7", "70.8", "75.0")
	same(t, "places", slices.Compact(below(t, k, "environment")), "babyai", "pddl", "held-out score")
	same(t, "models", slices.Compact(on(t, k, "babyai", "model")), "A", "B", "GPT-9 [paper]")
	same(t, "tries", on(t, k, "babyai", "tries"), "1", "2", "3", "1", "2", "3", "10")
	same(t, "published", on(t, k, "babyai", "pass")[6:], "30.0")
	same(t, "score", on(t, k, column.HeldOutScore, "pass"), "33.3", "41.7", "50.0", "8.3", "16.7", "25.0", "25.0")
	hasNote(t, k, "chosen by an oracle")
	same(t, "differences", below(t, find(t, tables, "best-of-paired"), "success_difference"), "-25.0", "-25.0")
	for _, other := range tables {
		if other.ID == "rates" && slices.Contains(below(t, other, "model"), "GPT-9 [paper]") {
			t.Error("the best of ten stands beside rates of one try")
		}
	}
}

// TestBestOfIncomplete: a task with fewer results bounds the number of tries, and
// one without any is left out; both are said and marked.
func TestBestOfIncomplete(t *testing.T) {
	b := find(t, everything([]NamedRun{newRun(t, "run",
		group{"pddl", envs.Official, 4, "a:A", 0, nil, "Sffm"}, group{"pddl", envs.Official, 4, "a:A", 1, nil, "fSfm"},
		group{"pddl", envs.Official, 4, "a:A", 2, nil, "fmfm"},
	)}, nil, weights), "pass-at-k")
	same(t, "tries", below(t, b, "tries"), "1", "2")
	same(t, "any", below(t, b, "pass")[1:], "55.6*") // (2/3 + 1 + 0)/3
	hasNote(t, b,
		"tasks without a result are left out, and of 3 seeds each other task has results of 2 or more, so N is 2")
	hasNote(t, b, "Incomplete")
}

func TestOtherTasks(t *testing.T) {
	tables := everything([]NamedRun{
		newRun(t, "a", group{"pddl", envs.Generated, 4, "vllm:K", 0, nil, "SSSS"}),
		newRun(t, "b", group{"pddl", envs.Official, 3, "vllm:M", 0, nil, "SSS"}),
	}, nil, weights)
	p := find(t, tables, "verdict")
	hasNote(t, find(t, tables, "notes"), "PDDL (M) is 3 of 4 official tasks; tasks on PDDL (K) are generated")
	same(t, "shows", below(t, p, "claim"), "not compared")
	same(t, "reason", below(t, p.Programs[0], "reason")[:1], "M and K played different tasks")
}

// An environment with names of its own for its rates has a table of its own, and
// what does not compare says so.
// What was set up in another way than the benchmark stands there, marked, but
// does not count for the held-out score.
func TestCaveat(t *testing.T) {
	groups := []group{
		{env: "babyai", source: envs.Official, tasks: 4, model: "expert", outcomes: "SSff"},
		{env: "pddl", source: envs.Official, tasks: 4, model: "expert", outcomes: "SSSS"},
	}
	whole := find(t, everything([]NamedRun{newRun(t, "run", groups...)}, nil, weights), "rates")
	same(t, "score", on(t, whole, column.HeldOutScore, "success"), "62.5")
	run := newRun(t, "run", groups...)
	run.Scores[0].Environment.Caveat = "the sub-goals are others"
	marked := find(t, everything([]NamedRun{run}, nil, weights), "rates")
	same(t, "score", on(t, marked, column.HeldOutScore, "success"))
	same(t, "babyai", on(t, marked, "babyai", "success"), "50.0"+caveatMark)
	hasNote(t, marked, "missing: babyai (not comparable)")
	hasNote(t, marked, caveatMark+" Not comparable")
	hasNoNote(t, whole, caveatMark)
}

func TestOtherNames(t *testing.T) {
	run := newRun(t, "run",
		group{env: "hotpotqa", source: envs.Official, tasks: 4, model: "expert", outcomes: "SSff"},
		group{env: "hotpotqa", source: envs.Official, tasks: 4, model: "random", outcomes: "ffff"},
		group{env: "pddl", source: envs.Official, tasks: 4, model: "expert", outcomes: "SSSS"},
	)
	for _, s := range run.Scores {
		if s.Condition.Env == "hotpotqa" {
			s.Environment.SuccessName, s.Environment.ProgressName, s.Environment.Caveat = "EM", "F1",
				"the pages are few"
		}
	}
	tables := everything([]NamedRun{run}, nil, weights)[3:] // behind the headline, the verdict and the paper's
	if tables[0].ID != "results" || tables[1].ID != "results-EM-F1" || len(tables[0].Rows) != 1 ||
		len(tables[1].Rows) != 2 {
		t.Fatalf("%+v", tables[:2])
	}
	var headers []string
	for _, c := range tables[1].Columns {
		headers = append(headers, c.Header)
	}
	if !slices.Contains(headers, "EM") || !slices.Contains(headers, "F1") || slices.Contains(headers, "SR") {
		t.Errorf("%q", headers)
	}
	want := "¶ HotpotQA does not compare with published results: the pages are few."
	if !slices.Contains(tables[1].Notes, want) || slices.Contains(tables[0].Notes, want) {
		t.Errorf("%q", tables[1].Notes)
	}
	v := find(t, everything([]NamedRun{run}, nil, weights), "verdict")
	same(t, "rate", below(t, v.Programs[0], "rate")[:1], "EM")
	if only := everything([]NamedRun{{Name: "run", Scores: run.Scores[:1]}}, nil,
		weights); only[2].ID != "results-EM-F1" {
		t.Errorf("the table %s follows that of the paper", only[2].ID)
	}
}
