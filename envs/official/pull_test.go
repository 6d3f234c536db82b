package official

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

// publish serves the published archives.
func publish(t testing.TB, p published) (*owner, []PublishedFile) {
	o := &owner{files: map[string][]byte{"/data.tar.gz": p.agentboard, "/code.tar.gz": p.code, "/suite.tar.gz": p.suite,
		"/questions.json": p.questions}}
	return o, serve(t, o, "agentboard=/data.tar.gz", "agentboard-code=/code.tar.gz", "jericho-suite=/suite.tar.gz",
		"react=/questions.json", "tales-stories=/tales.tar.gz")
}

// states are the states of the parts of a data folder.
func stateOf(t testing.TB, dir string) map[string]FolderState {
	t.Helper()
	found, err := Check(dir, nil)
	check(t, err)
	out := map[string]FolderState{}
	for _, f := range found {
		if f.State != Absent {
			out[f.ID()] = f.State
		}
	}
	return out
}

var everything = map[string]FolderState{
	"alfworld/games": Complete, "alfworld/labels": Complete, "babyai/labels": Complete, "hotpotqa/questions": Complete,
	"jericho/labels":  Complete,
	"jericho/stories": Complete, "pddl/labels": Complete, "pddl/problems": Complete, "sciworld/labels": Complete,
}

func TestPullEverything(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	owner, sources := publish(t, officialArchives(t))
	o := options(t, sources)
	check(t, fetch(o))
	sharedtest.Same(t, stateOf(t, o.Dir), everything)
	if want := []string{"/data.tar.gz ", "/code.tar.gz ", "/questions.json "}; !slices.Equal(owner.requests, want) {
		t.Errorf("%q was asked for, want %q: the stories were in the first archive", owner.requests, want)
	}
	want := []string{"alfworld", "babyai", "heldout-data.json", "hotpotqa", "jericho", "pddl", "scienceworld"}
	sharedtest.Same(t, visible(t, o.Dir), want, "the folder holds")
	if _, err := os.Stat(filepath.Join(o.Dir, workName, "agentboard")); !os.IsNotExist(err) {
		t.Errorf("the archive is still there: %v", err)
	}
	owner.requests = nil
	if check(t, fetch(o)); len(owner.requests) > 0 {
		t.Errorf("a second pull asks for %q", owner.requests)
	}
	check(t, os.WriteFile(filepath.Join(o.Dir, "babyai", "test.jsonl"), []byte("{}"), 0o600))
	sharedtest.Equal(t, stateOf(t, o.Dir)["babyai/labels"], Changed, "damaged labels")
	sharedtest.Same(t, sharedtest.Must(Altered(o.Dir, "babyai"))(t), []string{"babyai/test.jsonl"})
	if check(t, fetch(o)); stateOf(t, o.Dir)["babyai/labels"] != Complete || len(owner.requests) != 1 {
		t.Errorf("damaged labels are not fetched again: %q", owner.requests)
	}
}

// One environment takes what it needs and nothing else.
func TestPullOne(t *testing.T) {
	p := officialArchives(t)
	_, sources := publish(t, p)
	o := options(t, sources, "pddl")
	check(t, fetch(o))
	sharedtest.Same(t, visible(t, o.Dir), []string{"heldout-data.json", "pddl"}, "the folder holds")
}

// TALES' other stories come only on request. They have to be the published ones, and what
// becomes of them does not touch AgentBoard's.
func TestTalesStories(t *testing.T) {
	sharedtest.Heavy(t)
	owner, sources := publish(t, officialArchives(t))
	o := options(t, sources, "jericho")
	check(t, fetch(o))
	want := map[string]FolderState{"jericho/labels": Complete, "jericho/stories": Complete}
	sharedtest.Same(t, stateOf(t, o.Dir), want)
	const suiteFolder = "jericho/z-machine-games-master/jericho-game-suite"
	files := filesUnder(talesSums, suiteFolder)
	var members []member
	for _, file := range append(files, "lgop.z3", "../advent.z5") {
		name := path.Join("z-machine-games-1/jericho-game-suite", file)
		members = append(members, member{name: name, content: "a story"})
	}
	owner.requests, owner.files["/tales.tar.gz"] = nil, tarGz(t, members...)
	o.Extras = []string{"tales-stories"}
	sharedtest.Fails(t, fetch(o), "left out (34): "+suiteFolder+"/advent.z5, ")
	o.Accept = true
	check(t, fetch(o))
	want["jericho/tales"] = Accepted
	if diff := cmp.Diff(want, stateOf(t, o.Dir)); diff != "" || len(files) != 34 {
		t.Errorf("%d files: %s", len(files), diff)
	}
}

