package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// Every episode is in exactly one shard, and shards have about the same size.
func TestShardsDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 40).Draw(t, "count")
		sizes := make([]int, count)
		salt := rapid.Int().Draw(t, "salt")
		for i := range 100 * count {
			id := TrialID(fmt.Sprint(salt, i), 2)
			in := 0
			for s := range count {
				if (Shard{s + 1, count}).Contains(id) {
					in++
					sizes[s]++
				}
			}
			if in != 1 {
				t.Fatalf("%s is in %d shards of %d", id, in, count)
			}
		}
		for s, n := range sizes {
			if n < 50 || n > 150 {
				t.Errorf("shard %d of %d has %d of %d episodes", s+1, count, n, 100*count)
			}
		}
	})
}

func TestParseShard(t *testing.T) {
	for text, ok := range map[string]bool{"1/1": true, "3/8": true, "10000/10000": true, "0/3": false, "4/3": false,
		"3": false, "": false, "a/b": false, "1/10001": false, "-1/3": false, "1/2/3": false} {
		s, err := ParseShard(text)
		if (err == nil) != ok || ok && s.String() != text {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
}

// Only directories with the exact names are shards.
func TestShardNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"shard-2-of-3", "shard-1-of-3", "shard-01-of-3", "shard-4-of-3", "shard-x", "other"} {
		sharedtest.OK(t, os.Mkdir(filepath.Join(dir, name), 0o777))
	}
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, "shard-3-of-3"), nil, 0o666))
	got, err := Shards(dir)
	if err != nil || len(got) != 2 || !strings.HasSuffix(got[0], "shard-1-of-3") {
		t.Errorf("%q, %v", got, err)
	}
}
