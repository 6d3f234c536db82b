package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/protocol"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// row is a score with its run, and what tables say of it.
type row struct {
	*scoring.Score
	// place is where the rates were reached: the preset, or the environment if there is none, and whether on tasks
	// outside its benchmark. Rows of different places are never compared.
	place claim.Scope
	// planned are the perturbations of its sweep there, about is its own; nil if the run's record says nothing of it,
	// as without one. commonKey is what rows have in common that differ in the perturbation alone.
	planned   []record.Perturbation
	about     *record.Perturbation
	commonKey string
	// faults weaken the meaning of the rates, which have marks if there are any, or if the row is not complete.
	faults []string
	marks  string
	// run is the label of the run in that directory.
	run, directory string
	// model is what the model is called; weights is what its server loaded, if servers
	// loaded several models of that name.
	model, weights string
	// loaded is what its server loaded, if it said so, and server what it reported last; called: the user named the
	// directory.
	loaded string
	server record.ServerReport
	called bool
	// trained are the environments whose data the model was trained on.
	trained []string
	// promptFile is the prompt, if the run says which one it had.
	promptFile record.Prompt
	// arm has the trainings of the row, if it is several.
	arm       *scoring.Trainings
	behaviour int
	// joined are the runs that the seeds of the score are from, if these are several, and
	// others their directories but for the first.
	joined, otherDirs []string
	// line is the name of the player, the same in all tables. name also has the
	// perturbation if rows of several stand together.
	line, name string
	sweep      *record.Sweep // of the run, nil if the run is not a sweep
}

// newRow is a score without a name, in a sweep if it belongs to one.
func newRow(s *scoring.Score, sweep *record.Sweep) row {
	name := s.Place()
	if p := s.Condition.Preset; p != nil {
		name = p.Label()
	}
	r := row{sweep: sweep, place: claim.Scope{Name: name, Title: envs.PlaceTitle(name),
		Success: s.Environment.SuccessName, Progress: s.Environment.ProgressName}}
	if sweep != nil {
		r.planned = sweep.In(s.Condition.Env)
	}
	matches := func(p record.Perturbation) bool { return p.Name == s.Condition.Perturbation }
	if i := slices.IndexFunc(r.planned, matches); i >= 0 {
		r.about = &r.planned[i]
	}
	return r.rescored(s)
}

// rescored is the row with another score, such as the score of several runs.
func (r row) rescored(s *scoring.Score) row {
	r.Score, r.faults, r.marks = s, faults(s), ""
	if !s.Complete() {
		r.marks = incompleteMark
	}
	if r.faults != nil {
		r.marks += repliesMark
	}
	return r
}

// unperturbed is a condition without its perturbation.
func unperturbed(c record.Condition) record.Condition {
	c.Model, c.Substitute = cmp.Or(c.Substitute, c.Model), ""
	c.Perturbation, c.PerturbationHash, c.PromptHash = "", "", ""
	return c
}

// lineOf, placeOf and environmentOf are by what notes and lines group rows.
func lineOf(r row) string        { return r.line }
func placeOf(r row) string       { return r.place.Name }
func environmentOf(r row) string { return r.Condition.Env }

// newRows lists the scores of runs by environment, in the order of the first run that has it, with their names.
func newRows(runs []NamedRun) []row {
	var rows []row
	labels, called := label(runs), call(runs)
	for i, run := range runs {
		for _, s := range run.Scores {
			if run.Sweep.ExtraAnchor(s.Condition.Model) {
				continue
			}
			r := newRow(s, run.Sweep)
			r.run, r.directory, r.model, r.behaviour = labels[i], run.Name, called[i][s.Condition.Model], run.Behaviour
			r.server, r.loaded = run.server(s.Condition.Model), run.weights(s.Condition.Model)
			_, r.called = run.ownName()
			r.weights, r.trained = r.loaded, run.HeldIn.Lookup(s.Condition.Model)
			r.promptFile, r.commonKey = run.Prompts[s.Condition.Env], r.run+"\n"+unperturbed(s.Condition).Key()
			rows = append(rows, r)
		}
	}
	knownWeights(rows)
	rows = joinRows(rows)
	environments := table.Keys(rows, environmentOf)
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(slices.Index(environments, a.Condition.Env)-slices.Index(environments, b.Condition.Env),
			cmp.Compare(a.Condition.Preset.Key(), b.Condition.Preset.Key()), cmp.Compare(a.place.Name, b.place.Name))
	})
	nameRows(rows)
	return rows
}

