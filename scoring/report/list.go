package report

import (
	_ "embed" // for the kinds
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"heldout/configs"
	"heldout/envs/spelling"
	"heldout/scoring/column"
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
	// Extra are columns that depend on what was played.
	Extra string
	// Steps: it is made from the steps of episodes, not from their results alone.
	Steps bool
	// Lacks says why runs may have no rows for it, Legend how to read it.
	Lacks, Legend string

	maker
}

// maker makes the tables of a kind.
type maker struct {
	columns  []table.Declared
	fill     func(*Report, *table.Table)
	buildAll func(report *Report, blank table.Table) []table.Table // of a kind of several tables
}

func cols(columns ...table.Declared) []table.Declared { return columns }

// Columns are the columns of the table. Those of environments and of conditions of sweeps are not among them.
func (k Kind) Columns() []table.Column { return table.Columns(k.columns...) }

// build makes the tables.
func (k Kind) build(report *Report) []table.Table {
	t := table.Table{ID: k.ID, Title: k.Title, Columns: k.Columns()}
	if k.buildAll != nil {
		return k.buildAll(report, t)
	}
	k.fill(report, &t)
	return []table.Table{t}
}

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

// toGet says of tables that some runs alone have how to get them.
var toGet = map[Only]string{
	Sweeps:   "only sweeps have the table %q; play one with heldout sweep",
	Families: "only sweeps of families of perturbations have the table %q; play one with heldout sweep --suite " + configs.Robust,
	Trials:   "only runs with --trials of at least 2 have the table %q",
	Presets:  "only runs with --preset have the table %q",
	Seeds:    "only runs with several --seeds have the table %q",
	Pairs:    "the table %q needs two models; name them with --model, or give several runs to heldout compare",
}

// Suit reports one of these tables that a run will not have. facts says what is known of the run.
func Suit(ids []string, facts map[Only]bool) error {
	for _, id := range ids {
		k, _ := Find(id)
		only := k.Only
		if merged[id] == "verdict" {
			only = Pairs
		}
		if present, ok := facts[only]; ok && !present {
			return fmt.Errorf(toGet[only], id)
		}
	}
	return nil
}

