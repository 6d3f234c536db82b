package nprand

import "math/big"

// The constants of NumPy's SeedSequence, after M. E. O'Neill's seed_seq_fe.
const (
	initA, multA = 0x43b0d7e5, 0x931e8875
	initB, multB = 0x8b51f9dd, 0x58f38ded
	mixL, mixR   = 0xca01f9dd, 0x4973f715
)

// poolSize is the number of words in the entropy pool of a seed.
const poolSize = 4

// seedSequence is numpy.random.SeedSequence of a seed, without a spawn key.
type seedSequence struct {
	pool [poolSize]uint32
	h    uint32 // the running multiplier while the pool is filled
}

func newSeedSequence(seed *big.Int) *seedSequence {
	entropy := words(seed)
	s := &seedSequence{h: initA}
	for i := range s.pool {
		var w uint32
		if i < len(entropy) {
			w = entropy[i]
		}
		s.pool[i] = s.hash(w)
	}
	for source := range s.pool {
		for target := range s.pool {
			if target != source {
				s.pool[target] = mix(s.pool[target], s.hash(s.pool[source]))
			}
		}
	}
	for i := poolSize; i < len(entropy); i++ {
		for target := range s.pool {
			s.pool[target] = mix(s.pool[target], s.hash(entropy[i]))
		}
	}
	return s
}

// words splits a number into 32-bit words, lowest first; 0 has none.
func words(n *big.Int) []uint32 {
	b := n.Bytes() // highest byte first, none for 0
	out := make([]uint32, (len(b)+3)/4)
	for i := range b {
		place := len(b) - 1 - i
		out[place/4] |= uint32(b[i]) << (8 * (place % 4))
	}
	return out
}

func (s *seedSequence) hash(v uint32) uint32 {
	v ^= s.h
	s.h *= multA
	v *= s.h
	return v ^ v>>16
}

func mix(x, y uint32) uint32 {
	z := mixL*x - mixR*y
	return z ^ z>>16
}

// words32 returns the first eight words of output.
func (s *seedSequence) words32() (out [2 * poolSize]uint32) {
	h := uint32(initB)
	for i := range out {
		v := s.pool[i%poolSize] ^ h
		h *= multB
		v *= h
		out[i] = v ^ v>>16
	}
	return out
}

// words64 returns the first four double words of output.
func (s *seedSequence) words64() (out [poolSize]uint64) {
	w := s.words32()
	for i := range out {
		out[i] = uint64(w[2*i]) | uint64(w[2*i+1])<<32
	}
	return out
}
