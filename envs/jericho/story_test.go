package jericho

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// A story that is not known can be played; it has the generic ends, no score, and commands of its own grammar.
func TestUnknownStory(t *testing.T) {
	e := sharedtest.Must(New(Options{Story: "testdata/attic.z5", Seed: 7}))(t)
	if info := e.Info(); info.Settings["story"] != "attic.z5" || info.Settings["seed"] != "7" || len(e.Tasks()) != 1 ||
		e.Tasks()[0].ID != "attic" {
		t.Errorf("%+v, %+v", info, e.Tasks())
	}
	w, start := startedWorld(t, e, 0)
	if !strings.Contains(start.Observation, "Dust, rafters") || strings.Contains(start.Observation, "\n") {
		t.Errorf("%q", start.Observation)
	}
	if actions, err := w.(envs.Lister).Actions(t.Context()); err != nil || !slices.Contains(actions, "east") {
		t.Errorf("%q, %v", actions, err)
	}
	s := steps(t, w, "east", "take hook", "west", "open hatch", "down")
	// it says so otherwise than the generic test wants
	if !strings.Contains(s.Observation, "*** You have won ***") || s.Done || s.Progress != 0 {
		t.Errorf("%+v", s)
	}
	sharedtest.Equal(t, sharedtest.Must(w.(envs.Expert).ExpertAction(t.Context()))(t), "", "the expert")
}

// Neither the status line nor the prompt is part of an answer, whether the story
// writes the status line itself (version 5) or the machine does (version 3).
func TestStatusLineIsHidden(t *testing.T) {
	e := sharedtest.Must(New(Options{Story: "testdata/attic.z5"}))(t)
	w, _ := startedWorld(t, e, 0)
	if s := steps(t, w, "east"); !strings.HasPrefix(s.Observation, "Passage A low passage") ||
		strings.Contains(s.Observation, ">") ||
		strings.Count(s.Observation, "Passage") != 1 || strings.Contains(s.Observation, "Score") {
		t.Errorf("version 5: %q", s.Observation)
	}

	image := sharedtest.Must(os.ReadFile(filepath.Join(sharedtest.AgentBoard(t), suite, "zork1.z5")))(t)
	image[len(image)-1]++ // so that it is not known
	file := filepath.Join(t.TempDir(), "unknown.z3")
	sharedtest.OK(t, os.WriteFile(file, image, 0o644))
	e = sharedtest.Must(New(Options{Story: file}))(t)
	w, start := startedWorld(t, e, 0)
	if strings.Contains(start.Observation, "Score") {
		t.Errorf("version 3 starts with %q", start.Observation)
	}
	if s := steps(t, w, "look"); s.Observation != "West of House You are standing in an open field west of a white house, with a boarded front door. There is a small mailbox here." {
		t.Errorf("version 3: %q", s.Observation)
	}
}

// Raw, every byte is shown, and every action reaches the story as it is.
func TestRawStory(t *testing.T) {
	w, start := startedWorld(t, sharedtest.Must(New(Options{Story: "testdata/attic.z5", Raw: true}))(t), 0)
	if !strings.HasPrefix(start.Observation, "\n\n\nThe door fell shut") {
		t.Errorf("%q", start.Observation)
	}
	s := steps(t, w, "east. take hook")
	if !strings.HasPrefix(s.Observation, "\n\nPassage\nA low passage") ||
		!strings.Contains(s.Observation, "Taken.\n\n>    ") {
		t.Errorf("%q", s.Observation)
	}
	if s := steps(t, w, "check valid actions"); strings.HasPrefix(s.Observation, helpPrefix) {
		t.Errorf("%q", s.Observation)
	}
}

// A file is known by its content, whatever its name is.
func TestKnownStory(t *testing.T) {
	b := sharedtest.Must(os.ReadFile(filepath.Join(sharedtest.AgentBoard(t), suite, "zork1.z5")))(t)
	file := filepath.Join(t.TempDir(), "other.z3")
	sharedtest.OK(t, os.WriteFile(file, b, 0o644))
	e := sharedtest.Must(New(Options{Story: file}))(t)
	if e.Tasks()[0].Type != "zork1" || e.Info().Settings["seed"] != "12" {
		t.Errorf("%+v, %+v", e.Tasks()[0], e.Info())
	}
	w, _ := startedWorld(t, e, 0)
	sharedtest.Equal(t, steps(t, w, "north", "north", "up", "take egg").Progress, 5.0/350)
}

