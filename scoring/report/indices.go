package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// anchored are the scores of players that give numbers under perturbations a scale, by
// agent, in the place and under the perturbation of a key.
type anchored map[string]map[string]*scoring.Score

// anchors finds the anchors of all runs, also those that nobody asked for.
func anchors(runs []Run) anchored {
	out := anchored{}
	for _, run := range runs {
		for _, s := range run.Scores {
			agent := s.Condition.Agent
			if !record.Seedless(agent) && agent != luck {
				continue
			}
			key := placed(s.Condition)
			if out[key] == nil {
				out[key] = map[string]*scoring.Score{}
			}
			if known := out[key][agent]; known == nil || !known.Complete() && s.Complete() {
				out[key][agent] = s
			}
		}
	}
	return out
}

// luck is the agent that is right by luck.
const luck = "random"

// placed is what a condition says but for the player.
func placed(c record.Condition) string {
	c.Model, c.Agent, c.Instead, c.Decoding, c.Context, c.PromptHash, c.Trials = "", "", "", nil, 0, "", nil
	c.NoSystemRole, c.Completions, c.Seed = false, false, 0
	return c.Key()
}

// of returns the score of an anchor where a row was played; nil if there is none.
func (a anchored) of(r row, agent string) *scoring.Score { return a[placed(r.Condition)][agent] }

// indexLine are the indices of a player in one place, at one grade.
type indexLine struct {
	*perturbedPlayer
	grade int
	rate  claim.Rate
	base  float64
	// said is the index under perturbations that change what must be said, read that
	// under those that change only what is read; about both are anchorLosses.
	said, read       scoring.Index
	scaleSaid, scale anchorLosses
	cost             *scoring.Measured
	worst            []string // families
	luck             float64  // of the random player, NaN if unknown
	without          []string // perturbations under which nobody can lose
	about            stats.Question
	mark             string
}

// anchorLosses is what anchors lose on average over perturbations, as shares of their
// unperturbed rates; NaN where it is unknown.
type anchorLosses struct {
	perturbations int
	anchor        float64 // the memoriser or the reciter
	reader        float64
}

// classes divides the perturbations of a player: those that change what must be said, and
// those that change only what is read. A perturbation is of the first kind if it has a
// family that changes forms of actions, or if the memoriser loses by it all the same.
func (p *perturbedPlayer) classes(grade int, a anchored) (said, read []condition) {
	for _, c := range p.at(grade) {
		changed := slices.ContainsFunc(c.about.Parts, func(p record.Part) bool { return configs.IsSaid(p.Family) })
		before, after := a.of(*p.base, record.Memoriser), a.of(c.row, record.Memoriser)
		if changed || before != nil && after != nil && scoring.Loses(before, after) {
			said = append(said, c)
		} else {
			read = append(read, c)
		}
	}
	return said, read
}

// errNoAnchors says that nobody played the tasks by heart.
var errNoAnchors = errors.New("nobody played its tasks by heart")

// scaled pairs a player's scores with those of an anchor.
func (p *perturbedPlayer) scaled(of []condition, a anchored, agent string) (base scoring.Scaled,
	under []scoring.Scaled, err error) {
	base = scoring.Scaled{Model: p.base.Score, Anchor: a.of(*p.base, agent)}
	for _, c := range of {
		under = append(under, scoring.Scaled{Model: c.Score, Anchor: a.of(c.row, agent)})
	}
	lacks := func(s scoring.Scaled) bool { return s.Anchor == nil }
	if lacks(base) || slices.ContainsFunc(under, lacks) {
		return base, nil, errNoAnchors
	}
	return base, under, nil
}

// robustness is the index over perturbations on the scale of an anchor.
func (p *perturbedPlayer) robustness(of []condition, a anchored, agent string) (scoring.Robustness, error) {
	none := scoring.Index{Lost: stats.NoLost(), Why: scoring.ErrNoScale}
	if len(of) == 0 {
		return scoring.Robustness{Success: none, Progress: none}, nil
	}
	base, under, err := p.scaled(of, a, agent)
	if err == nil {
		var r scoring.Robustness
		if r, err = scoring.NewRobustness(base, under); err == nil {
			return r, nil
		}
	}
	none.Why = err
	return scoring.Robustness{Success: none, Progress: none}, err
}

