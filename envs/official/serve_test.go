package official

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// member is a file of an archive that a test makes.
type member struct {
	name, content string
	link          bool // a symbolic link to content
}

// tarGz packs members as AgentBoard's archive is.
func tarGz(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	check(t, err)
	w := tar.NewWriter(z)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.content)), Typeflag: tar.TypeReg}
		if m.link {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, m.content, 0
		}
		check(t, w.WriteHeader(h))
		if !m.link {
			_, err := w.Write([]byte(m.content))
			check(t, err)
		}
	}
	check(t, w.Close())
	check(t, z.Close())
	return b.Bytes()
}

// zipped packs members as ALFWorld's releases are.
func zipped(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		if m.link {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		f, err := w.CreateHeader(h)
		check(t, err)
		_, err = f.Write([]byte(m.content))
		check(t, err)
	}
	check(t, w.Close())
	return b.Bytes()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// labels makes a label file of our own.
func labels(task string, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b,
			"{\"id\": %d, \"task\": %q, \"goal\": \"wait\", \"subgoals\": [\"done\"], \"difficulty\": \"easy\"}\n",
			i, task)
	}
	return b.String()
}

// published are archives of the same form as the published ones, made from the official data.
type published struct{ agentboard, code, suite, questions []byte }

// packed are the archives, once they were made.
var packed *published

// officialArchives packs the official data, or skips the test. Jericho's labels,
// whose bytes are not known, are our own.
func officialArchives(t testing.TB) published {
	t.Helper()
	root := sharedtest.AgentBoard(t)
	if packed != nil {
		return *packed
	}
	var board, code, suite []member
	add := func(to *[]member, prefix, folder string) {
		check(t, filepath.WalkDir(filepath.Join(root, folder), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(file)
			rel, err2 := filepath.Rel(filepath.Join(root, folder), file)
			*to = append(*to, member{name: path.Join(prefix, filepath.ToSlash(rel)), content: string(b)})
			return errors.Join(err, err2)
		}))
	}
	add(&board, "data/alfworld", "alfworld")
	add(&board, "data/babyai", "babyai")
	add(&board, "data/scienceworld", "scienceworld")
	add(&board, "data/jericho/z-machine-games-master/jericho-game-suite",
		"jericho/z-machine-games-master/jericho-game-suite")
	text, err := os.ReadFile(filepath.Join(root, "pddl", "test.jsonl"))
	check(t, err)
	board = append(board, member{name: "data/pddl/test.jsonl", content: string(text)},
		member{name: "data/jericho/test.jsonl", content: labels("jericho", 20)},
		member{name: "data/webshop/test.jsonl", content: labels("webshop", 3)},
		member{name: "data/babyai/._test.jsonl", content: "Mac OS X"})
	add(&code, "AgentBoard-main/agentboard/environment/pddl_env/pddlgym/pddl", "pddl/pddlgym")
	add(&suite, "z-machine-games-master/jericho-game-suite", "jericho/z-machine-games-master/jericho-game-suite")
	questions, err := os.ReadFile(filepath.Join(root, "hotpotqa/hotpot_dev_v1_simplified.json"))
	check(t, err)
	packed = &published{tarGz(t, board...), tarGz(t, code...), tarGz(t, suite...), questions}
	return *packed
}

// owner is a server that publishes files, and can be made to misbehave.
type owner struct {
	mu    sync.Mutex
	files map[string][]byte
	// requests are the paths and ranges that were asked for.
	requests []string
	// breakAfter ends the first answers after so many bytes each.
	breakAfter []int
	// rangeless answers every request with the whole file.
	rangeless bool
	// hang lets the first answer stall after its first byte until the client gives up.
	hang bool
	// linked is sent as Hugging Face's hash of a large file.
	linked string
	// refuse is a status that is sent instead of files.
	refuse int
}

func (o *owner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if to, ok := strings.CutPrefix(r.URL.Path, "/resolve"); ok && o.linked != "" {
		w.Header().Set("X-Linked-Etag", strconv.Quote(o.linked))
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	o.requests = append(o.requests, r.URL.Path+" "+r.Header.Get("Range"))
	content, ok := o.files[r.URL.Path]
	if o.refuse != 0 || !ok {
		http.Error(w, "no", cmp.Or(o.refuse, http.StatusNotFound))
		return
	}
	w.Header().Set("ETag", strconv.Quote(sumOf(content)))
	if o.rangeless {
		r.Header.Del("Range")
		w.Header().Del("ETag")
	}
	if o.hang {
		o.hang = false
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content[:1])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	if len(o.breakAfter) > 0 {
		w = &breaking{ResponseWriter: w, left: o.breakAfter[0]}
		o.breakAfter = o.breakAfter[1:]
	}
	http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(content))
}

// breaking ends a connection after some bytes.
type breaking struct {
	http.ResponseWriter
	left int
}

func (b *breaking) Write(p []byte) (int, error) {
	if len(p) > b.left {
		_, _ = b.ResponseWriter.Write(p[:b.left])
		b.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	b.left -= len(p)
	return b.ResponseWriter.Write(p)
}

// serve starts an owner and returns sources at it, by name.
func serve(t testing.TB, o *owner, replace ...string) []PublishedFile {
	t.Helper()
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	for i, r := range replace {
		name, file, _ := strings.Cut(r, "=")
		replace[i] = name + "=" + server.URL + file
	}
	sources, err := Replace(Sources(), replace, "")
	check(t, err)
	return sources
}

// options returns the options of a pull into a new folder.
func options(t testing.TB, sources []PublishedFile, environments ...string) Options {
	return Options{
		Dir: filepath.Join(t.TempDir(), "data"), Environments: environments, Sources: sources, UserAgent: "test",
		Now: func() time.Time { return time.Unix(0, 0) }, Tell: func(Progress) {}, Note: func(string) {},
	}
}

// fetch pulls without waiting long.
func fetch(o Options) error {
	o.download = newDownloader(o.Proxy, o.UserAgent, o.Tell)
	o.download.wait = time.Millisecond
	return Pull(context.Background(), o)
}

// visible lists what a user sees in a data folder.
func visible(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}
