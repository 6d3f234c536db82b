package perturb

import (
	"regexp"
	"strings"
)

// passageKind is what a passage of a transcript is.
type passageKind int

const (
	saidByEnv passageKind = iota
	saidAsThought
	saidAsAction
)

// passageMarks begin the lines with which passages of a transcript begin, as the prompts of
// protocols have them: "Action: ", "Action 3: ", " ACTION: " or "> ", and so on. A thought
// that is sent to the game comes before other actions.
var passageMarks = []struct {
	kind passageKind
	find *regexp.Regexp
}{
	{saidAsThought, regexp.MustCompile(`^(?:Thought(?: \d+)?:|THOUGHT:|(?:> ?)?think:) ?`)},
	{saidAsAction, regexp.MustCompile(`^(?: ?ACTION: ?|Action(?: \d+)?: ?|> ?)`)},
	{saidByEnv, regexp.MustCompile(`^Observation(?: \d+)?: ?`)},
}

// passageOf returns what begins with a line, and its mark; ok is false if none does.
func passageOf(line string) (k passageKind, mark string, ok bool) {
	for _, m := range passageMarks {
		if mark = m.find.FindString(line); mark != "" {
			return m.kind, mark, true
		}
	}
	return saidByEnv, "", false
}

// writeTranscript rewrites an example that is given as text, or a turn of one, that begins
// with a passage of some kind. An action is one line. What follows it without a mark is
// what the environment says. An action that is taken away goes with its answer.
func (p *Perturbation) writeTranscript(text string, first passageKind) string {
	var b, passage strings.Builder
	now, label, removed := first, "", false
	flush := func() {
		if now != saidByEnv {
			removed = now == saidAsAction && p.isRemoved(p.normalize(strings.TrimSpace(passage.String())))
		}
		if !removed { // which leaves out the answer, too
			b.WriteString(label + p.writePassage(passage.String(), now))
		}
		passage.Reset()
	}
	for line := range strings.Lines(text) {
		next, mark, ok := passageOf(line)
		if ok || now == saidAsAction && strings.TrimSpace(passage.String()) != "" {
			flush()
			now, label = next, mark
		}
		passage.WriteString(line[len(mark):])
	}
	flush()
	return b.String()
}

// writePassage rewrites a passage without its mark, but not the white space around it.
func (p *Perturbation) writePassage(text string, k passageKind) string {
	body := strings.TrimSpace(text)
	if body == "" {
		return text
	}
	head, tail, _ := strings.Cut(text, body)
	switch k {
	case saidAsAction:
		body = p.writeShown(body)
	case saidAsThought:
		body = p.tell(p.passed(body))
	default:
		body = p.writeObservation(body)
	}
	return head + body + tail
}
