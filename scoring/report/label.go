package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/protocol"
	"heldout/scoring/record"
)

// row is a score with its run and its name in tables.
type row struct {
	*scoring.Score
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

// newRows lists the scores of runs by environment, in the order of the first run that has it,
// with their names.
func newRows(runs []NamedRun) []row {
	var rows []row
	labels, called := label(runs), call(runs)
	for i, run := range runs {
		for _, s := range run.Scores {
			if run.Sweep.ExtraAnchor(s.Condition.Model) {
				continue
			}
			rows = append(rows, row{Score: s, run: labels[i], directory: run.Name, sweep: run.Sweep,
				model: called[i][s.Condition.Model], weights: run.weights(s.Condition.Model), behaviour: run.Behaviour,
				loaded: run.weights(s.Condition.Model), server: run.server(s.Condition.Model), called: run.called(),
				trained: run.HeldIn.Lookup(s.Condition.Model), promptFile: run.Prompts[s.Condition.Env]})
		}
	}
	knownWeights(rows)
	rows = joinRows(rows)
	var environments []string
	for _, r := range rows {
		environments = appendNew(environments, r.Condition.Env)
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(slices.Index(environments, a.Condition.Env)-slices.Index(environments, b.Condition.Env),
			cmp.Compare(a.Condition.Preset.Key(), b.Condition.Preset.Key()), cmp.Compare(a.place(), b.place()))
	})
	nameRows(rows)
	return rows
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
	var variants []variant
	index := map[string]int{}
	perturbations := map[string][]string{} // by player and place
	for i, r := range rows {
		if _, ok := index[keys[i]]; !ok {
			index[keys[i]] = len(variants)
			variants = append(variants, rowVariants[i])
		}
		key := keys[i] + "\n" + r.place()
		perturbations[key] = appendNew(perturbations[key], r.Condition.Perturbation)
	}
	details := tellApart(variants)
	for i, r := range rows {
		parts := details[index[keys[i]]]
		rows[i].line = parenthesized(r.model, parts)
		alone := r.sweep == nil && r.Condition.Perturbation != noPerturbation
		if alone || len(perturbations[keys[i]+"\n"+r.place()]) > 1 {
			parts = append(slices.Clip(parts), "perturbation "+r.Condition.Perturbation)
		}
		rows[i].name = parenthesized(r.model, parts)
	}
}

// players returns the player of each row, with a key. It is the same in all runs,
// unless several of them have it in one place; then it is one per run, and one per
// setup of the environment if a run has several.
func players(rows []row) (keys []string, variants []variant) {
	for _, r := range rows {
		keys = append(keys, r.model+"\n"+strings.Join(r.player(), "\n"))
		variants = append(variants, variant{r.model, r.player(), r.run})
	}
	type combination struct{ player, place, perturbation string }
	for _, setups := range []bool{false, true} {
		count := map[combination]int{}
		several := map[string]bool{}
		for i, r := range rows {
			p := combination{keys[i], r.place(), r.Condition.Perturbation}
			count[p]++
			several[p.player] = several[p.player] || count[p] > 1
		}
		for i, r := range rows {
			switch {
			case several[keys[i]] && setups:
				variants[i].details = append(slices.Clip(variants[i].details), r.setting()...)
				keys[i] += "\n" + strings.Join(r.setting(), "\n")
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

// tellApart returns the details that variants need for distinct names: none if the
// model has only one variant. Otherwise those that other variants of the model do not
// share, and the run if they are not enough.
func tellApart(variants []variant) [][]string {
	out := make([][]string, len(variants))
	count := map[string]int{}
	for i, t := range variants {
		out[i] = distinguishing(variants, t)
		count[parenthesized(t.model, out[i])]++
	}
	for i, t := range variants {
		if count[parenthesized(t.model, out[i])] > 1 {
			out[i] = append(distinguishing(variants, t), t.run)
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

// distinguishing returns the details of one variant that not all variants of its
// model share.
func distinguishing(variants []variant, v variant) []string {
	var out []string
	for _, d := range v.details {
		if slices.ContainsFunc(variants, func(t variant) bool {
			return t.model == v.model && !slices.Contains(t.details, d)
		}) {
			out = append(out, d)
		}
	}
	return out
}

// player lists what is said about the player of a row besides the model's name. A
// preset says how to play, and stands beside the environment.
func (r row) player() []string {
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

// parts are those of the protocol by which a served model played.
func (r row) parts() []protocol.Part {
	out := slices.Concat(protocol.Setup(r.Condition, r.Environment), protocol.Player(r.Condition),
		[]protocol.Part{protocol.Prompt(r.Condition, r.promptFile)})
	if p, ok := protocol.Template(r.server); ok {
		out = append(out, p)
	}
	return out
}

// setting lists what a condition says about the environment besides its name.
func (r row) setting() []string {
	return append([]string{fmt.Sprintf("%s tasks", r.Condition.Source)},
		protocol.Labels(protocol.Setup(r.Condition, r.Environment))...)
}

// prompts says which prompts rows had whose model played the same with several.
// Under different perturbations prompts differ anyway.
func prompts(rows []row) []string {
	type combination struct{ model, place, perturbation string }
	used := map[combination][]string{}
	key := func(r row) combination { return combination{r.model, r.place(), r.Condition.Perturbation} }
	for _, r := range rows {
		used[key(r)] = appendNew(used[key(r)], r.prompt())
	}
	return notesOn(rows, func(r row) string {
		if len(used[key(r)]) > 1 {
			return r.prompt()
		}
		return ""
	})
}

// prompt names the prompts of a row's model.
func (r row) prompt() string {
	text := fmt.Sprintf("prompt %.8s", r.Condition.PromptHash)
	if t := r.Condition.Trials; t != nil && t.Memory > 0 {
		text += fmt.Sprintf(", reflection prompt %.8s, reflections of %d tokens", t.PromptHash, t.Decoding.MaxTokens)
	}
	return text
}
