package perturb

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
)

// household is an interface as ALFWorld has it, in small.
func household() envs.Interface {
	return envs.Interface{
		Actions: []string{
			"look", "inventory", "check valid actions",
			"go to {recep}", "take {obj} from {recep}", "put {obj} in/on {recep}", "clean {obj} with {recep}",
		},
		Name:  "{class} {number}",
		Parts: map[string]string{"class": "[a-z]+", "number": "[0-9]+"},
		Normalize: func(s string) string {
			return strings.TrimRight(strings.TrimSpace(s), ". ")
		},
		Lists: []envs.ActionList{{Prefix: "Actions: ", Separator: ", ", Sorted: true,
			Last: []string{"check valid actions"}}},
		Replies: []string{"Nothing happens.", "You wait."},
	}
}

func mustNew(t testing.TB, rules configs.Perturbation) *Perturbation {
	t.Helper()
	return sharedtest.Must(New(rules, household()))(t)
}

var (
	using = configs.Perturbation{Name: "using", Actions: map[string]string{
		"clean {obj} with {recep}": "clean {obj} using {recep}"}}
	order = configs.Perturbation{Name: "order", Actions: map[string]string{
		"take {obj} from {recep}": "from {recep} take {obj}"}}
	brackets = configs.Perturbation{Name: "brackets", Names: "<{number} {class}>"}
	glue     = configs.Perturbation{Name: "glue", Names: "{class}{number}"}
	swap     = configs.Perturbation{Name: "swap", Actions: map[string]string{
		"take {obj} from {recep}":  "put {obj} in/on {recep}",
		"put {obj} in/on {recep}":  "clean {obj} with {recep}",
		"clean {obj} with {recep}": "take {obj} from {recep}",
	}}
	answer = configs.Perturbation{Name: "answer", Replies: map[string]string{
		"Nothing happens.": "That is not possible."}}
	verbs = configs.Perturbation{Name: "verbs", Names: "{number}-{class}", Actions: map[string]string{
		"go to {recep}": "walk to {recep}", "look": "look about"}}
)

func TestObservations(t *testing.T) {
	tests := []struct {
		rules    configs.Perturbation
		old, now string
	}{
		{using, "Actions: clean mug 1 with sinkbasin 1, look, check valid actions",
			"Actions: clean mug 1 using sinkbasin 1, look, check valid actions"},
		{order, "Actions: go to bed 1, take pen 1 from desk 1, check valid actions",
			"Actions: from desk 1 take pen 1, go to bed 1, check valid actions"},
		{order, "Actions: go to bed 1, look", "Actions: go to bed 1, look"},
		{order, "take (object) from (receptacle): takes it", "from (receptacle) take (object): takes it"},
		{glue, "On the desk 1, you see a pen 12, and a mug 3.", "On the desk1, you see a pen12, and a mug3."},
		{brackets, "On the desk 1, you see a pen 12.", "On the <1 desk>, you see a <12 pen>."},
		{answer, "Nothing happens.", "That is not possible."},
		{answer, "Nothing happens. Really.", "Nothing happens. Really."},
	}
	for _, tt := range tests {
		p := mustNew(t, tt.rules)
		sharedtest.Equal(t, p.writeObservation(tt.old), tt.now, tt.rules.Name, tt.old, "reads")
		sharedtest.Equal(t, p.readObservation(tt.now), tt.old, tt.rules.Name, tt.now, "came from")
	}
}

// unsaid matches texts that no environment says: a new verb with things in it, and a class and a number that
// share the number with a name in the new spelling.
var unsaid = regexp.MustCompile(`^walk to |[a-z] \d+-`)

