package generate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"heldout/eval/training/calls"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
)

// Outcome says what became of an item.
type Outcome string

// The outcomes.
const (
	Included Outcome = "kept"
	Removed  Outcome = "duplicate"
	GivenUp  Outcome = "given up"
	NoResult Outcome = "no result" // a call has no reply yet
)

// Trajectory is a line of TrajectoriesFile: an item that passed.
type Trajectory struct {
	ID      string `json:"id"`
	Persona string `json:"persona"`
	// Calls is the number of calls that it took, those for the script included.
	Calls      int             `json:"calls"`
	Script     json.RawMessage `json:"script"`
	Trajectory json.RawMessage `json:"trajectory"` // as synth.Mask writes it
}

// ItemLine is a line of record.ItemsFile.
type ItemLine struct {
	Item      int        `json:"item"` // from 0
	ID        string     `json:"id"`
	Persona   string     `json:"persona"`
	Outcome   Outcome    `json:"outcome"`
	Duplicate *Duplicate `json:"duplicate,omitempty"` // what a removed item is a duplicate of
	Calls     []ItemCall `json:"calls,omitempty"`
	// Verdict is the verdict of the verification, for items that passed.
	Verdict *synth.Verdict `json:"verdict,omitempty"`
}

// Collection is what a number of items came to.
type Collection struct {
	Items    int
	Outcomes map[Outcome]int
	ByCalls  map[int]int       // numbers of items that passed, by the number of their calls
	Rejected map[Rejection]int // numbers of rejected replies by what they were for and why
	Accepted map[string]int    // numbers of accepted replies by what they were for
	// Recovered counts, of the items with at least one reply that was rejected for a
	// reason, those that passed; Rejecting counts all of them.
	Rejecting, Recovered map[Rejection]int
	// Mended counts the replies of attempts that were mended, Repeated the continuations
	// that told kept turns again.
	Mended, Repeated int
	Rules            map[Rule]int
	// Errors and Repaired are sums over the items that stay; Turns too.
	Errors, Repaired, Turns int
	Diversity               Diversity
}

// Rejection is why a reply was rejected.
type Rejection struct {
	Kind   string
	Reason synth.Reason
}

// Collect makes the items again from the recorded calls, in order, removes the
// duplicates, and writes both files. g.Ask must ask no model.
func Collect(ctx context.Context, book *calls.Book, g *Generator, items int, threshold float64) (*Collection, error) {
	var c *Collection
	err := book.Replace(record.TrajectoriesFile, func(out io.Writer) error {
		return book.Replace(record.ItemsFile, func(log io.Writer) (err error) {
			c, err = collect(ctx, g, items, threshold, record.NewLines(out), record.NewLines(log))
			return err
		})
	})
	return c, err
}

func collect(ctx context.Context, g *Generator, items int, threshold float64, out, log record.Lines) (*Collection,
	error) {
	c := &Collection{
		Items: items, Outcomes: map[Outcome]int{}, ByCalls: map[int]int{}, Rejected: map[Rejection]int{},
		Accepted: map[string]int{}, Rejecting: map[Rejection]int{}, Recovered: map[Rejection]int{},
		Rules: map[Rule]int{}, Diversity: Diversity{},
	}
	index, err := g.buildIndex(ctx, items, threshold)
	if err != nil {
		return nil, err
	}
	for i := range items {
		line := ItemLine{Item: i, ID: g.id(i), Persona: g.Personas[i%len(g.Personas)], Outcome: NoResult}
		item, err := g.replay(ctx, i)
		if err != nil {
			return nil, err
		}
		if item != nil {
			c.attempts(item)
			line.Calls, line.Outcome = item.Attempts, GivenUp
		}
		if item != nil && item.Passed {
			line.Verdict = &item.Verdict
			if line.Duplicate, err = c.passed(item, index, out, g.Verify); err != nil {
				return nil, err
			}
			line.Outcome = Included
			if line.Duplicate != nil {
				line.Outcome = Removed
			}
		}
		c.Outcomes[line.Outcome]++
		if err := log.Encode(line); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// replay makes an item from the recorded calls; nil if some are missing.
func (g *Generator) replay(ctx context.Context, i int) (*Item, error) {
	item, err := g.Make(ctx, i)
	if errors.Is(err, calls.ErrUnasked) {
		return nil, nil
	}
	return item, err
}

// buildIndex is an index of near duplicates that has seen all items.
func (g *Generator) buildIndex(ctx context.Context, items int, threshold float64) (*nearIndex, error) {
	index := newNear(threshold)
	for i := range items {
		item, err := g.replay(ctx, i)
		if err != nil {
			return nil, err
		}
		if item == nil || !item.Passed {
			continue
		}
		script, turns, err := item.parsed()
		if err != nil {
			return nil, err
		}
		index.see(script, turns)
	}
	return index, nil
}

func (item *Item) parsed() (*synth.Script, []synth.Turn, error) {
	script, err := synth.ParseScript(item.Script)
	if err != nil {
		return nil, nil, fmt.Errorf("item %d: %w", item.Index, err)
	}
	turns, err := synth.ParseTurns(list(item.Trajectory))
	if err != nil {
		return nil, nil, fmt.Errorf("item %d: %w", item.Index, err)
	}
	return script, turns, nil
}

func (c *Collection) attempts(item *Item) {
	var rejections []Rejection
	for _, a := range item.Attempts {
		if a.Mended {
			c.Mended++
		}
		if a.Repeated > 0 {
			c.Repeated++
		}
		if a.Reason == "" {
			c.Accepted[a.Kind]++
			continue
		}
		r := Rejection{a.Kind, a.Reason}
		c.Rejected[r]++
		if !slices.Contains(rejections, r) {
			rejections = append(rejections, r)
		}
	}
	for _, r := range rejections {
		c.Rejecting[r]++
		if item.Passed {
			c.Recovered[r]++
		}
	}
}

// passed counts and writes an item that passed, unless it is a duplicate.
func (c *Collection) passed(item *Item, index *nearIndex, out record.Lines, verify synth.Options) (*Duplicate, error) {
	c.ByCalls[len(item.Attempts)]++
	script, turns, err := item.parsed()
	if err != nil {
		return nil, err
	}
	if d := index.add(item.ID, script, turns); d != nil {
		c.Rules[d.Rule]++
		return d, nil
	}
	c.Diversity.add(item.Script, script, turns)
	c.Errors += item.Verdict.Errors
	c.Repaired += item.Verdict.Repaired
	c.Turns += item.Verdict.Turns
	masked, err := synth.Mask(list(item.Trajectory), verify)
	if err != nil {
		return nil, err
	}
	return nil, out.Encode(Trajectory{item.ID, item.Persona, len(item.Attempts), item.Script, masked})
}
