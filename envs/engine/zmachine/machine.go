package zmachine

import "fmt"

// Options say how a story is played.
type Options struct {
	// Seed starts the random numbers, also after the story restarts itself.
	Seed int
	// Budget is the largest number of instructions that one step may take; 0
	// for DefaultBudget. Long texts and tables count as several.
	Budget int
	// Capture is the size in bytes of the buffer for the text of one step, of
	// which the last stays free; 0 for DefaultCapture.
	Capture int
	// StrayAttribute is one that the story uses though objects have too few for it: none has
	// it. With 0, using such an attribute stops the story.
	StrayAttribute uint16
	// HideStatus leaves out what is shown in a status line: in the upper window while that has at most two lines.
	HideStatus bool
}

const (
	// DefaultBudget is some hundred times what a step of a large game takes.
	DefaultBudget = 50_000_000
	// DefaultCapture is the size of the reference's buffer; spec §4.1.
	DefaultCapture = 8192
)

// Sizes of the machine.
const (
	stackSize  = 1024 // words
	frameWords = 4    // that a call costs besides its variables
	maxFrames  = stackSize/frameWords + 1
	maxLocals  = 15
)

// frame is what a routine returns to.
type frame struct {
	pc    int32
	fp    uint16 // first local variable of the caller
	base  uint16 // bottom of the caller's own stack
	argc  uint8  // arguments the caller had got
	store int16  // variable for the result; discard for none
}

// discard is the store of a frame whose result is not wanted.
const discard = -1

// state is what a snapshot keeps besides memory and captured text. Copying it
// makes an independent one: whatever it points to does not change.
type state struct {
	pc     int
	sp     int // next free word of stack
	fp     int
	base   int
	argc   uint8
	depth  int
	stack  [stackSize + window]uint16
	frames [maxFrames]frame

	flags2 uint16 // as they are after a restart
	random random
	screen screen
	input  input
	saved  *saved

	captured int // bytes in the capture buffer
	changes  changes
	fault    *Fault
}

// Machine is a running story. It belongs to one goroutine.
type Machine struct {
	story   *Story
	options Options

	mem     []byte                       // the story, and zeros up to the end of what can be addressed
	ram     *[addressable + padding]byte // what of mem data addresses reach
	frame   *[window]uint16              // the local variables, in the stack
	capture []byte

	budget  int
	globals uint16 // address

	args  [8]uint16 // operands of the current instruction
	count int       // how many there are

	objects objectTable
	state
	callers [maxFrames]*instruction // what called the routine of a frame, if nothing was restored since
	scratch instruction             // the current one, if it is in memory that can change
}

// New prepares to play a story. Nothing runs before Start.
func New(s *Story, o Options) *Machine {
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if o.Capture == 0 {
		o.Capture = DefaultCapture
	}
	m := &Machine{
		story: s, options: o,
		mem:     make([]byte, max(len(s.image), addressable)+padding),
		capture: make([]byte, o.Capture),
	}
	m.ram = (*[addressable + padding]byte)(m.mem)
	m.objects, m.globals = s.objectTable(), uint16(s.globals)
	copy(m.mem, s.image)
	return m
}

// Start plays from the beginning up to the first read. Input typed ahead,
// the saved game and the bytes of the capture buffer stay from before.
func (m *Machine) Start() error {
	m.fault = nil
	m.screen = screen{}
	m.captured = 0
	m.changes = changes{}
	m.flags2 = m.initialFlags2()
	m.input.ready, m.input.prompted = false, false
	m.restart()
	m.budget = m.options.Budget
	m.run()
	return m.err()
}

// Step types an action at the read where the story waits, and plays up to the
// next one. A newline is added. A machine that has halted stays as it is.
func (m *Machine) Step(action string) error {
	if m.fault != nil {
		return m.fault
	}
	m.input.action = translateAction(action)
	m.input.ready = true
	m.changes = changes{}
	m.budget = m.options.Budget
	m.run()
	return m.err()
}

// SetBudget changes the largest number of instructions that one step may take, and returns what it was.
func (m *Machine) SetBudget(n int) int {
	prev := m.options.Budget
	m.options.Budget = n
	return prev
}

// err returns the fault as an error.
func (m *Machine) err() error {
	if m.fault == nil {
		return nil
	}
	return m.fault
}

// restart brings memory, stack, screen and random numbers to the beginning.
func (m *Machine) restart() {
	copy(m.mem[:m.story.dynamic], m.story.image)
	m.applyHeader()
	m.random.seed(m.options.Seed)
	m.sp, m.fp, m.base, m.depth, m.argc = 0, 0, 0, 0, 0
	m.frame = m.locals()
	m.screen.reset()
	m.pc = m.story.start
}

// Halted reports whether the story ran into an error that stopped it.
func (m *Machine) Halted() bool { return m.fault != nil }

// Fault is an error in a story that stops it for good.
type Fault struct {
	Kind FaultKind
	// PC is the address behind the instruction.
	PC int
}

// FaultKind says what went wrong, in words.
type FaultKind string

// The kinds of faults.
const (
	BudgetExceeded   FaultKind = "the step took more instructions than its budget allows"
	TextOverflow     FaultKind = "a word is too long for the text buffer"
	StoreRange       FaultKind = "a write above dynamic memory"
	DivisionByZero   FaultKind = "a division by zero"
	IllegalObject    FaultKind = "an object number that is too large"
	IllegalAttribute FaultKind = "an attribute that does not exist"
	MissingProperty  FaultKind = "a property that the object does not have"
	StackOverflow    FaultKind = "the stack is full"
	StackUnderflow   FaultKind = "the stack is empty"
	CallRange        FaultKind = "a call of an address beyond the story"
	CallNonRoutine   FaultKind = "a call of something that is not a routine"
	JumpRange        FaultKind = "a jump beyond the story"
	IllegalOpcode    FaultKind = "an instruction that does not exist"
	BadFrame         FaultKind = "a return to where nothing was called"
	StreamNesting    FaultKind = "too many output streams to memory"
	IllegalWindow    FaultKind = "a window that does not exist"
	PrintRange       FaultKind = "a text beyond the story"
)

// Error implements error.
func (f *Fault) Error() string {
	return fmt.Sprintf("the story stopped before address %#x: %v", f.PC, f.Kind)
}

// fail halts the machine. The instruction is finished first.
func (m *Machine) fail(k FaultKind) {
	if m.fault != nil {
		return
	}
	m.fault = &Fault{Kind: k, PC: m.pc}
	m.budget = min(m.budget, 0) // so that run ends
	if k != BudgetExceeded {
		m.flush()
	}
}

// charge takes n instructions from the step's budget, for work that a single
// instruction does in a loop, and reports whether it may go on.
func (m *Machine) charge(n int) bool {
	m.budget -= n
	if m.budget < 0 {
		m.fail(BudgetExceeded)
	}
	return m.fault == nil
}

// Spent is how much of its budget the last step used.
func (m *Machine) Spent() int { return m.options.Budget - m.budget }
