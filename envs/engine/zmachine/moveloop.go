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

// longestLoop is how many instructions a moveLoop has at most.
const longestLoop = 12

// findMoveLoop reports whether instructions end in such a loop, and where it begins.
func findMoveLoop(code []instruction) (l moveLoop, first int, ok bool) {
	end := len(code) - 2 // of the moves
	if end < 0 || code[end].op != op1|5 || code[end+1].op != op1|12 || code[end+1].kinds[0] != constant {
		return moveLoop{}, 0, false
	}
	inc, jump := &code[end], &code[end+1]
	for first = end; first >= 0 && code[first].at != jump.target; first-- {
	}
	if first < 0 || len(code)-first > longestLoop {
		return moveLoop{}, 0, false
	}
	test := &code[first]
	l = moveLoop{counter: test.values[0], limit: int16(test.values[1]), length: len(code) - first}
	if test.op != op2|2 || test.kinds[0] != local || test.kinds[1] != constant || test.sense ||
		test.target != jump.next ||
		inc.kinds[0] != constant || inc.values[0] != l.counter+1 {
		return moveLoop{}, 0, false
	}
	for body := code[first+1 : end]; len(body) > 0; {
		m, n := l.move(body)
		if n == 0 {
			return moveLoop{}, 0, false
		}
		l.moves = append(l.moves, m)
		body = body[n:]
	}
	for i := range code[first:] {
		l.reach = max(l.reach, code[first+i].reach)
	}
	return l, first, len(l.moves) > 0
}

// move reads the move at the beginning of instructions, and of how many of them it
// consists; 0 if there is none.
func (l *moveLoop) move(code []instruction) (m move, n int) {
	counts := func(in *instruction, i int) bool { return in.kinds[i] == local && in.values[i] == l.counter }
	stays := func(o operand) bool { return o.kind == constant || o.kind == local && o.value != l.counter }
	if load := &code[0]; (load.op == op2|15 || load.op == op2|16) && load.count == 2 && load.store == 0 &&
		counts(load, 1) {
		m = move{words: load.op == op2|15, loads: true, source: operand{load.kinds[0], load.values[0]}}
		code, n = code[1:], 1
	}
	if len(code) == 0 {
		return move{}, 0
	}
	store := &code[0]
	if !m.loads {
		m = move{words: store.op == opVar|1, source: operand{store.kinds[2], store.values[2]}}
	}
	m.target = operand{store.kinds[0], store.values[0]}
	op := uint8(opVar | 2)
	if m.words {
		op = opVar | 1
	}
	if store.op != op || store.count != 3 || !counts(store, 1) || m.loads && store.kinds[2] != stacked ||
		!stays(m.source) || !stays(m.target) {
		return move{}, 0
	}
	return m, n + 1
}

// runMoveLoop executes as many whole rounds of a loop as go without any fault, from
// the test that begins a round; the test is executed again behind them.
func (m *Machine) runMoveLoop(l *moveLoop) {
	counter := &m.stack[m.fp+int(l.counter)]
	from := int(int16(*counter))
	to := min(int(l.limit), from+m.budget/l.length)
	pushes := 0
	for i := range l.moves {
		v := &l.moves[i]
		target := int(m.operand(v.target.kind, v.target.value))
		if v.loads {
			pushes = 1
			to = min(to, v.fit(addressable-int(m.operand(v.source.kind, v.source.value))))
		}
		to = min(to, v.fit(m.story.dynamic-target))
		if target+from <= headerFlags2+1 {
			return
		}
	}
	if from < 0 || from >= to || m.height()+pushes > stackSize || m.tracing && int(l.reach) > m.base-m.fp {
		return
	}
	m.moveAll(l, uint16(from), uint16(to))
	if m.tracing {
		top := m.memo.top()
		top.high = max(top.high, m.height()+pushes)
	}
	*counter = uint16(to)
	m.budget -= l.length * (to - from)
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
func (m *Machine) moveAll(l *moveLoop, from, to uint16) {
	var sources, targets [longestLoop]uint16
	for k, v := range l.moves {
		sources[k], targets[k] = m.operand(v.source.kind, v.source.value), m.operand(v.target.kind, v.target.value)
	}
	if l.apart(&sources, &targets, int(from), int(to)) {
		for k := range l.moves {
			m.moveBytes(&l.moves[k], sources[k], targets[k], int(from), int(to))
		}
		return
	}
	for i := from; i < to; i++ {
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
func (v *move) places(table uint16, from, to int) (begin, end, size int) {
	size = 1
	if v.words {
		size = 2
	}
	return int(table) + size*from, int(table) + size*to, size
}

// apart reports whether the moves of some places can be done one after the other:
// nothing that one of them writes is read or written by another.
func (l *moveLoop) apart(sources, targets *[longestLoop]uint16, from, to int) bool {
	for i := range l.moves {
		begin, end, _ := l.moves[i].places(targets[i], from, to)
		for k := range l.moves {
			v := &l.moves[k]
			if b, e, _ := v.places(targets[k], from, to); k != i && b < end && begin < e {
				return false
			}
			if b, e, _ := v.places(sources[k], from, to); v.loads && b < end && begin < e {
				return false
			}
		}
	}
	return true
}

// moveBytes does one move for some places at once.
func (m *Machine) moveBytes(v *move, source, target uint16, from, to int) {
	begin, end, size := v.places(target, from, to)
	if v.loads {
		at, behind, _ := v.places(source, from, to)
		if m.tracing {
			m.noteRead(uint16(at), behind-at)
		}
		copy(m.mem[begin:end], m.mem[at:behind])
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
