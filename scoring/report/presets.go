package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// place says where the rates of a row were reached: the preset, or the
// environment if there is none, and whether on tasks outside its benchmark. Rows of
// different places are never compared.
func (r row) place() string {
	if p := r.Condition.Preset; p != nil {
		return p.Label()
	}
	return r.Where()
}

func (r row) environment() string { return r.Condition.Env }

// comparesAcross reports whether a row may stand beside results of other
// environments in the held-out score: on tasks of the benchmark, without a preset or
// with AgentRefine's.
func (r row) comparesAcross() bool {
	p := r.Condition.Preset
	return p == nil && r.Outside == 0 || p != nil && strings.HasPrefix(p.Name, "agentrefine@1:") && len(p.Changes) == 0
}

// protocol is a preset of the runs.
type protocol struct {
	record.Protocol
	definition configs.Preset
	asked      bool // for published results also if the run changed the preset
}

// protocols are the presets of runs by key.
func protocols(runs []Run) map[string]protocol {
	out := map[string]protocol{}
	for _, run := range runs {
		for _, p := range run.Protocols {
			known := protocol{Protocol: p, asked: run.PresetResults}
			if err := json.Unmarshal(p.Definition, &known.definition); err != nil {
				continue // the record was checked when it was read
			}
			out[p.Key()] = known
		}
	}
	return out
}

// presetRows returns the rows with presets.
func presetRows(rows []row, runs []Run) []row {
	known := protocols(runs)
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool {
		_, ok := known[r.Condition.Preset.Key()]
		return !ok
	})
}

// metric is the value of a row's preset.
func (p protocol) metric(s *scoring.Score) scoring.Rate {
	return s.Metric(p.definition.Metric.Aggregate == "mean-over-types")
}

// presets has a row for every preset and model.
func presets(from *Report, t *table.Table) {
	rows, known := from.presets(), protocols(from.Runs)
	loose := slices.ContainsFunc(rows, func(r row) bool {
		return known[r.Condition.Preset.Key()].definition.Metric.Loose != ""
	})
	if !loose {
		t.Drop(column.LooseSuccess)
	}
	for _, r := range rows {
		p := known[r.Condition.Preset.Key()]
		line := []table.Field{
			column.Preset.Is(r.place()), column.SHA256.Is(p.SHA256), column.TaskSet.Is(r.tasks()), r.who(),
			column.Metric.Is(p.definition.Metric.Primary),
			r.rated(column.MetricValue, p.metric(r.Score).Estimate), r.share(column.Success.Of, r.Success.Mean),
			column.Seeds.Is(len(r.Seeds)),
		}
		if p.definition.Metric.Loose != "" {
			line = append(line, column.LooseSuccess.Is(r.Loose().Mean))
		}
		t.Add(line...)
	}
	var looser []string
	if loose {
		looser = []string{"Loose: the success of the protocol's source, which counts episodes that ended before the step " +
			"limit (done), or only those of them with a score above 0 (done-and-positive), also if a mistake or doing " +
			"nothing ended them."}
	}
	annotate(t, "Value: the preset's metric, in percent of the highest score; SR: strict success. Rows of different "+
		"presets do not rank against each other. By task type: --table kinds.", looser, aboutNotes(rows),
		presetNotes(rows, known), incomplete(rows))
}

// presetsPublished has the published results of the rows' presets, except of those
// that the run changed.
func presetsPublished(from *Report, t *table.Table) {
	known := protocols(from.Runs)
	seen := map[string]bool{}
	for _, r := range from.presets() {
		p := known[r.Condition.Preset.Key()]
		results, err := configs.LoadPresetResults(p.definition.Name)
		of := results.Of(p.definition.Env.Part)
		if err != nil || len(of) == 0 || seen[p.Name] || len(p.Changes) > 0 && !p.asked { // a test reads all results
			continue
		}
		seen[p.Name] = true
		if len(p.Changes) > 0 {
			t.Notes = append(t.Notes, p.Name+" was changed, so these results do not compare with the run: "+
				strings.Join(p.Changes, "; ")+".")
		}
		for _, published := range of {
			t.Add(column.Preset.Is(p.Name), column.Model.Is(published.Model),
				column.Printed.Is(published.Value).Shown(asPrinted(&published.Value).Text),
				column.ResultKind.Is(cmp.Or(published.Kind, "authors")), column.ReadIn.Is(published.Mark),
				column.ResultPlace.Is(published.Source))
		}
		for _, note := range results.Notes {
			t.Notes = append(t.Notes, p.Name+": "+note)
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = slices.Insert(t.Notes, 0,
			"Value: the preset's metric, in percent as printed. authors: by those who made the model or quoted by "+
				"others; reproduction: by somebody else.")
	}
}

// presetNotes say what each preset is and what the run changed.
func presetNotes(rows []row, known map[string]protocol) []string {
	return grouped(rows, row.place, func(r row) string {
		p := known[r.Condition.Preset.Key()]
		text := fmt.Sprintf("%s, %s", p.definition.Title, p.definition.Status)
		if len(p.Changes) > 0 {
			return text + "; changed, so it does not compare with results of the preset: " +
				strings.Join(p.Changes, "; ")
		}
		if n := len(p.definition.Deviations); n > 0 {
			text += fmt.Sprintf(" (deviations: %d; heldout preset show %s)", n, p.definition.Name)
		}
		if p.Published != "" {
			text += "; published results: --baseline " + p.Published
		}
		if t := p.definition.Decoding.Template; t != "" && r.Condition.Decoding != nil {
			text += "; it expects the chat template " + t + ", and the server used its own, which may be another"
		}
		return text
	})
}
