package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// block is an indented block of a page; file is the name of the file before it, if there is one.
type block struct{ file, text string }

// part returns a section of a page, or without a heading all of it.
func part(t *testing.T, name, heading string) string {
	t.Helper()
	page, ok := readTopic(name)
	if !ok {
		t.Fatalf("there is no page %s", name)
	}
	if heading == "" {
		return string(page)
	}
	_, text, ok := strings.Cut(string(page), "\n"+heading+"\n---")
	if !ok {
		t.Fatalf("the page %s has no section %q", name, heading)
	}
	if next := underline.FindStringIndex(text); next != nil {
		text = text[:next[0]]
	}
	return text
}

// blocks returns the indented blocks of a text.
func blocks(text string) (out []block) {
	named := regexp.MustCompile("^`([^`]+)`(:|, )")
	file := ""
	var lines []string
	for _, line := range append(strings.Split(text, "\n"), ".") {
		switch rest, indented := strings.CutPrefix(line, "    "); {
		case indented:
			lines = append(lines, rest)
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

// What the pages say of a preset and a perturbation of one's own can be done as it stands,
// but for commands that need a server or originals.
func TestFirstSteps(t *testing.T) {
	for _, name := range []string{"preset", "perturbation"} {
		t.Chdir(t.TempDir())
		played := 0
		for _, b := range blocks(part(t, name+"s", "A "+name+" of your own")) {
			if b.file != "" {
				sharedtest.OK(t, os.WriteFile(b.file, []byte(b.text), 0o600))
				continue
			}
			for _, line := range strings.Split(strings.ReplaceAll(b.text, "\\\n", " "), "\n") {
				args := strings.Fields(line)
				if len(args) == 0 || args[0] != "heldout" || strings.Contains(line, "vllm:") ||
					strings.Contains(line, "--originals") {
					continue
				}
				played++
				sys := &system{stdin: strings.NewReader(":quit\n"), stdout: io.Discard, stderr: io.Discard,
					getenv: noVariables, now: time.Now}
				sharedtest.Equal(t, execute(context.Background(), args[1:], sys), exitOK, name, line, "ends with")
			}
		}
		if played < 2 {
			t.Errorf("%s: %d commands were played", name, played)
		}
	}
}

// The prompt of the page is one.
func TestPromptPage(t *testing.T) {
	dir := t.TempDir()
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	for _, b := range blocks(part(t, "prompts", "A prompt of your own: the form of the YAML file")) {
		if b.file != "" {
			sharedtest.OK(t, os.WriteFile(filepath.Join(dir, b.file), []byte(b.text), 0o600))
		}
	}
	out, err := in(t, dir, "run", "--env", "pddl", "--tasks", "gripper", "--prompt", "mine.yaml", "--model",
		"vllm:fake", "--base-url", server.URL+"/v1", "--dry-run")
	if err != nil || !strings.Contains(out, "vllm:fake") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The program of the page is an environment, which its commands play.
func TestFirstProgram(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		sharedtest.Absent(t, "python3", "python3 is not in the PATH: install Python 3")
	}
	t.Chdir(t.TempDir())
	played := 0
	for _, b := range blocks(part(t, "first-environment", "Outside")) {
		if b.file != "" {
			sharedtest.OK(t, os.WriteFile(b.file, []byte(b.text), 0o600))
			continue
		}
		for _, line := range strings.Split(strings.ReplaceAll(b.text, "\\\n", " "), "\n") {
			args := strings.Split(strings.ReplaceAll(line, `"exec:python3 safe.py"`, "exec:python3\u00a0safe.py"), " ")
			if args[0] != "heldout" || strings.Contains(line, "vllm:") {
				continue
			}
			played++
			for i, arg := range args {
				args[i] = strings.ReplaceAll(arg, "\u00a0", " ")
			}
			var out strings.Builder
			sys := &system{stdin: strings.NewReader("dial 38\n:quit\n"), stdout: &out, stderr: io.Discard,
				getenv: noVariables, now: time.Now}
			sharedtest.Equal(t, execute(context.Background(), args[1:], sys), exitOK, line, &out)
			if !strings.Contains(out.String(), "The safe opens.") && !strings.Contains(out.String(), "100.0 a") {
				t.Errorf("%s: %s", line, &out)
			}
		}
	}
	sharedtest.Equal(t, played, 2, "commands were played")
}

// The environment of the page builds, and the catalogue with it.
func TestFirstEnvironment(t *testing.T) {
	root := sharedtest.Must(filepath.Abs(filepath.Join("..", "..")))(t)
	var env string // a whole file, unlike the others
	for _, b := range blocks(part(t, "first-environment", "")) {
		if b.file == "envs/safe/safe.go" {
			env = b.text
		}
	}
	entry := blocks(part(t, "first-environment", "2. The catalogue"))
	if len(entry) != 2 {
		t.Fatalf("%d blocks, want an entry and what opens it", len(entry))
	}
	catalog := string(sharedtest.Must(os.ReadFile(filepath.Join(root, "envs/catalog/catalog.go")))(t))
	head, rest, found := strings.Cut(catalog, "var openers = ")
	line, rest, _ := strings.Cut(rest, "\n")
	if !found {
		t.Fatal("the catalogue has no openers")
	}
	head = strings.Replace(head, "import (\n", "import (\n\t\"heldout/envs/safe\"\n", 1)
	replaced := map[string]string{}
	for file, text := range map[string]string{
		"envs/safe/safe.go":       env,
		"envs/catalog/catalog.go": head + "var openers = " + line + "\n" + entry[1].text + rest,
	} {
		replaced[filepath.Join(root, file)] = filepath.Join(t.TempDir(), "code.go")
		sharedtest.OK(t, os.WriteFile(replaced[filepath.Join(root, file)], []byte(text), 0o600))
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	content := sharedtest.Must(json.Marshal(map[string]any{"Replace": replaced}))(t)
	sharedtest.OK(t, os.WriteFile(overlay, content, 0o600))
	build := exec.Command("go", "build", "-overlay", overlay, "./envs/catalog")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
