package report

import (
	"fmt"
	"slices"
	"strings"

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
	// Lacks says why runs may have no rows for it.
	Lacks string

	columns  []table.Declared
	fill     func(*Report, *table.Table)
	buildAll func(report *Report, blank table.Table) []table.Table // of a kind of several tables
}

func cols(columns ...table.Declared) []table.Declared { return columns }

// Columns are the columns of the table. Those of environments and of conditions of
// sweeps are not among them.
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

// kinds are all kinds of tables, in the order in which they are printed.
var kinds = []Kind{
	{ID: "headline", Title: "Rates of all models", First: true, Section: "summary", fill: headline,
		columns: cols(column.Model, column.Environment, column.Rate, column.Value, column.Letters, column.Tasks,
			column.TaskSet, column.Seeds, column.Planned, column.Finished, column.Preset)},
	{ID: "verdict", Title: "All claims", Section: "differences", Lacks: "nothing is compared", fill: verdict,
		columns: claimColumns},
	{ID: "paper", Title: "Rates with standard deviations, as papers print them", Request: true,
		Lacks: "no episode is planned",
		Extra: "what --columns names on each environment and the held-out score, or SR and PR; in CSV and JSON also the " +
			"mean steps, steps of solved episodes and tokens",
		fill:    paper,
		columns: cols(column.Model, column.Seeds)},
	{ID: "paper-robustness", Of: "paper", Title: "Rates under perturbations, as papers print them", Only: Sweeps,
		Request: true, Lacks: "no run is a sweep of perturbations", Extra: "SR/PR under each condition",
		buildAll: paperRobustness,
		columns:  cols(column.Model, column.Average, column.Population, column.Sample)},
	{ID: "paper-best-of", Of: "paper", Title: "Best of several tries, as papers print it", Only: Seeds, Request: true,
		Lacks: "no model was run with several seeds", Extra: "SR and PR on each environment", fill: paperBestOf,
		columns: cols(column.Model, column.Tries)},
	{ID: "presets", Title: "Presets", First: true, Only: Presets, Section: "protocols", fill: presets,
		columns: cols(column.Preset, column.SHA256, column.TaskSet, column.Model, column.Metric, column.MetricValue,
			column.Success.Col, column.LooseSuccess, column.Seeds)},
	{ID: "presets-published", Of: "presets", Title: "Published results of these presets", Only: Presets,
		Section: "protocols", fill: presetsPublished,
		columns: cols(column.Preset, column.Model, column.Printed, column.ResultKind, column.ReadIn,
			column.ResultPlace)},
	{ID: "indices", Title: "Robustness indices", First: true, Only: Families, Section: "indices", Steps: true,
		fill: indices,
		columns: cols(column.Environment, column.Model, column.Grade, column.Rate, column.Base, column.InterfaceIndex,
			column.ReadingIndex, column.AdaptationCost, column.Worst, column.InterfaceSets, column.InterfaceCounted,
			column.MemoriserLoss, column.ReaderLoss, column.ReadingSets, column.ReadingCounted, column.ReciterLoss,
			column.ReaderReadingLoss, column.Luck)},
	{ID: "dose", Of: "families", Title: "Rates by number of combined families", Only: Families,
		Lacks: "no run is a sweep of families of perturbations", fill: doses,
		columns: cols(column.Environment, column.Model, column.DoseGrade, column.Combined, column.Sets, column.Rate,
			column.Level)},
	{ID: "families", Title: "Change by family of perturbations", Only: Families, Request: true,
		Lacks: "no run is a sweep of families of perturbations, each alone", fill: families,
		columns: cols(column.Environment, column.Model, column.Family, column.FamilyGrade, column.Rate, column.Level,
			column.Difference, column.P)},
	{ID: "old-forms", Of: "indices", Title: "Actions in the old form", Only: Families, Section: "indices", Steps: true,
		fill: oldForms,
		columns: cols(column.Environment, column.Model, column.Perturbation, column.Actions, column.Old,
			column.Episodes.AsDetail(), column.Refused, column.Never, column.Survival[0], column.Survival[1],
			column.Survival[2], column.Survival[3], column.MedianRelearn)},
	{ID: "results", Title: "Results", Section: "rates", buildAll: results,
		columns: cols(column.Environment, column.TaskSet, column.Model, column.Agent, column.Finished,
			column.Planned.AsDetail(), column.Success, column.Progress, column.Grounding, column.Seeds)},
	{ID: "difficulty", Of: "kinds", Title: "Easy and hard tasks", Section: "rates", Late: true, fill: difficulty,
		columns: cols(column.Environment, column.Model, column.EasyTasks, column.EasySuccess, column.EasyProgress,
			column.HardTasks, column.HardSuccess, column.HardProgress)},
	{ID: "abilities", Title: "Abilities, as AgentBoard scores them", Request: true,
		Lacks: "no model has results on two environments of AgentBoard, each by one protocol", fill: abilities,
		columns: cols(column.Model, column.Ability, column.Origin.AsDetail(), column.AbilityScore, column.Weight)},
	{ID: "trainings", Title: "Several trainings of an arm", Request: true, Lacks: lacksTrainings, fill: trainings,
		columns: cols(column.Environment, column.Model, column.Perturbation, column.Trainings, column.Success,
			column.SuccessDeviation, column.Progress, column.ProgressDeviation)},
	{ID: "trainings-paired", Of: "trainings", Title: "Differences of arms, paired by task", Request: true,
		Lacks: lacksTrainings, fill: trainingsPaired,
		columns: cols(column.Environment, column.Model, column.Against, column.Compared, column.SuccessChange,
			column.ProgressChange)},
	{ID: "robustness", Title: "Robustness", First: true, Only: Sweeps, Lacks: "no run is a sweep of perturbations",
		Extra: "the rate under each condition", buildAll: robustness,
		columns: cols(column.Model, column.TaskSet, column.Rate, column.Average, column.Population, column.Sample)},
	{ID: "change", Of: "robustness", Title: "Change from the tasks as they are, paired by task", Only: Sweeps,
		Request: true, buildAll: changes,
		columns: cols(column.Model, column.Perturbation, column.Compared, column.SuccessChange,
			column.ProgressChange)},
	{ID: "pass-at-k", Title: "Solved by one of k tries, and by all", Only: Seeds, Section: "tries",
		Lacks: "no model was run with several seeds", fill: passAtK,
		columns: cols(column.Environment, column.Model, column.Tries.Headed("k"), column.Pass, column.PassAll,
			column.BestProgress)},
	{ID: "best-of-paired", Of: "pass-at-k", Title: "Best of N tries: differences, paired by task", Only: Seeds,
		Request: true, fill: bestOfPaired,
		columns: cols(column.Environment, column.Model, column.Against, column.Tries, column.Compared,
			column.SuccessChange, column.ProgressChange)},
	{ID: "trials", Title: "Success and progress after each trial", First: true, Only: Trials, Section: "trials",
		fill: trials,
		columns: cols(column.Environment, column.Model, column.Trial, column.Success, column.Progress,
			column.BestTrial)},
	{ID: "trials-cost", Of: "trials", Title: "Cost of each trial", Only: Trials, Section: "trials", Steps: true,
		fill: trialCosts,
		columns: cols(column.Environment, column.Model, column.Trial, column.Episodes, column.SolvedEpisodes,
			column.Same, column.Cut, column.Reflections, column.Calls, column.TokensIn, column.TokensOut)},
	{ID: "trials-paired", Of: "trials", Title: "Reflections against retries without memory, paired by task",
		Only: Trials, Request: true, fill: trialsPaired,
		columns: cols(column.Environment, column.Model, column.Against, column.Trial, column.Compared,
			column.SuccessChange, column.ProgressChange)},
	{ID: "refinement", Title: "Refinement", Section: "refinement", Steps: true, fill: refinementShort,
		columns: cols(column.Environment, column.Model, column.Refinement)},
	{ID: "refinement-measures", Of: "refinement", Title: "Refinement: all measures", Request: true,
		Section: "refinement", Lacks: "no episode has a result", Steps: true, fill: refinementMeasures,
		columns: cols(column.Environment, column.Model, column.Measure, column.Measured.Col, column.Unit,
			column.Measured.Low, column.Measured.High)},
	{ID: "refinement-paired", Of: "refinement", Title: "Refinement: differences, paired by task", Only: Pairs,
		Request: true, Steps: true, fill: refinementPaired,
		columns: cols(column.Environment, column.Model, column.Measure, column.Against, column.Difference.Col,
			column.Unit, column.Difference.Low, column.Difference.High, column.P)},
	{ID: "kinds", Title: "Rates by kind", Request: true, Section: "rates", Lacks: "no episode has a result",
		Extra:    "the kinds of an environment's tasks under the short heads of papers, and all tasks",
		buildAll: kindTables,
		columns: cols(column.Environment, column.Model, column.Kind, column.KindHead, column.Tasks, column.Success,
			column.SuccessDeviation, column.Progress, column.ProgressDeviation, column.Used[0], column.Used[1],
			column.Used[2], column.Used[3], column.MetricValue)},
	{ID: "rates", Title: "Rates and held-out score", Request: true,
		Lacks: "no episode is planned there, or no model has a complete held-out score", fill: rateLines,
		columns: cols(column.Environment, column.Model, column.Origin, column.TaskSet, column.Success,
			column.Progress)},
	{ID: "tasks", Title: "Rates by task", Request: true, Lacks: "no episode has a result", fill: byTask,
		columns: cols(column.Environment, column.TaskNo, column.Task, column.Type, column.Model, column.Episodes,
			column.Success.Col, column.Progress.Col)},
	{ID: "seeds", Of: "rates", Title: "Rates by seed", Only: Seeds, Request: true, Section: "seeds",
		Lacks: "no model was run with several seeds", fill: bySeed,
		columns: cols(column.Environment, column.Model, column.Seed, column.Episodes, column.Success.Col,
			column.Progress.Col)},
	{ID: "steps", Title: "Success and progress by step", Request: true, Lacks: "no episode has a result", Steps: true,
		fill:    byStep,
		columns: cols(column.Environment, column.Model, column.Step, column.Success, column.Progress)},
	{ID: "cost", Title: "Tokens and cost", Request: true, Section: "cost", Lacks: "no model was served", fill: cost,
		columns: cols(column.Model, column.Environment, column.Calls, column.TokensIn, column.CachedTokens,
			column.TokensOut, column.ReasoningTokens, column.Dollars, column.DollarsPerEpisode,
			column.DollarsPerSolved)},
	{ID: "usage", Title: "Steps, tokens and time per episode", Request: true, Section: "cost",
		Lacks: "no episode has a result", fill: usage,
		columns: cols(column.Environment, column.Model, column.Quantity, column.Episodes, column.Mean, column.Tenth,
			column.Median, column.Ninth)},
	{ID: "endings", Title: "How episodes ended", Request: true, Section: "failures", Lacks: "no episode is planned",
		fill: endings,
		columns: cols(column.Environment, column.Model, column.Planned, column.SolvedEpisodes, column.EndedEarly,
			column.StepLimit, column.ContextExceeded, column.ModelError, column.AgentError, column.EnvError,
			column.NotRun)},
	{ID: "lost-steps", Of: "endings", Title: "Steps of unsolved episodes", Request: true, Section: "failures",
		Lacks: "no unsolved episode has steps", Steps: true, fill: lostSteps,
		columns: cols(column.Environment, column.Model, column.Unsolved, column.Lost, column.CutOff, column.Format,
			column.Invalid, column.Loops, column.OtherValid)},
	{ID: "notes", Of: "headline", Title: "All notes on the first table", Lacks: "no episode is planned",
		fill: allNotes},
}

// In lists the kinds that a section of the page of a report has.
func In(section string) (out []Kind) {
	for _, late := range []bool{false, true} {
		for _, k := range kinds {
			if k.Section == section && k.Late == late {
				out = append(out, k)
			}
		}
	}
	return out
}

// NeedSteps reports whether any of these tables is made from the steps of episodes;
// without IDs those that need not be asked for. Runs that alone have a table have its
// steps in any case (scoring.ReadResults).
func NeedSteps(ids []string) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool {
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
	for _, k := range kinds {
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
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return k.Of != id })
}

// Kinds lists the kinds that readers can ask for.
func Kinds() []Kind { return slices.Clone(kinds) }
