package zmachine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Snapshot is a moment of a story. It does not change and can be restored any
// number of times, by any machine that plays the same Story.
type Snapshot struct {
	story   *Story
	state   state
	memory  []byte
	capture []byte
}

// Snapshot takes everything that decides how the story goes on.
func (m *Machine) Snapshot() *Snapshot {
	return &Snapshot{
		story:   m.story,
		state:   m.state,
		memory:  append([]byte(nil), m.mem[:m.story.dynamic]...),
		capture: append([]byte(nil), m.capture...),
	}
}

// Restore goes back to a moment.
func (m *Machine) Restore(s *Snapshot) error {
	if s == nil || s.story != m.story || len(s.capture) != len(m.capture) {
		return errors.New("the snapshot comes from another story or another kind of machine")
	}
	m.state = s.state
	copy(m.mem, s.memory)
	copy(m.capture, s.capture)
	return nil
}

// Machine returns a new machine that goes on from a moment. Its capture buffer is
// as large as the buffer of the machine that took the snapshot.
func (s *Snapshot) Machine(o Options) *Machine {
	o.Capture = len(s.capture)
	m := New(s.story, o)
	_ = m.Restore(s) // it fits
	return m
}

// AppendState appends all that decides how the story goes on.
func (s *Snapshot) AppendState(b []byte) []byte {
	b = append(append(b, s.memory...), s.capture...)
	st := &s.state
	b = appendStack(b, st.stack[:st.sp], st.frames[:st.depth])
	screen := st.screen
	clear(screen.pending[screen.n:])
	clear(screen.memory[screen.streams:])
	b = fmt.Append(b, st.pc, st.fp, st.base, st.argc, st.flags2, st.random, screen, st.captured, st.fault != nil)
	in := &st.input
	b = fmt.Appendf(b, "%t %t %q %q %q", in.ready, in.prompted, in.action, in.line, in.keys)
	return st.saved.appendState(b)
}

func appendStack(b []byte, stack []uint16, frames []frame) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(len(stack)))
	for _, word := range stack {
		b = binary.LittleEndian.AppendUint16(b, word)
	}
	return fmt.Append(b, frames)
}

func (s *saved) appendState(b []byte) []byte {
	if s == nil {
		return append(b, 0)
	}
	b = appendStack(append(b, s.memory...), s.stack, s.frames)
	return fmt.Append(b, s.pc, s.fp, s.base, s.argc, s.resume.addr)
}

// saved is a game saved by the story itself: memory, stack and place, but not the random numbers.
type saved struct {
	memory       []byte
	stack        []uint16
	frames       []frame
	pc, fp, base int
	argc         uint8
	resume       *instruction // tells where the result of saving goes
}

// save keeps the game in the slot. The result is 1, or 0 if only a part of memory was to be saved: that needs files.
func (m *Machine) save(in *instruction) uint16 {
	if in.count > 0 {
		return 0
	}
	resume := new(instruction)
	m.story.decode(resume, m.mem, int(in.addr))
	m.saved = &saved{
		memory: append([]byte(nil), m.mem[:m.story.dynamic]...),
		stack:  append([]uint16(nil), m.stack[:m.sp]...),
		frames: append([]frame(nil), m.frames[:m.depth]...),
		pc:     m.pc, fp: m.fp, base: m.base, argc: m.argc,
		resume: resume,
	}
	return 1
}

// restore goes back to where the game was saved. It returns the instruction that saved it, and its result now, 2. If
// there is nothing to restore, it returns the restore itself and 0.
func (m *Machine) restore(in *instruction) (*instruction, uint16) {
	s := m.saved
	if s == nil || in.count > 0 {
		return in, 0
	}
	copy(m.mem, s.memory)
	m.sp = copy(m.stack[:], s.stack)
	m.depth = copy(m.frames[:], s.frames)
	m.pc, m.fp, m.base, m.argc = s.pc, s.fp, s.base, s.argc
	m.frame = m.locals()
	m.applyHeader()
	if m.story.version == 3 {
		m.splitWindow(0)
	}
	return s.resume, 2
}

// Equal reports whether two snapshots hold the same moment of a story.
func (s *Snapshot) Equal(o *Snapshot) bool {
	return s.story == o.story && s.state == o.state && bytes.Equal(s.memory, o.memory) &&
		bytes.Equal(s.capture, o.capture)
}
