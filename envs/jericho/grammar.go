package jericho

import (
	"cmp"
	"slices"
	"strings"

	"heldout/envs/engine/zmachine"
)

// deriveTemplates reads the grammar that a story's parser uses, and returns it as templates joined by semicolons,
// those without objects first. Three forms are known: the two of Inform's library and Infocom's. A story with
// another parser has no templates.
func deriveTemplates(story *zmachine.Story) string {
	m := zmachine.New(story, zmachine.Options{})
	g := grammar{story: story, words: m.Dictionary(), prepositions: map[byte]string{}, addresses: map[int]string{}}
	for _, w := range g.words {
		if typable(w.Text) {
			g.addresses[w.Address] = w.Text
		}
	}
	if informSerial(story.Serial()) {
		g.inform()
		g.answers()
	} else {
		g.infocom()
	}
	g.merge()
	var templates []string
	for _, l := range g.lines {
		templates = append(templates, strings.Join(l.parts, " "))
	}
	slices.SortFunc(templates, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, placeholder), strings.Count(b, placeholder)), strings.Compare(a, b))
	})
	return strings.Join(slices.Compact(templates), ";")
}

// grammar collects the lines of a grammar.
type grammar struct {
	story *zmachine.Story
	words []zmachine.Word
	lines []line

	prepositions map[byte]string // spellings by number, filled on request
	addresses    map[int]string  // words that can be typed
}

// line is a command that a parser understands: words, or alternatives like a/b,
// the first of which is the verb, and placeholders.
type line struct {
	parts []string
	// meaning is what the story says about the line besides its words: the action
	// and what kinds of objects it takes.
	meaning string
}

const (
	// maxObjects is how many objects a template may have.
	maxObjects = 2
	// maxLines is more than any story has. It bounds the cost of a broken story.
	maxLines = 4000
)

// add puts in a line of a verb.
func (g *grammar) add(verb string, parts []string, meaning string) {
	objects := 0
	for _, p := range parts {
		if p == placeholder {
			objects++
		}
	}
	if objects <= maxObjects && len(g.lines) < maxLines {
		g.lines = append(g.lines, line{append([]string{verb}, parts...), meaning})
	}
}

// merge combines lines that mean the same and differ only in the verb into one
// line. The alternatives keep the order in which the verbs were read.
func (g *grammar) merge() {
	var out []line
	places := map[string]int{}
	for _, l := range g.lines {
		key := strings.Join(l.parts[1:], " ") + "\n" + l.meaning
		if i, ok := places[key]; ok {
			if have := &out[i].parts[0]; !slices.Contains(strings.Split(*have, "/"), l.parts[0]) {
				*have += "/" + l.parts[0]
			}
			continue
		}
		places[key] = len(out)
		out = append(out, l)
	}
	g.lines = out
}

// typable reports whether a command can contain a word.
func typable(word string) bool {
	return word != "" && !strings.ContainsAny(word, " ,./;") && word != placeholder
}

