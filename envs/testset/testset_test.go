package testset

import (
	"fmt"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// Every digest of a list is found, and no other one.
func TestHas(t *testing.T) {
	var all [][]byte
	for i := range 1000 {
		all = append(all, Digest(ID, fmt.Sprint(i/2)))
	}
	list := NewList(map[string][][]byte{"numbers": all})
	sharedtest.Equal(t, list.Len(), 500)
	for i := range 1000 {
		sharedtest.Equal(t, list.Contains("numbers", ID, fmt.Sprint(i)), i < 500, i, i >= 500)
		if list.Contains("numbers", Content, fmt.Sprint(i)) || list.Contains("no such environment", ID, fmt.Sprint(i)) {
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

// A list has the tasks that were put in, by kind and environment, and no other.
func TestList(t *testing.T) {
	one := NewList(map[string][][]byte{"pddl": {Digest(Content, "a"), Digest(ID, "b"), Digest(Content, "a")}})
	both := one.Join(NewList(map[string][][]byte{"pddl": {Digest(Content, "c"), Digest(Content, "a")},
		"babyai": {Digest(ID, "d")}}))
	if one.Len() != 2 || both.Len() != 4 {
		t.Errorf("%d and %d tasks", one.Len(), both.Len())
	}
	sharedtest.OK(t, both.Check())
	for _, has := range []struct {
		env, value string
		kind       DigestKind
		want       bool
	}{
		{"pddl", "a", Content, true}, {"pddl", "b", ID, true}, {"pddl", "c", Content, true},
		{"babyai", "d", ID, true}, {"pddl", "a", ID, false}, {"pddl", "d", ID, false},
		{"babyai", "a", Content, false}, {"jericho", "a", ID, false},
	} {
		sharedtest.Equal(t, both.Contains(has.env, has.kind, has.value), has.want, has)
	}
}

// What is no list is refused.
func TestBadLists(t *testing.T) {
	for name, l := range map[string]List{
		"an environment without a name": {"": "000000000001"},
		"upper case":                    {"pddl": "ABCDEF000001"},
		"no hex":                        {"pddl": "g00000000001"},
		"a part of a digest":            {"pddl": "00000000000102"},
		"a digest twice":                {"pddl": "000000000001000000000001"},
		"not in order":                  {"pddl": "000000000002000000000001"},
		"too many":                      {"pddl": strings.Repeat("0", listedSize*(MostListed+1))},
	} {
		if l.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
