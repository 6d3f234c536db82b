package official

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"heldout/envs/datafile"
	"heldout/envs/sharedtest"
)

const (
	toyCommit   = "0123456789abcdef0123456789abcdef01234567"
	otherCommit = "fedcba9876543210fedcba9876543210fedcba98"
	prompt      = "Say what to do.\n"
	program     = "ask = 'What now?'\n"
	taskList    = `["toy_1"]`
)

var sumOf = datafile.Hash[[]byte]

// exactly wants those bytes.
func exactly(content string) func([]byte) error {
	return func(b []byte) error {
		if string(b) != content {
			return fmt.Errorf("it has the SHA-256 %.8s, want %.8s", sumOf(b), sumOf([]byte(content)))
		}
		return nil
	}
}

// toy is a checkout of a repository of our own, with a list from elsewhere if alone is set.
func toy(alone bool) Checkout {
	c := Checkout{
		Archive: PublishedFile{Name: "toy-0123456", URL: "https://github.com/me/toy/archive/0123456.tar.gz",
			Licence: "MIT"},
		Commit: toyCommit[:7], Repository: "me/toy", Folder: "originals/toy-0123456",
		Files: []RepoFile{{Path: "prompts/a.txt", Check: exactly(prompt)}, {Path: "run.py", Check: exactly(program)}},
	}
	if alone {
		c.Files = append(c.Files, RepoFile{Path: "tasks.json", Check: exactly(taskList),
			Alone: &PublishedFile{Name: "toys-tasks.json",
				URL: HuggingFace + "/datasets/me/toys/resolve/main/tasks.json"}})
	}
	return c
}

// toyMembers are the members of the repository's archive.
func toyMembers() []member {
	const top = "toy-" + toyCommit + "/"
	return []member{{name: top + "LICENSE", content: "Do what you like."}, {name: top + "README.md", content: "A toy."},
		{name: top + "link", content: "/etc/passwd", link: true}, {name: top + "prompts/a.txt", content: prompt},
		{name: top + "run.py", content: program}, {name: top + "src/LICENSE", content: "another"}}
}

// ofCommit packs members as GitHub packs a commit.
func ofCommit(t testing.TB, commit string, members []member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	check(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header",
		PAXRecords: map[string]string{"comment": commit}}))
	check(t, w.Flush())
	_, err := z.Write(unzipped(t, tarGz(t, members...)))
	check(t, err)
	check(t, z.Close())
	return b.Bytes()
}

// fetchToy pulls a checkout from an owner, and returns the notes.
func fetchToy(t testing.TB, o *owner, dir string, c Checkout) (notes string, err error) {
	t.Helper()
	server := httptest.NewServer(o)
	defer server.Close()
	return fetchToyFrom(t, dir, c, server.URL+"/toy.tar.gz", server.URL+"/tasks.json")
}

func fetchToyFrom(t testing.TB, dir string, c Checkout, archive, list string) (notes string, err error) {
	t.Helper()
	sources, err := Replace(CheckoutSources([]Checkout{c}), []string{"toy-0123456=" + archive}, "")
	check(t, err)
	for i := range sources {
		if sources[i].Name == "toys-tasks.json" {
			sources[i].URL = list
		}
	}
	d := newDownloader(nil, "test", func(Progress) {})
	d.wait = time.Millisecond
	err = PullCheckouts(context.Background(), Options{
		Dir: dir, Sources: sources, Now: func() time.Time { return time.Unix(0, 0) },
		Note: func(line string) { notes += line + "\n" }, download: d,
	}, []Checkout{c})
	return notes, err
}

// treeOf lists the files in a folder.
func treeOf(t testing.TB, dir string) (files []string) {
	t.Helper()
	check(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, err := filepath.Rel(dir, name)
			check(t, err)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	}))
	return files
}

