package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

// Labels are read as they were set; without any, the file goes.
func TestLabels(t *testing.T) {
	p := Parts{t.TempDir()}
	want := Labels{Schema: Schema, Tags: []string{"paper", "héld-out"}, Note: "seed 3\nis odd <b>", Archived: true}
	for range 2 { // the second time, they replace those that are there
		sharedtest.OK(t, p.SetLabels(want))
		if got, err := p.Labels(); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	sharedtest.OK(t, p.SetLabels(Labels{}))
	if entries, err := os.ReadDir(p[0]); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if got, err := p.Labels(); err != nil || !cmp.Equal(got, Labels{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is beyond a limit is neither written nor read, and damage is found.
func TestLabelsLimits(t *testing.T) {
	p := Parts{t.TempDir()}
	for _, l := range []Labels{
		{Tags: strings.Split(strings.Repeat("t ", MaxTags), " ")}, {Tags: []string{strings.Repeat("é", MaxTag+1)}},
		{Tags: []string{""}}, {Note: strings.Repeat("é", MaxNote+1)}, {Note: "\xff"},
	} {
		sharedtest.Fails(t, p.SetLabels(l), "", l)
		b, err := EncodeFile(Labels{Schema: Schema, Tags: l.Tags, Note: l.Note})
		if err != nil || l.Note == "\xff" { // which JSON replaces
			continue
		}
		writeLabels(t, p, b)
		sharedtest.Fails(t, sharedtest.Err(p.Labels()), "", b)
	}
	sharedtest.OK(t, p.SetLabels(Labels{Tags: []string{"paper"}}))
	b := sharedtest.Must(os.ReadFile(p.labels()))(t)
	for _, damaged := range [][]byte{nil, []byte(strings.Replace(string(b), "paper", "pager", 1)),
		make([]byte, MaxLabels+1), []byte(`{"schema":99}`)} {
		writeLabels(t, p, damaged)
		sharedtest.Fails(t, sharedtest.Err(p.Labels()), labelsFile, damaged)
	}
}

func writeLabels(t *testing.T, p Parts, b []byte) {
	t.Helper()
	sharedtest.OK(t, os.WriteFile(filepath.Join(p[0], labelsFile), b, 0o666))
}
