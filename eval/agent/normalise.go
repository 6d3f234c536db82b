package agent

import (
	"fmt"
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
	}
	number, ok := strings.CutPrefix(name, configs.NearestBLEU+":")
	threshold, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(threshold >= 0 && threshold < 1) {
		return normaliser{}, fmt.Errorf("unknown normalisation %q; there are lower, first-line and nearest-bleu:T "+
			"with T from 0 to less than 1", name)
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

func tail(text string, n int) string {
	runes := []rune(text)
	return string(runes[max(0, len(runes)-n):])
}