// lost is the share of an anchor's rate that is lost on average.
func (p *perturbedPlayer) lost(of []condition, a anchored, agent string, rate claim.Rate) float64 {
	_, under, err := p.scaled(of, a, agent)
	if err != nil || len(under) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, u := range under {
		sum += rate.Of(u.Anchor).Mean
	}
	return 1 - sum/float64(len(under))/rate.Of(a.of(*p.base, agent)).Mean
}

// lines makes the lines of a player at a grade: one for each rate.
func (p *perturbedPlayer) lines(grade int, a anchored) (out [2]indexLine, err error) {
	said, read := p.classes(grade, a)
	one, err := p.robustness(said, a, record.Memoriser)
	other, failed := p.robustness(read, a, record.Reciter)
	err = errors.Join(err, failed)
	cost := scoring.AdaptationCost(scoresOf(said))
	for i, rate := range []claim.Rate{claim.Success, claim.Progress} {
		l := indexLine{perturbedPlayer: p, grade: grade, rate: rate, base: rate.Of(p.base.Score).Mean,
			said: one.Success, read: other.Success, cost: cost, luck: math.NaN(),
			about: p.base.About, mark: marksOf(append(p.at(grade), condition{row: *p.base}))}
		if rate == claim.Progress {
			l.said, l.read = one.Progress, other.Progress
		}
		l.scaleSaid = anchorLosses{len(said), p.lost(said, a, record.Memoriser, rate),
			p.lost(said, a, record.Expert, rate)}
		l.scale = anchorLosses{len(read), p.lost(read, a, record.Reciter, rate), p.lost(read, a, record.Expert, rate)}
		if s := a.of(*p.base, luck); s != nil {
			l.luck = rate.Of(s).Mean
		}
		l.worst, l.without = p.worst(grade, rate), p.unread(read, a)
		out[i] = l
	}
	return out, err
}

// unread names the perturbations by which the reciter loses nothing: they change no text
// on the expert's way.
func (p *perturbedPlayer) unread(read []condition, a anchored) (names []string) {
	before := a.of(*p.base, record.Reciter)
	for _, c := range read {
		if after := a.of(c.row, record.Reciter); before != nil && after != nil && !scoring.Loses(before, after) {
			names = append(names, c.about.Name)
		}
	}
	return names
}

// mostWorst is how many families are named as the worst ones.
const mostWorst = 3

// worst names the families that cost most, each alone.
func (p *perturbedPlayer) worst(grade int, rate claim.Rate) (names []string) {
	lost := func(c condition) float64 { return rate.Of(p.base.Score).Mean - rate.Of(c.Score).Mean }
	all := slices.DeleteFunc(p.singles(grade), func(c condition) bool { return !(lost(c) > 0) })
	slices.SortStableFunc(all, func(a, b condition) int { return cmp.Compare(lost(b), lost(a)) })
	for _, c := range all[:min(mostWorst, len(all))] {
		names = append(names, c.about.Parts[0].Family)
	}
	return names
}

// indexLines are the lines of all players, for people and for programs, and why players or
// rates have no index.
func (r *Report) indexLines() (lines []indexLine, programs [][]table.Field, why []string) {
	for _, p := range r.families() {
		if p.base == nil {
			why = appendNew(why, fmt.Sprintf("%s on %s was not planned without a perturbation, so it has no index.",
				p.name, p.env))
			continue
		}
		for _, grade := range p.grades() {
			both, err := p.lines(grade, r.anchors())
			switch {
			case errors.Is(err, errNoAnchors):
				why = appendNew(why, noAnchorsNote)
			case errors.Is(err, scoring.ErrOtherTasks):
				why = appendNew(why, fmt.Sprintf("%s on %s: no index: its anchors played other tasks.", p.name, p.env))
			case err != nil && !errors.Is(err, scoring.ErrIncomplete): // its mark says that
				why = appendNew(why, fmt.Sprintf("%s on %s: no index: %v.", p.name, p.env, err))
			}
			for _, l := range both {
				programs = append(programs, l.fields())
			}
			lines = append(lines, both[r.shownRate(both)])
		}
	}
	return lines, programs, why
}

