package view

import (
	"flag"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/show/page/browser"
	"heldout/eval/show/trajectory"
)

var pictures = flag.String("pictures", "", "write pictures of the pages into this folder")

var desk, phone = browser.Look{Width: 1200, Height: 900}, browser.Look{Width: 390, Height: 800}

// TestMain ends the browser of the tests.
func TestMain(m *testing.M) {
	defer browser.Stop()
	m.Run()
}

// opened is a page of a server of run directories, in a browser.
type opened struct {
	*browser.Page
	server *httptest.Server
}

// served starts a server for run directories.
func served(t *testing.T, dirs ...string) *httptest.Server {
	t.Helper()
	server := serverOf(dirs...)
	s := httptest.NewServer(server)
	t.Cleanup(func() {
		server.close()
		s.Close()
	})
	return s
}

func openAt(t *testing.T, b *browser.Browser, s *httptest.Server, path string, look browser.Look) *opened {
	t.Helper()
	return &opened{b.Open(t, s.URL+path, s.URL, look), s}
}

// picture writes a picture if the test was asked to.
func (o *opened) picture(name string) {
	if *pictures != "" {
		o.Picture(filepath.Join(*pictures, name+".png"))
	}
}

// TestInABrowser uses the pages as a reader does.
func TestInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	b := browser.Start(t)
	base := newTestRun(t, filepath.Join(t.TempDir(), "base"), 12, "vllm:base").record(12)
	tuned := newTestRun(t, filepath.Join(t.TempDir(), "tuned"), 12, "vllm:tuned", "expert").record(20)
	s := served(t, base.dir, tuned.dir)
	list := "document.querySelectorAll('table.episodes tbody tr').length"

	t.Run("from the overview to an episode", func(t *testing.T) {
		p := openAt(t, b, s, "/", desk)
		p.picture("overview")
		p.Click("a[href='./runs/tuned/']")
		p.Until(list + " === 20")
		p.picture("run")
		p.Click("table.episodes tbody a")
		p.Until("document.querySelector('article.episode')")
		p.picture("episode")
	})
	t.Run("filters", func(t *testing.T) {
		p := openAt(t, b, s, "/runs/tuned/", desk)
		p.Choose("select[name=model]", "expert")
		p.Click(".filter button")
		p.Until(list + " === 8 && location.search.includes('model=expert')")
		p.Click("input[name=outcome][value=success]")
		p.Click(".filter button")
		p.Until(list + " === 4")
		p.Go(s.URL + "/runs/tuned/")
		p.Type("input[name=text]", "SEE BOX box/07")
		p.Until(list + " === 2")
		sharedtest.Equal(t, p.Eval("document.querySelector('.count').textContent"), "2 of 20 episodes match.",
			"the list says")
	})
	t.Run("live filter, order and downloads", func(t *testing.T) {
		p := openAt(t, b, s, "/runs/tuned/?page=1", desk)
		p.Until(list + " === 20")
		p.Press("/")
		p.Until("document.activeElement.name === 'text'")
		p.Eval("document.activeElement.value = ''") // a browser that is driven types the key as well
		p.Until("document.querySelector('.reset').hidden")
		for _, key := range "box/07" {
			p.Press(string(key))
		}
		p.Until(list + " === 2 && location.search === '?text=box%2F07' && !document.querySelector('.reset').hidden")
		p.Click("th.left a") // by task
		p.Until("document.querySelector('th[aria-sort=ascending]').textContent === 'Task'")
		p.Go(s.URL + "/runs/tuned/?sort=-steps&outcome=failure")
		p.Until("document.querySelector('th[aria-sort=descending]').textContent === 'Steps'")
		steps := "[...document.querySelectorAll('table.episodes tbody tr')].map((r) => " +
			"Number(r.cells[[...document.querySelectorAll('table.episodes th')].findIndex((h) => " +
			"h.textContent === 'Steps')].textContent))"
		sharedtest.Equal(t, p.Eval("(() => { const s = "+steps+"; return s.length > 5 && "+
			"s.every((n, i) => !i || n <= s[i - 1]); })()"), "true", "steps are", p.Eval(steps))
		for file, want := range map[string]string{"CSV": "episode,env,task,type,model,", "JSON": "[\n{\"episode\":\""} {
			got := p.Eval("fetch([...document.querySelectorAll('.downloads a')].find((a) => a.textContent === '" +
				file + "').href).then((r) => r.text())")
			if !strings.HasPrefix(got, want) || strings.Count(got, "failure") != 10 ||
				strings.Contains(got, "success") {
				t.Errorf("%s is %.300s", file, got)
			}
		}
		p.Press("?")
		p.Until("document.getElementById('keys').open")
		p.picture("keys")
		p.Press("?")
		p.Until("!document.getElementById('keys').open")
	})
	t.Run("keys", func(t *testing.T) {
		p := openAt(t, b, s, "/runs/base/episodes/"+trajectory.Name(&base.planned[3].Result), desk)
		here := "document.activeElement.getAttribute('aria-label')"
		p.Press("j")
		p.Until(here + " === 'Start'")
		p.Press("e")
		p.Until(here + " === 'Step 2'")
		p.Press("k")
		p.Until(here + " === 'Step 1'")
		p.Press("n")
		p.Until("document.querySelector('article.episode').id === '" + base.planned[4].ID + "'")
		p.Press("p")
		p.Until("document.querySelector('article.episode').id === '" + base.planned[3].ID + "'")
		p.Click("a.first-error")
		p.Until(here + " === 'Step 2'")
	})
	t.Run("keyboard only", func(t *testing.T) {
		p := openAt(t, b, s, "/runs/tuned/", desk)
		p.Until(list + " === 20")
		reach := func(what string) {
			t.Helper()
			for range 60 {
				if p.Press("\t"); p.Eval("document.activeElement.matches("+strconv.Quote(what)+")") == "true" {
					return
				}
			}
			t.Fatalf("the tab key does not reach %s", what)
		}
		reach("input[name=outcome]")
		p.Press(browser.ArrowRight)
		p.Until(list + " === 10 && location.search.includes('outcome=failure')")
		reach("table.episodes tbody a")
		p.Press("\r")
		p.Until("document.querySelector('article.episode .outcome').innerText === 'failure'")
		reach("a.first-error, .around a[rel=next]")
		p.Press("j")
		p.Until("document.activeElement.ariaLabel === 'Start'")
	})
	t.Run("side by side", func(t *testing.T) {
		p := openAt(t, b, s, "/runs/base/episodes/"+base.planned[2].ID, desk)
		p.Choose("select[name=with]", "tuned/"+tuned.planned[2].ID)
		p.Click(".around form button")
		p.Until("document.querySelectorAll('.pair .episode').length === 2")
		// Steps of one number begin at one height.
		p.Until(
			"[...document.querySelectorAll('.episode:first-child .step')].every((a, i) => { const b = " +
				"document.querySelectorAll('.episode:last-child .step')[i]; " +
				"return Math.abs(a.getBoundingClientRect().top - b.getBoundingClientRect().top) < 1 && a.ariaLabel " +
				"=== b.ariaLabel })")
		// The first three actions are the same, and the second episode has the same length.
		p.Until("document.querySelectorAll('.parts').length === 0")
		p.Go(s.URL + "/runs/base/episodes/" + base.planned[2].ID + "?with=tuned/" + tuned.planned[3].ID)
		p.Until("[...document.querySelectorAll('.parts')].map((e) => e.closest('.step').ariaLabel).join() === 'Step 4'")
		p.Press("d")
		p.Until("document.querySelector('.step.here').ariaLabel === 'Step 4'")
		p.picture("pair")
	})
	t.Run("hits are marked", func(t *testing.T) {
		p := openAt(t, b, s, "/runs/tuned/?text=THOUGHT+2", desk)
		p.Until("document.querySelector('.hit').innerText.startsWith('Step 2, thought: Thought 2 of ') && " +
			"[...document.querySelectorAll('.hit mark')].every((e) => e.innerText === 'Thought 2')")
		p.Click("table.episodes tbody a")
		p.Until("document.querySelector('article.episode') && CSS.highlights.get('hits').size === 1")
		p.picture("hits")
	})
	t.Run("runs are filtered and sorted", func(t *testing.T) {
		p := openAt(t, b, s, "/?sort=in+boxes", desk)
		names := "[...document.querySelectorAll('table.runs td.run a')].map((e) => e.innerText).join(' ')"
		p.Until("document.querySelector('th[aria-sort=descending]').innerText === 'boxes'")
		p.Until(names + " === 'base tuned' || " + names + " === 'tuned base'")
		p.Type("input[name=text]", "EXPERT")
		p.Until(names + " === 'tuned' && location.search.includes('sort=in+boxes')")
	})
	t.Run("a link to a step", func(t *testing.T) {
		p := openAt(t, b, s, "/runs/base/episodes/"+base.planned[3].ID+"#"+base.planned[3].ID+"-2", desk)
		p.Until("document.querySelector('.step:target').ariaLabel === 'Step 2'")
	})
	t.Run("narrow and dark", func(t *testing.T) {
		dark := phone
		dark.Dark = true
		p := openAt(t, b, s, "/runs/base/episodes/"+base.planned[3].ID+"?with=tuned/"+tuned.planned[3].ID, dark)
		p.Until("document.querySelectorAll('.pair .episode').length === 2")
		p.Fits("two episodes")
		p.picture("pair-narrow-dark")
		p.Go(s.URL + "/runs/tuned/")
		p.Fits("a run")
		p.picture("run-narrow-dark")
	})
}

