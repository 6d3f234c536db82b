package zmachine

// copyLoop is a loop that copies bytes, as Inform's library writes it: it is where
// much of the time between two commands goes.
//
//	    jl counter limit ?~after
//	    loadb source counter -> sp
//	    storeb target counter sp
//	    inc counter
//	    jump to the first of these
//	after:
type copyLoop struct {
	counter        uint16 // number of the local variable, from 0
	limit          int16
	source, target operand
	reach          uint8 // largest of its instructions
}

// operand is a constant, or a local variable.
type operand struct {
	kind  uint8
	value uint16
}

// loopLength is how many instructions a copyLoop has.
const loopLength = 5

// findCopyLoop reports whether instructions end in such a loop.
func findCopyLoop(code []instruction) (l copyLoop, ok bool) {
	if len(code) < loopLength {
		return copyLoop{}, false
	}
	code = code[len(code)-loopLength:]
	test, load, store, inc, jump := &code[0], &code[1], &code[2], &code[3], &code[4]
	l = copyLoop{
		counter: test.values[0], limit: int16(test.values[1]),
		source: operand{load.kinds[0], load.values[0]}, target: operand{store.kinds[0], store.values[0]},
	}
	counts := func(in *instruction, i int) bool { return in.kinds[i] == local && in.values[i] == l.counter }
	stays := func(o operand) bool { return o.kind == constant || o.kind == local && o.value != l.counter }
	for i := range code {
		l.reach = max(l.reach, code[i].reach)
	}
	ok = test.op == op2|2 && counts(test, 0) && test.kinds[1] == constant && !test.sense && test.target == jump.next &&
		load.op == op2|16 && stays(l.source) && counts(load, 1) && load.store == 0 &&
		store.op == opVar|2 && stays(l.target) && counts(store, 1) && store.kinds[2] == stacked &&
		inc.op == op1|5 && inc.kinds[0] == constant && inc.values[0] == l.counter+1 &&
		jump.op == op1|12 && jump.kinds[0] == constant && jump.target == test.at
	return l, ok
}

// runCopyLoop executes as many whole rounds of a loop as go without any fault, from
// the test that begins a round; the test is executed again behind them.
func (m *Machine) runCopyLoop(l *copyLoop) {
	counter := &m.stack[m.fp+int(l.counter)]
	source, target := m.value(l.source.kind, l.source.value), m.value(l.target.kind, l.target.value)
	from, to := int(int16(*counter)), min(int(l.limit), m.story.dynamic-int(target), addressable-int(source))
	to = min(to, from+m.budget/loopLength)
	if from < 0 || from >= to || int(target)+from <= headerFlags2+1 || m.height() >= stackSize ||
		m.tracing && int(l.reach) > m.base-m.fp {
		return
	}
	for i := from; i < to; i++ {
		at := target + uint16(i)
		value := m.loadb(source + uint16(i))
		if m.tracing {
			m.noteWrite(at)
		}
		m.mem[at] = byte(value)
		if m.memo != nil {
			m.memo.wrote(at, byte(value))
		}
		m.stack[m.sp] = value // pushed and popped
	}
	if m.tracing {
		top := m.memo.top()
		top.high = max(top.high, m.height()+1)
	}
	*counter = uint16(to)
	m.budget -= loopLength * (to - from)
}
