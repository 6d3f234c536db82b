package zmachine

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// opcode is what an instruction does.
type opcode uint8

// The opcodes, by their names in the Standard, section 14. Instructions that differ only in how their operands or
// results are encoded have one opcode.
const (
	opIllegal opcode = iota
	opNop
	opMove  // stores its operand
	opJeAny // je with several operands behind the first, or none
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
	opInsertObj
	opLoadw
	opLoadb
	opGetProp
	opGetPropAddr
	opGetNextProp
	opAdd
	opSub
	opMul
	opDiv
	opMod
	opCall
	opSetColour
	opThrow
	opJz
	opGetSibling
	opGetChild
	opGetParent
	opGetPropLen
	opInc
	opDec
	opPrintAddr
	opRemoveObj
	opPrintObj
	opRet
	opJump
	opPrintPaddr
	opLoad
	opNot
	opRtrue
	opRfalse
	opPrint
	opPrintRet
	opSave
	opRestore
	opRestart
	opRetPopped
	opPop
	opCatch
	opNewLine
	opShowStatus
	opVerify
	opPiracy
	opStorew
	opStoreb
	opPutProp
	opRead
	opPrintChar
	opPrintNum
	opRandom
	opPush
	opPull
	opSplitWindow
	opSetWindow
	opEraseWindow
	opEraseLine
	opSetCursor
	opGetCursor
	opTextStyle
	opBufferMode
	opOutputStream
	opInputStream
	opReadChar
	opScanTable
	opTokenise
	opEncodeText
	opCopyTable
	opPrintTable
	opCheckArgCount
	opLogShift
	opArtShift
	opSetFont
	opSaveUndo
	opRestoreUndo
	opPrintUnicode
	opCheckUnicode
)

// opcodeNames are the names of the opcodes in the order of the constants.
var opcodeNames = strings.Fields(`
	illegal nop move je_any je jl jg dec_chk inc_chk jin test or and test_attr set_attr clear_attr store insert_obj
	loadw loadb get_prop get_prop_addr get_next_prop add sub mul div mod call set_colour throw jz get_sibling
	get_child get_parent get_prop_len inc dec print_addr remove_obj print_obj ret jump print_paddr load not rtrue
	rfalse print print_ret save restore restart ret_popped pop catch new_line show_status verify piracy storew
	storeb put_prop read print_char print_num random push pull split_window set_window erase_window erase_line
	set_cursor get_cursor text_style buffer_mode output_stream input_stream read_char scan_table tokenise
	encode_text copy_table print_table check_arg_count log_shift art_shift set_font save_undo restore_undo
	print_unicode check_unicode
`)

// UnmarshalText reads the name of an opcode.
func (op *opcode) UnmarshalText(text []byte) error {
	*op = opcode(slices.Index(opcodeNames, string(text)))
	return nil
}

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
	Op                       opcode
	Operands                 uint8 // that it needs at least
	Stores, Branches, Inline bool  // Inline: has a text inside
	Since, Until             int
}

//go:embed opcodes.json
var opcodesFile []byte

// encodingsFor returns the instructions of a version, by their numbers.
func encodingsFor(version int) (table [encodings]encoding) {
	var all []encoding
	if err := json.Unmarshal(opcodesFile, &all); err != nil {
		panic("zmachine: opcodes.json: " + err.Error())
	}
	for _, e := range all {
		if e.Since <= version && version <= e.Until {
			table[e.Number] = e
		}
	}
	return table
}
