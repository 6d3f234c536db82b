package zmachine

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// opcode is what an instruction does.
type opcode uint8

// The opcodes that run has a case for, or that are made others as they are decoded; other instructions do what rare
// has under their name. Instructions that differ only in how their operands or results are encoded have one opcode.
const (
	opRare  opcode = iota
	opMove         // stores its operand
	opJeAny        // je with several operands behind the first, or none
	opJe
	opJl
	opJg
	opDecChk
	opIncChk
	opJin
	opTest
	opOr
	opAnd
	opTestAttr
	opSetAttr
	opClearAttr
	opStore
	opLoadw
	opLoadb
	opGetProp
	opGetPropAddr
	opAdd
	opSub
	opMul
	opDiv
	opMod
	opCall
	opJz
	opGetSibling
	opGetChild
	opGetParent
	opGetPropLen
	opInc
	opDec
	opRet
	opJump
	opLoad
	opNot
	opRtrue
	opRfalse
	opRestore
	opRetPopped
	opStorew
	opStoreb
	opPrintChar
	opPush
	opPull
)

// opcodeNames are their names in the Standard, section 14, in the order of the constants.
var opcodeNames = strings.Fields(`
	rare move je_any je jl jg dec_chk inc_chk jin test or and test_attr set_attr clear_attr store loadw loadb
	get_prop get_prop_addr add sub mul div mod call jz get_sibling get_child get_parent get_prop_len inc dec ret
	jump load not rtrue rfalse restore ret_popped storew storeb print_char push pull
`)

// The classes of instructions: class|number is how the Standard, section 14, numbers them.
const (
	op2   = 0x00 // two operands
	op1   = 0x20 // one operand
	op0   = 0x40 // none
	opVar = 0x60 // up to eight
	opExt = 0x80 // extended

	encodings = 0xA0
	// unknownExt stands for all extended instructions from it on, which do nothing: Standard, 14.2.
	unknownExt = 0x1D
)

// encoding says what an instruction is in some versions.
type encoding struct {
	Number                   uint8 // class|number
	Op                       string
	Operands                 uint8 // that it needs at least
	Stores, Branches, Inline bool  // Inline: has a text inside
	Since, Until             int

	op opcode
	do deed // of opRare; nil for an instruction that does not exist
}

//go:embed opcodes.json
var opcodesFile []byte

// encodingsFor returns the instructions of a version, by their numbers.
func encodingsFor(version int) (table [encodings]encoding) {
	var list []encoding
	if err := json.Unmarshal(opcodesFile, &list); err != nil {
		panic("zmachine: opcodes.json: " + err.Error())
	}
	for _, e := range list {
		if e.Since <= version && version <= e.Until {
			e.op, e.do = opcode(max(slices.Index(opcodeNames, e.Op), 0)), rare[e.Op]
			table[e.Number] = e
		}
	}
	return table
}
