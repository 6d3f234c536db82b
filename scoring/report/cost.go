package report

import (
	"math"

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
	if !priced {
		t.Drop(column.Dollars, column.DollarsPerEpisode, column.DollarsPerSolved)
	}
	for _, b := range bills {
		fields := []table.Field{column.Model.Val(b.model), column.Environment.Val(b.place), column.Calls.Val(b.Calls),
			column.TokensIn.Val(b.PromptTokens), column.CachedTokens.Val(b.CachedTokens),
			column.TokensOut.Val(b.CompletionTokens), column.ReasoningTokens.Val(b.ReasoningTokens)}
		if priced {
			fields = append(fields, column.Dollars.Val(b.dollars),
				column.DollarsPerEpisode.Val(b.dollars/float64(b.episodes)),
				column.DollarsPerSolved.Val(b.dollars/float64(b.solved)))
		}
		t.Add(fields...)
	}
	dollars := "USD: at the prices that the user gave."
	if !priced {
		dollars = "Dollars need prices: give --set prices=SPEC=INPUT/CACHED/OUTPUT."
	}
	annotate(t, "Of all attempts, also those without a result. Tokens as the server counted them: cached ones are part "+
		"of those in, reasoning ones of those out.", []string{dollars})
}

// bills lists what each model took in each place and, if there are several, in all of
// them; priced if any of it has a price.
func billsOf(r *Report) (bills []bill, priced bool) {
	for _, model := range servedIn(r.allRows) {
		total := bill{model: model, place: everywhere}
		first := len(bills)
		for _, of := range r.allRows {
			if of.line != model || of.Spent.Calls == 0 {
				continue
			}
			b := billOf(r, of)
			priced = priced || !math.IsNaN(b.dollars)
			total.add(b)
			if last := len(bills) - 1; last >= first && bills[last].place == b.place {
				bills[last].add(b)
			} else {
				bills = append(bills, b)
			}
		}
		if len(bills)-first > 1 {
			bills = append(bills, total)
		}
	}
	return bills, priced
}

// served lists the models that were called, in the order of the rows.
func servedIn(rows []row) (models []string) {
	for _, of := range rows {
		if of.Spent.Calls > 0 {
			models = appendNew(models, of.line)
		}
	}
	return models
}

func billOf(r *Report, e row) bill {
	b := bill{model: e.line, place: e.place.Name, Spent: e.Spent, episodes: e.Finished, solved: e.Endings().Solved,
		dollars: math.NaN()}
	if price, ok := priceOf(r.Runs, e); ok {
		b.dollars = price.Dollars(b.PromptTokens, b.CachedTokens, b.CompletionTokens)
	}
	return b
}

// price returns what the model of a row costs; false if nobody said.
func priceOf(runs []NamedRun, e row) (configs.Price, bool) {
	for _, run := range runs {
		if run.Name == e.directory {
			return run.Prices.Lookup(e.Condition.Model)
		}
	}
	return configs.Price{}, false
}
