package jericho

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/engine/zmachine"
	"heldout/envs/pytext"
)

// The fixed texts of the benchmark's environment.
const (
	helpPrefix = "You can take the following actions: "
	helpAction = "check valid actions"
	// rejection occurs in replies to commands that the game did not understand.
	rejection = "[!"
)

// world is one running copy of a game.
type world struct {
	play    *play
	session *storySession // nil in a fork that has not gone on
	// shared is the present moment that forks share; nil if none begins with it.
	shared *moment
	status
}

// status is what a world knows besides the story.
type status struct {
	progress float64
	points   int
	open     []string // sub-goals that have not been reached
	done     bool
	success  bool

	followed int  // commands of the walkthrough that were played
	strayed  bool // something else was played
}

func newWorld(p *play) *world {
	w := &world{play: p, session: newSession(p.game, p.story, zmachine.Options{Seed: p.seed})}
	if p.subgoals != nil {
		w.open = p.subgoals.texts
	}
	return w
}

// Start implements envs.World. The reference starts every game twice. This shows
// in the content of the capture buffer.
func (w *world) Start(context.Context) (envs.Start, error) {
	first := ""
	for range 2 {
		var err error
		if first, err = w.session.start(); err != nil {
			return envs.Start{}, fmt.Errorf("%s: %w", w.play.game.Name, err)
		}
	}
	switch {
	case w.play.start != "":
		first = w.play.start
	case !w.play.raw && !w.play.plain:
		first = observation(first)
	}
	return envs.Start{Goal: w.play.goal, Observation: first}, nil
}

// Close implements envs.World. What the session has decoded of the story serves the next fork.
func (w *world) Close() error {
	if w.session != nil {
		w.play.sessions.Put(w.session)
	}
	w.session, w.shared = nil, nil
	return nil
}

// Step implements envs.World.
func (w *world) Step(_ context.Context, action string) (envs.Step, error) {
	session, err := w.awake()
	if err != nil {
		return envs.Step{}, err
	}
	if w.play.raw || w.play.plain {
		text, err := session.step(action)
		w.judge(text)
		return w.step(text), err
	}
	// An expert action is not an agent's reply, so it is not filtered like one. Stories read no capitals.
	if next, ok := w.next(); !ok || !strings.EqualFold(action, next) {
		action = agentboard.JerichoAction(action)
	}
	if asksForHelp(action) {
		actions, err := session.validActions(w.play.actions())
		return w.step(helpPrefix + strings.Join(append(actions, helpAction), ", ")), err
	}
	if next, ok := w.next(); ok && strings.EqualFold(action, next) {
		w.followed++
	} else {
		w.strayed = true
	}
	text, err := session.step(action)
	text = observation(text)
	w.judge(text)
	return w.step(text), err
}

func (w *world) step(observation string) envs.Step {
	return envs.Step{
		Observation: observation, Progress: w.progress, Done: w.done, Success: w.success,
		Valid: !strings.Contains(observation, rejection),
	}
}

// asksForHelp recognises the help command: "check" and "action" somewhere.
func asksForHelp(action string) bool {
	low := pytext.Lower(action)
	return strings.Contains(low, "check") && strings.Contains(low, "action")
}

// judge counts what a text shows; spec §2.5.
func (w *world) judge(text string) {
	s := w.session
	ended := s.lost() || s.won()
	goals := w.play.subgoals
	if goals == nil {
		if s.game.Max > 0 {
			w.progress = max(w.progress, min(float64(s.score())/float64(s.game.Max), 1))
		}
		w.settle(s.won())
		w.done = ended
		return
	}
	text = strip(text)
	if i := slices.IndexFunc(w.open, func(goal string) bool { return strings.Contains(text, goal) }); i >= 0 {
		w.open = slices.Delete(slices.Clone(w.open), i, i+1)
		w.points++
		w.progress = max(w.progress, min(float64(w.points)/float64(goals.n), 1))
	}
	if goals.partial {
		w.settle(s.won())
	} else {
		w.success = w.progress == 1
	}
	w.done = w.success || ended
}

// settle counts a victory as full progress if the sub-goals cannot show it.
func (w *world) settle(won bool) {
	if won {
		w.progress = 1
	}
	w.success = w.success || won || w.progress == 1
}

// Actions implements envs.Lister.
func (w *world) Actions(context.Context) ([]string, error) {
	session, err := w.awake()
	if err != nil {
		return nil, err
	}
	actions, err := session.validActions(w.play.actions())
	slices.Sort(actions)
	return slices.Compact(actions), err
}

// next returns the next command of the walkthrough.
func (w *world) next() (string, bool) {
	if w.strayed || w.followed >= len(w.play.walkthrough) {
		return "", false
	}
	return w.play.walkthrough[w.followed], true
}

// ExpertAction implements envs.Expert: it follows the walkthrough, and knows
// nothing once something else has been played.
func (w *world) ExpertAction(context.Context) (string, error) {
	action, _ := w.next()
	return action, nil
}

// scored is a world of the variant Jericho: its score is the game's.
type scored struct{ *world }

// Score implements envs.Scorer.
func (w scored) Score() float64 {
	if maxScore := w.play.game.Max; maxScore > 0 {
		if session, err := w.awake(); err == nil {
			return float64(session.score()) / float64(maxScore)
		}
	}
	return w.progress
}

// Fork implements envs.Forker.
func (w scored) Fork() (envs.World, error) {
	f, err := w.world.Fork()
	if err != nil {
		return nil, err
	}
	return scored{f.(*world)}, nil
}

// Fork implements envs.Forker. Forks share the moment until they go on.
func (w *world) Fork() (envs.World, error) {
	if err := w.rest(); err != nil {
		return nil, err
	}
	return &world{play: w.play, shared: w.shared, status: w.status}, nil
}

// awake returns the session to go on with. A fork has one only from then on.
func (w *world) awake() (*storySession, error) {
	switch {
	case w.session == nil && w.shared == nil:
		return nil, errClosed
	case w.session == nil:
		w.session = w.shared.session(w.play)
	}
	w.shared = nil // it is about to pass
	return w.session, nil
}

// rest makes sure that still is the present moment.
func (w *world) rest() error {
	switch {
	case w.shared != nil:
	case w.session == nil:
		return errClosed
	default:
		w.shared = w.session.snapshot()
	}
	return nil
}

var errClosed = errors.New("jericho: the world is closed")

// AppendState implements envs.StateAppender. Most stories count their turns, so their states seldom recur.
func (w *world) AppendState(b []byte) ([]byte, error) {
	if err := w.rest(); err != nil {
		return b, err
	}
	m := w.shared
	b = strconv.AppendBool(strconv.AppendBool(b, w.done), w.success)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(w.progress))
	for _, goal := range w.open {
		b = strconv.AppendQuote(b, goal)
	}
	if next, ok := w.next(); ok {
		b = strconv.AppendQuote(b, next)
	}
	b = strconv.AppendInt(b, int64(m.parsed), 10)
	b = append(strconv.AppendInt(b, int64(len(m.world)), 10), m.world...)
	return m.machine.AppendState(b), nil
}
