package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// more is how a last note counts the others.
var more = regexp.MustCompile(` \(\d+ notes? more: --table notes\)$`)

// sentence checks a sentence by its kind; one of no kind is a problem.
func (c *checker) sentence(line string) {
	line = strings.TrimSuffix(more.ReplaceAllString(line, ""), ".")
	for _, s := range sentences {
		form := s.form()
		if m := form.FindStringSubmatch(line); m != nil {
			c.said[s.name]++
			parts := map[string]string{}
			for i, name := range form.SubexpNames() {
				if name != "" {
					parts[name] = m[i]
				}
			}
			before := len(c.problems)
			c.after(parts["trials"])
			s.check(c, parts)
			c.last = false
			for i := range c.problems[before:] {
				c.problems[before+i] += "\n\t" + line
			}
			return
		}
	}
	c.wrong("a sentence of no kind: %s", line)
}

// kindOfSentence is a form that sentences can have, with what must be true of them.
type kindOfSentence struct {
	name  string
	form  func() *regexp.Regexp
	check func(*checker, map[string]string)
}

// Parts of forms.
const (
	formWhere = `(?P<rate>SR|PR|EM|F1)(?: after (?P<trials>\d+) trials?)?(?:, (?P<heldout>held-out score)| on (?P<place>[A-Za-z]+))`
	formSeeds = `(?:(?P<seeds>\d+(?: to \d+)?) seeds?|\d+(?: to \d+)? trainings?(?: each)?)`
	formBasis = `(?P<tasks>\d+) tasks?(?:, ` + formSeeds + `)?`
	formCI    = `95% CI (?P<low>-?[\d.]+) to (?P<high>-?[\d.]+)`
	formTest  = formCI + `, p (?P<p><?[\d.]+)(?: of (?P<tests>\d+) tests)?`
	formName  = `[a-z0-9-]+(?: \(memory \d\))?`
	formShows = `(?P<shows>significant|not significant)(?P<equal>, (?:but |equal )within [\d.]+ points)?`
	formFound = `(?:no true (?:difference|loss) would have been found with a probability of 80%: \d+ tasks? are too few|` +
		`a true (?:difference|loss) of (?P<found>[\d.]+) points would have been found with a probability of 80%)`
	formApart = `not compared \((?P<reason>.*?)\)(?P<bounded>; counted as failures or as successes, the missing episodes ` +
		`leave the difference significant \((?P<blow>-?[\d.]+) to (?P<bhigh>-?[\d.]+) points\))?`
	formUnder = `(?P<under>P\d(?: to P\d|(?:, P\d)* and P\d)?)`
)

// form compiles a form when it is first needed: each process that the tests start has all of them.
func form(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + text + "$") })
}

