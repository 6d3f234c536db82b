package zmachine

// execute2 executes the instructions of two operands; Standard, section 15.
func (m *Machine) execute2(in *instruction) {
	a, b := m.args[0], m.args[1]
	switch in.op & 0x1F {
	case 1: // je
		equal := false
		for i := 1; i < m.count; i++ {
			equal = equal || a == m.args[i]
		}
		m.branch(in, equal)
	case 2: // jl
		m.branch(in, int16(a) < int16(b))
	case 3: // jg
		m.branch(in, int16(a) > int16(b))
	case 4: // dec_chk
		m.branch(in, m.add(a, -1) < int16(b))
	case 5: // inc_chk
		m.branch(in, m.add(a, 1) > int16(b))
	case 6: // jin
		m.branch(in, m.parentIs(a, b))
	case 7: // test
		m.branch(in, a&b == b)
	case 8:
		m.setVariable(in.store, a|b)
	case 9:
		m.setVariable(in.store, a&b)
	case 10: // test_attr
		m.branch(in, m.testAttribute(a, b))
	case 11:
		m.setAttribute(a, b)
	case 12:
		m.clearAttribute(a, b)
	case 13: // store
		m.poke(uint8(a), b)
	case 14:
		m.insert(a, b)
	case 15:
		m.setVariable(in.store, m.loadw(a+2*b))
	case 16:
		m.setVariable(in.store, m.loadb(a+b))
	case 17:
		m.setVariable(in.store, m.property(a, b))
	case 18:
		m.setVariable(in.store, m.propertyAddress(a, b))
	case 19:
		m.setVariable(in.store, m.nextProperty(a, b))
	case 25, 26: // call_2s, call_2n
		m.call(in.result)
	case 27: // set_colour
		m.flush()
	case 28:
		m.throw(a, b)
	default:
		m.arithmetic(in, int16(a), int16(b))
	}
}

// add changes a variable by d and returns its new value.
func (m *Machine) add(variable uint16, d int16) int16 {
	value := int16(m.peek(uint8(variable))) + d
	m.poke(uint8(variable), uint16(value))
	return value
}

func (m *Machine) arithmetic(in *instruction, a, b int16) {
	var r int16
	switch in.op & 0x1F {
	case 20:
		r = a + b
	case 21:
		r = a - b
	case 22:
		r = a * b
	case 23, 24:
		if b == 0 {
			m.fail(DivisionByZero)
			return
		}
		if in.op&0x1F == 23 {
			r = a / b
		} else {
			r = a % b
		}
	}
	m.setVariable(in.store, uint16(r))
}

// execute1 executes the instructions of one operand.
func (m *Machine) execute1(in *instruction) {
	a := m.args[0]
	switch in.op & 0x1F {
	case 0: // jz
		m.branch(in, a == 0)
	case 1:
		r := m.sibling(a)
		m.setVariable(in.store, r)
		m.branch(in, r != 0)
	case 2:
		r := m.child(a)
		m.setVariable(in.store, r)
		m.branch(in, r != 0)
	case 3:
		m.setVariable(in.store, m.parent(a))
	case 4:
		m.setVariable(in.store, m.propertyLength(a))
	case 5: // inc
		m.add(a, 1)
	case 6: // dec
		m.add(a, -1)
	case 7: // print_addr
		m.printText(int(a))
	case 8: // call_1s
		m.call(in.result)
	case 9: // remove_obj
		m.remove(a)
	case 10:
		m.printObject(a)
	case 11:
		m.ret(a)
	case 12: // jump
		m.pc += int(int16(a)) - 2
	case 13: // print_paddr
		m.printText(m.text(a))
	case 14: // load
		m.setVariable(in.store, m.peek(uint8(a)))
	case 15:
		if m.story.version >= 5 {
			m.call(in.result) // call_1n
		} else {
			m.setVariable(in.store, ^a) // not
		}
	}
}

