package report

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/scoring/column"
	"heldout/scoring/stats"
)

// randomFacts are comparisons of n models in some places, with corrected probabilities.
func randomFacts(rng *rand.Rand, n int) (facts []Fact) {
	places := []string{"alfworld", "babyai", "sciworld", "pddl", "jericho", column.HeldOutScore}
	places = places[:1+rng.IntN(len(places))]
	var ps []float64
	for _, place := range places {
		for j := range n {
			for i := range j {
				d := rng.Float64() - 0.5
				half := 0.9 * rng.Float64() * rng.Float64()
				p := 0.05 * half / (abs(d) + 1e-9) // below 0.05 if and only if the interval excludes 0
				ps = append(ps, min(1, p))
				facts = append(facts, Fact{
					A: fmt.Sprintf("m%d", i), B: fmt.Sprintf("m%d", j), Where: place, Difference: d, Low: d - half,
					High:   d + half,
					Needed: 1.5 * half, TogetherLow: d - 1.5*half, TogetherHigh: d + 1.5*half,
				})
			}
		}
	}
	for i, p := range stats.Holm(ps) {
		facts[i].P, facts[i].Shown = p, p < significant
	}
	return facts
}

func abs(x float64) float64 { return max(x, -x) }

var (
	beats     = regexp.MustCompile(`^(m\d) beats (m\d) (.*)\.$`)
	winOn     = regexp.MustCompile(`^on (.+) by (-?[\d.]+)(?: points)? \((-?[\d.]+) to (-?[\d.]+)\)$`)
	noneOfAny = regexp.MustCompile(
		`^No difference between any two models is shown; on (.+), one of (\d+) points would have been\.$`)
	none = regexp.MustCompile(
		`^No difference(?: between (m\d) and (m\d))? is shown on (.*); (?:one of [\d, and]+ points would have been` +
			`(?: on .+, and with so few tasks none could have been elsewhere)?|with so few tasks none could have been)\.$`)
)

// Where no pair is told apart, the difference that would have been shown is one that is
// enough for every pair of the place, and for no other place is less enough.
func TestEnoughForAllPairs(t *testing.T) {
	said := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		facts := randomFacts(rng, 3)
		most := map[string]float64{}
		for i := range facts {
			f := &facts[i]
			f.P, f.Shown = 1, false
			where := strings.Replace(f.Where, column.HeldOutScore, "the held-out score", 1)
			most[where] = max(most[where], f.Needed)
		}
		text := ties(facts, true)[0]
		m := noneOfAny.FindStringSubmatch(text)
		if m == nil {
			continue // with so few tasks none could have been
		}
		said++
		points, _ := strconv.ParseFloat(m[2], 64)
		if got := 100 * most[m[1]]; points < got || points > got+1 {
			t.Errorf("seed %d: %q, but some pair needs %.1f points", seed, text, got)
		}
		for where, other := range most {
			if other < most[m[1]] {
				t.Errorf("seed %d: %q, but %.3f are enough on %s", seed, text, other, where)
			}
		}
	}
	if said < 100 {
		t.Errorf("only %d of 300 sentences have a number", said)
	}
}

// Sentences say what the facts say, and no more: every win that is named is shown and
// has its numbers, and where a sentence says that nothing is shown, nothing is.
func TestSentencesSayTheFacts(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		models := 2 + rng.IntN(3)
		facts := randomFacts(rng, models)
		find := func(a, b, where string) Fact {
			if where == "the held-out score" {
				where = column.HeldOutScore
			}
			for _, f := range facts {
				if f.A == a && f.B == b && f.Where == where {
					return f
				}
				if f.A == b && f.B == a && f.Where == where {
					return f.reversed()
				}
			}
			t.Fatalf("seed %d: no fact about %s and %s on %s", seed, a, b, where)
			return Fact{}
		}
		named := map[string]bool{}
		for _, s := range wins(facts) {
			m := beats.FindStringSubmatch(s)
			if m == nil {
				if !strings.Contains(s, "more pair") || models == 2 {
					t.Fatalf("seed %d: %q", seed, s)
				}
				continue
			}
			for _, part := range strings.Split(m[3], "), ") {
				w := winOn.FindStringSubmatch(strings.TrimSuffix(part, ")") + ")")
				if w == nil {
					t.Fatalf("seed %d: %q in %q", seed, part, s)
				}
				f := find(m[1], m[2], w[1])
				for i, want := range []float64{f.Difference, f.Low, f.High} {
					if got, _ := strconv.ParseFloat(w[2+i], 64); abs(got-100*want) > 0.051 {
						t.Errorf("seed %d: %s, want %.3f", seed, w[2+i], 100*want)
					}
				}
				if !f.Shown || f.Difference <= 0 {
					t.Errorf("seed %d: %q, but the fact is %+v", seed, s, f)
				}
				named[m[1]+m[2]+f.Where], named[m[2]+m[1]+f.Where] = true, true
			}
		}
		for _, s := range ties(facts, models > 2) {
			m := none.FindStringSubmatch(s)
			if m == nil {
				nothing := strings.Contains(s, "any two models") &&
					!slices.ContainsFunc(facts, func(f Fact) bool { return f.Shown })
				if !nothing && !strings.Contains(s, "told apart nowhere") {
					t.Fatalf("seed %d: %q", seed, s)
				}
				continue
			}
			a, b := m[1], m[2]
			if a == "" {
				a, b = "m0", "m1"
			}
			for _, where := range strings.Split(strings.Replace(m[3], " and ", ", ", 1), ", ") {
				f := find(a, b, where)
				if f.Shown {
					t.Errorf("seed %d: %q, but the fact is %+v", seed, s, f)
				}
				named[a+b+f.Where] = true
			}
		}
		if models == 2 {
			for _, f := range facts {
				if !named[f.A+f.B+f.Where] {
					t.Errorf("seed %d: nothing is said of %s", seed, f.Where)
				}
			}
		}
		for _, s := range equals(facts, 0.05) {
			if !slices.ContainsFunc(facts, func(f Fact) bool {
				return f.TogetherLow >= -0.05 && f.TogetherHigh <= 0.05 && strings.Contains(s, f.A+" and "+f.B) &&
					strings.Contains(s, said(f.Where))
			}) {
				t.Errorf("seed %d: %q", seed, s)
			}
		}
	}
}

// Who is equal within a margin is said if a margin is given, and only where the whole
// interval is inside it.
func TestEqualWithinAMargin(t *testing.T) {
	r := New([]Run{newRun(t, "run",
		group{"pddl", envs.Official, 40, "vllm:M", 0, nil, strings.Repeat("SSSf", 10)},
		group{"pddl", envs.Official, 40, "vllm:N", 0, nil, strings.Repeat("SSSf", 9) + "SSff"},
	)}, nil, weights)
	for margin, want := range map[float64]bool{0: false, 0.01: false, 0.3: true} {
		r.First.Margin = margin
		said := strings.Join(r.Verdict().Sentences, "\n")
		if got := strings.Contains(said, "are equal within 30 points ("); got != want {
			t.Errorf("margin %v:\n%s", margin, said)
		}
		if !want && strings.Contains(said, "are equal within") {
			t.Errorf("margin %v:\n%s", margin, said)
		}
	}
}
