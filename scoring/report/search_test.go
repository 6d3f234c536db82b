package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/scoring"
	"heldout/scoring/record"
)

// Rows of searches are marked, and notes say what kept them.
func TestSearchNotes(t *testing.T) {
	rowOf := func(agent string, replies scoring.Replies) row {
		s := &scoring.Score{Condition: record.Condition{Env: "pddl", Agent: agent}}
		s.Replies = replies
		return row{Score: s, name: "m"}
	}
	plain := rowOf("react", scoring.Replies{Episodes: 5})
	if plain.searches() || searchNotes([]row{plain}) != nil {
		t.Error("react does not search")
	}
	got := searchNotes([]row{plain, rowOf("search:beam", scoring.Replies{
		Episodes: 5, Searches: map[record.SearchEnd]int{record.SearchBudget: 2, record.SearchSolved: 3},
		SearchCalls: 80, Unread: 7}), rowOf("search:mcts", scoring.Replies{Episodes: 4})})
	want := []string{searchNote, "m on pddl: 2 of 5 searches spent their budget; 7 of 80 calls brought no proposal that " +
		"could be read."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
