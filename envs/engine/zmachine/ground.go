package zmachine

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// ground is dynamic memory as it was at some moment. The present one is compared
// with it byte by byte, all the time: at the moments that one list of commands is
// about, nearly all that a call reads is as it is there, and one comparison says
// that of 64 bytes.
type ground struct {
	bytes []byte
	diffs []uint64 // by block: the bytes that are different now
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

// packedBlock is a block in ten bytes instead of sixteen: of nothing does a memo have more.
type packedBlock struct {
	number uint16
	bytes  [8]byte
}

func (b block) packed() packedBlock {
	p := packedBlock{number: b.number}
	binary.LittleEndian.PutUint64(p.bytes[:], b.bytes)
	return p
}

func (p *packedBlock) block() block { return block{p.number, binary.LittleEndian.Uint64(p.bytes[:])} }

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
		bytes: make([]byte, dynamic), diffs: make([]uint64, blocks), away: make([]uint64, blocks),
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
		g.diffs[b] &^= bit
	} else {
		g.diffs[b] |= bit
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
	prev := g.bytes[addr : addr+2]
	diff := uint64(0)
	if prev[0] != byte(value>>8) {
		diff = bit
	}
	if prev[1] != byte(value) {
		diff |= 2 * bit
	}
	g.diffs[b] = g.diffs[b]&^(3*bit) | diff
}

// wroteBlock notes that bytes of a block have new values.
func (g *ground) wroteBlock(b block, mem []byte) {
	g.changed[b.number/64] |= 1 << (b.number % 64)
	diff := uint64(0)
	start := int(b.number) * blockSize
	if end := min(start+blockSize, len(g.bytes)); bytes.Equal(mem[start:end], g.bytes[start:end]) {
		g.diffs[b.number] = 0
		return
	}
	for set := b.bytes; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		if mem[start+i] != g.bytes[start+i] {
			diff |= 1 << i
		}
	}
	g.diffs[b.number] = g.diffs[b.number]&^b.bytes | diff
}

// same reports whether bytes are as they are on the ground.
func (g *ground) same(blocks []packedBlock) bool {
	for i := range blocks {
		if b := blocks[i].block(); g.diffs[b.number]&b.bytes != 0 {
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
	for b := range g.diffs {
		g.diffs[b] = 0
		start := b * blockSize
		for i, v := range g.bytes[start:min(start+blockSize, len(g.bytes))] {
			if v != mem[start+i] {
				g.diffs[b] |= 1 << i
			}
		}
		n += bits.OnesCount64(g.diffs[b])
	}
	return n
}

// lay makes the present memory the ground.
func (g *ground) lay(mem []byte) {
	copy(g.bytes, mem)
	clear(g.diffs)
}

// comeHome makes a moment's memory, which is the present one, the home.
func (g *ground) comeHome(s *Snapshot) {
	g.home = s
	copy(g.away, g.diffs)
	clear(g.changed)
}

// goHome restores what has been written since the machine was at home.
func (g *ground) goHome(mem []byte) {
	for w, set := range g.changed {
		for ; set != 0; set &= set - 1 {
			b := 64*w + bits.TrailingZeros64(set)
			start := b * blockSize
			copy(mem[start:], g.home.memory[start:min(start+blockSize, len(g.bytes))])
			g.diffs[b] = g.away[b]
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
