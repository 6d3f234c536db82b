package alfworld

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// grammar is what the text grammar of a game says, in the language of TextWorld: the rules of actions, and symbols.
// Of several rules for an action, or texts for a symbol, the last one counts, as in TextWorld 1.7.
type grammar struct {
	rules   map[string]wording // by action, in lower case
	symbols map[string]string  // what each stands for: the first of its texts, or "##" if it depends
}

// wording is how an action is typed and answered.
type wording struct{ template, feedback string }

// readGrammar reads a text grammar. An error starts with the number of the line.
func readGrammar(text string) (grammar, error) {
	g := grammar{map[string]wording{}, map[string]string{}}
	r := &grammarReader{text: text, rest: text}
	for r.err == nil {
		switch word := r.next(); {
		case word == "" && r.err == nil:
			return g, nil
		case word == "grammar":
			r.fail(g.define(r.value()))
		case word == "action":
			g.act(r)
		default:
			r.fail(fmt.Errorf("%.40q where a grammar or an action should begin", word))
		}
	}
	return g, r.err
}

// act reads the rule of an action.
func (g *grammar) act(r *grammarReader) {
	name, found := strings.ToLower(r.next()), wording{}
	r.expect("{")
	for r.err == nil {
		switch key := r.next(); key {
		case "template":
			found.template = r.value()
		case "feedback":
			found.feedback = r.value()
		case "pddl":
			r.value()
		case "grammar":
			r.fail(g.define(comments.ReplaceAllString(r.value(), "")))
		case "}":
			g.rules[name] = found
			return
		default:
			r.fail(fmt.Errorf("%.40q in the rule of %.40q", key, name))
		}
	}
}

// comments are the lines that TextWorld leaves out of the symbols of an action.
var comments = regexp.MustCompile(`(?m)^\s*#.*$`)

// define adds symbols, which are in JSON.
func (g *grammar) define(text string) error {
	var symbols map[string][]struct {
		Text      string `json:"rhs"`
		Condition string `json:"condition"`
	}
	if err := json.Unmarshal([]byte(text), &symbols); err != nil {
		return fmt.Errorf("its symbols: %w", err)
	}
	for name, texts := range symbols {
		switch {
		case len(texts) == 0:
		case texts[0].Condition != "":
			g.symbols[name] = "##"
		default:
			g.symbols[name] = texts[0].Text
		}
	}
	return nil
}

// grammarReader divides a text grammar into words, signs and quoted texts.
type grammarReader struct {
	text, rest string
	err        error // the first
}

func (r *grammarReader) fail(err error) {
	if err != nil && r.err == nil {
		line := 1 + strings.Count(r.text[:len(r.text)-len(r.rest)], "\n")
		r.err = fmt.Errorf("line %d: %w", line, err)
	}
}

// next returns the next word or sign, or a quoted text with a quotation mark before it; "" at the end.
func (r *grammarReader) next() string {
	r.rest = strings.TrimLeftFunc(r.rest, unicode.IsSpace)
	for strings.HasPrefix(r.rest, "#") {
		_, r.rest, _ = strings.Cut(r.rest, "\n")
		r.rest = strings.TrimLeftFunc(r.rest, unicode.IsSpace)
	}
	for _, mark := range []string{`"""`, `"`} {
		if quoted, ok := strings.CutPrefix(r.rest, mark); ok {
			text, rest, closed := strings.Cut(quoted, mark)
			if !closed {
				r.fail(errors.New("a quoted text does not end"))
			}
			r.rest = rest
			return `"` + text
		}
	}
	n := strings.IndexFunc(r.rest, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(`"#{};:`, c) })
	switch {
	case strings.HasPrefix(r.rest, "::"):
		n = 2
	case n == 0:
		n = 1
	case n < 0:
		n = len(r.rest)
	}
	word := r.rest[:n]
	r.rest = r.rest[n:]
	return word
}

func (r *grammarReader) expect(want string) {
	if got := r.next(); got != want {
		r.fail(fmt.Errorf("%.40q where %q should stand", got, want))
	}
}

// value returns the quoted text after "::" and before ";".
func (r *grammarReader) value() string {
	r.expect("::")
	text, quoted := strings.CutPrefix(r.next(), `"`)
	if !quoted {
		r.fail(fmt.Errorf("%.40q where a quoted text should begin", text))
	}
	r.expect(";")
	return text
}

// goal is the sentence that states what is to be done.
func (g grammar) goal() (string, error) {
	text := g.resolved("#task#")
	goal, ok := strings.CutPrefix(text, goalPrefix)
	if !ok {
		return "", fmt.Errorf("unknown grammar: its symbol task says %.40q, not %q and the goal", text, goalPrefix)
	}
	return goal, nil
}

// resolved replaces a text that is a symbol by what that stands for.
func (g grammar) resolved(text string) string {
	for range len(g.symbols) {
		found, ok := g.symbols[strings.Trim(text, "#")]
		if len(text) < 3 || text[0] != '#' || text[len(text)-1] != '#' || !ok {
			break
		}
		text = found
	}
	return text
}

var (
	// namePlace is where the name of a thing stands in a grammar: {r}, {r.name} or
	// [{r.name | receptacleatlocation(r:receptacle, lend:location)}].
	namePlace = regexp.MustCompile(`\[?\{\s*(\w+)(?:\.name)?\s*(?:\|[^{}]*)?\}\]?`)
	// composed is what a grammar, or an actionForm, leaves to other rules.
	composed = regexp.MustCompile(`#[^#]*#|\{(?:look|inventory|help|see \w+|describe \w+)\}`)
)

// dialect finds the dialect that a grammar has in all rules of actions. What things look
// like is not compared: no published game differs there.
func (g grammar) dialect() (dialect, error) {
	for name, r := range g.rules {
		answer := namePlace.ReplaceAllString(g.resolved(r.feedback), "{$1}")
		g.rules[name] = wording{namePlace.ReplaceAllString(r.template, "{$1}"), composed.ReplaceAllString(answer, "{}")}
	}
	_, helps := g.rules["help"]
	put, arrive := g.rules["putobject"], g.rules["gotolocation"]
	d := dialect{moves: put.template == move, saysMove: put.feedback == moved,
		namesTarget: strings.HasPrefix(arrive.feedback, "You arrive at {r}. "), helps: helps}
	if err := g.check(d); err != nil {
		return dialect{}, fmt.Errorf("unknown grammar: %w; heldout help alfworld-versions has the published ones", err)
	}
	return d, nil
}

// check reports an action that a grammar types or answers otherwise than a dialect does.
func (g grammar) check(d dialect) error {
	for _, f := range d.forms() {
		r, ok := g.rules[f.action]
		answer := composed.ReplaceAllString(f.answer, "{}")
		switch {
		case !ok:
			return fmt.Errorf("it has no action %s", f.action)
		case r.template != f.command:
			return fmt.Errorf("%s is typed %.80q, not %q", f.action, r.template, f.command)
		case f.action == "toggleobject" && r.feedback == "{}": // as published: the lamp is on by then
		case r.feedback != answer && answer != "{}":
			return fmt.Errorf("%s is answered %.80q, not %q", f.action, r.feedback, answer)
		}
	}
	return nil
}
