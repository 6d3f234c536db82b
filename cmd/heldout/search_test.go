package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// questions are what researchers asked, with the title of the passage that answers and a
// part of the answer.
var questions = []struct{ question, title, answer string }{
	{"std of the held-out score", "statistics: The held-out score and its weights", "`paper`"},
	{"my model was trained on BabyAI", "statistics: A model trained on an environment (held-in)",
		"--set held-in=vllm:tuned=babyai"},
	{"SR and PR in one table", "statistics: Tables for papers: LaTeX, CSV, mean ± std, SR and PR", "--table paper"},
	{"LoRA adapters on vLLM", "servers: LoRA adapters", "--lora-modules"},
	{"turn thinking off", "prompts: Thinking on and off", `{"chat_template_kwargs":{"enable_thinking":false}}`},
	{"form of the prompt file", "prompts: A prompt of your own: the form of the YAML file", "instruction: |"},
	{"fewer examples", "prompts: Fewer examples, or none", "delete entries of `examples`"},
	{"wandb", "figures: Log to wandb", "--log wandb:"},
	{"how do I rename a run", "records: Rename, tag or delete a run", "mv runs/old runs/new"},
	{"delete a run", "records: Rename, tag or delete a run", "rm -r"},
	{"how do I cite", "benchmark: How to cite", "CITATION.cff"},
	{"mean ± std as a table", "statistics: Tables for papers: LaTeX, CSV, mean ± std, SR and PR",
		"mean ± standard deviation"},
	{"own weights of the held-out score", "statistics: The held-out score and its weights", "--set weights=FILE"},
	{"OpenRouter", "servers: Ollama, OpenAI, OpenRouter, Anthropic, Azure", "https://openrouter.ai/api/v1"},
	{"Azure key", "servers: Ollama, OpenAI, OpenRouter, Anthropic, Azure", "`api-key`"},
	{"see the prompt that is sent", "prompts: See the prompt that is sent", "--show"},
	{"what does † mean", "glossary: What the marks in tables mean: * # † ‡ ¶ § ~", "held in"},
	{"Slurm", "servers: Slurm, Kubernetes and containers", "--set shard=auto"},
	{"resume after a crash", "records: Resume after Ctrl-C, a kill or a crash", "Give the same command again"},
	{"more seeds", "records: More seeds", "--seeds 0-9"},
	{"temperature", "servers: Sampling: temperature, top-p, length and seed", "--temperature 1.0"},
	{"download the official data", "data: Official data", "heldout data pull"},
	{"Ollama", "servers: Ollama, OpenAI, OpenRouter, Anthropic, Azure", "--model ollama:"},
	{"compare two models", "statistics: Compare two models: what the first screen says",
		"heldout compare runs/base runs/tuned"},
	{"a figure for a paper", "figures: A figure for a paper", "heldout plot RUN"},
	{"concurrency", "servers: Concurrency: parallel requests make a run faster", "--concurrency auto"},
	{"perturbations of my own", "perturbations: A perturbation of your own", "heldout sweep"},
	{"put in/on", "alfworld-versions: ALFWorld's versions: put X in/on Y, or move X to Y", "--dialect v2"},
	{"alfworld versions", "alfworld-versions: ALFWorld's versions: put X in/on Y, or move X to Y", "move mug 1 to desk 1"},
	{"move X to Y", "alfworld-versions: ALFWorld's versions: put X in/on Y, or move X to Y", "--dialect v2"},
	{"which version do published numbers have", "alfworld-versions: Which version do published numbers have?",
		"verl-agent"},
	{"you arrive at loc", "alfworld-versions: What differs", "cabinet 3"},
	{"my own agent", "own-agent: An agent of your own", "--agent"},
	{"evaluate my agent", "own-agent: An agent of your own", "heldout.evaluate(agent"},
	{"custom parser", "own-agent: A custom parser: regex, JSON, an index, the nearest action", "step"},
	{"regex", "own-agent: A custom parser: regex, JSON, an index, the nearest action", "re.search"},
	{"guided decoding", "own-agent: A custom parser: regex, JSON, an index, the nearest action", "structured_outputs"},
	{"JSON output of a model", "own-agent: A custom parser: regex, JSON, an index, the nearest action", "json.loads"},
	{"memory across tasks", "own-agent: Memory across tasks", "sequential"},
	{"record my own loop", "own-agent: Record my own loop", "heldout.Pool"},
	{"unreadable replies", "agents: Unreadable replies: no action can be parsed", "--allow-unusable"},
}

