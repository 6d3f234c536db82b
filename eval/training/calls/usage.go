package calls

import (
	"fmt"
	"slices"
	"strings"

	"heldout/envs/datafile"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Usage is what calls cost.
type Usage struct {
	// Calls counts the calls with a reply, Failed those without, Requests what was sent for both.
	Calls, Failed, Requests        int
	PromptTokens, CompletionTokens int
	Uncounted                      int      // the number of replies whose tokens the server did not count
	ModelSeconds                   float64  // the time spent on requests that got a reply
	Dropped                        []string // the fields of the decoding that a server refused, sorted
}

// Usage adds up what the calls on disk cost, by their kinds.
func (b *Book) Usage() (map[string]Usage, error) {
	totals := map[string]Usage{}
	err := b.Calls(func(line []byte, _ record.Span) error {
		var c Call
		err := datafile.Unmarshal(line, &c, datafile.Lenient)
		totals[c.Kind] = totals[c.Kind].Plus(c.usage())
		return err
	})
	return totals, err
}

// usage is what a call cost.
func (c *Call) usage() Usage {
	if c.Error != "" {
		return Usage{Requests: c.Requests, Failed: 1}
	}
	return Usage{Requests: c.Requests, Calls: 1, PromptTokens: c.PromptTokens, CompletionTokens: c.CompletionTokens,
		Uncounted: map[bool]int{true: 1}[c.PromptTokens == 0], ModelSeconds: c.ModelSeconds, Dropped: c.Dropped}
}

// Plus returns the sum of two usages.
func (u Usage) Plus(v Usage) Usage {
	u.Calls += v.Calls
	u.Failed += v.Failed
	u.Requests += v.Requests
	u.PromptTokens += v.PromptTokens
	u.CompletionTokens += v.CompletionTokens
	u.Uncounted += v.Uncounted
	u.ModelSeconds += v.ModelSeconds
	u.Dropped = slices.Compact(slices.Sorted(slices.Values(slices.Concat(u.Dropped, v.Dropped))))
	return u
}

// Notes says what makes the numbers of a usage less than whole.
func (u Usage) Notes() (out []string) {
	if u.Uncounted > 0 {
		out = append(out,
			fmt.Sprintf("The server did not count the tokens of %s: there are more than the table says.",
				table.Counted(u.Uncounted, "reply", "replies")))
	}
	if len(u.Dropped) > 0 {
		out = append(out, fmt.Sprintf("The server refuses %s, which was left out.", strings.Join(u.Dropped, ", ")))
	}
	return out
}

// Cost is a table of what calls cost, without rows.
func Cost(id string) table.Table {
	return table.Table{ID: id, Title: "Cost", Columns: []table.Column{
		{Key: "calls", Header: "Calls"}, {Key: "failed", Header: "Without reply"},
		{Key: "requests", Header: "Requests"},
		{Key: "prompt_tokens", Header: "Prompt tokens"}, {Key: "completion_tokens", Header: "Reply tokens"},
		{Key: "model_seconds", Header: "Model s"},
	}}
}

// Cells are the cells of a usage in that table.
func (u Usage) Cells() []table.Cell {
	return []table.Cell{table.Int(u.Calls), table.Int(u.Failed), table.Int(u.Requests), table.Int(u.PromptTokens),
		table.Int(u.CompletionTokens), {Text: fmt.Sprintf("%.1f", u.ModelSeconds), Value: u.ModelSeconds}}
}
