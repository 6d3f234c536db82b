package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/spelling"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// CheckModels reports what a user gave to no model of the runs: names, prices, and environments that it was trained on.
// It settles names that have a "=" in theirs.
func CheckModels(runs []NamedRun, names configs.Names, prices configs.Prices, heldIn configs.HeldIn) error {
	settleNames(runs, names)
	models := modelsAndRuns(runs)
	return errors.Join(
		checkGiven(names, models, func(spec, text string) string {
			return fmt.Sprintf("the name %q is for %s", text, spec)
		}),
		checkSingle(names, models),
		checkDistinct(runs),
		checkGiven(prices, models, func(spec string, price configs.Price) string {
			return fmt.Sprintf("the price %s is for %s", price, spec)
		}),
		checkGiven(heldIn, models, func(spec string, _ []string) string { return "--set held-in names " + spec }),
		checkHeldIn(heldIn))
}

// checkGiven reports the first thing that a user gave to no model of the runs, which say calls by its model.
func checkGiven[V any](values map[string]V, models []string, say func(spec string, value V) string) error {
	for _, spec := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(models, spec) && !slices.Contains(models, filepath.Clean(spec)) {
			return fmt.Errorf("%s, which no run has%s; there are %s", say(spec, values[spec]),
				spelling.Hint(spec, models), strings.Join(models, ", "))
		}
	}
	return nil
}

// checkSingle reports a text that has the names of further models or runs.
func checkSingle(names configs.Names, models []string) error {
	for _, spec := range slices.Sorted(maps.Keys(names)) {
		_, further, _ := strings.Cut(names[spec], ",")
		if model, _, named := strings.Cut(strings.TrimSpace(further), "="); named && slices.Contains(models, model) {
			return fmt.Errorf("the name of %s is %q: repeat --names for each", spec, names[spec])
		}
	}
	return nil
}

// checkHeldIn reports mistyped environments: a model may be trained on environments that no run has.
func checkHeldIn(heldIn configs.HeldIn) error {
	for _, spec := range slices.Sorted(maps.Keys(heldIn)) {
		for _, env := range heldIn[spec] {
			if hint := spelling.Hint(env, envs.Names()); !slices.Contains(envs.Names(), env) && hint != "" {
				return fmt.Errorf("--set held-in=%s=%s names an unknown environment%s", spec, env, hint)
			}
		}
	}
	return nil
}

// modelsAndRuns lists what models of the runs can be called by, sorted.
func modelsAndRuns(runs []NamedRun) (models []string) {
	for _, run := range runs {
		if run.Name != "" {
			models = append(models, filepath.Clean(run.Name))
		}
		for _, spec := range run.models() {
			models = append(models, spec, bare(spec))
		}
	}
	slices.Sort(models)
	return slices.Compact(models)
}

// settleNames corrects names of models that have a "=" in theirs: a flag divides at the
// first one, and a name is for the model of the runs that the text before a later one names.
func settleNames(runs []NamedRun, names map[string]string) {
	models := modelsAndRuns(runs)
	for spec, text := range maps.Clone(names) {
		for longer := spec; !slices.Contains(models, spec) && strings.Contains(text, "="); {
			part, rest, _ := strings.Cut(text, "=")
			longer, text = longer+"="+part, rest
			if slices.Contains(models, longer) {
				delete(names, spec)
				names[longer], spec = text, longer
			}
		}
	}
}

// checkDistinct reports names that two models would have.
func checkDistinct(runs []NamedRun) error {
	specs := map[string]string{}
	called := call(runs)
	for i, run := range runs {
		for _, spec := range run.models() {
			text := called[i][spec]
			if previous, ok := specs[text]; ok && previous != spec {
				return fmt.Errorf("%s and %s would both be called %q; give one another name with --names SPEC=TEXT",
					previous, spec, text)
			}
			specs[text] = spec
		}
	}
	return nil
}

// models lists the models of a run, each once.
func (r NamedRun) models() []string {
	return table.Keys(r.Scores, func(s *scoring.Score) string { return s.Condition.Model })
}

// bare is the name of a model without its provider.
func bare(spec string) string {
	_, name, _ := strings.Cut(spec, ":")
	return cmp.Or(name, spec)
}

// call returns what the models of each run are called: the name that the user gave to the directory, if it has one
// model, or to the model; else the server's, with its provider if other models have the same.
func call(runs []NamedRun) []map[string]string {
	several := map[string][]string{}
	for _, run := range runs {
		for _, spec := range run.models() {
			several[bare(spec)] = table.AppendNew(several[bare(spec)], spec)
		}
	}
	out := make([]map[string]string, len(runs))
	for i, run := range runs {
		out[i] = map[string]string{}
		models := run.models()
		for _, spec := range models {
			switch text, named := run.named(spec, len(models) == 1); {
			case named:
				out[i][spec] = text
			case spec == record.Unnamed:
				out[i][spec] = record.CalledPlayer(spec)
			case len(several[bare(spec)]) > 1:
				out[i][spec] = spec
			default:
				out[i][spec] = bare(spec)
			}
		}
	}
	return out
}

// called is what tables call the models of a run directory, by model.
func (r *Report) called(directory string) map[string]string {
	called := map[string]string{}
	for _, entry := range r.allRows {
		if entry.directory == directory || slices.Contains(entry.otherDirs, directory) {
			called[entry.Condition.Model] = entry.model
		}
	}
	return called
}

// ownName is the name that the user gave to the directory.
func (r NamedRun) ownName() (text string, ok bool) {
	for spec, text := range r.Names {
		if filepath.Clean(spec) == filepath.Clean(r.Name) {
			return text, true
		}
	}
	return "", false
}

