package report

import (
	"fmt"
	"strings"

	"heldout/scoring/record"
)

const (
	searchMark = "°"
	// searchNote explains the mark.
	searchNote = searchMark +
		" A search: an oracle that sees in copies of the world what actions lead to, as no agent can."
)

// searches reports whether an episode of the row looks ahead in copies of its world.
func (r row) searches() bool { return strings.HasPrefix(r.Condition.Agent, "search:") }

// searchNotes say which rows are searches, and what kept them from solving more.
func searchNotes(rows []row) (notes []string) {
	for _, r := range rows {
		if !r.searches() {
			continue
		}
		if len(notes) == 0 {
			notes = append(notes, searchNote)
		}
		var out []string
		if n := r.Replies.Searches[record.SearchBudget]; n > 0 {
			out = append(out, fmt.Sprintf("%d of %d searches spent their budget", n, r.Replies.Episodes))
		}
		if n := r.Replies.Unread; n > 0 {
			out = append(out, fmt.Sprintf("%d of %d calls brought no proposal that could be read", n,
				r.Replies.SearchCalls))
		}
		if out != nil {
			notes = append(notes, fmt.Sprintf("%s on %s: %s.", r.name, r.place(), strings.Join(out, "; ")))
		}
	}
	return notes
}