// Nothing of an environment appears while a source of it fails, and what was fetched is not fetched again.
func TestPullContinuesAfterAFailure(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	p := officialArchives(t)
	owner, sources := publish(t, p)
	delete(owner.files, "/code.tar.gz")
	o := options(t, sources, "pddl", "babyai")
	err := fetch(o)
	if err == nil || !strings.Contains(err.Error(), "agentboard-code: ") || !strings.Contains(err.Error(), "404") ||
		!strings.Contains(err.Error(), "pddl is not complete, and nothing of it was placed: pddl/problems is missing") {
		t.Fatal(err)
	}
	sharedtest.Same(t, visible(t, o.Dir), []string{"babyai", "heldout-data.json"}, "the folder holds")
	owner.requests, owner.files["/code.tar.gz"] = nil, p.code
	check(t, fetch(o))
	sharedtest.Same(t, owner.requests, []string{"/code.tar.gz "}, "was asked for")
}

// A connection that breaks is continued where it was; a server without ranges sends the file again.
func TestBrokenConnections(t *testing.T) {
	p := officialArchives(t)
	n := len(p.questions)
	for _, rangeless := range []bool{false, true} {
		owner, sources := publish(t, p)
		owner.rangeless, owner.breakAfter = rangeless, []int{n / 4, n / 2}
		o := options(t, sources, "hotpotqa")
		check(t, fetch(o))
		sharedtest.Equal(t, stateOf(t, o.Dir)["hotpotqa/questions"], Complete, "the questions")
		if len(owner.requests) != 3 || rangeless == (owner.requests[1] != "/questions.json ") {
			t.Errorf("rangeless %v: %q", rangeless, owner.requests)
		}
	}
}

// Another process continues what was killed, unless the file is another one now.
func TestContinuesAnotherProcess(t *testing.T) {
	p := officialArchives(t)
	for _, changed := range []bool{false, true} {
		owner, sources := publish(t, p)
		o := options(t, sources, "hotpotqa")
		file := filepath.Join(o.Dir, workName, "react")
		check(t, os.MkdirAll(filepath.Dir(file), 0o700))
		check(t, os.WriteFile(file, p.questions[:1000], 0o600))
		i := slices.IndexFunc(sources, func(s PublishedFile) bool { return s.Name == "react" })
		tag := `"` + sumOf(p.questions) + `"`
		if changed {
			tag = `"of an older file"`
		}
		check(t, writeDownload(file, download{Address: sumOf([]byte(sources[i].URL)), Validator: tag,
			Total: int64(len(p.questions))}))
		check(t, os.MkdirAll(filepath.Join(o.Dir, workName, "stage", "hotpotqa"), 0o700)) // which was not finished
		check(t, fetch(o))
		sharedtest.Same(t, owner.requests, []string{"/questions.json bytes=1000-"}, "was asked for")
		sharedtest.Equal(t, stateOf(t, o.Dir)["hotpotqa/questions"], Complete, "changed", changed,
			"the questions are")
	}
}

func TestServersThatStall(t *testing.T) {
	t.Parallel()
	p := officialArchives(t)
	owner, sources := publish(t, p)
	owner.hang = true
	o := options(t, sources, "hotpotqa")
	o.download = newDownloader(nil, "test", o.Tell)
	o.download.wait, o.download.stall = time.Millisecond, 500*time.Millisecond
	check(t, Pull(context.Background(), o))
	sharedtest.Equal(t, stateOf(t, o.Dir)["hotpotqa/questions"], Complete, "the questions")
}

// What arrives has to be what was published.
// endless is a server that never ends its answer, except by saying that it is huge.
type endless struct{ size string }

func (e endless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.size != "" {
		w.Header().Set("Content-Length", e.size)
	}
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 1<<16)); err != nil {
			return
		}
	}
}

// A source that sends too much is given up at its limit, and nothing of it is kept.
func TestEndlessSources(t *testing.T) {
	for _, size := range []string{"", "1000000000000"} {
		server := httptest.NewServer(endless{size})
		t.Cleanup(server.Close)
		sources, err := Replace(Sources(), []string{"react=" + server.URL + "/questions.json"}, "")
		check(t, err)
		o := options(t, sources, "hotpotqa")
		var most int64
		o.Tell = func(p Progress) { most = max(most, p.Bytes) }
		if err := fetch(o); err == nil || !strings.Contains(err.Error(),
			"react: the file has more than 1179017 bytes") {
			t.Errorf("size %q: %v", size, err)
		}
		if most > 1179017 {
			t.Errorf("size %q: %d bytes were written", size, most)
		}
		left, err := filepath.Glob(filepath.Join(o.Dir, workName, "react*"))
		if check(t, err); len(left) > 0 {
			t.Errorf("size %q: %q is left", size, left)
		}
	}
}

