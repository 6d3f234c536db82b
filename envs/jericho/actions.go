package jericho

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// takenReply in a reply means that the parser took an object by itself first.
const takenReply = "(Taken)"

// effectGroup are commands that change the world in the same way.
type effectGroup struct {
	diff    diff
	actions []string
}

// candidates are the commands that are tried: every template with every name that fits; spec §9.5.
func candidates(templates, names []string) []string {
	var out []string
	for _, t := range templates {
		if len(out) > maxCandidates {
			break
		}
		prefix, rest, found := strings.Cut(t, placeholder)
		if !found {
			out = append(out, t)
			continue
		}
		middle, suffix, two := strings.Cut(rest, placeholder)
		for _, first := range names {
			if !two {
				out = append(out, prefix+first+rest)
				continue
			}
			for _, second := range names {
				if first != second {
					out = append(out, prefix+first+middle+second+suffix)
				}
			}
		}
	}
	return out
}

// attempt plays a command at a moment, and returns what it changed; ok is false
// if it changed nothing. The state of the session is undefined afterwards.
func (s *storySession) attempt(m *moment, score int, action string) (d diff, ok bool) {
	if s.restore(m) != nil || s.play(action) != nil || s.machine.Halted() {
		return diff{}, false
	}
	d = s.changes()
	if d.equal(&diff{}) && s.score() == score && !s.lost() && !s.won() {
		return diff{}, false
	}
	return d, !bytes.Contains(s.world, []byte(takenReply))
}

const (
	// These bound what the help command costs in a story that is out to harm: the benchmark's games have up to
	// 23,000 candidates, which take some 100,000 instructions each, and up to a billion together.
	maxCandidates = 100_000
	helpBudget    = 20_000_000_000 // instructions
	attemptBudget = 5_000_000      // instructions

	share = 100 // commands for which it is worth while to ask another session
)

// effective tries commands, each at the present moment, and returns those that
// change something, in groups. The state of the session is undefined afterwards.
func (s *storySession) effective(c *catalogue, m *moment, actions []string) []effectGroup {
	var groups []effectGroup
	for k, d := range s.tryAll(c, m, actions) {
		if d != nil {
			groups = addTo(groups, *d, actions[k])
		}
	}
	return groups
}

// processors are taken while commands are tried: not more of the process's worlds do so at
// the same time than there is benefit in.
var processors = make(chan struct{}, runtime.GOMAXPROCS(0))

// tryAll returns what commands change, or nil for those that change nothing. As many
// sessions try them as processors are free.
func (s *storySession) tryAll(c *catalogue, m *moment, actions []string) []*diff {
	score := s.score()
	budget := min(helpBudget/max(len(actions), 1), c.attemptBudget)
	diffs := make([]*diff, len(actions))
	var wg sync.WaitGroup
	var next atomic.Int64
	work := func(s *storySession) {
		defer func() { <-processors }()
		defer s.machine.SetBudget(s.machine.SetBudget(budget))
		for k := next.Add(1) - 1; int(k) < len(actions); k = next.Add(1) - 1 {
			if d, ok := s.attempt(m, score, actions[k]); ok {
				diffs[k] = &d
			}
		}
	}
	processors <- struct{}{}
	for range min(len(actions)/share, cap(processors)-1) {
		select {
		case processors <- struct{}{}:
			wg.Go(func() {
				session := m.session(c.play)
				work(session)
				c.play.sessions.Put(session)
			})
		default:
		}
	}
	work(s)
	wg.Wait()
	return diffs
}

// addTo puts a command into the group of its diff, or into a new one at the end.
func addTo(groups []effectGroup, d diff, action string) []effectGroup {
	for i := range groups {
		if groups[i].diff.equal(&d) {
			groups[i].actions = append(groups[i].actions, action)
			return groups
		}
	}
	return append(groups, effectGroup{d, []string{action}})
}

// choose returns the command of each group that begins with the most usual word.
func choose(groups []effectGroup, counts verbCounts) []string {
	out := make([]string, 0, len(groups))
	for _, g := range groups {
		best, top := "", -1
		for _, a := range g.actions {
			verb, _, _ := strings.Cut(a, " ")
			if n := counts.exact(verb); n > top {
				best, top = a, n
			}
		}
		out = append(out, best)
	}
	return out
}

// catalogue holds the parts of commands. Sessions share it.
type catalogue struct {
	play *play
	// identity is the hash of the story, of what is known of it and of the templates.
	identity  momentKey
	templates []string
	counts    verbCounts
	words     *vocabulary
	// attemptBudget is the largest number of instructions for one command.
	attemptBudget int
}

// validActions lists the commands that change the world now; spec §9. The session is unchanged afterwards.
func (s *storySession) validActions(c *catalogue) ([]string, error) {
	if s.lost() || s.won() {
		return nil, nil
	}
	m := s.snapshot()
	return listed.get(c.key(m), func() ([]string, error) { return s.newValidActions(c, m) })
}

// newValidActions is validActions for a moment that is the present one and not known.
func (s *storySession) newValidActions(c *catalogue, m *moment) ([]string, error) {
	budget := s.machine.SetBudget(c.attemptBudget)
	names, err := s.objectNames(m, c.words)
	s.machine.SetBudget(budget)
	if err := errors.Join(err, s.restore(m)); err != nil {
		return nil, err
	}
	s.machine.Prompt() // once, instead of with every command
	groups := s.effective(c, s.snapshot(), distinct(candidates(c.templates, names)))
	return choose(groups, c.counts), s.restore(m)
}

// distinct leaves out repeated entries, because they would say the same again.
func distinct(texts []string) []string {
	present := make(map[string]bool, len(texts))
	return slices.DeleteFunc(texts, func(t string) bool {
		repeated := present[t]
		present[t] = true
		return repeated
	})
}
