//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/training/export"
)

// killedCommand is a command that writes. It works in a copy of what it needs. $SERVER is
// the address of a model server, $PORT is free.
type killedCommand struct {
	name  string
	args  []string
	needs []string // of the material
	// half are files that are not whole while the command works.
	half string
	// times are files that hold times, which differ.
	times string
	// done: it refuses to write again what is there, so it need not be repeated then.
	done string
	// shown: what it prints is compared.
	shown bool
	// run is the run directory that it plays. Its episodes and its bundle are compared.
	run string
	// beside is a command that runs beside it, and is killed as often.
	beside []string
}

// killedCommands are the commands that write.
func killedCommands() []killedCommand {
	model := []string{"--model", "vllm:fake", "--base-url", "$SERVER/v1", "--quiet"}
	with := func(args []string, more ...string) []string { return append(slices.Clone(more), args...) }
	commands := []killedCommand{
		playing("run", "run", "--env", "pddl", "--tasks", "gripper", "--model", "random", "--seeds", "4"),
		playing("all environments", "run", "--env", "alfworld,babyai,hotpotqa,jericho,pddl,sciworld", "--limit", "3",
			"--model", "random", "--step-limit", "10"),
		playing("model", with(model, "run", "--env", "pddl", "--tasks", "gripper", "--step-limit", "8",
			"--concurrency", "6")...),
		playing("sweep", "sweep", "--tasks", "0-3", "--perturb", "P1,P2,P3", "--model", "random", "--seeds", "2"),
		{name: "queue", run: "run", times: "^run/", args: []string{"run", "--env", "pddl", "--tasks", "gripper",
			"--model", "random", "--queue", "embedded", "--queue-listen", "$PORT", "--queue-ack-wait", "1s", "--quiet",
			"--out", "run"}, beside: []string{"worker", "--queue", "nats://$PORT", "--concurrency", "2"}, shown: true},
		{name: "synth", args: with(model, "synth", "--count", "20", "--max-tokens", "1000", "--out", "synthetic"),
			half: "^synthetic/", times: "/(calls.jsonl|synth.json)$"},
		{name: "judge", args: with(model, "judge", "made", "--trajectories", "10", "--out", "labels"),
			needs: []string{"made"}, half: "^labels/", times: "/(calls.jsonl|judge.json)$"},
		{name: "think", args: with(model, "think", "experts", "--out", "thoughts"), needs: []string{"experts"},
			half: "^thoughts/", times: "/(calls.jsonl|think.json)$"},
		{name: "compare", args: []string{"compare", "played", "--format", "csv", "--table", "all"},
			needs: []string{"played"}, shown: true},
		{name: "bundle", args: []string{"bundle", "played", "experts", "--out", "old.heldout", "--force"},
			needs: []string{"played", "experts", "old.heldout"}},
		{name: "board", args: []string{"board", "bundles", "--out", "site"}, needs: []string{"bundles"}, done: "site"},
		{name: "check", args: []string{"check", "old.heldout"}, needs: []string{"old.heldout"}, shown: true},
		{name: "merge", args: []string{"merge", "whole", "parts"}, needs: []string{"parts"}, done: "whole"},
		{name: "repair", args: []string{"repair", "damaged"}, needs: []string{"damaged"}},
		{name: "verify", args: []string{"verify", "made/trajectories.jsonl", "--min-errors", "0", "--masked",
			"verified.jsonl", "--force"}, needs: []string{"made"}},
		{name: "judge sheet", args: []string{"judge", "sheet", "made", "--out", "sheet.csv"}, needs: []string{"made"},
			done: "sheet.csv"},
		{name: "report", args: []string{"report", "played"}, needs: []string{"played"}},
		{name: "plot", args: []string{"plot", "played", "--figure", "rates", "--out", "rates.svg"},
			needs: []string{"played"}},
		{name: "data import", args: []string{"data", "import", "board.tar.gz", "--data", "data", "--accept-changed"},
			needs: []string{"board.tar.gz"}, times: "^data/.heldout"},
		{name: "data pull", args: []string{"data", "pull", "babyai", "--data", "data", "--accept-changed", "--source",
			"agentboard=board.tar.gz"}, needs: []string{"board.tar.gz"}, times: "^data/.heldout"},
		{name: "wiki build", args: []string{"wiki", "build", "q.json", "--out", "index", "--quiet"},
			needs: []string{"q.json"}, times: "^index", shown: true},
		{name: "export records", args: []string{"export", "played", "--format", "records", "--out", "records.jsonl",
			"--force"}, needs: []string{"played"}},
		{name: "export calls", args: []string{"export", "played", "--format", "calls", "--out", "calls.jsonl",
			"--force"}, needs: []string{"played"}},
	}
	for _, format := range export.Formats() {
		kind := format.Extension()
		commands = append(commands, killedCommand{name: "export " + string(format), args: []string{"export", "played",
			"experts", "--format", string(format), "--split", "train=0.5,val=0.5", "--out", "data" + kind, "--force"},
			needs: []string{"played", "experts", "data.train" + kind, "data.val" + kind,
				"data" + kind + ".manifest.json"}})
	}
	return commands
}

