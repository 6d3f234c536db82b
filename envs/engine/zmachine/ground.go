package zmachine

import (
	"bytes"
	"math/bits"
)

// ground is dynamic memory as it was at some moment. The present one is compared
// with it byte by byte, all the time: at the moments that one list of commands is
// about, nearly all that a call reads is as it is there, and one comparison says
// that of 64 bytes.
type ground struct {
	bytes []byte
	off   []uint64 // by block: the bytes that are different now
	// home is the moment to which the machine went back last, or nil; changed are
	// the blocks written since then, and away is what was off there.
	home    *Snapshot
	changed []uint64
	away    []uint64
}

// block is some bytes of a stretch of 64, each a bit.
type block struct {
	number uint16
	bytes  uint64
}

const (
	blockBits = 6
	blockSize = 1 << blockBits
	inBlock   = blockSize - 1
)

// mostOff is how many bytes may be off at home before that becomes the ground.
const mostOff = 1 << 10

func newGround(dynamic int) ground {
	blocks := dynamic/blockSize + 1
	return ground{
		bytes: make([]byte, dynamic), off: make([]uint64, blocks), away: make([]uint64, blocks),
		changed: make([]uint64, blocks/64+1),
	}
}

// stretch returns the bytes of the first block of a stretch of memory, and how
// many they are.
func stretch(addr uint16, size int) (b block, n int) {
	i := int(addr & inBlock)
	n = min(size, blockSize-i)
	return block{addr >> blockBits, ^uint64(0) >> (blockSize - n) << i}, n
}

// locate returns the block of an address, and its bit there.
func locate(addr uint16) (number uint16, bit uint64) { return addr >> blockBits, 1 << (addr & inBlock) }

// wrote notes that a byte of memory has a new value.
func (g *ground) wrote(addr uint16, value byte) {
	b, bit := locate(addr)
	g.changed[b/64] |= 1 << (b % 64)
	if value == g.bytes[addr] {
		g.off[b] &^= bit
	} else {
		g.off[b] |= bit
	}
}

// wroteWord notes that two bytes of memory have new values.
func (g *ground) wroteWord(addr, value uint16) {
	if addr&inBlock == inBlock {
		g.wrote(addr, byte(value>>8))
		g.wrote(addr+1, byte(value))
		return
	}
	b, bit := locate(addr)
	g.changed[b/64] |= 1 << (b % 64)
	was := g.bytes[addr : addr+2]
	off := uint64(0)
	if was[0] != byte(value>>8) {
		off = bit
	}
	if was[1] != byte(value) {
		off |= 2 * bit
	}
	g.off[b] = g.off[b]&^(3*bit) | off
}

// wroteBlock notes that bytes of a block have new values.
func (g *ground) wroteBlock(b block, mem []byte) {
	g.changed[b.number/64] |= 1 << (b.number % 64)
	off := uint64(0)
	from := int(b.number) * blockSize
	if end := min(from+blockSize, len(g.bytes)); bytes.Equal(mem[from:end], g.bytes[from:end]) {
		g.off[b.number] = 0
		return
	}
	for set := b.bytes; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		if mem[from+i] != g.bytes[from+i] {
			off |= 1 << i
		}
	}
	g.off[b.number] = g.off[b.number]&^b.bytes | off
}

// same reports whether bytes are as they are on the ground.
func (g *ground) same(blocks []block) bool {
	for _, b := range blocks {
		if g.off[b.number]&b.bytes != 0 {
			return false
		}
	}
	return true
}

// compare finds out what is off, after memory was replaced. It returns the number
// of bytes.
func (g *ground) compare(mem []byte) int {
	g.home = nil
	n := 0
	for b := range g.off {
		g.off[b] = 0
		from := b * blockSize
		for i, v := range g.bytes[from:min(from+blockSize, len(g.bytes))] {
			if v != mem[from+i] {
				g.off[b] |= 1 << i
			}
		}
		n += bits.OnesCount64(g.off[b])
	}
	return n
}

// lay makes the present memory the ground.
func (g *ground) lay(mem []byte) {
	copy(g.bytes, mem)
	clear(g.off)
}

// comeHome makes a moment's memory, which is the present one, the home.
func (g *ground) comeHome(s *Snapshot) {
	g.home = s
	copy(g.away, g.off)
	clear(g.changed)
}

// goHome restores what has been written since the machine was at home.
func (g *ground) goHome(mem []byte) {
	for w, set := range g.changed {
		for ; set != 0; set &= set - 1 {
			b := 64*w + bits.TrailingZeros64(set)
			from := b * blockSize
			copy(mem[from:], g.home.memory[from:min(from+blockSize, len(g.bytes))])
			g.off[b] = g.away[b]
		}
		g.changed[w] = 0
	}
}

// replaced notes that all of memory may be different.
func (m *Machine) replaced() {
	if m.memo != nil {
		m.memo.compare(m.mem)
	}
}

// returnTo restores memory as it was at a moment.
func (m *Machine) returnTo(s *Snapshot) {
	memo := m.memo
	switch {
	case memo == nil:
		copy(m.mem, s.memory)
	case memo.home == s:
		memo.goHome(m.mem)
	default:
		copy(m.mem, s.memory)
		if memo.compare(m.mem) > mostOff || memo.empty() {
			memo.forget()
			memo.lay(m.mem)
		}
		memo.comeHome(s)
	}
}
