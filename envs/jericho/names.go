package jericho

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"heldout/envs/engine/zmachine"
)

// vocabulary is the dictionary of a story.
type vocabulary struct {
	length int // of the longest word
	words  map[string]bool
}

func newVocabulary(m *zmachine.Machine) *vocabulary {
	v := &vocabulary{words: map[string]bool{}}
	for _, w := range m.Dictionary() {
		v.words[w.Text] = true
		v.length = max(v.length, len(w.Text))
	}
	return v
}

// informSerial reports whether a serial looks like a date, as Inform writes it.
func informSerial(serial string) bool {
	for _, c := range []byte(serial) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(serial) == 6 && serial[0] != '8' && serial[2] <= '1' && serial[4] <= '3'
}

// knows compares as many letters as the dictionary keeps.
func (v *vocabulary) knows(word string) bool {
	return v.words[word[:min(len(word), v.length)]]
}

// class is the part of speech of a name.
type class int

const (
	adjective class = iota
	properName
	noun
)

// name is a word or phrase by which an object may be called.
type name struct {
	text   string
	class  class
	inTree bool // it comes from the object tree
	// modifier: a noun or adjective follows it.
	modifier bool
}

// worth decides which name of an object is shown: the name with the highest worth; spec §9.3. Its unit is two
// hundredths, so that a name that is not a modifier can win against an otherwise equal one.
func (n name) worth() int {
	w := 100*int(n.class) - 2*len(n.text)
	if n.inTree {
		w += 20
	}
	if !n.modifier {
		w++
	}
	return w
}

// readable replaces word separators by spaces; spec §9.3.
func readable(text string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "*", " ", "-", " ").Replace(text))
}

// namesIn returns the words of a text that the story knows and that name things there or describe them. Names of
// directions come last: if several commands do the same, a command that names a thing is more useful.
func (v *vocabulary) namesIn(text string) []name {
	var things, directions []name
	for _, w := range tag(readable(text)) {
		if !v.knows(w.text) {
			continue
		}
		if slices.Contains(words().Directions, w.text) {
			directions = append(directions, w)
		} else {
			things = append(things, w)
		}
	}
	return append(things, directions...)
}

func namesOf(text string) []name {
	text = strings.TrimSpace(text)
	out := []name{{text: text, class: properName, inTree: true}}
	words := strings.Fields(text)
	if len(words) < 2 {
		return out
	}
	for _, w := range words[:len(words)-1] {
		out = append(out, name{text: w, class: adjective, inTree: true})
	}
	return append(out, name{text: words[len(words)-1], class: noun, inTree: true})
}

// objectNames finds one usable name for each thing here; spec §9.4. The state of
// the session is undefined afterwards.
func (s *storySession) objectNames(m *moment, v *vocabulary) ([]string, error) {
	var names []name
	for _, action := range []string{"look", "inventory"} {
		if err := s.restore(m); err != nil {
			return nil, err
		}
		if s.play(action) == nil && !s.machine.Halted() {
			names = append(names, v.namesIn(fromLatin1(s.world))...)
		}
	}
	if err := s.restore(m); err != nil {
		return nil, err
	}
	for _, text := range s.surroundings() {
		names = append(names, namesOf(text)...)
	}
	names = slices.DeleteFunc(names, func(n name) bool {
		return n.text == "" || !v.knows(n.text) && !strings.Contains(n.text, " ")
	})
	best, err := s.examine(m, names[:min(len(names), maxNames)])
	return append(best, "all"), err
}

// maxNames bounds how many names are tried; more than a screen of text has.
const maxNames = 1000

// surroundings names the objects around the player and in them, without the player's own.
func (s *storySession) surroundings() []string {
	var out []string
	m := s.machine
	visited := map[uint16]bool{0: true}
	var walk func(n uint16)
	walk = func(n uint16) {
		for ; !visited[n]; n = m.Object(n).Sibling {
			visited[n] = true
			o := m.Object(n)
			if n != s.game.Player {
				out = append(out, o.Name)
			}
			walk(o.Child)
		}
	}
	if room := m.Object(s.game.Player).Parent; room != 0 {
		walk(m.Object(room).Child)
	}
	return out
}

// examine returns the best name of each thing. Names with the same answer mean one thing.
func (s *storySession) examine(m *moment, names []name) ([]string, error) {
	var order []string
	best := map[string]name{}      // by answer
	answers := map[string]string{} // by name
	for _, n := range names {
		answer, examined := answers[n.text]
		if !examined {
			if err := s.restore(m); err != nil {
				return nil, err
			}
			if s.play("examine "+n.text) == nil && !s.machine.Halted() {
				answer = readable(fromLatin1(s.world))
				if unrecognised().MatchString(answer) {
					answer = ""
				}
			}
			answers[n.text] = answer
		}
		if answer == "" {
			continue
		}
		if b, ok := best[answer]; !ok {
			order = append(order, answer)
			best[answer] = n
		} else if n.worth() > b.worth() {
			best[answer] = n
		}
	}
	out := make([]string, 0, len(order)+1)
	for _, answer := range order {
		out = append(out, best[answer].text)
	}
	return out, nil
}

// unrecognised matches replies of parsers that do not know a name; spec §9.3.
var unrecognised = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^(?:" + strings.Join(words().Unrecognised, "|") + ")")
})
