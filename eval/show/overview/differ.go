package overview

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"heldout/eval/show/trajectory"
	"heldout/scoring/report"
)

// Limits of what the page says about pairs of models: how many pairs, and how many links
// to episodes beside each other for each side of a pair in a place.
const (
	mostPairs = 6
	mostLinks = 12
)

// duel says which tasks one model wins and another one loses.
type duel struct {
	A, B   string
	Places []duelPlace
	// WonA and WonB are sums over the places.
	WonA, WonB int
}

// duelPlace is a duel in one place. A model wins a task that it solves in a larger share
// of its seeds.
type duelPlace struct {
	Place                    string
	Tasks, WonA, WonB, Alike int
	// Most is the kind of tasks of which the model of Most wins the most; empty if there
	// are no kinds.
	Most         string
	LinksA       []link
	LinksB       []link
	MoreA, MoreB int // won tasks without a link
}

// link leads to an episode, or to two beside each other.
type link struct {
	Href template.URL
	Text string
	// Said is what stands behind the link.
	Said string
}

// duels compare the models of the facts: all pairs of a few models, of many the best one
// with the last one and the next ones.
func (e *Episodes) duels(lines []report.HeadlineLine, facts []report.Fact) (out []duel) {
	for _, p := range pairsToShow(len(lines)) {
		d := duel{A: lines[p[0]].Model, B: lines[p[1]].Model}
		for _, f := range facts {
			if f.A != d.A || f.B != d.B {
				continue
			}
			a, b := e.at[report.Stand{Model: d.A, Place: f.Where}], e.at[report.Stand{Model: d.B, Place: f.Where}]
			if a == nil || b == nil { // the held-out score is no place
				continue
			}
			place := e.compare(f.Where, a, b)
			d.Places = append(d.Places, place)
			d.WonA, d.WonB = d.WonA+place.WonA, d.WonB+place.WonB
		}
		d.A, d.B = shown(d.A), shown(d.B)
		if len(d.Places) > 0 {
			out = append(out, d)
		}
	}
	return out
}

// pairsToShow are pairs of n models, as indices: the first and the last one, and then
// others.
func pairsToShow(n int) (out [][2]int) {
	if n < 2 {
		return nil
	}
	out = append(out, [2]int{0, n - 1})
	for i := range n {
		for j := i + 1; j < n && len(out) < mostPairs; j++ {
			if p := [2]int{i, j}; p != out[0] {
				out = append(out, p)
			}
		}
	}
	return out
}

// won is a task that one model wins.
type won struct {
	winner, loser *tried
	lead          float64
}

// compare compares two models in a place, by the tasks that both have results for.
func (e *Episodes) compare(place string, a, b *stood) duelPlace {
	d := duelPlace{Place: shown(place)}
	var byA, byB []won
	for _, key := range a.tasks {
		ours, theirs := a.by[key], b.by[key]
		if theirs == nil {
			continue
		}
		d.Tasks++
		switch lead := ours.rate() - theirs.rate(); {
		case lead > 1e-9:
			byA = append(byA, won{ours, theirs, lead})
		case lead < -1e-9:
			byB = append(byB, won{theirs, ours, -lead})
		default:
			d.Alike++
		}
	}
	d.WonA, d.WonB = len(byA), len(byB)
	d.Most = mostWon(byA, byB)
	d.LinksA, d.MoreA = e.links(byA)
	d.LinksB, d.MoreB = e.links(byB)
	return d
}

// rate is the share of the attempts that solved the task.
func (t *tried) rate() float64 { return float64(t.solved()) / float64(len(t.attempts)) }

// mostWon says of which kind the model that wins more tasks wins the most.
func mostWon(byA, byB []won) string {
	more := byA
	if len(byB) > len(byA) {
		more = byB
	}
	count := map[string]int{}
	most := ""
	for _, w := range more {
		kind := w.winner.kind
		count[kind]++
		if most == "" || count[kind] > count[most] || count[kind] == count[most] && kind < most {
			most = kind
		}
	}
	if most == "" || count[most] == len(more) {
		return ""
	}
	return fmt.Sprintf("%s (%d)", shown(most), count[most])
}

// links lead to the won tasks with the largest lead; more counts those without a link.
func (e *Episodes) links(all []won) (out []link, more int) {
	slices.SortStableFunc(all, func(a, b won) int { return cmp.Compare(b.lead, a.lead) })
	for _, w := range all {
		if len(out) == mostLinks {
			break
		}
		good, bad := w.example()
		if !e.bundle.Has(good.run, good.result()) || !e.bundle.Has(bad.run, bad.result()) {
			continue
		}
		l := link{template.URL("#" + trajectory.Beside(good.run, good.result(), bad.run, bad.result())),
			shown(w.winner.name), ""}
		if len(w.winner.attempts) > 1 || len(w.loser.attempts) > 1 {
			l.Said = fmt.Sprintf("%d of %d : %d of %d", w.winner.solved(), len(w.winner.attempts), w.loser.solved(),
				len(w.loser.attempts))
		}
		out = append(out, l)
	}
	return out, len(all) - len(out)
}

// example returns an attempt of the winner that solved the task and one of the loser that
// did not, with one seed if that is possible.
func (w won) example() (good, bad attempt) {
	found := false
	for _, g := range w.winner.attempts {
		for _, b := range w.loser.attempts {
			if g.why != solved || b.why == solved {
				continue
			}
			if !found || g.seed == b.seed {
				good, bad = g, b
			}
			if found = true; g.seed == b.seed {
				return good, bad
			}
		}
	}
	return good, bad
}
