package export

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// Of a conversation that is divided, each turn is trained in one part; all parts begin as
// the whole, keep the order, and fit.
func TestWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return strings.Repeat("x", rapid.IntRange(0, 120).Draw(t, name)) + name
		}
		first := []Message{{model.System, text("s"), false}, {model.User, text("u"), false}}
		c := Conversation{Messages: first, Turn: 1}
		trained := map[string]bool{}
		turns := rapid.IntRange(1, 12).Draw(t, "turns")
		for i := range turns {
			train := rapid.Bool().Draw(t, "train") || i == turns-1
			reply := Message{model.Assistant, text(fmt.Sprint("reply", i)), train}
			trained[reply.Content] = reply.Train
			c.Messages = append(c.Messages, reply)
			if i < turns-1 {
				c.Messages = append(c.Messages, Message{model.User, text(fmt.Sprint("answer", i)), false})
			}
		}
		m := sharedtest.Must(newMeasure(Options{Format: Axolotl, Window: rapid.IntRange(60, 300).Draw(t, "window")}))(t)
		parts := sharedtest.Must(m.windows(c))(t)
		times := map[string]int{}
		for _, p := range parts {
			if n, _ := m.count(p.Messages); n > m.lengths.Window {
				t.Fatalf("%d tokens in a window of %d", n, m.lengths.Window)
			}
			if last := p.Messages[len(p.Messages)-1]; !last.Train || p.Messages[1] != c.Messages[1] {
				t.Fatalf("%+v", p)
			}
			for i, message := range p.Messages[2:] {
				if (message.Role == model.Assistant) != (i%2 == 0) || message.Train && !trained[message.Content] {
					t.Fatalf("message %d of %+v", i, p)
				}
				if message.Train {
					times[message.Content]++
				}
			}
		}
		once := 0
		for _, n := range times {
			if n != 1 {
				t.Fatalf("a turn is trained %d times", n)
			}
			once++
		}
		all := 0
		for _, is := range trained {
			if is {
				all++
			}
		}
		if once+m.lengths.Long != all {
			t.Fatalf("%d of %d turns, %d too long", once, all, m.lengths.Long)
		}
	})
}

// Examples longer than a trainer takes by default are counted, and the manifest has the length to set.
func TestLengths(t *testing.T) {
	dir := makeRun(t, nil, of(good(1), good(2)), of(good(3)))
	o := options(t, TRL, dir)
	r := export(t, o)
	if l := r.Lengths; l.Trainers[0].Cut != 3 || l.Max <= 1024 || l.Needed < l.Max || l.Needed%64 != 0 ||
		sumOf(l.Histogram) != 3 {
		t.Errorf("%+v", l)
	}
	for _, e := range lines[trlExample](t, o.Out) {
		if e.Tokens <= 1024 || e.Tokens > r.Lengths.Max || e.Kind != "gripper" || e.Outcome != "failure" ||
			len(e.Valid) == 0 || e.Model != "vllm:m" {
			t.Errorf("%+v", e.about)
		}
	}
	if text := read(t, o.Out+".manifest.json"); !strings.Contains(text,
		fmt.Sprintf(`"max_length": %d`, r.Lengths.Needed)) {
		t.Error(text)
	}
	o = options(t, TRL, dir)
	o.Window = 10
	if _, err := Run(t.Context(), o); err == nil {
		t.Error("something fits a window of 10 tokens")
	}
	o.Format, o.Out = KTO, strings.Replace(o.Out, ".json", "2.json", 1)
	sharedtest.Fails(t, o.Check(), "kto has none")
	o.Format, o.Window, o.Tokenizer = TRL, 0, "nowhere.json"
	sharedtest.Fails(t, sharedtest.Err(Run(t.Context(), o)), "nowhere.json")
}

func sumOf(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
