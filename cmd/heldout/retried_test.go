package main

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"heldout/scoring/record"
)

// player is a model with a memory of reflections.
type player struct {
	model  string
	memory int
}

// retried makes players of the models, which try a task of one environment several times.
func (d *design) retried(rng *rand.Rand) {
	d.places, d.trials, d.players = d.places[:1], 2+rng.IntN(2), map[string]player{}
	both := rng.Float64() < 0.6 // also without memory
	d.models = nil
	for _, model := range []string{"base", "tuned"}[:1+rng.IntN(2)] {
		if !both {
			d.models, d.players[model] = append(d.models, model), player{model, 2}
			continue
		}
		with, without := model+" (memory 2)", model+" (memory 0)"
		d.models = append(d.models, with, without)
		d.players[with], d.players[without] = player{model, 2}, player{model, 0}
	}
}

// spec is what a condition calls a model.
func (d *design) spec(model string) string {
	if d.trials > 0 {
		return d.players[model].model
	}
	return model
}

func (d *design) conditionOf(model string) *record.Trials {
	if d.trials == 0 {
		return nil
	}
	t := &record.Trials{Limit: d.trials, Memory: d.players[model].memory}
	if t.Memory > 0 {
		t.PromptHash, t.Decoding = "0123456789abcdef", &record.Decoding{TopP: 1, MaxTokens: 256}
	}
	return t
}

// retry plays what failed again, now and then not to the end.
func (d *design) retry(rng *rand.Rand) {
	if d.trials == 0 {
		return
	}
	d.reference, d.published = "", false
	for _, model := range d.models {
		key := cellKey{model, d.places[0].env, "none"}
		own := *d.cells[key] // which another one can share
		c := &own
		d.cells[key] = c
		chance, until := rng.Float64(), 1<<30
		if rng.Float64() < 0.15 {
			until = rng.IntN(10)
		}
		c.later = map[slot][]outcome{}
		last := &cell{tasks: c.tasks, seeds: c.seeds, played: map[slot]outcome{}, failed: c.failed}
		for _, seed := range c.seeds {
			for _, task := range c.tasks {
				at := slot{task, seed}
				o, ok := c.played[at]
				for n := 1; ok && n < d.trials && !o.success; n++ {
					if until--; until < 0 {
						ok = false
						break
					}
					if o = (outcome{steps: 2, progress: 0.5}); rng.Float64() < chance {
						o.success, o.progress = true, 1
					}
					c.later[at] = append(c.later[at], o)
				}
				if last.due = last.due || !ok && (c.played[at].steps > 0); ok {
					last.played[at] = o
				}
			}
		}
		d.cells[cellKey{model, d.places[0].env, "last"}] = last
	}
}

// retriedFacts are the facts about players with a memory against players without.
func (d *design) retriedFacts() (facts []fact) {
	p := d.places[0]
	for _, a := range d.models {
		for _, b := range d.models {
			if one, two := d.players[a], d.players[b]; one.model != two.model || one.memory == 0 || two.memory > 0 {
				continue
			}
			f := fact{a: a, b: b, place: p.title, family: "primary"}
			if t, why := compared(p, d.cell(a, p.env, "last"), d.cell(b, p.env, "last"), d.rate); why == "" {
				f.t = &t
			}
			facts = append(facts, f)
		}
	}
	correct(facts)
	return facts
}

// controlled reports whether players with a memory are compared with those without.
func (d *design) controlled() bool { return len(d.retriedFacts()) > 0 }

// uncontrolled checks which players with a memory have none without beside them.
func (c *checker) uncontrolled(m map[string]string) {
	if c.controlled() || !slices.Equal(strings.Split(m["names"], "; "), c.models) {
		c.wrong("want %s, unless they have: %t", c.models, c.controlled())
	}
}

// due checks which results of later trials are missing.
func (c *checker) due(m map[string]string) {
	of := c.design.cell(m["a"], c.places[0].env, "none")
	for _, part := range regexp.MustCompile(`(\d+) of (\d+) in trial (\d)`).FindAllStringSubmatch(m["parts"], -1) {
		due, missing, n := 0, 0, int(number(part[3]))
		for at, first := range of.played {
			trials := append([]outcome{first}, of.later[at]...)
			if len(trials) >= n-1 && !trials[n-2].success {
				if due++; len(trials) < n {
					missing++
				}
			}
		}
		if int(number(part[1])) != missing || int(number(part[2])) != due {
			c.wrong("%s of %s in trial %d, want %d of %d", part[1], part[2], n, missing, due)
		}
	}
}
