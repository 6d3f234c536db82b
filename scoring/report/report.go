// Package report decides which tables a reader gets: from the scores of one or
// several runs, and published results beside them.
package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// NamedRun holds a run directory's scores, with a name that distinguishes it from other runs.
type NamedRun struct {
	Name   string
	Scores []*scoring.Score
	// Manifest describes the run. Names, prices and held-in environments that the user gives
	// now are merged into it, by specification, name of the server or run directory.
	record.Manifest
	Absent []record.Shard // the shards that no directory has
	// Run has the attempts that count; nil for a folder of AgentBoard's logs.
	Run *scoring.Run
	// PresetResults asks for published results of presets that the run changed, too.
	PresetResults bool
	// Board: the run is a folder of AgentBoard's logs. Notes say where its files disagree.
	Board bool
	Notes []string
}

// Baseline is a published table to show next to the runs. Its columns are
// environments, or conditions of one environment.
type Baseline struct {
	Name   string // of the file
	Source configs.Published
	Table  configs.PublishedTable
}

// Report makes the tables of runs, and of published results beside them. A table is
// made when it is asked for. The same runs give the same tables.
type Report struct {
	Runs []NamedRun
	// First says what the first table has.
	First First

	baselines []Baseline // of one try
	bests     []Baseline // of the best of several tries
	weights   configs.Weights

	allRows []row         // of all episodes
	rows    []row         // but those under perturbations of families: there may be dozens for each model
	tried   []row         // of these the ones with several trials
	plain   []row         // of episodes without a perturbation
	places  []claim.Scope // of the last

	// What several tables are made from.
	families func() []*perturbedPlayer

	standing func() *standing
	swept    func() []sweptPlace

	checkpoints []string // in their order
	only        []string // environments of a part; empty for all
	cache       map[string][]table.Table
}

// New returns the report of runs, with published results beside them.
func New(runs []NamedRun, baselines []Baseline, w configs.Weights) *Report {
	r := &Report{Runs: runs, weights: w, allRows: newRows(runs), cache: map[string][]table.Table{}}
	r.rows = table.Filter(r.allRows, func(entry row) bool { return entry.about == nil || !combines(*entry.about) })
	r.tried = table.Filter(r.rows, func(entry row) bool { return entry.Condition.Trials != nil })
	r.plain = plainRows(r.allRows)
	r.places = placesOf(runs, r.plain)
	r.bests = table.Filter(baselines, func(b Baseline) bool { return b.Table.HasBestOf() })
	r.baselines = table.Filter(baselines, func(b Baseline) bool { return !b.Table.HasBestOf() })
	r.families = sync.OnceValue(func() []*perturbedPlayer { return perturbedPlayers(r.allRows) })

	r.swept = sync.OnceValue(func() []sweptPlace { return sweptPlaces(r.rows) })
	r.standing = sync.OnceValue(func() *standing { return stand(r) })
	return r
}

// Places lists the environments or presets of the unperturbed episodes, in the order of the runs.
func (r *Report) Places() []string {
	return table.Keys(r.places, func(p claim.Scope) string { return p.Name })
}

// Tables returns the tables of a kind; none if the runs have nothing for it. Of a part of a report, they have the rows
// of its environments; all rows if a table has no environments.
func (r *Report) Tables(kind string) (out []table.Table) {
	k, ok := Find(kind)
	if !ok || k.ID != kind {
		return nil
	}
	for _, t := range r.tables(k) {
		if len(t.Rows)+len(t.Notes) == 0 {
			continue
		}
		index := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == column.Environment.Key })
		if index >= 0 && len(r.only) > 0 {
			t.Rows = table.Filter(t.Rows, func(row []table.Cell) bool {
				return slices.Contains(r.only, row[index].Text)
			})
		}
		out = append(out, t)
	}
	return out
}

// Part returns the part of the report with those environments, which the runs must have.
func (r *Report) Part(environments []string) (*Report, error) {
	for _, name := range environments {
		if name != column.HeldOutScore && !slices.ContainsFunc(r.allRows, func(entry row) bool {
			return name == entry.place.Name || name == entry.Condition.Env
		}) {
			return nil, fmt.Errorf("the runs have no environment %q", name)
		}
	}
	part := *r
	part.only = environments
	return &part, nil
}

// tables returns the tables of a kind, also those without content.
func (r *Report) tables(k Kind) []table.Table {
	tables, ok := r.cache[k.ID]
	if ok {
		return tables
	}
	for _, t := range k.make(r, table.Table{ID: k.ID, Title: k.Title, Columns: k.Columns()}) {
		if k.Only != Trials && k.ID != "headline" && len(t.Rows) > 0 {
			t.Notes = append(t.Notes, firstTrial(r.rows)...)
		}
		if k.ID != "headline" && k.ID != "notes" && len(t.Rows) > 0 { // which have it among others
			t.Notes = append(t.Notes, external(r.rows)...)
		}
		for i := range t.Programs {
			t.Programs[i].Notes = append(t.Programs[i].Notes, external(r.rows)...)
		}
		tables = append(tables, t)
	}
	r.cache[k.ID] = tables
	return tables
}

