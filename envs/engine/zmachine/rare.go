package zmachine

// deed executes an instruction whose operands are a, b and the rest of m.args. It returns the result and the
// condition.
type deed func(m *Machine, in *instruction, a, b uint16) (r uint16, holds bool)

// does is an instruction without a result and a condition.
func does(f func(m *Machine, a, b uint16)) deed {
	return func(m *Machine, _ *instruction, a, b uint16) (uint16, bool) {
		f(m, a, b)
		return 0, false
	}
}

// gives is an instruction that has a result.
func gives(f func(m *Machine, a, b uint16) uint16) deed {
	return func(m *Machine, _ *instruction, a, b uint16) (uint16, bool) { return f(m, a, b), false }
}

// tells is an instruction that has a condition.
func tells(f func(m *Machine, a, b uint16) bool) deed {
	return func(m *Machine, _ *instruction, a, b uint16) (uint16, bool) { return 0, f(m, a, b) }
}

// rare are the instructions that run has no case for, by their names in the Standard, section 14.
var rare = map[string]deed{
	"nop":           does(func(*Machine, uint16, uint16) {}),
	"insert_obj":    does((*Machine).insert),
	"remove_obj":    does(func(m *Machine, a, _ uint16) { m.remove(a) }),
	"get_next_prop": gives((*Machine).nextProperty),
	"put_prop":      does(func(m *Machine, a, b uint16) { m.putProperty(a, b, m.arg(2)) }),
	"set_colour":    does(func(m *Machine, _, _ uint16) { m.flush() }),
	"throw":         does((*Machine).throw),
	"catch":         gives(func(m *Machine, _, _ uint16) uint16 { return uint16(m.depth) }),
	"pop":           does(func(m *Machine, _, _ uint16) { m.pop() }),
	"print_addr":    does(func(m *Machine, a, _ uint16) { m.printText(int(a)) }),
	"print_paddr": does(func(m *Machine, a, _ uint16) {
		m.printText(int(a)*m.story.scale + m.story.strings)
	}),
	"print_obj": does(func(m *Machine, a, _ uint16) { m.printObject(a) }),
	"print": func(m *Machine, in *instruction, _, _ uint16) (uint16, bool) {
		m.printText(int(in.target))
		return 0, false
	},
	"print_ret": func(m *Machine, in *instruction, _, _ uint16) (uint16, bool) {
		m.printText(int(in.target))
		m.newLine()
		m.ret(1)
		return 0, false
	},
	"new_line":      does(func(m *Machine, _, _ uint16) { m.newLine() }),
	"print_num":     does(func(m *Machine, a, _ uint16) { m.printNumber(int16(a)) }),
	"print_unicode": does(func(m *Machine, a, _ uint16) { m.printUnicode(a) }),
	"check_unicode": gives(func(_ *Machine, a, _ uint16) uint16 { return checkUnicode(a) }),
	"save": func(m *Machine, in *instruction, _, _ uint16) (uint16, bool) {
		r := m.save(in)
		return r, in.branches && r != 0
	},
	"restart": does(func(m *Machine, _, _ uint16) {
		m.flush()
		m.restart()
	}),
	// Undo is not available: spec §6.
	"save_undo":    gives(func(*Machine, uint16, uint16) uint16 { return 0xFFFF }),
	"restore_undo": does(func(*Machine, uint16, uint16) {}),
	"show_status":  does(func(m *Machine, _, _ uint16) { m.showStatus() }),
	"verify": tells(func(m *Machine, _, _ uint16) bool {
		return int(m.story.sum) == m.story.word(headerChecksum)
	}),
	"piracy": tells(func(*Machine, uint16, uint16) bool { return true }),
	"read":   gives(func(m *Machine, _, _ uint16) uint16 { return m.readLine() }),
	"read_char": gives(func(m *Machine, _, _ uint16) uint16 {
		m.input.ready = false
		m.flush()
		return uint16(m.story.toZSCII(m.takeKey()))
	}),
	"random": gives(func(m *Machine, a, _ uint16) uint16 {
		return m.random.next(int16(a), m.options.Seed)
	}),
	"scan_table":      func(m *Machine, _ *instruction, _, _ uint16) (uint16, bool) { return m.scanTable() },
	"tokenise":        does(func(m *Machine, a, b uint16) { m.tokenise(a, b, m.arg(2), m.arg(3) != 0) }),
	"encode_text":     does(func(m *Machine, a, b uint16) { m.encodeText(a, b, m.arg(2), m.arg(3)) }),
	"copy_table":      does(func(m *Machine, a, b uint16) { m.copyTable(a, b, int16(m.arg(2))) }),
	"print_table":     does(func(m *Machine, _, _ uint16) { m.printTable() }),
	"check_arg_count": tells(func(m *Machine, a, _ uint16) bool { return a <= uint16(m.argc) }),
	"log_shift": gives(func(_ *Machine, a, b uint16) uint16 {
		return a << max(int16(b), 0) >> max(-int(int16(b)), 0)
	}),
	"art_shift": gives(func(_ *Machine, a, b uint16) uint16 {
		return uint16(int16(a) << max(int16(b), 0) >> max(-int(int16(b)), 0))
	}),
	"set_font":      gives(func(m *Machine, a, _ uint16) uint16 { return m.setFont(a) }),
	"split_window":  does(func(m *Machine, a, _ uint16) { m.splitWindow(int(a)) }),
	"set_window":    does(func(m *Machine, a, _ uint16) { m.setWindow(a) }),
	"erase_window":  does(func(m *Machine, a, _ uint16) { m.eraseWindow(int16(a)) }),
	"erase_line":    does(func(m *Machine, _, _ uint16) { m.flush() }),
	"set_cursor":    does(func(m *Machine, a, _ uint16) { m.setCursor(int16(a), int16(m.arg(1))) }),
	"get_cursor":    does(func(m *Machine, a, _ uint16) { m.getCursor(a) }),
	"text_style":    does(func(m *Machine, a, _ uint16) { m.appendStyle(codeStyle, a) }),
	"buffer_mode":   does(func(m *Machine, a, _ uint16) { m.bufferMode(a != 0) }),
	"output_stream": does(func(m *Machine, a, _ uint16) { m.outputStream(int16(a), m.arg(1)) }),
	"input_stream":  does(func(m *Machine, a, _ uint16) { m.inputStream(a) }),
}
