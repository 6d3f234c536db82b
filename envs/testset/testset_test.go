package testset

import (
	"fmt"
	"testing"

	"heldout/envs/sharedtest"
)

// Every digest of a file is found, and no other one.
func TestHas(t *testing.T) {
	var all [][]byte
	for i := range 1000 {
		all = append(all, Digest(ID, fmt.Sprint(i/2)))
	}
	file := File(all)
	if len(file) != 500*digestSize {
		t.Fatalf("%d bytes", len(file))
	}
	files.Store("numbers", file)
	for i := range 1000 {
		sharedtest.Equal(t, Contains("numbers", ID, fmt.Sprint(i)), i < 500, i, i >= 500)
		if Contains("numbers", Content, fmt.Sprint(i)) || Contains("no such environment", ID, fmt.Sprint(i)) {
			t.Errorf("%d is found where it is not", i)
		}
	}
}

// The embedded files are whole: sorted digests, each once.
func TestEmbedded(t *testing.T) {
	entries := sharedtest.Must(digests.ReadDir("digests"))(t)
	sharedtest.Equal(t, len(entries), 4, entries)
	for _, e := range entries {
		b := sharedtest.Must(digests.ReadFile("digests/" + e.Name()))(t)
		sharedtest.Equal(t, len(b)%digestSize, 0, e.Name(), len(b))
		var all [][]byte
		for i := 0; i < len(b); i += digestSize {
			all = append(all, b[i:i+digestSize])
		}
		sharedtest.Equal(t, string(File(all)), string(b), e.Name(), "is not sorted")
	}
}
