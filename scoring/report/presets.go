package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/scoring"
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
	if r.Outside > 0 {
		return r.Condition.Env + " (other tasks)"
	}
	return r.Condition.Env
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

// presetTable has a row for every preset and model.
func presetTable(from *Report) table.Table {
	rows, known := from.presets(), protocols(from.Runs)
	t := table.Table{ID: "presets", Title: "Presets", Columns: []table.Column{
		{Key: "preset", Header: "Preset", Left: true}, {Key: "sha256", Header: "SHA-256", Left: true, Detail: true},
		{Key: "tasks", Header: "Tasks", Left: true}, {Key: "model", Header: "Model", Left: true},
		{Key: "metric", Header: "Metric", Left: true},
		{Key: "value", Header: "Value"}, {Key: "low", Header: "95% low"}, {Key: "high", Header: "high", Upper: true},
		{Key: "success", Header: "SR"}, {Key: "loose_success", Header: "Loose"}, {Key: "seeds", Header: "Seeds", Detail: true},
	}}
	loose := false
	for _, r := range rows {
		p := known[r.Condition.Preset.Key()]
		rate := p.metric(r.Score)
		low, high := interval(rate.Estimate)
		cells := []table.Cell{
			table.String(r.place()), table.String(p.SHA256), table.String(r.tasks()), table.String(r.name), table.String(p.definition.Metric.Primary),
			r.mark(table.Percent(rate.Mean)), low, high, r.mark(table.Percent(r.Success.Mean)), table.None(), table.Int(len(r.Seeds)),
		}
		if p.definition.Metric.Loose != "" {
			loose = true
			cells[9] = table.Percent(r.Loose().Mean)
		}
		t.Rows = append(t.Rows, cells)
	}
	if len(t.Rows) == 0 {
		return t
	}
	if !loose {
		t.Columns = slices.Delete(t.Columns, 9, 10)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], 9, 10)
		}
	}
	t.Notes = append(t.Notes, "Value: the preset's metric, in percent of the highest score; SR: strict success. Rows of different presets do not rank against each other. By task type: --table kinds.")
	if loose {
		t.Notes = append(t.Notes, "Loose: the success of the protocol's source, which counts episodes that ended before the step limit (done), or only those of them with a score above 0 (done-and-positive), also if a mistake or doing nothing ended them.")
	}
	t.Notes = append(t.Notes, aboutNotes(rows)...)
	t.Notes = append(t.Notes, presetNotes(rows, known)...)
	t.Notes = append(t.Notes, incomplete(rows)...)
	return t
}

// presetPublished has the published results of the rows' presets, except of those
// that the run changed.
func presetPublished(from *Report) table.Table {
	known := protocols(from.Runs)
	t := table.Table{ID: "presets-published", Title: "Published results of these presets", Columns: []table.Column{
		{Key: "preset", Header: "Preset", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "value", Header: "Value"},
		{Key: "kind", Header: "Kind", Left: true}, {Key: "mark", Header: "Read in", Left: true}, {Key: "source", Header: "Source", Left: true},
	}}
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
			t.Notes = append(t.Notes, p.Name+" was changed, so these results do not compare with the run: "+strings.Join(p.Changes, "; ")+".")
		}
		for _, published := range of {
			t.Rows = append(t.Rows, []table.Cell{
				table.String(p.Name), table.String(published.Model), asPrinted(&published.Value), table.String(cmp.Or(published.Kind, "authors")),
				table.String(published.Mark), table.String(published.Source),
			})
		}
		for _, note := range results.Notes {
			t.Notes = append(t.Notes, p.Name+": "+note)
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = slices.Insert(t.Notes, 0, "Value: the preset's metric, in percent as printed. authors: by those who made the model or quoted by others; reproduction: by somebody else.")
	}
	return t
}

// presetNotes say what each preset is and what the run changed.
func presetNotes(rows []row, known map[string]protocol) []string {
	return grouped(rows, row.place, func(r row) string {
		p := known[r.Condition.Preset.Key()]
		text := fmt.Sprintf("%s, %s", p.definition.Title, p.definition.Status)
		if len(p.Changes) > 0 {
			return text + "; changed, so it does not compare with results of the preset: " + strings.Join(p.Changes, "; ")
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

// protocolSpread says for each model and environment how far the success rates of
// presets are apart: how much of a score is protocol.
func protocolSpread(from *Report) table.Table {
	t := table.Table{ID: "protocols", Title: "How much of a score is protocol", Columns: []table.Column{
		{Key: "model", Header: "Model", Left: true}, {Key: "environment", Header: "Environment", Left: true}, {Key: "presets", Header: "Presets"},
		{Key: "lowest", Header: "Lowest", Left: true}, {Key: "lowest_success", Header: "SR"},
		{Key: "highest", Header: "Highest", Left: true}, {Key: "highest_success", Header: "SR"}, {Key: "range", Header: "Range"},
	}}
	type player struct{ model, env string }
	var order []player
	by := map[player][]row{}
	for _, r := range from.presets() {
		p := player{r.Condition.Model, r.Condition.Env}
		if by[p] == nil {
			order = append(order, p)
		}
		by[p] = append(by[p], r)
	}
	for _, p := range order {
		of := by[p]
		if len(of) < 2 {
			continue
		}
		bySuccess := func(a, b row) int { return cmp.Compare(a.Success.Mean, b.Success.Mean) }
		low, high := slices.MinFunc(of, bySuccess), slices.MaxFunc(of, bySuccess)
		t.Rows = append(t.Rows, []table.Cell{
			table.String(p.model), table.String(p.env), table.Int(len(of)),
			table.String(low.Condition.Preset.Name), low.mark(table.Percent(low.Success.Mean)),
			table.String(high.Condition.Preset.Name), high.mark(table.Percent(high.Success.Mean)), table.Points(high.Success.Mean - low.Success.Mean),
		})
	}
	if len(t.Rows) > 0 {
		t.Notes = []string{"One model under several presets: SR strict success in percent, Range in percentage points. Presets differ in tasks, limits, prompts and decoding: heldout preset diff A B."}
	}
	return t
}
