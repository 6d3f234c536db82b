package alfworld

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// classicGrammars are the grammars of the official games in the classic dialect, with their
// goals; or the test is skipped.
func classicGrammars(t *testing.T) (grammars, goals []string) {
	t.Helper()
	data := sharedtest.AgentBoard(t)
	files, err := filepath.Glob(filepath.Join(data, "alfworld/json_2.1.1/valid_unseen", "*", "*", gameName))
	if err != nil || len(files) != 134 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		b := sharedtest.Must(os.ReadFile(file))(t)
		var game struct{ Grammar string }
		sharedtest.OK(t, json.Unmarshal(b, &game))
		_, rest, _ := strings.Cut(game.Grammar, goalPrefix)
		goal, _, _ := strings.Cut(rest, `"`)
		grammars, goals = append(grammars, game.Grammar), append(goals, goal)
	}
	return grammars, goals
}

// republished is a classic grammar as ALFWorld's own script patch_tw-pddl.py makes it anew for 0.4:
// see TestPublishedGrammars.
func republished(grammar string) string {
	return inModernWords(grammar) + "\naction help {\n    template :: \"help\";\n    feedback :: \"\n" + helpText +
		"\";\n}\n"
}

// generatedLater is a classic grammar as alfworld-generate 0.4 writes it: another rule for help.
func generatedLater(grammar string) string {
	return inModernWords(grammar) + "\naction help {\n    template :: \"help\";\n" +
		"    feedback :: \"#help.feedback#\";\n\n" +
		"    grammar :: \"\"\"\n        {\n            \"help.feedback\": [\n                {\n" +
		"                    \"rhs\": \"" + inJSON("\n"+helpText) + "\"\n" +
		"                }\n            ]\n        }\n" +
		"    \"\"\";\n}\n"
}

func inModernWords(grammar string) string {
	return strings.NewReplacer("You arrive at {lend.name}.", "You arrive at {r.name}.",
		"You put the {o.name} in/on the {r.name}.", "You move the {o.name} to the {r.name}.",
		"put {o} in/on {r}", "move {o} to {r}").Replace(grammar)
}

// The published grammars are read as what they are, each with its goal. The sums are hashes of their texts
// with UNKNOWN GOAL. for the goal: of alfred.twl2 in ALFWorld 0.2.2 to 0.3.5 and of AgentBoard's games; of
// what ALFWorld's patch_tw-pddl.py (SHA-256 da316f84570e…) makes of these 134 games, which is also the grammar
// of all 4,027 games in a public copy of json_2.1.3; and of alfred.twl2 in ALFWorld 0.4.0 to 0.5.0.
func TestPublishedGrammars(t *testing.T) {
	forms := []struct {
		name, sum string
		puts      int // how often "You put the " stands in it, which says nothing
		write     func(classic string) string
		want      dialect
	}{
		{"0.2.2 to 0.3.5", "d955e6db384c68ac5797e881b795fd36d788e87a03547f9a87e48fbd7c5b361b", 4,
			func(classic string) string { return classic }, classic},
		{"patched, and json_2.1.3", "cce0702cd250cc6af6c3ea047a21f6c4c1c8d29a1739efefb5221ef4c3dcac57", 3, republished,
			modern},
		{"alfworld-generate 0.4", "c5b22f0f73309a7fd7c8e5b71de42ad4803b60766ab4a51cc2feb34162be036b", 3, generatedLater,
			modern},
	}
	grammars, goals := classicGrammars(t)
	for _, form := range forms {
		for i, text := range grammars {
			text = form.write(text)
			g, err := readGrammar(text)
			if err != nil {
				t.Fatalf("%s: %v", form.name, err)
			}
			goal := sharedtest.Must(g.goal())(t)
			sharedtest.Equal(t, goal, goals[i], form.name)
			sharedtest.Equal(t, sharedtest.Must(g.dialect())(t), form.want, form.name)
			plain := strings.Replace(text, goalPrefix+goals[i], goalPrefix+"UNKNOWN GOAL.", 1)
			if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(plain))); sum != form.sum {
				t.Fatalf("%s: the text is not the published one: SHA-256 %s", form.name, sum)
			}
			sharedtest.Equal(t, strings.Count(text, "You put the "), form.puts, form.name,
				"sentences begin with You put the")
		}
	}
}

