package export

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

var consumers = flag.String("consumers", "", "folder with the trainers, as testdata/consumers/README.md says")

// demonstrations are the formats for supervised fine-tuning.
var demonstrations = []Format{ShareGPT, OpenAI, TRL, Axolotl, AgentGym}

// The trainers themselves read the files, and train on the tokens that the mask leaves, and on no others.
func TestConsumers(t *testing.T) {
	if *consumers == "" {
		t.Skip("the trainers are missing: make them as testdata/consumers/README.md says, then give -consumers DIR")
	}
	folder := sharedtest.Must(filepath.Abs(*consumers))(t)
	work := t.TempDir()
	sample := someRun(t)
	file := func(f Format) string { return filepath.Join(work, string(f)+f.Extension()) }
	reference, tokenizer := file(Axolotl), filepath.Join(work, "tokenizer")
	for _, f := range append([]Format{Axolotl}, demonstrations...) { // the tokenizer is made from the first
		o := options(t, f, sample)
		o.Out, o.Force = file(f), true
		if _, err := os.Stat(tokenizer); err == nil {
			o.Tokenizer = filepath.Join(tokenizer, "tokenizer.json")
		}
		if r := export(t, o); r.Masked[Invalid] < 20 || r.Trained < 20 {
			t.Fatalf("%+v", r)
		}
		if o.Tokenizer == "" {
			script(t, filepath.Join(folder, "trl"), "tokenizer.py", reference, tokenizer)
		}
	}
	for _, c := range []struct {
		trainer, script string
		format          Format
	}{
		{"axolotl", "read_axolotl.py", Axolotl}, {"axolotl", "read_axolotl.py", AgentGym},
		{"trl", "read_trl.py", TRL}, {"trl", "read_trl.py", Axolotl},
		{"llamafactory", "read_llamafactory.py", ShareGPT},
	} {
		t.Run(fmt.Sprintf("%s reads %s", c.trainer, c.format), func(t *testing.T) {
			home := filepath.Join(folder, c.trainer)
			if _, err := os.Stat(home); err != nil {
				t.Skipf("%v: testdata/consumers/README.md says how to install it", err)
			}
			t.Log(script(t, home, c.script, tokenizer, reference, file(c.format), file(c.format)+".manifest.json"))
		})
	}
	t.Log(script(t, filepath.Join(folder, "trl"), "check_openai.py", reference, file(OpenAI)))
	for _, f := range []Format{DPO, StepDPO, KTO, PRM} {
		o := options(t, f, append(ofOneTask(t, solved(good(1), good(3)), of(good(1), invalid(), good(2))), sample)...)
		o.Out, o.Tokenizer = file(f), filepath.Join(tokenizer, "tokenizer.json")
		export(t, o)
		t.Log(script(t, filepath.Join(folder, "trl"), "train_preferences.py", tokenizer, file(f),
			file(f)+".manifest.json"))
	}
}

// script runs a script of testdata with the Python of a trainer, and returns its last line.
func script(t *testing.T, home, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), filepath.Join(home, "bin", "python"),
		append([]string{filepath.Join("testdata", "consumers", name)}, args...)...)
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "HF_HUB_OFFLINE=1",
		"PYTHONPATH="+filepath.Join(home, "stubs"))
	out, err := c.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	return text[strings.LastIndex(text, "\n")+1:]
}

// someRun is a run of 40 episodes of all kinds of steps, in an order of chance.
func someRun(t *testing.T) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var episodes []record.Episode
	for i := range 40 {
		var steps []record.Step
		for j := range 1 + rng.IntN(12) {
			steps = append(steps, []record.Step{good(i*100 + j), invalid(), unreadable(), silent()}[rng.IntN(4)])
		}
		e := of(append(steps, invalid())...)
		e.Goal = fmt.Sprint("goal ", i, " ", hostile)
		episodes = append(episodes, e)
	}
	return makeRun(t, nil, episodes...)
}
