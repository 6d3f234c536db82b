package board

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/show/page/browser"
)

var pictures = flag.String("pictures", "", "write pictures of the pages into this folder")

// TestMain ends the browser of the tests.
func TestMain(m *testing.M) {
	defer browser.Stop()
	m.Run()
}

// open opens a board of four rows, one of which is not proven.
func open(t *testing.T, look browser.Look) *browser.Page {
	t.Helper()
	b := browser.Start(t)
	limits := func(mean, low, high float64) Rate { return Rate{mean, &low, &high} }
	board := &Board{Date: "2026-01-02", Version: "v1", Unread: []Unread{{"broken", "this is not a bundle"}},
		Places: []Ranking{{Name: "agentrefine@1:pddl", Title: "PDDL, preset agentrefine@1:pddl", Rows: []ModelRow{
			{Model: "vllm:small", Bundle: "a", Who: "A Group", Checked: true, Success: limits(80, 71, 87),
				Progress: limits(100, 98, 100), Best: 1, Worst: 2, Tasks: 60, Seeds: 3, Tokens: 123456,
				About: configs.AboutModel{Parameters: 0.5, Base: "base-s", TrainingData: []string{}}},
			{Model: "vllm:medium", Bundle: "b", Checked: true, Success: limits(70, 61, 77), Best: 1, Worst: 2,
				About: configs.AboutModel{Parameters: 8, TrainingData: []string{"<b>own</b>"}}},
			{Model: "vllm:large", Bundle: "c", Checked: true, Success: limits(60, 51, 67), Best: 3, Worst: 3,
				About: configs.AboutModel{Parameters: 70}},
			{Model: "vllm:forged", Bundle: "d", Success: limits(99, 97, 100),
				Why: []string{"episodes: it was <edited>"}},
		}}}}
	var out bytes.Buffer
	sharedtest.OK(t, board.page().Write(&out))
	name := filepath.Join(t.TempDir(), "index.html")
	sharedtest.OK(t, os.WriteFile(name, out.Bytes(), 0o600))
	page := b.Open(t, "file://"+name, "file://"+name, look)
	page.Until("!document.getElementById('filters').hidden")
	return page
}

// picture takes a picture if somebody wants to look at it.
func picture(p *browser.Page, name string) {
	if *pictures != "" {
		p.Picture(filepath.Join(*pictures, name+".png"))
	}
}

// Filters leave rows out and say how many are left. The page asks for nothing else: Open would fail the test.
func TestFiltersInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	p := open(t, browser.Look{Width: 1200, Height: 900})
	picture(p, "board")
	for _, c := range sharedtest.Cases[struct{ Set, Want, Says string }](t, "filters.yaml") {
		got := p.Eval(`(() => {
			const { elements: form } = document.getElementById('filters');
			document.getElementById('filters').reset();
			` + c.Set + `;
			document.getElementById('filters').dispatchEvent(new Event('input'));
			return [...document.querySelectorAll('tr.result')].filter((r) => r.getClientRects().length > 0)
				.map((r) => r.querySelector('th').textContent).join(' ');
		})()`)
		if says := p.Eval("document.getElementById('shown').textContent"); got != c.Want || says != c.Says {
			t.Errorf("%s: %q, %q, want %q, %q", c.Set, got, says, c.Want, c.Says)
		}
	}
}

// In a narrow window the table scrolls within the page, and no number is broken into lines.
func TestNarrowInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	p := open(t, browser.Look{Width: 420, Height: 800})
	picture(p, "board-narrow")
	if got := p.Eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); got != "0" {
		t.Errorf("the page is %s pixels wider than the window", got)
	}
	sharedtest.Equal(t, p.Eval(`[...document.querySelectorAll('tr.result td:not(.left)')].filter((cell) => {
		const range = document.createRange();
		range.selectNodeContents(cell);
		return new Set([...range.getClientRects()].map((box) => box.top)).size > 1;
	}).map((cell) => cell.textContent).join(' ')`), "", "these numbers have several lines")
}

// The page has no fault that axe-core finds, in light and dark, wide and narrow, with the
// reasons of rows that are not proven open.
func TestAccessibleInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	p := open(t, browser.Look{Width: 1440, Height: 900})
	p.Eval("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
	p.Audit(os.Getenv("HELDOUT_AXE"))
	p.Look(browser.Look{Width: 420, Height: 800, Dark: true})
	p.Audit(os.Getenv("HELDOUT_AXE"))
}

// A model that is alone has one table of all environments, without the columns that say nothing.
func TestOneModel(t *testing.T) {
	b := &Board{}
	for _, name := range []string{"ALFWorld, official tasks", "PDDL, official tasks"} {
		b.Places = append(b.Places, Ranking{Title: name, Rows: []ModelRow{{Model: "vllm:m", Success: Rate{Mean: 50}}}})
	}
	tables := b.Tables()
	if len(tables) != 1 || tables[0].Title != "vllm:m" || len(tables[0].Lines) != 2 {
		t.Fatalf("%+v", tables)
	}
	var heads []string
	for _, c := range tables[0].Columns() {
		heads = append(heads, c.Head)
	}
	sharedtest.Equal(t, strings.Join(heads, "; "), "Success, %; Progress, %; Tasks; Seeds; Tokens")
	if b.Matrix() != nil {
		t.Error("one model has a matrix")
	}
	b.Places[1].Rows[0].Model = "vllm:n"
	if m := b.Matrix(); m == nil || len(m.Rows) != 2 || m.Rows[0][1].Text != "50.0" || m.Rows[0][2].Text != "" ||
		m.Rows[1][2].Bar != "50.0" {
		t.Errorf("the matrix is %+v", m)
	}
	if tables := b.Tables(); len(tables) != 2 || tables[1].Title != "PDDL, official tasks" ||
		tables[1].Head != "Model" {
		t.Errorf("%+v", tables)
	}
}