// The first passage that is found answers the question.
func TestQuestions(t *testing.T) {
	index := indexPassages(passages(newRoot(&system{getenv: noVariables})))
	for _, q := range questions {
		results := index.find(marks.Replace(q.question))
		if len(results) == 0 {
			t.Errorf("%s: nothing found", q.question)
			continue
		}
		if first := results[0]; first.title != q.title || !strings.Contains(first.text, q.answer) {
			t.Errorf("%s: want %q with %q, got %q:\n%s", q.question, q.title, q.answer, first.title, first.text)
		}
	}
}

// strangers are what users of vLLM, AgentBoard, AgentGym and verl-agent ask who have not seen the pages: the questions
// were written down before the pages were read. Beside each are the pages and commands that answer it.
var strangers = []struct{ question, pages string }{
	{"how do I evaluate a model behind vllm", "servers benchmark"},
	{"connect to ollama", "servers"},
	{"use my own react agent instead of yours", "own-agent agents"},
	{"own agent", "own-agent"},
	{"plug in a python agent", "own-agent"},
	{"evaluate a lora adapter", "servers"},
	{"compare two checkpoints", "statistics"},
	{"is the difference significant", "statistics"},
	{"how many seeds do I need", "statistics power"},
	{"what is progress rate", "statistics glossary"},
	{"grounding accuracy", "statistics glossary"},
	{"run on unseen alfworld tasks", "data presets statistics envs"},
	{"alfworld valid_seen split", "data presets statistics envs"},
	{"success rate by task type", "statistics tables"},
	{"export latex table", "statistics compare"},
	{"write results to csv", "statistics compare python records"},
	{"read records in pandas", "records python"},
	{"resume an interrupted run", "records"},
	{"crashed in the middle what now", "records troubleshooting"},
	{"where are results stored", "records"},
	{"how long will it take", "troubleshooting benchmark"},
	{"run faster more parallel requests", "servers"},
	{"rate limit 429", "servers"},
	{"out of memory context too long", "servers"},
	{"context length exceeded", "servers"},
	{"max steps per episode", "run"},
	{"temperature and sampling", "servers"},
	{"greedy decoding", "servers run"},
	{"thinking models qwen3 reasoning", "prompts"},
	{"disable thinking", "prompts"},
	{"chat template", "prompts servers presets"},
	{"api key", "servers"},
	{"openai api", "servers"},
	{"gemini", "servers"},
	{"litellm", "servers"},
	{"bedrock", "servers"},
	{"azure", "servers"},
	{"together ai", "servers"},
	{"mistral", "servers"},
	{"openrouter", "servers"},
	{"anthropic claude", "servers"},
	{"sglang", "servers"},
	{"llama.cpp server", "servers"},
	{"download alfworld data", "data"},
	{"install java for scienceworld", "data"},
	{"jericho z-machine games roms", "data"},
	{"air-gapped cluster without internet", "data"},
	{"slurm job", "servers"},
	{"docker", "servers"},
	{"rename actions perturbation", "perturbations"},
	{"robustness to paraphrased prompts", "perturbations"},
	{"reliability", "statistics perturbations"},
	{"pass@k", "statistics tables"},
	{"held-out score weights", "statistics"},
	{"agentboard scores comparison", "statistics tables figures"},
	{"agentgym prompt format", "presets serving"},
	{"verl-agent checkpoint evaluation", "benchmark statistics presets alfworld-versions"},
	{"few-shot examples in the prompt", "prompts"},
	{"custom prompt", "prompts"},
	{"see one trajectory", "records view"},
	{"browse episodes in the browser", "view records"},
	{"model repeats the same action", "agents troubleshooting tables"},
	{"invalid actions parse errors", "agents troubleshooting tables"},
	{"cost in tokens and dollars", "benchmark tables"},
	{"add my own environment", "first-environment"},
	{"hotpotqa wikipedia search", "data"},
	{"babyai levels", "statistics tables"},
	{"confidence interval", "statistics"},
	{"leaderboard published results", "statistics published"},
	{"reproduce a paper number", "statistics presets"},
	{"export trajectories for fine-tuning", "training export"},
	{"training reward verifier gym server", "serving"},
	{"self-consistency majority vote", "own-agent agents"},
	{"judge answers with a model", "judge training"},
}

