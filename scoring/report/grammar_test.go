package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/claim"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// drawnRuns are runs of all kinds: plain ones and sweeps, of models, trainings and baselines, by several protocols,
// with episodes that lack.
func drawnRuns(t *testing.T, r *rapid.T) (runs []NamedRun) {
	places := rapid.SampledFrom([][]string{{"pddl"}, {"alfworld"}, {"babyai", "pddl"},
		{"alfworld", "babyai", "pddl"}}).Draw(r, "places")
	names := rapid.SampledFrom([][]string{{"vllm:base", "vllm:tuned", "vllm:third", "vllm:fourth"},
		{"vllm:arm-0", "vllm:arm-1", "vllm:leg-0", "vllm:leg-1"}, {"expert", "random", "vllm:base", "vllm:tuned"},
		{"vllm:m", "openai:m", "vllm:m", "vllm:k"}}).Draw(r, "names")
	swept := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"P1", "P2", "P3", "P4", "P5", "mine"}), 0, 5,
		rapid.ID).Draw(r, "swept")
	if rapid.Bool().Draw(r, "plain") {
		swept = nil
	}
	for i, name := range names[:rapid.IntRange(1, 4).Draw(r, "models")] {
		own := rapid.SampledFrom([]func(*record.Condition){nil, nil, nil, func(c *record.Condition) { c.StepLimit = 3 },
			func(c *record.Condition) {
				if c.Decoding != nil {
					d := *c.Decoding
					d.Temperature, c.Decoding, c.Context = 1, &d, 4096
				}
			}}).Draw(r, "protocol")
		var groups []group
		for _, env := range places {
			for _, under := range append([]string{noPerturbation}, swept...) {
				if rapid.IntRange(0, 19).Draw(r, "absent") == 0 {
					continue
				}
				for seed := range int64(rapid.IntRange(1, 3).Draw(r, "seeds")) {
					groups = append(groups, group{env, envs.Official, 4, name, seed, func(c *record.Condition) {
						if c.Perturbation = under; under != noPerturbation {
							c.PerturbationHash = "hash of " + under
						}
						if own != nil {
							own(c)
						}
					}, rapid.SampledFrom([]string{"SSSS", "ffff", "SfSf", "SSff", "Smff", "----", "SSS-", "xxSf",
						"cefS"}).Draw(r, "outcomes")})
				}
			}
		}
		if groups == nil {
			continue
		}
		run := newRun(t, fmt.Sprintf("run-%d", i), groups...)
		if swept != nil {
			run.Sweep = &record.Sweep{Env: places[0]}
			for _, p := range swept {
				of := record.Perturbation{Name: p, Title: "about " + p, SHA256: "hash of " + p}
				if p == "P5" {
					of.Model, of.Base = "no-ind", rapid.SampledFrom([][]string{nil, {name}}).Draw(r, "base")
				}
				run.Sweep.Perturbations = append(run.Sweep.Perturbations, of)
			}
		}
		if rapid.Bool().Draw(r, "trained") {
			run.HeldIn = map[string][]string{name: {"pddl"}}
		}
		digest := rapid.SampledFrom([]string{"", "1a", "1a", "2b"}).Draw(r, "digest")
		run.Servers = map[string][]record.ServerReport{name: {{Digest: digest, Template: digest}}}
		runs = append(runs, run)
	}
	return runs
}