// spellings joins the words that pass the test, as alternatives.
func (g *grammar) spellings(holds func(data []byte) bool) string {
	var out []string
	for _, w := range g.words {
		if len(w.Data) >= 3 && typable(w.Text) && holds(w.Data) {
			out = append(out, w.Text)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "/")
}

// preposition returns the spellings of preposition n; number reads it from a word's data.
func (g *grammar) preposition(n byte, number func(data []byte) byte) string {
	word, ok := g.prepositions[n]
	if !ok {
		word = g.spellings(func(data []byte) bool { return data[0]&flagPreposition != 0 && number(data) == n })
		g.prepositions[n] = word
	}
	return word
}

// verbs calls visit for every verb: its spellings and
// the address of its lines. At the beginning of static memory there is a table
// of these addresses, from verb 255 downwards. Verbs that the story defines last
// have the lowest numbers and come first, as in the reference's templates.
func (g *grammar) verbs(match func(data []byte, number byte) bool, visit func(verb string, lines int)) {
	for number := 1; number <= 255; number++ {
		verb := g.spellings(func(data []byte) bool { return match(data, byte(number)) })
		lines := g.story.Word(g.story.StaticMemory() + 2*(255-number))
		if verb != "" && verb != jumpingVerb && lines >= g.story.StaticMemory() && lines < g.story.Size() {
			visit(verb, lines)
		}
	}
}

// jumpingVerb is a verb of Inform's debugging commands, which takes the player to
// any place. The reference's templates leave it out.
const jumpingVerb = "goto"

// Flags in the first data byte of dictionary words; spec §9.4.
const (
	flagInformVerb    = 0x01
	flagPreposition   = 0x08
	flagInfocomVerb   = 0x40
	infocomFirst      = 0x03 // which of the two values comes first:
	infocomFirstPrep  = 0x00
	infocomFirstVerb  = 0x01
	informLine1       = 8  // bytes of a line in version 1
	informFilter      = 16 // tokens that a routine of the story decides about
	informScope       = 80 // one more than the last of them
	informPreposition = 180
	informEnd         = 15 // after the last token in version 2
)

func informVerb(data []byte, number byte) bool {
	return data[0]&flagInformVerb != 0 && data[1] == number
}

func (g *grammar) inform() {
	version1 := g.informVersion1()
	g.verbs(informVerb, func(verb string, addr int) {
		count := int(g.story.Byte(addr))
		addr++
		for range count {
			read := g.informLine2
			if version1 {
				read = g.informLine
			}
			parts, meaning, next, ok := read(addr)
			if addr = next; ok {
				g.add(verb, parts, meaning)
			}
		}
	})
}

// answers adds the answers to the questions that the library asks by itself. A story
// may know them without any line of its grammar.
func (g *grammar) answers() {
	for _, answer := range []string{"yes", "no"} {
		exists := slices.ContainsFunc(g.words, func(w zmachine.Word) bool { return w.Text == answer })
		listed := slices.ContainsFunc(g.lines, func(l line) bool {
			return slices.Contains(strings.Split(l.parts[0], "/"), answer)
		})
		if exists && !listed {
			g.add(answer, nil, answer)
		}
	}
}

// informVersion1 reports whether lines have the fixed size of version 1: whether
// the lines of all verbs end where the lines of another verb begin.
func (g *grammar) informVersion1() bool {
	var starts []int
	g.verbs(informVerb, func(_ string, lines int) { starts = append(starts, lines) })
	slices.Sort(starts)
	starts = slices.Compact(starts)
	for i := 0; i+1 < len(starts); i++ {
		if starts[i]+1+informLine1*int(g.story.Byte(starts[i])) != starts[i+1] {
			return false
		}
	}
	return true
}

// informLine reads a line of version 1: a number of objects, six tokens, an action.
func (g *grammar) informLine(addr int) (parts []string, meaning string, next int, ok bool) {
	objects := int(g.story.Byte(addr))
	tokens := []byte{g.story.Byte(addr + 7)} // the action
	for i := 1; i <= 6; i++ {
		token := g.story.Byte(addr + i)
		switch {
		case token >= informPreposition:
			word := g.preposition(token, func(data []byte) byte { return data[2] })
			if word == "" {
				return nil, "", addr + informLine1, false
			}
			parts = append(parts, word)
		case token >= informFilter && token < informScope:
			return nil, "", addr + informLine1, false
		case objects > 0:
			parts = append(parts, placeholder)
			tokens = append(tokens, token)
			objects--
		}
	}
	return parts, string(tokens), addr + informLine1, true
}

// informLine2 reads a line of version 2: an action of two bytes and tokens of three bytes. The first byte of a
// token gives its kind, and says whether the token is an alternative to the previous one.
func (g *grammar) informLine2(addr int) (parts []string, meaning string, next int, ok bool) {
	const (
		kind        = 0x0F
		preposition = 2
		filter      = 3 // objects for which a routine of the story holds
		routine     = 6 // words that a routine of the story reads
		alternative = 0x10
	)
	ok = true
	tokens := []byte{g.story.Byte(addr), g.story.Byte(addr + 1)} // the action
	addr += 2
	for addr < g.story.Size() && g.story.Byte(addr) != informEnd {
		token, data := g.story.Byte(addr), g.story.Word(addr+1)
		addr += 3
		text := placeholder
		switch token & kind {
		case filter, routine:
			ok = false
			continue
		case preposition:
			if text = g.addresses[data]; text == "" {
				ok = false
				continue
			}
		default:
			tokens = append(tokens, token, byte(data>>8), byte(data))
		}
		if n := len(parts); token&alternative != 0 && n > 0 && text != placeholder {
			parts[n-1] += "/" + text
			continue
		}
		parts = append(parts, text)
	}
	return parts, string(tokens), addr + 1, ok
}

// infocom reads the grammar of Infocom's games of version 3: lines of eight
// bytes, with the number of objects and the prepositions before them.
func (g *grammar) infocom() {
	verb := func(data []byte, number byte) bool {
		return data[0]&flagInfocomVerb != 0 && infocomValue(data, infocomFirstVerb) == number
	}
	g.verbs(verb, func(verb string, addr int) {
		count := int(g.story.Byte(addr))
		addr++
		for range count {
			objects := int(g.story.Byte(addr) & 3)
			var parts []string
			ok := true
			for i := range 2 {
				if number := g.story.Byte(addr + 1 + i); number != 0 {
					word := g.preposition(number, func(data []byte) byte {
						return infocomValue(data, infocomFirstPrep)
					})
					parts = append(parts, word)
					ok = ok && word != ""
				}
				if i < objects {
					parts = append(parts, placeholder)
				}
			}
			if ok {
				meaning := make([]byte, 0, 5)
				for i := 3; i < 8; i++ {
					meaning = append(meaning, g.story.Byte(addr+i))
				}
				g.add(verb, parts, string(meaning))
			}
			addr += 8
		}
	})
}

// infocomValue returns the value that a word has as one part of speech. A word
// has at most two values. The flags say which value comes first.
func infocomValue(data []byte, first byte) byte {
	if data[0]&infocomFirst == first {
		return data[1]
	}
	return data[2]
}
