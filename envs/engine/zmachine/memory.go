package zmachine

// Byte returns a byte of memory; data addresses have 16 bits.
func (m *Machine) Byte(addr int) byte { return m.mem[uint16(addr)] }

// Word returns the two bytes at an address, the first being the high one.
func (m *Machine) Word(addr int) uint16 { return m.loadw(uint16(addr)) }

// loadb and loadw read memory for an instruction.
func (m *Machine) loadb(addr uint16) uint16 { return uint16(m.ram[addr]) }

func (m *Machine) loadw(addr uint16) uint16 {
	return uint16(m.ram[addr])<<8 | uint16(m.ram[int(addr)+1])
}

func (m *Machine) storeb(addr uint16, value byte) {
	if int(addr) >= m.story.dynamic {
		m.fail(StoreRange)
		return
	}
	m.ram[addr] = value
	if addr == headerFlags2+1 { // the first two bits stay after a restart
		m.flags2 = m.flags2&^3 | uint16(value&3)
	}
}

func (m *Machine) storew(addr, value uint16) {
	if int(addr)+1 >= m.story.dynamic || addr <= headerFlags2+1 {
		m.storeb(addr, byte(value>>8))
		m.storeb(addr+1, byte(value))
		return
	}
	m.ram[addr], m.ram[int(addr)+1] = byte(value>>8), byte(value)
}

// push puts a word on the stack.
func (m *Machine) push(value uint16) {
	if m.sp+frameWords*m.depth >= stackSize {
		m.fail(StackOverflow)
		return
	}
	m.stack[m.sp] = value
	m.sp++
}

// pop takes the top word of the running routine's stack. Below that are its local
// variables, which some stories take too, as the reference allows.
func (m *Machine) pop() uint16 {
	if m.sp <= m.fp {
		m.fail(StackUnderflow)
		return 0
	}
	m.sp--
	return m.stack[m.sp]
}

// setVariable writes a variable; 0 pushes.
func (m *Machine) setVariable(v uint8, value uint16) {
	switch {
	case v == 0:
		m.push(value)
	case v <= maxLocals:
		m.stack[m.fp+int(v)-1] = value
	default:
		m.storew(m.global(v), value)
	}
}

func (m *Machine) global(v uint8) uint16 { return m.globals + 2*uint16(v-16) }

// peek and poke are what instructions use that name a variable by its number:
// the top of the stack is read and written where it is (Standard, 6.3.4).
func (m *Machine) peek(v uint8) uint16 {
	switch {
	case v > maxLocals:
		return m.loadw(m.global(v))
	case v > 0:
		return m.frame[v-1]
	case m.sp <= m.fp:
		m.fail(StackUnderflow)
		return 0
	}
	return m.stack[m.sp-1]
}

func (m *Machine) poke(v uint8, value uint16) {
	if v != 0 {
		m.setVariable(v, value)
		return
	}
	if m.sp <= m.fp {
		m.fail(StackUnderflow)
		return
	}
	m.stack[m.sp-1] = value
}

// routine unpacks the address of a routine.
func (m *Machine) routine(packed uint16) int {
	return int(packed)*m.story.scale + m.story.routines
}
