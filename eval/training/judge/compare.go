package judge

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/eval/training/calls"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// level is the confidence level of all intervals.
const level = 0.95

// Rater is who labels turns.
type Rater struct {
	Name string
	// Labels are by the id of the turn. A turn without an entry has no label.
	Labels map[string]Label
	// None counts, by reason, the turns that the rater gave no label.
	None map[string]int
}

// OriginalRater is the rater whose labels the trajectories have.
func OriginalRater(name string, turns []JudgedTurn) Rater {
	r := Rater{Name: name, Labels: map[string]Label{}}
	for i := range turns {
		r.Labels[turns[i].ID] = turns[i].label()
	}
	return r
}

// Judged is the rater of a judge's answers, by the id of the turn. Turns without an answer have no result.
func Judged(turns []JudgedTurn, answers map[string]Answer) Rater {
	r := Rater{Name: "judge", Labels: map[string]Label{}, None: map[string]int{}}
	for i := range turns {
		id := turns[i].ID
		a, ok := answers[id]
		switch {
		case !ok:
			r.None["no result"]++
		case a.Label == "":
			r.None[record.Fault(a.Unreadable).String()]++
		default:
			r.Labels[id] = a.Label
		}
	}
	return r
}

// pairs are the labels that two raters gave the same turns, by cluster: the turns of trajectories of one task.
type pairs struct {
	a, b     *Rater
	counts   [3][3]int     // of turns by a's label and b's label; the last one is none
	clusters [][]pairedAs  // by trajectory
	own      map[Label]int // how many turns with both labels have that label themselves
	sampling stats.Sampling
	err      error // why there is no interval
}

// pairedAs is a turn with two labels, and the label that it has itself.
type pairedAs struct {
	stats.Pair
	own Label
}

func newPairs(a, b *Rater, turns []JudgedTurn) *pairs {
	p := &pairs{a: a, b: b, own: map[Label]int{}}
	index := map[string]int{}
	var groups []stats.Group
	for i := range turns {
		t := &turns[i]
		c, ok := index[t.Trajectory.ID]
		if !ok {
			c = len(p.clusters)
			index[t.Trajectory.ID] = c
			p.clusters = append(p.clusters, nil)
			groups = append(groups, stats.Group{Setting: t.Trajectory.Task})
		}
		x, y := indexOf(a.Labels[t.ID]), indexOf(b.Labels[t.ID])
		p.counts[x][y]++
		if x != none && y != none {
			p.clusters[c] = append(p.clusters[c], pairedAs{stats.Pair{x, y}, t.label()})
			p.own[t.label()]++
		}
	}
	p.sampling, p.err = stats.NewSampling(stats.TheseKinds, groups, level)
	return p
}

// none is the index of no label in counts.
const none = 2

func indexOf(l Label) int {
	if i := slices.Index(labels(), l); i >= 0 {
		return i
	}
	return none
}

func (p *pairs) n() int {
	return p.counts[0][0] + p.counts[0][1] + p.counts[1][0] + p.counts[1][1]
}

// concordance is a measure of agreement with its interval. The error says what of them there is not.
type concordance struct {
	value    float64
	interval stats.Interval
	err      error
}

// ratio is the share of agreement of the turns that count, each with its weight.
func (p *pairs) ratio(counts func(pairedAs) float64) concordance {
	l, err := stats.Ratio(slices.Collect(slices.Chunk(p.clusters, 1)), func(cluster []pairedAs) (num, den float64) {
		for _, pair := range cluster {
			w := counts(pair)
			den += w
			if pair.Pair[0] == pair.Pair[1] {
				num += w
			}
		}
		return num, den
	}, true)
	m := concordance{value: l.Value, err: cmp.Or(err, p.err)}
	if m.err == nil {
		m.interval, m.err = p.sampling.Linear(l)
	}
	return m
}

// population is the agreement of turns that are right and wrong as often as all are:
// each turn with both labels stands for the turns with its own label.
func (p *pairs) population(totals map[Label]int) concordance {
	for _, label := range labels() {
		if totals[label] > 0 && p.own[label] == 0 {
			return concordance{err: stats.ErrNothing}
		}
	}
	return p.ratio(func(pair pairedAs) float64 { return float64(totals[pair.own]) / float64(p.own[pair.own]) })
}

// kappa is Cohen's kappa with its interval.
func (p *pairs) kappa() concordance {
	k, err := stats.NewKappa(table.Each(p.clusters, func(cluster []pairedAs) []stats.Pair {
		return table.Each(cluster, func(pair pairedAs) stats.Pair { return pair.Pair })
	}))
	m := concordance{value: k.Value, err: cmp.Or(err, p.err)}
	if m.err == nil {
		m.interval, m.err = p.sampling.Kappa(k)
	}
	return m
}

