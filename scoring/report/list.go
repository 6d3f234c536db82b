package report

import (
	"slices"
	"strings"

	"heldout/scoring/table"
)

// Kind is a kind of table.
type Kind struct {
	// ID is the name by which readers ask for it.
	ID string
	// Only says which runs alone have it; empty if all can.
	Only Only
	// Request: only readers who ask for it get it.
	Request bool
	// Drawn: it is there for a figure, and nobody can ask for it.
	Drawn bool
	// Section is where the page of a report has it, Late behind the others there; empty
	// if the page has its numbers with figures.
	Section string
	Late    bool
	// Steps: it is made from the steps of episodes, not from their results alone.
	Steps bool
	// Lacks says why runs may have no rows for it.
	Lacks string

	build func(*Report) []table.Table
}

// Only says which runs alone have a table.
type Only string

// The runs that alone have some tables.
const (
	Sweeps    Only = "sweeps"
	Families  Only = "sweeps of families"
	Trials    Only = "several trials"
	Baselines Only = "published results"
)

// kinds are all kinds of tables, in the order in which they are printed.
var kinds = []Kind{
	{ID: "headline", Section: "summary", build: one(headline)},
	{ID: "presets", Section: "protocols", build: one(presetTable)},
	{ID: "presets-published", Section: "protocols", build: one(presetPublished)},
	{ID: "protocols", Section: "protocols", build: one(protocolSpread)},
	{ID: "memorisation", Only: Families, Section: "memorisation", build: one(memorisation)},
	{ID: "dose", Only: Families, Lacks: "no run is a sweep of families of perturbations", build: one(doseTable)},
	{ID: "families", Only: Families, Lacks: "no run is a sweep of families of perturbations, each alone", build: one(familyTable)},
	{ID: "old-forms", Only: Families, Section: "memorisation", Steps: true, build: one(oldFormTable)},
	{ID: "results", Section: "rates", build: resultTables},
	{ID: "difficulty", Section: "rates", Late: true, build: one(difficulty)},
	{ID: "spread", Section: "seeds", build: one(spread)},
	{ID: "paired", Section: "differences", Lacks: "no two models played the same tasks to the end", build: one(paired)},
	{ID: "ranks", Section: "differences", Late: true, build: one(ranks)},
	{ID: "pairs", Request: true, Section: "differences", build: one(pairTable)},
	{ID: "robustness", Only: Sweeps, Lacks: "no run is a sweep of perturbations", build: robustness},
	{ID: "change", Only: Sweeps, Section: "robustness", build: changes},
	{ID: "best-of", Section: "tries", build: one(bestOf)},
	{ID: "pass-at-k", Request: true, Lacks: "no model was run with several seeds", build: one(passAtK)},
	{ID: "best-of-paired", Request: true, Section: "tries", build: one(bestOfPaired)},
	{ID: "trials", Only: Trials, Section: "trials", build: one(trials)},
	{ID: "trials-cost", Only: Trials, Section: "trials", Steps: true, build: one(trialCosts)},
	{ID: "trials-paired", Only: Trials, Section: "trials", build: one(trialsPaired)},
	{ID: "held-out", Section: "rates", build: one(heldOut)},
	{ID: "refinement", Section: "refinement", Steps: true, build: one(refinementShort)},
	{ID: "refinement-measures", Request: true, Lacks: "no episode has a result", Steps: true, build: one(refinementMeasures)},
	{ID: "refinement-paired", Request: true, Section: "refinement", Steps: true, build: one(refinementPaired)},
	{ID: "progress-profile", Request: true, Section: "steps", Steps: true, build: one(progressProfile)},
	{ID: "against-published", Only: Baselines, Request: true, Section: "rates", Late: true, build: one(againstPublished)},
	{ID: "kinds", Request: true, Section: "rates", build: one(kindTable)},
	{ID: "rates", Request: true, Lacks: "no episode is planned", build: one(rateTable)},
	{ID: "tasks", Request: true, Lacks: "no episode has a result", build: one(taskTable)},
	{ID: "seeds", Request: true, Lacks: "no model was run with several seeds", build: one(seedTable)},
	{ID: "steps", Request: true, Lacks: "no episode has a result", Steps: true, build: one(stepTable)},
	{ID: "usage", Request: true, Section: "cost", Lacks: "no episode has a result", build: one(usageTable)},
	{ID: "endings", Request: true, Lacks: "no episode is planned", build: one(endingTable)},
	{ID: "lost-steps", Request: true, Lacks: "no unsolved episode has steps", Steps: true, build: one(lostTable)},
	{ID: "checkpoints", Request: true, Drawn: true, Lacks: "no model was served, or there is no order", build: one(checkpoints)},
}

// one builds the only table of a kind.
func one(build func(*Report) table.Table) func(*Report) []table.Table {
	return func(r *Report) []table.Table { return []table.Table{build(r)} }
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
// without IDs those that need not be asked for.
func NeedSteps(ids []string) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool {
		asked := slices.ContainsFunc(ids, func(id string) bool { of, _ := Find(id); return of.ID == k.ID })
		return k.Steps && (asked || len(ids) == 0 && !k.Request)
	})
}

// IDs lists the tables that readers can ask for. "results" also stands for the tables
// of environments with other names for their rates, such as "results-EM-F1".
func IDs() (ids []string) {
	for _, k := range kinds {
		if !k.Drawn {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

// Find returns the kind of the table with that ID.
func Find(id string) (Kind, bool) {
	for _, k := range kinds {
		if id == k.ID || k.ID == "results" && strings.HasPrefix(id, "results-") {
			return k, true
		}
	}
	return Kind{}, false
}