// indices is the table of robustness indices: three numbers for each model and place, and
// the families that cost most. Programs get a line for each rate.
func indices(from *Report, t *table.Table) {
	programs := *t
	lines, fields, why := from.indexLines()
	if len(lines) == 0 {
		t.Notes = why
		return
	}
	for _, line := range fields {
		programs.Add(line...)
	}
	grades := severalGrades(lines)
	t.Columns = table.Columns(column.Environment, column.Model)
	if grades {
		t.Columns = append(t.Columns, column.Grade.Heads()...)
	}
	t.Columns = append(t.Columns, table.Columns(shownBase, shownSaid, shownRead, shownCost, column.Worst)...)
	for _, l := range lines {
		fields := l.shown(from.rate())
		if grades {
			fields = append(fields, column.Grade.Is(l.grade))
		}
		t.Add(fields...)
	}
	addMeans(t, lines, grades)
	from.head(t, append([]string{fmt.Sprintf(indexLegend, from.rate())}, why...)...)
	programs.Title = t.Title
	t.Programs[0] = programs
}

// indexLegend explains the columns.
const indexLegend = "Interface, Reading: %s lost, in %% of what a memorising player loses (0 reads, 100 replays; 95%% CI); " +
	"Steps: errors until the first new form."

// rate is the rate that a reader asked for, of those that tables of perturbations have.
func (r *Report) rate() claim.Rate {
	if r.First.Rate == claim.Progress {
		return claim.Progress
	}
	return claim.Success
}

// shownRate chooses the line that people see: that of the rate asked for, or that of
// progress where only it has an index.
func (r *Report) shownRate(both [2]indexLine) int {
	if r.rate() == claim.Progress || math.IsNaN(both[0].said.Value) && !math.IsNaN(both[1].said.Value) {
		return 1
	}
	return 0
}

// Columns of the table as people see it: the limits of an index stand beside it.
var (
	shownBase = table.Words("base", "Base", "the rate without a perturbation, in percent").Aligned(false)
	shownSaid = table.Words("interface", "Interface", "the index, with the limits of its 95% interval").Aligned(false)
	shownRead = table.Words("reading", "Reading", "the index, with the limits of its 95% interval").Aligned(false)
	shownCost = table.Words("adaptation_cost", "Steps", "extra steps until the first new form").Aligned(false)
)

func (l indexLine) shown(asked claim.Rate) []table.Field {
	base := fmt.Sprintf("%.1f", 100*l.base)
	if l.rate != asked {
		base = string(l.rate) + " " + base
	}
	cost := table.None().Text
	if l.cost != nil && !math.IsNaN(l.cost.Value) {
		cost = fmt.Sprintf("%.1f", l.cost.Value)
	}
	return []table.Field{column.Environment.Is(l.env), column.Model.Is(l.name), shownBase.Is(base).Marked(l.mark),
		shownSaid.Is(limited(l.said.Lost)), shownRead.Is(limited(l.read.Lost)), shownCost.Is(cost),
		column.Worst.Is(strings.Join(l.worst, " "))}
}

// limited writes an index with its limits.
func limited(l stats.Lost) string {
	switch {
	case math.IsNaN(l.Value):
		return table.None().Text
	case math.IsNaN(l.Low):
		return whole(l.Value) + " (?)"
	}
	to := "–"
	if l.Low < 0 {
		to = " to "
	}
	return fmt.Sprintf("%s (%s%s%s)", whole(l.Value), whole(l.Low), to, whole(l.High))
}

// whole writes a share in whole percent, and never -0.
func whole(share float64) string { return fmt.Sprintf("%.0f", math.Round(100*share)+0) }

func (l indexLine) fields() []table.Field {
	i := func(c table.Bounded, of stats.Lost) table.Field { return c.Is(of.Value, of.Low, of.High) }
	fields := []table.Field{column.Environment.Is(l.env), column.Model.Is(l.name), column.Grade.Is(l.grade),
		column.Rate.Is(string(l.rate)), column.Base.Is(l.base).Marked(l.mark), i(column.InterfaceIndex, l.said.Lost),
		i(column.ReadingIndex, l.read.Lost), column.Worst.Is(strings.Join(l.worst, ", ")),
		column.InterfaceSets.Is(l.scaleSaid.perturbations), column.InterfaceCounted.Is(l.said.Counted),
		column.MemoriserLoss.Is(l.scaleSaid.anchor), column.ReaderLoss.Is(l.scaleSaid.reader),
		column.ReadingSets.Is(l.scale.perturbations), column.ReadingCounted.Is(l.read.Counted),
		column.ReciterLoss.Is(l.scale.anchor), column.ReaderReadingLoss.Is(l.scale.reader), column.Luck.Is(l.luck)}
	if l.cost != nil {
		fields = append(fields, measured(column.AdaptationCost, *l.cost))
	}
	return fields
}

