package configs

import (
	"fmt"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// Documents that would keep the parser busy, or the program that uses what they say, are refused.
func TestLimits(t *testing.T) {
	bomb := "extra-body:\n  a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("  %c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9))
	}
	var indented strings.Builder
	for i := range 100 {
		fmt.Fprintf(&indented, "%*sa:\n", i, "")
	}
	var marked strings.Builder
	for i := range 17 {
		fmt.Fprintf(&marked, "k%d: &a%d {x: 1}\n", i, i)
	}
	for name, c := range map[string]struct{ in, want string }{
		"flow": {"env: " + strings.Repeat("[", 200000), "f:1: lists or mappings are nested more than 64 deep"},
		"block": {"env:\n  " + strings.Repeat("- ", 100000),
			"f:2: lists or mappings are nested more than 64 deep"},
		"indent":            {indented.String(), "f:65: lists or mappings are nested more than 64 deep"},
		"oneline":           {strings.Repeat("a: ", 1000), "f:1: a colon with a blank after it is out of place"},
		"aliases":           {bomb, "f:4: there are more than 16 anchors and aliases"},
		"keys with anchors": {marked.String(), "f:17: there are more than 16 anchors and aliases"},
		"nested texts": {"stop: [&a x, &b [*a, *a], *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b]",
			"f:1: there are more than 16 anchors and aliases"},
		"shared": {"stop: [&a " + strings.Repeat("x", 100000) + strings.Repeat(", *a", 42) + "]",
			"f:1: aliases stand for texts of more than 4194304 bytes"},
		"tag": {"model: a\nenv: !!seq [pddl]",
			"f:2: there is a tag, \"!!seq\"; leave it out, or put a text that starts with ! in quotes"},
		"size": {"model: " + strings.Repeat("x", maxYAML),
			"f: the file has more than 262144 bytes, the limit for YAML"},
	} {
		r := DefaultRun()
		if _, err := ParseRun("f", []byte(c.in), &r, nil, nil); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %.200v, want %s", name, err, c.want)
		}
	}
}

// What people write is far from the limits.
func TestWithinLimits(t *testing.T) {
	in := "model: &m vllm:a\nno-ind-model: *m\nextra-body:\n  a: [[[[1]]]]\n" +
		strings.Repeat("# a comment [ with { signs - in it\n", 1000) + "stop: [\"[\", \"{\", \"&a\", \"*b\"]\n"
	r := DefaultRun()
	sharedtest.OK(t, sharedtest.Err(ParseRun("f", []byte(in), &r, nil, nil)))
	sharedtest.Equal(t, r.NoIndModel[0], "vllm:a")
	for _, text := range []string{"&s Play.", "&s 'Play.'", "&s \"Play.\"",
		"&s |\n      Play.\n", "&s >\n      Play.\n"} {
		prompt := "types:\n  a:\n    system: " + text + "\n" // thirty types share a system message
		for i := range 30 {
			prompt += fmt.Sprintf("  t%d: {instruction: go, system: *s}\n", i)
		}
		p := sharedtest.Must(ParsePrompt("f", []byte(prompt)))(t)
		sharedtest.Equal(t, strings.TrimSpace(p.Types["t29"].System), "Play.", text)
	}
	list := "perturb:\n" + strings.Repeat("- P1\n", 1000)
	sharedtest.OK(t, sharedtest.Err(ParseRun("f", []byte(list), &r, nil, nil)))
	sharedtest.Equal(t, len(r.Perturb), 1000)
}

// An error does not repeat a line that fills a screen.
func TestLongLineInError(t *testing.T) {
	r := DefaultRun()
	_, err := ParseRun("f", []byte("modle: "+strings.Repeat("x", 10000)), &r, nil, nil)
	if err == nil || len(err.Error()) > 500 || !strings.Contains(err.Error(), `unknown key "modle"`) {
		t.Error(err)
	}
}

func TestLongRules(t *testing.T) {
	long := strings.Repeat("look ", 200000/5)
	for _, in := range []string{"look: " + long, long[:1000] + ": look"} {
		_, err := Parse[Perturbation]("f", []byte("name: X\nenv: alfworld\nactions: {"+in+"}"))
		if err == nil || !strings.HasPrefix(err.Error(), `f: a rule has more than 500 bytes: "look look look look `) {
			t.Errorf("%.300v", err)
		}
	}
	var many strings.Builder
	for i := range maxRules + 1 {
		fmt.Fprintf(&many, "  a%d: b%d\n", i, i)
	}
	if _, err := Parse[Perturbation]("f", []byte("name: X\nenv: alfworld\nactions:\n"+many.String())); err == nil ||
		err.Error() != "f: there are 201 rules, more than 200" {
		t.Errorf("%.300v", err)
	}
}
