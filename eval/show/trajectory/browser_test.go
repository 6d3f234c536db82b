package trajectory

import (
	"flag"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/eval/show/page"
	"heldout/eval/show/page/browser"
	"heldout/scoring/record"
)

var pictures = flag.String("pictures", "", "write pictures of the pages into this folder")

// TestMain ends the browser of the tests.
func TestMain(m *testing.M) {
	defer browser.Stop()
	m.Run()
}

// written writes a page with a bundle and returns its address.
func written(t *testing.T, b *Bundle) string {
	t.Helper()
	s := section(t, b)
	file := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := page.Page{Title: "Report", Body: []template.HTML{s.Body}, Styles: []template.CSS{s.Style}, Scripts: s.Scripts,
		Data: s.Data}
	if err := p.Write(f); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// The episodes of a file are found, shown, compared and linked without a server.
func TestBundleInABrowser(t *testing.T) {
	b := NewBundle(1)
	for i := range 6 {
		for run, model := range map[string]string{"base": "vllm:base", "tuned": "vllm:tuned"} {
			e := example()
			e.ID, e.Task, e.Model, e.Trial = fmt.Sprintf("%019d%d", i, len(run)), fmt.Sprintf("box/%d", i), model, 0
			e.TaskIndex = i % 2
			e.Trajectory[0].Thought = fmt.Sprintf("Thought <b>%d</b> & \"of\" '1+1' %s", i, model)
			add(t, b, run, e)
		}
	}
	address := written(t, b)
	p := browser.Start(t).Open(t, address, "file://", browser.Look{Width: 1200, Height: 900})
	visible := "document.querySelectorAll('table.episodes tbody tr').length"
	title := "document.querySelector('#episode h2').textContent"
	p.Until(visible + " === 12 && document.getElementById('shown').hidden")
	p.Choose("select[name=model]", "vllm:tuned")
	p.Until(visible + " === 6 && document.querySelector('.count').textContent === '6 match. In this file: 12 episodes'")
	p.Choose("select[name=reason]", "invalid actions")
	p.Until(visible + " === 3")
	for _, c := range []struct {
		field, value string
		want         int
	}{{"task", "BOX/3", 1}, {"max-steps", "2", 0}, {"max-steps", "3", 1}, {"min-steps", "4", 0}, {"min-steps", "3", 1},
		{"task", "", 3}} {
		p.Choose("input[name="+c.field+"]", c.value)
		p.Until(fmt.Sprintf("%s === %d", visible, c.want))
	}
	p.Choose("select[name=reason]", "")
	p.Type("input[name=text]", "THOUGHT <B>4</B> & \"OF\" '1+1'")
	p.Until(visible + " === 1")
	p.Until("document.querySelector('.hit').textContent === " +
		"`Step 1, thought: Thought <b>4</b> & \"of\" '1+1' vllm:tuned` && " +
		"document.querySelector('.hit mark').textContent === `Thought <b>4</b> & \"of\" '1+1'`")
	p.Click("table.episodes tbody a")
	p.Until(
		title +
			".startsWith('vllm:tuned, seed 7') && document.querySelector('#episode').textContent.includes('Thought " +
			"<b>4</b>')")
	p.Choose("#beside", fmt.Sprintf("base/%019d%d", 4, 4))
	p.Until("document.querySelectorAll('.pair .episode').length === 2 && location.hash.includes('with=base')")
	p.Until(
		"[...document.querySelectorAll('.episode:first-child .step')].every((a, i) => " +
			"Math.abs(a.getBoundingClientRect().top - document.querySelectorAll('.episode:last-child " +
			".step')[i].getBoundingClientRect().top) < 1)")
	if *pictures != "" {
		p.Picture(filepath.Join(*pictures, "bundle.png"))
	}
	p.Click(".episode .step:nth-of-type(3) h3 a")
	p.Until("location.hash.includes('step=2') && document.querySelector('.step.here').ariaLabel === 'Step 2'")
	// A link opens what it names.
	p.Go("about:blank")
	p.Go(address + "#" + Fragment("base", &record.Result{ID: fmt.Sprintf("%019d%d", 1, 4), Attempt: 1}))
	p.Until(title +
		".startsWith('vllm:base') && document.querySelector('#episode').textContent.includes('Thought <b>1</b>')")
	p.Press("n")
	p.Until("document.querySelector('#episode').textContent.includes('Thought <b>1</b>') === false || " + title +
		".startsWith('vllm:tuned')")
	p.Click("#shown .close")
	p.Until("document.getElementById('shown').hidden")
}

// Hostile records in a file are text.
func TestHostileBundleInABrowser(t *testing.T) {
	b := NewBundle(1)
	add(t, b, hostile, hostileEpisode())
	add(t, b, "a", example())
	p := browser.Start(t).Open(t, written(t, b), "file://", browser.Look{Width: 390, Height: 800, Dark: true})
	p.Until("document.querySelectorAll('table.episodes tbody tr').length === 2")
	p.Click("table.episodes tbody tr a")
	p.Until("document.querySelector('#episode .step')")
	if got := p.Eval("document.querySelectorAll('img, main script').length"); got != "0" {
		t.Errorf("%s elements from records", got)
	}
	if text := p.Eval("document.querySelector('#episode').innerText"); !strings.Contains(text, `</script><img src=x onerror=alert(2)>\x1b[31mred\x00 \u202etxt.exe`) {
		t.Errorf("the text is not shown: %.500s", text)
	}
	if got := p.Eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); got != "0" {
		t.Errorf("the page is %s pixels wider than the window", got)
	}
}
