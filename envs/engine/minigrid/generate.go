package minigrid

import (
	"errors"
	"fmt"
)

// Draws is the source of a world's random numbers.
type Draws interface {
	// Integers draws a number in [low,high).
	Integers(low, high int64) int64
	// Float64 draws a number in [0,1).
	Float64() float64
}

// Generator makes worlds of one level, one after the other. Like the reference's environment object, it remembers
// the room that was locked last from one world to the next (§3.4). Only the first world of a Generator depends on
// the seed alone. It belongs to one goroutine.
type Generator struct {
	level      *Level
	lastLocked *Point
}

// NewGenerator returns a generator of worlds of a level.
func NewGenerator(l *Level) *Generator { return &Generator{level: l} }

// maxDraws limits the random numbers drawn for one world. Worlds take some hundred; the maximum over 200,000 worlds
// was 6,619. The reference would never stop, and it does not stop if a crowded room leaves the agent no valid pose.
const maxDraws = 5_000_000

// Generate makes the world for a source of random numbers. With NumPy's
// generator for a seed, it makes the reference's world for that seed.
func (g *Generator) Generate(d Draws) (*World, error) { return g.generate(d, maxDraws) }

func (g *Generator) generate(d Draws, limit int) (*World, error) {
	limited := budget{Draws: d, remaining: limit}
	for {
		w, err := g.attempt(&limited)
		switch {
		case errors.Is(err, errExhausted):
			return nil, fmt.Errorf("%s: no world was found with %d random numbers; take another seed", g.level.ID,
				limit)
		case err == nil:
			return w, nil
		}
	}
}

// budget ends an attempt that draws too many numbers.
type budget struct {
	Draws
	remaining int
}

var errExhausted = errors.New("too many random numbers")

// Integers implements Draws.
func (b *budget) Integers(low, high int64) int64 {
	if b.remaining--; b.remaining < 0 {
		panic(rejected{errExhausted})
	}
	return b.Draws.Integers(low, high)
}

// attempt makes one attempt at a world. Its error says why it failed.
func (g *Generator) attempt(d Draws) (w *World, err error) {
	b := newBuilder(g.level, d, g.lastLocked)
	defer func() {
		g.lastLocked = b.lastLocked
		switch p := recover().(type) {
		case nil:
		case rejected:
			err = p.reason
		default:
			panic(p)
		}
	}()
	b.placeSlots()
	in := g.level.build(b)
	b.validate(in)
	return b.finish(in), nil
}

// finish turns an accepted attempt into a world (§3.6).
func (b *builder) finish(in *Instruction) *World {
	w := b.World
	w.instruction = in
	in.descriptors(func(d *Descriptor) { d.find(w) }) // from the agent's starting pose
	w.maxSteps = b.level.maxSteps
	if w.maxSteps == 0 {
		w.maxSteps = in.effort() * b.roomSize * b.roomSize * b.level.rows * b.level.columns
	}
	w.see()
	if b.carried != None {
		w.set(w.objects[b.carried].Pos, None)
		w.carrying = b.carried
	}
	return w
}
