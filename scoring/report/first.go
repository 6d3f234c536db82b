package report

import (
	"slices"

	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Headline is the first table for those who draw it. The table "headline" has the same
// cells.
type Headline struct {
	// Rate says what the cells are, such as "Success rate".
	Rate string
	// Places are environments or presets, and column.HeldOutScore at the end if any model
	// has that score.
	Places []string
	// Seeds is the largest number of seeds of a rate.
	Seeds int
	// Lines are the models of the runs, the best first.
	Lines []HeadlineLine
	// Published are published results. Divided says above them what differs, Sources
	// below where they are from and what they may be compared with.
	Published []HeadlineLine
	Divided   string
	Sources   []string
	// Notes say how to read the cells, NotWhole what weakens them: episodes without a
	// result, and replies that could not be read.
	Notes, NotWhole []string
}

// HeadlineLine is a model.
type HeadlineLine struct {
	Model string
	Cells []HeadlineCell // one for each place
}

// HeadlineCell is a rate.
type HeadlineCell struct {
	table.Cell // without the letters
	// Interval is nil if there is none.
	Interval *stats.Interval
	// Letters are those of the column: models that share one are not told apart.
	Letters string
}

// Headline returns the first table.
func (r *Report) Headline() Headline {
	s := r.standing()
	h := Headline{Rate: s.rate.title(), Places: s.places, Divided: r.publishedTitle()}
	if len(s.lines) == 0 {
		return h
	}
	h.Lines, h.Seeds = s.headlines(), mostSeeds(r.plain)
	h.Published, h.Sources = r.publishedHeadlines(s), sources(r.baselines, "")
	h.Notes, h.NotWhole = slices.Concat(s.legend(r), directories(r.plain), s.apart), r.notWhole()
	return h
}

// Stand is where tables of unperturbed tasks have episodes: a model in a place.
type Stand struct{ Model, Place string }

// Stands returns where the groups of a plan stand, in their order; a Stand is empty if
// the group is under a perturbation.
func (r *Report) Stands(directory string, m *record.Manifest) (out []Stand) {
	known := map[string]Stand{}
	for _, of := range r.plain {
		if of.directory != directory && !slices.Contains(of.others, directory) {
			continue
		}
		known[of.Condition.Key()] = Stand{of.line, of.place()}
	}
	for _, g := range m.Groups {
		c := g.Condition
		c.Seed = 0
		out = append(out, known[c.Key()])
	}
	return out
}
