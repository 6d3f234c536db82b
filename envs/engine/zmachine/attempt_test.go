package zmachine

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// A command that a later moment spares does there what it did: it takes the same way
// through the story, and what it leaves in memory can be foretold. The stories do
// anything, and the moments differ in volatile and in other bytes.
func TestSparedAttempts(t *testing.T) {
	rounds, spared, conditional := 5, 0, 0 // rounds of 100 stories
	if sharedtest.Long() {
		rounds = 100
	}
	for range rounds {
		rapid.Check(t, func(t *rapid.T) {
			n, c := spareAttempts(t)
			spared, conditional = spared+n, conditional+c
		})
	}
	if spared == 0 || conditional == 0 {
		t.Errorf("%d commands were spared, %d on conditions", spared, conditional)
	}
}

// spareAttempts watches commands of a story at one moment, and plays those again at
// another one that this spares. It returns how many those are, and how many of them had
// conditions.
func spareAttempts(t *rapid.T) (spared, conditional int) {
	s, err := Load(anyStory(t))
	if err != nil {
		t.Fatal(err)
	}
	w := newTwins(s, 20_000)
	w.both(t, "start", (*Machine).Start)
	w.both(t, "prompt", func(m *Machine) error { m.Prompt(); return nil })
	// Most values are small, so that tests of them hold at one moment and not at another.
	value := rapid.OneOf(rapid.Byte(), rapid.ByteRange(0, 0), rapid.ByteRange(0, 6))
	table, globals := rapid.IntRange(0x60, 0x7F), rapid.IntRange(miniGlobals, miniGlobals+9)
	objects := rapid.OneOf(rapid.IntRange(miniObjects+63*2, miniObjects+63*2+4*14-1),
		rapid.IntRange(properties+2, properties+5))
	from := w.plain.Snapshot().with(rapid.MapOfN(rapid.OneOf(table, globals), value, 0, 12).Draw(t, "values"))
	volatile := rapid.MapOfN(rapid.OneOf(table, globals, objects), value, 0, 8).Draw(t, "volatile")
	others := rapid.MapOfN(table, value, 0, 1).Draw(t, "others")
	sink := globals.Draw(t, "sink")
	numbers := rapid.SampledFrom([]Numbers{NoNumbers, NumbersBehindColon, AllNumbers}).Draw(t, "numbers")
	watch := &Watch{Volatile: Differences(from, from.with(volatile)), Sinks: []int{sink}, Numbers: numbers}
	maps.Copy(volatile, others)
	to := from.with(volatile)
	to.state.random.a = rapid.Uint32().Draw(t, "random")
	w.other.Watch(watch)
	same, _ := watch.Compare(from, from)
	change, alike := watch.Compare(from, to)
	if !alike {
		return 0, 0 // the sink differs
	}
	for range rapid.IntRange(1, 12).Draw(t, "commands") {
		action := rapid.StringMatching(`[a-c]{2}`).Draw(t, "action")
		w.both(t, "restore", func(m *Machine) error { return m.Restore(from) })
		w.both(t, action, func(m *Machine) error { return m.Step(action) })
		attempt, known := w.other.Attempt()
		if known && !same.Spares(&attempt) {
			t.Fatalf("what %q looked at does not hold where it was played", action)
		}
		if !known || !change.Spares(&attempt) {
			continue
		}
		spared++
		if len(attempt.conditions) > 0 {
			conditional++
		}
		w.replay(t, action, watch, from, to)
	}
	return spared, conditional
}

// replay plays a command that was just played, at another moment that spares it.
func (w twins) replay(t *rapid.T, action string, watch *Watch, from, to *Snapshot) {
	did, left := w.plain.outcome(watch), w.other.foretell(from, to)
	if err := w.plain.Restore(to); err != nil {
		t.Fatal(err)
	}
	if err := w.plain.Step(action); err != nil {
		t.Fatalf("%q is spared, and fails: %v", action, err)
	}
	if does := w.plain.outcome(watch); does != did {
		t.Fatalf("%q is spared, and does\n%s, not\n%s", action, does, did)
	}
	for at, v := range left {
		if w.plain.mem[at] != v {
			t.Fatalf("%q leaves %d at %#x, not %d", action, w.plain.mem[at], at, v)
		}
	}
}

// with returns a moment with other values of some bytes.
func (s *Snapshot) with(values map[int]byte) *Snapshot {
	o := *s
	o.memory = slices.Clone(s.memory)
	for at, v := range values {
		o.memory[at] = v
	}
	return &o
}

// outcome is what is looked at behind a command: what it changed, a byte, the way that it
// took, and its text without the numbers that do not matter.
func (m *Machine) outcome(w *Watch) string {
	text := m.capture[:m.captured]
	free := len(text)
	switch w.Numbers {
	case NumbersBehindColon:
		free = bytes.LastIndexByte(text, ':') + 1
	case AllNumbers:
		free = 0
	}
	before := bytes.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text[:free])
	return fmt.Sprint(m.changes, m.mem[w.Sinks[0]], m.Spent(), m.pc, m.depth, m.sp, string(before), string(text[free:]))
}

// foretell returns what a command leaves in memory at another moment, by what the machine
// knows that has just carried it out.
func (m *Machine) foretell(from, to *Snapshot) map[int]byte {
	left := map[int]byte{}
	for at := headerSize; at < len(to.memory); at++ {
		x := m.memo.byteAt(uint16(at))
		switch {
		case x.of != nothing:
			v := x.compute(to.at(x.of, x.addr))
			if x.part == high {
				v >>= 8
			}
			left[at] = byte(v)
		case m.mem[at] != from.memory[at] || from.memory[at] == to.memory[at]:
			left[at] = m.mem[at]
		}
	}
	return left
}