// A page follows a run that goes on: progress, episodes in flight, the end.
func TestLiveInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	b := browser.Start(t)
	t.Parallel()
	r := newTestRun(t, filepath.Join(t.TempDir(), "live"), 6, "vllm:m").record(2)
	r.setStatus(time.Now().Add(time.Hour), 2)
	p := openAt(t, b, served(t, r.dir), "/runs/live/", desk)
	p.Until(
		"document.querySelector('.state .running') && document.querySelectorAll('table.inflight tbody tr').length === 2")
	p.Until("document.querySelector('table.inflight tbody').innerText.includes('box/02')")
	p.picture("live")
	r.record(2)
	r.setStatus(time.Now().Add(time.Hour), 1)
	p.Until(
		"document.querySelectorAll('table.inflight tbody tr').length === 1 && " +
			"document.querySelector('.state').textContent.startsWith('running 4 of 6')")
	p.Until("!document.getElementById('more').hidden")
	p.Click("#more a")
	p.Until("document.querySelectorAll('table.episodes tbody tr').length === 4")
	r.record(2)
	sharedtest.OK(t, r.store.RemoveStatus())
	p.Until(
		"document.documentElement.dataset.live === 'ended' && " +
			"document.querySelector('.state').textContent.startsWith('complete 6 of 6')")
}

