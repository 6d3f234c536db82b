// Package browser opens pages in a headless Chromium for tests. A page fails its test if its console has an error
// or a warning, or if it asks for anything but what its test serves.
package browser

import (
	"cmp"
	"context"
	_ "embed" // for a script
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"heldout/envs/sharedtest"
)

// names are the programs that Chromium goes by.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// Browser is a running Chromium.
type Browser struct{ context context.Context }

// running is the browser of this process: to start one costs more than most tests.
var running struct {
	browser *Browser
	stop    func()
}

// Start returns the Chromium of this process, with a profile that was empty at its start. A package whose tests use
// it ends it in TestMain with Stop. Without a Chromium on this machine the test is skipped.
func Start(t testing.TB) *Browser {
	t.Helper()
	if running.browser == nil {
		start(t)
	}
	return running.browser
}

// Stop ends the Chromium of this process, if there is one.
func Stop() {
	if running.browser != nil {
		running.stop()
		running.browser = nil
	}
}

// start starts a Chromium, or skips the test.
func start(t testing.TB) {
	t.Helper()
	program := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		sharedtest.Absent(t, "chromium", "there is no Chromium: apt-get install chromium, or "+
			"https://www.chromium.org/getting-involved/download-chromium")
	}
	profile, err := os.MkdirTemp("", "heldout-browser-")
	if err != nil {
		t.Fatal(err)
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(program), chromedp.UserDataDir(profile),
		chromedp.WSURLReadTimeout(time.Hour), // the test ends before
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("hide-scrollbars", true))
	ctx, cancel := chromedp.NewContext(allocator)
	running.stop = func() {
		cancel()
		end()
		_ = os.RemoveAll(profile) // what a browser that is ending still writes there is not an error
	}
	if err := chromedp.Do(ctx); err != nil {
		running.stop()
		t.Fatalf("%s does not start: %v", program, err)
	}
	running.browser = &Browser{ctx}
}

// Page is a page in a tab of its own.
type Page struct {
	t       testing.TB
	context context.Context
	allowed string

	mu     sync.Mutex
	faults []string
}

// Look says how a page is looked at.
type Look struct {
	// Width and Height are the window's, in pixels.
	Width, Height int64
	Dark          bool // the page is shown in dark colors
}

// Open opens an address in a new tab. The page may ask only for addresses that begin
// with allowed. What is wrong with it fails the test at its end.
func (b *Browser) Open(t testing.TB, address, allowed string, look Look) *Page {
	t.Helper()
	tab, closeTab := chromedp.NewContext(b.context)
	ctx, cancel := context.WithCancelCause(tab)
	limit := sharedtest.Limited(t)
	context.AfterFunc(limit, func() { cancel(context.Cause(limit)) })
	p := &Page{t: t, context: ctx, allowed: allowed}
	t.Cleanup(func() {
		cancel(nil)
		closeTab()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, f := range p.faults {
			t.Errorf("%s: %s", address, f)
		}
	})
	if err := chromedp.Listen(tab, p.hear); err != nil {
		t.Fatal(err)
	}
	p.do("opening "+address, command(network.Enable, network.EnableParams{}))
	p.Look(look)
	p.Go(address)
	return p
}

// Look changes how the page is looked at.
func (p *Page) Look(look Look) {
	p.t.Helper()
	p.do("changing the window", chromedp.EmulateViewport(look.Width, look.Height),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: look.scheme()}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}}))
}

func (l Look) scheme() string {
	if l.Dark {
		return "dark"
	}
	return "light"
}

// command is a command of the protocol whose answer does not matter.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// hear notes what must not happen.
func (p *Page) hear(event any) {
	fault := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, p.allowed) && !strings.HasPrefix(u, "data:") &&
			u != "about:blank" {
			fault = "the page asks for " + u
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			fault = fmt.Sprintf("the console says: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning ||
			e.Type == runtime.ConsoleAPICalledTypeAssert {
			fault = "the console says:"
			for _, arg := range e.Args {
				fault += " " + cmp.Or(arg.Description, string(arg.Value))
			}
		}
	case *runtime.EventExceptionThrown:
		fault = "a script fails: " + e.ExceptionDetails.Text
		if o := e.ExceptionDetails.Exception; o != nil {
			fault += " " + o.Description
		}
	case *page.EventJavascriptDialogOpening:
		fault = "the page opens a dialog: " + e.Message
	}
	if fault != "" {
		p.mu.Lock()
		p.faults = append(p.faults, fault)
		p.mu.Unlock()
	}
}

