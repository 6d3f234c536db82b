package main

import (
	"strings"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/official"
	"heldout/envs/sharedtest"
	"heldout/eval/show/inventory"
)

// Every environment has a line, with its generated tasks where there are no others.
func TestInventoryEnvironments(t *testing.T) {
	got := inventory.Environments(envs.Setup{Data: t.TempDir()}, envs.Outside{Now: time.Now}, ", which was found")
	sharedtest.Equal(t, len(got.Rows), len(catalog.Entries()), "lines for environments")
	notes := strings.Join(got.Notes, "\n")
	for _, want := range []string{", which was found.", "pddl is not available: "} {
		sharedtest.Contains(t, notes, want)
	}
	got = inventory.Environments(envs.Setup{}, envs.Outside{Now: time.Now}, "")
	for _, row := range got.Rows {
		if row[0].Text == "pddl" && (row[got.Pos("tasks")].Value == nil || row[got.Pos("source")].Text != "generated") {
			t.Errorf("%v", row)
		}
	}
}

// A task outside the benchmark has no number.
func TestInventoryTasks(t *testing.T) {
	got := inventory.Tasks(envs.Info{Name: "boxes", Source: envs.Generated},
		[]envs.Task{{ID: "a", Index: 3}, {ID: "b", Index: -1}})
	if got.Title != "Tasks of boxes, generated" || got.Rows[0][0].Value != 3 || got.Rows[1][0].Value != nil {
		t.Errorf("%+v", got)
	}
}

// What is missing is named with what that means; what is optional lacks nothing.
func TestInventoryData(t *testing.T) {
	got, lacking, err := inventory.Data("data", []official.Finding{
		{Part: official.Part{Env: "pddl", Name: "labels", Needed: true}, State: official.Complete,
			Version: strings.Repeat("ab", 32)},
		{Part: official.Part{Env: "babyai", Name: "labels", Needed: true, Absence: "It has generated tasks."},
			State: official.Incomplete, Missing: []string{"x", "y", "z"}},
		{Part: official.Part{Env: "hotpotqa", Name: "wikipedia"}, State: official.Absent},
		{Part: official.Part{Env: "jericho", Name: "stories", Absence: "There are none."}, State: official.Changed,
			Changed: []string{"zork1.z5"}},
	})
	if err != nil || len(lacking) != 1 || lacking[0] != "babyai" {
		t.Fatalf("%q, %v", lacking, err)
	}
	sharedtest.Equal(t, got.Rows[2][got.Pos("state")].Text, "absent (optional)")
	notes := strings.Join(got.Notes, "\n")
	for _, want := range []string{"babyai/labels: It has generated tasks. Missing: x and 2 more.",
		"jericho/stories: Results with it do not compare with published ones. Changed: zork1.z5.",
		"The held-out score stays incomplete without babyai."} {
		sharedtest.Contains(t, notes, want)
	}
}

// The families of every environment are listed within the width, and completion has their grades.
func TestInventoryFamilies(t *testing.T) {
	text := sharedtest.Must(inventory.Families("pddl", 60))(t)
	for _, id := range configs.FamilyIDs() {
		sharedtest.Contains(t, text, "\n  "+id, id)
	}
	for line := range strings.Lines(text) {
		if len([]rune(line)) > 61 && strings.HasPrefix(line, "    ") {
			t.Errorf("%q is longer than 60", line)
		}
	}
	names, err := configs.PerturbArguments()
	if err != nil || !strings.Contains(strings.Join(names, " "), " verbs:2 ") {
		t.Errorf("%q, %v", names, err)
	}
}