var sentences = []kindOfSentence{
	{"pair", form(formWhere + ` \(` + formBasis + `\): (?P<a>` + formName + `) (?P<av>[\d.]+|–), (?P<b>` + formName +
		`) (?P<bv>[\d.]+|–): (?P<d>[+-]?[\d.]+) points \(` + formTest + `\), ` + formShows + `(?:; ` + formFound + `)?`), (*checker).pair},
	{"pair that is not compared", form(formWhere + ` \(` + formBasis + `\): (?P<a>` + formName + `) (?P<av>[\d.]+|–), (?P<b>` +
		formName + `) (?P<bv>[\d.]+|–), ` + formApart), (*checker).pair},
	{"difference", form(`(?P<a>` + formName + `) minus (?P<b>` + formName + `), ` + formWhere + ` \(` + formBasis +
		`\): (?P<d>[+-]?[\d.]+) points \(` + formTest + `\), ` + formShows + `(?:; ` + formFound + `)?`), (*checker).pair},
	{"difference that is not compared", form(`(?P<a>` + formName + `) minus (?P<b>` + formName + `), ` + formWhere + ` \(` +
		formBasis + `\): ` + formApart), (*checker).pair},
	{"reach", form(formWhere + ` \(` + formBasis + `\), (?P<a>` + formName + `) minus (?P<b>` + formName + `): ` + formFound),
		(*checker).pair},
	{"rate", form(formWhere + ` \(` + formBasis + `\): (?P<a>` + formName + `) (?P<av>[\d.]+)(?: \(` + formCI + `\))?`),
		(*checker).rated},
	{"incomplete rate", form(`(?P<preliminary>Preliminary )?` + formWhere + ` \((?P<finished>\d+) of (?P<planned>\d+) episodes, ` +
		formBasis + `\): (?P<a>` + formName + `) (?P<av>[\d.]+)(?: \(` + formCI + `\))?`), (*checker).rated},
	{"best", form(`Best ` + formWhere + ` \(` + formBasis + `\): (?P<a>` + formName + `) (?P<av>[\d.]+), significantly above ` +
		`(?P<list>.*) \((?P<tests>\d+) tests? by Holm\)`), (*checker).best},
	{"undecided", form(formWhere + ` \(` + formBasis + `\), the best is not decided: (?P<list>.*)`), (*checker).undecided},
	{"best by environment", form(`Best by environment \((?P<rates>[A-Z0-9/]+), ` + formSeeds + `, (?P<tests>\d+) ` +
		`tests? by Holm\): (?P<parts>.*)`), (*checker).bestBy},
	{"summary", form(`(?P<rates>[A-Z0-9/]+), (?P<a>` + formName + `) minus (?P<b>` + formName + `) \((?P<tasks>\d+) tasks?, ` +
		formSeeds + `(?:, (?P<tests>\d+) tests by Holm)?\): (?P<parts>.*)`), (*checker).summary},
	{"family", form(`(?P<rates>[A-Z0-9/]+), (?P<a>` + formName + `) minus (?P<b>` + formName + `) \(` + formSeeds + `(?:, (?P<tests>\d+) tests by Holm)?\): (?P<parts>.*)`), (*checker).family},
	{"rates of one model", form(`(?P<rates>[A-Z0-9/]+) of (?P<a>` + formName + `) \(` + formSeeds + `\): ` +
		`(?P<parts>.*)`), (*checker).alone},
	{"spread", form(formWhere + ` \(` + formBasis + `\): mean (?P<av>[\d.]+), standard deviation of the seeds (?P<std>[\d.]+) ` +
		`\(n-1\)(?:; best of (?P<n>\d+) seeds in each task (?P<best>[\d.]+))?(?:; for these tasks decoded again, ` + formCI + `)?`),
		(*checker).spread},
	{"loss", form(`Under ` + formUnder + `, ` + formWhere + ` \(` + formBasis + `\): (?P<a>` + formName + `) ` +
		`(?P<verb>loses|gains|changes by) (?P<d>[\d.]+) points, from (?P<av>[\d.]+) to (?P<bv>[\d.]+) \(change ` + formTest + `\), ` +
		formShows + `(?:; ` + formFound + `)?`), (*checker).loss},
	{"loss that is not compared", form(`Under ` + formUnder + `, ` + formWhere + ` \(` + formBasis + `\): (?P<a>` + formName +
		`) is ` + formApart + `; without a perturbation (?P<av>[\d.]+|–)`), (*checker).loss},
	{"reach of a loss", form(`Under ` + formUnder + `, ` + formWhere + ` \(` + formBasis + `\), (?P<a>` + formName + `): ` +
		formFound), (*checker).loss},
	{"losses", form(`Change under ` + formUnder + ` of (?P<a>` + formName + `) minus that of (?P<b>` + formName + `), ` + formWhere +
		` \(` + formBasis + `\): (?P<d>[+-]?[\d.]+) points \(` + formTest + `\), ` + formShows), (*checker).losses},
	{"losses that are not compared", form(`Change under ` + formUnder + ` of (?P<a>` + formName + `) minus that of (?P<b>` +
		formName + `), ` + formWhere + ` \(` + formBasis + `\): ` + formApart), (*checker).losses},
	{"no change differs", form(`No change differs significantly from that of another model \((?P<rates>[A-Z0-9/]+), ` +
		formSeeds + `, (?P<tests>\d+) tests? by Holm\)`), (*checker).alike},
	{"unreadable", form(`(?:Under ` + formUnder + `, )?(?P<a>` + formName + `), ` + formWhere + ` \(` + formBasis +
		`\): (?P<part>\d+) of (?P<of>\d+) replies \((?P<share>[\d.]+)%\) had no readable action and cost a step(?:; no unsolved ` +
		`episode has one|; (?P<touched>\d+) of the (?P<unsolved>\d+) unsolved episodes ha(?:s|ve) one: had (?:it|they all) been ` +
		`solved, (?:SR|PR|EM|F1)(?: after 1 trial)? would be (?P<would>[\d.]+))`), (*checker).unreadable},
	{"unreadable rates", form(`(?P<n>\d+) rates?: 3% or more of the replies had no readable action \(most: (?P<a>` + formName +
		`) on (?P<place>\w+)(?: under (?P<under>P\d))?, (?P<share>[\d.]+)%\): --table lost-steps`), (*checker).unreadableRates},
	{"missing episodes", form(`\* (?P<missing>\d+) of (?P<planned>\d+) episodes ha(?:s|ve) no result \((?P<why>[^)]*)\)` +
		`(?:; (?:once what failed is mended, )?rerun the command to play the rest)?` +
		`(?:; prompts that are too long need a longer context)?`), (*checker).missing},
	{"no held-out score", form(`(?P<names>[a-z0-9; -]+): no held-out score: (?P<parts>.*)`), (*checker).unscored},
	{"withheld", form(`(?P<names>.*): no rate, because (?P<n>\d+) of (?P<planned>\d+) episodes have no result for a reason that ` +
		`depends on the model .*`), (*checker).withheldNote},
	{"generated tasks", form(`(?P<parts>.*[tT]asks(?: on (?P<places>.*))? are generated, so rates do not compare with published ones)`),
		(*checker).sources},
	{"part of the tasks", form(`(?P<parts>[A-Za-z]+ is \d+ of \d+ official tasks.*)`), (*checker).sources},
	{"legend", form(`(?P<text>(?:Same letter: not significantly different|~: not significant|Better, worse: significant against ` +
		formName + `, ~: not)?(?:; below|Below)?(?:: 95% CI for new tasks.*)?)`), (*checker).legend},
	{"legend of a sweep", form(`Average and std \(divisors n and n-1\) are over the conditions shown, std in points; net std: ` +
		`std \(n-1\) less what chance adds.*`), nothing},
	{"legend of trials", form(`SR: solved in any trial so far, which an agent knows by an oracle; PR: progress in the last ` +
		`trial, Best PR: in the best; 95% CI for new tasks.*`), nothing},
	{"no retries beside it", form(`(?P<names>.*): no retries without memory beside it; .*`), (*checker).uncontrolled},
	{"trials that are due", form(`\* Incomplete: (?P<a>` + formName + `) on \w+ lacks results that are due: ` +
		`(?P<parts>.*)\. Later rates are missing, because .*`), (*checker).due},
	{"more models", form(`(?P<n>\d+) more (?:models?|pairs?|rates?|comparisons?)` +
		`(?:, \d+ not compared)?: --table verdict`), nothing},
	{"equal seeds", form(`(?P<names>.*): \d+ seeds gave equal results in every task at temperature 1: .*`), (*checker).equalSeeds},
	{"published", form(`Published rows.*`), nothing},
	{"nothing", form(`(?:Success|Progress) rate(?: on unperturbed tasks, first trials)?`), nothing},
}

