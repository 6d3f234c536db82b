package export

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"heldout/eval/model"
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
		var from *attempt
		longest := 0
		for _, b := range attempts[:i] {
			if better(b.rank, worse.rank) == 0 || f == ETO && (!b.expert || !b.solved() || worse.solved()) {
				continue
			}
			if n := common(b.messages, worse.messages); n > longest {
				from, longest = b, n
			}
		}
		if from == nil {
			continue
		}
		err := visit(example{about: from.about, turn: turnAt(from, longest), prompt: from.messages[:longest],
			reply: from.messages[longest:], rejected: worse.messages[longest:], other: worse.ID})
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
func turnAt(a *attempt, at int) int {
	for _, r := range a.replies {
		if r.at == at {
			return r.step + 1
		}
	}
	return 0
}

// stepPairs visits pairs of replies after the same messages: a wrong one, by the rules
// of the mask, and a right one of a solved episode, or what an expert would have done in
// the place of its error.
func stepPairs(attempts []*attempt, visit func(example) error) error {
	type choice struct {
		of    *attempt
		reply reply
	}
	right, wrong := map[[32]byte][]choice{}, []choice{}
	keys := map[*attempt][][32]byte{}
	for _, a := range attempts {
		keys[a] = prefixes(a.messages)
		for _, r := range a.replies {
			switch {
			case r.mark != "" && !blank(a.messages[r.at].Content):
				wrong = append(wrong, choice{a, r})
			case r.mark == "" && a.solved():
				key := keys[a][r.at]
				right[key] = append(right[key], choice{a, r})
			}
		}
	}
	seen := map[string]bool{}
	for _, w := range wrong {
		key := keys[w.of][w.reply.at]
		bad := w.of.messages[w.reply.at].Content
		about, good := w.of.about, w.reply.instead
		if good == "" && len(right[key]) > 0 {
			c := right[key][0]
			about, good = c.of.about, c.of.messages[c.reply.at].Content
		}
		pair := fmt.Sprintf("%x %q %q", key, bad, good)
		if good == "" || good == bad || seen[pair] {
			continue
		}
		seen[pair] = true
		err := visit(example{about: about, turn: w.reply.step + 1, prompt: w.of.messages[:w.reply.at],
			reply: said(good), rejected: said(bad), other: w.of.ID})
		if err != nil {
			return err
		}
	}
	return nil
}

// prefixes are hashes of what stands before each message.
func prefixes(messages []Message) [][32]byte {
	out := make([][32]byte, len(messages))
	var so [32]byte
	for i, m := range messages {
		out[i] = so
		so = sha256.Sum256(fmt.Appendf(nil, "%x %d %s %d %s", so, len(m.Role), m.Role, len(m.Content), m.Content))
	}
	return out
}

// judged visits the replies of an attempt with a label: right ones of a solved episode,
// and wrong ones by the rules of the mask. Of the others nobody knows.
func judged(a *attempt, visit func(example) error) (n int, err error) {
	for _, r := range a.replies {
		text := a.messages[r.at].Content
		if blank(text) || r.mark == "" && !a.solved() {
			continue
		}
		n++
		err := visit(example{about: a.about, turn: r.step + 1, prompt: a.messages[:r.at], reply: said(text),
			labels: []bool{r.mark == ""}})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// The sources of labels of turns.
const (
	// ByEnvironment: the environment carried the action out.
	ByEnvironment = "valid"
	// ByProgress: the turn made progress.
	ByProgress = "progress"
)

// steps is an attempt as steps with labels. A step is the observation before a reply and
// the reply, so that a label is given before the environment answers. Turns that a judge
// did not label are part of the next step.
func (x *exporter) steps(a *attempt) (e example, ok bool) {
	first := a.replies[0].at
	text := func(from, to int, between string) []Message {
		return said(strings.Join(each(a.messages[from:to], content), between))
	}
	e = example{about: a.about, prompt: text(0, first, "\n\n")}
	before := first
	for _, r := range a.replies {
		label, known := r.valid, true
		switch {
		case x.labels != nil:
			label, known = x.labels[labelled{a.ID, r.step}]
		case x.Labels == ByProgress:
			label = r.rose
		}
		if !known {
			continue
		}
		e.reply = append(e.reply, text(before, r.at+1, "\n")...)
		before = r.at + 1
		e.labels, e.rewards = append(e.labels, label), append(e.rewards, r.progress)
	}
	return e, len(e.labels) > 0
}
