package export

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// What is said of an export has its counts, and what must not be overlooked.
func TestReportText(t *testing.T) {
	o := options(t, OpenAI, makeRun(t, nil, of(good(1), invalid()), of(good(2))))
	r := export(t, o)
	text := r.Text(o)
	for _, want := range []string{"2 of 2 episodes taken: 2 ", "3 turns: 2 trained, 1 masked (1 invalid)\n",
		o.Out + ": 2 examples, 2 episodes of ", o.ManifestFile() + "\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if r.Advice() != "OpenAI wants at least 10 examples" || r.Warnings() != nil {
		t.Errorf("%q, %q", r.Advice(), r.Warnings())
	}
	if r.Parts[0].Examples = 10; r.Advice() != "" {
		t.Errorf("10 examples are enough: %q", r.Advice())
	}
	r.Different, r.TestEpisodes, r.Parts[0].Examples = []string{"episode 7"}, 1, 0
	if got := strings.Join(r.Warnings(), "\n"); !strings.HasPrefix(got,
		"left out: episode 7\n1 episode of tasks that a benchmark tests with") || !strings.HasSuffix(got, " is empty") {
		t.Error(got)
	}
	want := "nothing is left to export: 5 episodes with a result (3 not solved, 2 another model), " +
		"1 planned without one"
	nothing := Account{Episodes: 5, Unfinished: 1, Omitted: map[Reason]int{"another model": 2, "not solved": 3}}
	sharedtest.Equal(t, (&NothingError{&nothing}).Error(), want)
}

// A file that is no longer what was written is named, with the number of all.
func TestCheckAll(t *testing.T) {
	o := options(t, OpenAI, makeRun(t, nil, of(good(1))))
	export(t, o)
	dir := filepath.Dir(o.Out)
	var out bytes.Buffer
	if _, err := CheckAll(&out, []string{dir}); err != nil || !strings.Contains(out.String(), ": as written\n") {
		t.Fatalf("%v: %s", err, out.String())
	}
	sharedtest.OK(t, os.WriteFile(o.Out, []byte("{}\n"), 0o600))
	out.Reset()
	if _, err := CheckAll(&out, []string{dir}); err == nil || !strings.HasPrefix(err.Error(), "1 of ") {
		t.Errorf("%v: %s", err, out.String())
	}
}