// nothing is there to check of a sentence.
func nothing(*checker, map[string]string) {}

// number reads a printed number.
func number(text string) float64 {
	if text == "–" || text == "" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.Inf(-1)
	}
	return x
}

// shown compares a printed percentage with a fraction: to half of its last digit.
func (c *checker) shown(what, text string, want float64) {
	got := number(text)
	if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-100*want) > 0.0501 {
		c.wrong("%s is %s, want %.3f", what, text, 100*want)
	}
}

// title is the place of a sentence.
func title(m map[string]string) string {
	if m["heldout"] != "" {
		return heldOutTitle
	}
	return m["place"]
}

// after checks after how many trials a rate is.
func (c *checker) after(text string) {
	switch n, _ := strconv.Atoi(text); {
	case c.trials == 0 && text != "" || n > 1 && n != c.trials:
		c.wrong("it is after %s trials", text)
	case n > 1:
		c.last = true
	}
}

// measure checks the name of a rate in a place.
func (c *checker) measure(m map[string]string) {
	want := c.rate
	if p := c.place(m["place"]); p != nil {
		want = p.measures[map[string]int{"SR": 0, "PR": 1}[c.rate]]
	}
	if c.trials > 0 && m["trials"] == "" {
		c.wrong("after how many trials is it?")
	}
	if m["rate"] != want {
		c.wrong("the rate is called %s, want %s", m["rate"], want)
	}
}

// value is the rate of a model in a place; NaN if there is none.
func (c *checker) value(model, place string) float64 {
	if place == heldOutTitle {
		return c.heldOut(model)
	}
	p := c.place(place)
	if p == nil {
		return math.NaN()
	}
	of := c.cell(model, p.env, "none")
	if of == nil || of.withheld() || of.due {
		return math.NaN()
	}
	return of.rate(c.rate)
}

// cells are those of models in a place.
func (c *checker) cellsOf(place string, models ...string) (cells []*cell) {
	for _, model := range models {
		if place == heldOutTitle {
			for _, w := range heldOutWeights {
				if of := c.design.cell(model, w.env, "none"); of != nil {
					cells = append(cells, of)
				}
			}
		} else if p := c.place(place); p != nil {
			if of := c.design.cell(model, p.env, "none"); of != nil { // after the last trial, too
				cells = append(cells, of)
			}
		}
	}
	return cells
}

// basis checks the tasks and seeds of a sentence.
func (c *checker) basis(m map[string]string, models ...string) {
	place := title(m)
	if want := c.tasks(place, models...); int(number(m["tasks"])) != want {
		c.wrong("%s tasks on %s, want %d", m["tasks"], place, want)
	}
	c.seeds(m["seeds"], c.cellsOf(place, models...))
}

func (c *checker) seeds(text string, cells []*cell) {
	least, most := math.MaxInt, 0
	for _, of := range cells {
		least, most = min(least, len(of.seeds)), max(most, len(of.seeds))
	}
	want := fmt.Sprint(most)
	if least < most {
		want = fmt.Sprintf("%d to %d", least, most)
	}
	if text != want && most > 0 {
		c.wrong("%s seeds, want %s", text, want)
	}
}

// fact finds the fact about two models in a place, seen from the first.
func (c *checker) fact(a, b, place string) (fact, bool) {
	for _, f := range c.facts {
		if f.place != place {
			continue
		}
		if f.a == a && f.b == b {
			return f, true
		}
		if f.a == b && f.b == a {
			f.a, f.b = a, b
			turn := func(t *tested) *tested {
				if t == nil {
					return nil
				}
				return &tested{-t.mean, -t.centre, t.variance, t.degrees}
			}
			f.t = turn(f.t)
			f.low, f.high = turn(f.high), turn(f.low)
			return f, true
		}
	}
	return fact{}, false
}

// pair checks what is said of two models.
func (c *checker) pair(m map[string]string) {
	a, b, place := m["a"], m["b"], title(m)
	if c.trained() {
		one, two := c.arm(a, place), c.arm(b, place)
		if d, said := m["d"]; said && !math.IsNaN(one-two) {
			c.shown("the difference", d, one-two)
			c.shown(a, def(m, "av", fmt.Sprint(100*one)), one)
		}
		return
	}
	c.measure(m)
	c.basis(m, a, b)
	if _, said := m["av"]; said {
		c.shown(a, m["av"], c.value(a, place))
		c.shown(b, m["bv"], c.value(b, place))
	}
	f, ok := c.fact(a, b, place)
	if !ok {
		c.wrong("%s and %s are no pair of %s", a, b, place)
		return
	}
	c.test(m, f, 1)
}