// A pull leaves room on the disk, and continues once there is more.
func TestFullDisk(t *testing.T) {
	p := officialArchives(t)
	_, sources := publish(t, p)
	o := options(t, sources, "hotpotqa")
	o.download = newDownloader(o.Proxy, o.UserAgent, o.Tell)
	o.download.free = func(string) (int64, error) { return reserve + look - 1, nil }
	if err := Pull(t.Context(), o); !errors.Is(err, syscall.ENOSPC) ||
		!strings.Contains(err.Error(), "react: the disk of ") ||
		!strings.Contains(err.Error(), "has 319 MB free, want 320") {
		t.Error(err)
	}
	check(t, fetch(o))
	sharedtest.Equal(t, stateOf(t, o.Dir)["hotpotqa/questions"], Complete, "the questions")
}

func TestOtherBytes(t *testing.T) {
	p := officialArchives(t)
	wrong := slices.Clone(p.questions)
	wrong[len(wrong)/2] ^= 1
	owner, sources := publish(t, p)
	owner.files["/questions.json"] = wrong
	o := options(t, sources, "hotpotqa")
	if err := fetch(o); err == nil || !strings.Contains(err.Error(), "has the SHA-256 "+sumOf(wrong)+
		", want 05001dcdeb2b") {
		t.Error(err)
	}
	if got := visible(t, o.Dir); len(got) > 0 {
		t.Errorf("the folder holds %q", got)
	}
	owner.files["/questions.json"] = p.questions
	check(t, fetch(o))
}

// Labels of our own stand for the labels of a later version of the archive.
func TestChangedMembers(t *testing.T) {
	owner := &owner{files: map[string][]byte{"/data.tar.gz": tarGz(t,
		member{name: "data/babyai/test.jsonl", content: labels("babyai", 112)})}}
	o := options(t, serve(t, owner, "agentboard=/data.tar.gz"), "babyai")
	err := fetch(o)
	if err == nil || !strings.Contains(err.Error(),
		"other bytes than the published ones were left out (1): babyai/test.jsonl; --accept-changed takes them") {
		t.Fatal(err)
	}
	if got := visible(t, o.Dir); len(got) > 0 {
		t.Errorf("the folder holds %q", got)
	}
	o.Accept = true
	check(t, fetch(o))
	sharedtest.Equal(t, stateOf(t, o.Dir)["babyai/labels"], Accepted, "the labels")
}

