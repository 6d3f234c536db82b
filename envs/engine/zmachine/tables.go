package zmachine

// scanTable executes scan_table: it looks for a value in a table.
func (m *Machine) scanTable() (address uint16, found bool) {
	value, addr, length := m.args[0], m.args[1], m.args[2]
	form := uint16(0x82)
	if m.count > 3 {
		form = m.args[3]
	}
	for range length {
		if !m.charge(1) {
			break
		}
		entry := m.loadb(addr)
		if form&0x80 != 0 {
			entry = m.loadw(addr)
		}
		if entry == value {
			return addr, true
		}
		addr += form & 0x7F
	}
	return 0, false
}

// copyTable executes copy_table; Standard, section 15. A negative size forbids to care for tables that overlap.
func (m *Machine) copyTable(src, dst uint16, size int16) {
	n := int(size)
	if n < 0 {
		n = -n
	}
	if !m.charge(n) {
		return
	}
	backward := dst != 0 && size > 0 && src < dst
	for i := range n {
		offset := uint16(i)
		if backward {
			offset = uint16(n - 1 - i)
		}
		switch {
		case m.fault != nil:
			return
		case dst == 0:
			m.storeb(src+offset, 0)
		default:
			m.storeb(dst+offset, byte(m.loadb(src+offset)))
		}
	}
}

// printTable executes print_table: rows of characters below each other, of Latin-1 as in the
// reference, not of ZSCII.
func (m *Machine) printTable() {
	addr, width := m.arg(0), m.arg(1)
	height := uint16(1)
	if m.count > 2 {
		height = m.args[2]
	}
	skip := m.arg(3)
	m.flush()
	s := &m.screen
	col := s.col[s.window]
	for i := range height {
		if i > 0 {
			m.flush()
			s.row[s.window]++
			s.col[s.window] = col
		}
		for range width {
			if !m.charge(1) {
				return
			}
			m.printChar(byte(m.loadb(addr)))
			addr++
		}
		if !m.charge(1) {
			return
		}
		addr += skip
	}
}
