package planning

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// seeds are small domains and problems with everything in them.
func seeds(t testing.TB) []struct{ Domain, Problem string } {
	return sharedtest.Cases[struct{ Domain, Problem string }](t, "seeds.yaml")
}

func FuzzParseDomain(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s.Domain)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDomain("d", text)
		if (err == nil) != (d != nil) {
			t.Fatalf("domain %v, error %v", d, err)
		}
		if err != nil {
			return
		}
		for typ := range d.Types { // every walk up the types ends
			if !d.IsA(typ, "object") || !d.IsA(typ, typ) {
				t.Errorf("type %s is no object", typ)
			}
		}
	})
}

func FuzzParseProblem(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s.Problem)
	}
	domain := mustDomain(f, seeds(f)[1].Domain)
	f.Fuzz(func(t *testing.T, text string) {
		same, unread := Sameness("p", text)
		p, err := ParseProblem("p", text, domain)
		if (err == nil) != (p != nil) {
			t.Fatalf("problem %v, error %v", p, err)
		}
		if err != nil {
			return
		}
		if again, err := Sameness("p", text+" ; the same"); unread != nil || err != nil || again != same {
			t.Errorf("%q and %q, %v and %v", same, again, unread, err)
		}
		walk(t, p)
	})
}

func FuzzGround(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s.Domain, s.Problem)
	}
	f.Fuzz(func(t *testing.T, domain, problem string) {
		d, err := ParseDomain("d", domain)
		if err != nil {
			return
		}
		p, err := ParseProblem("p", problem, d)
		if err != nil {
			return
		}
		walk(t, p)
	})
}

// TestGarbled reads good text in which some words and parentheses went missing,
// were doubled or exchanged: that must give an error or a problem that works.
func TestGarbled(t *testing.T) {
	word := regexp.MustCompile(`[()]|[^\s()]+`)
	parsed := 0
	forSketches(t, func(k *sketch) {
		domain, problem := k.text()
		garble := func(text string) string {
			words := word.FindAllString(text, -1)
			for range k.draw("changes", 0, 3) {
				at := k.draw("at", 0, len(words)-1)
				switch k.draw("change", 0, 2) {
				case 0:
					words = slices.Delete(words, at, at+1)
				case 1:
					words = slices.Insert(words, at, words[at])
				default:
					words[at] = words[k.draw("other", 0, len(words)-1)]
				}
			}
			return strings.Join(words, " ")
		}
		d, err := ParseDomain("d", garble(domain))
		if err != nil {
			return
		}
		p, err := ParseProblem("p", garble(problem), d)
		if err != nil {
			return
		}
		parsed++
		walk(k.t, p)
	})
	t.Logf("%d could be read", parsed)
}

// walk grounds a problem, takes some steps in it and looks for a plan, all within small bounds.
func walk(t rapid.TB, p *Problem) {
	task, err := ground(p, 1<<16)
	if err != nil {
		return
	}
	s := task.Init.Clone()
	for range 10 {
		next := s.Clone()
		for i := range task.Operators {
			if op := &task.Operators[i]; s.Satisfies(op.Precondition) {
				task.Apply(op, s, next)
				if !next.Equal(s) {
					break
				}
			}
		}
		s = next
	}
	plan, ok := task.plan(s, 1<<16)
	if !ok {
		return
	}
	for _, op := range plan {
		if !s.Satisfies(task.Operators[op].Precondition) {
			t.Fatalf("plan %v cannot be carried out", plan)
		}
		s = task.follow(s, []int{op})
	}
	if !task.Reached(s) {
		t.Fatalf("plan %v does not reach the goal", plan)
	}
}
