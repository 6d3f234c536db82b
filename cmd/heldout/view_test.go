package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// view prints its address, serves the runs that it was given, draws worlds, and ends
// well when it is stopped. On other addresses it wants a token, which it prints once.
func TestView(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	var said bytes.Buffer
	sys := func(stdout io.Writer) *system {
		return &system{stdout: stdout, stderr: &said, getenv: func(string) string { return "" }, now: time.Now}
	}
	if code := execute(t.Context(), []string{"run", "--env", "babyai", "--model", "expert", "--limit", "1", "--out",
		dir}, sys(io.Discard)); code != exitOK {
		t.Fatal(said.String())
	}
	for _, c := range []struct {
		listen string
		token  bool
	}{{"127.0.0.1:0", false}, {"0.0.0.0:0", true}} {
		said.Reset()
		ctx, stop := context.WithCancel(t.Context())
		out, in := io.Pipe()
		code := make(chan int, 1)
		go func() { code <- execute(ctx, []string{"view", dir, "--listen", c.listen}, sys(in)) }()
		line := sharedtest.Must(bufio.NewReader(out).ReadString('\n'))(t)
		address := strings.TrimSpace(line)
		sharedtest.Equal(t, strings.Contains(address, "?token="), c.token, c.listen, address, "the address is")
		base, token, _ := strings.Cut(address, "?")
		if c.token {
			base = "http://127.0.0.1" + base[strings.LastIndexByte(base, ':'):]
		}
		status, _ := fetch(t, base+"runs/run/", "")
		sharedtest.Equal(t, status, map[bool]int{false: 200, true: 401}[c.token], c.listen, "status without a token")
		status, text := fetch(t, base+"runs/run/", strings.TrimPrefix(token, "token="))
		if status != 200 || !strings.Contains(text, "BabyAI-") {
			t.Fatalf("%s: status %d\n%s", c.listen, status, text)
		}
		_, episode, _ := strings.Cut(text, `href="../../runs/run/episodes/`)
		episode, _, _ = strings.Cut(episode, `"`)
		if _, text := fetch(t, base+"runs/run/episodes/"+episode+"?draw=1", strings.TrimPrefix(token, "token=")); !strings.Contains(text, "those of the record") || !strings.Contains(text, `class="picture"`) {
			t.Errorf("no pictures:\n%s", text)
		}
		stop()
		if got := <-code; got != exitOK && got != exitInterrupted || c.token &&
			strings.Contains(said.String(), strings.TrimPrefix(token, "token=")) {
			t.Errorf("%s: exit code %d, said %s", c.listen, got, &said)
		}
	}
}

// fetch asks for a page, with a token in the cookie.
func fetch(t *testing.T, address, token string) (status int, text string) {
	t.Helper()
	r := sharedtest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
	if token != "" {
		r.AddCookie(&http.Cookie{Name: "heldout-token", Value: token})
	}
	for {
		answer := sharedtest.Must(http.DefaultClient.Do(r))(t)
		b := sharedtest.Must(io.ReadAll(answer.Body))(t)
		answer.Body.Close()
		if answer.Header.Get("Refresh") == "" { // else the run is still being read
			return answer.StatusCode, string(b)
		}
	}
}

// What names runs does not reach the terminal as it is.
func TestRunsWithHostileNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "\x1b[31m\u202etxt")
	var said bytes.Buffer
	sys := func(stdout io.Writer) *system {
		return &system{stdout: stdout, stderr: &said, getenv: func(string) string { return "" }, now: time.Now}
	}
	if code := execute(t.Context(), []string{"run", "--env", "pddl", "--model", "expert", "--limit", "1", "--quiet",
		"--out", dir}, sys(io.Discard)); code != exitOK {
		t.Fatal(said.String())
	}
	for _, args := range [][]string{{"runs", filepath.Dir(dir)}, {"runs", filepath.Dir(dir), "--format", "json"}} {
		var out bytes.Buffer
		if code := execute(t.Context(), args, sys(&out)); code != exitOK {
			t.Fatal(said.String())
		}
		if text := out.String(); strings.ContainsAny(text, "\x1b\u202e") || !strings.Contains(text, "2etxt") {
			t.Errorf("%v prints %q", args, text)
		}
	}
}
