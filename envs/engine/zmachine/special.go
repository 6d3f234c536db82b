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
	kindsLS = local | stacked<<2
	kindsGS = global | stacked<<2
	kindsLG = local | global<<2
	kindsS  = stacked
)

// shape is a quick instruction with operands of certain kinds.
type shape struct {
	quick quick
	kinds uint8
}

// specials returns what executes steps of some shapes, those that make up most of what
// runs.
func specials() map[shape]func(*Machine, *step) *step {
	return map[shape]func(*Machine, *step) *step{
		{quickJe, kindsLC}:     jeLC,
		{quickJe, kindsLL}:     jeLL,
		{quickJe, kindsGC}:     jeGC,
		{quickJl, kindsLC}:     jlLC,
		{quickJl, kindsLL}:     jlLL,
		{quickJg, kindsLC}:     jgLC,
		{quickJg, kindsLL}:     jgLL,
		{quickLoadw, kindsLC}:  loadwLC,
		{quickLoadw, kindsLL}:  loadwLL,
		{quickLoadb, kindsLC}:  loadbLC,
		{quickLoadb, kindsLL}:  loadbLL,
		{quickAdd, kindsLC}:    addLC,
		{quickAdd, kindsLL}:    addLL,
		{quickSub, kindsLL}:    subLL,
		{quickAdd, kindsGC}:    addGC,
		{quickMove, kindsG}:    moveG,
		{quickJl, kindsGC}:     jlGC,
		{quickJg, kindsGC}:     jgGC,
		{quickJe, kindsSC}:     jeSC,
		{quickJe, kindsGL}:     jeGL,
		{quickJe, kindsLS}:     jeLS,
		{quickJl, kindsSC}:     jlSC,
		{quickJg, kindsSC}:     jgSC,
		{quickJl, kindsLS}:     jlLS,
		{quickJg, kindsLS}:     jgLS,
		{quickJg, kindsGS}:     jgGS,
		{quickTest, kindsLC}:   testLC,
		{quickJin, kindsLG}:    jinLG,
		{quickSibling, kindsL}: siblingL,
		{quickChild, kindsL}:   childL,
		{quickLoadb, kindsC}:   loadbC,
		{quickJl, kindsGL}:     jlGL,
		{quickJg, kindsGL}:     jgGL,
		{quickAdd, kindsSC}:    addSC,
		{quickReturn, kindsS}:  returnS,
		{quickLoadw, kindsGC}:  loadwGC,
		{quickLoadw, kindsGL}:  loadwGL,
		{quickLoadw, kindsCL}:  loadwCL,
		{quickLoadb, kindsCL}:  loadbCL,
		{quickReturn, kindsC}:  returnC,
		{quickReturn, kindsL}:  returnL,
		{quickAnd, kindsLC}:    andLC,
		{quickMove, kindsC}:    moveC,
		{quickMove, kindsL}:    moveL,
	}
}

func jeLC(m *Machine, in *step) *step { return m.way(in, m.local(in.values[0]) == in.values[1]) }

func jeLL(m *Machine, in *step) *step {
	return m.way(in, m.local(in.values[0]) == m.local(in.values[1]))
}

func jeGC(m *Machine, in *step) *step { return m.way(in, m.word(in.values[0]) == in.values[1]) }

func jeGL(m *Machine, in *step) *step {
	return m.way(in, m.word(in.values[0]) == m.local(in.values[1]))
}

// What pops is executed as if it were recorded where there is nothing to pop, and fails.

func jeSC(m *Machine, in *step) *step {
	if m.sp <= m.base {
		return in.traced(m, in)
	}
	m.sp--
	return m.way(in, m.stack[m.sp] == in.values[1])
}

func jeLS(m *Machine, in *step) *step {
	if m.sp <= m.base {
		return in.traced(m, in)
	}
	m.sp--
	return m.way(in, m.local(in.values[0]) == m.stack[m.sp])
}

func jlSC(m *Machine, in *step) *step {
	if m.sp <= m.base {
		return in.traced(m, in)
	}
	m.sp--
	return m.way(in, int16(m.stack[m.sp]) < int16(in.values[1]))
}

func jgSC(m *Machine, in *step) *step {
	if m.sp <= m.base {
		return in.traced(m, in)
	}
	m.sp--
	return m.way(in, int16(m.stack[m.sp]) > int16(in.values[1]))
}

func jlLS(m *Machine, in *step) *step {
	if m.sp <= m.base {
		return in.traced(m, in)
	}
	m.sp--
	return m.way(in, int16(m.local(in.values[0])) < int16(m.stack[m.sp]))
}

func jgLS(m *Machine, in *step) *step {
	if m.sp <= m.base {
		return in.traced(m, in)
	}
	m.sp--
	return m.way(in, int16(m.local(in.values[0])) > int16(m.stack[m.sp]))
}

func jgGS(m *Machine, in *step) *step {
	if m.sp <= m.base {
		return in.traced(m, in)
	}
	m.sp--
	return m.way(in, int16(m.word(in.values[0])) > int16(m.stack[m.sp]))
}