func (p *Page) do(label string, actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.context, actions...); err != nil {
		p.t.Fatalf("%s: %v", label, err)
	}
}

// Go opens another address in the tab.
func (p *Page) Go(address string) {
	p.t.Helper()
	p.do("opening "+address, chromedp.Navigate(address))
}

// Until waits until a JavaScript expression is true and the page has loaded: one whose script has not run yet takes
// no keys. A page that is being replaced by the next one makes nothing true.
func (p *Page) Until(expression string) {
	p.t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		met, err := chromedp.Run(p.context, chromedp.Evaluate[bool](
			"document.readyState === 'complete' && (() => { try { return Boolean("+expression+
				") } catch { return false } })()"))
		if err == nil && met {
			return
		}
		select {
		case <-p.context.Done():
			p.t.Fatalf("waiting for %s: %v; the page says:\n%.3000s", expression, context.Cause(p.context), p.text())
		case <-ticker.C:
		}
	}
}

// text is what the page shows at the end of a wait that failed.
func (p *Page) text() string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.context), 5*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return text
}

// Eval returns the value of a JavaScript expression, as text. It waits for a promise.
func (p *Page) Eval(expression string) string {
	p.t.Helper()
	out, err := chromedp.Run(p.context, chromedp.Evaluate[string]("Promise.resolve("+expression+").then(String)",
		chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("evaluating %s: %v", expression, err)
	}
	return out
}

// Audit reports what axe-core, whose file is at that path, finds against WCAG 2.2 AA or
// against its best practices. Without a file the test is skipped.
func (p *Page) Audit(axe string) {
	p.t.Helper()
	if axe == "" {
		sharedtest.Absent(p.t, "axe", "there is no axe-core: npm pack axe-core, unpack it, and set HELDOUT_AXE to "+
			"package/axe.min.js")
	}
	source, err := os.ReadFile(axe)
	if err != nil {
		p.t.Fatal(err)
	}
	p.Eval("(() => { " + string(source) + "\n; return 'loaded'; })()")
	found := p.Eval(`axe.run({ resultTypes: ['violations'] }).then((r) => r.violations.map((v) => {
		const nodes = v.nodes.slice(0, 3).map((n) => n.target + ' ' + n.failureSummary);
		return v.id + ': ' + v.help + '\n  ' + nodes.join('\n  ');
	}).join('\n'))`)
	if found != "" {
		p.t.Errorf("axe-core:\n%s", found)
	}
}

// Complete reports what a reader of the page cannot see: what is covered, cut, or beyond the window.
func (p *Page) Complete(subject string) {
	p.t.Helper()
	p.Eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
	p.Fits(subject)
	if found := p.Eval(hidden); found != "" {
		p.t.Errorf("%s:\n%s", subject, found)
	}
}

// Fits reports a page that is wider than its window.
func (p *Page) Fits(subject string) {
	p.t.Helper()
	if beyond := p.Eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); beyond != "0" {
		p.t.Errorf("%s: the page is %s pixels wider than the window", subject, beyond)
	}
}

// Click clicks on the first element that a CSS selector names.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.do("clicking "+selector, chromedp.Click(chromedp.CSS(selector)))
}

// Choose chooses an option of a list by its value.
func (p *Page) Choose(selector, value string) {
	p.t.Helper()
	p.Eval(fmt.Sprintf(
		"(() => { const e = document.querySelector(%q); e.value = %q; if (e.value !== %q) throw new Error('no such "+
			"option'); e.dispatchEvent(new Event('change', {bubbles: true})); })()",
		selector, value, value))
}

// Type types text into an element, and Enter.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	p.do("typing "+text, chromedp.SendKeys(chromedp.CSS(selector), text+kb.Enter))
}

// ArrowRight is a key.
const ArrowRight = kb.ArrowRight

// Press presses a key.
func (p *Page) Press(key string) {
	p.t.Helper()
	p.do("pressing "+key, chromedp.KeyEvent(key))
}

// Picture writes a picture of the whole page to a PNG file.
func (p *Page) Picture(file string) {
	p.t.Helper()
	png, err := chromedp.Run(p.context, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(file, png, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// hidden returns what a reader of a page or of its open dialog cannot see: headings, folds and fields that
// something covers once the page is scrolled to them, and boxes that cut their content and do not say that
// they scroll.
//
//go:embed hidden.js
var hidden string
