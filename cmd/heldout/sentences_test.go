package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"heldout/scoring/record"
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
	formWhere = `(?P<unperturbed>[Uu]nperturbed )?(?P<rate>SR|PR|EM|F1)(?: after (?P<trials>\d+) trials?)?(?:, (?P<heldout>held-out score)| on ` +
		`(?P<place>[A-Za-z]+))(?P<average>, average over none and ` + formUnder + `)?`
	formUnder = `(?P<under>P\d(?: to P\d|(?:, P\d)* and P\d)?)`
	formOther = `P\d(?: to P\d|(?:, P\d)* and P\d)?`
	formSeeds = `(?:(?P<seeds>\d+(?: to \d+)?)(?P<equal> equal)? seeds?|\d+(?: to \d+)? trainings?(?: each)?)`
	formBasis = `(?:(?P<fewest>\d+) to )?(?P<tasks>\d+) tasks?(?:, ` + formSeeds + `)?`
	formTests = `(?:, (?P<tests>\d+) tests)?`
	formCI    = `95% CI (?P<low>-?[\d.]+) to (?P<high>-?[\d.]+)`
	formTest  = formCI + `, p (?P<p><?[\d.]+)`
	formName  = `[a-z0-9-]+(?: \((?:memory \d|run-\d)\))?`
	formPower = `(?: \((?:80% power at (?P<found>[\d.]+) points|too little data for 80% power)\))`
	formShows = `(?P<shows>significant, but within [\d.]+ points|significant|not significant, equal within [\d.]+ points|not significant` + formPower + `)`
	formApart = `(?P<apart>not compared \((?P<reason>.*?)\)|(?P<higher>` + formName + `) is (?P<way>higher|lower) by (?P<blow>-?[\d.]+) to ` +
		`(?P<bhigh>-?[\d.]+) points whatever the (?:(?P<missing>\d+) missing episodes are|missing episode is))`
	formBesides = `(?:; (?P<besides>(?:not only the models differ|` + formName + ` and ` + formName + ` report the same weights).*))?`
	formPair    = `(?P<a>` + formName + `) (?P<av>[\d.]+|–), (?P<b>` + formName + `) (?P<bv>[\d.]+|–)`
	formResult  = `(?:(?P<d>[+-]?[\d.]+) points \(` + formTest + `\), ` + formShows + `|` + formApart + `)`
)

// form compiles a form when it is first needed: each process that the tests start has all of them.
func form(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + text + "$") })
}

