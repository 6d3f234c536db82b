package perturb

import (
	"strconv"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
)

func TestNumbers(t *testing.T) {
	for digits, words := range map[string]string{
		"desk 1":                     "desk one",
		"There is a ball 1 0 steps":  "There is a ball one zero steps",
		"21 20 1.":                   "twenty-one twenty one.",
		"105 and 999.":               "one-hundred-five and nine-hundred-ninety-nine.",
		"150.0 -5 wait1 007 1000 b1": "150.0 -5 wait1 007 1000 b1",
		"(2)":                        "(two)",
		"One 1":                      "One one",
	} {
		sharedtest.Equal(t, swapNumbers(digits, false, nil), words, digits, "becomes")
		sharedtest.Equal(t, swapNumbers(words, false, nil), digits, words, "becomes")
	}
	sharedtest.Equal(t, swapNumbers("desk One", true, nil), "desk 1", "in any case it becomes")
	for n, word := range numberWords {
		if digits, ok := numberOfWord(word); !ok || swapNumbers(digits, false, nil) != word {
			t.Errorf("%d is %s, which is %s", n, word, digits)
		}
	}
}

func TestWords(t *testing.T) {
	prose := sharedtest.Must(newWords(map[string]string{"fridge": "icebox", "mug": "wug", "potato": "spud",
		"knife": "blade", "shelf": "urn"}, true))(t)
	w := prose.symmetric()
	for _, tt := range [][2]string{
		{"open fridge 1", "open icebox 1"}, {"Fridge1, FRIDGE.", "Icebox1, ICEBOX."}, {"wug mug", "mug wug"},
		{"fRidge smug", "fRidge smug"}, {"Fridges, mugs", "Iceboxes, wugs"}, {"the fridge's door", "the icebox's door"},
		{"a mug-fridge", "a wug-icebox"}, {"potatoes, knives, shelves", "spuds, blades, urns"},
		{"a fridge, a mug", "an icebox, a wug"}, {"An icebox and a shelf", "A fridge and an urn"},
		{"a mug a armchair", "a wug a armchair"}, {"banana fridge", "banana icebox"},
	} {
		if got := w.say(tt[0]); got != tt[1] || w.say(got) != tt[0] {
			t.Errorf("%q becomes %q, want %q", tt[0], got, tt[1])
		}
	}
	sharedtest.Equal(t, prose.say("a wug, an icebox, a mug"), "a wug, an icebox, a wug",
		"in one direction it becomes")
	sharedtest.Equal(t, newLexicon(map[string]string{"pick up": "get", "up": "on"},
		isLetter).say("Pick up, pick upon up"), "Get, pick upon on", "phrases become")
	for c := range byte(128) {
		sharedtest.Equal(t, isLetter(c), unicode.IsLetter(rune(c)), c, "is a letter")
	}
	w.anyCase = true
	if got := w.say("fRidge"); got != "icebox" || !w.hasOld("a fRidge") || w.hasOld("icebox, smug") {
		t.Errorf("in any case it becomes %q", got)
	}
}

// Letters stand for numbers, one to one, up to two letters.
func TestLetters(t *testing.T) {
	seen := map[string]bool{}
	for n := range 800 {
		letters, ok := letterOf(strconv.Itoa(n))
		if back, _ := numberOfLetter(letters); ok && (back != strconv.Itoa(n) || seen[letters]) {
			t.Errorf("%d is %q, which is %s", n, letters, back)
		}
		if seen[letters] = true; ok != (n >= 1 && n <= 702) {
			t.Errorf("%d has letters: %v", n, ok)
		}
	}
	if z, _ := letterOf("26"); z != "z" || !seen["aa"] || !seen["zz"] {
		t.Error(z)
	}
}

