package zmachine

// beyond is the reach of an instruction that cannot be remembered.
const beyond = maxLocals + 1

// reach returns how many local variables a routine must have so that what an
// instruction does there can be remembered: what lies behind them is not the
// routine's own. It is beyond for an instruction that does, or depends on,
// something else than a recording notes.
func reach(in *instruction) uint8 {
	if !remembers(in) {
		return beyond
	}
	reach := uint8(0)
	for i := range in.count {
		if in.kinds[i] == local {
			reach = max(reach, uint8(in.values[i])+1)
		}
	}
	variables := []uint16{uint16(in.store)}
	if indirect(in.op) {
		if in.kinds[0] != constant {
			return beyond
		}
		variables = append(variables, in.values[0]&0xFF)
	}
	for _, v := range variables {
		if v <= maxLocals {
			reach = max(reach, uint8(v))
		}
	}
	return reach
}

// indirect reports whether the first operand of an instruction is the number of
// a variable.
func indirect(op uint8) bool {
	switch op {
	case op1 | 5, op1 | 6, op1 | 14, op2 | 4, op2 | 5, op2 | 13, opVar | 9:
		return true
	}
	return false
}

// remembers reports whether an instruction does nothing but compute, read and
// write memory, change objects, show text, call and return.
func remembers(in *instruction) bool {
	number := in.op & 0x1F
	switch {
	case in.op >= opExt:
		return in.op == opExt|2 || in.op == opExt|3 // shifts
	case in.op >= opVar:
		switch number {
		case outputStream: // to memory and back
			return in.kinds[0] == constant && (in.values[0] == 3 || in.values[0] == 0xFFFD)
		case 0, 1, 2, 3, 5, 6, 8, 9, 10, 11, 12, 13, 15, 17, 18, 23, 24, 25, 26, 29, 31:
			return true
		}
		return false
	case in.op >= op0:
		return number <= 4 || number == 8 || number == 11
	case in.op >= op1:
		return true
	default:
		return number >= 1 && number <= 26
	}
}
