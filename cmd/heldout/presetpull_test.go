package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// The files of a source of our own, and a preset that reads them.
const (
	toyPrompt = `{"examples": ["Goal: wait"], "instruction": "Say what to do.", "system_msg": "You play."}`
	toyText   = "No action was found."
	toyFile   = "said = '" + toyText + "'\n"
	toyPreset = `preset: toy
version: 1
title: a protocol of our own
status: adapted
deviations: [everything]
source: {repository: me/toy, commit: 0123456789abcdef, licence: MIT}
texts:
  said: {file: run.py, lines: 1, sha256: %s}
env:
  name: pddl
  tasks: {count: 60}
  limit: {steps: 3, counts: replies}
actions-shown: {when: never}
agent: {form: chat, acknowledge: "{text:said}"}
reply: {parser: one-action-line, on-failure: send-empty}
prompt: {files: [{path: prompts/toy.json, sha256: %s}], format: agentboard}
decoding: {temperature: 0, top-p: 1, max-tokens: 100}
metric: {primary: progress, aggregate: mean-over-tasks}
`
)

// toySource writes the preset into a folder and packs its source.
func toySource(t *testing.T, dir string) (archive []byte) {
	t.Helper()
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	preset := fmt.Sprintf(toyPreset, hash(toyText), hash(toyPrompt))
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, "toy.yaml"), []byte(preset), 0o600))
	return uncompressed(t, map[string][]byte{"toy/prompts/toy.json": []byte(toyPrompt), "toy/run.py": []byte(toyFile),
		"toy/LICENSE": []byte("MIT"), "toy/model.bin": make([]byte, 1<<20)})
}

// in runs heldout in a folder, with a data folder of its own.
func in(t *testing.T, dir string, args ...string) (out string, err error) {
	t.Helper()
	cmd := exec.Command("heldout", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+filepath.Join(dir, "home"), "HELDOUT_DATA=")
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// After a pull, every command finds the originals without being told where they are.
func TestPulledOriginals(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	dir := t.TempDir()
	archive := toySource(t, dir)
	owner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(archive)
	}))
	defer owner.Close()
	model := httptest.NewServer(&fakeServer{context: 16384})
	defer model.Close()
	expect := func(ok bool, want string, args ...string) {
		t.Helper()
		if out, err := in(t, dir, args...); (err == nil) != ok || !strings.Contains(out, want) {
			t.Errorf("heldout %s: %v\n%s\nwant %q", strings.Join(args, " "), err, out, want)
		}
	}
	run := []string{"run", "--preset", "toy.yaml", "--model", "vllm:fake", "--base-url", model.URL + "/v1", "--limit",
		"1", "--out"}
	expect(false, "is needed: heldout preset pull toy fetches it", append(run, "before")...)
	expect(false, "fail     toy@1: run.py: ", "doctor", "--preset", "toy.yaml")
	pull := []string{"preset", "pull", "toy.yaml", "--source", "toy-0123456=" + owner.URL}
	expect(true, "toy-0123456: 2 files of me/toy at commit 0123456789ab (licence: MIT)\n  "+
		filepath.Join(dir, "home", "heldout", "originals", "toy-0123456"), pull...)
	expect(true, "toy-0123456 is there already", pull...)
	expect(true, "They were compared with those in "+filepath.Join(dir, "home"), "preset", "prompt", "toy.yaml")
	expect(true, "ok       toy@1: run.py: it has the original's 1 text", "doctor", "--preset", "toy.yaml")
	expect(true, "toy@1+", append(run, "after")...)
	expect(true, "1 episode", "export", "after", "--format", "openai", "--out", "train.jsonl", "--allow-test-tasks",
		"--mask", "none")
	// Another data folder is looked through first, and --originals alone if it is given.
	expect(true, "toy-0123456: 2 files", append(pull, "--data", "data")...)
	changed := filepath.Join(dir, "data", "originals", "toy-0123456", "run.py")
	sharedtest.OK(t, os.WriteFile(changed, []byte("said = 'changed'\n"), 0o600))
	expect(false, "run.py: line 1 has no text with the SHA-256", "preset", "prompt", "toy.yaml", "--data", "data")
	expect(false, "is missing in home", append(run, "given", "--originals", "home")...)
	sharedtest.OK(t, os.Remove(changed))
	expect(false, "; heldout preset pull toy fetches it", "preset", "prompt", "toy.yaml", "--data", "data")
}

// A pull of originals that is killed shows nothing, and the same command continues it.
func TestKilledPresetPulls(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	k := &killer{content: toySource(t, dir), file: filepath.Join(data, ".heldout", "toy-0123456")}
	k.pull(t, func(address string) *exec.Cmd {
		return exec.Command("heldout", "preset", "pull", filepath.Join(dir, "toy.yaml"), "--data", data, "--source",
			"toy-0123456="+address)
	}, func() {
		if _, err := os.Stat(filepath.Join(data, "originals")); !os.IsNotExist(err) {
			t.Errorf("something of it is there: %v", err)
		}
	})
	b := sharedtest.Must(os.ReadFile(filepath.Join(data, "originals", "toy-0123456", "run.py")))(t)
	sharedtest.Equal(t, string(b), toyFile)
}
