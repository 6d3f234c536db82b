package testset

import (
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

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