func TestPullCheckout(t *testing.T) {
	o := &owner{files: map[string][]byte{"/toy.tar.gz": ofCommit(t, toyCommit, toyMembers()),
		"/tasks.json": []byte(taskList)}}
	dir, c := filepath.Join(t.TempDir(), "data"), toy(false)
	notes, err := fetchToy(t, o, dir, c)
	if check(t, err); strings.Contains(notes, "licence") {
		t.Error(notes)
	}
	want := []string{".heldout/lock", "heldout-data.json", "originals/toy-0123456/LICENSE",
		"originals/toy-0123456/prompts/a.txt", "originals/toy-0123456/run.py"}
	sharedtest.Same(t, treeOf(t, dir), want, "the folder holds")
	receipts, err := readReceipts(dir)
	check(t, err)
	if r := receipts["originals/toy-0123456/run.py"]; r.SHA256 != sumOf([]byte(program)) || r.Origin != "toy-0123456" ||
		r.Retrieved == "" || r.Size != int64(len(program)) {
		t.Errorf("%+v", r)
	}
	if Holds(dir) {
		t.Error("a folder with originals alone passes for one with official data")
	}
	o.requests = nil
	if notes, err := fetchToy(t, o, dir, c); err != nil || len(o.requests) > 0 ||
		!strings.Contains(notes, "toy-0123456 is there already") {
		t.Errorf("a second pull asks for %q, says %q, %v", o.requests, notes, err)
	}
	// A pull for one more file does not fetch again what the folder already has.
	_, err = fetchToy(t, o, dir, toy(true))
	if check(t, err); !slices.Equal(o.requests, []string{"/tasks.json "}) {
		t.Errorf("%q was asked for", o.requests)
	}
	check(t, os.WriteFile(filepath.Join(dir, "originals", "toy-0123456", "run.py"), []byte("changed"), 0o600))
	o.requests = nil
	_, err = fetchToy(t, o, dir, c)
	if check(t, err); len(o.requests) != 1 || !c.Complete(dir) {
		t.Errorf("a changed file is not fetched again: %q", o.requests)
	}
}

// A cut connection is continued where it was; a server without ranges sends the archive again.
func TestCheckoutResumes(t *testing.T) {
	archive := ofCommit(t, toyCommit, toyMembers())
	for _, rangeless := range []bool{false, true} {
		o := &owner{files: map[string][]byte{"/toy.tar.gz": archive}, rangeless: rangeless,
			breakAfter: []int{len(archive) / 3, len(archive) / 3}}
		dir := t.TempDir()
		_, err := fetchToy(t, o, dir, toy(false))
		if check(t, err); !toy(false).Complete(dir) || len(o.requests) != 3 ||
			rangeless == strings.Contains(o.requests[1], "bytes="+strconv.Itoa(len(archive)/3)) {
			t.Errorf("rangeless %v: %q", rangeless, o.requests)
		}
	}
}

