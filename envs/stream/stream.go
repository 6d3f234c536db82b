// Package stream gives named, seeded streams of random numbers. Every random draw in heldout comes from one of
// them, so that a run can be repeated exactly and no stream depends on how much another has been used.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// New returns the stream for a seed and name. Streams whose seed or name differ are independent. The name may have
// several parts; ("ab", "c") is not ("a", "bc").
func New(seed int64, name ...string) *rand.Rand {
	return rand.New(rand.NewChaCha8(key(seed, name)))
}

// Seed returns a number in [0, 2^31) that represents the stream for a seed and
// name. It is for servers that need a seed of their own.
func Seed(seed int64, name ...string) int64 {
	k := key(seed, name)
	return int64(binary.BigEndian.Uint32(k[:4]) >> 1)
}

// key hashes seed and name. The lengths before the parts keep them apart.
func key(seed int64, name []string) [32]byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 128), uint64(seed)) // most names fit
	for _, part := range name {
		b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
		b = append(b, part...)
	}
	return sha256.Sum256(b)
}
