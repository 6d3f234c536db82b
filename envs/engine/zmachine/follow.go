package zmachine

// shadowOf returns the shadow of an operand that is about to be evaluated.
func (m *Machine) shadowOf(kind uint8, v uint16) shadow {
	switch kind {
	case local:
		return m.memo.word(m.fp + int(v))
	case global:
		return m.wordShadow(v)
	case stacked:
		if m.sp > m.base {
			return m.memo.word(m.sp - 1)
		}
	}
	return shadow{}
}

// wordShadow returns the shadow of a word in memory.
func (m *Machine) wordShadow(addr uint16) shadow {
	memo := m.memo
	if !memo.has(addr) && !memo.has(addr+1) {
		return shadow{}
	}
	x, y := memo.byteAt(addr), memo.byteAt(addr+1)
	word, known := join(x, y)
	if !known {
		memo.pin(x)
		memo.pin(y)
	}
	return word
}

// variableShadow returns the shadow of a variable; that of 0 is on the stack.
func (m *Machine) variableShadow(v uint8) shadow {
	switch {
	case v == 0:
		return m.shadowOf(stacked, 0)
	case v <= maxLocals:
		return m.shadowOf(local, uint16(v)-1)
	}
	return m.shadowOf(global, m.global(v))
}

// setVariableShadow sets the shadow of a variable that has just been written.
func (m *Machine) setVariableShadow(v uint8, x shadow) {
	switch {
	case v == 0:
		m.memo.setWord(m.sp-1, x)
	case v <= maxLocals:
		m.memo.setWord(m.fp+int(v)-1, x)
	case x.of != nothing:
		m.setWordShadow(m.global(v), x)
	}
}

// setWordShadow sets the shadow of a word that has just been written to memory.
func (m *Machine) setWordShadow(addr uint16, x shadow) {
	hi, lo, known := x.split()
	if !known {
		m.memo.pin(x)
		return
	}
	m.memo.move([]where{{addr, hi}, {addr + 1, lo}})
}

// concerns reports whether an instruction reads or writes a variable that has a shadow.
func (m *Machine) concerns(at *step) bool {
	memo, in := m.memo, at.of
	if at.globals {
		for i := range in.count {
			if in.kinds[i] == global && (memo.has(in.values[i]) || memo.has(in.values[i]+1)) {
				return true
			}
		}
		if indirect(in.op) && in.values[0] > maxLocals {
			if a := m.global(uint8(in.values[0])); memo.has(a) || memo.has(a+1) {
				return true
			}
		}
	}
	if memo.upper <= m.fp {
		return false
	}
	own := memo.upper > m.base // something on the stack of the routine has one
	for i := range in.count {
		if own && in.kinds[i] == stacked || in.kinds[i] == local && memo.marks(m.fp+int(in.values[i])) {
			return true
		}
	}
	if own && (in.op == op0|8 || in.op == opVar|9 || indirect(in.op) && in.values[0] == 0) {
		return true
	}
	if in.store > 0 && in.store <= maxLocals && memo.marks(m.fp+int(in.store)-1) {
		return true
	}
	v := in.values[0]
	return indirect(in.op) && v > 0 && v <= maxLocals && memo.marks(m.fp+int(v)-1)
}

// trail executes an instruction that concerns values with shadows.
func (m *Machine) trail(at *step) *step {
	if !m.pay(at) {
		return m.stop(at)
	}
	in := at.of
	memo := m.memo
	m.pc = int(in.next)
	m.count = int(in.count)
	var x [8]shadow
	for i := range m.count {
		x[i&7] = m.shadowOf(in.kinds[i&7], in.values[i&7])
		if in.kinds[i&7] == stacked && m.sp > m.base {
			memo.setWord(m.sp-1, shadow{})
		}
		m.args[i&7] = m.operand(in.kinds[i&7], in.values[i&7])
	}
	memo.hits = memo.hits[:0] // all of them are known
	m.followed(in, &x)
	memo.passing = shadow{}
	if m.tracing {
		memo.pinHits()
	}
	if m.fault != nil {
		return m.stop(at)
	}
	m.frame = m.locals()
	return m.fetch()
}

