package main

import (
	"archive/zip"
	"encoding/json"
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// logEntries are the files of a log of Inspect, by name.
func logEntries(t *testing.T, file string) map[string]map[string]any {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	entries := map[string]map[string]any{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r) // which checks its sum
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(content), "[") {
			content = append(append([]byte(`{"list":`), content...), '}')
		}
		var entry map[string]any
		if err := json.Unmarshal(content, &entry); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		entries[f.Name] = entry
	}
	return entries
}

// fieldsOf are the names of the fields of a JSON object.
func fieldsOf(object any) string {
	return strings.Join(slices.Sorted(maps.Keys(object.(map[string]any))), " ")
}

// A log consists of the parts of Inspect's own logs: a header, a sample for each episode, and summaries. The same
// records give the same bytes.
func TestInspectLog(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	play := fakeRun(server.URL, run, "--limit", "2", "--quiet", "--allow-unusable")
	if out, err := play.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var logs [2][]byte
	for i, folder := range []string{"one", "two"} {
		out, err := in(t, dir, "export", "run", "--format", "inspect", "--out", folder)
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		files, err := filepath.Glob(filepath.Join(dir, folder, "*.eval"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		if logs[i], err = os.ReadFile(files[0]); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			checkLog(t, logEntries(t, files[0]))
		}
	}
	if string(logs[0]) != string(logs[1]) {
		t.Error("the same records gave other bytes")
	}
}

// checkLog checks the log of two tasks with three seeds, of eight steps each.
func checkLog(t *testing.T, log map[string]map[string]any) {
	samples := 0
	for name, entry := range log {
		if !strings.HasPrefix(name, "samples/") {
			continue
		}
		samples++
		want := "completed_at epoch events events_data id input limit messages metadata model_usage output scores " +
			"started_at store target total_time turn_count uuid"
		if got := fieldsOf(entry); got != want {
			t.Errorf("%s has %s", name, got)
		}
		if got := fieldsOf(entry["scores"]); got != "grounding progress success unreadable" {
			t.Errorf("%s has the scores %s", name, got)
		}
		messages, events := entry["messages"].([]any), entry["events"].([]any)
		last := messages[len(messages)-1].(map[string]any)
		if len(messages) != 16 || len(events) != 16 || last["role"] != "assistant" || last["source"] != "generate" {
			t.Errorf("%s has %d messages and %d events; the last message is %v", name, len(messages), len(events), last)
		}
	}
	header := log["header.json"]
	results := header["results"].(map[string]any)
	config := header["eval"].(map[string]any)["config"].(map[string]any)
	if samples != 6 || results["completed_samples"] != 6.0 || config["epochs"] != 3.0 || header["status"] != "success" {
		t.Errorf("%d samples, %v, %v, %v", samples, results, config, header["status"])
	}
	metrics := results["scores"].([]any)[1].(map[string]any)["metrics"]
	if got := fieldsOf(metrics); got != "lower mean std_seeds stderr upper" {
		t.Errorf("progress has the metrics %s", got)
	}
	for name, want := range map[string]int{"summaries.json": 6, "reductions.json": 4} {
		if got := len(log[name]["list"].([]any)); got != want {
			t.Errorf("%s has %d items, want %d", name, got, want)
		}
	}
}