// Tables compares raters, all pairs of them, and says what the calls cost. The first
// rater is the one whose labels the trajectories have.
func Tables(s *Sample, turns []JudgedTurn, raters []Rater, usage calls.Usage, took string) []table.Table {
	var list []*pairs
	for i := range raters {
		for j := range raters[:i] {
			list = append(list, newPairs(&raters[j], &raters[i], turns))
		}
	}
	cost := calls.Cost("judge-cost")
	cost.Rows, cost.Notes = [][]table.Cell{usage.Cells()}, append([]string{took}, usage.Notes()...)
	return []table.Table{labelTable(s, turns, raters), confusion(list), agreement(list, s), cost}
}

func labelTable(s *Sample, turns []JudgedTurn, raters []Rater) table.Table {
	t := table.Table{ID: "judge", Title: "Labels", Columns: []table.Column{
		{Key: "rater", Header: "Rater", Words: true}, {Key: "label", Header: "Label", Words: true},
		{Key: "turns", Header: "Turns"}, {Key: "share", Header: "Share %"},
	}}
	for _, r := range raters {
		add := func(name string, n int) {
			t.Rows = append(t.Rows, []table.Cell{table.String(r.Name), table.String(name), table.Int(n),
				table.Percent(float64(n) / float64(max(1, len(turns))))})
		}
		for _, label := range labels() {
			n := 0
			for _, l := range r.Labels {
				if l == label {
					n++
				}
			}
			add(string(label), n)
		}
		for _, reason := range slices.Sorted(maps.Keys(r.None)) {
			add("none: "+reason, r.None[reason])
		}
	}
	t.Notes = s.Notes()
	return t
}

func confusion(list []*pairs) table.Table {
	t := table.Table{ID: "judge-confusion", Title: "Labels of two raters", Columns: []table.Column{
		{Key: "rater", Header: "Rater", Words: true}, {Key: "label", Header: "Label", Words: true},
		{Key: "other", Header: "Other rater", Words: true},
		{Key: "right", Header: "Right"}, {Key: "wrong", Header: "Wrong"}, {Key: "none", Header: "None"},
	}}
	for _, p := range list {
		for i, label := range []string{string(Right), string(Wrong), "none"} {
			counts := p.counts[i]
			if i == none && counts == [3]int{} {
				continue
			}
			t.Rows = append(t.Rows, []table.Cell{
				table.String(p.a.Name), table.String(label), table.String(p.b.Name), table.Int(counts[0]),
				table.Int(counts[1]), table.Int(counts[none]),
			})
		}
	}
	return t
}

func agreement(list []*pairs, s *Sample) table.Table {
	t := table.Table{ID: "judge-agreement", Title: "Agreement", Columns: []table.Column{
		{Key: "rater", Header: "Rater", Words: true}, {Key: "other", Header: "Other rater", Words: true},
		{Key: "measure", Header: "Measure", Words: true},
		{Key: "turns", Header: "Turns"}, {Key: "value", Header: "Value"}, {Key: "low", Header: "95 % from"},
		{Key: "high", Header: "to", Upper: true},
	}}
	for _, p := range list {
		add := func(measure string, n int, show func(float64) table.Cell, m concordance) {
			row := []table.Cell{table.String(p.a.Name), table.String(p.b.Name), table.String(measure), table.Int(n),
				show(m.value), show(m.interval.Low), show(m.interval.High)}
			if m.err != nil {
				row[5], row[6] = table.None(), table.None()
			}
			if errors.Is(m.err, stats.ErrNothing) || errors.Is(m.err, stats.ErrAlike) {
				row[4] = table.None()
			}
			t.Rows = append(t.Rows, row)
		}
		add("agreement %", p.n(), table.Percent, p.ratio(func(pairedAs) float64 { return 1 }))
		add("Cohen's kappa", p.n(), plain, p.kappa())
		for i, label := range labels() {
			share := p.ratio(func(pair pairedAs) float64 { return map[bool]float64{true: 1}[pair.Pair[0] == i] })
			add(fmt.Sprintf("agreement %% if %s says %s", p.a.Name, label), p.counts[i][0]+p.counts[i][1],
				table.Percent, share)
		}
		if s.kind == Balanced {
			add("agreement %, all turns", p.n(), table.Percent, p.population(s.Labels))
		}
	}
	t.Notes = append(t.Notes, "Intervals treat trajectories as the sampled units, and one task as a cluster. "+
		"Turns without a label of both raters do not count here; the table above counts them.")
	if s.kind == Balanced {
		t.Notes = append(t.Notes,
			"All turns: the turns are weighted to the shares of right and wrong that all trajectories have.")
	}
	return t
}

func plain(v float64) table.Cell {
	text := fmt.Sprintf("%.2f", v)
	if text == "-0.00" {
		text = "0.00"
	}
	return table.Cell{Text: text, Value: v}
}

// Kin notes models whose turns their own judge labels.
func Kin(judge string, turns []JudgedTurn) string {
	short := func(name string) string {
		_, base, ok := strings.Cut(name, ":")
		if !ok {
			base = name
		}
		return strings.ToLower(base)
	}
	n := 0
	for i := range turns {
		if m := turns[i].Trajectory.Model; m != "" && short(m) == short(judge) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the turns come from the judge's own model, which may favour them.", n)
}
