package view

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/net/html"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode/episodetest"
	"heldout/eval/serve/guard"
	"heldout/eval/show/page"
	"heldout/eval/show/trajectory"
	"heldout/scoring"
	"heldout/scoring/record"
)

// get asks a server for a page as a browser on this machine does.
func get(t *testing.T, h http.Handler, path string, change ...func(*http.Request)) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = "127.0.0.1:8080"
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b := sharedtest.Must(io.ReadAll(r.Body))(t)
	return string(b)
}

func runsOf(dirs ...string) (runs []record.Chosen) {
	for _, dir := range dirs {
		runs = append(runs, record.Chosen{Parts: record.Parts{dir}})
	}
	return runs
}

func serverOf(dirs ...string) *Server {
	return patient(New(Options{Runs: runsOf(dirs...), Now: time.Now}))
}

// patient makes a server wait until its runs are read, however busy the machine is.
func patient(s *Server) *Server {
	for _, r := range s.runs() {
		r.patience = time.Hour
	}
	return s
}

// Requests that other sites have browsers send are refused.
func TestGuard(t *testing.T) {
	local := serverOf(newTestRun(t, filepath.Join(t.TempDir(), "a"), 1, "m").dir)
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	header := func(key, value string) func(*http.Request) { return func(r *http.Request) { r.Header.Set(key, value) } }
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		code   int
	}{
		{"localhost", host("localhost:9999"), 200},
		{"another loopback address", host("[::1]:8080"), 200},
		{"somebody else's name for this address", host("evil.example:8080"), 403},
		{"a name that begins like ours", host("localhost.evil.example"), 403},
		{"an address of another machine", host("192.0.2.1:8080"), 403},
		{"no name", host(""), 403},
		{"a page of this server", header("Origin", "http://127.0.0.1:8080"), 200},
		{"a page of another server", header("Origin", "http://evil.example"), 403},
		{"a page of another server here", header("Origin", "http://127.0.0.1:9999"), 403},
		{"a page without an origin", header("Origin", "null"), 403},
		{"a part of another site's page", header("Sec-Fetch-Site", "cross-site"), 403},
		{"a change", func(r *http.Request) { r.Method = http.MethodPost }, 405},
		{"only the head", func(r *http.Request) { r.Method = http.MethodHead }, 200},
	} {
		r := get(t, local, "/runs/a/", c.change)
		sharedtest.Equal(t, r.StatusCode, c.code, c.name, "status")
		if r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", c.name, r.Header)
		}
	}
	policy := get(t, local, "/runs/a/").Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'sha256-", "connect-src 'self'",
		"frame-ancestors 'none'", "base-uri 'none'"} {
		sharedtest.Contains(t, policy, want, "the policy")
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("policy %q", policy)
	}
}

// With a token, every page asks for it, also under foreign addresses.
func TestToken(t *testing.T) {
	s := patient(New(Options{Runs: runsOf(newTestRun(t, filepath.Join(t.TempDir(), "a"), 1, "m").dir), Now: time.Now,
		Callers: guard.Callers{Token: "sesame", Names: []string{"gpu-box"}}}))
	far := func(r *http.Request) { r.Host = "192.0.2.1:8080" }
	for _, path := range []string{"/", "/runs/a/", "/runs/a/live", "/runs/a/?token=", "/runs/a/?token=sesam",
		"/nowhere"} {
		r := get(t, s, path, far)
		if text := body(t, r); r.StatusCode != 401 || strings.Contains(text, "sesame") {
			t.Errorf("%s without the token: status %d: %s", path, r.StatusCode, text)
		}
	}
	r := get(t, s, "//evil.example/../runs/a/?token=sesame&env=boxes", far)
	if to := r.Header.Get("Location"); r.StatusCode != 303 || to != "../../?env=boxes&token=sesame" {
		t.Errorf("with the token at a page: status %d, to %q", r.StatusCode, to)
	}
	r = get(t, s, "//evil.example/?token=sesame&env=boxes", far)
	if to := r.Header.Get("Location"); r.StatusCode != 303 || to != "./?env=boxes" {
		t.Errorf("with the token: status %d, to %q", r.StatusCode, to)
	}
	cookies := r.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("cookies %v", cookies)
	}
	for _, host := range []string{"192.0.2.1:8080", "gpu-box:8080"} {
		at := func(r *http.Request) { r.Host = host; r.AddCookie(cookies[0]) }
		sharedtest.Equal(t, get(t, s, "/runs/a/", at).StatusCode, 200, "with the cookie at", host, "status")
	}
	foreign := func(r *http.Request) { r.Host = "evil.example"; r.AddCookie(cookies[0]) }
	sharedtest.Equal(t, get(t, s, "/runs/a/", foreign).StatusCode, 403, "with the cookie at a foreign name: status")
}

