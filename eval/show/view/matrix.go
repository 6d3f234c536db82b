package view

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"sync"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/show/page"
	"heldout/scoring/table"
)

// weights reads the weights of the held-out score, once.
var weights = sync.OnceValue(func() configs.Weights {
	w, err := configs.LoadWeights()
	if err != nil {
		panic(err) // the file is part of the program
	}
	return w
})

// contender has the rates of a model, an agent and a perturbation, by the names of places.
type contender struct {
	name    string
	heldOut float64  // in percent; NaN without one
	places  []string // in the order of the plan
	rates   map[string]RateSoFar

	finished, planned int // episodes, of all perturbations in a line for all
}

// players are the lines of a matrix in the order of the plan: with perturbed, one for each perturbation.
func (s Summary) players(perturbed bool) (out []contender) {
	agents := map[string]map[string]bool{}
	for _, r := range s.Rates {
		c := r.Condition
		if agents[c.Model] == nil {
			agents[c.Model] = map[string]bool{}
		}
		agents[c.Model][c.Agent] = true
	}
	for _, r := range s.Rates {
		c := r.Condition
		p := contender{name: s.called(c.Model), heldOut: math.NaN(), rates: map[string]RateSoFar{}}
		if len(agents[c.Model]) > 1 {
			p.name += ", " + c.Agent
		}
		extra := c.Perturbation != "none" && !perturbed
		switch {
		case c.Perturbation == "none":
			p.heldOut = s.heldOut(weights(), c.Model)
		case perturbed:
			p.name += ", " + c.Perturbation
		}
		i := slices.IndexFunc(out, func(o contender) bool {
			return o.name == p.name && extra == slices.Contains(o.places, r.Place)
		})
		switch {
		case i < 0 && extra:
			continue
		case i < 0:
			i, out = len(out), append(out, p)
		}
		out[i].finished, out[i].planned = out[i].finished+r.Finished, out[i].planned+r.Planned
		if !extra {
			out[i].places = append(out[i].places, r.Place)
			out[i].rates[r.Place] = r
		}
	}
	return out
}

// success is the success rate in a place; NaN without one.
func (p contender) success(place string) float64 {
	if r, ok := p.rates[place]; ok {
		return r.Success.Mean
	}
	return math.NaN()
}

// done counts the episodes with a result and those that are due.
func (p contender) done() string { return fmt.Sprintf("%d/%d", p.finished, p.planned) }

// matrix is the columns of rates of some players: the held-out score, if one has it, and the places.
type matrix struct {
	heldOut bool
	places  []string
}

func newMatrix(players []contender) (m matrix) {
	for _, p := range players {
		m.heldOut = m.heldOut || !math.IsNaN(p.heldOut)
		m.places = table.AppendNew(m.places, p.places...)
	}
	return m
}

// columns are the columns of rates.
func (m matrix) columns() (out []table.Column) {
	if m.heldOut {
		out = append(out, table.Column{Key: "held-out", Header: "Held-out"})
	}
	return append(out, table.Each(m.places, func(place string) table.Column {
		return table.Column{Key: place, Header: envs.PlaceTitle(place)}
	})...)
}

// row are the rates of a player. Those of which episodes are missing have a star.
func (m matrix) row(p contender) (out []table.Cell) {
	if m.heldOut {
		out = append(out, table.Percent(p.heldOut/100))
	}
	for _, place := range m.places {
		r, ok := p.rates[place]
		c := table.None()
		if ok {
			c = table.Percent(r.Success.Mean)
		}
		if r.Finished < r.Planned && !math.IsNaN(r.Success.Mean) {
			c.Mark = "*"
		}
		out = append(out, c)
	}
	return out
}

// heads are the heads of the columns.
func (m matrix) heads() []page.GridCell {
	return table.Each(m.columns(), func(c table.Column) page.GridCell {
		return page.GridCell{Text: page.CellText(c.Header)}
	})
}

// cells are the row on a page, with bars. They link to the episodes; address leads to the run. Limits asks for
// intervals.
func (m matrix) cells(p contender, address string, limits bool) (out []page.GridCell) {
	for i, cell := range m.row(p) {
		c := page.GridCell{Text: cell.Text + cell.Mark}
		place := i - len(m.columns()) + len(m.places)
		if place < 0 {
			c.Class, c.Bar = "score", bar(p.heldOut)
		} else if r, ok := p.rates[m.places[place]]; !ok {
			c.Text = ""
		} else {
			c.Bar = bar(100 * r.Success.Mean)
			if i := r.Success.Interval; limits && i != nil {
				c.Lines = []string{table.Percent(i.Low).Text + "–" + table.Percent(i.High).Text}
			}
			if r.Finished > 0 {
				q := url.Values{"env": {r.Condition.Env}, "model": {r.Condition.Model}}
				c.Href = address + "?" + q.Encode() + "#episodes"
			}
		}
		out = append(out, c)
	}
	return out
}

// bar is the width of a bar for so many percent; empty for none.
func bar(percent float64) string {
	if math.IsNaN(percent) {
		return ""
	}
	return fmt.Sprintf("%.1f", percent)
}

// mostTall is the largest number of players of a run whose rates have lines of their own for their intervals.
const mostTall = 8

// rateMatrix has a line for each player of a run, and a column for each environment.
func rateMatrix(s Summary) page.Grid {
	players := s.players(true)
	m := newMatrix(players)
	g := page.Grid{Title: "Success rates by environment", Class: "matrix", Cards: true,
		Heads: append([]page.GridCell{{Text: "Model", Class: "left"}, {Text: "Done"}}, m.heads()...)}
	for _, p := range players {
		row := []page.GridCell{{Text: page.CellText(p.name), Class: "left", Head: true}, {Text: p.done()}}
		g.Rows = append(g.Rows, append(row, m.cells(p, "", len(players) <= mostTall)...))
	}
	return g
}
