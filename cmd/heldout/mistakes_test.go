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

// mistakes are what people type, the exit code, and what the answer must tell them to do. DIR is a run, ODD a file,
// NONE an empty folder, BUNDLE a bundle, URL a server of the model "fake", and other names do not exist.
var mistakes = []struct {
	typed  string
	code   int
	remedy string
}{
	// A name without its flag, or with another command's.
	{"run random", 2, "heldout run --model random"},
	{"run bench.yaml", 2, "heldout run --config bench.yaml"},
	{"sweep --env pddl --model a,b", 2, "repeat --model for each, as in --model vllm:A --model vllm:B"},
	{"serve pddl,step-limit=x", 2, "want a whole number"},
	{"verify NONE", 1, "want a file of trajectories, as heldout synth writes them"},
	{"doctor vllm:fake", 2, "heldout doctor --model vllm:fake"},
	{"doctor agentboard", 2, "heldout doctor --preset agentboard"},
	{"run --env pddl", 2, "name one with --model"},
	{"--env pddl", 2, "heldout run --env"},
	{"preset agentboard", 2, "heldout preset show agentboard"},
	{"play", 2, "such as pddl"},
	// Flags of other programs.
	{"run --env pddl --model random --resume", 2, "the same command resumes a run"},
	{"run --env pddl --model random --num-seeds 3", 2, "did you mean --seeds?"},
	{"run --env pddl --model random --output x", 2, "did you mean --out?"},
	{"run --env pddl --model vllm:fake --api-base URL", 2, "did you mean --base-url?"},
	{"run --env pddl --model vllm:fake --api-key secret", 2, "--api-key-env, which names an environment variable"},
	{"view DIR --port 8080", 2, "did you mean --listen?"},
	// Near misses of names.
	{"run --env pddl --model vlm:fake", 2, "did you mean vllm?"},
	{"run --env pddl --model random --agent reakt", 2, "did you mean react?"},
	{"compare DIR --table papr", 2, "did you mean paper?"},
	{"compare DIR --model nobody", 2, "there are random"},
	{"compare DIR --interval task", 2, "did you mean tasks?"},
	{"plot DIR --figure curves --out x.pdf", 2, "there are rates, differences"},
	{"sweep --env pddl --model random --perturb verbs:9", 2, "grades 1 to 3"},
	{"run --env pddl --model random --variant agentgym", 2, "heldout envs pddl lists"},
	// Wrong types and forms.
	{"run --env pddl --model random --set budget-time=10", 2, "want a time with its unit"},
	{"run --env pddl --model random --seeds 0", 2, "write 0-0"},
	{"run --env pddl, babyai --model random", 2, "write --env pddl,babyai"},
	{"run --env pddl --model expert,random", 2, "repeat --model for each"},
	{"run --env pddl --model expert --set shard=1/2 --log tensorboard:t", 2, "join the shards with heldout merge"},
	{"run --env pddl --model random --out", 2, "flag needs an argument: --out"},
	{"run --env pddl --model memoriser --names memoriser=A,random=B", 2, "repeat --names for each model"},
	{"runs --format yaml", 2, "there are text and json"},
	{"serve pddl --listen 8000", 2, "such as 127.0.0.1:8000"},
	// Flags that exclude each other.
	{"sweep --env pddl --model random --suite robust --perturb verbs:1", 2, "give one of both"},
	{"run --env pddl --model random --prompt v3", 2, "are for served models"},
	// Servers.
	{"run --env pddl --model vllm:fake --base-url localhost:1", 2, `write "http://localhost:1"`},
	{"run --env pddl --model vllm:fkae --base-url URL/v1 --out wrong", 1, "it has: fake"},
	// Folders, files and their extensions.
	{"run --env jericho --model random --data NONE", 2, "--variant jericho"},
	{"run --env pddl --model random --tasks 0 --out ODD", 1, "ODD is a file: name a folder"},
	{"run --env pddl --model random --tasks 0 --out ODD/run", 1, "name another one"},
	{"run --env hotpotqa --model random --data NONE", 2, "heldout data pull"},
	{"data import c.zip --data imported", 1, "c.zip: no such file: name files"},
	{"compare NONE", 1, "heldout runs lists"},
	{"compare BUNDLE", 1, "heldout check BUNDLE"},
	{"view BUNDLE", 1, "heldout check BUNDLE"},
	{"check DIR", 2, "heldout bundle DIR"},
	{"bundle DIR --out x.zip", 2, "ends in .heldout"},
	{"bundle DIR --out nowhere/x.heldout", 1, "make it first"},
	{"report DIR --out x.pdf", 2, "ends in .html"},
	{"plot DIR --figure rates --out x.docx", 2, ".svg, .pdf, .png"},
	{"runs nowhere", 1, "name a folder that holds run directories"},
	{"power DIR", 1, "name the run of another one too"},
	// A run directory that began otherwise.
	{"run --env pddl --tasks 0 --model random --step-limit 3 --out DIR", 1, "step limit 2 there, 3 here"},
	{"run --env pddl --tasks 1 --model random --step-limit 2 --out DIR", 1, "or another --out"},
}

// TestMistakes types them, and expects one answer in lower case that says what to do.
func TestMistakes(t *testing.T) {
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
		told, code := heldout(strings.ReplaceAll(m.typed, "BUNDLE", "B.heldout"))
		remedy := strings.ReplaceAll(m.remedy, "BUNDLE", "B.heldout")
		first, rest, _ := strings.Cut(told[strings.LastIndex("\n"+told, "\nheldout: "):], "\n")
		if code != m.code || !strings.Contains(told, remedy) || !strings.HasPrefix(first, "heldout: ") {
			t.Errorf("heldout %s: %d, want %d with %q:\n%s\n%s", m.typed, code, m.code, remedy, first, rest)
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
