package zmachine

// window is how many words above the beginning of a frame steps see at once, a power of
// two; local variables are in all but the last.
const window = maxLocals + 1

// locals are the places of the local variables.
func (m *Machine) locals() *[window]uint16 { return (*[window]uint16)(m.stack[m.fp:]) }

// local returns a local variable that is an operand of a step.
func (m *Machine) local(v uint16) uint16 { return m.frame[v%window] }

// operand evaluates an operand.
func (m *Machine) operand(kind uint8, v uint16) uint16 {
	switch kind {
	case constant:
		return v
	case local:
		return m.local(v)
	case global:
		return m.loadw(v)
	default:
		return m.pop()
	}
}

// operands evaluates the first two operands of a step that may fail.
func (m *Machine) operands(in *step) (a, b uint16) {
	m.pc = int(in.pc)
	a, b = in.values[0], in.values[1]
	switch in.kinds & 3 {
	case local:
		a = m.local(a)
	case global:
		if m.tracing {
			m.noteRead(a, 2)
		}
		a = m.word(a)
	case stacked:
		a = m.pop()
	}
	switch in.kinds >> 2 & 3 {
	case local:
		b = m.local(b)
	case global:
		if m.tracing {
			m.noteRead(b, 2)
		}
		b = m.word(b)
	case stacked:
		b = m.pop()
	}
	return a, b
}

// third evaluates the third operand.
func (m *Machine) third(in *step) uint16 { return m.operand(in.kind(2), in.values[2]) }

// stop ends a run behind a step: because of a fault, or because the budget is used up.
func (m *Machine) stop(in *step) *step {
	if m.fault == nil {
		m.pc = int(in.pc)
	}
	return m.halt()
}

// halt is stop behind a step whose address is known.
func (m *Machine) halt() *step {
	if m.tracing {
		m.abandon()
	}
	m.fail(BudgetExceeded) // unless there is another fault
	return nil
}

// pay takes from the budget what a step costs that ends a run, and reports whether it
// may be executed.
func (m *Machine) pay(in *step) bool {
	m.budget -= int(in.before) + 1
	return m.budget >= 0
}

// way returns where a step with a condition goes on that cannot fail.
func (m *Machine) way(in *step, holds bool) *step {
	cost, to := in.costs[0], in.next
	if holds {
		cost, to = in.costs[1], in.taken
	}
	if m.budget -= int(cost); m.budget < 0 {
		m.pc = int(in.pc)
		return &m.story.code.spent
	}
	return to
}

// checkedWay is way for a step that can fail.
func (m *Machine) checkedWay(in *step, holds bool) *step {
	if m.fault != nil {
		return m.stop(in)
	}
	return m.way(in, holds)
}

// onward returns where a step without a condition goes on that can fail.
func (m *Machine) onward(in *step) *step {
	if m.fault != nil {
		return m.stop(in)
	}
	return in.next
}

// deliver stores the result of a step and returns where that goes on.
func (m *Machine) deliver(in *step, result uint16) *step {
	if in.local < maxLocals {
		m.frame[in.local] = result
		return in.next
	}
	return m.put(in, result)
}

// put is deliver for what is no local variable.
func (m *Machine) put(in *step, result uint16) *step {
	switch {
	case in.store == 0 && m.sp+frameWords*m.depth < stackSize && !m.tracing:
		m.stack[m.sp] = result
		m.sp++
		return in.next
	case in.store != 0 && m.plainGlobals:
		addr := m.global(in.store)
		m.ram[addr], m.ram[int(addr)+1] = byte(result>>8), byte(result)
		return in.next
	}
	m.pc = int(in.pc)
	m.setVariable(in.store, result)
	return m.onward(in)
}

// deliverChecked is deliver for a step that can fail.
func (m *Machine) deliverChecked(in *step, result uint16) *step {
	m.setVariable(in.store, result)
	return m.onward(in)
}

// performs returns what executes steps with operands of any kind.
func performs() [quicks]func(*Machine, *step) *step {
	return [quicks]func(*Machine, *step) *step{
		slow:           performSlow,
		quickCall:      performCall,
		quickCallKnown: callKnown,
		quickReturn:    performReturn,
		quickJump:      performJump,
		quickLink:      performJump,
		quickJe:        performJe,
		quickJeAny:     performJeAny,
		quickJl:        performJl,
		quickJg:        performJg,
		quickTest:      performTest,
		quickBits:      performBits,
		quickJin:       performJin,
		quickMoves:     performMoves,
		quickSibling:   performSibling,
		quickChild:     performChild,
		quickStep:      performStep,
		quickStorew:    performStorew,
		quickStoreb:    performStoreb,
		quickGive:      performGive,
		quickTake:      performTake,
		quickLoadw:     performLoadw,
		quickLoadb:     performLoadb,
		quickAdd:       performAdd,
		quickSub:       performSub,
		quickMul:       performMul,
		quickDiv:       performDiv,
		quickMod:       performMod,
		quickAnd:       performAnd,
		quickOr:        performOr,
		quickParent:    performParent,
		quickProperty:  performProperty,
		quickAddress:   performAddress,
		quickLength:    performLength,
		quickMove:      performMove,
		quickInc:       performInc,
		quickPull:      performPull,
		quickStore:     performStore,
		quickPrint:     performPrint,
	}
}

func performJump(m *Machine, in *step) *step { return m.way(in, true) }

