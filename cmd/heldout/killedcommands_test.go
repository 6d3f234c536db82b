//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/training/export"
)

// killedCommand is a command that writes. It works in a copy of what it needs. $SERVER is
// the address of a model server, $PORT is free.
type killedCommand struct {
	Name, Args string
	// Needs are names of the material.
	Needs []string
	// Half are files that are not whole while the command works.
	Half string
	// Times are files that hold times, which differ.
	Times string
	// Done: it refuses to write again what is there, so it need not be repeated then.
	Done string
	// Shown: what it prints is compared.
	Shown bool
	// Run is the run directory that it plays. Its episodes and its bundle are compared.
	Run string
	// Beside is a command that runs beside it, and is killed as often.
	Beside string
}

// killedCommands are the commands that write.
func killedCommands(t *testing.T) []killedCommand {
	commands := sharedtest.Cases[killedCommand](t, "killed-commands.yaml")
	for i, c := range commands {
		commands[i].Args = strings.Replace(c.Args, "MODEL", "--model vllm:fake --base-url $SERVER/v1 --quiet", 1)
	}
	for _, format := range export.Formats() {
		kind := format.Extension()
		commands = append(commands, killedCommand{Name: "export " + string(format),
			Args: fmt.Sprintf("export played experts --format %s --split train=0.5,val=0.5 --out data%s --force", format, kind),
			Needs: []string{"played", "experts", "data.train" + kind, "data.val" + kind,
				"data" + kind + ".manifest.json"}})
	}
	return commands
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
		sharedtest.OK(t, err)
	}
}