// Whatever runs are, every claim passes through every table, format and demand: nothing panics, nothing is empty, and
// what is said agrees with the numbers beside it.
func TestEveryClaimEverywhere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		runs := drawnRuns(t, r)
		if len(runs) == 0 {
			return
		}
		from := New(runs, rapid.SampledFrom([][]Baseline{nil, {baseline("paper"), published()}}).Draw(r, "published"),
			weights)
		from.First = First{Rate: rapid.SampledFrom(claim.Rates()).Draw(r, "rate"), Limits: true,
			Margin: rapid.SampledFrom([]float64{0, 0.1}).Draw(r, "margin"), OldNew: rapid.Bool().Draw(r, "old and new")}
		if lines := gather(from.plain, placeOf); len(lines) > 1 && rapid.IntRange(0, 2).Draw(r, "reference") == 0 {
			from.First.Reference = lines[0].Name
		}
		s := from.Claims()
		for _, c := range s.Claims() {
			checkClaim(r, c)
		}
		tables := slices.DeleteFunc(everythingOf(from), func(
			t table.Table) bool {
			return len(t.Columns)+len(t.Notes) == 0
		})
		for _, f := range table.Formats() {
			var b bytes.Buffer
			sharedtest.OK(r, table.Render(&b, f, tables...))
			if f == table.JSON && !json.Valid(b.Bytes()) {
				r.Fatalf("%s", b.Bytes())
			}
			for _, bad := range []string{"NaN", "Inf", "%!", "e-16", "e-17", "e-18"} {
				if strings.Contains(b.String(), bad) {
					r.Fatalf("%s has %s:\n%s", f, bad, b.String())
				}
			}
		}
		h := from.Headline()
		for _, line := range slices.Concat([]string{h.Title}, h.Verdict, h.Notes) {
			if strings.TrimSpace(strings.Trim(line, ".")) == "" {
				r.Fatalf("an empty line: %q", slices.Concat([]string{h.Title}, h.Verdict, h.Notes))
			}
		}
		if said := slices.Concat([]string{h.Title + "."}, h.Verdict,
			h.Notes); len(table.AppendNew(nil, said...)) < len(said) {
			r.Fatalf("a line is said twice: %q", said)
		}
		if twice := saidTwice(firstScreen(r, from)); twice != "" {
			r.Fatalf("the first screen says %q twice: %q", twice, firstScreen(r, from))
		}
		checkDemands(r, from, s)
	})
}

// firstScreen is the text above and below the tables of runs.
func firstScreen(r rapid.TB, from *Report) (lines []string) {
	tables := sharedtest.Must(from.Select(nil))(r)
	for _, t := range tables {
		lines = append(lines, append([]string{t.Title + "."}, t.Notes...)...)
	}
	return lines
}

// answer is what several comparisons can show.
var answer = regexp.MustCompile(`^(no rate, because |over all episodes |` +
	`(not (significant|compared|decided)|significantly (higher|lower)|equal within .* points) on )|` +
	`^[-+]?[\d.]+ points|^\S+ +[\d.]+(, \S+ +[\d.]+)*( and \d+ others?)?\.?$`)

// reason says why models are not compared.
var reason = regexp.MustCompile(`^\((fewer than|too little|no )`)

// saidTwice is a clause, of four words or more, that stands in lines more than once; in brackets, a reason that stands
// in one line more than once.
func saidTwice(lines []string) string {
	seen := map[string]bool{}
	bracketed := regexp.MustCompile(`\([^()]* [^()]*\)`)
	for _, line := range lines {
		inLine := map[string]bool{}
		for _, c := range bracketed.FindAllString(line, -1) {
			if reason.MatchString(c) && inLine[c] {
				return c
			}
			inLine[c] = true
		}
		for inner := regexp.MustCompile(`\([^()]*\)`); inner.MatchString(line); {
			line = inner.ReplaceAllString(line, "")
		}
		for _, c := range regexp.MustCompile(`\. |; `).Split(line+" ", -1) {
			c = strings.ToLower(strings.TrimSpace(c[strings.LastIndex(c, ": ")+1:])) // several lines may have one topic
			if len(strings.Fields(c)) > 3 && seen[c] && !answer.MatchString(c) {
				return c
			}
			seen[c] = true
		}
	}
	return ""
}

