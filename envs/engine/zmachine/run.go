package zmachine

import "slices"

// run executes instructions up to a read for which there is no input.
func (m *Machine) run() {
	m.frame = m.locals()
	for in := m.fetch(); in != nil; {
		m.pc = int(in.next)
		if m.budget--; m.budget < 0 {
			m.fail(BudgetExceeded) // unless there is another fault
			break
		}
		a, b := in.values[0], in.values[1]
		switch in.kind(0) {
		case local:
			a = m.local(a)
		case global:
			a = m.loadw(a)
		case stacked:
			a = m.pop()
		}
		switch in.kind(1) {
		case constant: // mostly, so it is tested first
		case local:
			b = m.local(b)
		case global:
			b = m.loadw(b)
		case stacked:
			b = m.pop()
		}
		if in.count > 2 {
			m.evaluateRest(in)
		}
		r := a         // the result
		var holds bool // the condition
		switch in.op {
		case opMove:
		case opJe:
			holds = a == b
		case opJeAny:
			m.args[1] = b
			holds = slices.Contains(m.args[1:in.count], a)
		case opJl:
			holds = int16(a) < int16(b)
		case opJg:
			holds = int16(a) > int16(b)
		case opJin:
			holds = m.parent(a) == b
		case opTest:
			holds = a&b == b
		case opTestAttr:
			holds = m.testAttribute(a, b)
		case opDecChk:
			holds = m.add(a, -1) < int16(b)
		case opIncChk:
			holds = m.add(a, 1) > int16(b)
		case opOr:
			r = a | b
		case opAnd:
			r = a & b
		case opNot:
			r = ^a
		case opAdd:
			r = a + b
		case opSub:
			r = a - b
		case opMul:
			r = a * b
		case opDiv, opMod:
			r = m.divide(in.op, int16(a), int16(b))
		case opLoadw:
			r = m.loadw(a + 2*b)
		case opLoadb:
			r = uint16(m.ram[a+b])
		case opLoad:
			r = m.peek(uint8(a))
		case opGetSibling:
			r = m.sibling(a)
			holds = r != 0
		case opGetChild:
			r = m.child(a)
			holds = r != 0
		case opGetParent:
			r = m.parent(a)
		case opGetProp:
			r = m.property(a, b)
		case opGetPropAddr:
			r = m.propertyAddress(a, b)
		case opGetPropLen:
			r = m.propertyLength(a)
		case opInc:
			m.add(a, 1)
		case opDec:
			m.add(a, -1)
		case opStore:
			m.poke(uint8(a), b)
		case opPull:
			m.poke(uint8(a), m.pop())
		case opStorew:
			m.storew(a+2*b, m.args[2])
		case opStoreb:
			m.storeb(a+b, byte(m.args[2]))
		case opSetAttr:
			m.setAttribute(a, b)
		case opClearAttr:
			m.clearAttribute(a, b)
		case opPrintChar:
			m.printZSCII(a)
		case opJump:
			if holds = in.branches; !holds { // by a variable
				m.pc += int(int16(a)) - 2
				in = m.fetch()
				continue
			}
		case opCall:
			m.args[0], m.args[1], m.count = a, b, int(in.count)
			in = m.enter(in)
			continue
		case opRet:
			m.ret(a)
			in = m.back()
			continue
		case opRestore:
			in, r = m.restore(in)
			holds = in.branches && r != 0
		default:
			if in.do == nil {
				m.fail(IllegalOpcode)
				break
			}
			m.args[0], m.args[1], m.count = a, b, int(in.count)
			r, holds = in.do(m, in, a, b)
			if m.pc != int(in.next) {
				in = m.fetch()
				continue
			}
		}
		if in.stores {
			switch v := in.store - 1; {
			case v < maxLocals:
				m.frame[v%window] = r
			case in.store == 0:
				m.push(r)
			default:
				m.setVariable(in.store, r)
			}
		}
		way := &in.no
		if holds {
			way = &in.yes
		}
		if target := way.Load(); target != nil {
			in = target
		} else {
			in = m.advance(in, way)
		}
	}
}

// evaluateRest evaluates the operands behind the second.
func (m *Machine) evaluateRest(in *instruction) {
	for i := 2; i < int(in.count); i++ {
		v := in.values[i&7]
		switch in.kind(i) {
		case local:
			v = m.local(v)
		case global:
			v = m.loadw(v)
		case stacked:
			v = m.pop()
		}
		m.args[i&7] = v
	}
}

// arg returns an operand that may be left out.
func (m *Machine) arg(i int) uint16 {
	if i >= m.count {
		return 0
	}
	return m.args[i]
}

// add changes a variable by d and returns its new value.
func (m *Machine) add(variable uint16, d int16) int16 {
	value := int16(m.peek(uint8(variable))) + d
	m.poke(uint8(variable), uint16(value))
	return value
}

func (m *Machine) divide(op opcode, a, b int16) uint16 {
	switch {
	case b == 0:
		m.fail(DivisionByZero)
		return 0
	case op == opDiv:
		return uint16(a / b)
	default:
		return uint16(a % b)
	}
}
