// Package nprand draws the same random numbers as NumPy's default generator: numpy.random.default_rng(seed), which
// consists of a SeedSequence, a PCG64 and a Generator. It implements what the worlds of MiniGrid need: bounded
// integers and floats.
package nprand

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Generator is numpy.random.Generator on PCG64: a 128-bit linear congruential
// generator whose output is permuted by XSL-RR. It belongs to one goroutine.
type Generator struct {
	state, inc uint128
	// A 64-bit output serves two 32-bit requests; half is the second one.
	half    uint32
	hasHalf bool
}

// New returns the generator for a seed of any size that is not negative.
func New(seed *big.Int) (*Generator, error) {
	if seed.Sign() < 0 {
		return nil, fmt.Errorf("nprand: seed %v is negative", seed)
	}
	words := newSeedSequence(seed).words64()
	g := &Generator{inc: uint128{words[2], words[3]}.double()}
	g.inc.lo |= 1
	g.advance()
	g.state = g.state.add(uint128{words[0], words[1]})
	g.advance()
	return g, nil
}

// multiplier is PCG64's multiplier.
var multiplier = uint128{0x2360ed051fc65da4, 0x4385df649fccf645}

func (g *Generator) advance() { g.state = g.state.mul(multiplier).add(g.inc) }

// Uint64 draws 64 bits. It does not use a half that is kept for Uint32.
func (g *Generator) Uint64() uint64 {
	g.advance()
	return bits.RotateLeft64(g.state.hi^g.state.lo, -int(g.state.hi>>58))
}

// Uint32 draws 32 bits: the low half of a Uint64, and then its high half.
func (g *Generator) Uint32() uint32 {
	if g.hasHalf {
		g.hasHalf = false
		return g.half
	}
	v := g.Uint64()
	g.half, g.hasHalf = uint32(v>>32), true
	return uint32(v)
}

// Float64 draws a number in [0,1), as uniform(0, 1) does.
func (g *Generator) Float64() float64 { return float64(g.Uint64()>>11) / (1 << 53) }

// Integers draws a number in [low,high), as integers(low, high) does, by Lemire's rejection method. A range of one
// number needs no draw. It panics if the range is empty.
func (g *Generator) Integers(low, high int64) int64 {
	if low >= high {
		panic(fmt.Sprintf("nprand: no number is in [%d,%d)", low, high))
	}
	return low + int64(g.bounded(uint64(high)-1-uint64(low)))
}

// bounded draws a number in [0,limit].
func (g *Generator) bounded(limit uint64) uint64 {
	switch {
	case limit == 0:
		return 0
	case limit < 1<<32-1:
		return uint64(g.bounded32(uint32(limit)))
	case limit == 1<<32-1:
		return uint64(g.Uint32())
	case limit == 1<<64-1:
		return g.Uint64()
	}
	n := limit + 1
	hi, lo := bits.Mul64(g.Uint64(), n)
	if lo < n {
		for threshold := -n % n; lo < threshold; {
			hi, lo = bits.Mul64(g.Uint64(), n)
		}
	}
	return hi
}

func (g *Generator) bounded32(limit uint32) uint32 {
	n := limit + 1
	m := uint64(g.Uint32()) * uint64(n)
	if uint32(m) < n {
		for threshold := -n % n; uint32(m) < threshold; {
			m = uint64(g.Uint32()) * uint64(n)
		}
	}
	return uint32(m >> 32)
}

// State is the state of a generator in the form of NumPy's bit_generator.state;
// the large numbers are 32 hex digits.
type State struct {
	State, Inc string
	HasHalf    bool   // the second half of a 64-bit output waits for Uint32
	Half       uint32 // that half, or 0
}

// State returns the generator's current state.
func (g *Generator) State() State {
	s := State{State: g.state.String(), Inc: g.inc.String(), HasHalf: g.hasHalf}
	if g.hasHalf {
		s.Half = g.half
	}
	return s
}

// uint128 is a number modulo 2^128.
type uint128 struct{ hi, lo uint64 }

func (a uint128) add(b uint128) uint128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return uint128{hi, lo}
}

func (a uint128) double() uint128 { return a.add(a) }

func (a uint128) mul(b uint128) uint128 {
	hi, lo := bits.Mul64(a.lo, b.lo)
	return uint128{hi + a.hi*b.lo + a.lo*b.hi, lo}
}

func (a uint128) String() string { return fmt.Sprintf("%016x%016x", a.hi, a.lo) }
