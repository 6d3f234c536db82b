package report

import (
	"slices"
	"strings"

	"heldout/scoring/table"
)

// allNotes are all notes on the first table, one below the other.
func allNotes(r *Report, t *table.Table) {
	s := r.standing()
	if len(s.lines) == 0 {
		return
	}
	t.Columns = nil
	t.Notes = slices.Concat(s.legend(r), r.caveats(s), aboutNotes(r.plain), decodings(r.plain), prompts(r.plain),
		settings(r.plain), stepLimits(r.plain), incomplete(r.plain), replyNotes(r.plain), ruleNotes(r.plain),
		lateNotes(r.plain), otherNames(r.plain), r.sweptNotes(), r.indexNotes(), r.trialNotes(),
		sources(r.baselines, ""))
	for i, note := range t.Notes {
		t.Notes[i] = strings.Replace(note, ": --table notes.", ".", 1)
	}
	t.Notes = appendNew(nil, t.Notes...)
}
