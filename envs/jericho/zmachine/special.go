package zmachine

// Kinds of operands: local, constant, global and on the stack.
const (
	kindsLC = local
	kindsLL = local | local<<2
	kindsGC = global
	kindsC  = constant
	kindsL  = local
	kindsG  = global
	kindsGL = global | local<<2
	kindsCL = constant | local<<2
	kindsSC = stacked
)

// shape is a quick instruction with operands of certain kinds.
type shape struct {
	quick quick
	kinds uint8
}

// special returns what executes steps of some shapes, those that make up most of what
// runs; nil for others.
func (s shape) special() func(*Machine, *step) *step {
	switch s {
	case shape{quickJe, kindsLC}:
		return jeLC
	case shape{quickJe, kindsLL}:
		return jeLL
	case shape{quickJe, kindsGC}:
		return jeGC
	case shape{quickJl, kindsLC}:
		return jlLC
	case shape{quickJl, kindsLL}:
		return jlLL
	case shape{quickJg, kindsLC}:
		return jgLC
	case shape{quickJg, kindsLL}:
		return jgLL
	case shape{quickLoadw, kindsLC}:
		return loadwLC
	case shape{quickLoadw, kindsLL}:
		return loadwLL
	case shape{quickLoadb, kindsLC}:
		return loadbLC
	case shape{quickLoadb, kindsLL}:
		return loadbLL
	case shape{quickAdd, kindsLC}:
		return addLC
	case shape{quickAdd, kindsLL}:
		return addLL
	case shape{quickSub, kindsLL}:
		return subLL
	case shape{quickAdd, kindsGC}:
		return addGC
	case shape{quickMove, kindsG}:
		return moveG
	case shape{quickJl, kindsGC}:
		return jlGC
	case shape{quickJg, kindsGC}:
		return jgGC
	case shape{quickJe, kindsSC}:
		return jeSC
	case shape{quickJe, kindsGL}:
		return jeGL
	case shape{quickLoadw, kindsGC}:
		return loadwGC
	case shape{quickLoadw, kindsGL}:
		return loadwGL
	case shape{quickLoadw, kindsCL}:
		return loadwCL
	case shape{quickLoadb, kindsCL}:
		return loadbCL
	case shape{quickReturn, kindsC}:
		return returnC
	case shape{quickReturn, kindsL}:
		return returnL
	case shape{quickAnd, kindsLC}:
		return andLC
	case shape{quickMove, kindsC}:
		return moveC
	case shape{quickMove, kindsL}:
		return moveL
	}
	return nil
}

func jeLC(m *Machine, in *step) *step { return m.way(in, m.local(in.values[0]) == in.values[1]) }

func jeLL(m *Machine, in *step) *step {
	return m.way(in, m.local(in.values[0]) == m.local(in.values[1]))
}

func jeGC(m *Machine, in *step) *step { return m.way(in, m.loadw(in.values[0]) == in.values[1]) }

func jeGL(m *Machine, in *step) *step {
	return m.way(in, m.loadw(in.values[0]) == m.local(in.values[1]))
}

func jeSC(m *Machine, in *step) *step {
	if m.sp <= m.base {
		return performJe(m, in) // which fails
	}
	m.sp--
	return m.way(in, m.stack[m.sp] == in.values[1])
}

func loadwGC(m *Machine, in *step) *step {
	return m.deliver(in, m.loadw(m.loadw(in.values[0])+2*in.values[1]))
}

func loadwGL(m *Machine, in *step) *step {
	return m.deliver(in, m.loadw(m.loadw(in.values[0])+2*m.local(in.values[1])))
}

func loadwCL(m *Machine, in *step) *step {
	return m.deliver(in, m.loadw(in.values[0]+2*m.local(in.values[1])))
}

func loadbCL(m *Machine, in *step) *step {
	return m.deliver(in, m.loadb(in.values[0]+m.local(in.values[1])))
}

func jlGC(m *Machine, in *step) *step {
	return m.way(in, int16(m.loadw(in.values[0])) < int16(in.values[1]))
}

func jgGC(m *Machine, in *step) *step {
	return m.way(in, int16(m.loadw(in.values[0])) > int16(in.values[1]))
}

func addGC(m *Machine, in *step) *step { return m.deliver(in, m.loadw(in.values[0])+in.values[1]) }

func moveG(m *Machine, in *step) *step { return m.deliver(in, m.loadw(in.values[0])) }

func jlLC(m *Machine, in *step) *step {
	return m.way(in, int16(m.local(in.values[0])) < int16(in.values[1]))
}

func jlLL(m *Machine, in *step) *step {
	return m.way(in, int16(m.local(in.values[0])) < int16(m.local(in.values[1])))
}

func jgLC(m *Machine, in *step) *step {
	return m.way(in, int16(m.local(in.values[0])) > int16(in.values[1]))
}

func jgLL(m *Machine, in *step) *step {
	return m.way(in, int16(m.local(in.values[0])) > int16(m.local(in.values[1])))
}

func loadwLC(m *Machine, in *step) *step {
	return m.deliver(in, m.loadw(m.local(in.values[0])+2*in.values[1]))
}

func loadwLL(m *Machine, in *step) *step {
	return m.deliver(in, m.loadw(m.local(in.values[0])+2*m.local(in.values[1])))
}

func loadbLC(m *Machine, in *step) *step {
	return m.deliver(in, m.loadb(m.local(in.values[0])+in.values[1]))
}

func loadbLL(m *Machine, in *step) *step {
	return m.deliver(in, m.loadb(m.local(in.values[0])+m.local(in.values[1])))
}

func addLC(m *Machine, in *step) *step { return m.deliver(in, m.local(in.values[0])+in.values[1]) }

func addLL(m *Machine, in *step) *step {
	return m.deliver(in, m.local(in.values[0])+m.local(in.values[1]))
}

func subLL(m *Machine, in *step) *step {
	return m.deliver(in, m.local(in.values[0])-m.local(in.values[1]))
}

func andLC(m *Machine, in *step) *step { return m.deliver(in, m.local(in.values[0])&in.values[1]) }

func moveC(m *Machine, in *step) *step { return m.deliver(in, in.values[0]) }

func moveL(m *Machine, in *step) *step { return m.deliver(in, m.local(in.values[0])) }
