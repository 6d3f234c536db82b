// Package check proves what can be proven of results in a bundle, and says what cannot. Every episode is played
// again here; nothing that the bundle says of its own results is taken for granted.
package check

import (
	_ "embed"
	"fmt"
	"slices"

	"heldout/envs/datafile"
	"heldout/scoring/table"
)

// Verdict is what the check of a claim came to.
type Verdict string

// The verdicts. Open stands for what no check can show, Unchecked for what needs data or an environment that are not
// here.
const (
	Holds     Verdict = "holds"
	Fails     Verdict = "FAILS"
	Open      Verdict = "open"
	Unchecked Verdict = "unchecked"
)

// Claim is what results claim, and what became of it.
type Claim struct {
	// ID is its name, Text what it says, Method how it was checked.
	ID         string  `json:"id"`
	Text       string  `json:"claim"`
	Method     string  `json:"how"`
	Verdict    Verdict `json:"verdict"`
	Incomplete bool    `json:"incomplete,omitempty"` // the claim fails only because something was not played
	// Notes are counts, and what the verdict rests on; at most maxNotes of them.
	Notes   []string `json:"notes,omitempty"`
	Omitted int      `json:"others,omitempty"` // the number of notes beyond these
}

// maxNotes is how many notes a claim keeps, maxNote how much of each, in characters.
const (
	maxNotes = 8
	maxNote  = 1000
)

func (c *Claim) note(format string, about ...any) {
	text := table.Shortened(fmt.Sprintf(format, about...), maxNote)
	switch {
	case slices.Contains(c.Notes, text):
	case len(c.Notes) < maxNotes:
		c.Notes = append(c.Notes, text)
	default:
		c.Omitted++
	}
}

func (c *Claim) fail(format string, about ...any) {
	c.Verdict, c.Incomplete = Fails, false
	c.note(format, about...)
}

// lack notes what was not played, of what the claim says that it was.
func (c *Claim) lack(format string, about ...any) {
	c.Incomplete = c.Incomplete || c.Verdict != Fails
	c.Verdict = Fails
	c.note(format, about...)
}

// open notes why a claim, or a part of it, is neither proven nor refuted.
func (c *Claim) open(format string, about ...any) {
	if c.Verdict == Holds {
		c.Verdict = Open
	}
	c.note(format, about...)
}

// unchecked notes what is not here that the check of a claim needs.
func (c *Claim) unchecked(lacks error) {
	if c.Verdict != Fails {
		c.Verdict = Unchecked
	}
	c.note("%v", lacks)
}

// The claims, printed in the order of claims.yaml.
const (
	files = iota
	signature
	plan
	tasks
	seeds
	results
	attempts
	episodes
	prompts
	presets
	tables
	modelName
	training
)

//go:embed claims.yaml
var claimsYAML []byte

func newClaims() []Claim { return datafile.Embedded[[]Claim](claimsYAML)() }
