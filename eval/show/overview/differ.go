package overview

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"

	"heldout/eval/show/page"

	"heldout/eval/show/trajectory"
	"heldout/scoring/claim"
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
	// WonA and WonB are sums over the places that the verdict compares.
	WonA, WonB int
}

// duelPlace is a duel in one place. A model wins a task that it solves in a larger share of its seeds.
type duelPlace struct {
	Place                   string
	Compared                bool // by the verdict
	Tasks, WonA, WonB, Tied int
	Edge                    edge
	LinksA                  []episodeLink
	LinksB                  []episodeLink
	MoreA, MoreB            int // won tasks without a link
}

// edge is the kind of tasks of which a model wins most beyond what the other one wins.
type edge struct {
	Model, Kind string // empty if there are no kinds
	Won, Lost   int
}

func (e edge) lead() int { return e.Won - e.Lost }

// episodeLink leads to an episode, or to two beside each other.
type episodeLink struct {
	Href template.URL
	Text string
	Said string // what stands behind the link
}

// duels set pairs of models side by side in the places where both have results for the same
// tasks: those whose difference is clearest first, and their places as the runs have them.
func (e *Episodes) duels(claims *claim.Set) (out []duel) {
	index := map[[2]string]int{}
	for _, c := range claim.Surest(claims.Comparisons) {
		if len(c.Subjects) != 2 || c.Place == claim.HeldOut || c.Place.Averaged ||
			c.Family.Name == claim.LossDifferences {
			continue
		}
		key := [2]string{c.Subjects[0].Name, c.Subjects[1].Name}
		a := e.attempts[report.Stand{Model: key[0], Place: c.Place.Name}]
		b := e.attempts[report.Stand{Model: key[1], Place: c.Place.Name}]
		if a == nil || b == nil {
			continue
		}
		i, ok := index[key]
		if !ok {
			if len(out) == mostPairs {
				continue
			}
			i = len(out)
			index[key] = i
			out = append(out, duel{A: page.CellText(key[0]), B: page.CellText(key[1])})
		}
		if d := e.compare(c.Place.Title, a, b); d.Tasks > 0 {
			d.Edge.Model = map[bool]string{true: out[i].A, false: out[i].B}[d.Edge.Model == "a"]
			if d.Compared = c.Kind != claim.NotCompared; d.Compared {
				out[i].WonA, out[i].WonB = out[i].WonA+d.WonA, out[i].WonB+d.WonB
			}
			out[i].Places = append(out[i].Places, d)
		}
	}
	rank := func(p duelPlace) int {
		return slices.IndexFunc(claims.Places, func(s claim.Scope) bool { return page.CellText(s.Title) == p.Place })
	}
	for _, d := range out {
		slices.SortStableFunc(d.Places, func(a, b duelPlace) int { return rank(a) - rank(b) })
	}
	return slices.DeleteFunc(out, func(d duel) bool { return len(d.Places) == 0 })
}

// won is a task that one model wins.
type won struct {
	winner, loser *taskAttempts
	lead          float64
}

// compare compares two models in a place, by the tasks that both have results for.
func (e *Episodes) compare(place string, a, b *stood) duelPlace {
	d := duelPlace{Place: page.CellText(place)}
	var byA, byB []won
	for _, key := range a.tasks {
		ours, theirs := a.byTask[key], b.byTask[key]
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
			d.Tied++
		}
	}
	d.WonA, d.WonB = len(byA), len(byB)
	d.Edge = largestEdge(byA, byB)
	d.LinksA, d.MoreA = e.links(byA)
	d.LinksB, d.MoreB = e.links(byB)
	return d
}

// rate is the share of the attempts that solved the task.
func (t *taskAttempts) rate() float64 { return float64(t.solved()) / float64(len(t.attempts)) }

// largestEdge says of which kind one model, a or b, wins most beyond what the other one wins.
func largestEdge(byA, byB []won) (largest edge) {
	count := func(tasks []won) map[string]int {
		kinds := map[string]int{}
		for _, w := range tasks {
			kinds[w.winner.kind]++
		}
		return kinds
	}
	wonA, wonB := count(byA), count(byB)
	for _, side := range []struct {
		model      string
		ours, them map[string]int
	}{{"a", wonA, wonB}, {"b", wonB, wonA}} {
		for _, kind := range slices.Sorted(maps.Keys(side.ours)) {
			l := edge{side.model, page.CellText(kind), side.ours[kind], side.them[kind]}
			if kind != "" && l.lead() > largest.lead() {
				largest = l
			}
		}
	}
	if len(wonA) < 2 && len(wonB) < 2 {
		return edge{} // there is one kind
	}
	return largest
}

// links lead to the won tasks with the largest lead; omitted counts those without a link.
func (e *Episodes) links(tasks []won) (out []episodeLink, omitted int) {
	slices.SortStableFunc(tasks, func(a, b won) int { return cmp.Compare(b.lead, a.lead) })
	for _, w := range tasks {
		if len(out) == mostLinks {
			break
		}
		good, bad := w.example()
		address := e.addresses(good.named(), bad.named())
		if address == "" {
			continue
		}
		l := episodeLink{template.URL(address), page.CellText(w.winner.name), ""}
		if len(w.winner.attempts) > 1 || len(w.loser.attempts) > 1 {
			l.Said = fmt.Sprintf("%d of %d : %d of %d", w.winner.solved(), len(w.winner.attempts), w.loser.solved(),
				len(w.loser.attempts))
		}
		out = append(out, l)
	}
	return out, len(tasks) - len(out)
}

// example returns an attempt of the winner that solved the task and one of the loser that
// did not, with one seed if that is possible.
func (w won) example() (good, bad countedAttempt) {
	found := false
	for _, g := range w.winner.attempts {
		for _, b := range w.loser.attempts {
			if g.Reason != trajectory.Solved || b.Reason == trajectory.Solved {
				continue
			}
			if !found || g.Condition.Seed == b.Condition.Seed {
				good, bad = g, b
			}
			if found = true; g.Condition.Seed == b.Condition.Seed {
				return good, bad
			}
		}
	}
	return good, bad
}