func TestOptionsRefused(t *testing.T) {
	notStory := filepath.Join(t.TempDir(), "x.z5")
	sharedtest.OK(t, os.WriteFile(notStory, make([]byte, 100), 0o644))
	for want, o := range map[string]Options{
		`huntdark is "no"`:            {Huntdark: "no"},
		"only a story file":           {Raw: true},
		"the bindings cannot be read": {Bindings: "nowhere.py"},
		"Game file nowhere.z5 does":   {Story: "nowhere.z5"},
		"not a story":                 {Story: notStory},
		"no game in it":               {Bindings: notStory},
	} {
		sharedtest.Fails(t, sharedtest.Err(New(o)), want, o)
	}
}

// Partial labels have rewarded observations, only the shortest where some contain
// each other, and the number of sub-goals.
func TestPartialLabels(t *testing.T) {
	labels, err := parsePartial("labels", []byte(`[{"game_name":"905","goal":"g","init_obs":"o","difficulty":"hard","n_subgoals":7,
		"rewarded_observations":[{"observation":"You get out. Bedroom."},{"observation":"You get out!"},{"observation":"Door."},{"observation":"Door."}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	if got := labels[0].subgoals; got.n != 7 || !got.partial || strings.Join(got.texts, "|") != "You get out|Door" {
		t.Errorf("%+v", got)
	}
	p := attic(t)
	p.subgoals = &subgoals{texts: []string{"You cannot get a grip", "Taken"}, n: 4, partial: true}
	w := newWorld(p)
	if _, err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := steps(t, w, "open hatch", "open hatch", "east", "take hook"); s.Progress != 0.5 || s.Success {
		t.Errorf("%+v", s)
	}
	// The victory counts as all.
	if s := steps(t, w, "west", "open hatch", "down"); s.Progress != 1 || !s.Success || !s.Done {
		t.Errorf("%+v", s)
	}
	for want, text := range map[string]string{
		"is about": `[{"game_name":"x","difficulty":"hard","n_subgoals":1}]`, "difficulty": `[{"game_name":"905","n_subgoals":1}]`,
		"0 sub-goals": `[{"game_name":"905","difficulty":"hard"}]`, "more after": `[] []`, "want a list": `{}`,
	} {
		sharedtest.Fails(t, sharedtest.Err(parsePartial("labels", []byte(text))), want, text)
	}
}

// At most one sub-goal is counted in a step, the first that is shown, whatever stands between its letters.
func TestSubgoals(t *testing.T) {
	p := attic(t)
	p.subgoals = &subgoals{texts: []string{strip("ring."), strip("You cannot get, a grip")}, n: 2}
	w := newWorld(p)
	if _, err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := steps(t, w, "open hatch"); s.Progress != 0.5 || s.Done {
		t.Errorf("%+v", s)
	}
	sharedtest.Equal(t, steps(t, w, "look").Progress, 0.5)
	if s := steps(t, w, "open hatch"); s.Progress != 1 || !s.Done || !s.Success {
		t.Errorf("%+v", s)
	}
	w = newWorld(attic(t))
	w.play.subgoals = &subgoals{}
	sharedtest.Equal(t, steps(t, w, "look").Progress, 0, "without sub-goals")
}

func TestSameObservation(t *testing.T) {
	e := own(t, 0)
	for _, c := range []struct {
		action, recorded, ours string
		want                   bool
	}{
		{"look", "a", "a", true}, {"look", "a", "b", false},
		{"check valid actions", helpPrefix + "x, " + helpAction, helpPrefix + "y, z, " + helpAction, true},
		{"check valid actions", helpPrefix + "x, " + helpAction, "You cannot.", false},
		{"check valid actions", "You cannot.", "You cannot.", false},
	} {
		sharedtest.Equal(t, e.SameObservation(c.action, c.recorded, c.ours), c.want, c)
	}
}
