package zmachine

// moveLoop is a loop that copies tables or fills them, as Inform's library writes
// it: it is where much of the time between two commands goes. Its instructions are
//
//	    jl counter limit ?~after
//	    moves
//	    inc counter
//	    jump to the first of these
//	after:
type moveLoop struct {
	counter uint16 // number of the local variable, from 0
	limit   int16
	moves   []move
	length  int   // instructions in a round
	reach   uint8 // largest of its instructions
}

// move puts a constant into a table, or what is at the same place of another one.
type move struct {
	words          bool // the tables are of words, not of bytes
	loads          bool // source is a table: there is a load to the stack before the store
	source, target operand
}

// operand is a constant, or a local variable.
type operand struct {
	kind  uint8
	value uint16
}

// evaluate returns the value of such an operand.
func (m *Machine) evaluate(o operand) uint16 {
	if o.kind == local {
		return m.local(o.value)
	}
	return o.value
}

// longestLoop is how many instructions a moveLoop has at most.
const longestLoop = 12

// findMoveLoop returns the loop that begins with an instruction, or nil.
func (s *Story) findMoveLoop(mem []byte, test *instruction) *moveLoop {
	if test.count != 2 || test.kind(0) != local || test.kind(1) != constant || test.sense {
		return nil
	}
	code := make([]instruction, longestLoop-1)
	n := 0
	for at := test.next; s.constant(int(at)) && n < len(code) && (n == 0 || code[n-1].op != opJump); n++ {
		s.decode(&code[n], mem, int(at))
		at = code[n].next
	}
	l := moveLoop{counter: test.values[0], limit: int16(test.values[1]), length: n + 1, reach: test.reach}
	if n < 3 || !l.closes(test, &code[n-2], &code[n-1]) {
		return nil
	}
	for i := range n {
		l.reach = max(l.reach, code[i].reach)
	}
	for body := code[:n-2]; len(body) > 0; {
		m, n := l.move(body)
		if n == 0 {
			return nil
		}
		l.moves = append(l.moves, m)
		body = body[n:]
	}
	return &l
}

// closes reports whether the last two instructions of a loop count and jump to its test, which leads behind them.
func (l *moveLoop) closes(test, inc, jump *instruction) bool {
	return inc.op == opAdd && inc.kind(0) == local && inc.values[0] == l.counter && inc.kind(1) == constant &&
		inc.values[1] == 1 && uint16(inc.store) == l.counter+1 &&
		jump.op == opJump && jump.branches && jump.target == test.addr && test.target == jump.next
}

// move reads the move at the beginning of instructions, and of how many of them it
// consists; 0 if there is none.
func (l *moveLoop) move(code []instruction) (m move, n int) {
	counts := func(in *instruction, i int) bool { return in.kind(i) == local && in.values[i] == l.counter }
	stays := func(o operand) bool { return o.kind == constant || o.kind == local && o.value != l.counter }
	if load := &code[0]; (load.op == opLoadw || load.op == opLoadb) && load.count == 2 && load.store == 0 &&
		counts(load, 1) {
		m = move{words: load.op == opLoadw, loads: true, source: operand{load.kind(0), load.values[0]}}
		code, n = code[1:], 1
	}
	if len(code) == 0 {
		return move{}, 0
	}
	store := &code[0]
	if !m.loads {
		m = move{words: store.op == opStorew, source: operand{store.kind(2), store.values[2]}}
	}
	m.target = operand{store.kind(0), store.values[0]}
	op := opStoreb
	if m.words {
		op = opStorew
	}
	if store.op != op || store.count != 3 || !counts(store, 1) || m.loads && store.kind(2) != stacked ||
		!stays(m.source) || !stays(m.target) {
		return move{}, 0
	}
	return m, n + 1
}

