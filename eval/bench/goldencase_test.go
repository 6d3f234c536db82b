package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// goldenLine is a line of a file of requests.
type goldenLine struct {
	Protocol, Task string
	Turn           int
	Path           string
	Request        json.RawMessage
	Reply          json.RawMessage
	// Env, Agent and Flags are TALES'.
	Env, Agent string
	Flags      []string
	// Model, Prompt and Sampling stand for a request in agentboard-vllm-prompts.
	Model    string
	Prompt   string
	Sampling map[string]any
}

// goldenOutcome is what the original reported of a task. What it did not report is nil.
type goldenOutcome struct {
	Task                string
	Success             *bool
	Progress, Grounding *float64
	Steps               *int
	Reward              json.RawMessage
	NormScore           *float64 `json:"norm_score"`
	MaxSteps            int      `json:"max_steps"`
	NbSteps             int      `json:"nb_steps"`
	Status              string
}

// goldenCase is a recorded task: its requests and replies, and its outcome.
type goldenCase struct {
	protocol, task string
	env, agent     string
	flags          []string
	model          string
	paths          []string
	requests       []map[string]any
	replies        []json.RawMessage
	earlier        []json.RawMessage // of earlier trials
	about          *goldenCase       // the trial that a reflection is about; nil for none
	outcome        *goldenOutcome    // nil without one
}

// readCases reads a file of requests and the file of its outcomes, which has an outcome
// for each task or for some, in the same order.
func readCases(t *testing.T, folder, file string) (cases []*goldenCase) {
	t.Helper()
	for _, line := range sharedtest.ReadLines[goldenLine](t, filepath.Join(folder, file+".jsonl.gz")) {
		request := map[string]any{"model": line.Model, "prompt": line.Prompt}
		for name, value := range line.Sampling {
			request[name] = value
		}
		if line.Request != nil {
			request = map[string]any{}
			sharedtest.OK(t, json.Unmarshal(line.Request, &request))
		}
		model, isNamed := request["model"].(string)
		if !isNamed {
			model = "scripted" // the stub of AgentBench's worker names none
		}
		if n := len(cases); n == 0 || line.Turn == 0 || cases[n-1].task != line.Task ||
			cases[n-1].protocol != line.Protocol {
			cases = append(cases, &goldenCase{
				protocol: line.Protocol, task: line.Task, env: line.Env, agent: line.Agent, flags: line.Flags,
				model: model,
			})
		}
		c := cases[len(cases)-1]
		if n := len(c.requests); n > 0 && isError(c.replies[n-1]) && reflect.DeepEqual(c.requests[n-1], request) {
			continue // the client repeats a call that was refused
		}
		c.paths, c.requests = append(c.paths, line.Path), append(c.requests, request)
		c.replies = append(c.replies, line.Reply)
	}
	outcomes := filepath.Join(folder, file+".outcomes.jsonl.gz")
	if _, err := os.Stat(outcomes); err != nil {
		return cases // agentboard-vllm-prompts has none
	}
	found := sharedtest.ReadLines[goldenOutcome](t, outcomes)
	for _, c := range cases {
		if len(found) > 0 && found[0].Task == c.task {
			c.outcome, found = &found[0], found[1:]
		}
	}
	if len(found) > 0 {
		t.Fatalf("%s: no requests for the outcome of %s", outcomes, found[0].Task)
	}
	withEarlier(t, cases)
	return cases
}

// isError reports whether a recorded reply is an error of the server.
func isError(reply json.RawMessage) bool {
	var r goldenReply
	return json.Unmarshal(reply, &r) == nil && r.Status != 0
}

// name is the name of a case in messages.
func (c *goldenCase) name() string {
	return strings.TrimPrefix(c.protocol+" "+c.task, " ")
}