// knownWeights says what servers loaded, for models of which several loads are known: they
// are several models under one name.
func knownWeights(rows []row) {
	loads := map[string][]string{}
	for _, r := range rows {
		if r.weights != "" {
			loads[r.model] = table.AppendNew(loads[r.model], r.weights)
		}
	}
	for i := range rows {
		if len(loads[rows[i].model]) < 2 {
			rows[i].weights = ""
		}
	}
}

// joinRows makes one row of those that are one model on the same tasks, with other seeds in each run. If a model
// has two rows of one place that are not such parts, as of the same seed, all its rows stay apart.
func joinRows(rows []row) (out []row) {
	type key struct{ player, place, perturbation string }
	player := func(r row) string { return strings.Join(append(playerOf(r), r.model), "\n") }
	keyOf := func(r row) key { return key{player(r), r.place.Name, r.Condition.Perturbation} }
	parts := map[key][]row{}
	separate := map[string]bool{}
	for _, r := range rows {
		for _, part := range parts[keyOf(r)] {
			separate[player(r)] = separate[player(r)] || !r.continues(part) || !r.sameModel(part)
		}
		parts[keyOf(r)] = append(parts[keyOf(r)], r)
	}
	for _, r := range rows {
		group := parts[keyOf(r)]
		switch {
		case separate[player(r)] || len(group) == 1:
			out = append(out, r)
		case r.Score == group[0].Score:
			var scores []*scoring.Score
			for _, part := range group {
				scores = append(scores, part.Score)
				if part.directory != r.directory {
					r.otherDirs = append(r.otherDirs, part.directory)
				}
				noun := "seeds"
				if len(part.Seeds) == 1 {
					noun = "seed"
				}
				r.joined = append(r.joined, fmt.Sprintf("%s (%s %s)", part.directory, noun,
					record.SeedRanges(part.Seeds)))
			}
			out = append(out, r.rescored(scoring.Join(scores...)))
		}
	}
	return out
}

// continues reports whether two rows have other seeds of one condition.
func (r row) continues(o row) bool {
	return r.directory != o.directory && r.sweep == nil && o.sweep == nil && r.behaviour == o.behaviour &&
		r.Joins(o.Score)
}

// sameModel reports whether two rows of one served name are known to belong to one model: their servers loaded the
// same weights, their agents say the same of themselves, or the user gave both directories one name. A server may
// serve the next checkpoint under the name of the last one.
func (r row) sameModel(o row) bool {
	c := r.Condition
	return c.Decoding == nil && c.Model != record.Unnamed || r.loaded != "" && r.loaded == o.loaded ||
		c.Player != nil && record.SamePlayer(c.Player, o.Condition.Player) || r.called && o.called
}

// plainRows returns the rows of unperturbed tasks.
func plainRows(rows []row) (plain []row) {
	for _, r := range rows {
		if r.Condition.Perturbation == noPerturbation {
			r.name = r.line
			plain = append(plain, r)
		}
	}
	return plain
}

// nameRows names the rows of all runs.
func nameRows(rows []row) {
	keys, rowVariants := players(rows)
	variants := map[string]variant{}
	perturbations := map[string][]string{} // by player and place
	for i, r := range rows {
		if _, ok := variants[keys[i]]; !ok {
			variants[keys[i]] = rowVariants[i]
		}
		key := keys[i] + "\n" + r.place.Name
		perturbations[key] = table.AppendNew(perturbations[key], r.Condition.Perturbation)
	}
	details := tellApart(variants)
	for i, r := range rows {
		parts := details[keys[i]]
		rows[i].line = parenthesized(r.model, parts)
		alone := r.sweep == nil && r.Condition.Perturbation != noPerturbation
		if alone || len(perturbations[keys[i]+"\n"+r.place.Name]) > 1 {
			parts = append(slices.Clip(parts), "perturbation "+r.Condition.Perturbation)
		}
		rows[i].name = parenthesized(r.model, parts)
	}
}

