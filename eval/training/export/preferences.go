package export

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heldout/envs/datafile"
	"heldout/eval/model"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// pairs visits the pairs of a task's attempts.
func (f Format) pairs(attempts []*attempt, visit func(example) error) error {
	slices.SortFunc(attempts, func(a, b *attempt) int {
		return cmp.Or(better(a.rank, b.rank), strings.Compare(a.ID, b.ID))
	})
	if f == StepDPO {
		return stepPairs(attempts, visit)
	}
	for i, worse := range attempts {
		var best *attempt
		longest := 0
		for _, b := range attempts[:i] {
			if better(b.rank, worse.rank) == 0 || f == ETO && (!b.expert || !b.solved() || worse.solved()) {
				continue
			}
			if n := common(b.messages, worse.messages); n > longest {
				best, longest = b, n
			}
		}
		if best == nil {
			continue
		}
		err := visit(example{about: best.about, turn: turnAt(best, longest), prompt: best.messages[:longest],
			reply: best.messages[longest:], rejected: worse.messages[longest:], rejectedID: worse.ID})
		if err != nil {
			return err
		}
	}
	return nil
}

// common counts the messages at the beginning of two conversations that are the same; 0
// if they do not part at a reply of the model, after what the user said.
func common(a, b []Message) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].Role == b[n].Role && a[n].Content == b[n].Content {
		n++
	}
	if n == 0 || n >= len(a) || n >= len(b) || a[n].Role != model.Assistant || b[n].Role != model.Assistant {
		return 0
	}
	return n
}

// turnAt is the number of the turn whose reply is a message.
func turnAt(a *attempt, index int) int {
	for _, r := range a.replies {
		if r.index == index {
			return r.step + 1
		}
	}
	return 0
}

// stepPairs visits pairs of replies after the same messages: a wrong one, by the rules of the mask, and a right one
// of a solved episode, or what an expert would have done in the place of its error.
func stepPairs(attempts []*attempt, visit func(example) error) error {
	type choice struct {
		attempt *attempt
		reply   reply
	}
	right, wrong := map[[32]byte][]choice{}, []choice{}
	keys := map[*attempt][][32]byte{}
	for _, a := range attempts {
		keys[a] = prefixes(a.messages)
		for _, r := range a.replies {
			switch {
			case r.mark != "" && !blank(a.messages[r.index].Content):
				wrong = append(wrong, choice{a, r})
			case r.mark == "" && a.solved():
				key := keys[a][r.index]
				right[key] = append(right[key], choice{a, r})
			}
		}
	}
	visited := map[string]bool{}
	for _, w := range wrong {
		key := keys[w.attempt][w.reply.index]
		bad := w.attempt.messages[w.reply.index].Content
		about, good := w.attempt.about, w.reply.correction
		if good == "" && len(right[key]) > 0 {
			c := right[key][0]
			about, good = c.attempt.about, c.attempt.messages[c.reply.index].Content
		}
		pair := fmt.Sprintf("%x %q %q", key, bad, good)
		if good == "" || good == bad || visited[pair] {
			continue
		}
		visited[pair] = true
		err := visit(example{about: about, turn: w.reply.step + 1, prompt: w.attempt.messages[:w.reply.index],
			reply: replied(good), rejected: replied(bad), rejectedID: w.attempt.ID})
		if err != nil {
			return err
		}
	}
	return nil
}

// prefixes are hashes of what stands before each message.
func prefixes(messages []Message) [][32]byte {
	out := make([][32]byte, len(messages))
	var hash [32]byte
	for i, m := range messages {
		out[i] = hash
		hash = sha256.Sum256(fmt.Appendf(nil, "%x %d %s %d %s", hash, len(m.Role), m.Role, len(m.Content), m.Content))
	}
	return out
}

// judged visits the replies of an attempt with a label: right ones of a solved episode,
// and wrong ones by the rules of the mask. Of the others nobody knows.
func judged(a *attempt, visit func(example) error) (n int, err error) {
	for _, r := range a.replies {
		text := a.messages[r.index].Content
		if blank(text) || r.mark == "" && !a.solved() {
			continue
		}
		n++
		err := visit(example{about: a.about, turn: r.step + 1, prompt: a.messages[:r.index], reply: replied(text),
			labels: []bool{r.mark == ""}})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// The sources of labels of turns.
const (
	ByEnvironment = "valid"    // the environment carried the action out
	ByProgress    = "progress" // the turn made progress
)

// steps is an attempt as steps with labels. A step is an observation and the reply, so that a label is given before
// the environment answers. Turns that a judge did not label are part of the next step.
func (x *exporter) steps(a *attempt) (e example, ok bool) {
	first := a.replies[0].index
	text := func(start, end int, separator string) []Message {
		return replied(strings.Join(table.Each(a.messages[start:end], content), separator))
	}
	e = example{about: a.about, prompt: text(0, first, "\n\n")}
	start := first
	for _, r := range a.replies {
		label, found := r.valid, true
		switch {
		case x.labels != nil:
			label, found = x.labels[labelled{a.ID, r.step}]
		case x.Labels == ByProgress:
			label = r.rose
		}
		if !found {
			continue
		}
		e.reply = append(e.reply, text(start, r.index+1, "\n")...)
		start = r.index + 1
		e.labels, e.rewards = append(e.labels, label), append(e.rewards, r.progress)
	}
	return e, len(e.labels) > 0
}

// turnLabels are the labels of a judge, by episode and step.
type turnLabels map[labelled]bool

type labelled struct {
	episode string
	step    int
}

func readLabels(dir string) (turnLabels, error) {
	name := filepath.Join(dir, record.LabelsFile)
	f, err := datafile.Open(name, datafile.Unlimited)
	if err != nil {
		return nil, fmt.Errorf("labels are %s, %s, or the folder of heldout judge: %w", ByEnvironment, ByProgress, err)
	}
	defer f.Close()
	out := turnLabels{}
	_, err = synth.EachLine(name, f, func(_ int, line []byte) error {
		var l struct {
			Trajectory string `json:"trajectory"`
			Step       int    `json:"step"`
			Answer     *struct {
				Label string `json:"label"`
			} `json:"answer"`
		}
		if err := datafile.Unmarshal(line, &l); err != nil {
			return err
		}
		if l.Answer != nil && l.Answer.Label != "" {
			out[labelled{l.Trajectory, l.Step}] = l.Answer.Label == "right"
		}
		return nil
	})
	return out, err
}