// arm is the mean rate of an arm's trainings in an environment, if all have as many seeds; NaN
// if nothing is known.
func (c *checker) arm(name, place string) float64 {
	sum, n, seeds := 0.0, 0, 0
	for _, m := range c.models {
		if m != name && !strings.HasPrefix(m, name+"-") {
			continue
		}
		p := c.place(place)
		if p == nil {
			return math.NaN()
		}
		of := c.cell(m, p.env, "none")
		if of == nil || !of.complete() || n > 0 && len(of.seeds) != seeds {
			return math.NaN()
		}
		sum, n, seeds = sum+of.rate(c.rate), n+1, len(of.seeds)
	}
	return sum / float64(n)
}

// test checks the numbers and the words of a test.
func (c *checker) test(m map[string]string, f fact, most float64) {
	if _, apart := m["reason"]; apart {
		if f.t != nil {
			c.wrong("it is compared")
		}
		if f.bounded() != (m["bounded"] != "") {
			c.wrong("bounds that agree: %t", f.bounded())
		}
		return
	}
	if f.t == nil {
		c.wrong("it is not compared")
		return
	}
	if d, said := m["d"]; said {
		if m["verb"] == "loses" {
			d = "-" + d
		}
		c.shown("the difference", d, f.t.mean)
	}
	if text, said := m["found"]; said && text != "" && !(number(text) > 0 && number(text) <= 200) {
		c.wrong("a difference of %s would have been found", text)
	}
	if _, said := m["p"]; !said {
		return
	}
	c.probability(m["p"], f.p)
	if want := max(1, f.tests); m["tests"] != "" && int(number(m["tests"])) != want || m["tests"] == "" && want != 1 {
		c.wrong("%s tests, want %d", m["tests"], want)
	}
	c.level(f, number(m["low"])/100, number(m["high"])/100, 0.0006, most)
	if (m["shows"] == "significant") != f.significant() {
		c.wrong("it is %s with p %.4f", m["shows"], f.p)
	}
	low, high := number(m["low"]), number(m["high"])
	within := c.margin > 0 && low >= -c.margin && high <= c.margin
	if edge := math.Abs(low+c.margin) < 0.06 || math.Abs(high-c.margin) < 0.06; within != (m["equal"] != "") && !edge {
		c.wrong("within %g points: %t", c.margin, within)
	}
}

func (c *checker) probability(text string, want float64) {
	if text == "<0.001" {
		if want >= 0.001 {
			c.wrong("p is %s, want %.5f", text, want)
		}
		return
	}
	if got := number(text); math.Abs(got-want) > 0.000501 || (got < 0.05) != (want < 0.05) {
		c.wrong("p is %s, want %.5f", text, want)
	}
}

// level checks that limits are those of some level between that of one test and that of all
// tests together, and that they hold 0 if and only if there is no significance.
func (c *checker) level(f fact, low, high, slack, most float64) {
	wide, far := f.t.limits(1-0.05/float64(max(1, f.tests)), most)
	narrow, near := f.t.limits(0.95, most)
	if low < wide-slack || low > narrow+slack || high > far+slack || high < near-slack {
		c.wrong("the limits are %.4f to %.4f, want between %.4f to %.4f and %.4f to %.4f", low, high, narrow, near, wide, far)
	}
	holds, edge := low <= slack && high >= -slack, math.Abs(low) <= slack || math.Abs(high) <= slack
	if holds == f.significant() && !edge {
		c.wrong("the limits %.4f to %.4f are about p %.4f", low, high, f.p)
	}
}

// rated checks the rate of a model.
func (c *checker) rated(m map[string]string) {
	a, place := m["a"], title(m)
	if c.trained() {
		return
	}
	c.measure(m)
	c.basis(m, a)
	c.shown(a, m["av"], c.value(a, place))
	if m["low"] != "" && !(number(m["low"]) <= number(m["av"])+0.05 && number(m["av"]) <= number(m["high"])+0.05) {
		c.wrong("%s lies outside of its interval", m["av"])
	}
	finished, planned := 0, 0
	unplayed := false
	for _, of := range c.cellsOf(place, a) {
		finished, planned = finished+len(of.played), planned+of.planned()
		stopped := 0
		for _, why := range of.failed {
			if why == "cancelled" {
				stopped++
			}
		}
		unplayed = unplayed || len(of.played)+len(of.failed)-stopped < of.planned()
	}
	if m["finished"] != "" && (int(number(m["finished"])) != finished || int(number(m["planned"])) != planned) {
		c.wrong("%s of %s episodes, want %d of %d", m["finished"], m["planned"], finished, planned)
	}
	if m["finished"] == "" && finished < planned {
		c.wrong("%d of %d episodes are said to be all", finished, planned)
	}
	if m["finished"] != "" && (m["preliminary"] != "") != unplayed {
		c.wrong("preliminary, want %t", unplayed)
	}
}

// models are those of a list with rates, which must be those of a place.
func (c *checker) listed(list, place string) (names []string) {
	for _, part := range regexp.MustCompile(`, | and `).Split(list, -1) {
		if strings.HasSuffix(part, " other") || strings.HasSuffix(part, " others") {
			continue
		}
		name, value, _ := strings.Cut(part, " ")
		c.shown(name, value, c.value(name, place))
		names = append(names, name)
	}
	return names
}

