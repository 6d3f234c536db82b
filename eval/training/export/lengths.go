package export

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"heldout/eval/training/tokens"
)

// trainerLength is the longest example that a trainer takes by default, in tokens. Longer ones are cut or dropped.
type trainerLength struct {
	Trainer string `json:"trainer"`
	Setting string `json:"setting"`
	Default int    `json:"default"`
	Cut     int    `json:"examples_over"` // the number of examples that are longer
}

// What is added to the tokens of messages for the marks of a chat template, and how many
// characters are a token where no tokenizer counts.
const (
	tokensPerMessage   = 8
	charactersPerToken = 3
)

// histogramBase: a class of the histogram is twice the one before it, from this length on.
const histogramBase = 256

// Lengths are the lengths of the examples, in tokens.
type Lengths struct {
	Method string `json:"by"` // how they were counted
	// Max is the longest, Needed the length to set.
	Max    int `json:"most"`
	Needed int `json:"needed"`
	// Histogram counts examples of at most 256, 512, 1024, … tokens.
	Histogram []int           `json:"histogram"`
	Trainers  []trainerLength `json:"trainers,omitempty"` // the defaults of trainers
	// Window is the longest example that was allowed, Long counts the turns that do not fit it; 0 without one.
	Window int `json:"window,omitempty"`
	Long   int `json:"turns_beyond_window,omitempty"`
}

type measure struct {
	counter *tokens.Counter // nil to go by characters
	lengths *Lengths
}

func newMeasure(o Options) (*measure, error) {
	m := &measure{lengths: &Lengths{
		Method:    fmt.Sprintf("characters, %d a token", charactersPerToken),
		Histogram: []int{}, Trainers: slices.Clone(formats().Formats[o.Format].Trainers), Window: o.Window,
	}}
	if o.Tokenizer == "" {
		return m, nil
	}
	var err error
	m.lengths.Method = "tokenizer"
	m.counter, err = tokens.Load(o.Tokenizer)
	return m, err
}

func (m *measure) text(text string) (int, error) {
	if m.counter == nil {
		return int(math.Ceil(float64(utf8.RuneCountInString(text)) / charactersPerToken)), nil
	}
	return m.counter.Count(text)
}

// count counts the tokens of messages, with marks between them.
func (m *measure) count(messages []Message) (sum int, err error) {
	for _, message := range messages {
		n, err := m.text(message.Content)
		if err != nil {
			return 0, err
		}
		sum += n + tokensPerMessage
	}
	return sum, nil
}

func (m *measure) note(n int) {
	l := m.lengths
	l.Max = max(l.Max, n)
	class := 0
	for limit := histogramBase; n > limit; limit *= 2 {
		class++
	}
	for len(l.Histogram) <= class {
		l.Histogram = append(l.Histogram, 0)
	}
	l.Histogram[class]++
	for i := range l.Trainers {
		if n > l.Trainers[i].Default {
			l.Trainers[i].Cut++
		}
	}
}

// windows divides a conversation that is longer than the window: each part begins with what stands before the first
// reply, goes on with the newest exchanges before its first trained turn, which take at most half of the rest, and
// trains each turn in one part alone. Turns that do not fit are left out. It is how a run shortens a history that
// does not fit the context.
func (m *measure) windows(c Conversation) ([]Conversation, error) {
	total, err := m.count(c.Messages)
	if m.lengths.Window == 0 || total <= m.lengths.Window || err != nil {
		return []Conversation{c}, err
	}
	w, err := m.divided(c)
	if err != nil {
		return nil, err
	}
	var out []Conversation
	for start := w.head; start < len(c.Messages); {
		part, next := w.part(start)
		if next == start { // not even this turn fits
			if c.Messages[start].Train {
				m.lengths.Long++
			}
			next = start + 2
		} else if part != nil {
			out = append(out, *part)
		}
		start = next
	}
	return out, nil
}

// divided is a conversation with the lengths of its parts: what stands before the first
// reply, and exchanges of a reply and an answer.
type divided struct {
	conversation Conversation
	sizes        []int // by message
	head         int   // the index of the first reply
	first        int   // the length before it
	limit        int
}

func (m *measure) divided(c Conversation) (d divided, err error) {
	d = divided{conversation: c, sizes: make([]int, len(c.Messages)), limit: m.lengths.Window}
	for i, message := range c.Messages {
		if d.sizes[i], err = m.count([]Message{message}); err != nil {
			return d, err
		}
	}
	for d.head = 0; c.Messages[d.head].Role != "assistant"; d.head++ {
		d.first += d.sizes[d.head]
	}
	return d, nil
}

// windowStart returns where the newest exchanges before a reply begin that fit a length.
func (d *divided) windowStart(reply, limit int) int {
	start := reply
	for used := 0; start-2 >= d.head; start -= 2 {
		if used += d.sizes[start-2] + d.sizes[start-1]; used > limit {
			break
		}
	}
	return start
}

// part is the window whose first trained turn is the reply at an index, nil if it has no
// trained turn, and the index of the reply after it.
func (d *divided) part(index int) (part *Conversation, next int) {
	start := d.windowStart(index, (d.limit-d.first)/2)
	used := d.first
	for _, n := range d.sizes[start:index] {
		used += n
	}
	if used+d.sizes[index] > d.limit { // without any before it, it may fit
		start, used = index, d.first
	}
	end := index
	for end < len(d.sizes) && used+d.sizes[end] <= d.limit {
		used += d.sizes[end]
		if end+1 < len(d.sizes) {
			used += d.sizes[end+1]
		}
		end += 2
	}
	if end == index {
		return nil, index
	}
	messages := append([]Message{}, d.conversation.Messages[:d.head]...)
	last := 0
	for i := start; i < min(end, len(d.sizes)); i++ {
		m := d.conversation.Messages[i]
		m.Train = m.Train && i >= index
		if messages = append(messages, m); m.Train {
			last = len(messages)
		}
	}
	if last == 0 {
		return nil, end
	}
	return &Conversation{messages[:last], d.conversation.Turn + (start-d.head)/2}, end
}

// shortened is a conversation that ends with a trained turn, without the oldest exchanges
// that do not fit the window; ok is false if the turn alone does not fit.
func (m *measure) shortened(messages []Message) (out []Message, ok bool, err error) {
	total, err := m.count(messages)
	if m.lengths.Window == 0 || total <= m.lengths.Window || err != nil {
		return messages, true, err
	}
	d, err := m.divided(Conversation{Messages: messages})
	if err != nil {
		return nil, false, err
	}
	last := len(messages) - 1
	room := d.limit - d.first - d.sizes[last]
	if room < 0 {
		m.lengths.Long++
		return nil, false, nil
	}
	return append(append([]Message{}, messages[:d.head]...), messages[d.windowStart(last, room):]...), true, nil
}
