package zmachine

import (
	"bytes"
	"slices"

	"pgregory.net/rapid"
)

// storyOf makes a story of routines with three local variables, of which it calls the
// last one with the first two letters of each command. A routine is made from
// the addresses of the routines in front of it, and returns its last local variable.
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
