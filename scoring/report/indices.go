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

// anchorsOf finds the anchors of all runs, also those that nobody asked for.
func anchorsOf(runs []NamedRun) anchored {
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
			if previous := out[key][agent]; previous == nil || !previous.Complete() && s.Complete() {
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
	c.Model, c.Agent, c.Substitute, c.Decoding, c.Context, c.PromptHash, c.Trials = "", "", "", nil, 0, "", nil
	c.HistoryShare, c.NoSystemRole, c.Completions, c.Seed, c.Player = 0, false, false, 0, nil
	return c.Key()
}

// score returns the score of an anchor where a row was played; nil if there is none.
func (a anchored) score(r row, agent string) *scoring.Score { return a[placed(r.Condition)][agent] }

// indexLine are the indices of a player in one place, at one grade.
type indexLine struct {
	*perturbedPlayer
	grade int
	rate  claim.Rate
	base  float64
	// iface is under perturbations that change what must be said, read under those that change only what is read.
	iface, read anchoredIndex
	cost        *scoring.Measured
	worst       []string // families
	luck        float64  // of the random player, NaN if unknown
	excluded    []string // perturbations under which nobody can lose
	about       stats.Question
	mark        string
}

// anchoredIndex is an index over perturbations with what the anchor, the memoriser or the reciter, and the
// reader lose by them on average, as shares of their unperturbed rates; NaN where it is unknown.
type anchoredIndex struct {
	scoring.Index
	perturbations  int
	anchor, reader float64
}

// classes divides the perturbations of a player: those that change what must be said, and
// those that change only what is read. A perturbation is of the first kind if it has a
// family that changes forms of actions, or if the memoriser loses by it all the same.
func (p *perturbedPlayer) classes(grade int, a anchored) (iface, read []row) {
	for _, c := range p.atGrade(grade) {
		changed := slices.ContainsFunc(c.about.Parts,
			func(p record.FamilyGrade) bool { return configs.IsSaid(p.Family) })
		base, varied := a.score(*p.base, record.Memoriser), a.score(c, record.Memoriser)
		if changed || base != nil && varied != nil && scoring.Loses(base, varied) {
			iface = append(iface, c)
		} else {
			read = append(read, c)
		}
	}
	return iface, read
}

// errNoAnchors says that nobody played the tasks by heart.
var errNoAnchors = errors.New("nobody played its tasks by heart")

// scaled pairs a player's scores with an anchor's.
func (p *perturbedPlayer) scaled(conditions []row, a anchored, agent string) (base scoring.Scaled,
	perturbed []scoring.Scaled, err error) {
	base = scoring.Scaled{Model: p.base.Score, Anchor: a.score(*p.base, agent)}
	perturbed = table.Each(conditions, func(c row) scoring.Scaled {
		return scoring.Scaled{Model: c.Score, Anchor: a.score(c, agent)}
	})
	lacks := func(s scoring.Scaled) bool { return s.Anchor == nil }
	if lacks(base) || slices.ContainsFunc(perturbed, lacks) {
		return base, nil, errNoAnchors
	}
	return base, perturbed, nil
}

// robustness is the index over perturbations on the scale of an anchor.
func (p *perturbedPlayer) robustness(conditions []row, a anchored, agent string) (scoring.Robustness, error) {
	none := scoring.Index{Lost: stats.NoLost(), Reason: scoring.ErrNoScale}
	if len(conditions) == 0 {
		return scoring.Robustness{Success: none, Progress: none}, nil
	}
	base, perturbed, err := p.scaled(conditions, a, agent)
	if err == nil {
		var r scoring.Robustness
		if r, err = scoring.NewRobustness(base, perturbed); err == nil {
			return r, nil
		}
	}
	none.Reason = err
	return scoring.Robustness{Success: none, Progress: none}, err
}

// lost is the share of an anchor's rate that is lost on average.
func (p *perturbedPlayer) lost(conditions []row, a anchored, agent string, rate claim.Rate) float64 {
	_, perturbed, err := p.scaled(conditions, a, agent)
	if err != nil || len(perturbed) == 0 {
		return math.NaN()
	}
	base, sum := rate.Select(a.score(*p.base, agent)).Mean, 0.0
	for _, u := range perturbed {
		sum += (base - rate.Select(u.Anchor).Mean) / base // exactly 0 or 1 where nothing or all is lost
	}
	return sum / float64(len(perturbed))
}

// lines makes the lines of a player at a grade: one for each rate.
func (p *perturbedPlayer) lines(grade int, a anchored) (out [2]indexLine, err error) {
	iface, read := p.classes(grade, a)
	ifaceIndex, err := p.robustness(iface, a, record.Memoriser)
	readIndex, failed := p.robustness(read, a, record.Reciter)
	err = errors.Join(err, failed)
	cost := scoring.AdaptationCost(scoresOf(iface))
	for i, rate := range sweptRates {
		index := func(r scoring.Robustness, rows []row, agent string) anchoredIndex {
			return anchoredIndex{claim.Pick(rate, r.Success, r.Progress), len(rows), p.lost(rows, a, agent, rate),
				p.lost(rows, a, record.Expert, rate)}
		}
		l := indexLine{perturbedPlayer: p, grade: grade, rate: rate, base: rate.Select(p.base.Score).Mean,
			iface: index(ifaceIndex, iface, record.Memoriser), read: index(readIndex, read, record.Reciter),
			cost: cost, luck: math.NaN(), about: p.base.About,
			mark: marksOf(append(p.atGrade(grade), *p.base))}
		if s := a.score(*p.base, luck); s != nil {
			l.luck = rate.Select(s).Mean
		}
		l.worst, l.excluded = p.worst(grade, rate), p.unread(read, a)
		out[i] = l
	}
	return out, err
}

// unread names the perturbations by which the reciter loses nothing: they change no text on the expert's way.
func (p *perturbedPlayer) unread(read []row, a anchored) (names []string) {
	base := a.score(*p.base, record.Reciter)
	for _, c := range read {
		if varied := a.score(c, record.Reciter); base != nil && varied != nil && !scoring.Loses(base, varied) {
			names = append(names, c.about.Name)
		}
	}
	return names
}

// mostWorst is how many families are named as the worst ones.
const mostWorst = 3

// worst names the families that cost most, each alone.
func (p *perturbedPlayer) worst(grade int, rate claim.Rate) []string {
	lost := func(c row) float64 { return rate.Select(p.base.Score).Mean - rate.Select(c.Score).Mean }
	singles := slices.DeleteFunc(p.singles(grade), func(c row) bool { return !(lost(c) > 0) })
	slices.SortStableFunc(singles, func(a, b row) int { return cmp.Compare(lost(b), lost(a)) })
	singles = singles[:min(mostWorst, len(singles))]
	return table.Each(singles, func(c row) string { return c.about.Parts[0].Family })
}

// indexLines are the lines of all players, for people and for programs, and why players or rates have no index.
func indexLines(r *Report) (lines []indexLine, programs [][]table.Field, reasons []string) {
	anchors := anchorsOf(r.Runs)
	for _, p := range r.families() {
		if p.base == nil {
			reasons = table.AppendNew(reasons, fmt.Sprintf(
				"%s on %s was not planned without a perturbation, so it has no index.", p.name, p.env))
			continue
		}
		for _, grade := range p.grades() {
			pair, err := p.lines(grade, anchors)
			switch {
			case errors.Is(err, errNoAnchors):
				reasons = table.AppendNew(reasons, noAnchorsNote)
			case errors.Is(err, scoring.ErrOtherTasks):
				reasons = table.AppendNew(reasons,
					fmt.Sprintf("%s on %s: no index: its anchors played other tasks.", p.name, p.env))
			case err != nil && !errors.Is(err, scoring.ErrIncomplete): // its mark says that
				reasons = table.AppendNew(reasons, fmt.Sprintf("%s on %s: no index: %v.", p.name, p.env, err))
			}
			programs = append(programs, table.Each(pair[:], indexLine.fields)...)
			lines = append(lines, pair[shownRate(r, pair)])
		}
	}
	return lines, programs, reasons
}

// indices is the table of robustness indices: three numbers for each model and place, and
// the families that cost most. Programs get a line for each rate.
func indices(report *Report, t *table.Table) {
	programs := *t
	lines, fields, reasons := indexLines(report)
	if len(lines) == 0 {
		t.Notes = reasons
		return
	}
	for _, line := range fields {
		programs.Add(line...)
	}
	t.Columns = table.Columns(column.Environment, column.Model, column.Grade, shownBase, shownSaid, shownRead,
		shownCost, column.Worst)
	for _, l := range lines {
		t.Add(l.summaryFields(rateOf(report.First))...)
	}
	addMeans(t, lines)
	if !severalGrades(lines) {
		*t = t.Without(column.Grade)
	}
	rate := string(rateOf(report.First)) + " lost"
	if slices.ContainsFunc(lines, func(l indexLine) bool { return l.rate != rateOf(report.First) }) {
		rate += " (PR in rows that show PR)"
	}
	head(report, t, append([]string{fmt.Sprintf(indexLegend, rate)}, reasons...)...)
	programs.Title = t.Title
	t.Programs[0] = programs
}

// indexLegend explains the columns.
const indexLegend = "Interface, Reading: %s, in %% of what a memorising player loses (0 reads, 100 replays; 95%% CI); " +
	"Steps: errors until the first new form."

// rateOf is the rate that a reader asked for, of those that tables of perturbations have.
func rateOf(f First) claim.Rate {
	if f.Rate == claim.Progress {
		return claim.Progress
	}
	return claim.Success
}

// shownRate chooses the line that people see: the line of the rate asked for, or of
// progress where only it has an index.
func shownRate(r *Report, pair [2]indexLine) int {
	if rateOf(r.First) == claim.Progress || math.IsNaN(pair[0].iface.Value) && !math.IsNaN(pair[1].iface.Value) {
		return 1
	}
	return 0
}

// Columns of the table as people see it: the limits of an index stand beside it.
var (
	shownBase = table.Words(column.Base.Column)
	shownSaid = table.Words(column.InterfaceIndex.Column)
	shownRead = table.Words(column.ReadingIndex.Column)
	shownCost = table.Words(column.AdaptationCost.Column)
)

func (l indexLine) summaryFields(rate claim.Rate) []table.Field {
	base := fmt.Sprintf("%.1f", 100*l.base)
	if l.rate != rate {
		base = string(l.rate) + " " + base
	}
	cost := table.None().Text
	if l.cost != nil && !math.IsNaN(l.cost.Value) {
		cost = fmt.Sprintf("%.1f", l.cost.Value)
	}
	return []table.Field{column.Environment.Val(l.env), column.Model.Val(l.name), column.Grade.Val(l.grade),
		shownBase.Val(base).Marked(l.mark), shownSaid.Val(limited(l.iface.Lost)),
		shownRead.Val(limited(l.read.Lost)), shownCost.Val(cost), column.Worst.Val(strings.Join(l.worst, " "))}
}

// limited writes an index with its limits.
func limited(l stats.Lost) string {
	switch {
	case math.IsNaN(l.Value):
		return share(l.Value)
	case math.IsNaN(l.Low):
		return share(l.Value) + " (?)"
	case l.Low < 0:
		return fmt.Sprintf("%s (%s to %s)", share(l.Value), share(l.Low), share(l.High))
	}
	return fmt.Sprintf("%s (%s–%s)", share(l.Value), share(l.Low), share(l.High))
}

func (l indexLine) fields() []table.Field {
	i := func(c table.Bounded, lost stats.Lost) table.Field { return c.Val(lost.Value, lost.Low, lost.High) }
	fields := []table.Field{column.Environment.Val(l.env), column.Model.Val(l.name), column.Grade.Val(l.grade),
		column.Rate.Val(string(l.rate)), column.Base.Val(l.base).Marked(l.mark), i(column.InterfaceIndex, l.iface.Lost),
		i(column.ReadingIndex, l.read.Lost), column.Worst.Val(strings.Join(l.worst, ", ")),
		column.InterfaceSets.Val(l.iface.perturbations), column.InterfaceCounted.Val(l.iface.Counted),
		column.MemoriserLoss.Val(l.iface.anchor), column.ReaderLoss.Val(l.iface.reader),
		column.ReadingSets.Val(l.read.perturbations), column.ReadingCounted.Val(l.read.Counted),
		column.ReciterLoss.Val(l.read.anchor), column.ReaderReadingLoss.Val(l.read.reader),
		column.Luck.Val(l.luck)}
	if l.cost != nil {
		fields = append(fields, measured(column.AdaptationCost, *l.cost))
	}
	return fields
}

// addMeans adds a line for each model and grade with its mean over environments.
func addMeans(t *table.Table, lines []indexLine) {
	type key struct {
		player string
		grade  int
	}
	for _, group := range table.Grouped(lines, func(l indexLine) key { return key{l.player, l.grade} }) {
		iface, saidIn := meanIndex(group, func(l indexLine) scoring.Index { return l.iface.Index })
		read, readIn := meanIndex(group, func(l indexLine) scoring.Index { return l.read.Index })
		if saidIn < 2 && readIn < 2 {
			continue
		}
		fields := []table.Field{column.Environment.Val(fmt.Sprintf("mean of %d", max(saidIn, readIn))),
			column.Model.Val(group[0].name), column.Grade.Val(group[0].grade), shownSaid.Val(limited(iface)),
			shownRead.Val(limited(read))}
		if saidIn != readIn {
			fields[0] = column.Environment.Val(fmt.Sprintf("mean of %d/%d", saidIn, readIn))
		}
		t.Add(fields...)
	}
}

// severalGrades reports whether lines have several grades.
func severalGrades(lines []indexLine) bool {
	return slices.ContainsFunc(lines, func(l indexLine) bool { return l.grade != lines[0].grade })
}

// meanIndex averages the indices that have intervals.
func meanIndex(lines []indexLine, pick func(indexLine) scoring.Index) (stats.Lost, int) {
	var list []stats.Lost
	for _, l := range lines {
		if i := pick(l); i.Reason == nil {
			list = append(list, i.Lost)
		}
	}
	if len(list) < 2 {
		return stats.NoLost(), len(list)
	}
	return stats.MeanLost(list, claim.Level), len(list)
}

const noAnchorsNote = "No index: anchors are missing. Run the same sweep with --model expert and another --out, and give " +
	"heldout compare both directories."

// indexNotes explain the numbers.
func indexNotes(r *Report) (notes []string) {
	lines, _, _ := indexLines(r)
	if len(lines) == 0 {
		return nil
	}
	notes = append(notes, fmt.Sprintf("Interface: actions must be written in another form; Reading: only texts differ; "+
		"95%% intervals for %s.", facts().Questions[lines[0].about].Interval))
	grades := severalGrades(lines)
	var measured, excluded []string
	for _, l := range lines {
		place := l.env
		if grades {
			place = fmt.Sprintf("%s at grade %d:", l.env, l.grade)
		}
		text := fmt.Sprintf("%s %s %s %s %s", place, share(l.iface.anchor), share(l.read.anchor),
			share(max(l.iface.reader, l.read.reader)), share(l.luck))
		if !math.IsNaN(l.iface.anchor + l.read.anchor) {
			measured = table.AppendNew(measured, text)
		}
		if len(l.excluded) > 0 {
			excluded = table.AppendNew(excluded, l.env+" "+strings.Join(l.excluded, " "))
		}
	}
	if len(measured) > 0 {
		notes = append(notes, "Anchors, % (memoriser, reciter and reader lose, random wins): "+
			strings.Join(measured, "; ")+".")
	}
	if len(excluded) > 0 {
		notes = append(notes, "Excluded (the reader sees no change): "+strings.Join(excluded, "; ")+".")
	}
	var unscaled []string
	for _, l := range lines {
		if errors.Is(l.iface.Reason, scoring.ErrNoScale) && !math.IsNaN(l.luck) && l.iface.perturbations > 0 {
			unscaled = table.AppendNew(unscaled, l.env)
		}
	}
	if len(unscaled) > 0 {
		notes = append(notes, "No scale: the expert reaches nothing on "+strings.Join(unscaled, ", ")+
			" (heldout help perturbations).")
	}
	notes = slices.Concat(notes, departures(r.rows), missing(r.families(), nil))
	return append(notes, "Limits of the indices, and more tables: heldout help perturbations.")
}

// share writes a share in whole percent, and never -0, or that it is unknown.
func share(v float64) string {
	if math.IsNaN(v) {
		return table.None().Text
	}
	return fmt.Sprintf("%.0f", math.Round(100*v)+0)
}
