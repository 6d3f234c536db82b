package zmachine

import (
	"bytes"
	"slices"
	"testing"
)

// A loop that is executed at once does what it does instruction by instruction: as
// it does with an instruction in it that does nothing.
func TestMoveLoop(t *testing.T) {
	const counter = 3
	table := func(op byte, types byte, at int, last byte) []byte {
		return []byte{op, types, byte(at >> 8), byte(at), counter, last}
	}
	for name, c := range map[string]struct {
		limit byte
		moves []byte
		found int // moves
	}{
		"bytes":       {40, append(table(0xD0, 0x2F, 0x230, 0), table(0xE2, 0x2B, 0x270, 0)...), 1},
		"words":       {20, append(table(0xCF, 0x2F, 0x230, 0), table(0xE1, 0x2B, 0x270, 0)...), 1},
		"overlapping": {40, append(table(0xD0, 0x2F, 0x230, 0), table(0xE2, 0x2B, 0x231, 0)...), 1},
		"twice": {20, append(append(table(0xD0, 0x2F, 0x230, 0), table(0xE2, 0x2B, 0x270, 0)...),
			append(table(0xD0, 0x2F, 0x240, 0), table(0xE2, 0x2B, 0x290, 0)...)...), 2},
		"in a chain": {20, append(append(table(0xD0, 0x2F, 0x230, 0), table(0xE2, 0x2B, 0x270, 0)...),
			append(table(0xD0, 0x2F, 0x26F, 0), table(0xE2, 0x2B, 0x290, 0)...)...), 2},
		"one target": {20, append(append(table(0xD0, 0x2F, 0x230, 0), table(0xE2, 0x2B, 0x270, 0)...),
			table(0xE2, 0x27, 0x271, 9)...), 2},
		"filled":           {20, append(table(0xE1, 0x27, 0x230, 7), table(0xE2, 0x27, 0x270, 9)...), 2},
		"header":           {20, table(0xE2, 0x27, 0x00C, 1), 1},
		"beyond the end":   {120, table(0xE1, 0x27, miniStatic-100, 5), 1},
		"different sizes":  {10, append(table(0xCF, 0x2F, 0x230, 0), table(0xE2, 0x2B, 0x270, 0)...), 0},
		"counter as table": {10, []byte{0xE2, 0xA7, counter, counter, 5}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			play := func(nothing []byte, remember *Budget) (*Machine, error) {
				body := append(append([]byte{}, c.moves...), nothing...)
				code := append([]byte{0x42, counter, c.limit, byte(0x40 + len(body) + 7)}, body...)
				code = append(code, 0x95, counter)
				back := -(len(code) + 3) + 2
				code = append(code, 0x8C, byte(back>>8), byte(back))
				image := storyOf(mini(5)[:miniCode], func([]int) []byte { return code })
				for i := range 0x40 {
					image[0x230+i] = byte(3*i + 1)
				}
				m := New(load(t, image), Options{Seed: 1, Remember: remember})
				if err := m.Start(); err != nil {
					t.Fatal(err)
				}
				return m, m.Step("xx")
			}
			plain, want := play([]byte{0xB4}, nil)
			if moves(plain) != 0 {
				t.Fatal("there is a loop where none should be")
			}
			for _, remember := range []*Budget{nil, ample()} {
				m, err := play(nil, remember)
				if (err == nil) != (want == nil) || err != nil && m.fault.Kind != plain.fault.Kind {
					t.Fatalf("error %v, want %v", err, want)
				}
				if found := moves(m); found != c.found {
					t.Errorf("%d moves, want %d", found, c.found)
				}
				if remember != nil {
					off := slices.Clone(m.memo.diffs)
					if m.memo.compare(m.mem); !slices.Equal(off, m.memo.diffs) {
						t.Error("it is not noted which bytes are different from the ground")
					}
				}
				const from = headerStart + 2 // the code of one is longer
				if !bytes.Equal(m.mem[from:miniStatic], plain.mem[from:miniStatic]) {
					t.Error("memory is different")
				}
			}
		})
	}
}

// moves counts the moves of all loops that are found in a story.
func moves(m *Machine) (n int) {
	for pc := range m.story.Size() {
		if in := m.story.code.instructions.get(pc); in != nil && in.loop != nil {
			n += len(in.loop.moves)
		}
	}
	return n
}
