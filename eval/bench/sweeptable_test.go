package bench

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// sweepColumns are the columns of the table of presets by perturbations in help presets, and what is in them:
// nothing for the other families.
var sweepColumns = []struct {
	head  string
	names []string
}{{"P1-P4", []string{"P1", "P2", "P3", "P4"}}, {"verbs", []string{"verbs"}}, {"args", []string{"arguments"}},
	{"names", []string{"names"}}, {"nouns", []string{"nouns"}}, {"help", []string{"help"}}, {"others", nil}}

// The table in help presets says what a sweep of each preset accepts.
func TestSweepTable(t *testing.T) {
	page := sharedtest.Must(os.ReadFile(filepath.Join("..", "..", "cmd", "heldout", "topics", "presets.md")))(t)
	names := configs.PresetNames()
	every, all := sharedtest.Every(t, 40, 4), len(names)
	for i := range names[:(all+every-1)/every] {
		names[i] = names[i*every]
	}
	names = names[:(all+every-1)/every]
	var lines []string
	of := map[string][]string{}
	for _, name := range names {
		whole := sharedtest.Must(configs.LoadPreset(name))(t)
		parts := sharedtest.Must(whole.Split())(t)
		slices.SortStableFunc(parts, func(a, b configs.Preset) int { // whose games every folder has
			return cmp.Compare(strings.Index(b.Env.Part, "unseen"), strings.Index(a.Env.Part, "unseen"))
		})
		seen := map[string]bool{}
		for _, p := range parts {
			if env := p.Env.Name; !seen[env] && !envs.IsExternal(env) {
				seen[env] = true
				line := sweepLine(t, baseOf(t, p))
				if of[line] == nil {
					lines = append(lines, line)
				}
				label := name
				if len(parts) > 1 && parts[0].Env.Name != parts[len(parts)-1].Env.Name {
					label += ":" + p.Env.Part
				}
				of[line] = append(of[line], label)
			}
		}
	}
	want := ""
	for _, line := range lines {
		want += sweepRow(line, of[line])
	}
	if every > 1 {
		for _, line := range lines {
			if !strings.Contains(string(page), line+"\n") {
				t.Errorf("%s: help presets has no row %q", of[line], line)
			}
		}
	} else if want = sweepRow(sweepHead(), []string{"presets"}) + want; !strings.Contains(string(page), want) {
		t.Errorf("help presets lacks the table\n%s", want)
	}
}

const sweepLabel = 32

func sweepHead() (line string) {
	for _, c := range sweepColumns {
		line += fmt.Sprintf(" %-5s", c.head)
	}
	return strings.TrimRight(line, " ")
}

// sweepRow is a row of the table, with the presets in as many lines as they need.
func sweepRow(line string, presets []string) string {
	labels := presets[:1:1]
	for _, p := range presets[1:] {
		last := &labels[len(labels)-1]
		*last += ","
		if len(*last)+1+len(p) >= sweepLabel {
			labels = append(labels, "  "+p)
		} else {
			*last += " " + p
		}
	}
	n := len(labels) - 1
	labels[n] = fmt.Sprintf("%-*s", sweepLabel, labels[n])
	return "    " + strings.Join(labels, "\n    ") + line + "\n"
}

// sweepLine is what a sweep of a preset accepts, by column: yes, all grades, no, some, or – where the environment has
// none.
func sweepLine(t *testing.T, base *episode.Benchmark) (line string) {
	t.Helper()
	env := base.Env.Info().Name
	families := sharedtest.Must(configs.LoadFamilies(env))(t)
	named := []string{"P1", "P2", "P3", "P4"}
	for _, c := range sweepColumns {
		named = append(named, c.names...)
	}
	for _, c := range sweepColumns {
		var rules []configs.Perturbation
		if c.head == sweepColumns[0].head {
			for _, name := range c.names {
				if p, err := builtIn(env, name); err == nil && p.Env == env {
					rules = append(rules, p)
				}
			}
		}
		for _, f := range families.All {
			if slices.Contains(c.names, f.ID) || c.names == nil && !slices.Contains(named, f.ID) {
				for i := range f.Grades {
					p := sharedtest.Must(builtIn(env, fmt.Sprintf("%s:%d", f.ID, i+1)))(t)
					rules = append(rules, p)
				}
			}
		}
		fits, said := 0, ""
		for _, p := range rules {
			b := *base
			if err := perturbBenchmark(&b, p, &record.Perturbation{}); err == nil {
				fits++
			} else {
				said = cmp.Or(said, err.Error())
			}
		}
		cell := "some"
		switch fits {
		case 0:
			cell = "no"
			if len(rules) == 0 {
				cell = "-"
			}
		case len(rules):
			cell = "yes"
		}
		if cell == "some" || cell == "no" {
			t.Logf("%s, %s, %d of %d: %s", base.Named.Name, c.head, fits, len(rules), said)
		}
		line += fmt.Sprintf(" %-5s", cell)
	}
	return strings.TrimRight(line, " ")
}

// baseOf is the benchmark of a preset of one part, with the first originals that it accepts.
func baseOf(t *testing.T, p configs.Preset) *episode.Benchmark {
	t.Helper()
	folder := filepath.Join(sharedtest.Golden(t, "protocols"), "originals")
	folders := sharedtest.Must(filepath.Glob(filepath.Join(folder, "*")))(t)
	folders = append(folders, withPossible(t, filepath.Join(folder, "epo")))
	own := map[string]bool{} // the preset's, by its recordings, which are tried first
	for _, f := range goldenFiles(t) {
		if name, _, _ := strings.Cut(f.Preset, ":"); name == p.Name {
			own[f.Originals] = true
		}
	}
	slices.SortStableFunc(folders, func(a, b string) int {
		switch x, y := own[filepath.Base(a)], own[filepath.Base(b)]; {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	data := sharedtest.AgentBoard(t)
	var last error
	for _, try := range []string{data, ""} {
		for _, originals := range folders {
			given := Input{Override: func(r *configs.Run) error {
				r.BaseURL = configs.Servers{List: []string{"http://127.0.0.1:9/v1"}}
				r.Model, r.Limit, r.Data, r.Originals = configs.Strings{"openai:any"}, 1, try, originals
				if p.Name == "agentgym-alfworld" { // which has games of training
					r.Settings["split"] = "valid_unseen"
				}
				return nil
			}}
			out := Outside{Now: time.Now, Getenv: func(string) string { return "" }, Warn: func(string) {}}
			chosen, _, err := resolvePresets(out, Plain, given, []string{p.ID(false)})
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(p.Name, "agentgym-") { // its lists of tasks are elsewhere
				task := readCases(t, filepath.Dir(folder), p.Name)[0].task
				sharedtest.OK(t, recorded{Elsewhere: true}.adapt(t, out, &chosen[0], how{task: task}))
			}
			job, err := New(out, Plain, chosen...)
			if err != nil {
				last = cmp.Or(last, err)
				continue
			}
			t.Cleanup(job.Close)
			return &job.specs[0].Benchmarks[0]
		}
	}
	t.Fatalf("%s: %v", p.ID(false), last)
	return nil
}
