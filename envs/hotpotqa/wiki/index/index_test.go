package index

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/envs/datafile"
	"heldout/envs/sharedtest"
)

func memory(t testing.TB, articles ...Article) *Index {
	t.Helper()
	return sharedtest.Must(Memory(articles))(t)
}

func TestArticle(t *testing.T) {
	x := memory(t,
		Article{"US", []string{"A country.", "Second line."}}, Article{"Us", []string{"A pronoun."}},
		Article{"us", []string{"Lower."}},
		Article{"Café au lait", nil}, Article{"AC/DC", []string{"A band."}}, Article{`X & Y "z"`, []string{"Odd."}},
	)
	for query, want := range map[string]string{
		"US": "US", "Us": "Us", "us": "us", "uS": "US", "cafe\u0301_AU  lait ": "Café au lait", "ac/dc": "AC/DC",
		`x & y "Z"`:    `X & Y "z"`,
		"cafe au lait": "", "U": "", "": "", "  ": "", "US OR Us": "", "u*": "",
	} {
		a, ok, err := x.Article(t.Context(), query)
		if err != nil || ok != (want != "") || a.Title != want {
			t.Errorf("Article(%q) = %+v, %v, %v; want %q", query, a, ok, err, want)
		}
	}
	a, _, err := x.Article(t.Context(), "US")
	if diff := cmp.Diff(Article{"US", []string{"A country.", "Second line."}}, a); err != nil || diff != "" {
		t.Error(diff, err)
	}
}

func TestTitles(t *testing.T) {
	x := memory(t,
		Article{"River Exe", []string{"The Exe is a river."}},
		Article{"Exeter", []string{"Exeter is a city on the river Exe."}},
		Article{"Twin B", []string{"Both say the same."}}, Article{"Twin A", []string{"Both say the same."}},
		Article{"Dvořák", []string{"A composer."}},
	)
	for _, c := range []struct {
		query string
		n     int
		want  []string
	}{
		{"exe rivers", 5, []string{"River Exe", "Exeter"}},
		{"exe", 1, []string{"River Exe"}},
		{"twin", 5, []string{"Twin A", "Twin B"}}, // one score: by title
		{"dvorak", 5, []string{"Dvořák"}},
		{"the", 5, nil}, {"", 5, nil}, {"+-*:^\"\\", 5, nil}, {"nothing", 5, nil},
	} {
		sharedtest.Same(t, sharedtest.Must(x.Titles(t.Context(), c.query, c.n))(t), c.want, "Titles", c.query)
	}
}