// followed executes an instruction whose operands have shadows.
func (m *Machine) followed(in *instruction, x *[8]shadow) {
	memo := m.memo
	a, b := m.args[0], m.arg(1)
	stored := shadow{} // the shadow of the result
	switch in.op {
	case op2 | 20: // add
		if x[0].of == nothing {
			stored = memo.sum(x[1], a)
			break
		}
		memo.pin(x[1])
		stored = memo.sum(x[0], b)
	case op2 | 21: // sub
		memo.pin(x[1])
		stored = memo.sum(x[0], -b)
	case op2 | 23, op2 | 24: // div, mod
		memo.pin(x[1])
		if b != 0 {
			stored = memo.calculate(x[0], arithmetic{in.op, int16(b)})
		}
	case op2 | 1, op1: // je, jz
		m.followEqual(x)
	case op2 | 2: // jl
		m.followOrder(x, less, greater)
	case op2 | 3: // jg
		m.followOrder(x, greater, less)
	case op2 | 13, opVar | 9, op1 | 14, op1 | 5, op1 | 6, op2 | 4, op2 | 5:
		m.followVariable(in, x)
		return
	case opVar | 8: // push
		m.execute(in)
		m.setVariableShadow(0, x[0])
		return
	case op2 | 15, op2 | 16, op2 | 17: // loads, get_prop
		memo.pin(x[0])
		memo.pin(x[1])
		m.execute(in)
		m.settleLoad(in)
		return
	case opVar | 1, opVar | 2, opVar | 3: // stores, put_prop
		m.followStore(in, x)
		return
	case op1 | 11: // ret
		memo.passing = x[0]
		m.execute(in)
		return
	case op0 | 8: // ret_popped
		memo.passing = m.shadowOf(stacked, 0)
		m.execute(in)
		return
	case opVar | 7: // random
		memo.pin(x[0])
		m.followRandom(in)
		return
	case opVar | 6: // print_num
		if memo.watch.Numbers == AllNumbers || m.streams() > 0 || m.screen.n > pendingSize/2 {
			memo.pin(x[0]) // its digits go on to matter
		} else if memo.watch.Numbers == NumbersBehindColon {
			memo.top().behind = append(memo.top().behind, x[0])
		}
		m.execute(in)
		return
	default:
		if m.calls(in) {
			m.followCall(in, x)
			return
		}
		for _, y := range x {
			memo.pin(y)
		}
	}
	depth := m.depth
	m.execute(in)
	if !m.tracing {
		return
	}
	m.settle(in)
	if in.result != discard && m.fault == nil && m.depth == depth {
		m.setVariableShadow(in.store, stored)
	}
}

// mostDraws is how many random numbers are followed in a command.
const mostDraws = 100

// followRandom draws a random number. It follows from the state of the moment, unless the
// story sets that.
func (m *Machine) followRandom(in *instruction) {
	memo := m.memo
	n, number := int16(m.args[0]), memo.draws
	if n <= 0 || m.random.interval != 0 || number == mostDraws {
		m.abandon()
		m.execute(in)
		return
	}
	memo.draws++
	x := shadow{formula: formula{of: aDraw, addr: number}, base: m.random.nth(0)}
	m.execute(in)
	x, _ = x.then(arithmetic{opMod, n})
	x, _ = x.then(arithmetic{opAdd, 1})
	if m.fault == nil {
		m.setVariableShadow(in.store, x)
	}
}

// calls reports whether an instruction calls a routine.
func (m *Machine) calls(in *instruction) bool {
	switch in.op {
	case opVar, opVar | 12, op1 | 8, op2 | 25, opVar | 25, opVar | 26, op2 | 26:
		return true
	}
	return in.op == op1|15 && m.story.version >= 5
}

// sum is the shadow of a value to which a number is added.
func (m *memo) sum(x shadow, n uint16) shadow { return m.calculate(x, arithmetic{opAdd, int16(n)}) }

// calculate is the shadow of a value behind a step of arithmetic.
func (m *memo) calculate(x shadow, s arithmetic) shadow {
	y, known := x.then(s)
	if !known {
		m.pin(x)
		return shadow{}
	}
	return y
}

// followEqual notes how a value compares with others.
func (m *Machine) followEqual(x *[8]shadow) {
	memo := m.memo
	if m.count == 1 { // jz
		memo.compared(x[0], equal, 0)
		return
	}
	for i := 1; i < m.count; i++ {
		switch {
		case x[i&7].of == nothing:
			memo.compared(x[0], equal, m.args[i&7])
		case x[0].of == nothing:
			memo.compared(x[i&7], equal, m.args[0])
		default:
			memo.pin(x[0])
			memo.pin(x[i&7])
		}
	}
}

// followOrder notes how a value compares with another one, and that with it.
func (m *Machine) followOrder(x *[8]shadow, t, reverse test) {
	memo := m.memo
	switch {
	case x[1].of == nothing:
		memo.compared(x[0], t, m.args[1])
	case x[0].of == nothing:
		memo.compared(x[1], reverse, m.args[0])
	default:
		memo.pin(x[0])
		memo.pin(x[1])
	}
}

