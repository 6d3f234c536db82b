package wiki

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

// recordOf makes a cache of a fake Wikipedia with these searches in it.
func recordOf(t *testing.T, dir string, f *fakeWiki, queries ...string) (*Cache, []Answer) {
	t.Helper()
	c := sharedtest.Must(NewCache(dir, newTestLive(t, Options{URL: startFake(t, f)})))(t)
	var answers []Answer
	for _, q := range queries {
		answers = append(answers, sharedtest.Must(c.Search(t.Context(), q))(t))
	}
	return c, answers
}

func TestMain(m *testing.M) {
	sharedtest.Crowd("16")
	os.Exit(m.Run())
}

// A record answers as the live Wikipedia did, though that has changed, and says what it lacks.
func TestRecorded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	f := &fakeWiki{}
	queries := []string{"Pluto", "pluto", "no such thing", "[Mercury]"}
	live, want := recordOf(t, dir, f, queries...)
	sent := f.sent()
	f.pages = map[string]string{"Pluto": "<p>Something else altogether.</p>"}
	again := sharedtest.Must(OpenRecorded(dir))(t)
	for _, c := range []*Cache{live, again} {
		for i, q := range queries {
			got, err := c.Search(t.Context(), q)
			if diff := cmp.Diff(want[i], got); err != nil || diff != "" {
				t.Errorf("%q: %v %s", q, err, diff)
			}
		}
	}
	_, err := again.Search(t.Context(), "Uranus")
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Query != "Uranus" ||
		!strings.Contains(err.Error(), `no answer to the search "Uranus"`) {
		t.Error(err)
	}
	sharedtest.Equal(t, f.sent(), sent, "requests for what is recorded")
	sharedtest.Equal(t, again.Origin(), live.Origin())
	sharedtest.Equal(t, again.Origin().Flow, JSON)
	answers, err := filepath.Glob(filepath.Join(dir, "answers", "*", "*.json"))
	if err != nil || len(answers) != 3 { // both spellings of Pluto lead to one page
		t.Errorf("%q, %v", answers, err)
	}
}

// Many that want the same at once cause one search.
func TestSharedFetch(t *testing.T) {
	t.Parallel()
	f := &fakeWiki{}
	c, _ := recordOf(t, t.TempDir(), f)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if a, err := c.Search(t.Context(), "Pluto"); err != nil || a.Title != "Pluto" {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
	all.Wait()
	sharedtest.Equal(t, f.sent(), 2, "requests")
}

// Who waits for another's search is not called off with that one.
func TestSharedFetchCancelled(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan bool), make(chan bool)
	f := &fakeWiki{}
	f.trouble = func(n int, _ http.ResponseWriter, r *http.Request) bool {
		if n == 1 {
			arrived <- true
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		return false
	}
	c, _ := recordOf(t, t.TempDir(), f)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := c.Search(ctx, "Pluto"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	<-arrived
	all.Go(func() {
		if a, err := c.Search(t.Context(), "Pluto"); err != nil || a.Title != "Pluto" {
			t.Errorf("%+v, %v", a, err)
		}
	})
	stop()
	all.Wait()
	close(release)
}

// Trouble is not recorded.
func TestTroubleIsNotKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := &fakeWiki{trouble: say(403, "")}
	c, _ := recordOf(t, dir, f)
	sharedtest.Fails(t, sharedtest.Err(c.Search(t.Context(), "Pluto")), "", "refused, and no error")
	f.trouble = nil
	if _, answers := recordOf(t, dir, f, "Pluto"); answers[0].Title != "Pluto" {
		t.Errorf("%+v", answers)
	}
}

func TestDamagedCache(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(dir string) string{
		"answer":         func(dir string) string { return one(t, dir, "answers/*/*.json") },
		"query":          func(dir string) string { return one(t, dir, "queries/*/*.json") },
		"missing answer": func(dir string) string { return "" },
	} {
		dir := t.TempDir()
		recordOf(t, dir, &fakeWiki{}, "Pluto")
		var err error
		if file := damage(dir); file != "" {
			err = os.WriteFile(file, []byte("{}"), 0o600)
		} else {
			err = os.Remove(one(t, dir, "answers/*/*.json"))
		}
		if err != nil {
			t.Fatal(err)
		}
		c := sharedtest.Must(OpenRecorded(dir))(t)
		var missing *MissingError
		if _, err := c.Search(t.Context(), "Pluto"); err == nil || errors.As(err, &missing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func one(t *testing.T, dir, pattern string) string {
	t.Helper()
	files := sharedtest.Must(filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern))))(t)
	sharedtest.Equal(t, len(files), 1, files)
	return files[0]
}

func TestOtherCaches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sharedtest.Fails(t, sharedtest.Err(OpenRecorded(dir)), "holds no recorded Wikipedia")
	recordOf(t, dir, &fakeWiki{}, "Pluto")
	if _, err := NewCache(dir, newTestLive(t, Options{Flow: HTML})); err == nil ||
		!strings.Contains(err.Error(), "another --wiki-cache") {
		t.Error(err)
	}
	for _, text := range []string{"{", `{"version":7}`} {
		sharedtest.OK(t, os.WriteFile(filepath.Join(dir, "wiki.json"), []byte(text), 0o600))
		sharedtest.Fails(t, sharedtest.Err(OpenRecorded(dir)), "", text, "is read")
	}
}