// Addresses of what is not there, and bad ones, have an answer.
func TestSillyAddresses(t *testing.T) {
	r := newTestRun(t, filepath.Join(t.TempDir(), "a"), 3, "m").record(3)
	s := serverOf(r.dir)
	id := r.planned[0].ID
	for path, code := range map[string]int{
		"/": 303, "/runs/a": 303, "/runs/a/": 200, "/runs/b/": 404, "/runs/b/live": 404, "/runs/..%2f..%2fetc/": 404,
		"/favicon.ico":     404,
		"/runs/a/?page=-1": 200, "/runs/a/?page=99999999999999999999": 200, "/runs/a/?page=1000000": 200,
		"/runs/a/?env=%00%ff&model=x": 200,
		"/runs/a/episodes/" + id:      200, "/runs/a/episodes/" + id + ".2": 404, "/runs/a/episodes/x": 404,
		"/runs/a/episodes/%3Cscript%3E":            404,
		"/runs/a/episodes/" + id + "?with=a/" + id: 200, "/runs/a/episodes/" + id + "?with=x": 404,
		"/runs/a/episodes/" + id + "?with=b/" + id: 404,
		"/runs/a/episodes/" + id + "?draw=1":       200, "/runs/a/?text=" + strings.Repeat("x", 5000): 200,
	} {
		answer := get(t, s, path)
		if text := body(t, answer); answer.StatusCode != code || strings.Contains(text, "<script>alert") {
			t.Errorf("%.80s: status %d, want %d\n%.300s", path, answer.StatusCode, code, text)
		}
	}
}

// Lists have pages, and a search reads no further than its page needs.
func TestPagesOfAList(t *testing.T) {
	r := newTestRun(t, filepath.Join(t.TempDir(), "a"), 230, "m").record(230)
	s := serverOf(r.dir)
	for path, want := range sharedtest.Table[string](t, "pages-of-a-list.yaml") {
		text := body(t, get(t, s, "/runs/a/"+path))
		_, count, _ := strings.Cut(text, `aria-live="polite">`)
		if count, _, _ = strings.Cut(count, "<"); count != want {
			t.Errorf("%s: %q, want %q", path, count, want)
		}
	}
	found := body(t, get(t, s, "/runs/a/?text=BOX+box%2F77."))
	const want = `>Start</a>, observation: <span dir="auto">You see <mark>box box/77.</mark></span></div>`
	sharedtest.Contains(t, found, want, "the list")
	if text := body(t, get(t, s, "/runs/a/?type=kind+1")); !strings.Contains(text, `rel="next" href="?page=2&amp;type=kind&#43;1"`) {
		t.Error("the next page loses the filter")
	}
}

// A search that takes long says how far it is, and its next page goes on there.
func TestLongSearch(t *testing.T) {
	sharedtest.Heavy(t)
	r := newTestRun(t, filepath.Join(t.TempDir(), "a"), 2100, "m").record(2100)
	now := start
	s := patient(New(Options{Runs: runsOf(r.dir), Now: func() time.Time {
		now = now.Add(searching * 2 / 3) // each look at the clock
		return now
	}}))
	text := body(t, get(t, s, "/runs/a/?text=nothing+of+the+sort"))
	for _, want := range []string{"The first 2000 of 2100 episodes have 0 that match; the next page searches on.",
		`rel="next" href="?from=2000&amp;page=1&amp;text=nothing&#43;of&#43;the&#43;sort"`} {
		sharedtest.Contains(t, text, want, "the page")
	}
	text = body(t, get(t, s, "/runs/a/?text=nothing+of+the+sort&from=2000"))
	if !strings.Contains(text, "Episodes 2001 to 2100 of 2100 have 0 that match.") {
		t.Errorf("%.3000s", text[strings.Index(text, "<main"):])
	}
	text = body(t, get(t, s, "/runs/a/?text=box%2F2050&from=-1"))
	if !strings.Contains(text, "The first 2000 of 2100 episodes have 0 that match") {
		t.Errorf("%.3000s", text[strings.Index(text, "<main"):])
	}
}

