package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heldout/scoring/protocol"
	"heldout/scoring/table"
)

// onlyModels begins what differs; equalWeights ends what servers report.
const onlyModels, equalWeights = "not only the models differ", " report the same weights"

// agree reports whether two texts say the same of weights, whatever else differs.
func agree(a, b string) bool {
	a, _, _ = strings.Cut(a, equalWeights)
	b, _, _ = strings.Cut(b, equalWeights)
	return a == b
}

// otherProtocols says what differs between models in a place besides the models: parts of the protocol,
// each with its values; that their servers report the same weights. Scripted players play by no protocol.
// What their names say is left out.
func (r *Results) otherProtocols(p Scope, models ...Model) string {
	return protocolChanges(r.environments(p), models)
}

func protocolChanges(places []string, models []Model) string {
	models = slices.SortedStableFunc(slices.Values(models), func(a, b Model) int {
		return cmp.Compare(a.Position, b.Position)
	})
	var parts []string
	for _, place := range places {
		var protocols []protocol.Play
		for _, m := range models {
			if m.Parts[place] != nil {
				protocols = append(protocols, protocol.Play{Name: m.Name, Parts: m.Parts[place]})
			}
		}
		labelled := func(part string) bool { return named(models, part) }
		parts = table.AppendNew(parts, protocol.Differences(protocols, labelled)...)
	}
	text, details := "", ""
	if len(parts) > 0 {
		text, details = onlyModels, fmt.Sprintf(" (%s)", strings.Join(parts, "; "))
	}
	if names := sameWeights(models); names != "" {
		text = names + equalWeights
	}
	return text + details
}

// named reports whether the names of all models say the value of a part.
func named(models []Model, part string) bool {
	return !slices.ContainsFunc(models, func(m Model) bool {
		_, details, _ := strings.Cut(strings.TrimSuffix(m.Name, ")"), " (")
		return !slices.ContainsFunc(strings.Split(details, ", "), func(d string) bool {
			return strings.HasPrefix(d, part+" ") || strings.HasSuffix(d, " "+part)
		})
	})
}

// sameWeights names the first models whose servers report the same weights; empty if there are none.
func sameWeights(models []Model) string {
	for i, m := range models {
		for _, model := range models[:i] {
			if m.Weights != "" && m.Weights == model.Weights {
				return model.Name + " and " + m.Name
			}
		}
	}
	return ""
}
