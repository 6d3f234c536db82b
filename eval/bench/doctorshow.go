package bench

import (
	"fmt"
	"strings"

	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/table"
)

// transcript prints the messages that were sent in tries, and the replies. Messages that an
// earlier prompt held are only counted.
func transcript(trials []try) string {
	var b strings.Builder
	var sent []model.Message
	for _, t := range trials {
		for i, turn := range t.turns {
			fmt.Fprintf(&b, "%s %s, seed %d, turn %d\n", t.episode.Condition.Env, t.episode.Task.ID,
				t.episode.Condition.Seed, i+1)
			sent = writeTurn(&b, sent, &turn)
		}
	}
	return b.String()
}

// writeTurn writes the calls of a turn, and returns the last prompt.
func writeTurn(b *strings.Builder, sent []model.Message, t *episode.Turn) []model.Message {
	for _, x := range t.Exchanges {
		writeMessages(b, sent, x.Request.Messages)
		sent = x.Request.Messages
		if x.Err != nil {
			writeText(b, "no reply", x.Err.Error())
			return sent
		}
		if x.Reply.Reasoning != "" {
			writeText(b, "reasoning", x.Reply.Reasoning)
		}
		writeText(b, fmt.Sprintf("reply (finish reason %q)", x.Reply.FinishReason), x.Reply.Text+x.Reply.Substitute)
	}
	writeMove(b, t)
	return sent
}

// writeMessages writes the messages of a prompt that differ from those of the last one.
func writeMessages(b *strings.Builder, last, sent []model.Message) {
	same := model.Common(last, sent)
	if same > 0 {
		fmt.Fprintf(b, "  sent again: %s\n", table.Counted(same, "message"))
	}
	for _, m := range sent[same:] {
		writeText(b, fmt.Sprintf("sent (%s)", m.Role), m.Content+m.Call.Arguments)
	}
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