// Below the tables of models whose runs are complete and alike stand fewer than 40 words, whatever they show.
func TestFewWords(t *testing.T) {
	const mostWords, tasks = 39, 20
	all := []string{"alfworld", "babyai", "hotpotqa", "jericho", "pddl", "sciworld"}
	for number := range sharedtest.Times(t, 100, 9, 1000) {
		rng := rand.New(rand.NewPCG(uint64(number), 40))
		places, conditions := all[:1+rng.IntN(len(all))], []string{noPerturbation}
		if number%3 == 0 {
			places, conditions = all[:1], append(conditions, "P1", "P2", "P3", "P4")
		}
		seeds, ease := 1+rng.IntN(3), []float64{0, 0.1, 0.5, 0.9, 1}
		var groups []group
		for m := range 1 + rng.IntN(6) {
			for _, env := range places {
				usual := ease[rng.IntN(len(ease))]
				for _, under := range conditions {
					if rng.IntN(2) == 0 {
						usual = ease[rng.IntN(len(ease))]
					}
					outcomes := make([]byte, tasks)
					for i := range outcomes {
						if outcomes[i] = 'f'; rng.Float64() < usual {
							outcomes[i] = 'S'
						}
					}
					for seed := range int64(seeds) {
						outcomes[seed] ^= 'S' ^ 'f' // seeds that are equal have a note
						groups = append(groups, group{env, envs.Official, tasks, fmt.Sprintf("vllm:m-%d", m), seed,
							func(c *record.Condition) {
								if c.Perturbation = under; under != noPerturbation {
									c.PerturbationHash = "hash of " + under
								}
							}, string(outcomes)})
					}
				}
			}
		}
		run := newRun(t, "run", groups...)
		if len(conditions) > 1 {
			run.Sweep = &record.Sweep{Env: places[0]}
			for _, name := range conditions[1:] {
				run.Sweep.Perturbations = append(run.Sweep.Perturbations,
					record.Perturbation{Name: name, Title: "about " + name, SHA256: "hash of " + name})
			}
		}
		from := New([]NamedRun{run}, nil, weights)
		lines := firstScreen(t, from)
		if n := len(strings.Fields(strings.Join(lines[1:], " "))); n > mostWords {
			t.Errorf("%d words: %q", n, lines)
		}
		sharedtest.Equal(t, saidTwice(lines), "", "what is said twice of", lines)
	}
}

func everythingOf(from *Report) (out []table.Table) {
	for _, k := range Kinds() {
		out = append(out, from.Tables(k.ID)...)
	}
	return out
}

// checkClaim checks that the words of a claim agree with its numbers.
func checkClaim(r *rapid.T, c claim.Claim) {
	text := c.Sentence()
	if strings.TrimSpace(text) == "" || len(c.Subjects) == 0 {
		r.Fatalf("%+v says %q", c, text)
	}
	if !c.Compared() {
		return
	}
	holds := func(i *stats.Interval) bool { return i.Low <= 0 && i.High >= 0 }
	switch {
	case c.Kind == claim.NotCompared && c.Reason == "",
		c.Kind != claim.NotCompared && (c.Interval == nil || math.IsNaN(c.P) || math.IsNaN(c.Sensitivity)),
		c.Kind == claim.Differs && (holds(c.Interval) || c.P >= 0.05),
		c.Kind == claim.NotSignificant && (!holds(c.Interval) || c.P < 0.05),
		c.Bounded && (c.Kind != claim.NotCompared || holds(c.Interval)),
		c.P < c.AloneP:
		r.Fatalf("%+v: %s", c, text)
	}
}

// checkDemands checks that --fail-if-worse finds what claims say: exactly the comparisons that are worse.
func checkDemands(r *rapid.T, from *Report, s *claim.Set) {
	unmet, err := from.Unmet(Demands{Worse: true})
	if (err != nil) != (s.Reference == "") {
		r.Fatalf("reference %q, error %v", s.Reference, err)
	}
	if err != nil {
		return
	}
	asked := 0
	for _, c := range s.Comparisons {
		if c.Family.Name == claim.Losses || c.Family.Name == claim.LossDifferences {
			continue
		}
		asked++
		if c.Subjects[1].Name != s.Reference {
			c = c.Reversed()
		}
		if said := slices.Contains(unmet, c.Sentence()); said != c.Worse() {
			r.Fatalf("%s: worse %t, unmet %q", c.Sentence(), c.Worse(), unmet)
		}
	}
	if asked == 0 && len(unmet) == 0 || slices.Contains(unmet, "") {
		r.Fatalf("of %d comparisons unmet are %q", asked, unmet)
	}
}