// Whatever an agent or an environment says, rewriting loses nothing.
func TestOneToOne(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"take", "from", "put", "in/on", "clean", "with", "using", "go", "to", "walk", "look", "about", "check", "valid",
		"actions",
		"pen 1", "desk 22", "pen1", "desk22", "1-pen", "22-desk", "a", "7", ".", "Actions:", "bed 1,",
	})
	name := rapid.SampledFrom([]string{"pen 1", "desk 22", "sinkbasin 1"})
	for _, rules := range []configs.Perturbation{using, order, glue, swap, answer, verbs, brackets} {
		p := mustNew(t, rules)
		texts := rapid.Map(rapid.SliceOfN(word, 1, 6), func(words []string) string { return strings.Join(words, " ") })
		if len(p.forms) > 0 {
			texts = rapid.OneOf(texts, rapid.Custom(func(t *rapid.T) string {
				f := rapid.SampledFrom(p.forms).Draw(t, "form")
				written := rapid.SampledFrom([]template{f.old, f.current}).Draw(t, "written")
				return written.fill(func(string) string { return name.Draw(t, "name") })
			}))
		}
		// The environment does not tell texts apart that contain no name in
		// its own spelling, nor does it see those that agents cannot write.
		said := texts.Filter(func(text string) bool {
			normal := p.normalize(text)
			apart := p.names.outOfText(p.names.inText(normal)) == normal
			return apart && (rules.Names == "" || !unsaid.MatchString(normal))
		})
		rapid.Check(t, func(t *rapid.T) {
			text := said.Draw(t, "text")
			if got := p.normalize(p.ReadAction(p.WriteAction(text))); got != p.normalize(text) {
				t.Fatalf("%s: %q is written %q and read %q", rules.Name, text, p.WriteAction(text), got)
			}
		})
	}
}