// The order of results does not depend on the sessions in which an index was
// built: in one go, or stopped and continued.
func TestStoppedBuild(t *testing.T) {
	sharedtest.Heavy(t)
	const n = 2*batchSize + 17
	file := syntheticDump(t, n)
	whole := t.TempDir()
	want := buildIndex(t, whole, file)
	if want.Articles != n || want.Kind != Dump {
		t.Fatalf("%+v", want)
	}
	parts := t.TempDir()
	for stops := 0; ; stops++ {
		ctx, stop := context.WithCancel(t.Context())
		first := true
		got, err := Build(ctx, parts, []string{file}, func(p Progress) {
			if p.Articles > p.Skipped && first {
				first = false
				stop()
			}
		})
		stop()
		if err == nil {
			got.Files, got.Checksum = want.Files, want.Checksum // which differ in every build
			if diff := cmp.Diff(want, got); diff != "" || stops < 2 {
				t.Errorf("after %d stops: %s", stops, diff)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || stops > 10 {
			t.Fatal(err)
		}
		if _, err := Open(parts); err == nil || !strings.Contains(err.Error(), "is not finished") {
			t.Fatalf("an unfinished index: %v", err)
		}
	}
	if again := buildIndex(t, whole, file); !cmp.Equal(again, want) {
		t.Errorf("built again: %+v", again)
	}
	sameResults(t, whole, parts)
}

// A build that was killed before it had an index to continue begins anew.
func TestBuildBegunAnew(t *testing.T) {
	dir := t.TempDir()
	unfinished := filepath.Join(dir, dataDir+".unfinished")
	sharedtest.OK(t, os.Mkdir(unfinished, 0o755))
	sharedtest.OK(t, os.WriteFile(filepath.Join(unfinished, "index_meta.json"), []byte("{"), 0o644))
	sharedtest.Equal(t, buildIndex(t, dir, syntheticDump(t, 3)).Articles, 3)
	if _, err := os.Stat(unfinished); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was not finished stays: %v", err)
	}
}

func sameResults(t *testing.T, dirs ...string) {
	t.Helper()
	var first []string
	for i, dir := range dirs {
		x := sharedtest.Must(Open(dir))(t)
		var all []string
		for q := range 40 {
			titles := sharedtest.Must(x.Titles(t.Context(), fmt.Sprintf("w%x w%x w%x w%x", q, q*q, 3*q+1, 900+q), 5))(t)
			all = append(all, titles...)
		}
		if i == 0 {
			first = all
		} else if diff := cmp.Diff(first, all); diff != "" {
			t.Errorf("%s: %s", dir, diff)
		}
	}
}

// An index that is open cannot be written. Once it is dropped, it can.
func TestDroppedIndex(t *testing.T) {
	dir := t.TempDir()
	buildIndex(t, dir, syntheticDump(t, 3))
	x := sharedtest.Must(Open(dir))(t)
	if _, err := openData(dir); err == nil {
		t.Fatal("an open index was opened for writing")
	}
	if _, ok, err := x.Article(t.Context(), "nothing"); ok || err != nil {
		t.Fatal(err)
	}
	for range 10 {
		runtime.GC()
		if b, err := openData(dir); err == nil {
			sharedtest.OK(t, b.Close())
			return
		}
	}
	t.Error("a dropped index stays open")
}

func TestBuildOfOtherFiles(t *testing.T) {
	dir := t.TempDir()
	buildIndex(t, dir, syntheticDump(t, 3))
	if _, err := Build(t.Context(), dir, []string{syntheticDump(t, 4)}, func(Progress) {}); err == nil ||
		!strings.Contains(err.Error(), "other files") {
		t.Error(err)
	}
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	sharedtest.OK(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

const officialQuestions = `[
 {"_id":"1","question":"q","answer":"a","context":[["Tom &amp; Jerry",["One."," Two."]],["B",["b."]]]},
 {"_id":"2","question":"q","answer":"a","context":[["B",["another b."]],["C",[]]]}
]`

func TestContexts(t *testing.T) {
	faces := `[{"id":"1","context":{"title":["Tom & Jerry","B","C"],"sentences":[["One."," Two."],["b."],[]]}}]`
	var hashes []string
	for _, text := range []string{officialQuestions, faces} {
		dir := t.TempDir()
		about := buildIndex(t, dir, write(t, "q.json", text))
		sharedtest.Equal(t, about.Kind, Contexts, about)
		sharedtest.Equal(t, about.Articles, 3, about)
		hashes = append(hashes, about.Hash)
		x := sharedtest.Must(Open(dir))(t)
		for title, want := range map[string][]string{"Tom & Jerry": {"One. Two."}, "B": {"b."}, "C": nil} {
			a, ok, err := x.Article(t.Context(), title)
			if diff := cmp.Diff(Article{title, want}, a); err != nil || !ok || diff != "" {
				t.Errorf("%s: %v, %v, %s", title, ok, err, diff)
			}
		}
	}
	sharedtest.Equal(t, hashes[0], hashes[1], "the same articles have two hashes")
}

// A dump is read alike from a folder and from an archive of it.
func TestDumpForms(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dump")
	sharedtest.OK(t, os.MkdirAll(filepath.Join(dir, "AA"), 0o755))
	files := map[string]string{
		"AA/wiki_00": `{"id":1,"title":"A","text":["One."," Two."]}` + "\n\n" +
			`{"id":"2","title":"B","text":[]}` + "\n",
		"AA/wiki_01": `{"id":3,"title":"C","text":[["C"],["See <a href=\"A%20B\">this &amp; that</a>."," End."]]}`,
	}
	archive := filepath.Join(t.TempDir(), "dump.tar")
	f := sharedtest.Must(os.Create(archive))(t)
	packed := tar.NewWriter(f)
	for _, name := range []string{"AA/wiki_00", "AA/wiki_01"} {
		sharedtest.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o600))
		sharedtest.OK(t, packed.WriteHeader(&tar.Header{Name: name, Size: int64(len(files[name])), Mode: 0o600}))
		if _, err := packed.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	sharedtest.OK(t, errors.Join(packed.Close(), f.Close()))
	a, b := buildIndex(t, t.TempDir(), dir), buildIndex(t, t.TempDir(), archive)
	if a.Hash != b.Hash || a.Articles != 3 {
		t.Errorf("%+v and %+v", a, b)
	}
	got, err := parseArticle([]byte(files["AA/wiki_01"]))
	if diff := cmp.Diff(Article{"C", []string{"C", "See this & that. End."}}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestBadSources(t *testing.T) {
	for name, c := range sharedtest.Table[struct{ File, Text, Want string }](t, "bad-sources.yaml") {
		_, err := Build(t.Context(), t.TempDir(), []string{write(t, c.File, c.Text)}, func(Progress) {})
		sharedtest.Fails(t, err, c.Want, name)
	}
	if _, err := Build(t.Context(), t.TempDir(), []string{write(t, "q.json", "[]"), write(t, "d.jsonl", "")},
		nil); err == nil {
		t.Error("questions and a dump make one index")
	}
	sharedtest.Fails(t, sharedtest.Err(Build(t.Context(), t.TempDir(), []string{"missing.json"}, nil)), "",
		"a missing file")
}

func TestOpenErrors(t *testing.T) {
	for name, c := range map[string]struct{ about, want string }{
		"nothing": {"", "heldout wiki build"}, "broken": {"{", "about.json"}, "damaged": {`{"version":1,"kind":"dump","hash":"ab"}`, "damaged"},
		"other": {`{"version":99,"kind":"dump","hash":"` + strings.Repeat("a", 64) + `"}`, "version 99"},
	} {
		dir := t.TempDir()
		if c.about != "" {
			sharedtest.OK(t, os.WriteFile(filepath.Join(dir, aboutFile), []byte(c.about), 0o600))
		}
		sharedtest.Fails(t, sharedtest.Err(Open(dir)), c.want, name)
	}
}

// A changed byte of any file is found before bleve reads it, and so is a file that is cut short or gone.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	about := buildIndex(t, dir, syntheticDump(t, 3))
	for _, f := range append(about.Files, DataFile{Name: aboutFile}) {
		name := filepath.Join(dir, f.Name)
		content := sharedtest.Must(os.ReadFile(name))(t)
		changed := bytes.Clone(content)
		changed[len(changed)/3] ^= 4
		for what, damage := range map[string]func() error{
			"flipped":   func() error { return os.WriteFile(name, changed, 0o644) },
			"cut short": func() error { return os.Truncate(name, int64(len(content)/2)) },
			"gone":      func() error { return os.Remove(name) },
		} {
			sharedtest.OK(t, damage())
			if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), f.Name) && what != "gone" {
				t.Errorf("%s is %s: %v", f.Name, what, err)
			}
			sharedtest.OK(t, os.WriteFile(name, content, 0o644))
		}
	}
	sharedtest.Must(Open(dir))(t)
}

// An index of an earlier version gets checksums from the command that made it, which reads
// the rest as it is. Damage that bleve panics at is an error all the same.
func TestWithoutChecksums(t *testing.T) {
	dir, dump := t.TempDir(), syntheticDump(t, 3)
	about := buildIndex(t, dir, dump)
	name := filepath.Join(dir, aboutFile)
	old := fmt.Sprintf(`{"version": 1, "kind": "dump", "articles": 3, "repeated": 0, "hash": %q, "sources": [%q]}`,
		about.Hash, about.Sources[0])
	sharedtest.OK(t, os.WriteFile(name, []byte(old), 0o644))
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "has no checksums") {
		t.Fatal(err)
	}
	sharedtest.Same(t, buildIndex(t, dir, dump), about)
	sharedtest.Must(Open(dir))(t)
	root := filepath.Join(dir, dataDir, "store", "root.bolt")
	content := sharedtest.Must(os.ReadFile(root))(t)
	for page := 2; page < len(content)/os.Getpagesize(); page++ {
		copy(content[page*os.Getpagesize()+8:], "\xff\xff\xff\xff") // the kind of page and its count
	}
	sharedtest.OK(t, errors.Join(os.WriteFile(root, content, 0o644), os.WriteFile(name, []byte(old), 0o644)))
	sharedtest.Fails(t, sharedtest.Err(Build(t.Context(), dir, []string{dump}, func(Progress) {})), "",
		"a damaged index got checksums")
}