// Hostile records are text in the browser: no dialog, no element, no request.
func TestHostileTextInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	b := browser.Start(t)
	t.Parallel()
	r := hostileRun(t, filepath.Join(t.TempDir(), "hostile"))
	s := served(t, r.dir)
	p := openAt(t, b, s, "/runs/hostile/", desk)
	for _, path := range []string{"/runs/hostile/", "/runs/hostile/?text=script%3Ealert(1)",
		"/runs/hostile/episodes/" + r.planned[3].ID,
		"/runs/hostile/episodes/" + r.planned[1].ID + "?with=hostile/" + r.planned[3].ID} {
		p.Go(s.URL + path)
		p.Until("document.querySelector('article.episode, table.episodes')")
		if strings.Contains(path, "text=") {
			p.Until("document.querySelector('.hit mark').innerText === 'script>alert(1)'")
		}
		sharedtest.Equal(t, p.Eval("document.querySelectorAll('img, main script').length"), "0", path)
		if text := p.Eval("document.body.innerText"); !strings.Contains(text, `</script><img src=x onerror=alert(2)>\x1b[31mred\x00 \u202etxt.exe`) {
			t.Errorf("%s does not show the text: %.500s", path, text)
		}
		p.Fits(path)
	}
	p.picture("hostile")
}
