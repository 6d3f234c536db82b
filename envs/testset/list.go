package testset

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// List names tasks by their digests: for each environment the digests in hex, sorted, one after the other.
type List map[string]string

// MostListed is the largest number of tasks in a List that Check allows.
const MostListed = 50_000

// listedSize is the size of a digest in a List, in characters.
const listedSize = 2 * digestSize

var environmentName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// NewList returns the list of digests, by environment.
func NewList(byEnv map[string][][]byte) List {
	l := List{}
	for env, digests := range byEnv {
		l[env] = hex.EncodeToString(File(digests))
	}
	return l
}

// Join returns the tasks of both lists.
func (l List) Join(o List) List {
	byEnv := map[string][][]byte{}
	for _, list := range []List{l, o} {
		for env, digits := range list {
			b, _ := hex.DecodeString(digits) // Check has seen it
			byEnv[env] = slices.AppendSeq(byEnv[env], slices.Chunk(b, digestSize))
		}
	}
	return NewList(byEnv)
}

// Len counts the tasks.
func (l List) Len() (n int) {
	for _, digits := range l {
		n += len(digits) / listedSize
	}
	return n
}

// Contains reports whether a task of an environment has that content or ID.
func (l List) Contains(env string, kind DigestKind, value string) bool {
	digits, want := l[env], hex.EncodeToString(Digest(kind, value))
	_, found := sort.Find(len(digits)/listedSize, func(i int) int {
		return strings.Compare(want, digits[i*listedSize:][:listedSize])
	})
	return found
}

// Check reports what no list has: too many tasks, environments without a name, digests that
// are none or not in order.
func (l List) Check() error {
	if n := l.Len(); n > MostListed {
		return fmt.Errorf("there are %d tasks, the limit is %d", n, MostListed)
	}
	for _, env := range slices.Sorted(maps.Keys(l)) {
		if !environmentName.MatchString(env) {
			return fmt.Errorf("%.60q is not the name of an environment", env)
		}
		if err := ordered(l[env]); err != nil {
			return fmt.Errorf("%s: %w", env, err)
		}
	}
	return nil
}

// ordered reports digits that are not digests in order.
func ordered(digits string) error {
	b, err := hex.DecodeString(digits)
	if err != nil || len(b)%digestSize != 0 || hex.EncodeToString(b) != digits {
		return fmt.Errorf("want %d hex digits in lower case for each task", listedSize)
	}
	last := ""
	for digest := range slices.Chunk(b, digestSize) {
		if string(digest) <= last {
			return errors.New("the digests are not in order, or one is there twice")
		}
		last = string(digest)
	}
	return nil
}
