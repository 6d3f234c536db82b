package report

import (
	_ "embed" // for the kinds
	"fmt"
	"slices"
	"strings"
	"sync"

	"heldout/envs/datafile"
	"heldout/envs/spelling"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Kind is a kind of table.
type Kind struct {
	// ID is the name by which readers ask for it.
	ID, Title string
	// Of is the table whose view it is: it has the same rows divided in another way, or says
	// more of them. It is empty for the others, which errors and --help name.
	Of string
	// Only says which runs alone have it; empty if all can.
	Only Only
	// First: readers get it who ask for no table.
	First bool
	// Request: only readers who ask for it by its name get it.
	Request bool
	// Section is where the page of a report has it, Late behind the others there; empty
	// if the page has its numbers with figures.
	Section string
	Late    bool
	// Heads names its columns, as column.Heads reads them. Extra are columns that depend on what was played.
	Heads string `yaml:"columns"`
	Extra string
	// Steps: it is made from the steps of episodes, not from their results alone.
	Steps bool
	// Lacks says why runs may have no rows for it, Legend how to read it.
	Lacks, Legend string

	make maker
}

// maker makes the tables of a kind, of which blank has the columns.
type maker func(report *Report, blank table.Table) []table.Table

// single makes a kind of one table by what fills it.
func single(fill func(*Report, *table.Table)) maker {
	return func(report *Report, t table.Table) []table.Table {
		fill(report, &t)
		return []table.Table{t}
	}
}

// Columns are the columns of the table. Those of environments and of conditions of sweeps are not among them.
func (k Kind) Columns() []table.Column { return column.Heads(k.Heads) }

// Only says which runs alone have a table.
type Only string

// The runs that alone have some tables.
const (
	Sweeps   Only = "sweeps"
	Families Only = "sweeps of families"
	Trials   Only = "several trials"
	Presets  Only = "presets"
	Seeds    Only = "several seeds"
	Pairs    Only = "two models or more"
)

//go:embed facts.yaml
var factsText []byte

// facts are what facts.yaml says, key by key.
var facts = datafile.Embedded[struct {
	Environments map[string]struct {
		Kinds string
		Tasks int
	}
	Questions map[stats.Question]struct{ Population, Interval, Difference string }
	Outcomes  []struct {
		Outcome          record.Outcome
		Singular, Plural string
	}
	Get     map[Only]string
	Merged  map[string]string
	Columns []PaperColumn
}](factsText)

// Suit reports one of these tables that a run will not have. met says what it will have.
func Suit(ids []string, met map[Only]bool) error {
	for _, id := range ids {
		k, _ := Find(id)
		only := k.Only
		if facts().Merged[id] == "verdict" {
			only = Pairs
		}
		if present, ok := met[only]; ok && !present {
			return fmt.Errorf(facts().Get[only], id)
		}
	}
	return nil
}

// makers make the tables of a kind, by its ID.
var makers = map[string]maker{
	"headline":            single(headline),
	"verdict":             single(verdict),
	"paper":               single(paper),
	"paper-robustness":    paperRobustness,
	"paper-best-of":       single(paperBestOf),
	"presets":             single(presets),
	"presets-published":   single(presetsPublished),
	"indices":             single(indices),
	"dose":                single(doses),
	"families":            single(families),
	"old-forms":           single(oldForms),
	"results":             results,
	"difficulty":          single(difficulty),
	"abilities":           single(abilities),
	"trainings":           single(trainings),
	"trainings-paired":    single(trainingsPaired),
	"robustness":          robustness,
	"change":              changes,
	"pass-at-k":           single(passAtK),
	"best-of-paired":      single(bestOfPaired),
	"trials":              single(trials),
	"trials-cost":         single(trialCosts),
	"trials-paired":       single(trialsPaired),
	"refinement":          single(refinementShort),
	"refinement-measures": single(refinementMeasures),
	"refinement-paired":   single(refinementPaired),
	"kinds":               kindTables,
	"rates":               single(rateLines),
	"tasks":               single(byTask),
	"seeds":               single(bySeed),
	"steps":               single(byStep),
	"cost":                single(cost),
	"usage":               single(usage),
	"endings":             single(endings),
	"lost-steps":          single(lostSteps),
	"notes":               single(allNotes),
}

//go:embed tables.yaml
var tablesText []byte

// described are all kinds as tables.yaml describes them, in the order in which they are printed.
var described = datafile.Embedded[[]Kind](tablesText)

// description is a kind without what makes its tables.
func description(id string) Kind {
	return described()[slices.IndexFunc(described(), func(k Kind) bool { return k.ID == id })]
}

// legend says how to read a table.
func legend(t *table.Table) string { return description(t.ID).Legend }

// Kinds are all kinds that readers can ask for, with what makes them. They are shared: nobody changes them.
var Kinds = sync.OnceValue(func() []Kind {
	list := slices.Clone(described())
	for i := range list {
		list[i].make = makers[list[i].ID]
	}
	return list
})

// In lists the kinds that a section of the page of a report has.
func In(section string) []Kind {
	part := func(late bool) []Kind {
		return table.Filter(Kinds(), func(k Kind) bool { return k.Section == section && k.Late == late })
	}
	return slices.Concat(part(false), part(true))
}

// NeedSteps reports whether any of these tables is made from the steps of episodes; without IDs those that need not
// be asked for. Runs that alone have a table have its steps in any case (scoring.ReadResults).
func NeedSteps(ids []string) bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool {
		requested := slices.ContainsFunc(ids, func(id string) bool {
			kind, _ := Find(id)
			return kind.ID == k.ID || id == EveryTable || id == AllTables && !k.Request
		})
		return k.Steps && (requested || len(ids) == 0 && k.First && k.Only == "")
	})
}

// IDs lists the tables that readers can ask for. "results" also stands for the tables
// of environments with other names for their rates, such as "results-EM-F1".
func IDs() []string { return table.Keys(Kinds(), func(k Kind) string { return k.ID }) }

// Find returns the kind of the table with that ID.
func Find(id string) (Kind, bool) {
	if now, ok := facts().Merged[id]; ok {
		id = now
	}
	for _, k := range Kinds() {
		if id == k.ID || k.ID == "results" && strings.HasPrefix(id, "results-") {
			return k, true
		}
	}
	return Kind{}, false
}

// Check reports a table that nobody can ask for.
func Check(ids []string) error {
	for _, id := range ids {
		if _, ok := Find(id); id != AllTables && id != EveryTable && !ok {
			return fmt.Errorf("unknown table %q%s; there are %s", id, spelling.Hint(id, IDs()), Names())
		}
	}
	return nil
}

// Names names the tables that readers can ask for, without views of others.
func Names() string {
	names := table.Each(Views(""), func(k Kind) string { return k.ID })
	return strings.Join(append(names, AllTables, EveryTable), ", ") + "; views of them: heldout help tables"
}

// Views are the views of a table.
func Views(id string) []Kind {
	return table.Filter(Kinds(), func(k Kind) bool { return k.Of == id })
}
