package view

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode"
	"heldout/eval/serve/guard"
	"heldout/eval/show/page"
	"heldout/eval/show/page/browser"
	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
)

// proxied starts a proxy that shows a server below a path. It takes the path away or leaves it, as JupyterHub's
// proxy/PORT/ and proxy/absolute/PORT/ do, and tells the name by which it is called, or the server's.
func proxied(t *testing.T, s http.Handler, prefix string, strips, tellsName bool) string {
	t.Helper()
	inner := httptest.NewServer(s)
	t.Cleanup(inner.Close)
	target := sharedtest.Must(url.Parse(inner.URL))(t)
	handler := http.Handler(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		if tellsName {
			r.Out.Host = r.In.Host
		}
	}})
	if strips {
		handler = http.StripPrefix(prefix, handler)
	}
	mux := http.NewServeMux()
	mux.Handle(prefix+"/", handler)
	outer := httptest.NewServer(mux)
	t.Cleanup(outer.Close)
	return outer.URL + prefix
}

// shownBelow is a server with all kinds of pages.
func shownBelow(t *testing.T, change func(*Options)) (*Server, *testRun) {
	t.Helper()
	base := newTestRun(t, filepath.Join(t.TempDir(), "base"), 16, "vllm:base").record(16)
	tuned := newTestRun(t, filepath.Join(t.TempDir(), "tuned ü"), 12, "vllm:tuned").record(12)
	o := Options{Runs: runsOf(base.dir, tuned.dir), Now: time.Now, Callers: guard.Callers{Names: []string{"gpu-box"}},
		Sent: func(_ context.Context, _ *record.Manifest, _ record.Condition, _ envs.Task, e *record.Episode) (
			[]episode.Call, error) {
			return make([]episode.Call, len(e.Trajectory)), nil
		},
		Compare: func(_ context.Context, runs []record.Chosen, _ trajectory.Addresses) (page.Page, error) {
			return page.Page{Title: "Compared"}, nil
		}}
	change(&o)
	s := patient(New(o))
	t.Cleanup(s.close)
	return s, base
}

// addresses are what a page leads to or asks for.
func addresses(t *testing.T, r *http.Response) (found []string) {
	t.Helper()
	root := sharedtest.Must(html.Parse(r.Body))(t)
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "href", "src", "action", "data-prompts":
				found = append(found, a.Val)
			}
		}
	}
	return found
}

// Every address of every page leads somewhere, and nowhere else than below the path of the proxy.
func TestBelowAPath(t *testing.T) {
	for name, c := range sharedtest.SampleMap(t, map[string]struct {
		prefix            string
		strips, tellsName bool
		token             string
	}{
		"no path":            {"", true, false, ""},
		"taken away":         {"/user/bob/proxy/8080", true, true, ""},
		"left":               {"/user/bob/proxy/absolute/8080", false, true, ""},
		"left, like a page":  {"/runs/base/compare", false, false, ""},
		"with a token":       {"/x", true, true, "sesame"},
		"left, with a token": {"/x/y", false, false, "sesame"},
	}, 2) {
		t.Run(name, func(t *testing.T) {
			s, _ := shownBelow(t, func(o *Options) { o.Token = c.token })
			root := proxied(t, s, c.prefix, c.strips, c.tellsName)
			jar := sharedtest.Must(cookiejar.New(nil))(t)
			client := &http.Client{Jar: jar}
			seen, kinds, ofPath := map[string]bool{}, map[string]int{}, map[string]int{}
			todo := []string{root + "/?token=" + c.token}
			for len(todo) > 0 {
				address := todo[0]
				todo = todo[1:]
				r := sharedtest.Must(client.Get(address))(t)
				if at := r.Request.URL.String(); !strings.HasPrefix(at, root+"/") || r.StatusCode != http.StatusOK &&
					!strings.HasSuffix(address, "/compare") && !strings.HasSuffix(address, "/labels") {
					t.Fatalf("%s: status %d at %s", address, r.StatusCode, at)
				}
				kinds[r.Header.Get("Content-Type")]++
				if strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
					for _, to := range addresses(t, r) {
						u := sharedtest.Must(r.Request.URL.Parse(to))(t)
						const most = 3 // addresses of a page that differ in their filters
						if u.Fragment = ""; u.Scheme != "data" && !seen[u.String()] && ofPath[u.Path] < most {
							seen[u.String()] = true
							ofPath[u.Path]++
							todo = append(todo, u.String())
						}
					}
				}
				r.Body.Close()
			}
			if len(seen) < 60 || kinds["application/json"] == 0 || len(kinds) < 4 {
				t.Errorf("%d addresses of kinds %v", len(seen), kinds)
			}
		})
	}
}

