package jericho

import (
	"bytes"
	"errors"
	"strings"

	"heldout/envs/engine/zmachine"
)

// haltedText is what a step answers once the story has stopped; spec §3.3.
const haltedText = "Emulator halted due to runtime error.\n"

// storySession is a story being played the way Jericho plays it: with cleaned texts, a score, and an end.
type storySession struct {
	game    *game
	machine *zmachine.Machine

	world       []byte // the last text, cleaned
	parsed      int    // the score that was read from a status line
	lastSpecial []byte // of the last step: the bytes at game.Special
}

func newSession(g *game, s *zmachine.Story, o zmachine.Options) *storySession {
	return g.session(zmachine.New(s, g.options(o)))
}

// options completes the options of a machine that plays the game.
func (g *game) options(o zmachine.Options) zmachine.Options {
	o.HideStatus, o.StrayAttribute = g.HideStatus, g.StrayAttribute
	return o
}

func (g *game) session(m *zmachine.Machine) *storySession {
	return &storySession{game: g, machine: m, lastSpecial: make([]byte, len(g.Special))}
}

// start plays up to the first command, and returns what the story showed.
func (s *storySession) start() (string, error) {
	s.parsed = 0
	err := s.machine.Start()
	for _, action := range s.game.Intro {
		if err == nil {
			err = s.machine.Step(action)
		}
	}
	s.take()
	return fromLatin1(s.world), broken(err)
}

// step plays an action and returns the cleaned text.
func (s *storySession) step(action string) (string, error) {
	if s.machine.Halted() {
		return haltedText, nil
	}
	if err := s.play(action); err != nil {
		return "", err
	}
	return fromLatin1(s.world), nil
}

// play is step, but leaves the text in world. The machine must not be halted.
func (s *storySession) play(action string) error {
	for i, addr := range s.game.Special {
		s.lastSpecial[i] = s.machine.Byte(addr)
	}
	err := s.machine.Step(action)
	s.take()
	return broken(err)
}

// broken returns the errors that do not end the game. An error in the story ends
// the game, but a step that does not finish is not a step.
func broken(err error) error {
	if f, ok := errors.AsType[*zmachine.Fault](err); ok && f.Kind != zmachine.BudgetExceeded {
		return nil
	}
	return err
}

// take cleans what was captured and empties the buffer.
func (s *storySession) take() {
	buffer := s.machine.Capture()
	if s.game.Score.Kind == scoreParsed {
		s.parsed = -parseScore(terminated(buffer))
	}
	s.world = append(s.world[:0], s.game.Clean.apply(buffer)...)
	s.machine.ClearCapture()
}

// parseScore reads the number after the last colon as C does: it accepts white
// space and a sign, and stops at the first character that is not a digit.
func parseScore(raw []byte) int {
	text := strings.TrimLeft(string(raw[bytes.LastIndexByte(raw, ':')+1:]), " \t\n\v\f\r")
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	n := 0
	for i := 0; i < len(text) && text[i] >= '0' && text[i] <= '9' && n < 1<<24; i++ {
		n = 10*n + int(text[i]-'0')
	}
	if negative {
		return -n
	}
	return n
}

func (s *storySession) won() bool {
	return s.announces(s.game.Victory)
}

// lost reports whether the game is lost, or has stopped.
func (s *storySession) lost() bool {
	return s.machine.Halted() || s.announces(s.game.Death)
}

// announces reports whether the last text has an end in it.
func (s *storySession) announces(end string) bool {
	return end != "" && bytes.Contains(s.world, []byte(end))
}

func (s *storySession) score() int {
	switch s.game.Score.Kind {
	case scoreByte:
		return int(s.machine.Byte(s.game.Score.Addr))
	case scoreSigned:
		return int(int8(s.machine.Byte(s.game.Score.Addr)))
	case scoreWord:
		return int(int16(s.machine.Word(s.game.Score.Addr)))
	case scoreParsed:
		return s.parsed
	case scoreVictory:
		if s.won() {
			return 1
		}
	}
	return 0
}

// moment is a snapshot of a session.
type moment struct {
	machine *zmachine.Snapshot
	world   []byte
	parsed  int
}

func (s *storySession) snapshot() *moment {
	return &moment{s.machine.Snapshot(), bytes.Clone(s.world), s.parsed}
}

// session returns a session that goes on from a moment.
func (m *moment) session(p *play) *storySession {
	if s, ok := p.sessions.Get().(*storySession); ok && s.restore(m) == nil {
		return s
	}
	s := p.game.session(m.machine.Machine(p.game.options(zmachine.Options{Seed: p.seed})))
	s.world, s.parsed = bytes.Clone(m.world), m.parsed
	return s
}

func (s *storySession) restore(m *moment) error {
	s.world, s.parsed = append(s.world[:0], m.world...), m.parsed
	return s.machine.Restore(m.machine)
}
