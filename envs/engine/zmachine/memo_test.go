package zmachine

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// twins are two machines that play the same in different ways.
type twins struct{ plain, other *Machine }

// newTwins makes a machine that does not remember and one that does.
func newTwins(s *Story, budget int) twins {
	return twins{New(s, Options{Seed: 1, Budget: budget}), New(s, Options{Seed: 1, Budget: budget, Remember: ample()})}
}

// ample is a budget that suffices.
func ample() *Budget { return fixed(1 << 30) }

func fixed(limit int64) *Budget {
	return NewBudget(func(int64) int64 { return limit }, 1, func() bool { return false })
}

// fatal is what the T of testing and that of rapid have in common.
type fatal interface {
	Helper()
	Fatalf(string, ...any)
}

// both does something with each machine, and reports a difference.
func (w twins) both(t fatal, what string, do func(m *Machine) error) {
	t.Helper()
	errs := [2]string{fmt.Sprint(do(w.plain)), fmt.Sprint(do(w.other))}
	if errs[0] != errs[1] {
		t.Fatalf("%s: error %s, the other %s", what, errs[0], errs[1])
	}
	a, b := w.plain, w.other
	if !bytes.Equal(a.capture, b.capture) || a.captured != b.captured {
		t.Fatalf("%s: shown %q, the other %q", what, a.capture[:a.captured], b.capture[:b.captured])
	}
	if !bytes.Equal(a.mem, b.mem) {
		t.Fatalf("%s: memory: %s", what, cmp.Diff(a.mem, b.mem))
	}
	if a.Spent() != b.Spent() {
		t.Fatalf("%s: spent %d, the other %d", what, a.Spent(), b.Spent())
	}
	if s, r := a.inUse(), b.inUse(); !reflect.DeepEqual(s, r) {
		t.Fatalf("%s: %s", what, cmp.Diff(s, r, cmp.Exporter(func(reflect.Type) bool { return true })))
	}
	if b.tracing {
		t.Fatalf("%s: a recording is open between two steps", what)
	}
}

// inUse is the state without what has been on the stack and is no more.
func (m *Machine) inUse() state {
	s := m.state
	clear(s.stack[s.sp:])
	clear(s.frames[s.depth:])
	s.fault, s.files.saved = nil, nil // compared as an error; holds code
	return s
}

// A machine that remembers does in all ways what one does that executes
// everything: here in a real game, from moments that are visited again and again.
func TestRememberingChangesNothing(t *testing.T) {
	w := newTwins(lowlight(t), 0)
	w.both(t, "start", (*Machine).Start)
	commands := []string{
		"examine me", "take all", "take lamp", "put lamp in sack", "put sack in lamp", "open door", "look", "inventory",
		"go down", "wait", "drop it", "unlock door with key", "ask man about tide", "xyzzy", "examine lamp then wait",
		"script",
	}
	moves := []string{"down", "wait", "south", "east", "look"}
	moments := []*Snapshot{w.plain.Snapshot()}
	for _, move := range moves {
		w.both(t, move, func(m *Machine) error { return m.Step(move) })
		moments = append(moments, w.plain.Snapshot())
	}
	for round := range 3 {
		if n := len(w.other.memo.outcomes); round == 2 && n < 1000 {
			t.Errorf("%d calls are remembered", n)
		}
		if round == 2 { // it is full
			w.other.memo.counted, w.other.memo.budget = 0, fixed(0)
		}
		for i, moment := range moments {
			for _, c := range commands {
				w.both(t, "restore", func(m *Machine) error { return m.Restore(moment) })
				w.both(t, fmt.Sprintf("%q at moment %d", c, i), func(m *Machine) error { return m.Step(c) })
			}
		}
	}
	if n := len(w.other.memo.outcomes); n > 1000 {
		t.Errorf("%d calls are remembered without memory for them", n)
	}
}

