package trajectory

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Prompts are what a model was sent in an attempt, written so that they are short beside the attempt's page, which
// has most of their text: a script puts them together. Episodes of one kind have the same shapes.
type Prompts struct {
	// Sent has a word for each step: the keys of the shapes of its calls with commas between them, "-" for none.
	// After it, "*3" says that three steps have it. A "!" stands before the key of the reason why there are none.
	Sent   string                     `json:"sent"`
	Shapes map[string]json.RawMessage `json:"shapes"` // the shapes, and reasons, by key
}

// callShape says how the messages of a call follow from the call before it: the first
// From of them, then those after another Skip without the last Drop, then Add.
type callShape struct {
	From int            `json:"from,omitempty"`
	Skip int            `json:"skip,omitempty"`
	Drop int            `json:"drop,omitempty"`
	Add  []messageShape `json:"add"`
	// Removed counts the parts that were left out to fit the context.
	Removed int    `json:"removed,omitempty"`
	Proof   string `json:"proof"` // how the messages compare with the recorded digest
}

// Proofs of prompts.
const (
	sameDigest, otherDigest, noDigest = "same", "other", "none"
)

// messageShape is a message: a role and a text, in which every second item names a text of the page.
// With Cut, it continues the message of the call before it, without the last Cut-1 UTF-16 units.
type messageShape struct {
	Role string   `json:"role"`
	Cut  int      `json:"cut,omitempty"`
	Text []string `json:"text"`
}

// NewPrompts writes the calls of an attempt, or why they are not known.
func NewPrompts(e *record.Episode, calls []episode.Call, err error) Prompts {
	p := Prompts{Shapes: map[string]json.RawMessage{}}
	if err != nil {
		p.Sent = "!" + p.key(visible(err.Error()))
		return p
	}
	words := make([]string, len(e.Trajectory))
	var prev []messageShape
	texts := visibleTexts{}
	for _, c := range calls {
		now := texts.messages(c.Messages)
		key := p.key(newCallShape(e, &c, prev, now, texts))
		if words[c.Step] != "" {
			key = words[c.Step] + "," + key
		}
		words[c.Step], prev = key, now
	}
	p.Sent = runs(words)
	return p
}

// runs writes words with the number of steps in a row that have each.
func runs(words []string) string {
	var out []string
	for i := 0; i < len(words); {
		end := i + 1
		for end < len(words) && words[end] == words[i] {
			end++
		}
		word := cmp.Or(words[i], "-")
		if end > i+1 {
			word += "*" + strconv.Itoa(end-i)
		}
		out, i = append(out, word), end
	}
	return strings.Join(out, " ")
}

// key adds a shape, or a reason, and returns its key.
func (p *Prompts) key(shape any) string {
	text, err := json.Marshal(shape) // texts and numbers
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(text)
	key := base64.RawURLEncoding.EncodeToString(sum[:6])
	p.Shapes[key] = text
	return key
}

// messages are messages as pages show them, each with its whole text as one item.
func (v visibleTexts) messages(messages []model.Message) []messageShape {
	out := make([]messageShape, len(messages))
	for i, m := range messages {
		text := v.text(m.Content)
		if m.Call.Name != "" {
			text += "\n" + visible(m.Call.Name+" "+m.Call.Arguments)
		}
		out[i] = messageShape{Role: string(m.Role), Text: []string{text}}
	}
	return out
}

func (m messageShape) equal(o messageShape) bool { return m.Role == o.Role && m.Text[0] == o.Text[0] }

func newCallShape(e *record.Episode, c *episode.Call, prev, now []messageShape, texts visibleTexts) callShape {
	s := callShape{Removed: c.Removed, Proof: noDigest}
	switch {
	case c.Differs:
		s.Proof = otherDigest
	case c.Compared:
		s.Proof = sameDigest
	}
	for s.From < min(len(prev), len(now)) && prev[s.From].equal(now[s.From]) {
		s.From++
	}
	s.Skip, s.Drop = moved(prev[s.From:], now[s.From:])
	if s.Skip == 0 {
		s.From = 0 // counted from the end, which is the same number at many steps
	}
	common := len(prev) - s.Skip - s.Drop
	for i := common; i < len(now); i++ {
		m := messageShape{Role: now[i].Role}
		text := now[i].Text[0]
		if place := len(prev) - s.Drop; i == common && s.Drop > 0 && prev[place].Role == m.Role {
			if n := sameStart(prev[place].Text[0], text); n >= longestRepeat {
				m.Cut, text = 1+len(utf16.Encode([]rune(prev[place].Text[0][n:]))), text[n:]
			}
		}
		m.Text = newTemplate(e, c.Step, text, texts)
		s.Add = append(s.Add, m)
	}
	return s
}

