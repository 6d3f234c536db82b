package trajectory

import (
	"flag"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
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
	f := sharedtest.Must(os.Create(file))(t)
	defer f.Close()
	p := page.Page{Title: "Report", Body: []template.HTML{s.Body}, Styles: []template.CSS{s.Style}, Scripts: s.Scripts,
		Data: s.Data}
	sharedtest.OK(t, p.Write(f))
	return "file://" + file
}

// The episodes of a file are found, shown, compared and linked without a server.
func TestBundleInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
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
	p.Go(address + "#" + Fragment(Target{"base", fmt.Sprintf("%019d%d", 1, 4)}))
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
	sharedtest.Heavy(t)
	b := NewBundle(1)
	add(t, b, hostile, hostileEpisode())
	add(t, b, "a", example())
	p := browser.Start(t).Open(t, written(t, b), "file://", browser.Look{Width: 390, Height: 800, Dark: true})
	p.Until("document.querySelectorAll('table.episodes tbody tr').length === 2")
	p.Click("table.episodes tbody tr a")
	p.Until("document.querySelector('#episode .step')")
	sharedtest.Equal(t, p.Eval("document.querySelectorAll('img, main script').length"), "0", "elements from records")
	if text := p.Eval("document.querySelector('#episode').innerText"); !strings.Contains(text, `</script><img src=x onerror=alert(2)>\x1b[31mred\x00 \u202etxt.exe`) {
		t.Errorf("the text is not shown: %.500s", text)
	}
	if got := p.Eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); got != "0" {
		t.Errorf("the page is %s pixels wider than the window", got)
	}
}

// twelve is an episode of twelve ordinary steps, of which two are errors and one shows what an earlier one showed.
func twelve() *record.Episode {
	e := example()
	e.Trajectory, e.Memory, e.Reflection = nil, nil, nil
	for i := range 12 {
		e.Trajectory = append(e.Trajectory, record.Step{
			Thought: "I have not looked into this box yet, and the goal needs an object from one of them. So the next " +
				"step is to open it and look; if nothing useful turns up, I will try the next one.",
			Action: fmt.Sprintf("open box %d", i), Valid: i != 4 && i != 9, Progress: float64(i) / 12,
			Observation:  fmt.Sprintf("You open box %d. In it, you see a mug, a plate, a book and two pens of one color.", i),
			PromptTokens: 1234, CompletionTokens: 56, ModelSeconds: 1.5})
	}
	e.Trajectory[7].Observation = e.Trajectory[2].Observation
	return e
}

// A window of 1,280 by 800 pixels shows six steps, and a line above them where the reader is. The progress leads
// to errors, and a fold shows what was shown before.
func TestStepsInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	b := NewBundle(1)
	add(t, b, "a", twelve())
	p := browser.Start(t).Open(t, written(t, b), "file://", browser.Look{Width: 1280, Height: 800})
	p.Until("document.querySelector('table.episodes tbody a')")
	p.Click("table.episodes tbody a")
	p.Until("document.querySelectorAll('#episode .step').length === 13")
	p.Eval("document.querySelectorAll('.step')[3].scrollIntoView()")
	p.Until("document.querySelector('.pin .at').textContent === 'step 3 of 12'")
	const whole = `[...document.querySelectorAll('.step')].filter((s) => { const box = s.getBoundingClientRect();
		return box.top >= document.querySelector('.pin').getBoundingClientRect().bottom - 1 && box.bottom <= innerHeight;
	}).length`
	if n, _ := strconv.Atoi(p.Eval(whole)); n < 6 {
		t.Errorf("%d steps are on the screen", n)
	}
	for _, at := range []int{5, 10} {
		p.Eval(fmt.Sprintf(`(() => { const s = document.querySelector('.spark'), box = s.getBoundingClientRect();
			s.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: box.x + box.width * (%d - 0.5) / 12 }));
		})()`, at))
		p.Until(fmt.Sprintf("document.activeElement.ariaLabel === 'Step %d'", at))
	}
	const fold = "document.querySelector('.again')"
	p.Until(fold + ".innerText === 'As at step 3'")
	p.Click(".again summary")
	p.Until(fold + ".querySelector('.text').textContent.startsWith('You open box 2.')")
	if *pictures != "" {
		p.Picture(filepath.Join(*pictures, "steps.png"))
	}
}

// One click leaves only the failures, and the list offers only types of the chosen environment.
func TestFailuresInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	b := NewBundle(1)
	for i := range 8 {
		e := example()
		e.ID, e.Task = fmt.Sprintf("%020d", i), fmt.Sprintf("box/%d", i)
		e.Env, e.TaskType = []string{"alfworld", "pddl"}[i%2], fmt.Sprint("kind ", i%4)
		if i < 3 {
			e.Outcome = record.Success
		}
		add(t, b, "a", e)
	}
	p := browser.Start(t).Open(t, written(t, b), "file://", browser.Look{Width: 1280, Height: 800})
	rows := "document.querySelectorAll('table.episodes tbody tr').length"
	p.Until(rows + " === 8 && document.querySelector('.same').textContent.includes('model vllm:M')")
	p.Fits("the list")
	p.Until("document.querySelector('select[name=type]').checkVisibility() === false")
	p.Click("input[name=outcome][value=failure]")
	p.Until(rows + " === 5")
	p.Choose("select[name=env]", "pddl")
	p.Until(rows + " === 3")
	types := "[...document.querySelectorAll('select[name=type] optgroup:not([hidden]) option')].map((o) => o.value).join()"
	p.Until(types + " === 'kind 1,kind 3' && document.querySelector('select[name=type]').checkVisibility()")
	p.Choose("select[name=type]", "kind 3")
	p.Until(rows + " === 2")
	p.Choose("select[name=env]", "alfworld")
	p.Until(rows + " === 2 && document.querySelector('select[name=type]').value === ''")
	p.Click(".reset")
	p.Until(rows + " === 8 && !document.querySelector('select[name=type]').checkVisibility()")
}