// Downloads have the attempts of the list, on all of its pages.
func TestDownloads(t *testing.T) {
	r := newTestRun(t, filepath.Join(t.TempDir(), "a"), 230, "m").record(230)
	s := serverOf(r.dir)
	for query, want := range map[string]int{"": 230, "?task=box%2F0&min-steps=5": 3, "?reason=invalid+actions": 38,
		"?reason=gave+up+or+game+over&text=box%2F2&page=7": 13, "?reason=loops": 0} {
		var attempts []downloaded
		text := body(t, get(t, s, "/runs/a/download/episodes.json"+query))
		if err := json.Unmarshal([]byte(text), &attempts); err != nil || len(attempts) != want {
			t.Errorf("%s: %d attempts, want %d (%v)", query, len(attempts), want, err)
		}
		lines := strings.Count(body(t, get(t, s, "/runs/a/download/episodes.csv"+query)), "\n") - 1
		sharedtest.Equal(t, lines, want, query, "lines of CSV")
	}
}

// An episode that is opened from a list leads to its neighbours there, in the order of the list.
func TestNeighbours(t *testing.T) {
	r := newTestRun(t, filepath.Join(t.TempDir(), "a"), 12, "m").record(12)
	s := serverOf(r.dir)
	for query, want := range map[string][2]int{
		"": {2, 4}, "?type=kind+1": {1, 5}, "?reason=invalid+actions": {-1, 9}, "?sort=-task": {4, 2},
		"?text=nothing+happens&outcome=failure": {-1, 9}, "?type=kind+0": {-1, -1},
	} {
		text := body(t, get(t, s, "/runs/a/episodes/"+r.planned[3].ID+query))
		for i, rel := range []string{"prev", "next"} {
			_, to, found := strings.Cut(text, `<a rel="`+rel+`" href="../../../runs/a/episodes/`)
			switch to, _, _ = strings.Cut(to, `"`); {
			case want[i] < 0 && found, want[i] >= 0 && !strings.HasPrefix(to, r.planned[want[i]].ID):
				t.Errorf("%s: %s is %q, want %d", query, rel, to, want[i])
			case found && query != "" && !strings.Contains(to, "?"):
				t.Errorf("%s: %s loses the list", query, rel)
			}
		}
	}
}

// A run without episodes, and one with lines that cannot be read, have their pages.
func TestUnfinishedAndDamagedRuns(t *testing.T) {
	empty := newTestRun(t, filepath.Join(t.TempDir(), "empty"), 3, "m")
	damaged := newTestRun(t, filepath.Join(t.TempDir(), "damaged"), 3, "m").record(2)
	damaged.addLine("{\"schema\":1,<script>\n{}\n")
	s := serverOf(empty.dir, damaged.dir, filepath.Join(t.TempDir(), "gone"))
	for path, wants := range map[string][]string{
		"/":              {"gone does not exist", `data-head="Done">0/3</td>`},
		"/runs/empty/":   {"<b>0</b> of <b>3</b>", "No episodes.", "–"},
		"/runs/damaged/": {"2 lines of the records cannot be read", "line 3:", "2 of 2 episodes"},
		"/runs/gone/":    {"gone does not exist"},
	} {
		text := body(t, get(t, s, path))
		for _, want := range wants {
			sharedtest.Contains(t, text, want, path)
		}
	}
}