// highest are the models with a rate in a place, the highest first.
func (c *checker) highest(place string) (names []string) {
	for _, m := range c.models {
		if !math.IsNaN(c.value(m, place)) {
			names = append(names, m)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		switch x, y := c.value(a, place), c.value(b, place); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return names
}

// isBest says whether a model is significantly above all others.
func (c *checker) isBest(model, place string) bool {
	for _, other := range c.highest(place) {
		if other == model {
			continue
		}
		if f, ok := c.fact(model, other, place); !ok || !f.significant() || f.t.mean <= 0 {
			return false
		}
	}
	return true
}

func (c *checker) best(m map[string]string) {
	if c.trained() {
		return
	}
	place := title(m)
	c.measure(m)
	c.basis(m, c.highest(place)...)
	c.shown(m["a"], m["av"], c.value(m["a"], place))
	c.listed(m["list"], place)
	if !c.isBest(m["a"], place) {
		c.wrong("%s is not the best", m["a"])
	}
	f, _ := c.fact(m["a"], c.highest(place)[1], place)
	if int(number(m["tests"])) != f.tests {
		c.wrong("%s tests, want %d", m["tests"], f.tests)
	}
}

func (c *checker) undecided(m map[string]string) {
	if c.trained() {
		return
	}
	place := title(m)
	c.measure(m)
	c.basis(m, c.highest(place)...)
	names := c.listed(m["list"], place)
	all := c.highest(place)
	if len(names) == 0 || math.Abs(c.value(names[0], place)-c.value(all[0], place)) > 1e-9 {
		c.wrong("%s are not the highest of %s", names, all)
	}
	if c.isBest(all[0], place) {
		c.wrong("%s is the best", all[0])
	}
}

// names reads a list of places or models.
func names(list string) []string { return regexp.MustCompile(`, | and `).Split(list, -1) }

// places is a list with the numbers of tasks.
var (
	withTasks  = regexp.MustCompile(`(the held-out score|[A-Za-z]+) \((\d+) tasks?\)`)
	bestPart   = regexp.MustCompile(`^([A-Za-z]+) \((\d+) tasks?\) (` + formName + `) ([\d.]+), above (.*)$`)
	uncompared = regexp.MustCompile(`^not compared on ([^(]*) \((.*)\)$`)
)

// asked are the places that several models were planned in.
func (c *checker) asked(family string) (out []string) {
	for _, f := range c.facts {
		if f.family == family && !slices.Contains(out, f.place) {
			out = append(out, f.place)
		}
	}
	return out
}

// split cuts parts at semicolons outside of parentheses.
func split(text string) (parts []string) {
	depth, from := 0, 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ';':
			if depth == 0 {
				parts, from = append(parts, strings.TrimSpace(text[from:i])), i+1
			}
		}
	}
	return append(parts, strings.TrimSpace(text[from:]))
}

// tasksOf checks the numbers of tasks after the names of places.
func (c *checker) tasksOf(text string, models ...string) {
	for _, of := range withTasks.FindAllStringSubmatch(text, -1) {
		if want := c.tasks(placeName(of[1]), models...); int(number(of[2])) != want {
			c.wrong("%s tasks on %s, want %d", of[2], of[1], want)
		}
	}
}

// tasks counts those of the model that has most in a place.
func (c *checker) tasks(place string, models ...string) (most int) {
	for _, model := range models {
		own := 0
		for _, of := range c.cellsOf(place, model) {
			played, _ := of.byTask(func(slot, outcome) float64 { return 0 })
			own += len(played)
		}
		most = max(most, own)
	}
	return most
}

func (c *checker) bestBy(m map[string]string) {
	if c.trained() {
		return
	}
	c.manyTests(m["tests"], "second")
	var cells []*cell
	for _, f := range c.facts {
		if f.family == "second" && (f.t != nil || f.bounded()) {
			cells = append(cells, c.cellsOf(f.place, c.highest(f.place)...)...)
		}
	}
	c.seeds(m["seeds"], cells)
	c.tasksOf(m["parts"], c.models...)
	var named []string
	for _, part := range split(m["parts"]) {
		if b := bestPart.FindStringSubmatch(part); b != nil {
			named = append(named, b[1])
			c.shown(b[3], b[4], c.value(b[3], b[1]))
			c.listed(b[5], b[1])
			if !c.isBest(b[3], b[1]) {
				c.wrong("%s is not the best of %s", b[3], b[1])
			}
		} else if rest, ok := strings.CutPrefix(part, "not decided on "); ok {
			for _, of := range withTasks.FindAllStringSubmatch(rest, -1) {
				named = append(named, of[1])
				if all := c.highest(of[1]); len(all) > 0 && c.isBest(all[0], of[1]) {
					c.wrong("%s is the best of %s", all[0], of[1])
				}
			}
		} else if of := uncompared.FindStringSubmatch(part); of != nil {
			for _, place := range names(of[1]) {
				named = append(named, place)
				for _, f := range c.facts {
					if f.place == place && f.t != nil {
						c.wrong("%s is compared", place)
					}
				}
			}
		} else {
			c.wrong("a part of no kind: %s", part)
		}
	}
	c.allNamed(named, "second")
}

// allNamed checks that every place of a family is named once.
func (c *checker) allNamed(named []string, family string) {
	want := slices.DeleteFunc(c.asked(family), func(p string) bool { return p == heldOutTitle })
	slices.Sort(named)
	slices.Sort(want)
	if !slices.Equal(named, want) {
		c.wrong("it is about %s, want %s", named, want)
	}
}

