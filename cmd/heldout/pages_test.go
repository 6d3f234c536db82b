package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// block is an indented block of a page; file is the name of the file before it, if there
// is one.
type block struct{ file, text string }

// blocksOf returns the indented blocks of a page.
func blocksOf(t *testing.T, name string) (out []block) {
	t.Helper()
	page, ok := readTopic(name)
	if !ok {
		t.Fatalf("there is no page %s", name)
	}
	named := regexp.MustCompile("^`([^`]+)`(:|, )")
	file := ""
	var lines []string
	for _, line := range append(strings.Split(string(page), "\n"), ".") {
		switch text, indented := strings.CutPrefix(line, "    "); {
		case indented:
			lines = append(lines, text)
			continue
		case line == "" && lines != nil:
			lines = append(lines, "")
			continue
		case line == "":
			continue
		case lines != nil:
			out = append(out, block{file, strings.TrimSpace(strings.Join(lines, "\n")) + "\n"})
			file, lines = "", nil
		}
		if m := named.FindStringSubmatch(line); m != nil {
			file = m[1]
		}
	}
	return out
}

// What the pages on the first preset and the first perturbation say can be done as it
// stands, but for commands that need a server.
func TestFirstSteps(t *testing.T) {
	for _, name := range []string{"first-preset", "first-perturbation"} {
		t.Chdir(t.TempDir())
		played := 0
		for _, b := range blocksOf(t, name) {
			if b.file != "" {
				if err := os.WriteFile(b.file, []byte(b.text), 0o600); err != nil {
					t.Fatal(err)
				}
				continue
			}
			for _, line := range strings.Split(strings.ReplaceAll(b.text, "\\\n", " "), "\n") {
				args := strings.Fields(line)
				if len(args) == 0 || args[0] != "heldout" || strings.Contains(line, "vllm:") {
					continue
				}
				played++
				sys := &system{stdin: strings.NewReader(":quit\n"), stdout: io.Discard, stderr: io.Discard,
					getenv: noVariables, now: time.Now}
				if code := execute(context.Background(), args[1:], sys); code != exitOK {
					t.Errorf("%s: %s ends with %d", name, line, code)
				}
			}
		}
		if played < 2 {
			t.Errorf("%s: %d commands were played", name, played)
		}
	}
}

// The environment of the page builds.
func TestFirstEnvironment(t *testing.T) {
	var found bool
	for _, b := range blocksOf(t, "first-environment") {
		if filepath.Ext(b.file) != ".go" || !strings.Contains(b.text, "\npackage ") {
			continue // it is a part of a file
		}
		found = true
		root, err := filepath.Abs(filepath.Join("..", ".."))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		code := filepath.Join(dir, "code.go")
		overlay := `{"Replace": {"` + filepath.Join(root, b.file) + `": "` + code + `"}}`
		for file, text := range map[string]string{code: b.text, filepath.Join(dir, "overlay.json"): overlay} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "./"+filepath.Dir(b.file))
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	if !found {
		t.Error("the page has no package")
	}
}
