package alfworld

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"heldout/envs/datafile"
)

// gameFile is the relevant part of a game.tw-pddl file.
type gameFile struct {
	problem  string // in PDDL
	goal     string // the sentence, with its period
	dialect  dialect
	solvable bool
	// unmarked: the file does not say whether it is solvable.
	unmarked bool
}

// rawGame is what the parser looks at.
type rawGame struct {
	Problem  *string `json:"pddl_problem"`
	Grammar  *string `json:"grammar"`
	Solvable *bool   `json:"solvable"`
}

// parseGameFile reads a game.tw-pddl file: a JSON object with domain, problem
// and text grammar. Domain and grammar are the same in all files of a dialect,
// except for the sentence that states the goal. The parser therefore looks only
// for that sentence and for the markers of the dialect.
func parseGameFile(b []byte) (gameFile, error) {
	var raw rawGame
	// The strict decoder takes half the time; what it refuses, encoding/json may read.
	if err := jsonv2.Unmarshal(b, &raw); err != nil {
		raw = rawGame{}
		if err := datafile.Unmarshal(b, &raw, datafile.Lenient); err != nil {
			return gameFile{}, fmt.Errorf("not a whole game file: %w", err)
		}
	}
	if raw.Problem == nil || raw.Grammar == nil {
		return gameFile{}, errors.New(`not a game file: "pddl_problem" or "grammar" is missing`)
	}
	f := gameFile{problem: *raw.Problem, solvable: raw.Solvable != nil && *raw.Solvable,
		unmarked: raw.Solvable == nil}
	var err error
	if f.goal, err = goalOf(*raw.Grammar); err != nil {
		return gameFile{}, err
	}
	f.dialect, err = dialectOf(*raw.Grammar)
	return f, err
}

func goalOf(grammar string) (string, error) {
	const prefix = `"rhs": "` + goalPrefix
	_, rest, found := strings.Cut(grammar, prefix)
	end := 0
	for found && end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if !found || end >= len(rest) {
		return "", fmt.Errorf("unknown grammar: it has no sentence after %s", prefix)
	}
	var goal string
	if err := json.Unmarshal([]byte(`"`+rest[:end]+`"`), &goal); err != nil {
		return "", fmt.Errorf("unknown grammar: the goal %q: %w", rest[:end], err)
	}
	return goal, nil
}

// dialectOf recognizes the dialect of a grammar by the texts that differ.
func dialectOf(grammar string) (dialect, error) {
	detect := func(old, new string) (isNew bool, err error) {
		hasOld, hasNew := strings.Contains(grammar, old), strings.Contains(grammar, new)
		if hasOld == hasNew {
			return false, fmt.Errorf("unknown grammar: it should have either %q or %q", old, new)
		}
		return hasNew, nil
	}
	var d dialect
	var errs [3]error
	d.moves, errs[0] = detect("put {o} in/on {r}", "move {o} to {r}")
	d.saysMove, errs[1] = detect("You put the ", "You move the ")
	d.namesTarget, errs[2] = detect("You arrive at {lend.name}.", "You arrive at {r.name}.")
	d.helps = strings.Contains(grammar, "action help {")
	return d, errors.Join(errs[:]...)
}