// pairIn are the facts about two models in a family, by place.
func (c *checker) pairIn(a, b, family string) map[string]fact {
	out := map[string]fact{}
	for _, f := range c.facts {
		if f.family == family && (f.a == a && f.b == b || f.a == b && f.b == a) {
			out[f.place], _ = c.fact(a, b, f.place)
		}
	}
	return out
}

func (c *checker) summary(m map[string]string) {
	if c.trained() {
		return
	}
	facts := c.pairIn(m["a"], m["b"], "second")
	tasks := 0
	var cells []*cell
	for place := range facts {
		tasks += c.tasks(place, m["a"], m["b"])
		cells = append(cells, c.cellsOf(place, m["a"], m["b"])...)
	}
	if int(number(m["tasks"])) != tasks {
		c.wrong("%s tasks, want %d", m["tasks"], tasks)
	}
	c.seeds(m["seeds"], cells)
	c.manyTests(m["tests"], "second")
	var named []string
	for _, part := range split(m["parts"]) {
		word, rest, _ := strings.Cut(part, " on ")
		list, reason, _ := strings.Cut(rest, " (")
		for _, place := range names(list) {
			named = append(named, placeName(place))
			f, ok := facts[placeName(place)]
			want := "not compared"
			if f.t != nil {
				switch want = "not significant"; {
				case f.significant() && f.t.mean > 0:
					want = "significantly higher"
				case f.significant():
					want = "significantly lower"
				}
			}
			if !ok || word != want {
				c.wrong("%s on %s, want %s", word, place, want)
			}
			if either := strings.HasSuffix(reason, "significant either way)"); ok && either != f.bounded() {
				c.wrong("%s: significant either way: %t", place, f.bounded())
			}
		}
	}
	c.samePlaces(named, facts)
}

// placeName is the title of a place in a list.
func placeName(text string) string {
	if text == "the held-out score" {
		return heldOutTitle
	}
	return text
}

func (c *checker) samePlaces(named []string, facts map[string]fact) {
	var want []string
	for place := range facts {
		want = append(want, place)
	}
	slices.Sort(named)
	slices.Sort(want)
	if !slices.Equal(named, want) {
		c.wrong("it is about %s, want %s", named, want)
	}
}

func (c *checker) manyTests(text, family string) {
	if text == "" {
		text = "1"
	}
	for _, f := range c.facts {
		if f.family == family && max(1, f.tests) != int(number(text)) {
			c.wrong("%s tests, want %d", text, f.tests)
			return
		}
	}
}

var significantPart = regexp.MustCompile(`(the held-out score|[A-Za-z]+) \((\d+) tasks?\) ([+-][\d.]+) points \(95% CI (-?[\d.]+) to (-?[\d.]+), p (<?[\d.]+)\)`)

func (c *checker) family(m map[string]string) {
	if c.trained() {
		return
	}
	facts := c.pairIn(m["a"], m["b"], "second")
	c.manyTests(m["tests"], "second")
	var cells []*cell
	for place := range facts {
		cells = append(cells, c.cellsOf(place, m["a"], m["b"])...)
	}
	c.seeds(m["seeds"], cells)
	c.tasksOf(m["parts"], m["a"], m["b"])
	var named []string
	for _, part := range split(m["parts"]) {
		switch {
		case strings.HasPrefix(part, "significant on "):
			for _, s := range significantPart.FindAllStringSubmatch(part, -1) {
				place := placeName(s[1])
				named = append(named, place)
				f, ok := facts[place]
				if !ok || !f.significant() {
					c.wrong("%s is not significant", place)
					continue
				}
				c.shown("the difference on "+place, s[3], f.t.mean)
				c.probability(s[6], f.p)
				c.level(f, number(s[4])/100, number(s[5])/100, 0.0006, 1)
			}
		case strings.HasPrefix(part, "not significant on "):
			for _, of := range regexp.MustCompile(`(the held-out score|[A-Za-z]+) \(\d+ tasks?\)`).FindAllStringSubmatch(part, -1) {
				place := placeName(of[1])
				named = append(named, place)
				if f, ok := facts[place]; !ok || f.t == nil || f.significant() {
					c.wrong("%s is not one without significance", place)
				}
			}
			c.largest(part, facts)
		case strings.Contains(part, ": not compared ("):
			place := placeName(regexp.MustCompile(` \(\d+ tasks?\): .*`).ReplaceAllString(part, ""))
			named = append(named, place)
			if f, ok := facts[place]; !ok || f.t != nil {
				c.wrong("%s is compared", place)
			}
		case strings.HasPrefix(part, "a true difference") || strings.HasPrefix(part, "true differences") ||
			strings.HasPrefix(part, "counted as failures"):
		default:
			c.wrong("a part of no kind: %s", part)
		}
	}
	c.samePlaces(named, facts)
}

var largestPart = regexp.MustCompile(
	`, (?:at most )?([+-]?[\d.]+) points(?: on (the held-out score|\w+))? \(95% CI (-?[\d.]+) to (-?[\d.]+)\)`)