// players returns the player of each row, with a key. It is the same in all runs, unless several of them have it in
// one place; then it is one per run, and one per setup of the environment if a run has several.
func players(rows []row) (keys []string, variants []variant) {
	for _, r := range rows {
		keys = append(keys, r.model+"\n"+strings.Join(playerOf(r), "\n"))
		variants = append(variants, variant{r.model, playerOf(r), r.run})
	}
	type combination struct{ player, place, perturbation string }
	for _, setups := range []bool{false, true} {
		count := map[combination]int{}
		several := map[string]bool{}
		for i, r := range rows {
			p := combination{keys[i], r.place.Name, r.Condition.Perturbation}
			count[p]++
			several[p.player] = several[p.player] || count[p] > 1
		}
		for i, r := range rows {
			switch {
			case several[keys[i]] && setups:
				variants[i].details = append(slices.Clip(variants[i].details), settingOf(r)...)
				keys[i] += "\n" + strings.Join(settingOf(r), "\n")
			case several[keys[i]]:
				keys[i] += "\n" + r.run
			}
		}
	}
	return keys, variants
}

// variant is one of the ways in which a model takes part: an agent, a decoding, a run.
type variant struct {
	model   string
	details []string // that may distinguish it from others of its model
	run     string   // distinguishes it if the details do not
}

// tellApart returns the details that variants need for distinct names: none if the model has only one variant.
// Otherwise those that other variants of the model do not share, and the run if they are not enough.
func tellApart(variants map[string]variant) map[string][]string {
	out, count := map[string][]string{}, map[string]int{}
	for key, t := range variants {
		out[key] = distinguishing(variants, t)
		count[parenthesized(t.model, out[key])]++
	}
	for key, t := range variants {
		if count[parenthesized(t.model, out[key])] > 1 {
			out[key] = append(out[key], t.run)
		}
	}
	return out
}

func parenthesized(name string, details []string) string {
	if len(details) == 0 {
		return name
	}
	return name + " (" + strings.Join(details, ", ") + ")"
}

// distinguishing returns the details of one variant that not all variants of its model share.
func distinguishing(variants map[string]variant, v variant) []string {
	return slices.DeleteFunc(slices.Clone(v.details), func(d string) bool {
		for _, t := range variants {
			if t.model == v.model && !slices.Contains(t.details, d) {
				return false
			}
		}
		return true
	})
}

// playerOf lists what is said about the player of a row besides the model's name. A
// preset says how to play, and stands beside the environment.
func playerOf(r row) []string {
	var out []string
	if r.weights != "" {
		out = append(out, "weights "+r.weights)
	}
	out = append(out, record.Say(r.Condition.Player)...)
	if r.Condition.Preset != nil {
		return out
	}
	return append(out, protocol.Labels(protocol.Player(r.Condition))...)
}

// partsOf are the parts of the protocol by which a served model played.
func partsOf(r row) []protocol.Part {
	out := slices.Concat(protocol.Setup(r.Condition, r.Environment), protocol.Player(r.Condition))
	if record.Outside(r.Condition.Agent) {
		return out // its prompts and sampling are its own
	}
	out = append(out, protocol.Prompt(r.Condition, r.promptFile))
	if p, ok := protocol.Template(r.server); ok {
		out = append(out, p)
	}
	return out
}

// settingOf lists what a condition says about the environment besides its name.
func settingOf(r row) []string {
	return append([]string{fmt.Sprintf("%s tasks", r.Condition.Source)},
		protocol.Labels(protocol.Setup(r.Condition, r.Environment))...)
}

// prompts says which prompts rows had whose model played the same with several.
// Under different perturbations prompts differ anyway.
func prompts(rows []row) []string {
	type combination struct{ model, place, perturbation string }
	used := map[combination][]string{}
	key := func(r row) combination { return combination{r.model, r.place.Name, r.Condition.Perturbation} }
	for _, r := range rows {
		used[key(r)] = table.AppendNew(used[key(r)], promptOf(r))
	}
	return notesOn(rows, func(r row) string {
		if len(used[key(r)]) > 1 {
			return promptOf(r)
		}
		return ""
	})
}

// promptOf names the prompts of a row's model.
func promptOf(r row) string {
	text := fmt.Sprintf("prompt %.8s", r.Condition.PromptHash)
	if t := r.Condition.Trials; t != nil && t.Memory > 0 {
		text += fmt.Sprintf(", reflection prompt %.8s, reflections of %d tokens", t.PromptHash, t.Decoding.MaxTokens)
	}
	return text
}