// Dots in a row, initials and abbreviations end no sentence.
func TestSentences(t *testing.T) {
	i := household()
	i.Series = []envs.Series{{Begin: "^ *", Item: `[^\n]+`, Middle: ". ", Last: ". ", Fixed: true}}
	for layout, want := range map[string]string{
		configs.Bars:    " I wait, but... nothing |  Mr. J. Smith left | It ended.",
		configs.Bullets: " - I wait, but... nothing \n- Mr. J. Smith left\n- It ended.",
	} {
		p := sharedtest.Must(New(configs.Perturbation{Layout: layout}, i))(t)
		const old = " I wait, but... nothing.  Mr. J. Smith left. It ended."
		if got := p.writeObservation(old); got != want || p.readObservation(got) != old {
			t.Errorf("%s: %q, want %q", layout, got, want)
		}
	}
}

// Names keep the capital of a sentence, and prompts show their layout.
func TestNamesInProse(t *testing.T) {
	for layout, want := range map[string]string{
		"{class}{number}":          "Statue1 and desk2; {thing}{number}.",
		"{class}-{number:letters}": "Statue-a and desk-b; {thing}-{letter}.",
		"{number:words}_{class}":   "One_statue and two_desk; {number}_{thing}.",
		"{number}-{class}":         "1-Statue and 2-desk; {number}-{thing}.",
	} {
		p := mustNew(t, configs.Perturbation{Name: "x", Names: layout})
		sharedtest.Equal(t, p.tell("Statue 1 and desk 2; {thing} {number}."), want, layout)
		sharedtest.Equal(t, p.names.outOfText(p.names.inText("Statue 1 and desk 2")), "Statue 1 and desk 2", layout,
			"it comes back as")
	}
	p := mustNew(t, configs.Perturbation{Name: "x", Numbers: configs.NumberWords})
	sharedtest.Equal(t, p.tell("2 pens. 3 mugs, 4."), "Two pens. Three mugs, four.", "numbers in prose")
}

// enumerating is an interface whose observations enumerate in two ways.
func enumerating() envs.Interface {
	i := household()
	i.Series = []envs.Series{{Begin: "you see ", Item: "a [a-z]+ [0-9]+", Middle: ", ", Last: ", and ", End: "."}}
	i.Texts, i.Fill = []string{"You open the {recep}.", "You close the {recep}.", "put a {class} in {place}."},
		map[string]string{"class": "[a-z]+", "place": "[a-z]+"}
	i.Unknown = "zzqx"
	return i
}

func TestSeries(t *testing.T) {
	type written struct {
		Rules    configs.Perturbation
		Old, Now string
	}
	for _, c := range sharedtest.Cases[written](t, "series.yaml") {
		p := sharedtest.Must(New(c.Rules, enumerating()))(t)
		sharedtest.Equal(t, p.writeObservation(c.Old), c.Now, c.Rules, c.Old, "reads")
		sharedtest.Equal(t, p.readObservation(c.Now), c.Old, c.Rules, c.Now, "came from")
	}
}

// Facts are items with or without a period, and with one blank behind them or two. Other layouts write them alike.
// What has no period keeps its place before what follows it, and the sentence that the task is done stays the last.
func TestFacts(t *testing.T) {
	i := household()
	i.Series = []envs.Series{{Begin: "^", Item: "(?i:[a-z0-9]+ is (?:free|open)\\.|handempty [a-z]+|room [a-z]+)",
		Middle: " ", Last: " ", Wide: "(?i:[a-z0-9]+ is free\\.)", Tail: "Done."}}
	for _, tt := range []struct{ old, reversed, bars, bullets string }{
		{"A is free.  B is open. Handempty left C is free.  Room x Room y Done.",
			"Handempty left C is free.  B is open. A is free.  Room x Room y Done.",
			"A is free. | B is open. | Handempty left | C is free. | Room x | Room y | Done.",
			"- A is free.\n- B is open.\n- Handempty left\n- C is free.\n- Room x\n- Room y\n- Done."},
		{"B is open. A is free. ", "A is free.  B is open.", "B is open. | A is free.", "- B is open.\n- A is free."},
		{"A is open.", "A is open.", "A is open.", "- A is open."},
	} {
		for want, rules := range map[string]configs.Perturbation{tt.reversed: {Order: configs.Reversed},
			tt.bars: {Layout: configs.Bars}, tt.bullets: {Layout: configs.Bullets}} {
			p := sharedtest.Must(New(rules, i))(t)
			if got := p.writeObservation(tt.old); got != want || p.readObservation(got) != tt.old {
				t.Errorf("%q reads %q, want %q; it came from %q", tt.old, got, want, p.readObservation(got))
			}
		}
	}
}

