package report

import (
	"math"
	"slices"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// bill is what a model took in one place, or in all.
type bill struct {
	model, place string
	scoring.Spent
	episodes, solved int
	dollars          float64 // NaN without a price
}

// add adds another bill.
func (b *bill) add(o bill) {
	b.Spent = b.Plus(o.Spent)
	b.episodes, b.solved, b.dollars = b.episodes+o.episodes, b.solved+o.solved, b.dollars+o.dollars
}

// everywhere is the place of the sum over several.
const everywhere = "all"

// cost says what the model calls took, and what that costs. Episodes under
// perturbations count: they cost as much as others.
func cost(report *Report, t *table.Table) {
	bills, priced := billsOf(report)
	for _, b := range bills {
		t.Add(column.Model.Val(b.model), column.Environment.Val(b.place), column.Calls.Val(b.Calls),
			column.TokensIn.Val(b.PromptTokens), column.CachedTokens.Val(b.CachedTokens),
			column.TokensOut.Val(b.CompletionTokens), column.ReasoningTokens.Val(b.ReasoningTokens),
			column.Dollars.Val(b.dollars), column.DollarsPerEpisode.Val(b.dollars/float64(b.episodes)),
			column.DollarsPerSolved.Val(b.dollars/float64(b.solved)))
	}
	dollars := "USD: at the prices that the user gave."
	if !priced {
		*t = t.Without(column.Dollars, column.DollarsPerEpisode, column.DollarsPerSolved)
		dollars = "Dollars need prices: give --set prices=SPEC=INPUT/CACHED/OUTPUT."
	}
	annotate(t, legend(t), []string{dollars})
}

// billsOf lists what each model took in each place and, if there are several, in all of
// them; priced if any of it has a price.
func billsOf(r *Report) (bills []bill, priced bool) {
	called := slices.DeleteFunc(slices.Clone(r.allRows), func(e row) bool { return e.Spent.Calls == 0 })
	for _, rows := range table.Grouped(called, lineOf) {
		total, places := bill{model: rows[0].line, place: everywhere}, table.Grouped(rows, placeOf)
		for _, of := range places {
			sum := bill{model: rows[0].line, place: of[0].place.Name}
			for _, e := range of {
				b := bill{Spent: e.Spent, episodes: e.Finished, solved: e.Endings().Solved, dollars: math.NaN()}
				if price, ok := priceOf(r.Runs, e); ok {
					b.dollars = price.Dollars(b.PromptTokens, b.CachedTokens, b.CompletionTokens)
				}
				priced = priced || !math.IsNaN(b.dollars)
				sum.add(b)
			}
			total.add(sum)
			bills = append(bills, sum)
		}
		if len(places) > 1 {
			bills = append(bills, total)
		}
	}
	return bills, priced
}

// priceOf returns what the model of a row costs; false if nobody said.
func priceOf(runs []NamedRun, e row) (configs.Price, bool) {
	for _, run := range runs {
		if run.Name == e.directory {
			return run.Prices.Lookup(e.Condition.Model)
		}
	}
	return configs.Price{}, false
}
