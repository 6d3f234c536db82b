package view

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// listedReasons are the reasons in a list that is sorted by them, also as its downloads have them.
func listedReasons(t *testing.T, s *Server, query string) (out []string) {
	t.Helper()
	page := body(t, get(t, s, "/runs/a/"+query))
	for _, part := range strings.Split(page, `<td class="left why">`)[1:] {
		out = append(out, part[:strings.Index(part, "<")])
	}
	var attempts []downloaded
	text := body(t, get(t, s, "/runs/a/download/episodes.json"+query))
	if err := json.Unmarshal([]byte(text), &attempts); err != nil || len(attempts) != len(out) {
		t.Fatalf("%d attempts in JSON, %d in the list, %v", len(attempts), len(out), err)
	}
	lines, err := csv.NewReader(strings.NewReader(body(t, get(t, s, "/runs/a/download/episodes.csv"+query)))).ReadAll()
	if err != nil || len(lines) != len(out)+1 || lines[0][11] != "reason" {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i, want := range out {
		if attempts[i].Reason != want || lines[i+1][11] != want {
			t.Errorf("%d: %q in the list, %q in JSON, %q in CSV", i, want, attempts[i].Reason, lines[i+1][11])
		}
	}
	return out
}

// Lists are sorted by the reasons of failures, solved episodes last, also of runs that grow and of files
// that are replaced.
func TestSortedByReason(t *testing.T) {
	r := newTestRun(t, filepath.Join(t.TempDir(), "a"), 90, "m").record(12)
	now := start
	s := patient(New(Options{Runs: runsOf(r.dir), Now: func() time.Time { return now }}))
	const early, invalid = "gave up or game over,", "invalid actions,"
	wants := func(earlies, invalids, solved int) {
		t.Helper()
		rising := strings.Repeat(early, earlies) + strings.Repeat(invalid, invalids)
		falling := strings.Repeat(invalid, invalids) + strings.Repeat(early, earlies)
		none := strings.Repeat(",", solved)
		for query, want := range map[string]string{"?sort=reason": rising + none, "?sort=-reason": falling + none,
			"?sort=reason&outcome=failure": rising} {
			sharedtest.Equal(t, strings.Join(listedReasons(t, s, query), ",")+",", want, query)
		}
	}
	wants(4, 2, 6)
	r.record(60)
	now = now.Add(2 * fresh)
	wants(24, 12, 36)
	name := filepath.Join(r.dir, "episodes.jsonl")
	content := sharedtest.Must(os.ReadFile(name))(t)
	lines := strings.SplitAfter(string(content), "\n")
	sharedtest.OK(t, os.WriteFile(name, []byte(strings.Join(lines[3:20], "")), 0o644))
	now = now.Add(2 * fresh)
	wants(6, 3, 8)
}

// A list that must wait for reasons says so.
func TestUnreadReasons(t *testing.T) {
	s := serverOf(newTestRun(t, filepath.Join(t.TempDir(), "a"), 12, "m").record(12).dir)
	s.openAll(s.runs())
	for _, r := range s.runs() {
		r.patience = 50 * time.Millisecond
	}
	for range maxBusy {
		s.readers <- struct{}{} // others read
	}
	for query, want := range map[string]string{
		"?sort=reason": "the records are being read", "?sort=steps": "12 of 12 episodes",
		"?reason=invalid+actions": "the records are being read",
	} {
		sharedtest.Contains(t, body(t, get(t, s, "/runs/a/"+query)), want, query)
	}
	<-s.readers
	if text := body(t, get(t, patient(s), "/runs/a/?sort=reason")); !strings.Contains(text, `aria-sort="ascending"`) {
		t.Error("the list is not sorted after that")
	}
}
