package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/record"
)

// row is a score with its run and its name in tables.
type row struct {
	*scoring.Score
	// run is the label of the run in that directory.
	run, directory string
	name           string
	// short is the name among rows of the same perturbation.
	short string
	sweep *record.Sweep // of the run, nil if the run is not a sweep
}

// newRows lists the scores of runs by environment and gives them distinct names.
// It lists either the scores of perturbed tasks or only the others.
func newRows(runs []Run, perturbed bool) []row {
	var rows []row
	labels := label(runs)
	for i, run := range runs {
		for _, s := range run.Scores {
			if !perturbed && s.Condition.Perturbation != noPerturbation {
				continue
			}
			rows = append(rows, row{Score: s, run: labels[i], directory: run.Name, sweep: run.Sweep})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Condition.Env, b.Condition.Env), cmp.Compare(a.Condition.Preset.Key(), b.Condition.Preset.Key()))
	})
	for rest := rows; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(r row) bool { return r.place() != rest[0].place() })
		if n < 0 {
			n = len(rest)
		}
		nameRows(rest[:n])
		rest = rest[n:]
	}
	return rows
}

// nameRows names the rows of one environment.
func nameRows(rows []row) {
	var things []thing
	for i, details := range prompts(rows) {
		c := rows[i].Condition
		things = append(things, thing{c.Model, slices.Concat(playedBy(c), setting(c), details), rows[i].run})
	}
	for i, name := range tellApart(things) {
		rows[i].name = name
	}
	for i, r := range rows {
		var alike []thing
		at := 0
		for j, other := range rows {
			if other.Condition.Perturbation == r.Condition.Perturbation {
				if j == i {
					at = len(alike)
				}
				alike = append(alike, things[j])
			}
		}
		rows[i].short = tellApart(alike)[at]
	}
}

// thing is something that is named after its model.
type thing struct {
	model   string
	details []string // that may distinguish it from others of its model
	run     string   // distinguishes it if the details do not
}

// tellApart gives things distinct names. The name is the model if the model has
// only one thing. Otherwise the name also has the details that other things of
// the model do not share, and the run if those details are not enough.
func tellApart(things []thing) []string {
	names := make([]string, len(things))
	count := map[string]int{}
	for i, t := range things {
		names[i] = parenthesized(t.model, distinguishing(things, t))
		count[names[i]]++
	}
	for i, t := range things {
		if count[names[i]] > 1 {
			names[i] = parenthesized(t.model, append(distinguishing(things, t), t.run))
		}
	}
	return names
}

func parenthesized(name string, details []string) string {
	if len(details) == 0 {
		return name
	}
	return name + " (" + strings.Join(details, ", ") + ")"
}

// distinguishing returns the details of one thing that not all things of its
// model share.
func distinguishing(things []thing, of thing) []string {
	var out []string
	for _, d := range of.details {
		if slices.ContainsFunc(things, func(t thing) bool { return t.model == of.model && !slices.Contains(t.details, d) }) {
			out = append(out, d)
		}
	}
	return out
}

// playedBy lists what a condition says about the player besides the model's name.
// It is the same in every environment.
func playedBy(c record.Condition) []string {
	out := []string{"agent " + c.Agent}
	if d := c.Decoding; d != nil {
		out = append(out, fmt.Sprintf("temperature %g", d.Temperature), fmt.Sprintf("top-p %g", d.TopP),
			fmt.Sprintf("max-tokens %d", d.MaxTokens), fmt.Sprintf("stop %q", d.Stop), "extra-body "+compact(d.Extra))
	}
	if c.NoSystemRole {
		out = append(out, "no system role")
	}
	if c.Completions {
		out = append(out, "completions")
	}
	if t := c.Trials; t != nil {
		out = append(out, fmt.Sprintf("%d trials", t.Most), fmt.Sprintf("memory %d", t.Memory), fmt.Sprintf("same action %d", t.SameAction), fmt.Sprintf("same step %d", t.SameStep))
	}
	if c.Context > 0 {
		return append(out, fmt.Sprintf("context %d", c.Context))
	}
	return append(out, "context of the server")
}

// setting lists what a condition says about the environment besides its name.
func setting(c record.Condition) []string {
	out := []string{fmt.Sprintf("%s tasks", c.Source), fmt.Sprintf("%d steps", c.StepLimit), "perturbation " + c.Perturbation}
	for _, k := range slices.Sorted(maps.Keys(c.Settings)) {
		out = append(out, k+" "+c.Settings[k])
	}
	return out
}

// prompts lists what rows say about their prompts: those of which a model played
// the same perturbation with several. Under different perturbations prompts differ
// anyway.
func prompts(rows []row) [][]string {
	type played struct{ model, perturbation, prompt string }
	used := map[played]map[string]bool{}
	each := func(visit func(i int, of played, value string)) {
		for i, r := range rows {
			of := played{model: r.Condition.Model, perturbation: r.Condition.Perturbation}
			of.prompt = "prompt"
			visit(i, of, fmt.Sprintf("prompt %.8s", r.Condition.PromptHash))
			if t := r.Condition.Trials; t != nil && t.Memory > 0 {
				of.prompt = "reflection"
				visit(i, of, fmt.Sprintf("reflection prompt %.8s, reflections of %d tokens", t.PromptHash, t.Decoding.MaxTokens))
			}
		}
	}
	each(func(_ int, of played, value string) {
		if used[of] == nil {
			used[of] = map[string]bool{}
		}
		used[of][value] = true
	})
	out := make([][]string, len(rows))
	each(func(i int, of played, value string) {
		if len(used[of]) > 1 {
			out[i] = append(out[i], value)
		}
	})
	return out
}

// compact writes fields of a request body.
func compact(fields map[string]any) string {
	if len(fields) == 0 {
		return "{}"
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return fmt.Sprint(fields) // fields that were read from a file can always be encoded
	}
	return string(b)
}