// Hugging Face says the SHA-256 of a large file before it sends to it.
func TestLinkedHash(t *testing.T) {
	archive := tarGz(t, member{name: "data/babyai/test.jsonl", content: labels("babyai", 112)})
	for _, good := range []bool{true, false} {
		owner := &owner{files: map[string][]byte{"/data.tar.gz": archive}, linked: sumOf(archive)}
		if !good {
			owner.linked = sumOf(nil)
		}
		o := options(t, serve(t, owner, "agentboard=/resolve/data.tar.gz"), "babyai")
		o.Accept = true
		if err := fetch(o); (err == nil) != good || !good && !strings.Contains(err.Error(), "want "+owner.linked) {
			t.Errorf("good %v: %v", good, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	for status, requests := range map[int]int{http.StatusForbidden: 1, http.StatusServiceUnavailable: attempts} {
		owner := &owner{refuse: status}
		o := options(t, serve(t, owner, "agentboard=/data.tar.gz"), "babyai")
		err := fetch(o)
		if err == nil || !strings.Contains(err.Error(), http.StatusText(status)) || len(owner.requests) != requests {
			t.Errorf("%d: %d requests, %v", status, len(owner.requests), err)
		}
	}
}

// A password in an address is neither shown nor kept.
func TestSecretAddresses(t *testing.T) {
	owner := &owner{files: map[string][]byte{"/data.tar.gz": tarGz(t,
		member{name: "data/babyai/test.jsonl", content: labels("babyai", 112)})}}
	sources := serve(t, owner, "agentboard=/data.tar.gz?token=sesame")
	for i := range sources {
		sources[i].URL = strings.Replace(sources[i].URL, "http://127", "http://me:sesame@127", 1)
	}
	o := options(t, sources, "babyai")
	o.Accept, o.Note = true, func(line string) {
		if strings.Contains(line, "sesame") {
			t.Error(line)
		}
	}
	check(t, fetch(o))
	b, err := os.ReadFile(filepath.Join(o.Dir, receiptName))
	if check(t, err); strings.Contains(string(b), "sesame") || !strings.Contains(string(b), "/data.tar.gz") {
		t.Errorf("%s", b)
	}
	owner.refuse = http.StatusForbidden
	o.Dir = t.TempDir()
	if err := fetch(o); err == nil || strings.Contains(err.Error(), "sesame") {
		t.Error(err)
	}
}

func TestOnePullAtATime(t *testing.T) {
	o := options(t, Sources())
	s, err := openStage(o.Dir, false)
	check(t, err)
	sharedtest.Fails(t, fetch(o), "another heldout is filling ")
	check(t, s.close())
}

func TestReplace(t *testing.T) {
	sources, err := Replace(Sources(), []string{"react=/tmp/x.json"}, "https://mirror.example/")
	check(t, err)
	if got := sources[0].URL; got != "https://mirror.example/datasets/hkust-nlp/agentboard/resolve/main/data.tar.gz" {
		t.Error(got)
	}
	if s := sources[3]; s.Name != "react" || s.URL != "/tmp/x.json" || s.remote() {
		t.Errorf("%+v", s)
	}
	for _, bad := range []string{"react", "react=", "nowhere=https://x"} {
		if _, err := Replace(Sources(), []string{bad}, ""); err == nil ||
			!strings.Contains(err.Error(), "names are: agentboard, ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if Sources()[0].URL == sources[0].URL {
		t.Error("the list of sources changed")
	}
}

func TestPlan(t *testing.T) {
	names := func(o Options) []string {
		plan, err := Plan(o)
		check(t, err)
		return sourceNames(plan, func(PublishedFile) bool { return true })
	}
	for _, test := range []struct{ environments, extras, want []string }{
		{nil, nil, []string{"agentboard", "agentboard-code", "jericho-suite", "react"}},
		{[]string{"pddl"}, nil, []string{"agentboard", "agentboard-code"}},
		{[]string{"hotpotqa"}, []string{"wikipedia"}, []string{"react", "wikipedia"}},
		{[]string{"pddl"}, []string{"wikipedia"}, []string{"agentboard", "agentboard-code", "react", "wikipedia"}},
	} {
		sharedtest.Same(t, names(Options{Sources: Sources(), Environments: test.environments, Extras: test.extras}),
			test.want, test.environments, "with", test.extras)
	}
	for _, bad := range []Options{{Environments: []string{"chess"}}, {Extras: []string{"agentboard"}}} {
		sharedtest.Fails(t, sharedtest.Err(Plan(bad)), "", bad, "no error")
	}
}

// Every part has a source, and every file that is known belongs to a part.
func TestTables(t *testing.T) {
	f := newFinder()
	for file := range f.sums {
		if _, ok := f.part(file); !ok {
			t.Errorf("%s belongs to no part", file)
		}
	}
	for _, p := range Parts() {
		if !slices.ContainsFunc(Sources(), func(s PublishedFile) bool { return slices.Contains(s.Parts, p.ID()) }) {
			t.Errorf("%s has no source", p.ID())
		}
		if p.Pattern == "" && len(p.Files) == 0 {
			t.Errorf("%s has no files", p.ID())
		}
	}
}

// Downloads go through the user's proxy.
func TestProxy(t *testing.T) {
	owner := &owner{files: map[string][]byte{"/data.tar.gz": tarGz(t,
		member{name: "data/babyai/test.jsonl", content: labels("babyai", 112)})}}
	proxy := httptest.NewServer(owner)
	defer proxy.Close()
	sources, err := Replace(Sources(), []string{"agentboard=http://nowhere.invalid/data.tar.gz"}, "")
	check(t, err)
	o := options(t, sources, "babyai")
	o.Accept = true
	o.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
	check(t, fetch(o))
	sharedtest.Equal(t, stateOf(t, o.Dir)["babyai/labels"], Accepted, "the labels")
}

// A server may send to another address, but not to one without encryption.
func TestRedirects(t *testing.T) {
	for _, test := range []struct {
		from, to string
		ok       bool
	}{{"https://a/x", "https://b/x", true}, {"http://a/x", "http://b/x", true}, {"https://a/x", "http://a/x", false}} {
		from, err := http.NewRequest(http.MethodGet, test.from, nil)
		check(t, err)
		to, err := http.NewRequest(http.MethodGet, test.to, nil)
		check(t, err)
		if err := checkRedirect(to, []*http.Request{from}); (err == nil) != test.ok {
			t.Errorf("%s to %s: %v", test.from, test.to, err)
		}
	}
	sharedtest.Fails(t, checkRedirect(&http.Request{}, make([]*http.Request, 10)), "",
		"redirects without end are followed")
}
