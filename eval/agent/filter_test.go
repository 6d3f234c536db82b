package agent

import (
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

func TestSegments(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " \n ": 0, "a": 1, "seventy": 1, "eighteen": 2, "a b": 2, "go to desk 12.": 6, "\t": 1,
		"Äußerste Maße": 3, strings.Repeat("x", 15): 3,
	} {
		sharedtest.Equal(t, segments(text), want, text, "segments")
	}
}

// The first message stays, and after it comes an answer.
func TestFiltered(t *testing.T) {
	all := []model.Message{
		{Role: model.User, Content: "rules"}, {Role: model.Assistant, Content: "one"},
		{Role: model.User, Content: "two two"},
		{Role: model.Assistant, Content: "three"}, {Role: model.User, Content: "four four four"},
	}
	for most, want := range map[int]string{
		0: "rules|one|two two|three|four four four", 9: "rules|one|two two|three|four four four",
		8: "rules, without 2|three|four four four", 6: "rules, without 2|three|four four four", 5: "rules, without 4",
		1: "rules, without 4",
	} {
		var got []string
		for _, m := range filtered(configs.Filter{Segments: most, Notice: ", without {omitted}"}, all) {
			got = append(got, m.Content)
		}
		sharedtest.Equal(t, strings.Join(got, "|"), want, "fewer than segments", most, got)
	}
	sharedtest.Equal(t, all[0].Content, "rules", "filtering changes the history")
}

// A chat shows a text before its examples and in place of older lists, and filters what it
// sends.
func TestFormFilters(t *testing.T) {
	play := chatPlay()
	play.ActionsShown = configs.ActionsShown{Timing: configs.Latest, Prefix: " NOW: ", Older: " "}
	play.Agent.Shots.Intro = "See: "
	m := says("Action: look")
	move(t, newForm(t, chat(m), play, &board{actions: []string{"look"}}))
	if got := m.requests[0].Messages[2].Content; !strings.HasPrefix(got, "See: ") {
		t.Errorf("the example begins %q", got)
	}
	play.Agent.Filter = configs.Filter{Segments: 24}
	m = says("Action: look")
	a := newForm(t, chat(m), play, &board{actions: []string{"look"}})
	for range 2 {
		move(t, a)
		a.Observe("seen")
	}
	var got []string
	for _, sent := range m.requests[1].Messages {
		got = append(got, sent.Content)
	}
	sharedtest.Same(t, got, []string{"Open the box.", "Action: look", "seen NOW: look"})
}
