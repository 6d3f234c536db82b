package testset

import (
	"fmt"
	"testing"
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
		if Contains("numbers", ID, fmt.Sprint(i)) != (i < 500) {
			t.Errorf("%d: %v", i, i >= 500)
		}
		if Contains("numbers", Content, fmt.Sprint(i)) || Contains("no such environment", ID, fmt.Sprint(i)) {
			t.Errorf("%d is found where it is not", i)
		}
	}
}

// The embedded files are whole: sorted digests, each once.
func TestEmbedded(t *testing.T) {
	entries, err := digests.ReadDir("digests")
	if err != nil || len(entries) != 4 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		b, err := digests.ReadFile("digests/" + e.Name())
		if err != nil || len(b)%digestSize != 0 {
			t.Fatal(e.Name(), len(b), err)
		}
		var all [][]byte
		for i := 0; i < len(b); i += digestSize {
			all = append(all, b[i:i+digestSize])
		}
		if string(File(all)) != string(b) {
			t.Errorf("%s is not sorted", e.Name())
		}
	}
}