// longestRepeat is the largest number of bytes that a message repeats of one before it.
const longestRepeat = 32

// moved finds the messages that follow after a gap: without the first skip and the last drop, prev
// is the start of now. Without such, all of them are dropped.
func moved(prev, now []messageShape) (skip, drop int) {
	for drop := range 2 {
		for skip := range len(prev) - drop {
			rest := prev[skip : len(prev)-drop]
			if len(rest) <= len(now) && slices.EqualFunc(rest, now[:len(rest)], messageShape.equal) {
				return skip, drop
			}
		}
	}
	return 0, len(prev)
}

// sameStart is the length of the common start of two texts.
func sameStart(a, b string) int {
	n := model.Common([]byte(a), []byte(b))
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}

// pageText is a text of an attempt's page with its name there.
type pageText struct{ name, text string }

// newTemplate cuts a text at those that the page has, the longest first.
func newTemplate(e *record.Episode, step int, text string, texts visibleTexts) []string {
	const close, far, long = 2, 100, 300
	out := cutAt(text, texts.pageTexts(e, step, close))
	if verbatim(out) > long && step > close {
		out = cutAt(text, texts.pageTexts(e, step, far))
	}
	return out
}

// verbatim counts the bytes of a template that are not texts of the page.
func verbatim(items []string) (n int) {
	for i := 0; i < len(items); i += 2 {
		n += len(items[i])
	}
	return n
}

// pageTexts are the texts of the page up to so many steps before a step.
func (v visibleTexts) pageTexts(e *record.Episode, step, back int) []pageText {
	var out []pageText
	add := func(name, text string) {
		text = v.text(text)
		if text != "" && !slices.ContainsFunc(out, func(t pageText) bool { return t.text == text }) {
			out = append(out, pageText{name, text})
		}
	}
	add("g", e.Goal)
	add("s", e.Observation)
	for i, m := range e.Memory {
		add("m"+strconv.Itoa(i), m.Text)
	}
	for k := range min(back, step) + 1 {
		s, n := &e.Trajectory[step-k], strconv.Itoa(k)
		add("t"+n, s.Thought)
		add("r"+n, s.Reply)
		if k > 0 {
			add("o"+n, s.Observation)
			add("p"+n, s.Parsed)
			add("a"+n, s.Action)
		}
	}
	slices.SortFunc(out, func(a, b pageText) int {
		return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text))
	})
	return out
}

// cutAt cuts a text at others. The items are by turns literal and names.
func cutAt(text string, texts []pageText) []string {
	out := []string{text}
	for _, t := range texts {
		for i := 0; i < len(out); i += 2 {
			if place := find(out[i], t.text); place >= 0 {
				out = slices.Replace(out, i, i+1, out[i][:place], t.name, out[i][place+len(t.text):])
			}
		}
	}
	return out
}

// find finds a text in another one. A short text must be a line or its end.
func find(in, text string) int {
	const short = 12
	for start := 0; ; {
		place := strings.Index(in[start:], text)
		if place < 0 || len(text) >= short {
			return place
		}
		place += start
		end := place + len(text)
		if (place == 0 || in[place-1] == ' ' || in[place-1] == '\n') && (end == len(in) || in[end] == '\n') {
			return place
		}
		start = place + 1
	}
}

// shapes collects the shapes of the prompts of many attempts, each once. It is safe for concurrent use.
type shapes struct {
	mu    sync.Mutex
	texts map[string]json.RawMessage
	uses  map[string]int // attempts with the shape
}

func (s *shapes) add(p *Prompts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts, s.uses = map[string]json.RawMessage{}, map[string]int{}
	}
	for key, shape := range p.Shapes {
		s.texts[key] = shape
		s.uses[key]++
	}
}

// fitting are the shapes that have room beside so many bytes of compressed episodes: those that most attempts have.
func (s *shapes) fitting(episodes int) map[string]json.RawMessage {
	const floor, share, ratio = 512 << 10, 25, 8 // at least, a part of the episodes, and how well shapes compress
	room := max(floor, ratio*episodes/share)
	keys := slices.SortedFunc(maps.Keys(s.texts), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.uses[b], s.uses[a]), cmp.Compare(a, b))
	})
	out := map[string]json.RawMessage{}
	for _, key := range keys {
		if room -= len(s.texts[key]); room < 0 {
			break
		}
		out[key] = s.texts[key]
	}
	return out
}