// An action that is written otherwise now never reaches the environment as itself by its old form.
func TestOldFormsRejected(t *testing.T) {
	name := rapid.SampledFrom([]string{"pen 1", "desk 22", "sinkbasin 1"})
	for _, rules := range []configs.Perturbation{using, order, glue, answer, verbs} {
		p := mustNew(t, rules)
		rapid.Check(t, func(t *rapid.T) {
			f := rapid.SampledFrom(p.forms).Draw(t, "form")
			old := f.old.fill(func(string) string { return name.Draw(t, "name") })
			if p.WriteAction(old) == old {
				return
			}
			for _, typed := range []string{old, " " + old, old + "."} {
				got := p.normalize(p.ReadAction(typed))
				if _, understood := p.write(got); understood {
					t.Fatalf("%s: %q still means %q", rules.Name, typed, got)
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	type refused struct {
		Rules  configs.Perturbation
		Larger bool
		Want   string
	}
	for _, c := range sharedtest.Cases[refused](t, "refused.yaml") {
		iface := household()
		if c.Larger {
			iface = enumerating()
		}
		sharedtest.Fails(t, sharedtest.Err(New(c.Rules, iface)), c.Want, c.Rules)
	}
}

// Words of names may make forms ambiguous that look different.
func TestAmbiguousForms(t *testing.T) {
	iface := household()
	iface.Name, iface.Parts, iface.Slot = "", nil, "[a-z]+( [a-z]+)*"
	iface.Slot = "[a-z ]+"
	_, err := New(configs.Perturbation{Name: "x", Actions: map[string]string{
		"take {obj} from {recep}": "take {obj} {recep}"}}, iface)
	sharedtest.Fails(t, err, "two ways", "two readings")
	glued := household()
	glued.Parts = map[string]string{"class": "[a-z0-9]+", "number": "[0-9]+"}
	sharedtest.Fails(t, sharedtest.Err(New(glue, glued)), "cannot be taken apart", "names")
}

func TestClash(t *testing.T) {
	tests := []struct {
		a, b, example string
		ok            bool
	}{
		{"^a+$", "^aa$", "aa", true},
		{"^go to [a-z]+ [0-9]+$", "^go [a-z ]+ 7$", "go to a 7", true},
		{"^[^a]$", "^[^b]$", "c", true},
		{"(?i)^look$", "^LOOK$", "LOOK", true},
		{"^$", "^a?$", "", true},
		{"^[α-ω]$", "^[ά-χ]$", "α", true},
	}
	for _, tt := range tests {
		if example, ok := common(program(tt.a), program(tt.b)); example != tt.example || ok != tt.ok {
			t.Errorf("%s and %s: %q, %v; want %q, %v", tt.a, tt.b, example, ok, tt.example, tt.ok)
		}
	}
	readings := []struct {
		pattern, example string
		ok               bool
	}{
		{"^([a-z]+) ([a-z]+)$", "", false},
		{"^([a-z ]+) ([a-z ]+)$", "a  a", true},
		{"^([a-z]+)([0-9]+)$", "", false},
		{"^([a-z0-9]+)([0-9]+)$", "a00", true},
		{"^(a|a)b$", "", false},
	}
	for _, tt := range readings {
		example, ok := twoReadings(program(tt.pattern))
		if ok != tt.ok || len(example) != len(tt.example) {
			t.Errorf("%s: %q, %v; want one like %q, %v", tt.pattern, example, ok, tt.example, tt.ok)
		}
	}
}

func TestPrompt(t *testing.T) {
	p := mustNew(t, configs.Perturbation{Name: "all", Names: "{class}{number}", Actions: order.Actions})
	got := p.writeInstructions(configs.Instructions{
		System:      "You are a robot.",
		Instruction: "- take {obj} from {recep}\n- go to {recep}\nThings are called mug 1.",
		Examples: []configs.Example{
			{Goal: "put two mug in desk.", Observation: "You see a desk 1.", Steps: []configs.ExampleStep{
				{Thought: "The mug 1 is there.", Action: "take mug 1 from desk 1",
					Observation: "You pick up the mug 1 from the desk 1."},
			}},
			{
				Text: "Your task is to: put a mug in desk.\nYou see a desk 1.\nAction: take mug 1 from desk " +
					"1\nObservation: You pick up the mug 1. \n> go to bed 2"},
		},
	})
	want := configs.Instructions{
		System:      "You are a robot.",
		Instruction: "- from {recep} take {obj}\n- go to {recep}\nThings are called mug1.",
		Examples: []configs.Example{
			{Goal: "put two mug in desk.", Observation: "You see a desk1.", Steps: []configs.ExampleStep{
				{Thought: "The mug1 is there.", Action: "from desk1 take mug1",
					Observation: "You pick up the mug1 from the desk1."},
			}},
			{
				Text: "Your task is to: put a mug in desk.\nYou see a desk1.\nAction: from desk1 take " +
					"mug1\nObservation: You pick up the mug1. \n> go to bed2"},
		},
	}
	sharedtest.Same(t, got, want)
}

func FuzzRules(f *testing.F) {
	f.Add("go to {recep}", "move to {recep}", "{class}{number}", "Nothing happens.", "No.")
	f.Add("take {obj} from {recep}", "{recep} {obj}", "", "You wait.", "Nothing happens.")
	f.Fuzz(func(t *testing.T, old, now, names, reply, instead string) {
		rules := configs.Perturbation{Name: "fuzz", Names: names}
		if old != "" {
			rules.Actions = map[string]string{old: now}
		}
		if reply != "" {
			rules.Replies = map[string]string{reply: instead}
		}
		p, err := New(rules, household())
		if err != nil {
			return
		}
		for _, action := range []string{"go to desk 1", "take pen 1 from desk 2", "look",
			"clean mug 3 with sinkbasin 1"} {
			if got := p.ReadAction(p.WriteAction(action)); got != action {
				t.Errorf("%+v: %q is written %q and read %q", rules, action, p.WriteAction(action), got)
			}
		}
	})
}

// Where a pattern in any case finds a letter, literals do, too.
func TestLiterals(t *testing.T) {
	texts := []string{"Ask", "aSK", "a\u017fk", "as\u212a", "a.k", "ak s", "\u00c9tude", "\u00e9TUDE", "a\xffsk"}
	for _, text := range texts {
		for _, part := range []string{"ask", "ASK", "as\u212a", "\u00e9tude", "k"} {
			if want := regexp.MustCompile("(?i)" + part).MatchString(text); newLiterals(true, part).in(text) != want {
				t.Errorf("%q in %q: want %t", part, text, want)
			}
		}
	}
	l := newLiterals(false, "take ", " from ")
	if l.in("from take ") || l.in("Take a from b") || !l.in("take a from b") {
		t.Error("parts stand in order, in their own case")
	}
}