// AllTables stands for all tables but those that readers get only by their names.
const AllTables = "all"

// EveryTable stands for all tables that the runs have.
const EveryTable = "every"

// Select returns the tables with these IDs, in their order. The ID of a kind stands for
// all its tables. Without IDs it returns those that need not be asked for; if the runs have
// none, because a perturbation was drawn for every task, the results.
func (r *Report) Select(ids []string) (out []table.Table, err error) {
	every := slices.Contains(ids, EveryTable)
	if full := every || slices.Contains(ids, AllTables); len(ids) == 0 || full {
		for _, k := range Kinds() {
			if every || full && !k.Request || !full && k.First && slices.Contains(firsts(r), k.Only) {
				out = append(out, r.Tables(k.ID)...)
			}
		}
		if len(out) == 0 {
			out = r.Tables("results")
		}
		var notes []string
		for i := range out {
			if !full { // one screen says a note once
				out[i].Notes = table.Filter(out[i].Notes, func(note string) bool {
					return !slices.Contains(notes, note)
				})
			}
			notes = append(notes, out[i].Notes...)
		}
		return out, nil
	}
	for _, id := range ids {
		found := tablesNamed(r, id)
		if len(found) == 0 {
			return nil, r.noTable(id)
		}
		for _, t := range found { // a table has several names
			if !slices.ContainsFunc(out, func(o table.Table) bool { return o.ID == t.ID && o.Title == t.Title }) {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

// question is the kind of tables that answers the primary question: the tables of runs
// under perturbations or with several trials, or of all runs, for which it is empty.
func question(r *Report) Only {
	switch {
	case len(r.families()) > 0:
		return Families
	case len(r.swept()) > 0:
		return Sweeps
	case len(retriesOf(r.tried)) > 0:
		return Trials
	}
	return ""
}

// firsts are the kinds of tables that readers get who ask for none. Places without
// perturbations have their rates beside a sweep.
func firsts(r *Report) []Only {
	question := question(r)
	swept := func(place claim.Scope) bool {
		return slices.ContainsFunc(r.swept(), func(p sweptPlace) bool { return p.env == place.Name })
	}
	if question == Sweeps && slices.ContainsFunc(r.places, func(p claim.Scope) bool { return !swept(p) }) {
		return []Only{question, Presets, ""}
	}
	return []Only{question, Presets, Trials}
}

// tablesNamed returns the tables that a reader asked for. They say so if there are no results.
func tablesNamed(r *Report, id string) (out []table.Table) {
	k, ok := Find(id)
	if !ok {
		return nil
	}
	nothing := k.Request && len(r.plain) > 0 && !slices.ContainsFunc(r.plain,
		func(r row) bool { return r.Finished > 0 })
	for _, t := range r.tables(k) {
		if nothing && len(t.Rows) == 0 {
			t.Notes = append(t.Notes, "No episode has a result.")
		}
		if (id == k.ID || id == t.ID || facts().Merged[id] == k.ID) && len(t.Rows)+len(t.Notes) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// noTable says why the runs may have no such table, and which they have.
func (r *Report) noTable(id string) error {
	lacks := ""
	if k, _ := Find(id); k.Lacks != "" {
		lacks = ": " + k.Lacks
	}
	var ids []string
	for _, k := range Kinds() {
		ids = append(ids, table.Each(r.Tables(k.ID), func(t table.Table) string { return t.ID })...)
	}
	return fmt.Errorf("these runs have no table %q%s; they have %s", id, lacks, strings.Join(ids, ", "))
}

// noPerturbation is the name of the perturbation of unperturbed episodes.
const noPerturbation = "none"

// envCol says where a row was played, modelCol by whom.
func (r row) envCol() table.Field   { return column.Environment.Val(r.place.Name) }
func (r row) modelCol() table.Field { return column.Model.Val(r.name) }

// tasksOf says which tasks a score was made on.
func tasksOf(s *scoring.Score) string {
	e := s.Environment
	switch n := len(e.Tasks); {
	case s.Outside > 0 && s.Outside < n:
		return fmt.Sprintf("%d outside the benchmark, %d of %d %s", s.Outside, n-s.Outside, e.Total, e.Source)
	case s.Outside > 0:
		return fmt.Sprintf("%d outside the benchmark", s.Outside)
	case n < e.Total:
		return fmt.Sprintf("%d of %d %s", len(e.Tasks), e.Total, e.Source)
	}
	return fmt.Sprintf("%d %s", e.Total, e.Source)
}

// share is a share of a row, rated a rate with its interval.
func (r row) share(c table.Col[float64], v float64) table.Field { return c.Val(v).Marked(r.marks) }

func (r row) rated(c table.Bounded, e scoring.Estimate) table.Field {
	return rated(c, e).Marked(r.marks)
}

// rated is an estimate with its interval.
func rated(c table.Bounded, e scoring.Estimate) table.Field {
	if e.Interval == nil {
		return c.Val(e.Mean, math.NaN(), math.NaN())
	}
	return c.Val(e.Mean, e.Interval.Low, e.Interval.High)
}
