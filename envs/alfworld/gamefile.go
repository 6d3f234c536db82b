package alfworld

import (
	"errors"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"heldout/envs/datafile"
	"heldout/envs/engine/planning"
	"heldout/envs/testset"
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

// parseGameFile reads a game.tw-pddl file: a JSON object with domain, problem and text grammar. The published files
// of a dialect have the same domain and the same grammar, except for the sentence that states the goal. So only
// that sentence is taken from the grammar, and which dialect it is; a file of another grammar is refused.
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
	g, err := readGrammar(*raw.Grammar)
	if err != nil {
		return gameFile{}, fmt.Errorf("unknown grammar: %w", err)
	}
	if f.goal, err = g.goal(); err != nil {
		return gameFile{}, err
	}
	f.dialect, err = g.dialect()
	return f, err
}

// content identifies a game's problem whatever things are called; see planning.Sameness. A problem
// that cannot be read has none; an error says so when it is played.
func (f gameFile) content() string {
	content, _ := planning.Sameness(gameName, f.problem, "otype", "rtype")
	return content
}

// Republished reports whether a game file is one of the games that benchmarks test with, in the
// form in which ALFWorld has published them since 0.4.0.
func Republished(file []byte) bool {
	f, err := parseGameFile(file)
	return err == nil && f.dialect == modern && testset.Tests().Contains(Name, testset.Content, f.content())
}
