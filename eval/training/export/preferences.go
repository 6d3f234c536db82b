package export

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heldout/eval/model"
)

// The examples of the forms for preferences and rewards.
type (
	pairExample struct {
		about
		// Rejected is the id of the other episode.
		Other    string        `json:"rejected_id" parquet:"rejected_id"`
		Turn     int           `json:"turn" parquet:"turn"`
		Prompt   []roleContent `json:"prompt" parquet:"prompt,list"`
		Chosen   []roleContent `json:"chosen" parquet:"chosen,list"`
		Rejected []roleContent `json:"rejected" parquet:"rejected,list"`
	}
	labelExample struct {
		about
		Turn       int           `json:"turn" parquet:"turn"`
		Prompt     []roleContent `json:"prompt" parquet:"prompt,list"`
		Completion []roleContent `json:"completion" parquet:"completion,list"`
		Label      bool          `json:"label" parquet:"label"`
	}
	stepsExample struct {
		about
		Prompt      string    `json:"prompt" parquet:"prompt"`
		Completions []string  `json:"completions" parquet:"completions,list"`
		Labels      []bool    `json:"labels" parquet:"labels,list"`
		Rewards     []float64 `json:"progress_after" parquet:"progress_after,list"`
	}
)

type measured interface {
	length(*measure) (int, error)
	with(tokens int) any
}

func (e pairExample) length(m *measure) (int, error) {
	before, err := m.written(e.Prompt)
	chosen, err1 := m.written(e.Chosen)
	rejected, err2 := m.written(e.Rejected)
	return before + max(chosen, rejected), errors.Join(err, err1, err2)
}

func (e labelExample) length(m *measure) (int, error) {
	before, err := m.written(e.Prompt)
	after, err1 := m.written(e.Completion)
	return before + after, errors.Join(err, err1)
}

func (e stepsExample) length(m *measure) (int, error) {
	return m.written(append(said(e.Prompt), each(e.Completions, func(t string) roleContent { return said(t)[0] })...))
}

func (e pairExample) with(tokens int) any  { e.Tokens = tokens; return e }
func (e labelExample) with(tokens int) any { e.Tokens = tokens; return e }
func (e stepsExample) with(tokens int) any { e.Tokens = tokens; return e }

// written counts the tokens of messages as these forms have them.
func (m *measure) written(messages []roleContent) (int, error) {
	return m.of(each(messages, func(w roleContent) Message { return Message{Role: w.Role, Content: w.Content} }))
}

// paired reports a form whose examples compare two episodes of a task.
func (f Format) paired() bool { return f == DPO || f == ETO || f == StepDPO }

// whole reports a form that needs the whole conversation of an episode, with what is
// known of every turn.
func (f Format) whole() bool { return f.paired() || f == KTO || f == PRM }

func (f Format) pairs(attempts []*attempt, visit func(pairExample) error) error {
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
		err := visit(pairExample{from.about, worse.ID, turnAt(from, longest), plain(from.messages[:longest]),
			plain(from.messages[longest:]), plain(worse.messages[longest:])})
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
func stepPairs(attempts []*attempt, visit func(pairExample) error) error {
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
		before := plain(w.of.messages[:w.reply.at])
		err := visit(pairExample{about, w.of.ID, w.reply.step + 1, before, said(good), said(bad)})
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
func judged(a *attempt, visit func(measured) error) (n int, err error) {
	for _, r := range a.replies {
		text := a.messages[r.at].Content
		if blank(text) || r.mark == "" && !a.solved() {
			continue
		}
		n++
		before := plain(a.messages[:r.at])
		if err := visit(labelExample{a.about, r.step + 1, before, said(text), r.mark == ""}); err != nil {
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
func (x *exporter) steps(a *attempt) (example stepsExample, ok bool) {
	first := a.replies[0].at
	example = stepsExample{about: a.about, Completions: []string{}}
	example.Prompt = strings.Join(each(a.messages[:first], func(m Message) string { return m.Content }), "\n\n")
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
		text := strings.Join(each(a.messages[before:r.at+1], func(m Message) string { return m.Content }), "\n")
		before = r.at + 1
		example.Completions = append(example.Completions, text)
		example.Labels = append(example.Labels, label)
		example.Rewards = append(example.Rewards, r.progress)
	}
	return example, len(example.Labels) > 0
}
