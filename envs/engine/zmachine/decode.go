package zmachine

// The classes of instructions. The number of an instruction in its class is
// that of the Standard, section 14, and class|number names it.
const (
	op2   = 0x00 // two operands
	op1   = 0x20 // one operand
	op0   = 0x40 // none
	opVar = 0x60 // up to eight
	opExt = 0x80 // extended
)

// The two bytes at which a story waits for input, spec §3.2.
const (
	opcodeRead     = 0xE4
	opcodeReadChar = 0xF6
)

// Kinds of operands.
const (
	constant = iota
	stacked  // popped
	local    // the value is the number of the local variable, from 0
	global   // the value is the address of the global variable
)

// Where branches go that return from the routine.
const (
	returnFalse = -1
	returnTrue  = -2
)

// instruction is an instruction, decoded.
type instruction struct {
	op     uint8 // class|number
	reach  uint8 // see reach
	waits  bool  // it waits for input
	count  uint8 // operands
	store  uint8
	result int16 // store, or discard
	sense  bool  // branches if the condition is this
	kinds  [8]uint8
	values [8]uint16
	target int32     // of the branch: an address, returnFalse or returnTrue
	text   int32     // address of the text inside the instruction
	at     int32     // address
	next   int32     // address of the instruction that follows
	loop   *moveLoop // that it begins
	callee *callee   // that it calls, if that is always the same
}

// What is no instruction of a story: one that does not exist, and a link to an
// instruction elsewhere.
const (
	illegal = 0xFF
	linkOp  = 0xFE
)

// leaves reports whether an instruction never goes on to the next one.
func (in *instruction) leaves() bool {
	switch in.op {
	case op0, op0 | 1, op0 | 3, op0 | 8, op1 | 11, op1 | 12, illegal:
		return true
	}
	return false
}

// decode reads the instruction at an address of memory; Standard, section 4. Memory is
// longer than the story by more than an instruction.
func (s *Story) decode(mem []byte, pc int) instruction {
	opcode := mem[pc]
	in := instruction{at: int32(pc), waits: opcode == opcodeRead || opcode == opcodeReadChar}
	pc++
	switch {
	case opcode == 0xBE && s.version >= 5:
		number := mem[pc]
		types := mem[pc+1]
		if in.op = opExt | number; number >= 0x20 {
			in.op = opExt | 0x1F // unknown ones do nothing: Standard, 14.2
		}
		pc = s.operands(mem, &in, pc+2, types)
	case opcode < 0x80:
		in.op = op2 | opcode&0x1F
		pc = s.operand(mem, &in, pc, 1+opcode>>6&1)
		pc = s.operand(mem, &in, pc, 1+opcode>>5&1)
	case opcode < 0xB0:
		in.op = op1 | opcode&0x0F
		pc = s.operand(mem, &in, pc, opcode>>4&3)
	case opcode < 0xC0:
		in.op = op0 | opcode&0x0F
	default:
		in.op = op2 | opcode&0x1F
		if opcode >= 0xE0 {
			in.op = opVar | opcode&0x1F
		}
		types := mem[pc]
		if opcode == 0xEC || opcode == 0xFA {
			more := mem[pc+1]
			pc = s.operands(mem, &in, pc+2, types)
			pc = s.operands(mem, &in, pc, more)
		} else {
			pc = s.operands(mem, &in, pc+1, types)
		}
	}
	in.next = int32(pc)
	s.decodeTail(mem, &in)
	if in.op == op1|12 && in.kinds[0] == constant { // a jump is a branch on no condition
		in.sense, in.target = true, max(in.next+int32(int16(in.values[0]))-2, 0)
	}
	if in.result = discard; s.form(in.op)&stores != 0 {
		in.result = int16(in.store)
	}
	in.reach = reach(&in)
	return in
}

// operands reads up to four operands.
func (s *Story) operands(mem []byte, in *instruction, pc int, types uint8) int {
	for shift := 6; shift >= 0; shift -= 2 {
		t := types >> shift & 3
		if t == 3 {
			break
		}
		pc = s.operand(mem, in, pc, t)
	}
	return pc
}

// operand reads one operand of a type: 0 large constant, 1 small constant, 2
// variable.
func (s *Story) operand(mem []byte, in *instruction, pc int, t uint8) int {
	i := in.count
	in.count++
	b := uint16(mem[pc])
	switch {
	case t == 0:
		in.values[i] = b<<8 | uint16(mem[pc+1])
		return pc + 2
	case t == 1:
		in.values[i] = b
	case b == 0:
		in.kinds[i] = stacked
	case b <= maxLocals:
		in.kinds[i], in.values[i] = local, b-1
	default:
		in.kinds[i], in.values[i] = global, s.global(uint8(b))
	}
	return pc + 1
}

