package pysource_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/configs/pysource"
	"heldout/envs/sharedtest"
)

const program = `"""A module.""" # "no text"
GREETING = ("one \
two" # a comment
  'three\n' r'\n')
def f(x):
    return f"before {x!r:>{width}} {{after}}\t{y}", u"\x41\u00e9\101\q", b'\u0041'
TABLE = {
  "a": "first",
  'b': "second "
       "half", }
other = ["x"]
`

func TestLiterals(t *testing.T) {
	found := sharedtest.Must(pysource.Literals(program))(t)
	for _, c := range []struct {
		first, last int
		want        []string
	}{
		{1, 1, []string{"A module."}},
		{2, 3, []string{"one two", "one twothree\n", "one twothree\n\\n"}},
		{4, 4, []string{"three\n", "three\n\\n", `\n`}},
		{6, 6, []string{"before ", " {after}\t", "Aé" + `A\q`, `\u0041`}},
		{9, 9, []string{"b", "second ", "second half"}},
		{12, 20, nil},
	} {
		sharedtest.Same(t, pysource.Texts(found, c.first, c.last), c.want, "lines", c.first, "to", c.last)
	}
	table, err := pysource.Table(found, "TABLE")
	if diff := cmp.Diff(map[string]string{"a": "first", "b": "second half"}, table); diff != "" || err != nil {
		t.Error(diff, err)
	}
	sharedtest.Fails(t, sharedtest.Err(pysource.Table(found, "NONE")), "", "a table that is not there is found")
}

func TestLiteralsRefuse(t *testing.T) {
	for source, want := range map[string]string{
		"x = 1\ny = 'open\n":                    "line 2: a string has no end",
		`"""open`:                               "line 1: a string has no end",
		`"open\`:                                "line 1: a string has no end",
		`"\x4"`:                                 "cut off",
		`"\N{DASH}"`:                            `\N`,
		`"\U0011ffff"`:                          "not a character",
		`f"{open"`:                              "no end",
		`f"close}"`:                             "single }",
		"\xff":                                  "not UTF-8",
		strings.Repeat("#", pysource.MaxSize+1): "more than",
	} {
		sharedtest.Fails(t, sharedtest.Err(pysource.Literals(source)), want, source)
	}
}

func FuzzLiterals(f *testing.F) {
	f.Add(program)
	f.Add(`f"{a:{b}}" "c" '''d''' rb"\x"`)
	f.Fuzz(func(t *testing.T, source string) {
		found, err := pysource.Literals(source)
		if err != nil {
			return
		}
		for _, l := range found {
			if l.Line < 1 || l.Line > strings.Count(source, "\n")+1 || len(l.Text) > 4*len(source) {
				t.Errorf("%+v", l)
			}
		}
		pysource.Texts(found, 0, 1000)
		_, _ = pysource.Table(found, "a") // must not panic
	})
}

// A literal follows another only if nothing is between them.
func TestFollows(t *testing.T) {
	found := sharedtest.Must(pysource.Literals(`"a" "b", "c"`))(t)
	var follows []bool
	for _, l := range found {
		follows = append(follows, l.Follows)
	}
	sharedtest.Same(t, follows, []bool{false, true, false})
}