// Live events are one line of JSON each, also of hostile records.
func TestLiveEvents(t *testing.T) {
	r := hostileRun(t, filepath.Join(t.TempDir(), "a"))
	r.recorded = 0
	r.setStatus(time.Now().Add(time.Hour), 3)
	server := serverOf(r.dir)
	s := httptest.NewServer(server)
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request := sharedtest.Must(http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/runs/a/live", nil))(t)
	answer := sharedtest.Must(s.Client().Do(request))(t)
	defer answer.Body.Close()
	sharedtest.Equal(t, answer.Header.Get("Content-Type"), "text/event-stream", "content type")
	lines := bufio.NewReader(answer.Body)
	line := sharedtest.Must(lines.ReadString('\n'))(t)
	text, ok := strings.CutPrefix(line, "data: ")
	if !ok {
		t.Fatalf("the first line is %.100q", line)
	}
	e := decodeEvent(t, text)
	if strings.Count(e.HTML, "model error: ") != 2 || len(e.HTML) > 10_000 {
		t.Errorf("the latest errors are missing or too long: %d bytes", len(e.HTML))
	}
	if !e.Running || e.Episodes != 4 || !strings.Contains(e.HTML, "3 episodes in flight") {
		t.Errorf("%+v", e)
	}
	root := sharedtest.Must(html.Parse(strings.NewReader(e.HTML)))(t)
	for n := range root.Descendants() {
		if n.Data == "script" || n.Data == "img" || n.Type == html.TextNode &&
			strings.ContainsAny(n.Data, "\x1b\x00\u202e") {
			t.Errorf("the panel has %v %.100q", n.Type, n.Data)
		}
	}
	server.close() // ends live connections
	if _, err := io.ReadAll(lines); err != nil {
		t.Errorf("at the end: %v", err)
	}
}

// Too many open pages are told so.
func TestWatchersAreBounded(t *testing.T) {
	s := serverOf(newTestRun(t, filepath.Join(t.TempDir(), "a"), 1, "m").dir)
	for range maxWatchers {
		s.watchers <- struct{}{}
	}
	sharedtest.Equal(t, get(t, s, "/runs/a/live").StatusCode, 503, "status")
	<-s.watchers  // one page is closed
	for range 2 { // the next one closes too, because a recorder has no connection
		if r := get(t, s, "/runs/a/live"); r.StatusCode != 200 {
			t.Errorf("status %d after a page was closed", r.StatusCode)
		}
	}
}

// The server ends with its context, also while a page is live.
func TestServeEnds(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	l := sharedtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- serverOf(newTestRun(t, filepath.Join(t.TempDir(), "a"), 1, "m").dir).Serve(ctx, l)
	}()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Get("http://" + l.Addr().String() + "/runs/a/live")
	sharedtest.OK(t, err)
	defer answer.Body.Close()
	sharedtest.OK(t, sharedtest.Err(answer.Body.Read(make([]byte, 1))))
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Pictures stand beside the steps, with what is to know of them.
func TestPictures(t *testing.T) {
	r := newTestRun(t, filepath.Join(t.TempDir(), "a"), 1, "m").record(1)
	path := "/runs/a/episodes/" + r.planned[0].ID
	var differs int
	var failure error
	s := New(Options{Runs: runsOf(r.dir), Now: time.Now,
		Draw: func(ctx context.Context, c record.Condition, task envs.Task, e *record.Episode) ([]envs.Picture, int,
			error) {
			if c.Env != "boxes" || task.ID != "box/00" || e.ID != r.planned[0].ID {
				t.Errorf("draws %v %v %v", c, task, e)
			}
			var all []envs.Picture
			for i := range len(e.Trajectory) + 1 {
				all = append(all, envs.Picture{Rows: [][]envs.Glyph{{{Text: "@", Color: envs.Red, Lit: true},
					{Text: fmt.Sprint(i)}}}, Legend: []string{"@ you"}})
			}
			return all, differs, failure
		}})
	patient(s)
	if text := body(t, get(t, s, path)); strings.Contains(text, "class=\"picture\"") || !strings.Contains(text, `href="?draw=1"`) {
		t.Error("the page has pictures, or no link to them")
	}
	for _, c := range []struct {
		differs int
		err     error
		want    string
		n       int
	}{
		{-1, nil, "are those of the record", 4},
		{2, nil, "from step 2 on", 4},
		{-1, errors.New("it needs --data"), "No pictures: it needs --data.", 0},
		{-1, context.DeadlineExceeded, "took longer", 0},
	} {
		differs, failure = c.differs, c.err
		if c.err != nil {
			s.options.Draw = func(context.Context, record.Condition, envs.Task, *record.Episode) ([]envs.Picture, int,
				error) {
				return nil, 0, c.err
			}
		}
		text := body(t, get(t, s, path+"?draw=1"))
		if n := strings.Count(text, `<span class="red lit">@</span>`); !strings.Contains(text, c.want) || n != c.n || strings.Count(text, "@ you") != min(1, n) {
			t.Errorf("%d pictures, want %d and %q", n, c.n, c.want)
		}
	}
}

// Runs whose folders have one name have names of their own in addresses.
func TestNamesOfRuns(t *testing.T) {
	shown := shownRuns{names: map[string]bool{}}
	var got []string
	for _, dir := range []string{"x/run", "y/run", "z/run~2", "a b/ü"} {
		name := shown.freeName(dir)
		got = append(got, (&shownRun{name: name}).path("/", "episodes", "id"))
	}
	want := []string{"/runs/run/episodes/id", "/runs/run~2/episodes/id", "/runs/run~2~2/episodes/id",
		"/runs/%C3%BC/episodes/id"}
	sharedtest.Equal(t, fmt.Sprint(got), fmt.Sprint(want), got, want)
	if _, err := url.Parse(got[3]); err != nil {
		t.Error(err)
	}
}

// A status that is old, damaged or of a killed process is none.
func TestStates(t *testing.T) {
	r := newTestRun(t, filepath.Join(t.TempDir(), "a"), 3, "m").record(1)
	x := sharedtest.Must(record.OpenIndex(record.Parts{r.dir}))(t)
	now := start.Add(time.Hour)
	state := func() RunState {
		s := summarize(record.Parts{r.dir}, x, now)
		return s.State
	}
	sharedtest.Equal(t, state(), Incomplete, "without a status")
	r.setStatus(now, 1)
	sharedtest.Equal(t, state(), Running, "with a status")
	now = now.Add(record.Silent + time.Second)
	sharedtest.Equal(t, state(), Incomplete, "with an old status")
	r.record(2)
	sharedtest.OK(t, x.Update())
	sharedtest.Equal(t, state(), Complete, "at the end")
}

// The state of a run is the present one, though nothing was added to its records.
func TestStateWithoutNews(t *testing.T) {
	r := newTestRun(t, filepath.Join(t.TempDir(), "a"), 3, "m").record(1)
	now := start.Add(time.Hour)
	viewed := shownRun{parts: record.Chosen{Parts: record.Parts{r.dir}}, now: func() time.Time { return now }}
	for _, want := range []RunState{Incomplete, Running, Incomplete} {
		if err := viewed.update(); err != nil || viewed.summary.State != want {
			t.Errorf("%s, want %s: %v", viewed.summary.State, want, err)
		}
		r.setStatus(now, 1)
		if now = now.Add(fresh); want == Running {
			now = now.Add(record.Silent)
		}
	}
}

// A rate so far lies within its interval, however few episodes the latest seed has.
func TestRatesSoFar(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	r := newTestRun(t, dir, 40, "m", "n")
	m := sharedtest.Must(record.ReadManifest(dir))(t)
	m.Groups[1].Condition.Model, m.Groups[1].Condition.Seed = "m", 1
	for i, task := range m.Environments[0].Tasks {
		id := sharedtest.Must(record.EpisodeID(2, task, m.Groups[1].Condition))(t)
		m.Groups[1].Episodes[i] = id
		e := r.planned[40+i]
		e.ID, e.Model, e.Seed = id, "m", 1
	}
	sharedtest.OK(t, r.store.SetManifest(m))
	for _, e := range r.planned[:40] {
		e.Outcome, e.Success = record.Failure, false
		for i := range e.Trajectory {
			e.Trajectory[i].Progress = 0
		}
		episodetest.Settle(e)
	}
	r.record(41) // the one episode of the second seed is a success
	x := sharedtest.Must(record.OpenIndex(record.Parts{dir}))(t)
	s := summarize(record.Parts{dir}, x, start)
	if len(s.Rates) != 1 {
		t.Fatalf("%d rates", len(s.Rates))
	}
	if got := s.Rates[0].Success; got.Mean < got.Interval.Low || got.Mean > got.Interval.High || got.Mean > 0.1 {
		t.Errorf("success %v in %+v", got.Mean, *got.Interval)
	}
}

// A run's page says which programs were played outside, and what their rates are.
func TestExternalPanel(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	newTestRun(t, dir, 2, "m")
	x := sharedtest.Must(record.OpenIndex(record.Parts{dir}))(t)
	info := envs.Info{Source: envs.External, Address: "http://h/a", Settings: map[string]string{"version": "1",
		"hash": "ab", "return": "0 to 1", "success-threshold": "0.5"}}
	rate := RateSoFar{Place: "exec:a", External: info.External()}
	p := new(shownRun).panel("../../", x, Summary{Planned: 2, Rates: []RateSoFar{rate, {Place: "boxes"}, rate}})
	var page strings.Builder
	sharedtest.OK(t, templates.ExecuteTemplate(&page, "live", p))
	const want = ">exec:a: outside of heldout, version 1, hash ab, at http://h/a; PR is where the sum of rewards lies " +
		"from 0 to 1; SR counts a progress of at least 0.5.<"
	if strings.Count(page.String(), "outside of heldout") != 1 || !strings.Contains(page.String(), want) {
		t.Error(page.String())
	}
}

// The list of runs has the held-out score of a model whose rates all count for it.
func TestHeldOutInTheList(t *testing.T) {
	w := sharedtest.Must(configs.LoadWeights())(t)
	score := func(env string) *scoring.Score {
		return &scoring.Score{Planned: 2, Finished: 2,
			Environment: record.Environment{Info: envs.Info{Source: envs.Official}},
			Condition:   record.Condition{Env: env, Model: "vllm:m", Perturbation: "none"}}
	}
	for name, c := range map[string]struct {
		change func(*scoring.Score)
		want   float64
	}{
		"complete":       {func(*scoring.Score) {}, 50},
		"unfinished":     {func(s *scoring.Score) { s.Finished = 1 }, math.NaN()},
		"generated":      {func(s *scoring.Score) { s.Environment.Source = envs.Generated }, math.NaN()},
		"some tasks":     {func(s *scoring.Score) { s.Environment.Total = 1 }, math.NaN()},
		"other tasks":    {func(s *scoring.Score) { s.Outside = 1 }, math.NaN()},
		"trained":        {func(s *scoring.Score) { s.Condition.Model = "vllm:trained" }, math.NaN()},
		"another preset": {func(s *scoring.Score) { s.Condition.Preset = &record.Preset{} }, math.NaN()},
		"perturbed":      {func(s *scoring.Score) { s.Condition.Perturbation = "P1" }, math.NaN()},
	} {
		m, rates := &record.Manifest{HeldIn: configs.HeldIn{"trained": {"pddl"}}}, Summary{}
		for _, part := range w.HeldOut {
			s := score(part.Env)
			c.change(s)
			s.Success.Mean = 0.5
			rate := RateSoFar{Condition: s.Condition, Success: s.Success, Counts: counts(m, s)}
			rates.Rates = append(rates.Rates, rate)
		}
		if got := rates.heldOut(w, rates.Rates[0].Condition.Model); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		rates.Rates = append(rates.Rates, rates.Rates[0])
		if got := rates.heldOut(w, "vllm:m"); !math.IsNaN(got) {
			t.Errorf("%s, played in two ways: %v", name, got)
		}
	}
}

// While the records of a run are read for the first time, its pages say so and come again.
func TestReading(t *testing.T) {
	s := New(Options{Runs: runsOf(newTestRun(t, filepath.Join(t.TempDir(), "a"), 1, "m").record(1).dir,
		newTestRun(t, filepath.Join(t.TempDir(), "b"), 1, "m").dir), Now: time.Now})
	for _, r := range s.runs() {
		r.patience = 0
	}
	for range maxBusy {
		s.readers <- struct{}{} // others read
	}
	r := get(t, s, "/runs/a/")
	if text := body(t, r); r.Header.Get("Refresh") != "1" ||
		!strings.Contains(text, "One moment: the records are being read.") {
		t.Errorf("headers %v\n%s", r.Header, text)
	}
	if text := body(t, get(t, s, "/")); strings.Count(text, "the records are being read") != 2 {
		t.Errorf("the overview:\n%s", text)
	}
	<-s.readers
	patient(s)
	sharedtest.Contains(t, body(t, get(t, s, "/runs/a/")), "1 of 1 episodes", "after that")
}

// Runs that begin while the viewer is open get pages of their own, and names in addresses stay.
func TestRunsThatBeginLater(t *testing.T) {
	folder := t.TempDir()
	first := newTestRun(t, filepath.Join(folder, "b"), 2, "m").record(2)
	now, dirs := start, []string{first.dir}
	s := patient(New(Options{Runs: runsOf(dirs...), Now: func() time.Time { return now },
		Find: func() ([]record.Chosen, error) { return runsOf(dirs...), nil }}))
	if r := get(t, s, "/"); r.StatusCode != http.StatusSeeOther {
		t.Errorf("the only run: status %d", r.StatusCode)
	}
	later := newTestRun(t, filepath.Join(folder, "more", "b"), 2, "late").record(1)
	dirs = []string{later.dir, first.dir}
	sharedtest.Equal(t, get(t, s, "/runs/b~2/").StatusCode, http.StatusNotFound,
		"runs are looked for at every request: status")
	now = now.Add(2 * lookout)
	patient(s)
	if text := body(t, get(t, s, "/")); !strings.Contains(text, "2 run directories") ||
		!strings.Contains(text, "/runs/b~2/") {
		t.Errorf("the list lacks a run: %.900s", text)
	}
	sharedtest.Contains(t, body(t, get(t, s, "/runs/b~2/")), "late", "the page of the new run")
	dirs = nil
	now = now.Add(2 * lookout)
	sharedtest.Contains(t, body(t, get(t, s, "/runs/b/")), "2 of 2 episodes", "the page of the first run")
}

// Worlds are offered only where they can be drawn.
func TestDrawable(t *testing.T) {
	r := newTestRun(t, filepath.Join(t.TempDir(), "a"), 1, "m").record(1)
	for _, can := range []bool{false, true} {
		s := patient(New(Options{Runs: runsOf(r.dir), Now: time.Now,
			Drawable: func(record.Condition) bool { return can },
			Draw: func(context.Context, record.Condition, envs.Task, *record.Episode) ([]envs.Picture, int, error) {
				return nil, -1, nil
			}}))
		text := body(t, get(t, s, "/runs/a/episodes/"+r.planned[0].ID))
		sharedtest.Equal(t, strings.Contains(text, "Draw the world"), can, text)
	}
}

// The page of chosen runs compares exactly those.
func TestCompare(t *testing.T) {
	folder := t.TempDir()
	var dirs []string
	var last *testRun
	for _, name := range []string{"a", "b", "c"} {
		last = newTestRun(t, filepath.Join(folder, name), 2, "m").record(1)
		dirs = append(dirs, last.dir)
	}
	var got []string
	s := patient(New(Options{Runs: runsOf(dirs...), Now: time.Now,
		Compare: func(_ context.Context, runs []record.Chosen, pages trajectory.Addresses) (page.Page, error) {
			var shown []trajectory.Target
			for _, r := range runs {
				got = append(got, filepath.Base(r.Name()))
				shown = append(shown, trajectory.Target{Run: r.String(), Name: "e 1.2"})
			}
			return page.Page{Title: "Compared", Body: []template.HTML{template.HTML(pages(shown[0], shown[1]))}}, nil
		}}))
	if text := body(t, get(t, s, "/")); strings.Count(text, `type="checkbox" name="run"`) != 3 {
		t.Errorf("runs cannot be chosen: %.900s", text)
	}
	text := body(t, get(t, s, "/compare?run=c&run=a"))
	if fmt.Sprint(got) != "[c a]" || !strings.Contains(text, "Compared") || !strings.Contains(text, "All runs") ||
		!strings.Contains(text, "./runs/c/episodes/e%201.2?with=a%2Fe+1.2") {
		t.Errorf("compared are %v: %.900s", got, text)
	}
	if again := body(t, get(t, s, "/compare?run=c&run=a")); again != text || len(got) != 2 {
		t.Errorf("the page is made again though no run changed: %v\n%s", got, cmp.Diff(text, again))
	}
	last.record(1)
	if body(t, get(t, s, "/compare?run=c&run=a")); len(got) != 4 {
		t.Error("the page is not made again though a run has changed")
	}
	manifest := filepath.Join(last.dir, "run.json")
	if err := os.Chtimes(manifest, time.Time{}, time.Unix(1000, 0)); err != nil { // such as other names of its models
		t.Fatal(err)
	}
	if body(t, get(t, s, "/compare?run=c&run=a")); len(got) != 6 {
		t.Error("the page is not made again though a run's plan has changed")
	}
	for address, code := range map[string]int{"/compare": 400, "/compare?run=x": 404} {
		sharedtest.Equal(t, get(t, s, address).StatusCode, code, address, "status")
	}
}
