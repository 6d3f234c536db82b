// Package testset knows the tasks that benchmarks test with by their content, so that a
// copy under another name or in another folder is recognised. It has digests, no texts.
package testset

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"slices"
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

// DigestKind says what of a task a digest hashes.
type DigestKind string

const (
	// Content: envs.Task.Content.
	Content DigestKind = "content"
	// ID: envs.Task.ID.
	ID DigestKind = "id"
)

// Digest is the digest of a task's content or ID.
func Digest(kind DigestKind, value string) []byte {
	sum := sha256.Sum256([]byte(string(kind) + "\x00" + value))
	return sum[:digestSize]
}

// File is the file of an environment, with digests in any order.
func File(list [][]byte) []byte {
	list = slices.Clone(list)
	slices.SortFunc(list, bytes.Compare)
	return bytes.Join(slices.CompactFunc(list, bytes.Equal), nil)
}

// Tests are the tasks that benchmarks test with.
var Tests = sync.OnceValue(func() List {
	list := List{}
	entries, _ := digests.ReadDir("digests") // a test reads all that is embedded
	for _, entry := range entries {
		b, _ := digests.ReadFile("digests/" + entry.Name())
		list[entry.Name()] = hex.EncodeToString(b)
	}
	return list
})