// addMeans adds a line for each model and grade with its mean over environments.
func addMeans(t *table.Table, lines []indexLine, grades bool) {
	type key struct {
		player string
		grade  int
	}
	for _, of := range groupedBy(lines, func(l indexLine) key { return key{l.player, l.grade} }) {
		said, saidIn := meanIndex(of, func(l indexLine) scoring.Index { return l.said })
		read, readIn := meanIndex(of, func(l indexLine) scoring.Index { return l.read })
		if saidIn < 2 && readIn < 2 {
			continue
		}
		fields := []table.Field{column.Environment.Is(fmt.Sprintf("mean of %d", max(saidIn, readIn))),
			column.Model.Is(of[0].name), shownSaid.Is(limited(said)), shownRead.Is(limited(read))}
		if saidIn != readIn {
			fields[0] = column.Environment.Is(fmt.Sprintf("mean of %d/%d", saidIn, readIn))
		}
		if grades {
			fields = append(fields, column.Grade.Is(of[0].grade))
		}
		t.Add(fields...)
	}
}

// severalGrades reports whether lines are of several grades.
func severalGrades(lines []indexLine) bool {
	return slices.ContainsFunc(lines, func(l indexLine) bool { return l.grade != lines[0].grade })
}

// meanIndex averages the indices that have intervals.
func meanIndex(lines []indexLine, of func(indexLine) scoring.Index) (stats.Lost, int) {
	var all []scoring.Index
	for _, l := range lines {
		if i := of(l); i.Why == nil {
			all = append(all, i)
		}
	}
	if len(all) < 2 {
		return stats.NoLost(), len(all)
	}
	return scoring.MeanIndex(all), len(all)
}

const noAnchorsNote = "No index: anchors are missing. Run the same sweep with --model expert and another --out, and give " +
	"heldout compare both directories."

// indexNotes explain the numbers.
func (r *Report) indexNotes() (notes []string) {
	lines, _, _ := r.indexLines()
	if len(lines) == 0 {
		return nil
	}
	notes = append(notes, fmt.Sprintf("Interface: actions must be written in another form; Reading: only texts differ; "+
		"95%% intervals for %s.", intervalWords(lines[0].about)))
	grades := severalGrades(lines)
	var measured, left []string
	for _, l := range lines {
		where := l.env
		if grades {
			where = fmt.Sprintf("%s at grade %d:", l.env, l.grade)
		}
		text := fmt.Sprintf("%s %s %s %s %s", where, share(l.scaleSaid.anchor), share(l.scale.anchor),
			share(max(l.scaleSaid.reader, l.scale.reader)), share(l.luck))
		if !math.IsNaN(l.scaleSaid.anchor + l.scale.anchor) {
			measured = appendNew(measured, text)
		}
		if len(l.without) > 0 {
			left = appendNew(left, l.env+" "+strings.Join(l.without, " "))
		}
	}
	if len(measured) > 0 {
		notes = append(notes, "Anchors, % (memoriser, reciter and reader lose, random wins): "+
			strings.Join(measured, "; ")+".")
	}
	if len(left) > 0 {
		notes = append(notes, "Excluded (the reader sees no change): "+strings.Join(left, "; ")+".")
	}
	var unscaled []string
	for _, l := range lines {
		if errors.Is(l.said.Why, scoring.ErrNoScale) && !math.IsNaN(l.luck) && l.scaleSaid.perturbations > 0 {
			unscaled = appendNew(unscaled, l.env)
		}
	}
	if len(unscaled) > 0 {
		notes = append(notes, "No scale: the expert reaches nothing on "+strings.Join(unscaled, ", ")+
			" (heldout help robustness).")
	}
	notes = slices.Concat(notes, departures(r.rows), missing(r.families(), nil))
	return append(notes, "Limits of the indices, and more tables: heldout help robustness.")
}

// share writes a share in whole percent, or that it is unknown.
func share(v float64) string {
	if math.IsNaN(v) {
		return table.None().Text
	}
	return whole(v)
}

// intervalWords say what intervals are about.
func intervalWords(q stats.Question) string {
	switch q {
	case stats.TheseTasks:
		return "these tasks"
	case stats.NewKinds:
		return "new kinds"
	}
	return "new tasks of these kinds"
}
