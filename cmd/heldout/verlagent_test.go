package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// Every command of docs/verl-agent.md runs as it stands: those before the last in the script verlagent, which only
// allows that a fake server says nothing usable, and the last one here, on a free port.
func TestPageOfVerlAgent(t *testing.T) {
	page := sharedtest.Must(os.ReadFile("../../docs/verl-agent.md"))(t)
	script := sharedtest.Must(os.ReadFile("testdata/script/verlagent.txtar"))(t)
	run := strings.ReplaceAll(string(script), " --allow-unusable", "")
	var serve []string
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if command, ok := strings.CutPrefix(line, "heldout serve "); ok {
			serve = strings.Fields(strings.ReplaceAll(command, "$DATA", sharedtest.AgentBoard(t)))
		} else if strings.HasPrefix(line, "heldout ") && !strings.Contains(run, "call "+line+"\n") {
			t.Errorf("verlagent.txtar does not run %s", line)
		}
	}
	port := slices.Index(serve, "--listen")
	if port < 0 {
		t.Fatalf("the page serves nothing: %q", serve)
	}
	s := serveHere(t, slices.Delete(serve, port, port+2)...)
	var opened struct{ Sessions []string }
	s.post("/v1/sessions", map[string]any{"env": "alfworld", "count": 1}, &opened)
	first := s.step(batchEntry{Session: opened.Sessions[0], Reset: map[string]any{"index": 0}})[0]
	if first.Error != nil || first.Done || !slices.Contains(first.Observation.Actions, "help") { // a command of v2
		t.Errorf("the first observation is %+v", first)
	}
}
