package bundle

import (
	"archive/tar"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/crypto/ssh"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// secrets are what a run directory holds and a bundle must not.
var secrets = []string{"10.1.2.3", "secret-host", "/home/", "sk-key", `C:\`, "2024-05"}

// makeRun writes a run of one task with a failed and a successful attempt.
func makeRun(t *testing.T, started time.Time) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	s := sharedtest.Must(record.Open(dir))(t)
	c := record.Condition{Env: "pddl", Source: envs.Generated, Model: "vllm:m", Agent: "react", Perturbation: "none",
		StepLimit: 5, Decoding: &record.Decoding{}}
	task := envs.Task{ID: "gripper/1", Type: "gripper"}
	id := sharedtest.Must(record.EpisodeID(2, task, c))(t)
	ended := started.Add(time.Minute)
	m := &record.Manifest{
		Schema: record.Schema, Behaviour: 2,
		Environments: []record.Environment{{Info: envs.Info{Name: "pddl", Source: envs.Generated}, Total: 1,
			Tasks: []envs.Task{task}}},
		Groups:   []record.Group{{Condition: c, Episodes: []string{id}}},
		Prompts:  map[string]record.Prompt{"pddl": {File: "/home/me/prompt.yaml", SHA256: "a"}},
		Names:    map[string]string{"vllm:m": "ours", "/home/me/runs/1": "other"},
		HeldIn:   configs.HeldIn{"vllm:m": {"pddl"}, "/home/me/runs/1": {"babyai"}},
		Sessions: []record.Session{{Started: started, Ended: &ended}},
		Servers: map[string][]record.ServerReport{"vllm:m": {
			{Software: "vllm", Models: []string{"m", "secret-host/other"}, Root: "/home/me/weights",
				Parent: `C:\models\base`},
			{Software: "vllm", Models: []string{"m"}, Root: "/home/you/weights", Parent: `C:\models\base`},
		}},
	}
	sharedtest.OK(t, s.SetManifest(m))
	blank := record.Episode{Result: record.Result{Schema: record.Schema, ID: id, Attempt: 1, Env: "pddl",
		Source: envs.Generated, Task: task.ID, TaskType: "gripper", Model: "vllm:m", Agent: "react",
		Perturbation: "none", Outcome: record.ModelError, Error: "POST http://10.1.2.3/v1 with sk-key: refused",
		Servers: []string{"http://10.1.2.3"},
		Started: started, Ended: ended, ModelSeconds: ended.Sub(started).Seconds()}, Trajectory: []record.Step{}}
	won := blank
	won.Attempt, won.Outcome, won.Error, won.Success, won.Progress, won.Steps = 2, record.Success, "", true, 1, 1
	won.Grounding, won.Answered = 1, record.Answered{"/home/me/weights": 1, `C:\models\weights`: 2}
	won.Trajectory = []record.Step{{Action: "move", Observation: "You move.", Progress: 1, Valid: true,
		ModelSeconds: 1.5}}
	sharedtest.OK(t, errors.Join(s.Append(&blank), s.Append(&won), s.Close()))
	return dir
}

func create(t *testing.T, dir, key string) (string, *Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x"+Extension)
	made := sharedtest.Must(Create(t.Context(), file, []record.Parts{{dir}}, configs.About{Authors: "me"}, key))(t)
	return file, made
}

// Equal runs give equal bytes at any time, and nothing of the machine is in them.
func TestCreate(t *testing.T) {
	one, _ := create(t, makeRun(t, time.Date(2024, 5, 1, 2, 3, 4, 0, time.UTC)), "")
	other, _ := create(t, makeRun(t, time.Date(2024, 5, 7, 8, 9, 0, 0, time.UTC)), "")
	a, b := read(t, one), read(t, other)
	sharedtest.Equal(t, string(a), string(b), "equal runs give different bytes")
	dir := t.TempDir()
	c, err := Open(one, dir)
	if err != nil || len(c.Runs) != 1 || c.About.Authors != "me" {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, f := range c.Files {
		content := read(t, filepath.Join(dir, f.Name))
		for _, s := range secrets {
			if bytes.Contains(content, []byte(s)) {
				t.Errorf("%s contains %q", f.Name, s)
			}
		}
	}
	m, results, err := record.Read(c.Runs[0][0])
	if err != nil || len(results) != 2 || results[1].Outcome != record.Success || m.Names["vllm:m"] != "ours" ||
		len(m.HeldIn) != 1 || m.HeldIn["vllm:m"] == nil {
		t.Errorf("%+v, %v", results, err)
	}
	sharedtest.Equal(t, results[1].Answered["weights"], 3, "answered", results[1].Answered)
	servers := m.Servers["vllm:m"]
	if len(servers) != 1 || servers[0].Root != "weights" || servers[0].Parent != "base" {
		t.Errorf("servers: %+v", servers)
	}
	left := sharedtest.Must(os.ReadDir(filepath.Dir(one)))(t)
	sharedtest.Equal(t, len(left), 1, "beside the bundle")
}

// An attempt that two processes recorded is there once, and tables.json, which is made while records are written, is
// what a reader makes of them.
func TestCreateOnce(t *testing.T) {
	dir := makeRun(t, time.Unix(0, 0))
	one, _ := create(t, dir, "")
	lines := filepath.Join(dir, "episodes.jsonl")
	for text := range strings.Lines(string(read(t, lines))) {
		e := sharedtest.Must(record.Decode([]byte(text)))(t)
		e.Ended = e.Ended.Add(time.Second)
		var again bytes.Buffer
		sharedtest.OK(t, record.Encode(&again, e))
		sharedtest.OK(t, os.WriteFile(lines, append(read(t, lines), again.Bytes()...), 0o600))
	}
	twice, _ := create(t, dir, "")
	sharedtest.Equal(t, string(read(t, one)), string(read(t, twice)), "an attempt counts twice")
	c := sharedtest.Must(Open(twice, t.TempDir()))(t)
	want := sharedtest.Must(Tables(c.Runs))(t)
	sharedtest.Equal(t, string(read(t, c.Tables)), string(want), "the tables are others")
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	return sharedtest.Must(os.ReadFile(file))(t)
}

// repack packs the files of a bundle otherwise.
func repack(t testing.TB, packed []byte, change func(*tar.Writer, *tar.Header, []byte)) []byte {
	t.Helper()
	z := sharedtest.Must(zstd.NewReader(bytes.NewReader(packed)))(t)
	defer z.Close()
	var out bytes.Buffer
	w := sharedtest.Must(zstd.NewWriter(&out))(t)
	from, to := tar.NewReader(z), tar.NewWriter(w)
	for {
		h, err := from.Next()
		if err == io.EOF {
			break
		}
		b, err2 := io.ReadAll(from)
		sharedtest.OK(t, errors.Join(err, err2))
		change(to, h, b)
	}
	sharedtest.OK(t, errors.Join(to.Close(), w.Close()))
	return out.Bytes()
}

func put(t testing.TB, w *tar.Writer, h *tar.Header, b []byte) {
	t.Helper()
	h.Size = int64(len(b))
	sharedtest.OK(t, w.WriteHeader(h))
	sharedtest.OK(t, sharedtest.Err(w.Write(b)))
}

// What Pack does not write is refused: links, paths, other names, orders, owners and times,
// more files, other content.
func TestUnpackRefuses(t *testing.T) {
	file, _ := create(t, makeRun(t, time.Unix(0, 0)), "")
	packed := read(t, file)
	for name, c := range map[string]struct {
		change func(w *tar.Writer, h *tar.Header, b []byte)
		want   string
	}{
		"path": {func(w *tar.Writer, h *tar.Header, b []byte) {
			h.Name = strings.Replace(h.Name, "run-1", "../run-1", 1)
			put(t, w, h, b)
		}, "in its place"},
		"link": {func(w *tar.Writer, h *tar.Header, b []byte) {
			if h.Name == tablesFile {
				h.Typeflag, h.Linkname, b = tar.TypeSymlink, "/etc/passwd", nil
			}
			put(t, w, h, b)
		}, "in its place"},
		"owner": {func(w *tar.Writer, h *tar.Header, b []byte) {
			h.Uname = "me"
			put(t, w, h, b)
		}, "type, owner or time"},
		"time": {func(w *tar.Writer, h *tar.Header, b []byte) {
			h.ModTime = time.Unix(1, 0)
			put(t, w, h, b)
		}, "type, owner or time"},
		"content": {func(w *tar.Writer, h *tar.Header, b []byte) {
			if h.Name == tablesFile {
				b[0]++
			}
			put(t, w, h, b)
		}, "was changed"},
		"left out": {func(w *tar.Writer, h *tar.Header, b []byte) {
			if h.Name != tablesFile {
				put(t, w, h, b)
			}
		}, "part of one"},
		"added": {func(w *tar.Writer, h *tar.Header, b []byte) {
			put(t, w, h, b)
			if h.Name == tablesFile {
				h.Name = "more"
				put(t, w, h, b)
			}
		}, "more behind"},
		"larger": {func(w *tar.Writer, h *tar.Header, b []byte) {
			if h.Name == tablesFile {
				b = append(b, make([]byte, 1<<20)...)
			}
			put(t, w, h, b)
		}, "in its place"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := repack(t, packed, c.change)
			_, err := Unpack(bytes.NewReader(changed), int64(len(changed)), t.TempDir())
			sharedtest.Fails(t, err, c.want)
		})
	}
}

// A small file that stands for a large one is refused before anything is written.
func TestBomb(t *testing.T) {
	file, _ := create(t, makeRun(t, time.Unix(0, 0)), "")
	m := Manifest{Schema: Schema}
	for _, name := range names(1) {
		m.Files = append(m.Files, File{name, maxFile, strings.Repeat("0", 64)})
	}
	about := sharedtest.Must(record.EncodeFile(m))(t)
	changed := repack(t, read(t, file), func(w *tar.Writer, h *tar.Header, b []byte) {
		if h.Name == aboutFile {
			b = about
		}
		put(t, w, h, b)
	})
	sharedtest.Fails(t, sharedtest.Err(Unpack(bytes.NewReader(changed), int64(len(changed)), t.TempDir())),
		"the limit for a bundle of this size")
}

// FuzzUnpack: no input makes Unpack panic or write outside of its directory.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte("\x28\xb5\x2f\xfd"), []byte(aboutFile))
	f.Add([]byte{}, []byte(`{"schema":1,"about":{},"files":[{"name":"run-1/run.json","size":1,"sha256":""}]}`))
	f.Fuzz(func(t *testing.T, raw, about []byte) {
		dir := t.TempDir()
		inner := filepath.Join(dir, "inner")
		sharedtest.OK(t, os.Mkdir(inner, 0o755))
		var packed bytes.Buffer
		z := sharedtest.Must(zstd.NewWriter(&packed))(t)
		w := tar.NewWriter(z)
		put(t, w, header(aboutFile, 0), record.Seal(about))
		if _, err := z.Write(raw); err != nil { // what follows is any archive
			t.Fatal(err)
		}
		sharedtest.OK(t, z.Close())
		for _, b := range [][]byte{raw, packed.Bytes()} {
			if c, err := Unpack(bytes.NewReader(b), int64(len(b)), inner); err == nil {
				t.Errorf("%+v is a bundle", c.Manifest)
			}
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("outside: %v, %v", entries, err)
		}
	})
}

// A signature is for these bytes, by a key that may sign; ssh-keygen accepts it.
func TestSign(t *testing.T) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	sharedtest.OK(t, err)
	block := sharedtest.Must(ssh.MarshalPrivateKey(private, ""))(t)
	folder := t.TempDir()
	key, signers := filepath.Join(folder, "key"), filepath.Join(folder, "signers")
	known := sharedtest.Must(ssh.NewPublicKey(public))(t)
	line := "# us\nme@example.org " + string(ssh.MarshalAuthorizedKey(known))
	sharedtest.OK(t, errors.Join(os.WriteFile(key, pem.EncodeToMemory(block), 0o600),
		os.WriteFile(signers, []byte(line), 0o600)))
	file, made := create(t, makeRun(t, time.Unix(0, 0)), key)
	if who, err := Signer(file, signers); err != nil || who != "me@example.org" || made.Signer == "" {
		t.Errorf("%q, %v", who, err)
	}
	if program, err := exec.LookPath("ssh-keygen"); err == nil {
		c := exec.Command(program, "-Y", "verify", "-n", namespace, "-f", signers, "-I", "me@example.org", "-s",
			file+SignatureExtension)
		c.Stdin = bytes.NewReader(read(t, file))
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("ssh-keygen: %v: %s", err, out)
		}
	}
	sharedtest.OK(t, os.WriteFile(file, append(read(t, file), 0), 0o600))
	if who, err := Signer(file, signers); err == nil {
		t.Errorf("%s signed other bytes", who)
	}
	sharedtest.OK(t, os.WriteFile(signers, []byte("# nobody\n"), 0o600))
	if who, err := Signer(file, signers); err == nil || !strings.Contains(err.Error(), "none of those who may sign") {
		t.Errorf("%q, %v", who, err)
	}
}