// writing writes a grammar of a dialect in one of the ways that mean the same.
type writing struct {
	*rapid.T
	earlier, parts []string // statements that others replace, and statements
	symbols        int
}

// flip is true by half.
func (w *writing) flip() bool { return rapid.Bool().Draw(w.T, "flip") }

// pick draws one of some texts.
func (w *writing) pick(texts ...string) string { return rapid.SampledFrom(texts).Draw(w.T, "pick") }

// gap is white space, or a comment, which may say what another grammar says.
func (w *writing) gap() string {
	return w.pick("", " ", "\n", "\r\n", "\t", "  \n\n ", "# a comment\n", "# template :: \"put {o} in/on {r}\";\n",
		"#\"You move the {o.name} to the {r.name}.\"\r\n", " # } action help {\n")
}

// names writes the names of things in a template as grammars do.
func (w *writing) names(template string) string {
	form := w.pick("{%s}", "{%s.name}", "{ %s }", "{ %s.name }")
	return namePlace.ReplaceAllStringFunc(template, func(place string) string {
		return fmt.Sprintf(form, strings.Trim(place, "{}"))
	})
}

// block is a grammar with one symbol.
func (w *writing) block(symbol, text string) string {
	return "grammar" + w.gap() + "::" + w.gap() + `"""` + w.define(symbol, text) + `"""` + w.gap() + ";"
}

// define is a symbol in JSON. A second text never comes up.
func (w *writing) define(symbol, text string) string {
	return fmt.Sprintf("\n{%q:%s[{%s\"rhs\": \"%s\"}%s]}\n", symbol, w.pick("", " ", "\n  "),
		w.pick("", `"weight": 2, `), inJSON(text),
		w.pick("", `, {"rhs": "You put the {o.name} in/on the {r.name}."}`,
			`, {"condition": "checked(l:location)", "rhs": "TODO"}`))
}

// text is a text, or a symbol for it, which another block or the rule itself (own) defines.
func (w *writing) text(text string) (written, own string) {
	for w.flip() {
		w.symbols++
		symbol := fmt.Sprintf("S%d%s", w.symbols, w.pick("", ".feedback", "-variations"))
		if w.flip() {
			w.earlier = append(w.earlier, w.block(symbol, w.pick("You put the {o.name} in/on the {r.name}.", "TODO")))
		}
		block := w.block(symbol, text)
		if text = "#" + symbol + "#"; own == "" && w.flip() {
			own = block
		} else {
			w.parts = append(w.parts, block)
		}
	}
	return text, own
}

// rule writes the rule of an action.
func (w *writing) rule(name, template, feedback string) string {
	feedback, own := w.text(feedback)
	lines := []string{
		"template" + w.gap() + "::" + w.gap() + `"` + template + `"` + w.gap() + ";",
		"feedback" + w.gap() + "::" + w.gap() + `"` + feedback + `"` + w.gap() + ";",
	}
	switch {
	case own != "":
		lines = append(lines, own)
	case w.flip():
		lines = append(lines, `pddl :: """(:action x)""";`)
	}
	lines = rapid.Permutation(lines).Draw(w.T, "lines")
	if w.flip() {
		name = strings.ToUpper(name)
	}
	return "action " + w.gap() + name + w.pick(" ", "", "\n") + "{" + w.gap() + strings.Join(lines, w.gap()) + w.gap() +
		"}"
}

// answerOf writes an answer of a form in a grammar.
func (w *writing) answerOf(answer string) string {
	return w.names(composed.ReplaceAllString(answer, "#seen#"))
}

