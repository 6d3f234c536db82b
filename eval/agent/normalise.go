package agent

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs/pytext"
	"heldout/eval/agent/bleu"
)

// normaliser changes an action before it is sent. admissible lists what the
// environment accepts now; it is called only if that is needed.
type normaliser struct {
	name string
	// lists: it needs the admissible actions.
	lists bool
	apply func(action string, admissible func() ([]string, error)) (string, error)
}

// newNormaliser returns the normaliser of that name:
//
//   - lower: lower case.
//   - first-line: the first line of the text without white space around it.
//   - strip-punctuation: without punctuation at the end.
//   - put-repair: "put X in Y" and "put X on Y" become "put X in/on Y"; with a colon and
//     a form, the prepositions of that form.
//   - nearest-bleu:T: an action that is not admissible becomes the admissible
//     action with the highest BLEU, if that is above T.
func newNormaliser(name string) (normaliser, error) {
	plain := func(f func(string) string) (normaliser, error) {
		return normaliser{name, false, func(action string, _ func() ([]string, error)) (string, error) {
			return f(action), nil
		}}, nil
	}
	switch name {
	case "lower":
		return plain(pytext.Lower)
	case "first-line":
		return plain(func(action string) string {
			line, _, _ := strings.Cut(pytext.Strip(action), "\n")
			return line
		})
	case "strip-punctuation":
		return plain(func(action string) string { return strings.TrimRight(action, ".,;:!?\"'") })
	}
	if form, ok := strings.CutPrefix(name, configs.PutRepair); ok {
		form = cmp.Or(strings.TrimPrefix(form, ":"), configs.PutForm)
		n, err := plain(putRepair(form))
		n.name = configs.PutRepair
		return n, err
	}
	number, ok := strings.CutPrefix(name, configs.NearestBLEU+":")
	threshold, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(threshold >= 0 && threshold < 1) {
		return normaliser{}, fmt.Errorf("unknown normalisation %q; there are lower, first-line, strip-punctuation, "+
			"put-repair and nearest-bleu:T with T from 0 to less than 1", name)
	}
	return normaliser{name, true, func(action string, admissible func() ([]string, error)) (string, error) {
		choices, err := admissible()
		if err != nil || action == "" || slices.Contains(choices, action) {
			return action, err
		}
		if nearest, ok := bleu.Nearest(action, choices, threshold); ok {
			return nearest, nil
		}
		return action, nil
	}}, nil
}

// bothPrepositions is the preposition of ALFWorld's first dialect.
const bothPrepositions = "in/on"

// slotOfForm finds the slots of a form whose other characters are quoted.
var slotOfForm = regexp.MustCompile(`\\\{[a-z]+\\\}`)

// putRepair writes that preposition where an action of a form has one of both. A form
// without it needs no repair.
func putRepair(form string) func(action string) string {
	var withOne []*regexp.Regexp
	quoted, slot := slotOfForm.ReplaceAllString(regexp.QuoteMeta(form), ".*?"), regexp.QuoteMeta(bothPrepositions)
	for _, preposition := range []string{"in", "on"} {
		if strings.Contains(quoted, slot) {
			pattern := strings.Replace(quoted, slot, "("+preposition+")", 1)
			withOne = append(withOne, regexp.MustCompile("(?s)^"+pattern+"$"))
		}
	}
	return func(action string) string {
		if strings.Contains(action, " "+bothPrepositions+" ") {
			return action
		}
		for _, one := range withOne {
			if loc := one.FindStringSubmatchIndex(action); loc != nil {
				return action[:loc[2]] + bothPrepositions + action[loc[3]:]
			}
		}
		return action
	}
}

func tail(text string, n int) string {
	runes := []rune(text)
	return string(runes[max(0, len(runes)-n):])
}
