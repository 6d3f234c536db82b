package main

import (
	"io"

	"github.com/spf13/cobra"

	"heldout/scoring/record"
	"heldout/scoring/table"
)

// modelCard is the format of results for the card of a model.
const modelCard = "model-card"

// cardFlags are the flags that choose or name what a card is about.
var cardFlags = []string{"format", "env", "model", "tasks", "seeds", "seed", "preset", "names", "held-in", "interval",
	"weights", "mixed"}

func newCompare(sys *system, c *cobra.Command) {
	var out output
	var only chosen
	var mix bool
	c.RunE = func(c *cobra.Command, dirs []string) error {
		card := out.format == modelCard
		if card {
			out.format = string(table.Text)
			if err := refuseFlags(c, modelCard, cardFlags...); err != nil {
				return usage(err)
			}
		}
		if err := out.check(); err != nil {
			return err
		}
		once, boards, err := only.sources(sys, dirs)
		if err != nil {
			return err
		}
		out.separate, out.first.OldNew = !mix, true
		out.Names, out.Prices, out.HeldIn = only.Names, only.Prices, only.HeldIn
		out.Boards, out.Only = boards, only.EpisodeFilter.Called(only.Names)
		if card {
			return out.printCard(sys, once)
		}
		_, err = out.print(sys, once)
		return err
	}
	out.flags(c)
	only.flags(c)
	only.modelFlags(c, "names", "prices", "held-in")
	c.Flags().StringToStringVar(&out.floors, "fail-below", nil, "")
	c.Flags().BoolVar(&out.worse, "fail-if-worse", false, "")
	c.Flags().BoolVar(&mix, "mixed", false, "")
}

// printCard prints what the card of a model says of its results.
func (o *output) printCard(sys *system, runs []record.Chosen) error {
	results, err := o.read(sys, runs, false)
	if err != nil {
		return err
	}
	card, err := results.ModelCard()
	if err != nil {
		return usage(err)
	}
	_, err = io.WriteString(sys.stdout, card)
	return err
}