// makers make the tables of a kind, by its ID.
var makers = map[string]maker{
	"headline": {fill: headline, columns: cols(column.Model, column.Environment, column.Rate, column.Value,
		column.Letters, column.Tasks, column.TaskSet, column.Seeds, column.Planned, column.Finished,
		column.Preset)},
	"verdict": {fill: verdict, columns: claimColumns},
	"paper":   {fill: paper, columns: cols(column.Model, column.Seeds)},
	"paper-robustness": {buildAll: paperRobustness, columns: cols(column.Model, column.Average,
		column.Population, column.Sample)},
	"paper-best-of": {fill: paperBestOf, columns: cols(column.Model, column.Tries)},
	"presets": {fill: presets, columns: cols(column.Preset, column.SHA256, column.TaskSet, column.Model,
		column.Metric, column.MetricValue, column.Success.Col, column.LooseSuccess, column.Seeds)},
	"presets-published": {fill: presetsPublished, columns: cols(column.Preset, column.Model, column.Printed,
		column.ResultKind, column.ReadIn, column.ResultPlace)},
	"indices": {fill: indices, columns: cols(column.Environment, column.Model, column.Grade, column.Rate,
		column.Base, column.InterfaceIndex, column.ReadingIndex, column.AdaptationCost, column.Worst,
		column.InterfaceSets, column.InterfaceCounted, column.MemoriserLoss, column.ReaderLoss,
		column.ReadingSets, column.ReadingCounted, column.ReciterLoss, column.ReaderReadingLoss,
		column.Luck)},
	"dose": {fill: doses, columns: cols(column.Environment, column.Model, column.DoseGrade, column.Combined,
		column.Sets, column.Rate, column.Level)},
	"families": {fill: families, columns: cols(column.Environment, column.Model, column.Family,
		column.FamilyGrade, column.Rate, column.Level, column.Difference, column.P)},
	"old-forms": {fill: oldForms, columns: cols(column.Environment, column.Model, column.Perturbation,
		column.Actions, column.Old, column.Episodes.AsDetail(), column.Refused, column.Never,
		column.Survival[0], column.Survival[1], column.Survival[2], column.Survival[3],
		column.MedianRelearn)},
	"results": {buildAll: results, columns: cols(column.Environment, column.TaskSet, column.Model,
		column.Agent, column.Finished, column.Planned.AsDetail(), column.Success, column.Progress,
		column.Grounding, column.Seeds)},
	"difficulty": {fill: difficulty, columns: cols(column.Environment, column.Model, column.EasyTasks,
		column.EasySuccess, column.EasyProgress, column.HardTasks, column.HardSuccess, column.HardProgress)},
	"abilities": {fill: abilities, columns: cols(column.Model, column.Ability, column.Origin.AsDetail(),
		column.AbilityScore, column.Weight)},
	"trainings": {fill: trainings, columns: cols(column.Environment, column.Model, column.Perturbation,
		column.Trainings, column.Success, column.SuccessDeviation, column.Progress,
		column.ProgressDeviation)},
	"trainings-paired": {fill: trainingsPaired, columns: cols(column.Environment, column.Model,
		column.Against, column.Compared, column.SuccessChange, column.ProgressChange)},
	"robustness": {buildAll: robustness, columns: cols(column.Model, column.TaskSet, column.Rate,
		column.Average, column.Population, column.Sample)},
	"change": {buildAll: changes, columns: cols(column.Model, column.Perturbation, column.Compared,
		column.SuccessChange, column.ProgressChange)},
	"pass-at-k": {fill: passAtK, columns: cols(column.Environment, column.Model, column.Tries.Headed("k"),
		column.Pass, column.PassAll, column.BestProgress)},
	"best-of-paired": {fill: bestOfPaired, columns: cols(column.Environment, column.Model, column.Against,
		column.Tries, column.Compared, column.SuccessChange, column.ProgressChange)},
	"trials": {fill: trials, columns: cols(column.Environment, column.Model, column.Trial, column.Success,
		column.Progress, column.BestTrial)},
	"trials-cost": {fill: trialCosts, columns: cols(column.Environment, column.Model, column.Trial,
		column.Episodes, column.SolvedEpisodes, column.Same, column.Cut, column.Reflections, column.Calls,
		column.TokensIn, column.TokensOut)},
	"trials-paired": {fill: trialsPaired, columns: cols(column.Environment, column.Model, column.Against,
		column.Trial, column.Compared, column.SuccessChange, column.ProgressChange)},
	"refinement": {fill: refinementShort, columns: cols(column.Environment, column.Model, column.Refinement)},
	"refinement-measures": {fill: refinementMeasures, columns: cols(column.Environment, column.Model,
		column.Measure, column.Measured.Col, column.Unit, column.Measured.Low, column.Measured.High)},
	"refinement-paired": {fill: refinementPaired, columns: cols(column.Environment, column.Model,
		column.Measure, column.Against, column.Difference.Col, column.Unit, column.Difference.Low,
		column.Difference.High, column.P)},
	"kinds": {buildAll: kindTables, columns: cols(column.Environment, column.Model, column.Kind,
		column.KindHead, column.Tasks, column.Success, column.SuccessDeviation, column.Progress,
		column.ProgressDeviation, column.Used[0], column.Used[1], column.Used[2], column.Used[3],
		column.MetricValue)},
	"rates": {fill: rateLines, columns: cols(column.Environment, column.Model, column.Origin,
		column.TaskSet, column.Success, column.Progress)},
	"tasks": {fill: byTask, columns: cols(column.Environment, column.TaskNo, column.Task, column.Type,
		column.Model, column.Episodes, column.Success.Col, column.Progress.Col)},
	"seeds": {fill: bySeed, columns: cols(column.Environment, column.Model, column.Seed, column.Episodes,
		column.Success.Col, column.Progress.Col)},
	"steps": {fill: byStep, columns: cols(column.Environment, column.Model, column.Step, column.Success,
		column.Progress)},
	"cost": {fill: cost, columns: cols(column.Model, column.Environment, column.Calls, column.TokensIn,
		column.CachedTokens, column.TokensOut, column.ReasoningTokens, column.Dollars,
		column.DollarsPerEpisode, column.DollarsPerSolved)},
	"usage": {fill: usage, columns: cols(column.Environment, column.Model, column.Quantity, column.Episodes,
		column.Mean, column.Tenth, column.Median, column.Ninth)},
	"endings": {fill: endings, columns: cols(column.Environment, column.Model, column.Planned,
		column.SolvedEpisodes, column.EndedEarly, column.StepLimit, column.ContextExceeded,
		column.ModelError, column.AgentError, column.EnvError, column.NotRun)},
	"lost-steps": {fill: lostSteps, columns: cols(column.Environment, column.Model, column.Unsolved,
		column.Lost, column.CutOff, column.Format, column.Invalid, column.Loops, column.OtherValid)},
	"notes": {fill: allNotes},
}

//go:embed tables.yaml
var tablesText []byte

// described are all kinds as tables.yaml describes them, in the order in which they are printed.
var described = sync.OnceValue(func() (list []Kind) {
	if err := yaml.Unmarshal(tablesText, &list); err != nil {
		panic(err) // it is ours, and tests read it
	}
	return list
})

// legend says how to read a table.
func legend(t *table.Table) string {
	i := slices.IndexFunc(described(), func(k Kind) bool { return k.ID == t.ID })
	return described()[i].Legend
}

// Kinds are all kinds that readers can ask for, with what makes them. They are shared: nobody changes them.
var Kinds = sync.OnceValue(func() []Kind {
	list := slices.Clone(described())
	for i := range list {
		list[i].maker = makers[list[i].ID]
	}
	return list
})

// In lists the kinds that a section of the page of a report has.
func In(section string) (out []Kind) {
	for _, late := range []bool{false, true} {
		for _, k := range Kinds() {
			if k.Section == section && k.Late == late {
				out = append(out, k)
			}
		}
	}
	return out
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
func IDs() (ids []string) {
	for _, k := range Kinds() {
		ids = append(ids, k.ID)
	}
	return ids
}

// merged are the tables that are now others, which have what they had.
var merged = map[string]string{"paired": "verdict", "pairs": "verdict", "ranks": "verdict",
	"held-out": "rates", "spread": "paper", "best-of": "pass-at-k", "protocols": "presets",
	"progress-profile": "steps"}

// Find returns the kind of the table with that ID.
func Find(id string) (Kind, bool) {
	if now, ok := merged[id]; ok {
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
	var names []string
	for _, k := range Kinds() {
		if k.Of == "" {
			names = append(names, k.ID)
		}
	}
	return strings.Join(append(names, AllTables, EveryTable), ", ") + "; views of them: heldout help tables"
}

// Views are the views of a table.
func Views(id string) []Kind {
	return slices.DeleteFunc(slices.Clone(Kinds()), func(k Kind) bool { return k.Of != id })
}