// What a routine does follows from its arguments and what it reads, and also from
// how much room there is and where its text goes.
func TestRememberingHasLimits(t *testing.T) {
	push, letter := []byte{0xE8, 0x7F, 1}, []byte{0xE5, 0x7F, 'l'}
	// call calls a routine, with an argument or with none.
	call := func(at int, arguments ...byte) []byte {
		return append([]byte{0xF9, 0x3F ^ byte(len(arguments)*0x20), byte(at / 4 >> 8), byte(at / 4)}, arguments...)
	}
	for name, c := range map[string]struct {
		routine       []byte // is called
		before, after []byte // now and then with this around it,
		arguments     []byte // or with these
	}{
		"stack": {routine: bytes.Repeat(push, 400), before: bytes.Repeat(push, 700)},
		"word":  {routine: bytes.Repeat(letter, 150), before: bytes.Repeat(letter, 150), after: []byte{0xBB}},
		"memory": { // the routine reads the length of the text that it prints
			routine: append(append(bytes.Repeat(letter, 20), 0xBB), 0xCF, 0x1F, 0x02, 0x20, 0, 0x13),
			before:  []byte{0xF3, 0x4F, 3, 0x02, 0x20}, after: []byte{0xF3, 0x3F, 0xFF, 0xFD},
		},
		"text": { // its second half is the routine's own
			routine: []byte{0xE1, 0x13, 0x02, 0x32, 0, 0xFF, 0xFF, 0x87, 0x02, 0x30, 0xBB},
			before:  []byte{0xE1, 0x13, 0x02, 0x30, 0, 0x18, 0xE7},
		},
		"arguments": {routine: []byte{0xFF, 0x7F, 1, 0xC4, 0x95, 0x13}, arguments: []byte{0}},
	} {
		w := newTwins(load(t, storyOf(mini(5)[:miniCode],
			func([]int) []byte { return c.routine },
			func(at []int) []byte { return call(at[0]) },
			func(at []int) []byte { return append(call(at[1]), c.after...) },
			func(at []int) []byte {
				if c.arguments != nil {
					return call(at[0], c.arguments...)
				}
				return slices.Concat(c.before, call(at[1]), c.after)
			},
			func(at []int) (code []byte) {
				for i, letter := range []byte("cab") {
					code = append(code, 0x41, 1, letter, 0x46) // je, or skip a call
					code = append(code, call(at[[]int{0, 2, 3}[i]])...)
				}
				return code
			},
		)), 0)
		w.both(t, "start", (*Machine).Start)
		moment := w.plain.Snapshot()
		for _, order := range []string{"cabca", "aabba", "bbaab"} {
			w.other.memo.forget()
			for i, command := range order {
				w.both(t, name, func(m *Machine) error { return m.Restore(moment) })
				w.both(t, fmt.Sprintf("%s, %s, command %d", name, order, i), func(m *Machine) error {
					return m.Step(string(command))
				})
			}
		}
	}
}

// Likewise in stories of any routines that only use what is their own.
func TestRememberingAnyRoutines(t *testing.T) {
	for range sharedtest.Times(t, 15, 5, 40) { // of 100 stories
		rapid.Check(t, playAnyRoutines)
	}
}

// playAnyRoutines plays a story with both machines, and goes back now and then.
func playAnyRoutines(t *rapid.T) {
	s, err := Load(anyStory(t))
	if err != nil {
		t.Fatal(err)
	}
	w := newTwins(s, 20_000)
	w.both(t, "start", (*Machine).Start)
	moments := []*Snapshot{w.plain.Snapshot()}
	for i := range rapid.IntRange(5, 40).Draw(t, "steps") {
		if rapid.Bool().Draw(t, "back") {
			moment := rapid.SampledFrom(moments).Draw(t, "moment")
			w.both(t, "restore", func(m *Machine) error { return m.Restore(moment) })
		}
		action := rapid.StringMatching(`[a-c]{2}`).Draw(t, "action")
		budget := rapid.SampledFrom([]int{30, 100, 300, 20_000, 20_000}).Draw(t, "budget")
		w.both(t, fmt.Sprintf("step %d", i), func(m *Machine) error { m.SetBudget(budget); return m.Step(action) })
		moments = append(moments, w.plain.Snapshot())
	}
}

// storyOf makes a story of routines with three local variables, of which it calls the
// last one with the first two letters of each command. A routine is made from
// the addresses of those in front of it, and returns its last local variable.
func storyOf(image []byte, routines ...func(at []int) []byte) []byte {
	var at []int
	for _, routine := range routines {
		for len(image)%4 != 0 {
			image = append(image, 0)
		}
		here := len(image)
		image = append(image, 3)
		image = append(image, routine(at)...)
		image = append(image, 0xAB, 3)
		at = append(at, here)
	}
	start := len(image)
	image[headerStart], image[headerStart+1] = byte(start>>8), byte(start)
	last := at[len(at)-1] / 4
	const high, low = miniBuffer >> 8, miniBuffer & 0xFF
	image = append(image, 0xE2, 0x17, high, low, 1, 0) // empty the text buffer
	image = append(image, read5[:6]...)
	image = append(image, 0x10)
	image = append(image, 0xD0, 0x1F, high, low, 2, 0x11, 0xD0, 0x1F, high, low, 3, 0x12)
	image = append(image, 0xF9, 0x2B, byte(last>>8), byte(last), 0x11, 0x12)
	back := start - (len(image) + 3) + 2
	image = append(image, 0x8C, byte(back>>8), byte(back))
	return append(image, make([]byte, 64)...)
}