func TestVerbsAndWithout(t *testing.T) {
	rules := configs.Perturbation{
		Actions: map[string]string{"take {obj} from {recep}": "from {recep} take {obj}"},
		Verbs:   map[string]string{"take": "grab", "go to": "walk to", "look": "look about"},
		Without: []string{"check valid actions"},
		Words:   map[string]string{"desk": "bureau"},
	}
	p := sharedtest.Must(New(rules, enumerating()))(t)
	for old, now := range map[string]string{"take pen 1 from desk 2": "from bureau 2 grab pen 1",
		"go to desk 1": "walk to bureau 1", "look": "look about", "inventory": "inventory"} {
		if got := p.WriteAction(old); got != now || p.ReadAction(now) != old {
			t.Errorf("%q is written %q, and %q is read %q", old, got, now, p.ReadAction(now))
		}
	}
	for typed, read := range map[string]string{
		"check valid actions": "zzqx", "check valid actions.": "zzqx",
		"walk to desk 1": "go to bureau 1", "take pen 1 from bureau 2": "from desk 2 grab pen 1",
	} {
		sharedtest.Equal(t, p.ReadAction(typed), read, typed, "is read")
	}
	want := []envs.Wording{{Form: "go to {recep}", Old: true}, {Form: "go to {recep}"},
		{Form: "go to {recep}", Old: true}, {Form: "check valid actions", Old: true}, {}}
	for i, action := range []string{"walk to desk 1", "walk to bureau 1", "go to bureau 1", "check valid actions",
		"inventory"} {
		sharedtest.Equal(t, p.wording(action), want[i], action)
	}
	prompt := p.writeInstructions(configs.Instructions{Instruction: "go to {recep}; look: look again.\nSuch as desk 1.",
		Examples: []configs.Example{{
			Steps: []configs.ExampleStep{{Action: "check valid actions", Observation: "Actions: look"},
				{Action: "go to desk 1", Observation: "you see nothing."}},
		}}})
	wanted := configs.Instructions{Instruction: "walk to {recep}; look about: look again.\nSuch as bureau 1.",
		Examples: []configs.Example{{
			Steps: []configs.ExampleStep{{Action: "walk to bureau 1", Observation: "you see nothing."}},
		}}}
	sharedtest.Same(t, prompt, wanted)
}

// Orders are permutations that come back, whatever the length.
func TestOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOf(rapid.StringN(0, 3, -1)).Draw(t, "items")
		o := listOrder{rapid.SampledFrom([]string{"", configs.Reversed, configs.Shuffled}).Draw(t, "order"),
			rapid.Int64().Draw(t, "seed")}
		sharedtest.Same(t, append(items[:0:0], o.read(o.write(items))...), items)
	})
}

// Words, numbers and lines come back from any text.
func FuzzSay(f *testing.F) {
	f.Add("There is a desk 1 twenty-one steps ahead.", int64(3))
	f.Add("Mug\nA week has seven days.", int64(-1))
	rules := configs.Perturbation{Words: map[string]string{"desk": "wug", "mug": "blick"}, Numbers: configs.NumberWords}
	p := sharedtest.Must(New(rules, household()))(f)
	f.Fuzz(func(t *testing.T, text string, seed int64) {
		sharedtest.Equal(t, p.say(p.say(text, false), false), text, "comes back as")
		added := lineAdder{&configs.Lines{Count: 2, Of: []string{"A week has seven days.", "A circle has no corners.",
			"x"}}, seed}
		sharedtest.Equal(t, added.read(added.write(text)), text, "comes back as")
	})
}