// decodeTail reads what follows the operands, and settles whether there is such
// an instruction in this version.
func (s *Story) decodeTail(mem []byte, in *instruction) {
	f := s.form(in.op)
	if f&exists == 0 || in.count < uint8(f&minOperands) {
		in.op = illegal
		return
	}
	pc := int(in.next)
	if f&stores != 0 {
		in.store = mem[pc]
		pc++
	}
	if f&branches != 0 {
		b := mem[pc]
		pc++
		in.sense = b&0x80 != 0
		offset := int(b & 0x3F)
		if b&0x40 == 0 {
			offset = int(int16(uint16(b&0x3F)<<10|uint16(mem[pc])<<2) >> 2)
			pc++
		}
		switch offset {
		case 0:
			in.target = returnFalse
		case 1:
			in.target = returnTrue
		default:
			in.target = int32(max(pc+offset-2, 0))
		}
	}
	in.text = int32(pc)
	if f&inline != 0 {
		for pc < s.Size() && mem[pc]&0x80 == 0 {
			pc += 2
		}
		pc += 2
	}
	in.next = int32(pc)
}

// form says what belongs to an instruction.
type form uint8

const (
	minOperands form = 3 // the operands that it needs at least
	stores      form = 4
	branches    form = 8
	inline      form = 16 // has a text inside
	exists      form = 32
)

// form returns what belongs to an instruction in the story's version.
func (s *Story) form(op uint8) form {
	v := s.version
	number := op & 0x1F
	switch {
	case op >= opExt:
		return formExt(number)
	case op >= opVar:
		return formVar(number, v)
	case op >= op0:
		return form0(number, v)
	case op >= op1:
		return form1(number, v)
	default:
		return form2(number, v)
	}
}

func form2(number uint8, version int) form {
	switch {
	case number == 1:
		return exists | branches | 1
	case number >= 2 && number <= 7, number == 10:
		return exists | branches | 2
	case number == 8, number == 9, number >= 15 && number <= 24,
		number == 25 && version >= 4:
		if number == 25 {
			return exists | stores | 1
		}
		return exists | stores | 2
	case number >= 11 && number <= 14:
		return exists | 2
	case number == 26 && version >= 5:
		return exists | 1
	case number == 27 && version >= 5, number == 28 && version >= 5:
		return exists | 2
	}
	return 0
}

func form1(number uint8, version int) form {
	switch number {
	case 0:
		return exists | branches | 1
	case 1, 2:
		return exists | stores | branches | 1
	case 3, 4, 14:
		return exists | stores | 1
	case 8:
		if version >= 4 {
			return exists | stores | 1
		}
		return 0
	case 15:
		if version >= 5 {
			return exists | 1 // call_1n
		}
		return exists | stores | 1 // not
	}
	return exists | 1
}

func form0(number uint8, version int) form {
	switch number {
	case 2, 3:
		return exists | inline
	case 5, 6:
		switch {
		case version <= 3:
			return exists | branches
		case version == 4:
			return exists | stores
		}
		return 0
	case 9:
		if version >= 5 {
			return exists | stores // catch
		}
		return exists // pop
	case 13, 15:
		return exists | branches
	case 14:
		return 0
	}
	return exists
}

func formVar(number uint8, version int) form {
	switch number {
	case 0:
		return exists | stores | 1
	case 1, 2, 3:
		return exists | 3
	case 4:
		if version >= 5 {
			return exists | stores | 1
		}
		return exists | 2
	case 7:
		return exists | stores | 1
	case 12:
		if version >= 4 {
			return exists | stores | 1
		}
		return 0
	case 22:
		if version >= 4 {
			return exists | stores
		}
		return 0
	case 23:
		if version >= 4 {
			return exists | stores | branches | 3
		}
		return 0
	case 24:
		if version >= 5 {
			return exists | stores | 1
		}
		return 0
	case 27, 28, 29, 30:
		if version >= 5 {
			return exists | 2
		}
		return 0
	case 31:
		if version >= 5 {
			return exists | branches | 1
		}
		return 0
	case 21: // sound_effect may stand alone
		return exists
	case 15:
		return exists | 2
	}
	return exists | 1
}

func formExt(number uint8) form {
	switch number {
	case 0, 1, 9, 10:
		return exists | stores
	case 2, 3:
		return exists | stores | 2
	case 4:
		return exists | stores | 1
	case 11, 13:
		return exists | 1
	case 12:
		return exists | stores | 1
	}
	if number >= 0x1D {
		return exists
	}
	return 0
}
