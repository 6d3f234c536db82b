package scienceworld

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// articles are left out of inputs and of referents.
func isArticle(word string) bool { return word == "a" || word == "an" || word == "the" }

// isBlank is Java's \s.
func isBlank(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }

// parserWords brings a lower-case text into the form in which the parser compares texts (core §10.1).
func parserWords(s string) string {
	if isPlain(s) {
		return s
	}
	ws := strings.FieldsFunc(javaTrim(s), isBlank)
	return strings.Join(slices.DeleteFunc(ws, isArticle), " ")
}

// isPlain reports whether a text is in the parser's form, as most are: words in ASCII with
// single spaces between them, and no articles.
func isPlain(s string) bool {
	word := 0 // where it begins
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			if i == word || isArticle(s[word:i]) {
				return false
			}
			word = i + 1
		case c < ' ' || c > '~':
			return false
		}
	}
	return word < len(s) && !isArticle(s[word:])
}

// javaLower is lower case as Java maps it, as far as it can matter for names in
// ASCII: a dotted capital I becomes two characters.
func javaLower(s string) string { return strings.ToLower(strings.ReplaceAll(s, "İ", "i\u0307")) }

// matches are the deeds that an input can mean, by action.
type matches struct {
	action *action
	deeds  []deed
}

// parse finds all that an input can mean, in the order in which choices are listed (core §10.2).
func (w *World) parse(input string) (found []matches) {
	words := parserWords(javaLower(input))
	var reach, everywhere *cache
	for _, a := range w.actions {
		if !slices.ContainsFunc(a.Verbs, func(verb string) bool { return strings.HasPrefix(words, verb) }) {
			continue
		}
		objects := &reach
		if a.ID == teleport {
			objects = &everywhere
		}
		if a.Slots > 0 && *objects == nil {
			*objects = w.parserObjects(a.ID == teleport)
		}
		if deeds := w.match(a, words, *objects); len(deeds) > 0 {
			found = append(found, matches{a, deeds})
		}
	}
	slices.Reverse(found)
	slices.SortStableFunc(found, func(a, b matches) int { return b.action.Bucket - a.action.Bucket })
	return found
}

// parserObjects lists what can be spoken of (core §8.1).
func (w *World) parserObjects(everywhere bool) *cache {
	k := &w.reach
	if everywhere {
		k = &cache{objects: accessible(w.universe, true)}
	} else {
		w.keepReach(k)
	}
	if len(k.lists) != len(k.objects) || k.names != w.names {
		k.names, k.lists = w.names, k.lists[:0]
		for _, x := range k.objects {
			k.lists = append(k.lists, w.called(x, w.place()))
		}
	}
	return k
}

// keepReach lists what can be reached here, if it has changed.
func (w *World) keepReach(k *cache) {
	if !w.isCurrent(k) {
		around, carried := accessible(w.place(), true), accessible(w.agent, true)
		l := &listing{}
		l.addAll(around)
		l.addAll(carried)
		w.keep(k, l.items())
	}
}

// match finds the deeds of one action. There are no word boundaries, and every
// way to use up the whole input counts, once for the same objects.
func (w *World) match(a *action, words string, objects *cache) (out []deed) {
	add := func(d deed) {
		d.id = a.ID
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	w.cutPrefixes(words, a.Verbs, func(rest string) {
		switch a.Slots {
		case 0:
			if rest == "" {
				add(deed{})
			}
		case 1:
			w.naming(rest, objects, func(x *Object, rest string) {
				if rest == "" {
					add(deed{a: x})
				}
			})
		case 2:
			w.naming(rest, objects, func(x *Object, rest string) {
				w.cutPrefixes(rest, a.Links, func(rest string) {
					w.naming(rest, objects, func(y *Object, rest string) {
						if rest == "" {
							add(deed{a: x, b: y})
						}
					})
				})
			})
		}
	})
	return out
}

// cutPrefixes calls yield with what follows each of the alternatives.
func (w *World) cutPrefixes(words string, alternatives []string, yield func(rest string)) {
	for _, s := range alternatives {
		if rest, ok := strings.CutPrefix(words, s); ok {
			yield(javaTrim(rest))
		}
	}
}

// naming calls yield for each object and each of its referents with which the words start, with what follows.
func (w *World) naming(words string, objects *cache, yield func(x *Object, rest string)) {
	for i, list := range objects.lists {
		for _, t := range list.full {
			if rest, ok := strings.CutPrefix(words, t.words); ok && t.words != "" {
				yield(objects.objects[i], javaTrim(rest))
			}
		}
	}
}

const ambiguous = "Ambiguous request: Please enter the number for the action you intended (or blank to cancel):\n"

// ask lists what an input can mean and keeps it for the answer (core §10.3).
func (w *World) ask(found []matches) string {
	var b strings.Builder
	if len(found) > 1 {
		var names []string
		for _, m := range found {
			names = append(names, m.action.Name)
		}
		fmt.Fprintf(&b, "Ambiguous request: Multiple different possible actions were matched to this input (%s). "+
			"It's possible the action space needs to be refined to remove possible duplicate/ambiguous patterns.",
			strings.Join(names, ", "))
	}
	b.WriteString(ambiguous)
	w.choices = nil
	for _, m := range found {
		for _, d := range m.deeds {
			fmt.Fprintf(&b, "%d:\t%s\n", len(w.choices), w.sentence(d))
			w.choices = append(w.choices, d)
		}
	}
	return b.String()
}

// sentence is a deed as it is listed among choices.
func (w *World) sentence(d deed) string {
	a := &actions[d.id]
	s := a.Verbs[0]
	if a.Slots > 0 {
		s += " " + w.located(d.a)
	}
	if a.Slots > 1 {
		s += " " + a.Links[0] + " " + w.located(d.b)
	}
	return s
}

// located is an object with the containers that it is in, up to where the agent is.
func (w *World) located(o *Object) string {
	s := o.descriptiveName()
	if o.container == nil {
		return s
	}
	in := ""
	for c := o.container; c != nil; c = c.container {
		if in != "" {
			in += ", "
		}
		in += "in " + c.name
		if c == w.place() {
			break
		}
	}
	return s + " (" + in + ")"
}

// answer reads the answer to a question: the number of a choice. Anything else cancels.
func (w *World) answer(input string) {
	choices := w.choices
	w.choices = nil
	if n, ok := javaInt(input); ok && n >= 0 && n < int64(len(choices)) {
		w.queue = append(w.queue, w.substituted(choices[n]))
	}
}

// javaInt reads a 32-bit integer as Java does: with digits of any script.
func javaInt(s string) (int64, bool) {
	digits := s
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		digits = s[1:]
	}
	if digits == "" {
		return 0, false
	}
	n := int64(0)
	for _, r := range digits {
		d, ok := digit(r)
		if n = 10*n + d; !ok || n > 1<<31 {
			return 0, false
		}
	}
	if negative {
		n = -n
	}
	return n, n < 1<<31
}

// digit is the value of a decimal digit. Beyond the first plane Java sees halves of characters.
func digit(r rune) (int64, bool) {
	for _, rg := range unicode.Nd.R16 {
		if rune(rg.Lo) <= r && r <= rune(rg.Hi) {
			return int64(r-rune(rg.Lo)) % 10, true
		}
	}
	return 0, false
}
