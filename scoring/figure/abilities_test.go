package figure

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

var leastWeight = regexp.MustCompile(`Scores are partial: on at least (\d+)% of AgentBoard's weights\.`)

// The caption says the share of AgentBoard's weights that the models in the figure have at least,
// in whole percent, and nothing if they have all.
func TestPartial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb := table.Table{ID: "abilities", Columns: columnsOf("abilities")}
		shares := map[string]float64{}
		for i := range rapid.IntRange(1, 2*mostColored).Draw(t, "models") {
			name := fmt.Sprintf("model-%d.", i)
			shares[name] = float64(rapid.IntRange(1, 23).Draw(t, "weight")) / 23
			if rapid.Bool().Draw(t, "all") {
				shares[name] = 1
			}
			tb.Add(column.Model.Val(name), column.Ability.Val("memory"), column.Origin.Val(column.FromRun),
				column.AbilityScore.Col.Val(rapid.Float64Range(0, 1).Draw(t, "score")), column.Weight.Val(shares[name]))
		}
		f := sharedtest.Must(New("abilities", tables{tb}))(t)
		var b bytes.Buffer
		sharedtest.OK(t, f.Write(&b, "svg"))
		least := 1.0
		for name, share := range shares {
			if strings.Contains(b.String(), name) {
				least = min(least, share)
			}
		}
		said := 100.0
		if m := leastWeight.FindStringSubmatch(f.Caption); m != nil {
			said, _ = strconv.ParseFloat(m[1], 64)
		}
		if said > 100*least+1e-6 || said <= 100*least-1 || (least < 1) != strings.Contains(f.Caption, "partial") {
			t.Errorf("%q of models with at least %v", f.Caption, least)
		}
	})
}