// execute0 executes the instructions without operands.
func (m *Machine) execute0(in *instruction) {
	switch in.op & 0x1F {
	case 0: // rtrue
		m.ret(1)
	case 1: // rfalse
		m.ret(0)
	case 2: // print
		m.printText(int(in.text))
	case 3: // print_ret
		m.printText(int(in.text))
		m.printChar(carriage)
		m.ret(1)
	case 5:
		m.save(in)
	case 6:
		m.restore(in)
	case 7:
		m.flush()
		m.restart()
	case 8: // ret_popped
		m.ret(m.pop())
	case 9:
		if m.story.version >= 5 {
			m.setVariable(in.store, uint16(m.depth)) // catch
		} else {
			m.pop()
		}
	case 11:
		m.printChar(carriage)
	case 12:
		m.showStatus()
	case 13: // verify
		m.branch(in, int(m.story.sum) == m.story.word(headerChecksum))
	case 15: // piracy
		m.branch(in, true)
	}
	// 4 is nop. 10 is quit, which does nothing here either: spec §7.
}

// executeVar executes the instructions of any number of operands.
func (m *Machine) executeVar(in *instruction) {
	a, b, c := m.arg(0), m.arg(1), m.arg(2)
	switch in.op & 0x1F {
	case 0, 12, 25, 26: // calls
		m.call(in.result)
	case 1:
		m.storew(a+2*b, c)
	case 2:
		m.storeb(a+b, byte(c))
	case 3:
		m.putProperty(a, b, c)
	case 4:
		m.readLine(in)
	case 5:
		m.printZSCII(a)
	case 6:
		m.printNumber(int16(a))
	case 7:
		m.setVariable(in.store, m.random.next(int16(a), m.options.Seed))
	case 8:
		m.push(a)
	case 9: // pull
		m.poke(uint8(a), m.pop())
	case 22:
		m.readChar(in)
	case 23:
		m.scanTable(in)
	case 24: // not
		m.setVariable(in.store, ^a)
	case 27:
		m.tokenise(a, b, c, m.arg(3) != 0)
	case 28:
		m.encodeText(a, b, c, m.arg(3))
	case 29:
		m.copyTable(a, b, int16(c))
	case 30:
		m.printTable()
	case 31: // check_arg_count
		m.branch(in, a <= uint16(m.argc))
	default:
		m.executeScreen(in.op & 0x1F)
	}
}

// executeScreen executes those of executeVar that are about windows, streams
// and how text looks.
func (m *Machine) executeScreen(number uint8) {
	a := m.arg(0)
	if m.tracing {
		m.noteScreen(number)
	}
	switch number {
	case 10:
		m.splitWindow(int(a))
	case 11:
		m.setWindow(a)
	case 13:
		m.eraseWindow(int16(a))
	case eraseLine:
		m.flush()
	case 15:
		m.setCursor(int16(a), int16(m.arg(1)))
	case 16:
		m.getCursor(a)
	case textStyle:
		m.appendStyle(codeStyle, a)
	case 18:
		m.bufferMode(a != 0)
	case outputStream:
		m.outputStream(int16(a), m.arg(1))
	case 20:
		m.inputStream(a)
	}
	// 21 is sound_effect.
}

// executeExt executes the extended instructions.
func (m *Machine) executeExt(in *instruction) {
	a, b := m.arg(0), m.arg(1)
	switch in.op & 0x1F {
	case 0:
		if m.count > 0 {
			m.setVariable(in.store, 0) // no files for parts of memory
			return
		}
		m.save(in)
	case 1:
		if m.count > 0 {
			m.setVariable(in.store, 0)
			return
		}
		m.restore(in)
	case 2: // log_shift
		if n := int16(b); n >= 0 {
			m.setVariable(in.store, a<<uint(n))
		} else {
			m.setVariable(in.store, a>>uint(-int(n)))
		}
	case 3: // art_shift
		if n := int16(b); n >= 0 {
			m.setVariable(in.store, a<<uint(n))
		} else {
			m.setVariable(in.store, uint16(int16(a)>>uint(-int(n))))
		}
	case 4:
		m.setVariable(in.store, m.setFont(a))
	case 9: // save_undo, which is not available: spec §6
		m.setVariable(in.store, 0xFFFF)
	case 10: // restore_undo
		m.setVariable(in.store, 0)
	case 11:
		m.printUnicode(a)
	case 12:
		m.setVariable(in.store, checkUnicode(a))
	}
}
