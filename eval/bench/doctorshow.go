package bench

import (
	"fmt"
	"strings"

	"heldout/eval/episode"
	"heldout/eval/model"
)

// String has what was sent in a try and what came back, with a line for each line of them.
// Messages that stood in the last prompt, too, are counted only.
func (t try) String() string {
	var b strings.Builder
	var sent []model.Message
	for i, turn := range t.turns {
		fmt.Fprintf(&b, "%s %s, seed %d, turn %d\n", t.episode.Condition.Env, t.episode.Task.ID,
			t.episode.Condition.Seed,
			i+1)
		for _, x := range turn.Exchanges {
			writeMessages(&b, sent, x.Request.Messages)
			sent = x.Request.Messages
			writeReply(&b, x.Reply)
		}
		writeMove(&b, &turn)
	}
	return b.String()
}

// writeMessages writes the messages of a prompt that differ from those of the last one.
func writeMessages(b *strings.Builder, last, sent []model.Message) {
	same := 0
	for same < min(len(last), len(sent)) && last[same] == sent[same] {
		same++
	}
	if same > 0 {
		fmt.Fprintf(b, "  sent: the first %d of %d messages again\n", same, len(sent))
	}
	for _, m := range sent[same:] {
		writeText(b, fmt.Sprintf("sent (%s)", m.Role), m.Content+m.Call.Arguments)
	}
}

func writeReply(b *strings.Builder, r model.Reply) {
	if r.Reasoning != "" {
		writeText(b, "reasoning", r.Reasoning)
	}
	writeText(b, fmt.Sprintf("reply (finish reason %q)", r.FinishReason), r.Text+r.Substitute)
}

func writeMove(b *strings.Builder, t *episode.Turn) {
	switch {
	case t.Move.FormatError:
		b.WriteString("  action: none\n")
	case t.Step.Valid || t.Step.Understood:
		fmt.Fprintf(b, "  action: %q, valid\n", t.Move.Action)
	default:
		fmt.Fprintf(b, "  action: %q, not valid\n", t.Move.Action)
	}
}

// writeText writes a text below its heading, indented.
func writeText(b *strings.Builder, heading, text string) {
	fmt.Fprintf(b, "  %s:\n", heading)
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString("    " + line + "\n")
	}
}
