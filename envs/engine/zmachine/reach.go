package zmachine

// beyond is the reach of an instruction that cannot be remembered.
const beyond = maxLocals + 1

// reach returns how many local variables a routine must have so that what an
// instruction does there can be remembered: what lies behind them is not the
// routine's own. It is beyond for an instruction that does, or depends on,
// something else than a recording notes.
func reach(in *instruction, f form) uint8 {
	fixed := in.kind(0) == constant
	switch {
	case f&unrecordable != 0, f&indirect != 0 && !fixed:
		return beyond
	case in.op == opOutputStream && !(fixed && (in.values[0] == 3 || in.values[0] == 0xFFFD)): // to memory and back
		return beyond
	}
	reach := uint8(0)
	for i := range int(in.count) {
		if in.kind(i) == local {
			reach = max(reach, uint8(in.values[i])+1)
		}
	}
	if in.store <= maxLocals {
		reach = max(reach, in.store)
	}
	if v := uint8(in.values[0]); f&indirect != 0 && v <= maxLocals {
		reach = max(reach, v)
	}
	return reach
}