// largest checks which difference without significance is the largest.
func (c *checker) largest(part string, facts map[string]fact) {
	m := largestPart.FindStringSubmatch(part)
	if m == nil {
		c.wrong("no largest difference: %s", part)
		return
	}
	most := 0.0
	for _, f := range facts {
		if f.t != nil && !f.significant() {
			most = max(most, math.Abs(f.t.mean))
		}
	}
	for place, f := range facts {
		if f.t == nil || f.significant() || m[2] != "" && placeName(m[2]) != place ||
			m[2] == "" && math.Abs(f.t.mean) < most {
			continue
		}
		c.shown("the largest difference", m[1], f.t.mean)
		c.level(f, number(m[3])/100, number(m[4])/100, 0.0006, 1)
		if math.Abs(math.Abs(f.t.mean)-most) > 1e-9 {
			c.wrong("%s is not the largest difference", place)
		}
		return
	}
	c.wrong("there is no largest difference on %s", m[2])
}

var alonePart = regexp.MustCompile(`([A-Za-z]+) \((\d+) tasks?\) ([\d.]+)(?: so far, (\d+) of (\d+) episodes)?`)

func (c *checker) alone(m map[string]string) {
	if c.trained() {
		return
	}
	var cells []*cell
	for _, p := range c.places {
		if !math.IsNaN(c.value(m["a"], p.title)) {
			cells = append(cells, c.cellsOf(p.title, m["a"])...)
		}
	}
	c.seeds(m["seeds"], cells)
	c.tasksOf(m["parts"], m["a"])
	for _, part := range alonePart.FindAllStringSubmatch(m["parts"], -1) {
		c.shown(part[1], part[3], c.value(m["a"], part[1]))
		of := c.cell(m["a"], c.place(part[1]).env, "none")
		if (part[4] == "") != of.complete() {
			c.wrong("%s is said to be complete: %t", part[1], part[4] == "")
		}
		if part[4] != "" && (int(number(part[4])) != len(of.played) || int(number(part[5])) != of.planned()) {
			c.wrong("%s of %s episodes on %s", part[4], part[5], part[1])
		}
	}
}

func (c *checker) spread(m map[string]string) {
	if c.trained() || m["heldout"] != "" {
		return
	}
	c.basis(m, c.models[0])
	of := c.cellsOf(title(m), c.models[0])[0]
	var means []float64
	for _, seed := range of.seeds {
		sum := 0.0
		for _, task := range of.tasks {
			sum += of.played[slot{task, seed}].value(c.rate)
		}
		means = append(means, sum/float64(len(of.tasks)))
	}
	mean, squares := 0.0, 0.0
	for _, x := range means {
		mean += x / float64(len(means))
	}
	for _, x := range means {
		squares += (x - mean) * (x - mean)
	}
	c.shown("the mean", m["av"], mean)
	c.shown("the deviation", m["std"], math.Sqrt(squares/float64(len(means)-1)))
	if m["best"] != "" {
		best := 0.0
		for _, task := range of.tasks {
			most := 0.0
			for _, seed := range of.seeds {
				most = max(most, of.played[slot{task, seed}].value(c.rate))
			}
			best += most / float64(len(of.tasks))
		}
		c.shown("the best", m["best"], best)
	}
}

// losing finds the fact about what a model loses.
func (c *checker) losing(model string) (fact, bool) {
	for _, f := range c.facts {
		if f.a == model && f.b == "" {
			return f, true
		}
	}
	return fact{}, false
}

func (c *checker) loss(m map[string]string) {
	f, ok := c.losing(m["a"])
	if !ok {
		c.wrong("%s did not play under perturbations", m["a"])
		return
	}
	c.measure(m)
	c.shown(m["a"], def(m, "av", "–"), c.unperturbed(m, f))
	c.sweptBasis(m, m["a"])
	if m["bv"] != "" {
		sum, n := 0.0, 0
		for _, name := range c.under {
			if of := c.cell(m["a"], c.places[0].env, name); of != nil {
				sum, n = sum+of.rate(c.rate), n+1
			}
		}
		c.shown("what is left", m["bv"], sum/float64(n))
	}
	c.test(m, f, 1)
}

func def(m map[string]string, key, other string) string {
	if v, ok := m[key]; ok {
		return v
	}
	return other
}

// unperturbed is the rate without a perturbation, if the sentence says it.
func (c *checker) unperturbed(m map[string]string, f fact) float64 {
	of := c.cell(f.a, c.places[0].env, "none")
	if _, said := m["av"]; !said || of == nil {
		return math.NaN()
	}
	return of.rate(c.rate)
}

// sweptBasis checks the tasks of the first model without a perturbation, and the seeds of all.
func (c *checker) sweptBasis(m map[string]string, models ...string) {
	var cells []*cell
	for _, model := range models {
		if of := c.cell(model, c.places[0].env, "none"); of != nil {
			cells = append(cells, of)
		}
	}
	c.seeds(m["seeds"], cells)
	if of := c.cell(models[0], c.places[0].env, "none"); of != nil {
		played, _ := of.byTask(func(slot, outcome) float64 { return 0 })
		if int(number(m["tasks"])) != len(played) {
			c.wrong("%s tasks, want %d", m["tasks"], len(played))
		}
	}
}

func (c *checker) losses(m map[string]string) {
	f, ok := c.fact(m["a"], m["b"], m["place"])
	if !ok {
		c.wrong("%s and %s are no pair", m["a"], m["b"])
		return
	}
	c.measure(m)
	c.sweptBasis(m, m["a"], m["b"])
	c.test(m, f, 2)
}

