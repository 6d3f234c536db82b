package scienceworld

import (
	"math/bits"
	"strings"
)

// This file has the ways of the scripts through the building (tasks §7.3).

// leg is a way from one place to the next.
type leg struct{ start, end string }

// tours are ways through all places, by the place where they start.
type tours map[string][]leg

// tourLength and wayLength are how many legs the reference tries.
const (
	tourLength = 20
	wayLength  = 10
)

// node is the last place of a path; the rest of the path is the parent's path.
type node struct {
	parent  int32 // in the list of paths that are shorter by one
	place   uint8
	visited uint16 // bits of the places on the path
}

// graph is the places with their neighbours, by number.
type graph struct {
	names     []string
	neighbour [][]uint8
}

func (w *World) graph() graph {
	var g graph
	number := map[string]uint8{}
	var places []*Object
	for _, x := range descendants(w.universe, true, false) {
		if x.inGroup(aLocation) {
			number[x.name] = uint8(len(places))
			places = append(places, x)
			g.names = append(g.names, x.name)
		}
	}
	for _, x := range places {
		var list []uint8
		for _, d := range visible(x.portals.items()) {
			for _, end := range []*Object{d.door.src, d.door.dst} {
				if end != x {
					list = append(list, number[end.name])
				}
			}
		}
		g.neighbour = append(g.neighbour, list)
	}
	return g
}

// way draws paths from here, each longer by a leg, until one is good.
func (p *player) way(legs int, good func(g *graph, n node) bool) []leg {
	g := p.w.graph()
	start := uint8(0)
	for i, name := range g.names {
		if name == p.w.place().name {
			start = uint8(i)
		}
	}
	levels := [][]node{{{place: start, visited: 1 << start}}}
	var next []uint8
	for range legs {
		last := levels[len(levels)-1]
		var longer []node
		found := -1
		for i, n := range last {
			next = append(next[:0], g.neighbour[n.place]...)
			shuffle(&p.w.random, next)
			for _, door := range next {
				longer = append(longer, node{int32(i), door, n.visited | 1<<door})
				if found < 0 && good(&g, longer[len(longer)-1]) {
					found = len(longer) - 1
				}
			}
		}
		levels = append(levels, longer)
		if found >= 0 {
			return trace(&g, levels, found)
		}
	}
	return nil
}

// trace lists the legs of a path.
func trace(g *graph, levels [][]node, i int) []leg {
	out := make([]leg, len(levels)-1)
	for n := len(levels) - 1; n > 0; n-- {
		cur := levels[n][i]
		i = int(cur.parent)
		out[n-1] = leg{g.names[levels[n-1][i].place], g.names[cur.place]}
	}
	return out
}

// goTo walks to a place.
func (p *player) goTo(name string) {
	if strings.EqualFold(javaTrim(p.w.place().name), javaTrim(name)) {
		return
	}
	legs := p.way(wayLength, func(g *graph, n node) bool { return g.names[n.place] == name })
	for _, l := range legs {
		p.walk(l)
	}
}

// visit walks to a place and looks around.
func (p *player) visit(name string) {
	p.goTo(name)
	p.look()
}

// tour is a way from here through all places. It is drawn once for each place to start from.
func (p *player) tour() []leg {
	start := p.w.place().name
	if t, ok := p.tours[start]; ok {
		return t
	}
	t := p.way(tourLength, func(g *graph, n node) bool { return bits.OnesCount16(n.visited) == len(g.names) })
	p.tours[start] = t
	return t
}

// walk goes one leg. The door is opened even if it is open.
func (p *player) walk(l leg) {
	p.say("open door to %s", l.end)
	p.say("go to %s", l.end)
}