// playing is a command that plays a run.
func playing(name string, args ...string) killedCommand {
	return killedCommand{name: name, args: append(args, "--out", "run", "--quiet"), run: "run", times: "^run/",
		shown: true}
}

// material makes what the commands need, also old files that some of them replace.
func material(t *testing.T, dir, server string) {
	t.Helper()
	do := func(c *exec.Cmd) {
		t.Helper()
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", c.Args, err, out)
		}
	}
	do(fakeRun(server, "played", "--allow-unusable"))
	for _, shard := range []string{"1/2", "2/2"} {
		do(exec.Command("heldout", "run", "--env", "pddl", "--model", "random", "--seeds", "4", "--quiet", "--shard",
			shard, "--out", "parts"))
	}
	do(exec.Command("heldout", "merge", "damaged", "parts"))
	do(fakeSynth(server, "made", "--count", "60", "--concurrency", "20"))
	for kind, format := range map[string]string{".json": "agentgym", ".jsonl": "openai"} {
		do(exec.Command("heldout", "export", "played", "--format", format, "--mask", "none", "--split",
			"train=0.5,val=0.5", "--out", "data"+kind))
	}
	do(exec.Command("heldout", "run", "--env", "pddl", "--tasks", "gripper", "--limit", "6", "--model", "expert",
		"--model", "expert-errs", "--out", "experts", "--quiet"))
	do(exec.Command("heldout", "bundle", "damaged", "--out", "old.heldout"))
	do(exec.Command("mkdir", "bundles"))
	do(exec.Command("heldout", "bundle", "played", "--out", "bundles/played.heldout"))
	do(exec.Command("heldout", "bundle", "experts", "--out", "bundles/experts.heldout"))
	episodes := filepath.Join(dir, "damaged", "episodes.jsonl")
	content := sharedtest.Must(os.ReadFile(episodes))(t)
	lines := bytes.SplitAfter(content, []byte("\n"))
	for i := 0; i < len(lines)-1; i += 3 {
		lines[i][len(lines[i])/2] ^= 1
	}
	type paragraph []any
	var questions []map[string]any
	for i := range 500 {
		questions = append(questions, map[string]any{
			"_id": fmt.Sprint(i), "question": "Where?", "answer": "there", "type": "bridge", "supporting_facts": []any{
				[]any{fmt.Sprint("A", i), 0}},
			"context": []any{paragraph{fmt.Sprint("A", i),
				[]string{strings.Repeat(fmt.Sprintf("A%d is there. ", i), 20)}}},
		})
	}
	text, err := json.Marshal(questions)
	for _, err := range []error{
		err, os.WriteFile(episodes, bytes.Join(lines, nil), 0o644),
		os.WriteFile(filepath.Join(dir, "damaged", "episodes.set-aside"), []byte("half a line"), 0o644),
		os.WriteFile(filepath.Join(dir, "q.json"), text, 0o644),
		os.WriteFile(filepath.Join(dir, "board.tar.gz"), boardArchive(t), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}