// followVariable executes an instruction that names a variable.
func (m *Machine) followVariable(in *instruction, x *[8]shadow) {
	memo := m.memo
	v := uint8(m.args[0])
	memo.pin(x[0])
	var y shadow
	switch in.op {
	case op2 | 13: // store
		y = x[1]
	case opVar | 9: // pull
		y = m.shadowOf(stacked, 0)
		if m.sp > m.base {
			memo.setWord(m.sp-1, shadow{})
		}
	case op1 | 14: // load
		y = m.variableShadow(v)
		v = in.store
	case op1 | 5: // inc
		y = memo.sum(m.variableShadow(v), 1)
	case op1 | 6: // dec
		y = memo.sum(m.variableShadow(v), 0xFFFF)
	case op2 | 4: // dec_chk
		y = memo.sum(m.variableShadow(v), 0xFFFF)
		memo.pin(x[1])
		memo.compared(y, less, m.args[1])
	case op2 | 5: // inc_chk
		y = memo.sum(m.variableShadow(v), 1)
		memo.pin(x[1])
		memo.compared(y, greater, m.args[1])
	}
	if in.target == returnFalse || in.target == returnTrue { // the recording may end before the shadow is set
		memo.pin(y)
		y = shadow{}
	}
	depth := m.depth
	m.execute(in)
	memo.hits = memo.hits[:0]
	if m.tracing && m.fault == nil && m.depth == depth {
		m.setVariableShadow(v, y)
	}
}

// followStore executes an instruction that stores something in a table or a property.
func (m *Machine) followStore(in *instruction, x *[8]shadow) {
	memo := m.memo
	memo.pin(x[0])
	memo.pin(x[1])
	m.execute(in)
	if !m.tracing || m.fault != nil || x[2].of == nothing || in.op == opVar|3 && m.args[0] == 0 {
		return
	}
	addr, narrow := m.args[0]+m.args[1], in.op == opVar|2
	switch in.op {
	case opVar | 1:
		addr += m.args[1]
	case opVar | 3:
		addr, narrow = memo.put, memo.narrow
	}
	if !narrow {
		m.setWordShadow(addr, x[2])
		return
	}
	_, lo, known := x[2].split()
	if !known {
		memo.pin(x[2])
		return
	}
	memo.move([]where{{addr, lo}})
}

// followCall executes a call. The shadows of its arguments are kept if it is made as
// any other instruction; a call that is remembered takes them as they are.
func (m *Machine) followCall(in *instruction, x *[8]shadow) {
	memo := m.memo
	memo.pin(x[0])
	for i := 1; i < m.count; i++ {
		memo.sends = memo.sends || x[i&7].of != nothing
	}
	depth := m.depth
	m.execute(in)
	if m.tracing && m.depth > depth && memo.sends {
		for i := 1; i < m.count && m.fp+i-1 < m.base; i++ {
			memo.setWord(m.fp+i-1, x[i&7])
		}
	}
	memo.sends = false
	if m.tracing && m.depth == depth && m.args[0] == 0 && in.result != discard {
		m.setVariableShadow(uint8(in.result), shadow{})
	}
}

// settle says what follows from the shadows of what an instruction has read that
// concerns no variable with one.
func (m *Machine) settle(in *instruction) {
	memo := m.memo
	switch {
	case in.op == op2|15 || in.op == op2|16 || in.op == op2|17:
		m.settleLoad(in)
	case in.op == op2|10 && in.kinds[1] == constant && len(memo.hits) == 1 && memo.hits[0].part == whole:
		memo.compared(memo.hits[0].shadow, anyBit, 0x80>>(in.values[1]&7))
		memo.hits = memo.hits[:0]
	default:
		memo.pinHits()
	}
}

// settleLoad sets the shadow of what has been loaded from a table.
func (m *Machine) settleLoad(in *instruction) {
	memo := m.memo
	var x shadow
	known := false
	switch hits := memo.hits; {
	case len(hits) == 0:
		known = true
	case in.op == op2|16, in.op == op2|17 && memo.narrow:
		x, known = hits[0].asByte()
	case len(hits) == 2:
		x, known = join(hits[0].shadow, hits[1].shadow)
	}
	if !known {
		x = shadow{}
		memo.pinHits()
	}
	memo.hits = memo.hits[:0]
	if m.tracing && m.fault == nil {
		m.setVariableShadow(in.store, x)
	}
}

// watched runs an instruction while calls are recorded.
func (m *Machine) watched(in *step) *step {
	if int(in.reach) > m.base-m.fp {
		m.leave(in)
		if !m.tracing {
			return in.do(m, in)
		}
	}
	if in.of != nil && in.of.op == opVar|7 || (in.globals || in.locals && m.memo.upper > m.fp) && m.concerns(in) {
		return m.trail(in)
	}
	if in.notes {
		for i := range 2 {
			if in.kind(i) == global {
				m.noteRead(in.values[i], 2)
			}
		}
	}
	do := in.do
	if in.traced != nil {
		do = in.traced
	}
	of := in.of
	next := do(m, in)
	if len(m.memo.hits) > 0 {
		m.settle(of)
	}
	return next
}