// The pages work in a browser below the path of a proxy: links, lists that are filtered, what was sent,
// labels, and the panel that follows a run.
func TestBelowAPathInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	b := browser.Start(t)
	for name, strips := range map[string]bool{"taken away": true, "left": false} {
		t.Run(name, func(t *testing.T) {
			s, base := shownBelow(t, func(*Options) {})
			root := proxied(t, s, "/user/bob/proxy/8080", strips, true)
			p := b.Open(t, root+"/", root+"/", desk)
			p.Click("a[href$='runs/base/']")
			p.Until("document.querySelectorAll('table.episodes tbody tr').length > 10")
			p.Until("document.documentElement.dataset.live")
			p.Click("input[name=outcome][value=success]")
			p.Click(".filter button")
			p.Until("location.search.includes('outcome=success')")
			p.Click("details.labels summary")
			p.Type("input[name=tags]", "from-a-proxy")
			p.Until("document.querySelector('.tags')?.textContent.includes('from-a-proxy')")
			p.Click("table.episodes tbody a")
			p.Until("document.querySelector('article.episode .part.sent summary')")
			p.Click("article.episode .part.sent summary")
			p.Until("document.querySelector('.part.sent .box')?.textContent.includes('messages')")
			p.Click("nav a[href$='runs/base/']")
			p.Until("document.querySelector('table.episodes')")
			p.Go(root + "/runs/base/episodes/" + trajectory.Name(&base.planned[3].Result) + "?with=base/" +
				trajectory.Name(&base.planned[4].Result))
			p.Until("document.querySelectorAll('article.episode').length === 2")
			p.Click("a[href='../../../']")
			p.Click("tr:nth-child(1) input[name=run]")
			p.Click("#runs-list button")
			p.Until("document.title.includes('Compared')")
		})
	}
}

// A proxy's own name is allowed by name; another site's name is refused, and so is what its pages send.
func TestProxyNames(t *testing.T) {
	s, _ := shownBelow(t, func(o *Options) { o.Proxies = []string{"hub.example.org"} })
	ask := func(method, host, origin string) int {
		r := httptest.NewRequest(method, "/runs/base/labels", strings.NewReader("tags=a"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Host, r.RemoteAddr = host, "127.0.0.1:9"
		if method == http.MethodGet {
			r.URL.Path = "/runs/base/"
		}
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	for _, c := range []struct {
		method, host, origin string
		want                 int
	}{
		{"GET", "hub.example.org", "", 200}, {"GET", "HUB.example.org:8443", "", 200}, {"GET", "evil.example", "", 403},
		{"GET", "x.hub.example.org", "", 403},
		{"POST", "hub.example.org", "https://hub.example.org", 303},
		{"POST", "127.0.0.1:8080", "https://hub.example.org", 303}, // a proxy that tells the server's name
		{"POST", "127.0.0.1:8080", "https://evil.example", 403},
		{"POST", "hub.example.org", "https://evil.example", 403},
		{"POST", "hub.example.org", "", 405},
	} {
		sharedtest.Equal(t, ask(c.method, c.host, c.origin), c.want, c)
	}
}
