package eval

import (
	"heldout/eval/episode"
	"heldout/eval/fleet"
)

// line is the episodes of an environment for a model.
type line struct {
	env, model string
	fleet      *fleet.Fleet // nil if the player asks none
	waiting    []ticket     // in playing order
	size       int          // episodes, also those that are over
	inFlight   int
}

// ticket is an episode that waits, with its number in playing order.
type ticket struct {
	*episode.Episode
	number int
}

func (l *line) waits() bool { return len(l.waiting) > 0 }

// inFlight is how many episodes of lines are played.
func inFlight(lines []*line) (n int) {
	for _, l := range lines {
		n += l.inFlight
	}
	return n
}

// party is an environment or a model.
type party struct{ size, inFlight int }

// fairest returns the line that gets the next place, nil if none waits. Environments that still have episodes to
// play share the places by their numbers of episodes, with at least one each, and so do models. The place goes to
// the first line in playing order whose environment and model are within their shares, else to the one that is
// least beyond. So no place is idle, and what is slow does not come to hold them all.
func fairest(lines []*line, places int) (next *line) {
	total, envs, models := &party{}, map[string]*party{}, map[string]*party{}
	for _, l := range lines {
		if !l.waits() && l.inFlight == 0 {
			continue
		}
		for _, p := range []*party{total, member(envs, l.env), member(models, l.model)} {
			p.size += l.size
			p.inFlight += l.inFlight
		}
	}
	beyond := func(p *party) float64 {
		share := max(1, float64(places)*float64(p.size)/float64(total.size))
		return max(0, float64(p.inFlight+1)-share)
	}
	var lowest float64
	for _, l := range lines {
		if !l.waits() {
			continue
		}
		excess := max(beyond(envs[l.env]), beyond(models[l.model]))
		if next == nil || excess < lowest || excess == lowest && l.waiting[0].number < next.waiting[0].number {
			next, lowest = l, excess
		}
	}
	return next
}

// member returns the party of a name, and makes it if there is none.
func member(parties map[string]*party, name string) *party {
	p := parties[name]
	if p == nil {
		p = &party{}
		parties[name] = p
	}
	return p
}