// Grammars are known by what they say of the actions, however they are written: in any order, with
// other rules, comments, symbols, and what is replaced later. Rules of no dialect are refused, by name.
func TestGrammarsWritten(t *testing.T) {
	count := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		w := &writing{T: rt}
		d := dialect{w.flip(), w.flip(), w.flip(), w.flip()}
		forms := d.forms()
		spoiled := rapid.IntRange(0, len(forms)-1).Draw(rt, "spoiled")
		harm := w.pick("", "", "missing", "typed", "answered")
		if harm == "answered" && composed.ReplaceAllString(forms[spoiled].answer, "") == "" {
			harm = "" // what these answer depends on the state, and is not compared
		}
		for i, f := range forms {
			template, answer := w.names(f.command), w.answerOf(f.answer)
			if f.action == "gotolocation" && w.flip() {
				template = "go to [{r.name | receptacleatlocation(r:receptacle, lend:location)}]"
			}
			switch {
			case i != spoiled:
			case harm == "missing":
				continue
			case harm == "typed":
				template = w.pick("please ", "") + strings.ToUpper(template[:1]) + template[1:]
			case harm == "answered" && w.flip() && f.action != "toggleobject":
				answer = "#depends#"
			case harm == "answered":
				answer += w.pick("!", " You put the {o.name} in/on the {r.name}.")
			}
			if w.flip() {
				w.earlier = append(w.earlier, w.rule(f.action, w.pick("put {o} in/on {r}", "drop {o}"), "TODO"))
			}
			w.parts = append(w.parts, w.rule(f.action, template, answer))
		}
		for w.flip() { // actions that no game has
			w.parts = append(w.parts, w.rule(
				w.pick("PutEmptyReceptacleObjectinReceptacle", "PutFullReceptacleObjectInReceptacle"),
				w.pick("put {o} in/on {r}", "move {o} to {r}", "put {outero} in {r}"),
				w.pick("You put the {o.name} in/on the {r.name}.", "You move the {o.name} to the {r.name}.", "TODO")))
		}
		goal := w.pick("put a mug in desk.", "put a \"mug\" in/on desk; \\ no\tmatter.", "You put the clock in bed.")
		w.parts = append(w.parts, w.block("task", goalPrefix+goal), w.block("seen", "What is here."),
			`grammar :: """{"depends":[{"rhs":"`+moved+`","condition":"holds(a:agent, o:object)"},{"rhs":"no"}]}""";`)
		parts := slices.Concat(w.earlier, rapid.Permutation(w.parts).Draw(rt, "parts"))
		text := strings.Join(parts, "\n"+w.gap()) + w.gap()
		g, err := readGrammar(text)
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		if said, err := g.goal(); err != nil || said != goal {
			rt.Fatalf("the goal %q, %v, want %q\n%s", said, err, goal, text)
		}
		got, err := g.dialect()
		action := forms[spoiled].action
		if harm == "missing" && action == "help" {
			d.helps, harm = false, ""
		}
		count[harm]++
		switch {
		case harm == "" && (err != nil || got != d):
			rt.Fatalf("%+v, %v, want %+v\n%s", got, err, d, text)
		case harm == "missing" && (err == nil || !strings.Contains(err.Error(), "it has no action "+action)),
			harm != "missing" && harm != "" && (err == nil || !strings.Contains(err.Error(), ": "+action+" is "+harm)):
			rt.Fatalf("%s %s: %v\n%s", action, harm, err, text)
		}
	})
	t.Logf("%v", count)
}

// What is no grammar is refused with its line.
func TestBadGrammars(t *testing.T) {
	for text, want := range sharedtest.Table[string](t, "bad-grammars.yaml") {
		if _, err := readGrammar(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"", "#task#", "grammar :: \"\"\"{\"task\":[]}\"\"\";",
		"grammar :: \"\"\"{\"task\":[{\"rhs\":\"#a#\"}],\"a\":[{\"rhs\":\"#task#\"}]}\"\"\";"} {
		g := sharedtest.Must(readGrammar(text))(t)
		sharedtest.Fails(t, sharedtest.Err(g.goal()), "", text, "has the goal")
	}
}

// FuzzGrammar reads anything as a grammar.
func FuzzGrammar(f *testing.F) {
	f.Add(exportGrammar(classic, "win."))
	f.Add(exportGrammar(modern, "win."))
	f.Add(republished(exportGrammar(classic, "win.")))
	f.Add("action a { template::\"\"; feedback::\"#b#\"; grammar::\"\"\"{\"b\":[{\"rhs\":\"#b#\"}]}\"\"\"; }")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := readGrammar(text)
		if err != nil {
			return
		}
		_, _ = g.goal() // need not be there
		if d, err := g.dialect(); err == nil {
			for _, form := range d.forms() {
				if typed := g.rules[form.action].template; typed != form.command {
					t.Errorf("%+v is said to be the dialect, but %s is typed %q", d, form.action, typed)
				}
			}
		}
	})
}
