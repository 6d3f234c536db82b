package overview

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/show/page/browser"
)

var pictures = flag.String("pictures", "", "write pictures of the pages into this folder")

// TestMain ends the browser of the tests.
func TestMain(m *testing.M) {
	defer browser.Stop()
	m.Run()
}

// file writes a page and returns its address.
func (w *written) file(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report.html")
	sharedtest.OK(t, os.WriteFile(name, w.bytes, 0o600))
	return "file://" + name
}

// Pages of every kind of run load without an error, fit into narrow windows, and
// have marks that say their numbers; a click shows all of them.
func TestPagesInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	b := browser.Start(t)
	for name := range looks() {
		t.Run(name, func(t *testing.T) {
			p := b.Open(t, look(t, name).file(t), "file://", browser.Look{Width: 1200, Height: 1000})
			p.Until("document.querySelectorAll('section h2').length > 2")
			p.Fits("1200 pixels")
			marks, _ := strconv.Atoi(p.Eval("document.querySelectorAll('figure svg .mark title').length"))
			if marks == 0 && name != "empty" {
				t.Error("no figure has a mark")
			}
			links := "[...document.querySelectorAll('header nav a, .contents a')]"
			sharedtest.Equal(t, p.Eval(links+".filter((a) => !document.querySelector(a.hash)).length"), "0",
				"links lead nowhere")
			if got := p.Eval("[...document.querySelectorAll('figure svg')].filter((s) => !s.ariaLabel || s.getBBox().width === 0).length"); got != "0" {
				t.Errorf("%s figures are empty or have no label", got)
			}
			p.Click("figure details summary")
			p.Until("document.querySelector('figure details[open] td').getClientRects().length === 1")
			picture(p, name)
			p.Look(browser.Look{Width: 360, Height: 800, Dark: true})
			p.Fits("360 pixels")
			if got := p.Eval("getComputedStyle(document.body).backgroundColor === getComputedStyle(document.querySelector('figure svg .f-paper')).fill"); got != "true" {
				t.Error("figures are not as dark as the page")
			}
			picture(p, name+"-narrow-dark")
		})
	}
}

// picture takes a picture if somebody wants to look at it.
func picture(p *browser.Page, name string) {
	if *pictures != "" {
		p.Picture(filepath.Join(*pictures, name+".png"))
	}
}

// The mark below the pointer says its number, and the episodes of a report open.
func TestReaderInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	p := browser.Start(t).Open(t, look(t, "incomplete").file(t), "file://", browser.Look{Width: 1200, Height: 1000})
	p.Until("document.querySelector('#figure-rates .mark')")
	want := p.Eval("document.querySelector('#figure-rates .mark title').textContent")
	got := p.Eval(`(() => {
		const mark = document.querySelector('#figure-rates .mark');
		mark.scrollIntoView({ block: 'center' });
		const box = mark.getBoundingClientRect();
		return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2).textContent;
	})()`)
	if want == "" || got != want {
		t.Errorf("the mark says %q, want %q", got, want)
	}
	p.Until("document.querySelector('#summary').textContent.includes('episodes have no result')")
	p.Click("table.episodes tbody a")
	p.Until("document.querySelectorAll('#episode .step').length > 3")
}

// Hostile records are text in every section.
func TestHostilePageInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	p := browser.Start(t).Open(t, look(t, "hostile").file(t), "file://", browser.Look{Width: 390, Height: 800})
	p.Until("document.querySelectorAll('section h2').length > 5")
	sharedtest.Equal(t, p.Eval("String(window.hacked)"), "undefined", "a script of the records ran")
	if got := p.Eval("document.querySelectorAll('img, iframe, object, embed, main script, main style, main [onload], main [onerror], main [onmouseover], a[href^=javascript]').length"); got != "0" {
		t.Errorf("%s elements or attributes come from records", got)
	}
	p.Until("document.querySelector('main').textContent.includes('</script><script>window.hacked = 1</script>')")
	p.Fits("390 pixels")
}

// Pages have no fault that axe-core finds, in light and dark, wide and narrow, with all that unfolds open.
func TestAccessibleInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	b := browser.Start(t)
	wide, narrow := browser.Look{Width: 1440, Height: 900}, browser.Look{Width: 390, Height: 800, Dark: true}
	for _, name := range []string{"one", "several"} {
		t.Run(name, func(t *testing.T) {
			p := b.Open(t, look(t, name).file(t), "file://", wide)
			p.Until("document.querySelector('table.episodes tbody a')")
			p.Click("table.episodes tbody a")
			p.Until("document.querySelector('#episode .step')")
			p.Eval("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
			p.Fits("1440 pixels")
			p.Look(narrow)
			p.Fits("390 pixels")
			p.Audit(os.Getenv("HELDOUT_AXE"))
			p.Look(wide)
			p.Audit(os.Getenv("HELDOUT_AXE"))
		})
	}
}