// A large file is compared again only when it looks other than the last time.
func TestLargeFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "large")
	sharedtest.OK(t, errors.Join(os.WriteFile(name, nil, 0o644), os.Truncate(name, large)))
	about := Description{Files: []DataFile{{"large", large, sharedtest.Must(datafile.Sum(name))(t)}}}
	flipped := func() error {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteAt([]byte{1}, 5)
		return errors.Join(err, f.Close())
	}
	info, err := os.Stat(name)
	sharedtest.OK(t, errors.Join(err, about.checkFiles(dir), flipped(), os.Chtimes(name, time.Time{}, info.ModTime()),
		about.checkFiles(dir), os.Chtimes(name, time.Time{}, info.ModTime().Add(time.Second))))
	sharedtest.Fails(t, about.checkFiles(dir), name+" is damaged")
}

func TestRounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score := rapid.Float64Range(1e-9, 1e9).Draw(t, "score")
		if got := rounded(score); got < score*(1-1e-5) || got > score*(1+1e-5) || rounded(got) != got &&
			rounded(got)-got > score*1e-6 {
			t.Errorf("rounded(%v) = %v", score, got)
		}
	})
}

func FuzzParseArticle(f *testing.F) {
	f.Add([]byte(`{"id":1,"title":"A &amp; B","text":["One."," Two."]}`))
	f.Add([]byte(`{"id":"1","title":"C","text":[["C"],["<a href=\"x\">y</a>"]]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := parseArticle(line)
		checkArticle(t, a, err)
	})
}

func FuzzReadContexts(f *testing.F) {
	f.Add(officialQuestions)
	f.Add(`[{"context":{"title":["A"],"sentences":[["a"]]}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		err := readContexts("q.json", strings.NewReader(text), func(a Article) error {
			checkArticle(t, a, nil)
			return nil
		})
		if err == nil && !json.Valid([]byte(text)) && !strings.HasPrefix(strings.TrimSpace(text), "[") {
			t.Errorf("%q is read", text)
		}
	})
}

// checkArticle checks that an article can be stored and read again as it is.
func checkArticle(t *testing.T, a Article, err error) {
	if err != nil {
		return
	}
	if strings.TrimSpace(a.Title) != a.Title || a.Title == "" {
		t.Errorf("title %q", a.Title)
	}
	sharedtest.Same(t, split(strings.Join(a.Paragraphs, "\n")), a.Paragraphs)
}
