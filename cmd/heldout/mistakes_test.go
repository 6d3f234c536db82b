package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// TestMistakes types what people type, and expects the exit code, and one answer in lower case that tells them
// what to do. DIR is a run, ODD a file, NONE an empty folder, BUNDLE a bundle, URL a server of the model "fake",
// and other names do not exist.
func TestMistakes(t *testing.T) {
	mistakes := sharedtest.Cases[struct {
		Typed  string
		Code   int
		Remedy string
	}](t, "mistakes.yaml")
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	t.Chdir(t.TempDir())
	heldout := func(text string) (string, int) {
		var told bytes.Buffer
		code := execute(t.Context(), strings.Fields(strings.ReplaceAll(text, "URL", server.URL)),
			&system{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &told, getenv: os.Getenv,
				goos: runtime.GOOS, proxy: http.ProxyURL(nil), now: time.Now})
		return told.String(), code
	}
	sharedtest.OK(t, os.Mkdir("NONE", 0o700))
	sharedtest.OK(t, os.WriteFile("ODD", []byte("no record\n"), 0o600))
	for _, text := range []string{"run --env pddl --tasks 0 --model random --step-limit 2 --quiet --out DIR",
		"bundle DIR --out B.heldout"} {
		if told, code := heldout(text); code != 0 {
			t.Fatalf("%s: %d, %s", text, code, told)
		}
	}
	for _, m := range mistakes {
		told, code := heldout(strings.ReplaceAll(m.Typed, "BUNDLE", "B.heldout"))
		remedy := strings.ReplaceAll(m.Remedy, "BUNDLE", "B.heldout")
		first, rest, _ := strings.Cut(told[strings.LastIndex("\n"+told, "\nheldout: "):], "\n")
		if code != m.Code || !strings.Contains(told, remedy) || !strings.HasPrefix(first, "heldout: ") {
			t.Errorf("heldout %s: %d, want %d with %q:\n%s\n%s", m.Typed, code, m.Code, remedy, first, rest)
		}
	}
}

// Words that people look for are answered with the page that has them.
func TestSearchedWords(t *testing.T) {
	sharedtest.Heavy(t)
	for word, page := range map[string]string{"std": "statistics", "spread": "statistics", "seeds": "records",
		"latex": "statistics", "weights": "statistics"} {
		out, err := exec.Command("heldout", "help", word).Output()
		if err != nil || !strings.Contains(string(out), "heldout help "+page) {
			t.Errorf("help %s: %v, without %s:\n%s", word, err, page, out)
		}
	}
}