// What instructions do with volatile values is noted: a command is not spared where that
// decides what it leaves behind, and it is always spared where nothing differs.
func TestWatchedInstructions(t *testing.T) {
	const (
		parent  = miniObjects + 63*2 + 7 // of object 1, the low byte
		counted = miniGlobals + 11       // that of the variable
	)
	colon, number := []byte{0xE5, 0x7F, ':'}, []byte{0xE6, 0xBF, 0x15}
	call := func(at int) []byte { return []byte{0xE0, 0x3F, byte(at / 4 >> 8), byte(at / 4)} }
	for name, c := range map[string]struct {
		inner, outer []byte // the second one calls the first one; before it a variable is counted on
		at           int    // what differs; 0 for that variable
		from, to     byte
		sink         int // what is looked at; 0 for another variable
		spared       bool
	}{
		"number alone":                      {inner: number, from: 5, to: 6},
		"number behind a colon":             {inner: slices.Concat(colon, number), from: 5, to: 6},
		"number before a colon":             {inner: number, outer: colon, from: 5, to: 6, spared: true},
		"numbers around a colon":            {inner: slices.Concat(number, colon), outer: number, from: 5, to: 6},
		"number and colon in turn":          {inner: slices.Concat(number, colon), from: 5, to: 6, spared: true},
		"test of a constant and a variable": {outer: []byte{0x22, 3, 0x15, 0xC4, 0x95, 0x14}, from: 5, to: 2},
		"count and return": {
			inner: []byte{0x05, 0x15, 3, 0xC1}, outer: []byte{0x9E, 0x15, 0x14}, from: 5, to: 6,
		},
		"loop": {
			outer: []byte{
				0x9E, 0x15, 2, 0x0D, 1, 0, 0x42, 1, 8, 0x4D, 0xE2, 0x2B, 0, 0x60, 1, 2, 0x95, 1, 0x8C, 0xFF, 0xF3,
			},
			from: 5, to: 6, sink: 0x62,
		},
		"undo in a call": { // that has counted before
			outer: []byte{0x9E, 0x15, 1, 0xBE, 9, 0xFF, 2, 0x2D, 0x14, 1}, from: 5, to: 6,
		},
		"object": {inner: []byte{0xC6, 0x9F, 0x15, 2, 0xC1}, at: parent, from: 2, to: 0},
		"bytes of two words": {
			outer: []byte{
				0xD0, 0x1F, 0, 0x47, 0, 1, 0xE2, 0x1B, 0, 0x60, 0, 1,
				0xD0, 0x1F, 0, 0x4B, 0, 1, 0xE2, 0x1B, 0, 0x60, 1, 1,
				0xCF, 0x1F, 0, 0x60, 0, 0x14,
			},
			from: 5, to: 6,
		},
		"long formula": {
			outer: append(slices.Repeat([]byte{0x58, 0x15, 50, 0x15, 0x54, 0x15, 1, 0x15}, 5), 0x9E, 0x15, 0x14),
			from:  5, to: 60,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, storyOf(mini(5)[:miniCode],
				func([]int) []byte { return c.inner },
				func(at []int) []byte { return slices.Concat(call(at[0]), []byte{0x14}, c.outer) },
				func(at []int) []byte { return slices.Concat([]byte{0x95, 0x15}, call(at[1]), []byte{0x12}) },
			))
			at, sink := max(c.at, counted), c.sink
			if sink == 0 {
				sink = miniGlobals + 9
			}
			w := newTwins(s, 20_000)
			w.both(t, "start", (*Machine).Start)
			from := w.plain.Snapshot().with(map[int]byte{miniGlobals + 7: 1})
			from = from.with(map[int]byte{at: c.from})
			to := from.with(map[int]byte{at: c.to})
			volatile := Differences(from, to.with(map[int]byte{counted: 9, miniGlobals + 7: 2}))
			watch := &Watch{Volatile: volatile, Sinks: []int{sink}, Numbers: NumbersBehindColon}
			w.other.Watch(watch)
			for range 3 { // the first call is recorded, the others are found
				w.both(t, "restore", func(m *Machine) error { return m.Restore(from) })
				w.both(t, "command", func(m *Machine) error { return m.Step("aa") })
				attempt, known := w.other.Attempt()
				same, _ := watch.Compare(from, from)
				change, alike := watch.Compare(from, to)
				if !known || !alike || !same.Spares(&attempt) {
					t.Fatalf("known %t, alike %t; what it looked at does not hold where it was", known, alike)
				}
				if change.Spares(&attempt) != c.spared {
					t.Errorf("the command is spared: %t", !c.spared)
				}
			}
		})
	}
}

// What a machine looked at while it was watched is not that of a later command.
func TestUnwatched(t *testing.T) {
	m := New(lowlight(t), Options{Remember: true})
	if err := m.Start(); err != nil {
		t.Fatal(err)
	}
	m.Prompt()
	at := m.Snapshot()
	for _, watch := range []*Watch{nil, {Volatile: Differences(at, at)}, nil} {
		m.Watch(watch)
		if err := cmp.Or(m.Restore(at), m.Step("fnord")); err != nil {
			t.Fatal(err)
		}
		if _, known := m.Attempt(); known != (watch != nil) {
			t.Errorf("watched %t: what the command looked at is known: %t", watch != nil, known)
		}
	}
}
