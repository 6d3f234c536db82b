package scienceworld

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"
)

// AppendState appends all that decides how the world goes on, but the number of
// moves. Objects stand under their numbers.
func (w *World) AppendState(b []byte) []byte {
	s := stateWriter{b: b, visited: make([]bool, w.created)}
	s.number(int(w.random.state), int(w.numbers), w.waiting, s.id(w.focus), s.id(w.agent), s.id(w.inventory))
	s.float(w.Score)
	s.flag(w.Completed, w.choices != nil)
	s.text(w.failure)
	s.deeds(w.queue)
	s.deeds(w.choices)
	if w.goals != nil {
		s.goals(w.goals)
		s.deeds(w.history[min(w.goals.since(), len(w.history)):])
	}
	s.id(w.universe)
	for len(s.open) > 0 {
		o := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.object(o)
	}
	return s.b
}

// since is the number of deeds that no goal looks back to.
func (p *goals) since() int {
	first := math.MaxInt
	for i := range p.states {
		if p.states[i].started {
			first = min(first, p.states[i].count)
		}
	}
	return first
}

// stateWriter writes a graph of objects, each once.
type stateWriter struct {
	b       []byte
	visited []bool    // by index
	open    []*Object // to be written
}

func (s *stateWriter) number(values ...int) {
	for _, n := range values {
		s.b = binary.AppendVarint(s.b, int64(n))
	}
}

func (s *stateWriter) float(f float64) {
	s.b = binary.LittleEndian.AppendUint64(s.b, math.Float64bits(f))
}

func (s *stateWriter) flag(flags ...bool) {
	for _, f := range flags {
		s.b = strconv.AppendBool(s.b, f)
	}
}

func (s *stateWriter) text(text string) { s.b = strconv.AppendQuote(s.b, text) }

// id is the number of an object, -1 for none. It is written later.
func (s *stateWriter) id(o *Object) int {
	if o == nil {
		return -1
	}
	if !s.visited[o.index] {
		s.visited[o.index] = true
		s.open = append(s.open, o)
	}
	return int(o.id)
}

func (s *stateWriter) set(x set) {
	s.number(x.capacity, len(x.chain))
	for _, o := range x.chain {
		s.number(s.id(o))
	}
}

func (s *stateWriter) deeds(deeds []deed) {
	s.number(len(deeds))
	for _, d := range deeds {
		s.number(int(d.id), s.id(d.a), s.id(d.b))
	}
}

func (s *stateWriter) goals(p *goals) {
	s.number(p.index, int(p.stored), s.id(p.last))
	s.flag(p.failed)
	for _, key := range p.keys.texts() {
		s.text(key)
	}
	since := p.since()
	for i := range p.states {
		g := &p.states[i]
		s.flag(g.met, g.started)
		if g.started {
			s.text(g.place)
			s.float(g.degrees)
			s.number(g.count, g.count-since)
		}
	}
}

// object writes an object, without what is derived from the rest.
func (s *stateWriter) object(o *Object) {
	s.number(int(o.id), int(o.kind), s.id(o.container), o.fuel, int(o.state), o.count, o.display)
	s.text(o.name)
	s.set(o.contents)
	s.set(o.portals)
	s.flag(o.hidden, o.deleted, o.ticked, o.movable, o.edible, o.isVessel, o.holds, o.open, o.closable, o.isDevice,
		o.activable, o.activated, o.usable, o.broken, o.burning, o.burned)
	s.float(o.temp)
	if o.stuff != nil {
		s.text(o.stuff.Substance)
	}
	s.number(s.id(o.terminals[0]), s.id(o.terminals[1]))
	if o.isTerminal() {
		s.number(s.id(o.owner), s.id(o.partner))
		s.flag(o.live)
		s.float(o.voltage)
	}
	if o.door != nil {
		s.number(s.id(o.door.src), s.id(o.door.dst))
	}
	if o.page != nil {
		s.text(o.page.Title)
	}
	s.life(o)
	if p := o.plane; p != nil {
		s.number(p.degrees, len(p.positions))
		for _, id := range slices.Sorted(maps.Keys(p.positions)) {
			s.number(int(id))
			s.float(p.positions[id])
		}
	}
}

// life writes what living things have.
func (s *stateWriter) life(o *Object) {
	if l := o.life; l != nil {
		s.number(l.stage)
		s.flag(l.sickly, l.dead)
		for _, c := range l.counters {
			s.number(c.mature, c.dry, c.bare, c.heat)
		}
	}
	s.genes(o.genes)
	if f := o.flower; f != nil {
		s.number(s.id(f.plant), f.step)
		s.genes(f.mate)
	}
}

func (s *stateWriter) genes(g *genes) {
	s.flag(g != nil)
	if g != nil {
		for _, parent := range g.parent {
			for _, a := range parent {
				s.b = append(s.b, byte(a))
			}
		}
	}
}
