// Package testset knows the tasks that benchmarks test with by their content, so that a
// copy under another name or in another folder is recognised. It has digests, no texts.
package testset

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"slices"
	"sort"
	"sync"
)

// digestSize is the size of a digest in bytes. That one of 100,000 other tasks has one of
// 7,405 digests by chance has a probability of 3 in a million.
const digestSize = 6

// digests are a file per environment: the digests of its test tasks, sorted, one after the
// other. TestDigests in envs/catalog writes them anew from the official data.
//
//go:embed digests
var digests embed.FS

// Kind says what of a task a digest is of.
type Kind string

const (
	// Content: envs.Task.Content.
	Content Kind = "content"
	// ID: envs.Task.ID.
	ID Kind = "id"
)

// Digest is the digest of a task's content or ID.
func Digest(kind Kind, value string) []byte {
	sum := sha256.Sum256([]byte(string(kind) + "\x00" + value))
	return sum[:digestSize]
}

// File is the file of an environment, with digests in any order.
func File(of [][]byte) []byte {
	of = slices.Clone(of)
	slices.SortFunc(of, bytes.Compare)
	return bytes.Join(slices.CompactFunc(of, bytes.Equal), nil)
}

// files are read once.
var files sync.Map // of []byte, by environment

// Has reports whether a test task of an environment has that content or ID.
func Has(env string, kind Kind, value string) bool {
	all, ok := files.Load(env)
	if !ok {
		b, err := digests.ReadFile("digests/" + env)
		if err != nil {
			b = nil // the environment has none
		}
		all, _ = files.LoadOrStore(env, b)
	}
	file, want := all.([]byte), Digest(kind, value)
	_, found := sort.Find(len(file)/digestSize, func(i int) int {
		return bytes.Compare(want, file[i*digestSize:][:digestSize])
	})
	return found
}
