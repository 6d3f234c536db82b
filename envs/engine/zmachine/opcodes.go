package zmachine

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

// form is what belongs to an instruction.
type form uint8

const (
	minOperands form = 3 // the operands that it needs at least
	stores      form = 4
	branches    form = 8
	inline      form = 16 // has a text inside
)

// encoding says what an instruction is in some versions.
type encoding struct {
	number       uint8
	op           opcode
	form         form
	since, until int
}

// opcodes are all instructions.
var opcodes = [...]encoding{
	{op2 | 1, opJe, 1 | branches, 1, 8},
	{op2 | 2, opJl, 2 | branches, 1, 8},
	{op2 | 3, opJg, 2 | branches, 1, 8},
	{op2 | 4, opDecChk, 2 | branches, 1, 8},
	{op2 | 5, opIncChk, 2 | branches, 1, 8},
	{op2 | 6, opJin, 2 | branches, 1, 8},
	{op2 | 7, opTest, 2 | branches, 1, 8},
	{op2 | 8, opOr, 2 | stores, 1, 8},
	{op2 | 9, opAnd, 2 | stores, 1, 8},
	{op2 | 10, opTestAttr, 2 | branches, 1, 8},
	{op2 | 11, opSetAttr, 2, 1, 8},
	{op2 | 12, opClearAttr, 2, 1, 8},
	{op2 | 13, opStore, 2, 1, 8},
	{op2 | 14, opInsertObj, 2, 1, 8},
	{op2 | 15, opLoadw, 2 | stores, 1, 8},
	{op2 | 16, opLoadb, 2 | stores, 1, 8},
	{op2 | 17, opGetProp, 2 | stores, 1, 8},
	{op2 | 18, opGetPropAddr, 2 | stores, 1, 8},
	{op2 | 19, opGetNextProp, 2 | stores, 1, 8},
	{op2 | 20, opAdd, 2 | stores, 1, 8},
	{op2 | 21, opSub, 2 | stores, 1, 8},
	{op2 | 22, opMul, 2 | stores, 1, 8},
	{op2 | 23, opDiv, 2 | stores, 1, 8},
	{op2 | 24, opMod, 2 | stores, 1, 8},
	{op2 | 25, opCall, 1 | stores, 4, 8},
	{op2 | 26, opCall, 1, 5, 8},
	{op2 | 27, opSetColour, 2, 5, 8},
	{op2 | 28, opThrow, 2, 5, 8},
	{op1, opJz, 1 | branches, 1, 8},
	{op1 | 1, opGetSibling, 1 | stores | branches, 1, 8},
	{op1 | 2, opGetChild, 1 | stores | branches, 1, 8},
	{op1 | 3, opGetParent, 1 | stores, 1, 8},
	{op1 | 4, opGetPropLen, 1 | stores, 1, 8},
	{op1 | 5, opInc, 1, 1, 8},
	{op1 | 6, opDec, 1, 1, 8},
	{op1 | 7, opPrintAddr, 1, 1, 8},
	{op1 | 8, opCall, 1 | stores, 4, 8},
	{op1 | 9, opRemoveObj, 1, 1, 8},
	{op1 | 10, opPrintObj, 1, 1, 8},
	{op1 | 11, opRet, 1, 1, 8},
	{op1 | 12, opJump, 1, 1, 8},
	{op1 | 13, opPrintPaddr, 1, 1, 8},
	{op1 | 14, opLoad, 1 | stores, 1, 8},
	{op1 | 15, opNot, 1 | stores, 1, 4},
	{op1 | 15, opCall, 1, 5, 8},
	{op0, opRtrue, 0, 1, 8},
	{op0 | 1, opRfalse, 0, 1, 8},
	{op0 | 2, opPrint, inline, 1, 8},
	{op0 | 3, opPrintRet, inline, 1, 8},
	{op0 | 4, opNop, 0, 1, 8},
	{op0 | 5, opSave, branches, 1, 3},
	{op0 | 5, opSave, stores, 4, 4},
	{op0 | 6, opRestore, branches, 1, 3},
	{op0 | 6, opRestore, stores, 4, 4},
	{op0 | 7, opRestart, 0, 1, 8},
	{op0 | 8, opRetPopped, 0, 1, 8},
	{op0 | 9, opPop, 0, 1, 4},
	{op0 | 9, opCatch, stores, 5, 8},
	{op0 | 10, opNop, 0, 1, 8}, // quit does nothing here: spec §7
	{op0 | 11, opNewLine, 0, 1, 8},
	{op0 | 12, opShowStatus, 0, 1, 8},
	{op0 | 13, opVerify, branches, 1, 8},
	{op0 | 15, opPiracy, branches, 1, 8},
	{opVar, opCall, 1 | stores, 1, 8},
	{opVar | 1, opStorew, 3, 1, 8},
	{opVar | 2, opStoreb, 3, 1, 8},
	{opVar | 3, opPutProp, 3, 1, 8},
	{opVar | 4, opRead, 2, 1, 4},
	{opVar | 4, opRead, 1 | stores, 5, 8},
	{opVar | 5, opPrintChar, 1, 1, 8},
	{opVar | 6, opPrintNum, 1, 1, 8},
	{opVar | 7, opRandom, 1 | stores, 1, 8},
	{opVar | 8, opPush, 1, 1, 8},
	{opVar | 9, opPull, 1, 1, 8},
	{opVar | 10, opSplitWindow, 1, 1, 8},
	{opVar | 11, opSetWindow, 1, 1, 8},
	{opVar | 12, opCall, 1 | stores, 4, 8},
	{opVar | 13, opEraseWindow, 1, 1, 8},
	{opVar | 14, opEraseLine, 1, 1, 8},
	{opVar | 15, opSetCursor, 1, 1, 8},
	{opVar | 16, opGetCursor, 1, 1, 8},
	{opVar | 17, opTextStyle, 1, 1, 8},
	{opVar | 18, opBufferMode, 1, 1, 8},
	{opVar | 19, opOutputStream, 1, 1, 8},
	{opVar | 20, opInputStream, 1, 1, 8},
	{opVar | 21, opNop, 0, 1, 8}, // sound_effect
	{opVar | 22, opReadChar, stores, 4, 8},
	{opVar | 23, opScanTable, 3 | stores | branches, 4, 8},
	{opVar | 24, opNot, 1 | stores, 5, 8},
	{opVar | 25, opCall, 1, 1, 8},
	{opVar | 26, opCall, 1, 1, 8},
	{opVar | 27, opTokenise, 2, 5, 8},
	{opVar | 28, opEncodeText, 2, 5, 8},
	{opVar | 29, opCopyTable, 2, 5, 8},
	{opVar | 30, opPrintTable, 2, 5, 8},
	{opVar | 31, opCheckArgCount, 1 | branches, 5, 8},
	{opExt, opSave, stores, 5, 8},
	{opExt | 1, opRestore, stores, 5, 8},
	{opExt | 2, opLogShift, 2 | stores, 5, 8},
	{opExt | 3, opArtShift, 2 | stores, 5, 8},
	{opExt | 4, opSetFont, 1 | stores, 5, 8},
	{opExt | 9, opSaveUndo, stores, 5, 8},
	{opExt | 10, opRestoreUndo, stores, 5, 8},
	{opExt | 11, opPrintUnicode, 1, 5, 8},
	{opExt | 12, opCheckUnicode, 1 | stores, 5, 8},
	{opExt | 13, opNop, 1, 5, 8}, // set_true_colour
	{opExt | unknownExt, opNop, 0, 5, 8},
}

// encodingsFor returns the instructions of a version, by their numbers.
func encodingsFor(version int) (table [encodings]encoding) {
	for _, e := range opcodes {
		if e.since <= version && version <= e.until {
			table[e.number] = e
		}
	}
	return table
}