// goElsewhere goes on at an address that was not laid out.
func goElsewhere(m *Machine, in *step) *step {
	m.pc = int(in.pc)
	return m.fetch()
}

// performSlow executes an instruction that has no function of its own.
func performSlow(m *Machine, at *step) *step {
	if !m.pay(at) {
		return m.stop(at)
	}
	in := at.of
	if in.waits {
		if !m.input.ready {
			m.budget++ // it will be executed in the next step
			m.pc = int(in.at)
			return nil
		}
		m.input.ready = false
	}
	m.pc = int(in.next)
	m.count = int(in.count)
	for i := range m.count {
		m.args[i&7] = m.operand(in.kinds[i&7], in.values[i&7])
	}
	m.execute(in)
	return m.resume(at)
}

func performJe(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.checkedWay(in, a == b)
}

// performJeAny compares with several operands.
func performJeAny(m *Machine, in *step) *step {
	a, b := m.operands(in)
	holds := a == b
	for i := 2; i < int(in.of.count); i++ {
		if m.operand(in.of.kinds[i&7], in.of.values[i&7]) == a {
			holds = true
		}
	}
	return m.checkedWay(in, holds)
}

func performJl(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.checkedWay(in, int16(a) < int16(b))
}

func performJg(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.checkedWay(in, int16(a) > int16(b))
}

func performBits(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.checkedWay(in, a&b == b)
}

func performTest(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.checkedWay(in, m.testAttribute(a, b))
}

func performJin(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.checkedWay(in, m.parent(a) == b)
}

func performSibling(m *Machine, in *step) *step {
	a, _ := m.operands(in)
	r := m.sibling(a)
	m.setVariable(in.store, r)
	return m.checkedWay(in, r != 0)
}

func performChild(m *Machine, in *step) *step {
	a, _ := m.operands(in)
	r := m.child(a)
	m.setVariable(in.store, r)
	return m.checkedWay(in, r != 0)
}

// performStep adds 1 or -1 to a variable and compares it.
func performStep(m *Machine, in *step) *step {
	a, b := m.operands(in)
	r := m.peek(in.store) + a
	m.poke(in.store, r)
	if int16(a) > 0 {
		return m.checkedWay(in, int16(r) > int16(b))
	}
	return m.checkedWay(in, int16(r) < int16(b))
}

func performMoves(m *Machine, in *step) *step {
	m.runMoveLoop(in.of.loop)
	return m.checkedWay(in, int16(m.local(in.values[0])) < int16(in.values[1]))
}

func performStorew(m *Machine, in *step) *step {
	a, b := m.operands(in)
	m.storew(a+2*b, m.third(in))
	return m.onward(in)
}

func performStoreb(m *Machine, in *step) *step {
	a, b := m.operands(in)
	m.storeb(a+b, byte(m.third(in)))
	return m.onward(in)
}

func performGive(m *Machine, in *step) *step {
	m.setAttribute(m.operands(in))
	return m.onward(in)
}

func performTake(m *Machine, in *step) *step {
	m.clearAttribute(m.operands(in))
	return m.onward(in)
}

func performLoadw(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.deliverChecked(in, m.loadw(a+2*b))
}

func performLoadb(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.deliverChecked(in, m.loadb(a+b))
}

func performAdd(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.deliverChecked(in, a+b)
}

func performSub(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.deliverChecked(in, a-b)
}

func performMul(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.deliverChecked(in, a*b)
}

func performDiv(m *Machine, in *step) *step {
	a, b := m.operands(in)
	if b == 0 {
		m.fail(DivisionByZero)
		return m.stop(in)
	}
	return m.deliverChecked(in, uint16(int16(a)/int16(b)))
}

func performMod(m *Machine, in *step) *step {
	a, b := m.operands(in)
	if b == 0 {
		m.fail(DivisionByZero)
		return m.stop(in)
	}
	return m.deliverChecked(in, uint16(int16(a)%int16(b)))
}

func performAnd(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.deliverChecked(in, a&b)
}

func performOr(m *Machine, in *step) *step {
	a, b := m.operands(in)
	return m.deliverChecked(in, a|b)
}

func performParent(m *Machine, in *step) *step {
	a, _ := m.operands(in)
	return m.deliverChecked(in, m.parent(a))
}

func performProperty(m *Machine, in *step) *step {
	return m.deliverChecked(in, m.property(m.operands(in)))
}

func performAddress(m *Machine, in *step) *step {
	return m.deliverChecked(in, m.propertyAddress(m.operands(in)))
}

func performLength(m *Machine, in *step) *step {
	a, _ := m.operands(in)
	return m.deliverChecked(in, m.propertyLength(a))
}

func performMove(m *Machine, in *step) *step {
	a, _ := m.operands(in)
	return m.deliverChecked(in, a)
}

func performInc(m *Machine, in *step) *step {
	a, _ := m.operands(in)
	m.poke(in.store, m.peek(in.store)+a)
	return m.onward(in)
}

func performPull(m *Machine, in *step) *step {
	a, _ := m.operands(in)
	m.poke(in.store, a)
	return m.onward(in)
}

func performStore(m *Machine, in *step) *step {
	_, b := m.operands(in)
	m.poke(in.store, b)
	return m.onward(in)
}

func performPrint(m *Machine, in *step) *step {
	a, _ := m.operands(in)
	m.printZSCII(a)
	return m.onward(in)
}
