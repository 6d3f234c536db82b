package jericho

import "strings"

// taken in a reply means that the parser took an object by itself to carry out
// the command.
const taken = "(Taken)"

// group are commands that change the world in the same way.
type group struct {
	diff    diff
	actions []string
}

// candidates are the commands that are tried: every template with every name
// that fits; spec §9.5.
func candidates(templates, names []string) []string {
	var out []string
	for _, t := range templates {
		before, rest, found := strings.Cut(t, placeholder)
		if !found {
			out = append(out, t)
			continue
		}
		middle, after, two := strings.Cut(rest, placeholder)
		for _, first := range names {
			if !two {
				out = append(out, before+first+rest)
				continue
			}
			for _, second := range names {
				if first != second {
					out = append(out, before+first+middle+second+after)
				}
			}
		}
	}
	return out
}

// effective tries commands, each at the present moment, and returns those that
// change something, in groups. The session is left in disorder: the caller has
// to restore it.
func (s *session) effective(at *moment, actions []string) ([]group, error) {
	var groups []group
	score := s.score()
	for _, a := range actions {
		if err := s.restore(at); err != nil {
			return nil, err
		}
		if s.play(a) != nil || s.machine.Halted() {
			continue
		}
		d := s.changes()
		if d.empty() && s.score() == score && !s.over() && !s.won() || strings.Contains(string(s.world), taken) {
			continue
		}
		groups = addTo(groups, d, a)
	}
	return groups, nil
}

// addTo puts a command into the group of its diff, or into a new one at the end.
func addTo(groups []group, d diff, action string) []group {
	for i := range groups {
		if groups[i].diff.equal(&d) {
			groups[i].actions = append(groups[i].actions, action)
			return groups
		}
	}
	return append(groups, group{d, []string{action}})
}

// choose returns the command of each group that begins with the most usual word.
func choose(groups []group, counts verbCounts) []string {
	out := make([]string, 0, len(groups))
	for _, g := range groups {
		best, most := "", -1
		for _, a := range g.actions {
			verb, _, _ := strings.Cut(a, " ")
			if n := counts.exact(verb); n > most {
				best, most = a, n
			}
		}
		out = append(out, best)
	}
	return out
}

// catalogue is what commands are made of: it does not change and may be shared.
type catalogue struct {
	templates []string
	counts    verbCounts
	words     *vocabulary
}

// validActions lists the commands that change the world now; spec §9. The
// session is afterwards as it was before.
func (s *session) validActions(c *catalogue) ([]string, error) {
	if s.over() || s.won() {
		return nil, nil
	}
	at := s.snapshot()
	names, err := s.objectNames(at, c.words)
	if err == nil {
		err = s.restore(at)
	}
	if err != nil {
		return nil, err
	}
	groups, err := s.effective(at, candidates(c.templates, names))
	if err != nil {
		return nil, err
	}
	return choose(groups, c.counts), s.restore(at)
}
