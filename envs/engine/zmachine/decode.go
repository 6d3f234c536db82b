package zmachine

import "sync/atomic"

// The two bytes at which a story waits for input, spec §3.2.
const (
	opcodeRead     = 0xE4
	opcodeReadChar = 0xF6
)

// Kinds of operands.
const (
	constant = iota
	local    // the value is the number of the local variable, from 0
	global   // the value is the address of the global variable
	stacked  // popped
)

// Where branches go that return from the routine.
const (
	returnFalse = -1
	returnTrue  = -2
)

// instruction is an instruction, decoded.
type instruction struct {
	op       opcode
	do       deed   // of opRare
	count    uint8  // operands
	kinds    uint16 // of the operands, two bits each
	values   [8]uint16
	stores   bool
	branches bool
	sense    bool  // branches if the condition is this
	waits    bool  // it waits for input
	store    uint8 // the variable for the result
	addr     int32 // address
	next     int32 // address of the instruction that follows
	target   int32 // of the branch: an address, returnFalse or returnTrue; without one, behind all but the text inside
	// no and yes are the instructions that follow if the condition holds or not, if they are in constant memory like
	// this one and some machine came to them from here. Without a condition, no is the instruction at next; of a call,
	// yes is the first of the routine, if that is always the same.
	no, yes atomic.Pointer[instruction]
}

// kind returns the kind of an operand.
func (in *instruction) kind(i int) uint8 { return uint8(in.kinds >> (2 * i) & 3) }

// set makes an operand another one.
func (in *instruction) set(i int, kind uint8, value uint16) {
	in.kinds = in.kinds&^(3<<(2*i)) | uint16(kind)<<(2*i)
	in.values[i] = value
}

// result is the variable for the result of an instruction, or discard.
func (in *instruction) result() int16 {
	if in.stores {
		return int16(in.store)
	}
	return discard
}

// decode reads the instruction at an address of memory; Standard, section 4. Memory is
// longer than the story by more than an instruction.
func (s *Story) decode(in *instruction, mem []byte, pc int) {
	opcode := mem[pc]
	*in = instruction{addr: int32(pc), waits: opcode == opcodeRead || opcode == opcodeReadChar}
	pc++
	var number uint8
	switch {
	case opcode == 0xBE && s.version >= 5:
		number = opExt | min(mem[pc], unknownExt)
		pc = s.operands(mem, in, pc+2, mem[pc+1])
	case opcode < 0x80:
		number = op2 | opcode&0x1F
		pc = s.operand(mem, in, pc, 1+opcode>>6&1)
		pc = s.operand(mem, in, pc, 1+opcode>>5&1)
	case opcode < 0xB0:
		number = op1 | opcode&0x0F
		pc = s.operand(mem, in, pc, opcode>>4&3)
	case opcode < 0xC0:
		number = op0 | opcode&0x0F
	default:
		number = op2 | opcode&0x1F
		if opcode >= 0xE0 {
			number = opVar | opcode&0x1F
		}
		types := mem[pc]
		if opcode == 0xEC || opcode == 0xFA {
			moreTypes := mem[pc+1]
			pc = s.operands(mem, in, pc+2, types)
			pc = s.operands(mem, in, pc, moreTypes)
		} else {
			pc = s.operands(mem, in, pc+1, types)
		}
	}
	in.next = int32(pc)
	s.decodeTail(mem, in, s.encodings[number])
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

// operand reads one operand of a type: 0 large constant, 1 small constant, 2 variable.
func (s *Story) operand(mem []byte, in *instruction, pc int, t uint8) int {
	i := int(in.count)
	in.count++
	b := uint16(mem[pc])
	switch {
	case t == 0:
		in.set(i, constant, b<<8|uint16(mem[pc+1]))
		return pc + 2
	case t == 1:
		in.set(i, constant, b)
	default:
		kind, value := s.variable(uint8(b))
		in.set(i, kind, value)
	}
	return pc + 1
}

// decodeTail reads what follows the operands, and settles whether there is such an instruction in this version.
func (s *Story) decodeTail(mem []byte, in *instruction, e encoding) {
	if in.count < e.Operands {
		e = encoding{}
	}
	in.op, in.do, in.stores, in.branches = e.op, e.do, e.Stores, e.Branches
	pc := int(in.next)
	if in.stores {
		in.store = mem[pc]
		pc++
	}
	in.target = int32(pc)
	if in.branches {
		pc = in.decodeBranch(mem, pc)
	}
	if e.Inline {
		for pc < s.Size() && mem[pc]&0x80 == 0 {
			pc += 2
		}
		pc += 2
	}
	in.next = int32(pc)
	if in.op == opJump && in.kind(0) == constant { // a branch on no condition
		in.branches, in.sense, in.target = true, true, max(in.next+int32(int16(in.values[0]))-2, 0)
	}
	s.simplify(in)
}

// simplify makes an instruction one of another opcode that does the same.
func (s *Story) simplify(in *instruction) {
	switch in.op {
	case opJz:
		in.op, in.count = opJe, 2
	case opJe:
		if in.count != 2 {
			in.op = opJeAny
		}
	case opRtrue:
		in.op = opRet
		in.set(0, constant, 1)
	case opRfalse:
		in.op = opRet
	case opRetPopped:
		in.op = opRet
		in.set(0, stacked, 0)
	case opPush:
		in.op, in.stores = opMove, true
	}
}

// variable returns the operand that reads a variable.
func (s *Story) variable(v uint8) (kind uint8, value uint16) {
	switch {
	case v == 0:
		return stacked, 0
	case v <= maxLocals:
		return local, uint16(v) - 1
	default:
		return global, uint16(s.globals + 2*int(v-16))
	}
}

// decodeBranch reads where an instruction branches, and returns the address behind that.
func (in *instruction) decodeBranch(mem []byte, pc int) int {
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
	return pc
}
