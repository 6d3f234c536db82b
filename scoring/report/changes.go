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
func departed(plain []row) (out []departure) {
	title := func(r row) string { return r.place.Title }
	byChange := map[string][]row{}
	var changes []string
	for _, entry := range plain {
		for _, change := range changesOf(entry) {
			changes = table.AppendNew(changes, change)
			byChange[change] = append(byChange[change], entry)
		}
	}
	for _, change := range changes {
		d := departure{change, table.Keys(byChange[change], lineOf), table.Keys(byChange[change], title)}
		if !slices.ContainsFunc(plain, func(r row) bool {
			return slices.Contains(d.places, r.place.Title) && !slices.Contains(d.models, r.line)
		}) {
			d.models = nil
		}
		if len(d.places) == len(table.Keys(plain, title)) {
			d.places = nil
		}
		out = append(out, d)
	}
	return out
}

// changesOf lists what a row has changed of its protocol.
func changesOf(r row) []string {
	switch {
	case r.Condition.Preset != nil:
		return r.Condition.Preset.Changes
	case r.Condition.Decoding == nil:
		return protocol.Changes(protocol.Setup(r.Condition, r.Environment))
	}
	return protocol.Changes(partsOf(r))
}

// allChanged are the changes by which all models were played; all changes if no difference between models says the
// others.
func allChanged(r *Report, protocols string) []string {
	common := func(d departure) bool { return d.models == nil || protocols == "" }
	return table.Each(table.Filter(departed(r.plain), common), departure.String)
}

// protocolsSaid names the protocols of the rows, with what is changed and what differs between models, if that is not
// said yet.
func protocolsSaid(r *Report, lead string) string {
	text, differences := protocolNames(r.plain), r.standing().ProtocolText()
	if changes := allChanged(r, differences); len(changes) > 0 {
		text += ", changed: " + strings.Join(changes, ", ")
	}
	if differences != "" && !strings.Contains(lead, differences) {
		text += "; " + differences
	}
	return text
}

// changedNote says which changes all models have.
func changedNote(r *Report, protocols string) []string {
	changes := allChanged(r, protocols)
	if len(changes) == 0 {
		return nil
	}
	names, verb := protocolNames(r.plain), "is"
	if strings.Contains(names, " and ") {
		verb = "are"
	}
	return []string{fmt.Sprintf("The %s %s changed: %s.", names, verb, strings.Join(changes, ", "))}
}

// protocolNames names the protocols of the rows; logs of AgentBoard do not state theirs.
func protocolNames(plain []row) string {
	return table.List(table.Keys(plain, func(r row) string {
		switch p := r.Condition.Preset; {
		case r.Condition.Agent == agentboard.Agent:
			return "unstated protocol"
		case p != nil:
			return "preset " + p.Label()
		}
		return "default protocol"
	}))
}