// The table of properties of all objects in anyStory: one of a word and one of a byte.
const (
	properties     = 0x370
	wideProperty   = 5
	narrowProperty = 3
)

// anyStory makes a story of routines that do anything and call each other.
func anyStory(t *rapid.T) []byte {
	const (
		objects  = 4
		routines = 5
	)
	image := mini(5)[:miniCode]
	for at := miniGlobals; at < miniObjects; at++ {
		image[at] = byte(7 * at)
	}
	for n := range objects {
		copy(image[miniObjects+63*2+n*14+12:], []byte{properties >> 8, properties & 0xFF})
	}
	copy(image[properties:], []byte{0, 0x40 | wideProperty, 0, 1, narrowProperty, 2, 0})
	// Few kinds of instructions in one story meet each other more often.
	kinds := rapid.SliceOfNDistinct(rapid.IntRange(0, 33), 2, 8, rapid.ID).Draw(t, "kinds")
	return storyOf(image, slices.Repeat([]func([]int) []byte{func(at []int) []byte {
		part := rapid.Custom(func(t *rapid.T) []byte { return anyPart(t, kinds, at) })
		return slices.Concat(rapid.SliceOfN(part, 1, 10).Draw(t, "routine")...)
	}}, routines)...)
}

// anyVariable draws a local or global variable.
func anyVariable(t *rapid.T) byte {
	return rapid.SampledFrom([]byte{1, 2, 3, 0x10, 0x11, 0x12, 0x13, 0x14}).Draw(t, "variable")
}

// anyOperand draws a small number or a variable, with its type.
func anyOperand(t *rapid.T, largest int) (kind, value byte) {
	if rapid.Bool().Draw(t, "constant") {
		return 1, byte(rapid.IntRange(0, largest).Draw(t, "value"))
	}
	return 2, anyVariable(t)
}