// runMoveLoop executes as many whole rounds of a loop as go without any fault, from
// the test that begins a round; the test is executed again behind them.
func (m *Machine) runMoveLoop(l *moveLoop) {
	counter := &m.stack[m.fp+int(l.counter)]
	lo := int(int16(*counter))
	hi := min(int(l.limit), lo+m.budget/l.length)
	pushes := 0
	for i := range l.moves {
		v := &l.moves[i]
		target := int(m.evaluate(v.target))
		if v.loads {
			pushes = 1
			hi = min(hi, v.fit(addressable-int(m.evaluate(v.source))))
		}
		hi = min(hi, v.fit(m.story.dynamic-target))
		if target+lo <= headerFlags2+1 {
			return
		}
	}
	if lo < 0 || lo >= hi || m.height()+pushes > stackSize || m.tracing && int(l.reach) > m.base-m.fp {
		return
	}
	m.moveAll(l, uint16(lo), uint16(hi))
	if m.tracing {
		top := m.memo.top()
		top.high = max(top.high, m.height()+pushes)
	}
	*counter = uint16(hi)
	m.budget -= l.length * (hi - lo)
}

// fit returns how many entries of a table fit into a number of bytes.
func (v *move) fit(bytes int) int {
	if v.words {
		return bytes / 2
	}
	return bytes
}

// moveAll does the moves for some places of the tables. What they load is pushed
// and popped.
func (m *Machine) moveAll(l *moveLoop, lo, hi uint16) {
	var sources, targets [longestLoop]uint16
	for k, v := range l.moves {
		sources[k], targets[k] = m.evaluate(v.source), m.evaluate(v.target)
	}
	if l.disjoint(&sources, &targets, int(lo), int(hi)) {
		for k := range l.moves {
			m.moveBytes(&l.moves[k], sources[k], targets[k], int(lo), int(hi))
		}
		return
	}
	for i := lo; i < hi; i++ {
		for k := range l.moves {
			value := sources[k]
			switch v := &l.moves[k]; {
			case !v.loads:
			case v.words:
				value = m.loadw(value + 2*i)
				m.stack[m.sp] = value
			default:
				value = m.loadb(value + i)
				m.stack[m.sp] = value
			}
			if l.moves[k].words {
				m.storew(targets[k]+2*i, value)
			} else {
				m.storeb(targets[k]+i, byte(value))
			}
		}
	}
}

// places returns where some places of a table are, and of how many bytes a place is.
func (v *move) places(table uint16, lo, hi int) (begin, end, size int) {
	size = 1
	if v.words {
		size = 2
	}
	return int(table) + size*lo, int(table) + size*hi, size
}

// disjoint reports whether the moves of some places can be done one after the other:
// nothing that one of them writes is read or written by another.
func (l *moveLoop) disjoint(sources, targets *[longestLoop]uint16, lo, hi int) bool {
	for i := range l.moves {
		begin, end, _ := l.moves[i].places(targets[i], lo, hi)
		for k := range l.moves {
			v := &l.moves[k]
			if b, e, _ := v.places(targets[k], lo, hi); k != i && b < end && begin < e {
				return false
			}
			if b, e, _ := v.places(sources[k], lo, hi); v.loads && b < end && begin < e {
				return false
			}
		}
	}
	return true
}

// moveBytes does one move for some places at once.
func (m *Machine) moveBytes(v *move, source, target uint16, lo, hi int) {
	begin, end, size := v.places(target, lo, hi)
	if v.loads {
		srcBegin, srcEnd, _ := v.places(source, lo, hi)
		if m.tracing {
			m.noteRead(uint16(srcBegin), srcEnd-srcBegin)
		}
		copy(m.mem[begin:end], m.mem[srcBegin:srcEnd])
		m.stack[m.sp] = uint16(m.mem[end-1])
		if v.words {
			m.stack[m.sp] = m.word(uint16(end - 2))
		}
	} else {
		for i := begin; i < end; i += size {
			m.mem[i] = byte(source >> (8 * (size - 1)))
			m.mem[i+size-1] = byte(source)
		}
	}
	if m.memo != nil {
		m.noteStored(uint16(begin), end-begin)
	}
}
