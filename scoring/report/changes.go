package report

import (
	"fmt"
	"slices"
	"strings"

	"heldout/scoring/agentboard"
	"heldout/scoring/protocol"
	"heldout/scoring/table"
)

// departure is a change of the protocol.
type departure struct {
	text string
	// models are those that were played so, places where, if it is not all of them.
	models, places []string
}

func (d departure) String() string {
	text := d.text
	if d.places != nil {
		text += " on " + table.List(d.places)
	}
	if d.models != nil {
		text += " (" + strings.Join(d.models, ", ") + ")"
	}
	return text
}

// departed says what of the default protocol the runs changed. Presets list their own changes.
func (r *Report) departed() (out []departure) {
	var titles []string
	byChange := map[string][]row{}
	var changes []string
	for _, of := range r.plain {
		titles = appendNew(titles, of.claimPlace().Title)
		for _, change := range of.changes() {
			changes = appendNew(changes, change)
			byChange[change] = append(byChange[change], of)
		}
	}
	for _, change := range changes {
		d := departure{text: change}
		for _, of := range byChange[change] {
			d.models, d.places = appendNew(d.models, of.line), appendNew(d.places, of.claimPlace().Title)
		}
		if !slices.ContainsFunc(r.plain, func(of row) bool {
			return slices.Contains(d.places, of.claimPlace().Title) && !slices.Contains(d.models, of.line)
		}) {
			d.models = nil
		}
		if len(d.places) == len(titles) {
			d.places = nil
		}
		out = append(out, d)
	}
	return out
}

// changes lists what a row has changed of its protocol.
func (r row) changes() []string {
	switch {
	case r.Condition.Preset != nil:
		return r.Condition.Preset.Changes
	case r.Condition.Decoding == nil:
		return protocol.Changes(protocol.Setup(r.Condition, r.Environment))
	}
	return protocol.Changes(r.parts())
}

// common are the changes by which all models were played; all of them if no difference between models says the others.
func (r *Report) common(besides string) (out []string) {
	for _, d := range r.changes() {
		if d.models == nil || besides == "" {
			out = append(out, d.String())
		}
	}
	return out
}

// protocols names the protocols of the rows, with what is changed and what differs between models, if that is not
// said yet.
func (r *Report) protocols(said string) string {
	text, besides := r.protocolNames(), r.standing().Besides()
	if changes := r.common(besides); len(changes) > 0 {
		text += ", changed: " + strings.Join(changes, ", ")
	}
	if besides != "" && !strings.Contains(said, besides) {
		text += "; " + besides
	}
	return text
}

// changedNote says which changes all models have.
func (r *Report) changedNote(besides string) []string {
	changes := r.common(besides)
	if len(changes) == 0 {
		return nil
	}
	names, verb := r.protocolNames(), "is"
	if strings.Contains(names, " and ") {
		verb = "are"
	}
	return []string{fmt.Sprintf("The %s %s changed: %s.", names, verb, strings.Join(changes, ", "))}
}

// protocolNames names the protocols of the rows; logs of AgentBoard do not state theirs.
func (r *Report) protocolNames() string {
	var names []string
	for _, of := range r.plain {
		name := "default protocol"
		if p := of.Condition.Preset; p != nil {
			name = "preset " + p.Label()
		}
		if of.Condition.Agent == agentboard.Agent {
			name = "unstated protocol"
		}
		names = appendNew(names, name)
	}
	return table.List(names)
}