// anyPart draws an instruction, or several that belong together.
func anyPart(t *rapid.T, kinds, routines []int) []byte {
	small := func(largest int) byte { return byte(rapid.IntRange(0, largest).Draw(t, "small")) }
	object := func() byte { return 1 + small(3) }
	// operate is an instruction in the variable form with two operands.
	operate := func(opcode byte, largest int) []byte {
		ka, a := anyOperand(t, largest)
		kb, b := anyOperand(t, largest)
		return []byte{opcode, ka<<6 | kb<<4 | 0xF, a, b}
	}
	skipping := func(test []byte) []byte { // a branch over an inc, or back
		if rapid.IntRange(0, 4).Draw(t, "back") == 0 {
			return append(test, 0xC0|small(1))
		}
		return append(test, 0xC0|4, 0x95, anyVariable(t))
	}
	table := []byte{0, 0x60 + small(9)}
	if len(routines) > 0 && rapid.IntRange(0, 2).Draw(t, "call") == 0 {
		return anyCall(t, routines)
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case 0:
		return append(operate(0xC0|rapid.SampledFrom([]byte{8, 9, 20, 21, 22, 23, 24, 15, 16}).Draw(t, "arithmetic"),
			200), anyVariable(t))
	case 1:
		return append(append([]byte{0xCF + small(1), 0x1F}, table...), small(3), anyVariable(t)) // loadw, loadb
	case 2:
		return append(append([]byte{0xE1, 0x1B}, table...), small(3), anyVariable(t)) // storew
	case 3:
		return append(append([]byte{0xE2, 0x1B}, table...), small(3), anyVariable(t)) // storeb
	case 4:
		return []byte{0x95 + small(1), anyVariable(t)} // inc, dec
	case 5:
		return []byte{0x0D, anyVariable(t), small(200)} // store
	case 6:
		tests := rapid.SampledFrom([]byte{1, 2, 3, 6, 7, 10}) // je to test_attr
		return skipping(operate(0xC0|tests.Draw(t, "test"), 5))
	case 7:
		return skipping([]byte{0x0A, object(), small(47)}) // test_attr
	case 8:
		return []byte{0x0B + small(1), object(), small(47)} // set_attr, clear_attr
	case 9:
		return []byte{0x0E, object(), object()} // insert_obj
	case 10:
		return []byte{0x99, object()} // remove_obj
	case 11:
		return []byte{0x93, object(), anyVariable(t)} // get_parent
	case 12:
		return skipping([]byte{0x91 + small(1), object(), anyVariable(t)}) // get_sibling, get_child
	case 13:
		return []byte{0x11 + small(2), object(), small(40), anyVariable(t)} // get_prop and others
	case 14:
		return []byte{0xE5, 0x7F, "abc:"[small(3)]} // print_char
	case 15:
		return []byte{0xE6, 0xBF, anyVariable(t), 0xBB} // print_num, new_line
	case 16:
		return []byte{0xB2, 0x94, 0xA5, 0x9A, object()} // print, print_obj
	case 17: // split_window, set_window, erase_window, set_text_style, buffer_mode
		return []byte{rapid.SampledFrom([]byte{0xEA, 0xEB, 0xED, 0xF1, 0xF2}).Draw(t, "screen"), 0x7F, small(1)}
	case 18:
		return []byte{0xEF, 0x5F, 1 + small(2), 1 + small(9)} // set_cursor
	case 19:
		return []byte{0xE7, 0x7F, 1 + small(9), anyVariable(t)} // random
	case 20:
		return []byte{0xE8, 0xBF, anyVariable(t), 0xE9, 0x7F, anyVariable(t)} // push, pull
	case 21:
		return []byte{0xF3, 0x4F, 3, 0x02, 0x20, 0xE5, 0x7F, 'x', 0xF3, 0x3F, 0xFF, 0xFD} // print into memory
	case 22:
		return append(append(append([]byte{0xFD, 0x07}, table...), 0, 0x70), 1+small(20)) // copy_table
	case 23:
		return []byte{0xE2, 0x57, 0x10, 1, small(3), 0xE2, 0x57, 0x10, 1, small(3)} // flags 2
	case 24:
		return skipping([]byte{0xFF, 0x7F, 1 + small(2)}) // check_arg_count
	case 25:
		return append([]byte{0x87}, table...) // print_addr
	case 26:
		return bytes.Repeat([]byte{0xE5, 0x7F, 'l'}, int(small(120))) // a long word
	case 27:
		return bytes.Repeat([]byte{0xE8, 0x7F, 1}, int(small(200))) // push; taken away by the return
	case 28:
		return skipping([]byte{0x04 + small(1), anyVariable(t), small(5)}) // dec_chk, inc_chk
	case 29:
		return []byte{0xBE, 9, 0xFF, anyVariable(t)} // save_undo
	case 30: // a loop that fills a table with the second local variable
		fill := append(append([]byte{0xE2, 0x2B}, table...), 1, 2)
		return slices.Concat([]byte{0x0D, 1, 0, 0x42, 1, 8, 0x4D}, fill, []byte{0x95, 1, 0x8C, 0xFF, 0xF3})
	case 31:
		return []byte{0x9E, anyVariable(t), anyVariable(t)} // load
	case 32:
		return []byte{0x11, object(), narrowProperty + 2*small(1), anyVariable(t)} // get_prop
	default:
		kind, value := anyOperand(t, 200)
		return []byte{0xE3, 0x53 | kind<<2, object(), narrowProperty + 2*small(1), value} // put_prop
	}
}

// anyCall draws a call of one of the routines at some addresses.
func anyCall(t *rapid.T, routines []int) []byte {
	packed := rapid.SampledFrom(routines).Draw(t, "called") / 4
	call := []byte{0xE0, 0x3F, byte(packed >> 8), byte(packed)} // call_vs, no arguments
	for i := range rapid.IntRange(0, 3).Draw(t, "arguments") {
		kind, value := anyOperand(t, 2)
		call[1] ^= (kind ^ 3) << (4 - 2*i)
		call = append(call, value)
	}
	if call = append(call, anyVariable(t)); rapid.Bool().Draw(t, "discard") {
		call = call[:len(call)-1]
		call[0] = 0xF9 // call_vn
	}
	if rapid.Bool().Draw(t, "into memory") {
		return slices.Concat([]byte{0xF3, 0x4F, 3, 0x02, 0x20}, call, []byte{0xF3, 0x3F, 0xFF, 0xFD})
	}
	return call
}