// named returns the name that the user gave to a model; alone: it is the only one of its directory.
func (r NamedRun) named(spec string, alone bool) (text string, ok bool) {
	if text, ok = r.ownName(); ok && alone {
		return text, true
	}
	if text, ok = r.Names[spec]; !ok {
		text, ok = r.Names[bare(spec)]
	}
	return text, ok
}

// server is what the server of a model reported last.
func (r NamedRun) server(spec string) (last record.ServerReport) {
	if servers := r.Servers[spec]; len(servers) > 0 {
		last = servers[len(servers)-1]
	}
	return last
}

// weights says what a server loaded; empty if it does not say.
func (r NamedRun) weights(spec string) string {
	last := r.server(spec)
	return cmp.Or(last.Identity(), last.Size)
}

// namesakes say which rows are not pooled because it is not known whether they belong to one model.
func namesakes(plain []row) (notes []string) {
	for i, entry := range plain {
		for _, previous := range plain[:i] {
			if entry.model == previous.model && entry.continues(previous) && !entry.sameModel(previous) {
				notes = table.AppendNew(notes, fmt.Sprintf("%s and %s have other seeds of one served name, and nothing shows "+
					"that it is one model: they are not pooled; --names %s=%s,%s=%s pools them.", previous.directory,
					entry.directory, previous.directory, entry.model, entry.directory, entry.model))
			}
		}
	}
	return append(notes, gathered(plain)...)
}

// gathered say which models have places from several directories, of which it is not known
// whether they belong to one model.
func gathered(plain []row) (notes []string) {
	for _, group := range table.Grouped(plain, lineOf) {
		first, parts := group[0], table.Keys(group, func(r row) string { return r.directory })
		unproven := func(r row) bool { return !first.sameModel(r) }
		if len(parts) > 1 && slices.ContainsFunc(group, unproven) {
			notes = append(notes, fmt.Sprintf("%s is one served name in %s, and nothing shows that it is one model.",
				first.line, table.List(parts)))
		}
	}
	return notes
}

// changedModels say which models changed while their run was played, and which nobody knows.
func changedModels(r *Report) (notes []string) {
	for _, run := range r.Runs {
		called := r.called(run.Name)
		for _, s := range run.Scores {
			c := &s.Condition
			player, name := c.Player, cmp.Or(called[c.Model], c.Model)
			if c.Model == record.Unnamed {
				notes = table.AppendNew(notes, fmt.Sprintf("%s: %s was recorded before players had names. Nothing shows who "+
					"played, or that one player did.", name, run.Name))
			}
			for _, now := range run.Players[c.Model] {
				notes = table.AppendNew(notes, fmt.Sprintf("%s: the player behind this name changed while %s was played: %s.",
					name, run.Name, record.ChangedPlayer(player, &now)))
				player = &now
			}
		}
		for _, spec := range run.models() {
			for i, server := range run.Servers[spec] {
				if i == 0 {
					continue
				}
				if changed := record.Changes(run.Servers[spec][i-1], server); len(changed) > 0 {
					notes = table.AppendNew(notes, fmt.Sprintf(
						"%s: the model behind this name changed while %s was played: %s.",
						cmp.Or(called[spec], spec), run.Name, strings.Join(changed, ", ")))
				}
			}
		}
	}
	return notes
}

// longestLabel is how long the label of a run may be, in bytes.
const longestLabel = 20

// label returns the label of each run in tables. Labels are the last parts of the
// names if these are short and all different, and numbers otherwise.
func label(runs []NamedRun) []string {
	labels := make([]string, len(runs))
	used := map[string]bool{}
	short := true
	for i, r := range runs {
		labels[i] = filepath.Base(r.Name)
		short = short && len(labels[i]) <= longestLabel && !used[labels[i]]
		used[labels[i]] = true
	}
	if !short {
		for i := range runs {
			labels[i] = fmt.Sprintf("run %d", i+1)
		}
	}
	return labels
}

// directories returns notes with the directory behind each run label that occurs
// in the name of a row, and with those that are one model.
func directories(rows []row) (notes []string) {
	listed := map[string]bool{}
	for _, r := range rows {
		if r.run == r.directory || listed[r.run] || !strings.HasSuffix(r.line, r.run+")") {
			continue
		}
		listed[r.run] = true
		notes = append(notes, fmt.Sprintf("%s: %s.", r.run, r.directory))
	}
	joined := table.Filter(rows, func(r row) bool { return len(r.joined) > 0 })
	where := func(r row) string { return "one model in " + table.List(r.joined) }
	return append(notes, grouped(joined, lineOf, where)...)
}

// CheckMixed reports two runs of one environment that no protocol is common to: a table of both would have numbers
// in one column that do not compare. Within a run, several protocols are what the user asked for.
func CheckMixed(runs []NamedRun) error {
	for i, b := range runs {
		for _, a := range runs[:i] {
			x, y := places(a), places(b)
			for _, s := range b.Scores {
				env := s.Condition.Env
				common := func(p string) bool { return slices.Contains(y[env], p) }
				if len(x[env]) > 0 && !slices.ContainsFunc(x[env], common) {
					return fmt.Errorf("%s has %s of %s, and %s has %s: their numbers do not compare; heldout preset diff "+
						"says why, and --mixed prints them in one table", a.Name, x[env][0], env, b.Name, y[env][0])
				}
			}
		}
	}
	return nil
}

// places lists how a run played each environment.
func places(r NamedRun) map[string][]string {
	out := map[string][]string{}
	for _, s := range r.Scores {
		place := "the default protocol"
		if p := s.Condition.Preset; p != nil {
			place = p.Label()
		}
		if env := s.Condition.Env; !slices.Contains(out[env], place) {
			out[env] = append(out[env], place)
		}
	}
	return out
}
