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

// presetRow is a preset of the runs.
type presetRow struct {
	record.Protocol
	definition configs.Preset
	chosen     bool // for published results also if the run changed the preset
}

// protocols are the presets of runs by key.
func protocols(runs []NamedRun) map[string]presetRow {
	out := map[string]presetRow{}
	for _, run := range runs {
		for _, p := range run.Protocols {
			entry := presetRow{Protocol: p, chosen: run.PresetResults}
			if err := json.Unmarshal(p.Definition, &entry.definition); err != nil {
				continue // the record was checked when it was read
			}
			out[p.Key()] = entry
		}
	}
	return out
}

// presetRows returns the rows with presets.
func presetRows(rows []row, runs []NamedRun) []row {
	byKey := protocols(runs)
	return table.Filter(rows, func(r row) bool {
		_, ok := byKey[r.Condition.Preset.Key()]
		return ok
	})
}

// metric is the value of a row's preset.
func (p presetRow) metric(s *scoring.Score) scoring.Rate {
	return s.Metric(p.definition.Metric.Aggregate == "mean-over-types")
}

// presets has a row for every preset and model.
func presets(report *Report, t *table.Table) {
	rows, byKey := presetRows(report.plain, report.Runs), protocols(report.Runs)
	var looser []string
	for _, r := range rows {
		p := byKey[r.Condition.Preset.Key()]
		line := []table.Field{
			column.Preset.Val(r.place.Name), column.SHA256.Val(p.SHA256), column.TaskSet.Val(tasksOf(r.Score)),
			r.modelCol(),
			column.Metric.Val(p.definition.Metric.Primary),
			r.rated(column.MetricValue, p.metric(r.Score).Estimate), r.share(column.Success.Col, r.Success.Mean),
			column.Seeds.Val(r.SeedCount()),
		}
		if p.definition.Metric.Loose != "" {
			line = append(line, column.LooseSuccess.Val(r.Loose().Mean))
			looser = []string{"Loose: the success of the protocol's source, which counts episodes that ended " +
				"before the step limit (done), or only those of them with a score above 0 (done-and-positive), " +
				"also if a mistake or doing nothing ended them."}
		}
		t.Add(line...)
	}
	if looser == nil {
		*t = t.Without(column.LooseSuccess)
	}
	annotate(t, legend(t), looser, aboutNotes(rows),
		presetNotes(rows, byKey), incomplete(rows))
}

// presetsPublished has the published results of the rows' presets, except of those that the run changed.
func presetsPublished(report *Report, t *table.Table) {
	byKey := protocols(report.Runs)
	done := map[string]bool{}
	for _, r := range presetRows(report.plain, report.Runs) {
		p := byKey[r.Condition.Preset.Key()]
		results, err := configs.LoadPresetResults(p.definition.Name)
		rows := results.ForPart(p.definition.Env.Part)
		if err != nil || len(rows) == 0 || done[p.Name] || len(p.Changes) > 0 && !p.chosen { // a test reads all results
			continue
		}
		done[p.Name] = true
		if len(p.Changes) > 0 {
			t.Notes = append(t.Notes, p.Name+" was changed, so these results do not compare with the run: "+
				strings.Join(p.Changes, "; ")+".")
		}
		for _, published := range rows {
			t.Add(column.Preset.Val(p.Name), column.Model.Val(published.Model),
				column.Printed.Val(published.Value).WithText(asPrinted(&published.Value).Text),
				column.ResultKind.Val(cmp.Or(published.Kind, "authors")), column.ReadIn.Val(published.Mark),
				column.ResultPlace.Val(published.Source))
		}
		for _, note := range results.Notes {
			t.Notes = append(t.Notes, p.Name+": "+note)
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = slices.Insert(t.Notes, 0, legend(t))
	}
}

// presetNotes say what each preset is and what the run changed.
func presetNotes(rows []row, byKey map[string]presetRow) []string {
	return grouped(rows, placeOf, func(r row) string {
		p := byKey[r.Condition.Preset.Key()]
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