func addSC(m *Machine, in *step) *step {
	if m.sp <= m.base {
		return in.traced(m, in)
	}
	m.sp--
	return m.deliver(in, m.stack[m.sp]+in.values[1])
}

// What is about objects is executed as if it were recorded where a number is too large or
// 0, or the result is not for a local variable.

func testLC(m *Machine, in *step) *step {
	t, n, a := &m.objects, m.local(in.values[0])-1, in.values[1]
	if n >= t.most || a >= t.attributes {
		return in.traced(m, in)
	}
	return m.way(in, m.ram[t.first+n*t.size+a/8]<<(a&7)&0x80 != 0)
}

func jinLG(m *Machine, in *step) *step {
	n := m.local(in.values[0]) - 1
	if n >= m.objects.most {
		return in.traced(m, in)
	}
	return m.way(in, m.linkOf(n, parentLink) == m.word(in.values[1]))
}

func siblingL(m *Machine, in *step) *step {
	n := m.local(in.values[0]) - 1
	if n >= m.objects.most || in.local >= maxLocals {
		return in.traced(m, in)
	}
	r := m.linkOf(n, siblingLink)
	m.frame[in.local] = r
	return m.way(in, r != 0)
}

func childL(m *Machine, in *step) *step {
	n := m.local(in.values[0]) - 1
	if n >= m.objects.most || in.local >= maxLocals {
		return in.traced(m, in)
	}
	r := m.linkOf(n, childLink)
	m.frame[in.local] = r
	return m.way(in, r != 0)
}

// linkOf returns a link of an object, of which n is the number less 1.
func (m *Machine) linkOf(n uint16, l link) uint16 {
	t := &m.objects
	if t.wide {
		return m.word(t.first + n*t.size + 6 + 2*uint16(l))
	}
	return m.byte(t.first + n*t.size + 4 + uint16(l))
}

func loadbC(m *Machine, in *step) *step {
	return m.deliver(in, m.byte(in.values[0]+in.values[1]))
}

func jlGL(m *Machine, in *step) *step {
	return m.way(in, int16(m.word(in.values[0])) < int16(m.local(in.values[1])))
}

func jgGL(m *Machine, in *step) *step {
	return m.way(in, int16(m.word(in.values[0])) > int16(m.local(in.values[1])))
}

func loadwGC(m *Machine, in *step) *step {
	return m.deliver(in, m.word(m.word(in.values[0])+2*in.values[1]))
}

func loadwGL(m *Machine, in *step) *step {
	return m.deliver(in, m.word(m.word(in.values[0])+2*m.local(in.values[1])))
}

func loadwCL(m *Machine, in *step) *step {
	return m.deliver(in, m.word(in.values[0]+2*m.local(in.values[1])))
}

func loadbCL(m *Machine, in *step) *step {
	return m.deliver(in, m.byte(in.values[0]+m.local(in.values[1])))
}

func jlGC(m *Machine, in *step) *step {
	return m.way(in, int16(m.word(in.values[0])) < int16(in.values[1]))
}

func jgGC(m *Machine, in *step) *step {
	return m.way(in, int16(m.word(in.values[0])) > int16(in.values[1]))
}

func addGC(m *Machine, in *step) *step { return m.deliver(in, m.word(in.values[0])+in.values[1]) }

func moveG(m *Machine, in *step) *step { return m.deliver(in, m.word(in.values[0])) }

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
	return m.deliver(in, m.word(m.local(in.values[0])+2*in.values[1]))
}

func loadwLL(m *Machine, in *step) *step {
	return m.deliver(in, m.word(m.local(in.values[0])+2*m.local(in.values[1])))
}

func loadbLC(m *Machine, in *step) *step {
	return m.deliver(in, m.byte(m.local(in.values[0])+in.values[1]))
}

func loadbLL(m *Machine, in *step) *step {
	return m.deliver(in, m.byte(m.local(in.values[0])+m.local(in.values[1])))
}

func addLC(m *Machine, in *step) *step { return m.deliver(in, m.local(in.values[0])+in.values[1]) }

// addLCJump does what a jump behind it does, too.
func addLCJump(m *Machine, in *step) *step {
	m.frame[in.local%window] = m.local(in.values[0]) + in.values[1]
	return m.way(in, true)
}

func addLL(m *Machine, in *step) *step {
	return m.deliver(in, m.local(in.values[0])+m.local(in.values[1]))
}

func subLL(m *Machine, in *step) *step {
	return m.deliver(in, m.local(in.values[0])-m.local(in.values[1]))
}

func andLC(m *Machine, in *step) *step { return m.deliver(in, m.local(in.values[0])&in.values[1]) }

func moveC(m *Machine, in *step) *step { return m.deliver(in, in.values[0]) }

func moveL(m *Machine, in *step) *step { return m.deliver(in, m.local(in.values[0])) }