// missed is how many of their questions may lead to another page first.
const missed = 1

// The first passage that is found is part of a page that answers.
func TestStrangers(t *testing.T) {
	index := indexPassages(passages(newRoot(&system{getenv: noVariables})))
	var misses []string
	for _, q := range strangers {
		results := index.find(marks.Replace(q.question))
		if len(results) == 0 {
			t.Errorf("%s: nothing found", q.question)
			continue
		}
		words := strings.Fields(strings.TrimPrefix(strings.TrimPrefix(results[0].command, "heldout "), "help "))
		if !slices.Contains(strings.Fields(q.pages), words[0]) {
			misses = append(misses, fmt.Sprintf("%s: want %s, got %s", q.question, q.pages, results[0].title))
		}
	}
	if len(misses) > missed {
		t.Errorf("%d of %d questions:\n%s", len(misses), len(strangers), strings.Join(misses, "\n"))
	}
}

// What 292 further questions ask is among the first three passages. The index of the help was mended until it was, so
// this keeps what is answered, and does not measure how new questions fare. A line of the file has a question and a
// pattern for the titles that answer it.
func TestAsked(t *testing.T) {
	b, err := os.ReadFile("testdata/asked.txt")
	if err != nil {
		t.Fatal(err)
	}
	index := indexPassages(passages(newRoot(&system{getenv: noVariables})))
	for _, line := range sharedtest.Sample(t, slices.Collect(strings.Lines(string(b))), 20) {
		question, titles, _ := strings.Cut(strings.TrimSpace(line), " | ")
		pattern := regexp.MustCompile("^(" + titles + ")")
		first := index.find(marks.Replace(question))
		first = first[:min(3, len(first))]
		if !slices.ContainsFunc(first, func(m match) bool { return pattern.MatchString(m.title) }) {
			t.Errorf("%s: want %s, got %v", question, titles, first)
		}
	}
}

// Each section, command and flag of the index exists.
func TestIndexedTitles(t *testing.T) {
	titles := map[string]bool{}
	for _, p := range passages(newRoot(&system{getenv: noVariables})) {
		command, _, _ := strings.Cut(p.title, ": ")
		titles[p.title], titles[command] = true, true
	}
	for title := range readWords().Asked {
		if !titles[title] {
			t.Errorf("words.yaml has %q, which no page and no command has", title)
		}
	}
}

// An answer has for each passage its title, a line and the command that shows it.
func TestAnswer(t *testing.T) {
	first, _, _ := strings.Cut(runLine(t, "help", "how", "do", "I", "cite"), "\n\n")
	lines := strings.Split(strings.TrimSpace(first), "\n")
	if lines[0] != "benchmark: How to cite" || len(lines) < 3 || lines[len(lines)-1] != "    > heldout help benchmark" {
		t.Errorf("%q", lines)
	}
	if text := runLine(t, "help", "table", "of", "costs"); !strings.Contains(text, "> heldout help tables cost\n") {
		t.Errorf("no table: %s", text)
	}
	if text := runLine(t, "help", "nucleus", "sampling"); !strings.Contains(text, "> heldout help keys\n") {
		t.Errorf("no flag: %s", text)
	}
	if text := runLine(t, "help", "unknown", "flag:", "--modle"); !strings.Contains(text, "Messages of servers") {
		t.Errorf("no message: %s", text)
	}
}

// The page of marks lists every mark that tables print.
func TestMarks(t *testing.T) {
	page := part(t, "glossary", "What the marks in tables mean: * # † ‡ ¶ § ~")
	files := sharedtest.Must(filepath.Glob("../../scoring/report/*.go"))(t)
	found := 0
	for _, file := range files {
		b := sharedtest.Must(os.ReadFile(file))(t)
		for _, m := range regexp.MustCompile(`(?m)^\s*(?:const )?\w+Mark\s+= "(.+)"$`).FindAllStringSubmatch(string(b), -1) {
			found++
			if !strings.Contains(page, "\n- `"+m[1]+"` (") || m[1] != "?" && marks.Replace(m[1]) == m[1] {
				t.Errorf("the mark %s of %s is not listed", m[1], file)
			}
		}
	}
	if found < 6 {
		t.Errorf("%d marks", found)
	}
}