var sentences = []kindOfSentence{
	{"pair", form(formWhere + ` \(` + formBasis + `\): ` + formPair + `: ` + formResult + formBesides), (*checker).pair},
	{"difference", form(`(?P<a>` + formName + `) minus (?P<b>` + formName + `): ` + formResult), (*checker).minus},
	{"pair like the first", form(formPair + `(?: \(` + formBasis + `\))?: ` + formResult), (*checker).again},
	{"average", form(`Average(?: of (?P<a>` + formName + `) against (?P<b>` + formName + `))?: ` + formResult), (*checker).averages},
	{"best average", form(`Best average(?: \((?P<tests>\d+) tests\))?: (?P<best>.*)`), (*checker).bestAverage},
	{"rate", form(formWhere + ` \(` + formBasis + `\): (?P<a>` + formName + `) (?P<av>[\d.]+)(?: \(` + formCI + `\))?`),
		(*checker).rated},
	{"rates", form(formWhere + ` \(` + formBasis + `\): (?P<list>` + formName + ` [\d.]+(?:, (?:` + formName + ` [\d.]+|\d+ others?))+)`),
		(*checker).rates},
	{"incomplete rate", form(`(?P<preliminary>Preliminary )?` + formWhere + ` \((?P<finished>\d+) of (?P<planned>\d+) episodes, ` +
		formBasis + `\): (?P<a>` + formName + `) (?P<av>[\d.]+)(?: \(` + formCI + `\))?`), (*checker).rated},
	{"best", form(`Best ` + formWhere + ` \(` + formBasis + formTests + `\): (?P<list>.*), significantly above (?P<rest>.*?)` + formBesides),
		(*checker).best},
	{"undecided", form(formWhere + ` \(` + formBasis + formTests + `\), the best is not decided: (?P<list>.*?)` + formBesides),
		(*checker).undecided},
	{"best by environment", form(`Best(?P<kind>| unperturbed| average)(?: (?P<rates>[A-Z0-9/]+))? by environment \((?:` + formSeeds +
		`)?(?:(?:, )?(?P<tests>\d+) tests?)?\): (?P<parts>.*)`), (*checker).bestBy},
	{"by environment", form(`(?:(?P<kind>Unperturbed |Average )?(?P<rates>[A-Z0-9/]+) of )?(?:(?P<a>` + formName + `) against (?P<b>` + formName +
		`)(?:, by environment)?|By environment)(?: \((?:(?P<tasks>\d+) tasks?, ` + formSeeds + `)?(?:(?:, )?(?P<tests>\d+) tests)?\))?: (?P<parts>` +
		`(?:significantly|not significant on|not compared on|higher by|lower by|equal within).*)`), (*checker).byPlace},
	{"rates of one model", form(`(?P<rates>[A-Z0-9/]+) of (?P<a>` + formName + `) \(` + formSeeds + `\): ` +
		`(?P<parts>.*)`), (*checker).alone},
	{"spread", form(`Standard deviation over (?P<n>\d+) seeds (?P<std>[\d.]+)` +
		`(?:; best of \d+ in each task (?P<best>[\d.]+))?(?:; 95% CI for these tasks decoded again (?P<low>-?[\d.]+) to (?P<high>-?[\d.]+))?`), (*checker).spread},
	{"loss", form(`(?P<rate>SR|PR|EM|F1) on (?P<place>[A-Za-z]+) under ` + formUnder + ` \(` + formBasis + `\): (?P<a>` + formName + `) ` +
		`(?:(?P<verb>loses|gains) (?P<d>[\d.]+) points of (?P<av>[\d.]+) \(` + formTest + `\), ` + formShows +
		`|(?P<av2>[\d.]+|–) without a perturbation, ` + formApart + `)`), (*checker).loss},
	{"losses", form(`Losses: (?P<parts>.*)`), (*checker).lost},
	{"difference of losses", form(`Change of (?P<rate>SR|PR|EM|F1) on (?P<place>[A-Za-z]+) under ` + formUnder + ` \(` + formBasis + `\): (?P<a>` +
		formName + `) (?:[+-]?[\d.]+|–), (?P<b>` + formName + `) (?:[+-]?[\d.]+|–): ` + formResult + formBesides), (*checker).changes},
	{"unreadable", form(`(?P<a>` + formName + `), (?P<rate>SR|PR|EM|F1)(?: after (?P<trials>\d+) trials?)? on (?P<place>[A-Za-z]+)(?: under ` + formUnder +
		`)? \(` + formBasis + `\): (?P<part>\d+) of (?P<of>\d+) replies \((?P<share>[\d.]+)%\) had no readable action and cost a step(?:; no unsolved ` +
		`episode has one|; (?P<touched>\d+) of the (?P<unsolved>\d+) unsolved episodes ha(?:s|ve) one: had (?:it|they all) been ` +
		`solved, (?:SR|PR|EM|F1)(?: after 1 trial)? would be (?P<would>[\d.]+))`), (*checker).unreadable},
	{"unreadable rates", form(`(?P<n>\d+) rates?: 3% or more of the replies had no readable action \(most: (?P<a>` + formName +
		`) on (?P<place>\w+)(?: under (?P<under>P\d))?, (?P<share>[\d.]+)%\): --table lost-steps`), (*checker).unreadableRates},
	{"missing episodes", form(`\* (?P<missing>\d+) of (?P<planned>\d+) episodes ha(?:s|ve) no result \((?P<why>[^)]*)\)` +
		`(?:; (?:once what failed is mended, )?rerun (?:the|each shard's) command to play the rest)?` +
		`(?:; prompts that are too long need a longer context)?`), (*checker).missing},
	{"no held-out score", form(`(?P<names>[a-z0-9; -]+): no held-out score: (?P<parts>.*)`), (*checker).unscored},
	{"withheld", form(`(?P<names>.*): no rate, because (?P<n>\d+) of (?P<planned>\d+) episodes have no result for a reason that ` +
		`depends on the model .*`), (*checker).withheldNote},
	{"generated tasks", form(`(?P<parts>.*[tT]asks(?: on (?P<places>.*))? are generated, so rates do not compare with published ones)`),
		(*checker).sources},
	{"part of the tasks", form(`(?P<parts>[A-Za-z]+(?: \(.*\))? is \d+ of \d+ official tasks.*)`), (*checker).sources},
	{"legend", form(`(?P<text>(?:Same letter: not significantly different|~: not significant|Better, worse: significant against ` +
		formName + `, ~: not)?(?:(?:; none: )?[nN]ot compared \((?P<reason>.*)\))?(?:; below|Below)?` +
		`(?:: 95% CI for new (?:trainings and new )?tasks.*)?(?:\. ‡ .*)?|‡ Average over other conditions than most rows)`), (*checker).legend},
	{"legend of trials", form(`SR: solved in any trial so far, which an agent knows by an oracle; PR: progress in the last ` +
		`trial, Best PR: in the best; 95% CI for new tasks.*`), nothing},
	{"no retries beside it", form(`(?P<names>.*): no retries without memory beside it; .*`), (*checker).uncontrolled},
	{"trials that are due", form(`\* Incomplete: (?P<a>` + formName + `) on \w+ lacks results that are due: ` +
		`(?P<parts>.*)\. Later rates are missing, because .*`), (*checker).due},
	{"more models", form(`(?:\d+ (?:significant|not significant|not compared)(?:, )?)+ more: --table verdict|\d+ rates? more: --table verdict`), nothing},
	{"equal seeds", form(`(?P<names>.*): \d+ seeds gave equal results in every task(?: at temperature [\d.]+: .*)?, so they count as one run`), (*checker).equalSeeds},
	{"changed protocol", form(`The default protocol is changed: (?P<parts>.*)`), (*checker).changed},
	{"what differs besides", form(`(?P<besides>(?:Not only the models differ|` + formName + ` and ` + formName + ` report the same weights).*)`), (*checker).allBesides},
	{"served name", form(`.* is one served name in .*, and nothing shows that it is one model`), nothing},
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
	switch {
	case m["heldout"] != "":
		return heldOutTitle
	case m["average"] != "":
		return averageOf + m["place"]
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

// measure checks the name of a rate in a place, and that a rate of a sweep says whether it is without a perturbation.
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

// conditions checks that a comparison says under which conditions it is.
func (c *checker) conditions(m map[string]string) {
	if want := c.swept() && m["average"] == ""; want != (m["unperturbed"] != "") {
		c.wrong("unperturbed, want %t", want)
	}
}

// value is the rate of a model in a place; NaN if there is none.
func (c *checker) value(model, place string) float64 {
	if place == heldOutTitle {
		return c.heldOut(model)
	}
	if strings.HasPrefix(place, averageOf) {
		return c.average(model)
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

// cellsOf returns the cells of models in a place.
func (c *checker) cellsOf(place string, models ...string) (cells []*cell) {
	place = strings.TrimPrefix(place, averageOf)
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
	fewest := math.MaxInt
	for _, model := range models {
		if n := c.tasks(place, model); n > 0 {
			fewest = min(fewest, n)
		}
	}
	text := cmp.Or(m["fewest"], m["tasks"])
	if len(models) > 0 && int(number(text)) != min(fewest, int(number(m["tasks"]))) {
		c.wrong("at least %s tasks on %s, want %d", text, place, fewest)
	}
	c.seeds(m, c.cellsOf(place, models...))
}

// seeds checks the number of seeds of cells, and that equal ones are called so.
func (c *checker) seeds(m map[string]string, cells []*cell) {
	least, most, equal := math.MaxInt, 0, len(cells) > 0
	for _, of := range cells {
		least, most = min(least, cmp.Or(of.tried(), least)), max(most, of.tried())
		equal = equal && of.equal(false) && of.equal(c.last)
	}
	want := fmt.Sprint(most)
	if least < most {
		want = fmt.Sprintf("%d to %d", least, most)
	}
	if m["seeds"] != want && most > 0 {
		c.wrong("%s seeds, want %s", m["seeds"], want)
	}
	if equal = equal && least == most; equal != (m["equal"] != "") {
		c.wrong("equal seeds, want %t", equal)
	}
}

// fact finds the fact about two models in a place, seen from the first.
func (c *checker) fact(a, b, place string) (fact, bool) {
	for _, f := range c.facts {
		if f.place != place || f.b == "" {
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
		if d, said := m["d"]; said && d != "" && !math.IsNaN(one-two) {
			c.shown("the difference", d, one-two)
			c.shown(a, def(m, "av", fmt.Sprint(100*one)), one)
		}
		return
	}
	c.measure(m)
	c.conditions(m)
	c.basis(m, a, b)
	c.shown(a, m["av"], c.value(a, place))
	c.shown(b, m["bv"], c.value(b, place))
	c.besides(m["besides"], place, a, b)
	f, ok := c.fact(a, b, place)
	if !ok {
		c.wrong("%s and %s are no pair of %s", a, b, place)
		return
	}
	c.later(a, b)
	c.test(m, f, 1)
}

// later checks that a difference is the later run less the earlier one, or a model less the reference.
func (c *checker) later(a, b string) {
	if c.trained() || c.trials > 0 {
		return
	}
	if c.reference != "" && b != c.reference || c.reference == "" &&
		slices.Index(c.models, a) < slices.Index(c.models, b) {
		c.wrong("%s minus %s is the wrong way round", a, b)
	}
}

// asked is the place of the primary question, or of that about unperturbed tasks.
func (c *checker) asked1() string {
	for _, f := range c.facts {
		if f.family == "primary" || f.family == "unperturbed" {
			return f.place
		}
	}
	return ""
}

// minus checks the difference of two models where the primary question is asked.
func (c *checker) minus(m map[string]string) {
	if c.trained() {
		return
	}
	f, ok := c.fact(m["a"], m["b"], c.asked1())
	if !ok {
		c.wrong("%s and %s are no pair", m["a"], m["b"])
		return
	}
	c.later(m["a"], m["b"])
	c.test(m, f, 1)
}

// again checks a pair where the primary question is asked.
func (c *checker) again(m map[string]string) {
	place := c.asked1()
	if c.trained() && len(c.places) == 1 {
		place = c.places[0].title
	}
	if m["tasks"] != "" {
		m["place"] = place
		c.basis(m, m["a"], m["b"])
	}
	c.shown(m["a"], m["av"], c.value(m["a"], place))
	c.shown(m["b"], m["bv"], c.value(m["b"], place))
	c.minus(m)
}

// averages checks the difference of the averages of two models.
func (c *checker) averages(m map[string]string) {
	f, ok := c.fact(cmp.Or(m["a"], c.models[1]), cmp.Or(m["b"], c.models[0]), averageOf+c.places[0].title)
	if !ok {
		c.wrong("there are no averages")
		return
	}
	c.test(m, f, 1)
}

// bestAverage checks which model is best on average.
func (c *checker) bestAverage(m map[string]string) {
	place := averageOf + c.places[0].title
	c.manyTests(m["tests"], "averages")
	if n := c.leading(place); n > 1 && n < len(c.highest(place)) {
		c.leaders(place, m["best"])
	} else if want := cmp.Or(c.winner(place), "not decided"); m["best"] != want {
		c.wrong("%s, want %s", m["best"], want)
	}
}

// winner is the model that is significantly above all others in a place; empty if there is none.
func (c *checker) winner(place string) string {
	if c.leading(place) > 1 {
		return ""
	}
	return c.highest(place)[0]
}

// arm is the mean rate of an arm's trainings in an environment, if all have as many seeds; NaN if nothing is known.
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
	if m["apart"] != "" {
		if f.t != nil {
			c.wrong("it is compared")
		}
		if bounded := m["way"] != ""; f.bounded() != bounded {
			c.wrong("bounds that agree: %t", f.bounded())
		} else if bounded {
			c.bounds(m, f)
		}
		return
	}
	if f.t == nil {
		c.wrong("it is not compared")
		return
	}
	sign := 1.0
	if m["verb"] == "loses" {
		sign = -1
	}
	c.shown("the difference", m["d"], sign*f.t.mean)
	if text := m["found"]; text != "" && !(number(text) > 0 && number(text) <= 100*most) {
		c.wrong("a difference of %s has 80%% power", text)
	}
	c.probability(m["p"], f.p)
	low, high := number(m["low"]), number(m["high"])
	if sign < 0 {
		low, high = 0-high, 0-low
	}
	c.level(f, low/100, high/100, 0.0006, most)
	if strings.HasPrefix(m["shows"], "significant") != f.significant() {
		c.wrong("it is %s with p %.4f", m["shows"], f.p)
	}
	within := c.margin > 0 && low >= -c.margin && high <= c.margin
	if edge := math.Abs(low+c.margin) < 0.06 || math.Abs(high-c.margin) < 0.06; within != strings.Contains(m["shows"],
		"within") && !edge {
		c.wrong("within %g points: %t", c.margin, within)
	}
}

// bounds checks what missing episodes cannot change: the direction, and how many they are.
func (c *checker) bounds(m map[string]string, f fact) {
	if m["higher"] != f.a || (m["way"] == "higher") != (f.low.centre > 0) {
		c.wrong("%s is %s, with the bounds %.3f and %.3f", m["higher"], m["way"], f.low.centre, f.high.centre)
	}
	if want := cmp.Or(m["missing"], "1"); want != fmt.Sprint(c.absent(f)) {
		c.wrong("%s episodes are missing, want %d", want, c.absent(f))
	}
	if !(number(m["blow"]) > 0 && number(m["blow"]) <= number(m["bhigh"])) {
		c.wrong("by %s to %s points", m["blow"], m["bhigh"])
	}
}

// absent counts the episodes that a pair has not played in a place.
func (c *checker) absent(f fact) (n int) {
	for _, of := range c.cellsOf(f.place, f.a, f.b) {
		n += of.planned() - len(of.played)
	}
	return n
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

// level checks that limits belong to some level between the level of one test and the level of
// all tests together, and that they hold 0 if and only if there is no significance.
func (c *checker) level(f fact, low, high, slack, most float64) {
	wide, far := f.t.limits(f.widest(), most)
	narrow, near := f.t.limits(0.95, most)
	if low < wide-slack || low > narrow+slack || high > far+slack || high < near-slack {
		c.wrong("the limits are %.4f to %.4f, want between %.4f to %.4f and %.4f to %.4f", low, high, narrow, near, wide, far)
	}
	holds, edge := low <= slack && high >= -slack, math.Abs(low) <= slack || math.Abs(high) <= slack
	if holds == f.significant() && !edge {
		c.wrong("the limits %.4f to %.4f are about p %.4f", low, high, f.p)
	}
}

// values are the parts of a protocol, as texts name them. Prompts and calls of an agent of the user's are its own.
func (p protocol) values() map[string]string {
	if p.agent == record.Own {
		return map[string]string{"steps": fmt.Sprintf("%d steps", cmp.Or(p.steps, 30)), "agent": "agent own"}
	}
	out := map[string]string{"steps": fmt.Sprintf("%d steps", cmp.Or(p.steps, 30)), "agent": "agent " +
		cmp.Or(p.agent, "react"),
		"temperature": fmt.Sprintf("temperature %g", cmp.Or(p.temperature, 1)), "prompt": "prompt " +
			cmp.Or(p.prompt, "v2"),
		"context": "context of the server", "template": "chat template " + cmp.Or(p.template, "not set")}
	if p.context > 0 {
		out["context"] = fmt.Sprintf("context %d", p.context)
	}
	return out
}

// besidesLine is a line of its own that says what differs besides the models, for which others leave it out.
var besidesLine = regexp.MustCompile(`(?m)^(Not only the models differ|` + formName + ` and ` + formName +
	` report the same weights)`)

// besides checks what is said to differ between models besides themselves: of each model each part that differs, with
// its own value, and nothing that is not true of it.
func (c *checker) besides(text, place string, models ...string) {
	if text == "" && c.besidesApart || !c.together(place, models) {
		return
	}
	said := map[string][]string{} // by model
	if _, inner, ok := strings.Cut(strings.TrimSuffix(text, ")"), " ("); ok {
		for _, group := range strings.Split(inner, "; ") {
			who, values, _ := strings.Cut(group, ": ")
			for _, m := range models {
				many := strings.HasSuffix(who, " models")
				if slices.Contains(names(who), m) || many && c.has(m, strings.Split(values, ", ")) {
					said[m] = append(said[m], strings.Split(values, ", ")...)
				}
			}
		}
	}
	for name := range (protocol{}).values() {
		have := map[string]string{} // by model
		for _, m := range models {
			if value, ok := c.protocols[m].values()[name]; ok {
				have[m] = value
			}
		}
		values := slices.Compact(slices.Sorted(maps.Values(have)))
		for m, value := range have {
			if len(values) > 1 && !slices.Contains(said[m], value) {
				c.wrong("%q lacks %s of %s", text, value, m)
			}
		}
		if len(values) == 1 && strings.Contains(text, values[0]) {
			c.wrong("%q has %s, which is the same for all", text, name)
		}
	}
	for m, values := range said {
		if !c.has(m, values) {
			c.wrong("%s is said to have %s", m, values)
		}
	}
	same := false
	for i, m := range models {
		for _, other := range models[:i] {
			same = same || c.protocols[m].weights != "" && c.protocols[m].weights == c.protocols[other].weights
		}
	}
	if same != strings.Contains(text, "report the same weights") {
		c.wrong("the same weights, want %t: %q", same, text)
	}
}

// has reports whether values are a model's own.
func (c *checker) has(model string, values []string) bool {
	own := slices.Collect(maps.Values(c.protocols[model].values()))
	return !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(own, v) })
}

// together reports whether models were planned in a place, or in one of several: any if it is empty.
func (c *checker) together(place string, models []string) bool {
	return slices.ContainsFunc(c.places, func(p *designPlace) bool {
		of := strings.TrimPrefix(strings.TrimPrefix(place, averageOf), changeOf)
		scored := slices.ContainsFunc(heldOutWeights, func(w struct {
			env    string
			weight float64
		}) bool {
			return w.env == p.env
		})
		return (of == "" || of == p.title || of == heldOutTitle && scored) &&
			!slices.ContainsFunc(models, func(m string) bool { return c.design.cell(m, p.env, "none") == nil })
	})
}

func (c *checker) allBesides(m map[string]string) { c.besides(m["besides"], "", c.models...) }

// changed checks what all models have changed of the default protocol.
func (c *checker) changed(m map[string]string) {
	all := func(is func(protocol) bool) bool {
		return !slices.ContainsFunc(c.models, func(m string) bool { return !is(c.protocols[m]) })
	}
	for _, of := range []struct {
		text string
		is   func(protocol) bool
	}{
		{"at most 20 steps, not 30", func(p protocol) bool { return p.steps == 20 }},
		{"at most 40 steps, not 30", func(p protocol) bool { return p.steps == 40 }},
		{"agent act", func(p protocol) bool { return p.agent == "act" }},
		{"prompt v1", func(p protocol) bool { return p.prompt == "v1" }},
		{"context 4096", func(p protocol) bool { return p.context > 0 }},
	} {
		if said := strings.Contains(m["parts"], of.text); said != all(of.is) {
			c.wrong("%s: said %t", of.text, said)
		}
	}
}

// rates checks the rates of models that are not compared.
func (c *checker) rates(m map[string]string) {
	if c.trained() {
		return
	}
	c.measure(m)
	list, _ := c.listed(m["list"], title(m))
	for _, name := range list {
		c.basis(m, name)
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

// listed are the models of a list; rates beside them must be their rates in a place. others counts the models
// that it does not name.
func (c *checker) listed(list, place string) (names []string, others int) {
	for _, part := range regexp.MustCompile(`, | and | or `).Split(list, -1) {
		if n, rest, ok := strings.Cut(part, " other"); ok && (rest == "" || rest == "s") {
			others = int(number(n))
			continue
		}
		name, value, rated := strings.Cut(part, " ")
		if rated {
			c.shown(name, value, c.value(name, place))
		}
		names = append(names, name)
	}
	return names, others
}

// highest are the models with a rate in a place, the highest first.
func (c *checker) highest(place string) (names []string) {
	for _, m := range c.models {
		if !math.IsNaN(c.value(m, place)) {
			names = append(names, m)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(c.value(b, place), c.value(a, place)) })
	return names
}

// leading counts the highest models that are all significantly above all others; all if there are none.
func (c *checker) leading(place string) int {
	all := c.highest(place)
	for n := 1; n < len(all); n++ {
		if c.above(all[:n], all[n:], place) {
			return n
		}
	}
	return len(all)
}

// above reports whether all of some models are significantly above all of others.
func (c *checker) above(higher, lower []string, place string) bool {
	for _, a := range higher {
		for _, b := range lower {
			if f, ok := c.fact(a, b, place); !ok || !f.significant() || f.t.mean <= 0 {
				return false
			}
		}
	}
	return true
}

// leads checks the models that are named as the best ones, and those below them.
func (c *checker) leads(m map[string]string, all []string, leading int) {
	if open := m["rest"] == ""; open != (leading == len(all)) {
		c.wrong("the best of %s are %d", all, leading)
		return
	} else if open {
		return
	}
	place := title(m)
	for _, part := range []struct {
		list string
		want []string
	}{{m["list"], all[:leading]}, {m["rest"], all[leading:]}} {
		names, others := c.listed(part.list, place)
		for _, name := range names {
			if !slices.Contains(part.want, name) && !c.tied(name, part.want, place) {
				c.wrong("%s is not one of %s", name, part.want)
			}
		}
		if len(names)+others != len(part.want) {
			c.wrong("%s and %d others, want %s", names, others, part.want)
		}
	}
}

// tied reports whether a model has the rate of one of others.
func (c *checker) tied(name string, others []string, place string) bool {
	return slices.ContainsFunc(others, func(o string) bool { return c.value(o, place) == c.value(name, place) })
}

func (c *checker) best(m map[string]string) {
	if c.trained() {
		return
	}
	place := title(m)
	all := c.highest(place)
	c.measure(m)
	c.conditions(m)
	c.basis(m, all...)
	c.besides(m["besides"], place, all...)
	c.leads(m, all, c.leading(place))
	if f, ok := c.fact(all[0], all[1], place); ok && max(1, f.tests) != int(number(cmp.Or(m["tests"], "1"))) {
		c.wrong("%s tests, want %d", m["tests"], f.tests)
	}
}

func (c *checker) undecided(m map[string]string) {
	if c.trained() {
		return
	}
	c.best(m)
	place := title(m)
	names, others := c.listed(m["list"], place)
	if all := c.highest(place); len(names)+others != len(all) ||
		math.Abs(c.value(names[0], place)-c.value(all[0], place)) > 1e-9 {
		c.wrong("%s and %d others are not %s", names, others, all)
	}
}

// names reads a list of places or models.
func names(list string) []string { return regexp.MustCompile(`, | and `).Split(list, -1) }

// Parts of what is said by place.
var (
	withTasks   = regexp.MustCompile(`(the held-out score|[A-Za-z]+) \((\d+) tasks?\)`)
	uncompared  = regexp.MustCompile(`^not compared on ([^(]*) \((.*)\)$`)
	leadersPart = regexp.MustCompile(`^([A-Za-z, ]+): (.+)$`)
	bestPart    = regexp.MustCompile(`^([A-Za-z, ]+): (` + formName + `)$`)
	placePart   = regexp.MustCompile(`^(significantly higher|significantly lower|not significant|not compared|equal within [\d.]+ points|` +
		`(?:higher|lower) by [\d.]+ to [\d.]+ points) on (.*?)(?: \((.*)\)| whatever the (?:(\d+) missing episodes are|missing episode is))?$`)
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

// tasks counts the tasks of the model that has most in a place.
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

// familyOf is the family of what is said by place.
func (c *checker) familyOf(kind string) string {
	switch strings.TrimSpace(kind) {
	case "Unperturbed", "unperturbed":
		return "unperturbed"
	case "Average", "average":
		return "averages"
	}
	return "second"
}

func (c *checker) bestBy(m map[string]string) {
	if c.trained() {
		return
	}
	family := c.familyOf(m["kind"])
	c.manyTests(m["tests"], family)
	var named []string
	for _, part := range split(m["parts"]) {
		if rest, ok := strings.CutPrefix(part, "not decided on "); ok {
			for _, place := range names(rest) {
				named = append(named, place)
				if n := c.leading(place); n < len(c.highest(place)) {
					c.wrong("%d models lead on %s", n, place)
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
		} else if b := bestPart.FindStringSubmatch(part); b != nil {
			for _, place := range names(b[1]) {
				named = append(named, place)
				if best := c.winner(place); best != b[2] {
					c.wrong("%s is best on %s, want %q", b[2], place, best)
				}
			}
		} else if of := leadersPart.FindStringSubmatch(part); of != nil {
			for _, place := range names(of[1]) {
				named = append(named, place)
				c.leaders(place, of[2])
			}
		} else {
			c.wrong("a part of no kind: %s", part)
		}
	}
	want := slices.DeleteFunc(c.asked(family), func(p string) bool { return p == heldOutTitle })
	slices.Sort(named)
	slices.Sort(want)
	if !slices.Equal(named, want) {
		c.wrong("it is about %s, want %s", named, want)
	}
}

// leaders checks the models of which one is best in a place.
func (c *checker) leaders(place, said string) {
	order, n := c.highest(place), c.leading(place)
	if n < 2 || n == len(order) {
		c.wrong("%s: %d of %d models lead", place, n, len(order))
		return
	}
	got, want := strings.Split(said, ", "), order[:n]
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) && said != fmt.Sprintf("one of %d models", n) {
		c.wrong("%s: %s, want %s", place, got, want)
	}
}

func (c *checker) byPlace(m map[string]string) {
	if c.trained() {
		return
	}
	family, a, b := c.familyOf(m["kind"]), m["a"], m["b"]
	if a == "" {
		a, b = c.models[1], c.models[0]
		if c.reference != "" && c.reference != b {
			a, b = b, a
		}
	}
	c.later(a, b)
	c.manyTests(m["tests"], family)
	facts := map[string]fact{}
	decided := false
	for _, f := range c.facts {
		if f.family == family && (f.a == a && f.b == b || f.a == b && f.b == a) {
			f, _ = c.fact(a, b, f.place)
			facts[f.place], decided = f, decided || f.t != nil || f.bounded()
		}
	}
	tasks := 0
	var cells []*cell
	for place, f := range facts {
		if decided && f.t == nil && !f.bounded() {
			continue
		}
		cells = append(cells, c.cellsOf(place, a, b)...)
		if place != heldOutTitle {
			tasks += c.tasks(place, a, b)
		}
	}
	if m["tasks"] != "" {
		c.seeds(m, cells)
		if int(number(m["tasks"])) != tasks {
			c.wrong("%s tasks, want %d", m["tasks"], tasks)
		}
	}
	var named, want []string
	for place := range facts {
		want = append(want, place)
	}
	for _, part := range split(m["parts"]) {
		of := placePart.FindStringSubmatch(part)
		if of == nil {
			c.wrong("a part of no kind: %s", part)
			continue
		}
		for _, place := range names(of[2]) {
			place = placeName(place)
			named = append(named, place)
			f, ok := facts[place]
			switch word := of[1]; {
			case !ok:
				c.wrong("%s is not asked about", place)
			case strings.HasPrefix(word, "equal"):
				if f.t == nil || c.margin == 0 {
					c.wrong("%s: %s", place, word)
				}
			case strings.HasPrefix(word, "higher"), strings.HasPrefix(word, "lower"):
				if !f.bounded() || (f.low.centre > 0) != strings.HasPrefix(word, "higher") {
					c.wrong("%s: %s", place, word)
				}
				if want := c.absent(f); cmp.Or(of[4], "1") != fmt.Sprint(want) {
					c.wrong("%s: %s missing episodes, want %d", place, of[4], want)
				}
			case word != c.word(f):
				c.wrong("%s on %s, want %s", word, place, c.word(f))
			}
		}
	}
	slices.Sort(named)
	slices.Sort(want)
	if !slices.Equal(named, want) {
		c.wrong("it is about %s, want %s", named, want)
	}
}

// word is what a fact shows.
func (c *checker) word(f fact) string {
	switch {
	case f.t == nil:
		return "not compared"
	case f.significant() && f.t.mean > 0:
		return "significantly higher"
	case f.significant():
		return "significantly lower"
	}
	return "not significant"
}

// placeName is the title of a place in a list.
func placeName(text string) string {
	if text == "the held-out score" {
		return heldOutTitle
	}
	return text
}

func (c *checker) manyTests(text, family string) {
	for _, f := range c.facts {
		if f.family == family && max(1, f.tests) != int(number(cmp.Or(text, "1"))) {
			c.wrong("%s tests, want %d", text, f.tests)
			return
		}
	}
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
	c.seeds(m, cells)
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
	if c.trained() || len(c.places) > 1 {
		return
	}
	of := c.cell(c.models[0], c.places[0].env, "none")
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
	c.shown("the deviation", m["std"], math.Sqrt(squares/float64(len(means)-1)))
	if int(number(m["n"])) != len(of.seeds) {
		c.wrong("%s seeds, want %d", m["n"], len(of.seeds))
	}
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
		if f.a == model && f.family == "losses" {
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
	want := math.NaN()
	if of := c.cell(f.a, c.places[0].env, "none"); of != nil {
		want = of.rate(c.rate)
	}
	c.shown(m["a"], cmp.Or(m["av"], m["av2"]), want)
	c.sweptBasis(m, m["a"])
	if m["verb"] == "gains" && f.t != nil && f.t.mean <= 0 {
		c.wrong("it gains nothing")
	}
	c.test(m, f, 1)
}

func def(m map[string]string, key, other string) string {
	if v := m[key]; v != "" {
		return v
	}
	return other
}

// sweptBasis checks the tasks of the first model without a perturbation, and the seeds of all.
func (c *checker) sweptBasis(m map[string]string, models ...string) {
	var cells []*cell
	for _, model := range models {
		if of := c.cell(model, c.places[0].env, "none"); of != nil {
			cells = append(cells, of)
		}
	}
	c.seeds(m, cells)
	if want := c.tasks(c.places[0].title, models...); int(number(m["tasks"])) != want {
		c.wrong("%s tasks, want %d", m["tasks"], want)
	}
}

// changes checks a difference of losses.
func (c *checker) changes(m map[string]string) {
	f, ok := c.fact(m["a"], m["b"], changeOf+m["place"])
	if !ok {
		c.wrong("%s and %s are no pair", m["a"], m["b"])
		return
	}
	c.measure(m)
	c.sweptBasis(m, m["a"], m["b"])
	c.besides(m["besides"], m["place"], m["a"], m["b"])
	c.later(m["a"], m["b"])
	c.test(m, f, 2)
}

// lost checks whose losses are significant.
func (c *checker) lost(m map[string]string) {
	want := map[string][]string{}
	losses, differ := 0, false
	for _, f := range c.facts {
		differ = differ || f.family == "unperturbed" && f.significant()
		if f.family != "losses" {
			continue
		}
		losses++
		word := c.word(f)
		switch {
		case f.significant() && f.t.mean > 0:
			word = "gains"
		case f.significant():
			word = "significant"
		}
		want[word] = append(want[word], f.a)
	}
	said := map[string][]string{}
	for _, part := range split(m["parts"]) {
		list := regexp.MustCompile(` \([^)]*\)|, equal within [\d.]+ points`).ReplaceAllString(part, "")
		switch name, reason, _ := strings.Cut(part, ": "); {
		case part == "all significant", list == "none significant":
			word := map[bool]string{true: "significant", false: "not significant"}[part == "all significant"]
			if said[word] = want[word]; len(want) > 1 {
				c.wrong("not all are %s: %v", word, want)
			}
		case part == "lower rates can lose less":
			if !differ {
				c.wrong("no rates differ without a perturbation")
			}
			differ = false
		case strings.HasSuffix(list, " gained significantly"):
			said["gains"] = names(strings.TrimSuffix(list, " gained significantly"))
		case strings.HasSuffix(list, " not significant"):
			said["not significant"] = append(said["not significant"],
				names(strings.TrimSuffix(list, " not significant"))...)
		case strings.HasSuffix(list, " significant"):
			said["significant"] = names(strings.TrimSuffix(list, " significant"))
		case strings.HasPrefix(reason, "not compared ("):
			said["not compared"] = append(said["not compared"], names(name)...)
		default:
			c.wrong("a part of no kind: %s", part)
		}
	}
	if differ && losses > 1 {
		c.wrong("the rates without a perturbation differ")
	}
	for _, of := range []map[string][]string{said, want} {
		for _, list := range of {
			slices.Sort(list)
		}
	}
	if fmt.Sprint(said) != fmt.Sprint(want) {
		c.wrong("losses are %v, want %v", said, want)
	}
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
	c.seeds(m, []*cell{of})
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

var (
	partly    = regexp.MustCompile(`([A-Za-z]+) is (\d+) of (\d+) official tasks`)
	bracketed = regexp.MustCompile(` \((?:[^()]|\([^()]*\))*\)`) // models of which something is said
)

// sources checks what is said of official and generated tasks.
func (c *checker) sources(m map[string]string) {
	for _, part := range partly.FindAllStringSubmatch(bracketed.ReplaceAllString(m["parts"], ""), -1) {
		p := c.place(part[1])
		if p == nil || !p.official {
			c.wrong("%s has no official tasks", part[1])
		}
	}
	if m["places"] == "" {
		return
	}
	for _, title := range names(bracketed.ReplaceAllString(m["places"], "")) {
		if p := c.place(title); p == nil || p.official {
			c.wrong("%s is official", title)
		}
	}
}

// equalSeeds checks that no seed of a task differs from another.
func (c *checker) equalSeeds(m map[string]string) {
	for _, name := range strings.Split(m["names"], "; ") {
		models, titles, _ := strings.Cut(name, " on ")
		for _, model := range names(models) {
			for _, title := range names(titles) {
				c.equalSeedsOf(c.cell(model, c.place(title).env, "none"), model+" on "+title)
			}
		}
	}
}

func (c *checker) equalSeedsOf(of *cell, name string) {
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

func (c *checker) legend(m map[string]string) {
	if strings.HasPrefix(m["text"], "~") && c.reference == "" && len(c.models) != 2 {
		c.wrong("there is no old and new one")
	}
	open := slices.ContainsFunc(c.facts, func(f fact) bool { return f.t != nil && f.p > 0.05 })
	if strings.HasPrefix(m["text"], "~: not significant") && !open {
		c.wrong("everything is significant")
	}
}