// A wrong archive is told by what is wrong, leaves nothing behind, and is fetched anew.
func TestWrongCheckouts(t *testing.T) {
	sharedtest.Heavy(t)
	good := ofCommit(t, toyCommit, toyMembers())
	damaged := bytes.Clone(good)
	damaged[len(damaged)-6] ^= 1
	changed := toyMembers()
	changed[3].content, changed[4].name = "another prompt", "toy/other.py"
	bomb := append(toyMembers(), member{name: "toy/zeros", content: strings.Repeat("\x00", 300<<20)})
	for name, test := range map[string]struct {
		archive []byte
		want    string
	}{
		"damaged": {damaged, "the archive is damaged: gzip: invalid checksum; nothing of it is kept"},
		"cut":     {good[:len(good)/2], "the archive is damaged: unexpected EOF"},
		"another commit": {ofCommit(t, otherCommit, changed),
			"is not me/toy at commit 0123456: it was made from commit " +
				"fedcba987654; it has the SHA-256 " + sumOf([]byte("another prompt"))[:8] + ", want " +
				sumOf([]byte(prompt))[:8] + "; it lacks run.py; nothing of it is kept"},
		"no commit": {tarGz(t, changed...), "is not me/toy at commit 0123456: it has the SHA-256 "},
		"outside": {tarGz(t, append(toyMembers(), member{name: "toy/../../run.py", content: program})...),
			`the archive has a member "toy/../../run.py" whose name leads outside`},
		"a link": {tarGz(t, append(slices.Clone(toyMembers()[:4]),
			member{name: "toy/run.py", content: "/etc/passwd", link: true})...), "it lacks run.py"},
		"bomb":   {tarGz(t, bomb...), "it is made to fill disks"},
		"a page": {[]byte("<!DOCTYPE html><title>Sign in</title>"), `it is not an archive: it begins with "<!DOCTYPE html><titl"; nothing of it is kept`},
		"empty":  {nil, "it is not an archive"},
	} {
		t.Run(name, func(t *testing.T) {
			o := &owner{files: map[string][]byte{"/toy.tar.gz": test.archive}}
			dir := t.TempDir()
			if _, err := fetchToy(t, o, dir, toy(false)); err == nil ||
				!strings.Contains(err.Error(), "toy-0123456: ") ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			sharedtest.Same(t, treeOf(t, dir), []string{".heldout/lock"}, "is left")
			o.files["/toy.tar.gz"] = good
			_, err := fetchToy(t, o, dir, toy(false))
			check(t, err)
		})
	}
}

// A repository at the right commit without a licence file is told, and so is a list that
// is another one. The archive is not fetched again because of the list.
func TestCheckoutNotes(t *testing.T) {
	o := &owner{files: map[string][]byte{"/toy.tar.gz": ofCommit(t, otherCommit, toyMembers()[1:]),
		"/tasks.json": []byte("<html>")}}
	server := httptest.NewServer(o)
	defer server.Close()
	dir := t.TempDir()
	notes, err := fetchToyFrom(t, dir, toy(true), server.URL+"/toy.tar.gz", server.URL+"/tasks.json")
	sharedtest.Fails(t, err, "/tasks.json is another file: it has the SHA-256 ")
	if !strings.Contains(notes, "toy-0123456: the repository has no licence file (licence: MIT)\n") {
		t.Error(notes)
	}
	if _, err := os.Stat(filepath.Join(dir, "originals")); !os.IsNotExist(err) {
		t.Errorf("half of the files are there: %v", err)
	}
	o.files["/tasks.json"], o.requests = []byte(taskList), nil
	_, err = fetchToyFrom(t, dir, toy(true), server.URL+"/toy.tar.gz", server.URL+"/tasks.json")
	if check(t, err); !slices.Equal(o.requests, []string{"/tasks.json "}) || !toy(true).Complete(dir) {
		t.Errorf("%q was asked for", o.requests)
	}
}

// Servers that do not serve, and an archive of the user's own, which stays.
func TestCheckoutSourcesThatFail(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusNotFound:           "404 Not Found; --source toy-0123456=URL|FILE names another address",
		http.StatusServiceUnavailable: "503 Service Unavailable; give the same command again to continue",
	} {
		_, err := fetchToy(t, &owner{refuse: status}, t.TempDir(), toy(false))
		sharedtest.Fails(t, err, want, status)
	}
	dead := httptest.NewServer(nil)
	dead.Close()
	if _, err := fetchToyFrom(t, t.TempDir(), toy(false), dead.URL, ""); err == nil ||
		!strings.Contains(err.Error(), "does not answer") {
		t.Error(err)
	}
	for _, zip := range []bool{false, true} {
		file, dir := filepath.Join(t.TempDir(), "toy.zip"), t.TempDir()
		archive := tarGz(t, toyMembers()...)
		if zip {
			archive = zipped(t, toyMembers()...)
		}
		check(t, os.WriteFile(file, archive, 0o600))
		_, err := fetchToyFrom(t, dir, toy(false), file, "")
		check(t, err)
		if _, err := os.Stat(file); err != nil || !toy(false).Complete(dir) {
			t.Error(cmp.Or(err, fmt.Errorf("it is not complete")))
		}
	}
}