// Nothing of a report is covered or cut, in windows of three widths, light and dark, with
// all that unfolds open; its list and an episode.
func TestNothingIsHiddenInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	p := browser.Start(t).Open(t, look(t, "three").file(t), "file://", browser.Look{Width: 1440, Height: 900})
	p.Until("document.querySelector('table.episodes tbody a')")
	for _, view := range []string{"list", "episode"} {
		if view == "episode" {
			p.Click("table.episodes tbody a")
			p.Until("document.querySelector('#episode .step')")
		}
		p.Eval("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
		for _, width := range []int64{390, 1024, 1440} {
			for _, dark := range []bool{false, true} {
				what := fmt.Sprintf("%s at %d pixels, dark %t", view, width, dark)
				p.Look(browser.Look{Width: width, Height: 900, Dark: dark})
				p.Complete(what)
			}
		}
	}
}

// A report of the size of one benchmark shows 100 episodes at once, finds a text in all of
// them, says how far it is, and shows at no time a row that does not match.
func TestPagesOfEpisodesInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	s := synthetic{environments: []string{"alfworld", "pddl"}, tasks: 208,
		models: []string{"vllm:a", "vllm:b", "vllm:c"}, seeds: 3, steps: 4,
		text: func(s string) string { return strings.ReplaceAll(s, "mug 2", "rare thing") }}
	w := write(t, t.TempDir(), s)
	if n := len(w.bytes); n > 2_000_000 {
		t.Errorf("the file has %d bytes", n)
	}
	p := browser.Start(t).Open(t, w.file(t), "file://", browser.Look{Width: 1440, Height: 900})
	const rows = "document.querySelectorAll('table.episodes tbody tr').length"
	const count = "document.querySelector('.count').textContent"
	p.Until(rows + " === 100 && " + count + " === '3744 episodes'")
	p.Until("document.querySelector('.pager').textContent.includes('page 1 of 38')")
	p.Eval(`(() => { window.told = []; new MutationObserver(() => window.told.push([` + count + `,
		Number(/([0-9]+) match/.exec(` + count + `)?.[1]), ` + rows + `]))
		.observe(document.querySelector('.count'), { childList: true }); })()`)
	p.Type("input[name=text]", "a RARE thing")
	p.Until(count + ".includes('In this file')")
	got := p.Eval("window.told.every(([text, n, rows]) => rows <= Math.min(n, 100)) && window.told[0][0]")
	if !strings.HasPrefix(got, "Searching: 0 of 3744") {
		t.Errorf("the search says %s", p.Eval("JSON.stringify(window.told)"))
	}
	p.Until(rows + " === 100 && document.querySelector('.pager a[rel=prev]').hidden")
	p.Click(".pager a[rel=next]")
	p.Until("location.hash === '#page=2' && document.querySelector('.pager').textContent.includes('page 2 of ')")
	p.Click("table.episodes tbody a")
	p.Until("document.querySelector('#episode').textContent.includes('a rare thing') && document.getElementById('listed').hidden")
	p.Click("#shown .close")
	p.Until("document.getElementById('shown').hidden && document.querySelector('.pager').textContent.includes('page 2 of ')")
	p.Type("input[name=text]", " that nobody wrote")
	p.Until(rows + " === 0 && " + count + ".startsWith('0 match')")
}

// fewTasks is a small run of three models.
func fewTasks() synthetic {
	return synthetic{environments: []string{"alfworld", "pddl"}, tasks: 6, models: []string{"vllm:base", "vllm:tuned",
		"vllm:longer"}, seeds: 2, steps: 8, missing: 0.2}
}

// A reader without a mouse reaches the finding, the contents and the episodes, in the
// order of the page; the contents stand beside the page where there is room.
func TestKeyboardInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	b := browser.Start(t)
	address := look(t, "whole").file(t)
	p := b.Open(t, address, "file://", browser.Look{Width: 1440, Height: 900})
	p.Until("document.querySelector('table.episodes tbody a')")
	p.Press("\t")
	p.Until("document.activeElement.className === 'skip'")
	p.Press("\r")
	p.Until("document.activeElement.id === 'content'")
	if got := p.Eval(`[...document.querySelectorAll('a[href], summary, select, input, button, [tabindex="0"]')]
		.filter((e) => e.tabIndex < 0 || e.tabIndex > 0).length`); got != "0" {
		t.Errorf("%s elements are out of the order of the page", got)
	}
	if got := p.Eval(`document.querySelector('.contents').getBoundingClientRect().right <
		document.querySelector('#summary').getBoundingClientRect().left`); got != "true" {
		t.Error("the contents cover the page")
	}
	sharedtest.Equal(t, p.Eval(`[...document.querySelectorAll('.scroll')].filter((e) => !e.ariaLabel).length`), "0",
		"regions have no name")
	// A link in "Where they differ" shows both episodes.
	p.Eval("document.querySelectorAll('#differences details').forEach((d) => { d.open = true; })")
	p.Click("#differences .links a")
	p.Until("document.querySelectorAll('#episode.pair article').length === 2")
	p.Until("document.querySelector('#episode article:first-child .outcome').textContent === 'success'")
	p.Until("document.querySelector('#episode article:last-child .outcome').textContent === 'failure'")
	// One in "Why they fail" shows an unsolved one.
	p.Click("#failures .links a")
	p.Until("document.querySelectorAll('#episode article').length === 1 && " +
		"document.querySelector('#episode .outcome').textContent === 'failure'")
}
