package view

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/show/overview"
	"heldout/eval/show/page"
	"heldout/eval/show/page/browser"
	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/stats"
)

// compared compares runs as heldout view does.
func compared(_ context.Context, runs []record.Chosen, pages trajectory.Addresses) (page.Page, error) {
	source, err := report.Inputs{Interval: string(stats.TheseKinds)}.Load()
	if err != nil {
		return page.Page{}, err
	}
	rep, _, err := source.Read(runs, true)
	if err != nil {
		return page.Page{}, err
	}
	return overview.Linked(runs, rep, pages)
}

// Nothing of a page is covered or cut, and axe-core finds no fault: at three widths, light and dark, with
// all that unfolds open.
func TestWholeInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	folder := t.TempDir()
	base := newTestRun(t, filepath.Join(folder, "base"), 12, "vllm:base").record(12)
	tuned := newTestRun(t, filepath.Join(folder, "a-run-with-a-long-name-of-many-words"), 12,
		"vllm:a-model/with-a-long-name", "expert").record(20)
	tuned.setStatus(time.Now().Add(time.Hour), 2)
	model := &modelServer{replies: []string{"Thought: I look.\nAction: check valid actions", "Hm."}}
	talked := played(t, model, bench.Plain, func(*configs.Run) {})
	runs := runsOf(base.dir, tuned.dir, talked)
	for i, l := range []record.Labels{
		{Tags: []string{"paper", "second table"}, Note: strings.Repeat("A long note. ", 40)},
		{Tags: []string{strings.Repeat("x", 50)}, Archived: true}} {
		sharedtest.OK(t, runs[i].SetLabels(l))
	}
	prompts := bench.Prompts{Worlds: &bench.Worlds{Texts: bench.Texts{Outside: envs.Outside{Now: time.Now}}}}
	viewer := patient(New(Options{Runs: runs, Now: time.Now, Sent: prompts.Sent, Compare: compared}))
	s := httptest.NewServer(viewer)
	t.Cleanup(func() { viewer.close(); s.Close() })
	_, spoken := attempts(t, talked)
	other := "/runs/a-run-with-a-long-name-of-many-words/"
	const unfold = `document.querySelectorAll('details').forEach((d) => {
		d.open = ![...document.querySelectorAll('.sent')].slice(3).includes(d); // three are like all
	})`
	var looks []browser.Look
	for _, width := range []int64{390, 1024, 1280} {
		look := browser.Look{Width: width, Height: 900}
		looks = append(looks, look)
		look.Dark = true
		looks = append(looks, look)
	}
	for _, c := range []struct{ name, path, do, until string }{
		{"runs", "/?archived=yes", unfold, "document.querySelectorAll('table.runs tbody tr').length === 4"},
		{"labels and filters", "/runs/base/?sort=-steps", unfold,
			"document.querySelector('details.labels[open] textarea')"},
		{"a run that goes on", other, unfold, "document.querySelectorAll('table.inflight tbody tr').length === 2"},
		{"hits", other + "?text=push+box+2&reason=invalid+actions", unfold, "document.querySelector('.hit mark')"},
		{"keys", "/runs/base/", "document.getElementById('keys').showModal()",
			"document.querySelector('dialog[open] dl')"},
		{"as sent", "/runs/run/episodes/" + trajectory.Name(&spoken[0].Result), unfold,
			"document.querySelectorAll('.sent .messages').length > 2"},
		{"beside each other", "/runs/base/episodes/" + base.planned[3].ID + "?with=" +
			strings.TrimPrefix(other, "/runs/") + tuned.planned[4].ID, unfold, "document.querySelector('.tag.parts')"},
		{"compared", "/compare?run=base&run=run", unfold, "document.querySelectorAll('section h2').length > 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := browser.Start(t).Open(t, s.URL+c.path, s.URL, desk)
			p.Until("document.querySelector('main')")
			p.Eval("(() => { " + c.do + "; })()")
			p.Until(c.until)
			p.Eval(unfold) // what came later, too
			for _, look := range looks {
				p.Look(look)
				p.Complete(fmt.Sprintf("%+v", look))
				if *pictures != "" {
					name := fmt.Sprintf("%s-%d-%t.png", strings.ReplaceAll(c.name, " ", "-"), look.Width, look.Dark)
					p.Picture(filepath.Join(*pictures, name))
				}
			}
			for _, look := range looks {
				p.Look(look)
				p.Audit(os.Getenv("HELDOUT_AXE"))
			}
		})
	}
}
