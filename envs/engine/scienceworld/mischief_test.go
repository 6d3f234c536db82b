package scienceworld

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// mischief invents actions.
type mischief struct {
	rng   *rand.Rand
	kinds map[string]int // how many of each origin
	plan  []string       // actions to play first
}

// pick draws one of some texts.
func (m *mischief) pick(from []string) string {
	if len(from) == 0 {
		return "look around"
	}
	return from[m.rng.IntN(len(from))]
}

// chance is true in so many of a hundred cases.
func (m *mischief) chance(percent int) bool { return m.rng.IntN(100) < percent }

func (m *mischief) count(origin, action string) string {
	m.kinds[origin]++
	return action
}

// asking reports whether the world waits for the number of a choice.
func asking(valid []string) bool {
	return len(valid) > 0 && strings.IndexFunc(valid[0], func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// action invents the next action.
func (m *mischief) action(r *recorder) string {
	valid := r.valid()
	if asking(valid) {
		return m.count("answer", m.answer(valid))
	}
	if len(m.plan) > 0 && !m.chance(15) {
		a := m.plan[0]
		m.plan = m.plan[1:]
		return m.count("plan", a)
	}
	switch n := m.rng.IntN(100); {
	case n < 45:
		return m.count("valid", m.pick(valid))
	case n < 60:
		return m.count("useful", m.useful(valid))
	case n < 78:
		return m.count("template", m.template(r))
	case n < 88:
		return m.count("ambiguous", m.ambiguous(r))
	case n < 94:
		return m.count("waiting", m.pick([]string{"wait", "wait1", "wait1"}))
	}
	return m.count("nonsense", m.nonsense(r))
}

// answer answers a question, mostly well.
func (m *mischief) answer(valid []string) string {
	if m.chance(70) {
		return m.pick(valid)
	}
	return m.pick([]string{"", "-1", "-0", "+0", "007", " 0", "0 ", "1.0", strconv.Itoa(len(valid)), "2147483648", "٠",
		"zero", "help", "task", "look around"})
}

// usefulVerbs change the world more than others.
var usefulVerbs = []string{"open ", "activate ", "move ", "pour ", "pick up ", "go ", "mix ", "use ", "connect ",
	"dunk ", "eat ", "flush ", "deactivate ", "teleport ", "close ", "disconnect ", "read ", "put down "}

// useful draws a verb, then one of the valid actions with it.
func (m *mischief) useful(valid []string) string {
	for range 10 {
		verb := m.pick(usefulVerbs)
		var some []string
		for _, a := range valid {
			if strings.HasPrefix(a, verb) {
				some = append(some, a)
			}
		}
		if len(some) > 0 {
			return m.pick(some)
		}
	}
	return "look around"
}

// template fills a form of action with anything that can be spoken of.
func (m *mischief) template(r *recorder) string {
	return m.fill(m.pick(r.world.PossibleActions()), r.objects())
}

func (m *mischief) fill(form string, names []string) string {
	for strings.Contains(form, "OBJ") {
		form = strings.Replace(form, "OBJ", m.pick(names), 1)
	}
	return form
}

// vague are words that several things answer to.
var vague = []string{
	"cup", "substance", "terminal 1", "anode", "object", "door", "table", "wood table", "living thing", "flower pot",
	"seed", "light", "light bulb", "wire",
	"component", "box", "plane", "picture", "drain", "book", "paint", "orange", "water", "in kitchen", "plant", "bee",
	"sink", "block", "generator", "air", "terminal",
}

// ambiguous speaks vaguely.
func (m *mischief) ambiguous(r *recorder) string {
	return m.fill(m.pick(r.world.PossibleActions()), vague)
}

// verbs are forms beside the listed ones.
var verbs = []string{
	"go through OBJ", "walk to OBJ", "move to OBJ", "go into OBJ", "look", "look on OBJ", "examine OBJ", "turn on OBJ",
	"turn off OBJ", "consume OBJ",
	"put OBJ into OBJ", "put OBJ on OBJ", "pour OBJ on OBJ", "dunk OBJ into OBJ", "focus OBJ", "use OBJ with OBJ",
	"use OBJ", "get OBJ", "take OBJ", "drop OBJ", "stir OBJ",
	"the task", "reset task", "teleport OBJ", "teleport into OBJ", "connect OBJ in OBJ", "help", "objects", "task",
	"inventory",
}

// nonsense is typed by somebody careless.
func (m *mischief) nonsense(r *recorder) string {
	s := m.fill(m.pick(verbs), r.objects())
	switch m.rng.IntN(9) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return "  " + strings.ReplaceAll(s, " ", "  ") + "\t"
	case 2:
		return strings.ReplaceAll(s, " ", "")
	case 3:
		return s + " " + m.pick(vague)
	case 4:
		return strings.Replace(s, " ", " the a an ", 1)
	case 5:
		return m.pick([]string{"", " ", "\n", "foo", "0", "3", "é", "İ", "open", "go", "look at", "move  to ",
			"\u00a0look around", "look\u2003around", "a", "the"})
	case 6:
		if len(s) > 1 {
			n := m.rng.IntN(len(s))
			return s[:n] + s[n+1:]
		}
	}
	return s
}
