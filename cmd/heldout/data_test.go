package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"heldout/envs/official"
	"heldout/envs/sharedtest"
)

func TestUserData(t *testing.T) {
	abs := sharedtest.Must(filepath.Abs("x"))(t)
	for _, test := range []struct {
		goos string
		env  map[string]string
		want string
	}{
		{"linux", map[string]string{"HOME": abs}, filepath.Join(abs, ".local", "share", "heldout")},
		{"linux", map[string]string{"HOME": abs, "XDG_DATA_HOME": filepath.Join(abs, "d")},
			filepath.Join(abs, "d", "heldout")},
		{"linux", map[string]string{"HOME": abs, "XDG_DATA_HOME": "relative"},
			filepath.Join(abs, ".local", "share", "heldout")},
		{"darwin", map[string]string{"HOME": abs}, filepath.Join(abs, "Library", "Application Support", "heldout")},
		{"windows", map[string]string{"HOME": "no", "LOCALAPPDATA": abs}, filepath.Join(abs, "heldout")},
		{"linux", nil, ""},
		{"windows", nil, ""},
	} {
		sharedtest.Equal(t, userData(test.goos, func(name string) string { return test.env[name] }), test.want,
			test.goos, test.env)
	}
}

// boardArchive packs labels of our own as AgentBoard's archive is packed.
func boardArchive(t *testing.T) []byte {
	t.Helper()
	var lines bytes.Buffer
	for i := range 112 {
		fmt.Fprintf(&lines,
			"{\"id\": %d, \"task\": \"babyai\", \"goal\": \"wait\", \"difficulty\": \"easy\", \"subgoals\": []}\n", i)
	}
	return uncompressed(t, map[string][]byte{"data/babyai/test.jsonl": lines.Bytes(),
		"data/webshop/items.json": make([]byte, 1<<20)})
}

// uncompressed packs files as tar.gz, which is as large as they are.
func uncompressed(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := sharedtest.Must(gzip.NewWriterLevel(&out, gzip.NoCompression))(t)
	w := tar.NewWriter(z)
	for name, content := range files {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg})
		if err == nil {
			_, err = w.Write(content)
		}
		sharedtest.OK(t, err)
	}
	sharedtest.OK(t, w.Close())
	sharedtest.OK(t, z.Close())
	return out.Bytes()
}

// killer serves a file and kills the process that asks for it, each time after some more bytes were sent.
type killer struct {
	mu      sync.Mutex
	content []byte
	victim  *os.Process
	file    string // in which the victim keeps what arrived
	after   int    // bytes of an answer after which the victim is killed; 0 for never
	sent    int64
}

func (k *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	w.Header().Set("ETag", `"one"`)
	http.ServeContent(&deadly{ResponseWriter: w, k: k, left: k.after}, r, "data.tar.gz", time.Time{},
		bytes.NewReader(k.content))
}

type deadly struct {
	http.ResponseWriter
	k    *killer
	left int
}

func (d *deadly) Write(b []byte) (int, error) {
	n, err := d.ResponseWriter.Write(b)
	d.k.sent += int64(n)
	if d.left > 0 && n >= d.left {
		d.ResponseWriter.(http.Flusher).Flush()
		d.k.awaitBytes()
		return n, errors.Join(errors.New("the victim is dead"), d.k.victim.Kill())
	}
	d.left -= n
	return n, err
}

// awaitBytes waits until the victim has kept something.
func (k *killer) awaitBytes() {
	for range time.Tick(time.Millisecond) {
		if info, err := os.Stat(k.file); err == nil && info.Size() > 0 {
			return
		}
	}
}

// A pull that is killed while data arrive shows nothing, and the same command continues it.
func TestKilledPulls(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	k := &killer{content: boardArchive(t), file: filepath.Join(dir, ".heldout", "agentboard")}
	k.pull(t, func(address string) *exec.Cmd {
		return exec.Command("heldout", "data", "pull", "babyai", "--data", dir, "--accept-changed", "--source",
			"agentboard="+address)
	}, func() {
		if official.Holds(dir) {
			if found, err := official.Check(dir, []string{"babyai"}); err != nil || !found[0].Usable() {
				t.Fatalf("%+v, %v", found, err)
			}
		}
	})
	found := sharedtest.Must(official.Check(dir, []string{"babyai"}))(t)
	sharedtest.Equal(t, found[0].State, official.Accepted, found)
}

// pull starts a command four times, kills it while data arrive, and lets it come to its
// end then. look is called after each kill.
func (k *killer) pull(t *testing.T, command func(address string) *exec.Cmd, look func()) {
	t.Helper()
	server := httptest.NewServer(k)
	defer server.Close()
	kills := 0
	for _, after := range []int{1, 100_000, 500_000, 100_000} {
		cmd := command(server.URL + "/data.tar.gz")
		k.mu.Lock() // so that the victim is known before it asks
		sharedtest.OK(t, cmd.Start())
		k.victim, k.after = cmd.Process, after
		k.mu.Unlock()
		if err := cmd.Wait(); err != nil {
			kills++
		}
		look()
	}
	k.after = 0
	if out, err := command(server.URL + "/data.tar.gz").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if kills != 4 || k.sent > 2*int64(len(k.content)) {
		t.Errorf("%d kills of 4; %d bytes were sent for a file of %d: what had arrived was fetched again", kills,
			k.sent, len(k.content))
	}
}

func TestDataCheckAsJSON(t *testing.T) {
	var out bytes.Buffer
	sys := &system{stdout: &out, stderr: io.Discard, getenv: func(string) string { return "" }}
	code := execute(context.Background(), []string{"data", "check", "pddl", "--data", t.TempDir(), "--format",
		"json"}, sys)
	if code != exitError || !json.Valid(out.Bytes()) || !strings.Contains(out.String(), `"absent"`) {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
}