func (c *checker) alike(m map[string]string) {
	for _, f := range c.facts {
		if f.b != "" && f.significant() {
			c.wrong("%s and %s differ", f.a, f.b)
		}
	}
	c.manyTests(m["tests"], "second")
}

// replies counts the replies of a cell, and those without an action.
func (of *cell) replies() (all, unread int) {
	for _, o := range of.played {
		all, unread = all+o.steps, unread+o.unread
	}
	return all, unread
}

func (c *checker) unreadable(m map[string]string) {
	if c.trained() {
		return
	}
	under := def(m, "under", "")
	if under == "" {
		under = "none"
	}
	of := c.cell(m["a"], c.place(m["place"]).env, under)
	c.seeds(m["seeds"], []*cell{of})
	if played, _ := of.byTask(func(slot, outcome) float64 { return 0 }); int(number(m["tasks"])) != len(played) {
		c.wrong("%s tasks, want %d", m["tasks"], len(played))
	}
	all, unread := of.replies()
	if int(number(m["part"])) != unread || int(number(m["of"])) != all {
		c.wrong("%s of %s replies, want %d of %d", m["part"], m["of"], unread, all)
	}
	c.shown("the share", m["share"], float64(unread)/float64(all))
	unsolved, touched := 0, 0
	for _, o := range of.played {
		if !o.success {
			unsolved++
			if o.unread > 0 {
				touched++
			}
		}
	}
	if m["touched"] == "" {
		if touched > 0 {
			c.wrong("%d unsolved episodes have one", touched)
		}
		return
	}
	if int(number(m["touched"])) != touched || int(number(m["unsolved"])) != unsolved {
		c.wrong("%s of %s unsolved, want %d of %d", m["touched"], m["unsolved"], touched, unsolved)
	}
	_, means := of.byTask(func(_ slot, o outcome) float64 {
		if !o.success && o.unread > 0 {
			return 1
		}
		return o.value(c.rate)
	})
	sum := 0.0
	for _, x := range means {
		sum += x / float64(len(means))
	}
	c.shown("the rate that it would be", m["would"], sum)
}

func (c *checker) unreadableRates(m map[string]string) {
	if c.trained() {
		return
	}
	n, most := 0, 0.0
	for key, of := range c.cells {
		all, unread := of.replies()
		if all == 0 || key.under == "last" {
			continue
		}
		share := float64(unread) / float64(all)
		if most = max(most, share); share >= 0.03 {
			n++
		}
	}
	if int(number(m["n"])) != n {
		c.wrong("%s rates, want %d", m["n"], n)
	}
	c.shown("the largest share", m["share"], most)
	under := m["under"]
	if under == "" {
		under = "none"
	}
	all, unread := c.cell(m["a"], c.place(m["place"]).env, under).replies()
	c.shown("the share of "+m["a"], m["share"], float64(unread)/float64(all))
}

func (c *checker) missing(m map[string]string) {
	planned, finished := 0, 0
	for key, of := range c.cells {
		if key.under == "last" {
			continue
		}
		planned, finished = planned+of.planned(), finished+len(of.played)
	}
	if int(number(m["missing"])) != planned-finished || int(number(m["planned"])) != planned {
		c.wrong("want %d of %d", planned-finished, planned)
	}
	sum := 0
	for _, n := range regexp.MustCompile(`\d+`).FindAllString(m["why"], -1) {
		sum += int(number(n))
	}
	if sum != planned-finished {
		c.wrong("the reasons add up to %d", sum)
	}
}

func (c *checker) unscored(m map[string]string) {
	for _, name := range strings.Split(m["names"], "; ") {
		if !c.trained() && c.heldOutCells(name) != nil {
			c.wrong("%s has a held-out score", name)
		}
	}
}

func (c *checker) withheldNote(m map[string]string) {
	found := false
	for _, of := range c.cells {
		found = found || of.withheld() && of.planned() == int(number(m["planned"]))
	}
	if !found {
		c.wrong("no rate is withheld")
	}
}

// sources checks what is said of official and generated tasks.
func (c *checker) sources(m map[string]string) {
	for _, part := range regexp.MustCompile(`([A-Za-z]+) is (\d+) of (\d+) official tasks`).FindAllStringSubmatch(m["parts"], -1) {
		p := c.place(part[1])
		if p == nil || !p.official {
			c.wrong("%s has no official tasks", part[1])
		}
	}
	if m["places"] == "" {
		return
	}
	for _, title := range names(m["places"]) {
		if p := c.place(title); p == nil || p.official {
			c.wrong("%s is official", title)
		}
	}
}

// equalSeeds checks that no seed of a task differs from another.
func (c *checker) equalSeeds(m map[string]string) {
	for _, name := range strings.Split(m["names"], "; ") {
		model, title, _ := strings.Cut(name, " on ")
		of := c.cell(model, c.place(title).env, "none")
		for _, task := range of.tasks {
			var first *outcome
			for _, seed := range of.seeds {
				o, ok := of.played[slot{task, seed}]
				if ok && first != nil && (o.success != first.success || o.progress != first.progress) {
					c.wrong("%s differs in task %d", name, task)
				}
				if ok {
					first = &o
				}
			}
		}
	}
}

func (c *checker) legend(m map[string]string) {
	if strings.HasPrefix(m["text"], "~") && c.reference == "" && len(c.models) != 2 {
		c.wrong("there is no old and new one")
	}
}
