package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
	"heldout/scoring/report"
)

var designs = flag.Int("designs", 0, "number of random designs of TestStatementsAreTrue and TestEqualModelsClaimNothing; "+
	"0 is 4, 16 and 40 in the long form, 2,000 and 500 in the whole one")

// Every sentence, cell and claim of every renderer is true of the episodes, in random designs of all kinds.
func TestStatementsAreTrue(t *testing.T) {
	n := *designs
	if n == 0 {
		n = sharedtest.Times(t, 16, 2, 2000)
	}
	said := map[string]int{}
	check := func(kind string, number int, d *design) {
		d.write(t, t.TempDir())
		c := &checker{design: d, said: said}
		c.check(t, number%10 == 0)
		for _, problem := range c.problems {
			t.Errorf("%s %d, %s", kind, number, problem)
		}
	}
	for number := range n {
		if check("design", number, newDesign(number, false)); number%4 == 0 {
			check("sweep", number, drawDesign(number, false, true))
		}
	}
	for _, s := range sentences {
		t.Logf("%6d %s", said[s.name], s.name)
		if n >= 1000 && said[s.name] == 0 {
			t.Errorf("no design has a sentence of the kind %q", s.name)
		}
	}
}

// Of reports on equal models in random designs at most 5 % claim any difference.
func TestEqualModelsClaimNothing(t *testing.T) {
	sharedtest.Heavy(t)
	n := *designs
	if n == 0 {
		n = sharedtest.Times(t, 40, 20, 500)
	}
	claimed := 0
	for number := range n {
		d := drawDesign(number, true, number%4 == 0)
		d.write(t, t.TempDir())
		c := &checker{design: d}
		text := c.run(t, append(c.args("compare", "--format", "json", "--table", "verdict"), d.dirs...))
		for _, claim := range c.jsonClaims(text) {
			if claim["claim"] == "significant" {
				claimed++
				break
			}
		}
	}
	t.Logf("a difference is claimed in %d of %d", claimed, n)
	// At 5 % there are more than this in less than one of 1,000 repetitions.
	if most := 0.05*float64(n) + 3.1*math.Sqrt(0.05*0.95*float64(n)); float64(claimed) > most {
		t.Errorf("more than %.0f of %d", most, n)
	}
}

// checker compares what is rendered of a design with what is true of it.
type checker struct {
	*design
	facts []fact
	said  map[string]int // sentences by kind
	// besidesApart: what differs besides the models has a line of its own.
	besidesApart bool
	problems     []string
	where        string // the renderer
	last         bool   // it is about what is reached after the last trial
}

// cell is what a model played: of several trials the first one, or the last one.
func (c *checker) cell(model, env, under string) *cell {
	if c.last && under == "none" {
		under = "last"
	}
	return c.design.cell(model, env, under)
}

func (c *checker) wrong(format string, about ...any) {
	c.problems = append(c.problems, c.where+": "+fmt.Sprintf(format, about...))
}

// args are the arguments of a command about the design.
func (c *checker) args(command string, more ...string) []string {
	args := []string{command}
	if command == "compare" {
		args = append(args, "--wide", "--width", "10000", "--rate", c.rate)
		if c.reference != "" {
			args = append(args, "--reference", c.reference)
		}
		if c.margin > 0 {
			args = append(args, "--margin", fmt.Sprint(c.margin))
		}
		if c.published {
			args = append(args, "--baseline", "agentrefine")
		}
	}
	return append(args, more...)
}

func (c *checker) run(t *testing.T, args []string) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := execute(t.Context(), args, &system{stdout: &out, stderr: &errs, getenv: noVariables, now: time.Now})
	if code != exitOK {
		c.wrong("%s ends with code %d: %s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

// derive derives the facts.
func (c *checker) derive() {
	switch {
	case c.swept():
		c.facts = c.sweptFacts()
	case c.controlled():
		c.facts = c.retriedFacts()
	case !c.trained():
		c.facts = c.pairs()
	}
}

// check checks all renderers; page also the one that takes longest.
func (c *checker) check(t *testing.T, page bool) {
	t.Helper()
	c.derive()
	compare := func(more ...string) string {
		return c.run(t, append(c.args("compare", more...), c.dirs...))
	}
	c.where = "text"
	text := compare()
	c.screen(text)
	c.where = "json"
	claims := c.json(compare("--format", "json"))
	c.where = "csv"
	if len(c.facts) > 0 {
		c.csv(compare("--format", "csv", "--table", "verdict"), claims)
	}
	c.where = "latex"
	c.latex(compare("--format", "latex"), text)
	c.where = "paper"
	c.paper(compare("--format", "json", "--table", "paper"))
	c.where = "runs"
	c.list(c.run(t, []string{"runs", filepath.Dir(c.dirs[0]), "--format", "json"}))
	c.where = "exit code"
	c.exitCode(t)
	c.where = "tensorboard"
	c.curves(t)
	if page {
		c.where = "page"
		c.page(t)
	}
}

// screen checks a text: the title, the sentences below the first table, and the marks.
func (c *checker) screen(text string) {
	c.besidesApart = besidesLine.MatchString(text)
	for _, block := range strings.Split(text, "\n\n") {
		for _, line := range strings.Split(strings.TrimRight(block, "\n"), "\n") {
			if line == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "─") {
				continue
			}
			c.sentence(line)
		}
	}
}

// jsonTable is a table as JSON.
type jsonTable struct {
	ID    string           `json:"id"`
	Title string           `json:"title"`
	Rows  []map[string]any `json:"rows"`
	Notes []string         `json:"notes"`
}

func (c *checker) tables(text string) (tables []jsonTable) {
	if err := json.Unmarshal([]byte(text), &tables); err != nil {
		c.wrong("%v", err)
	}
	return tables
}

// json checks the rates and the claims for programs, and returns the claims.
func (c *checker) json(text string) (claims []map[string]any) {
	claims = c.jsonClaims(text)
	for _, t := range c.tables(text) {
		switch {
		case t.ID == "headline":
			c.headline(t)
		case t.ID == "verdict" && t.Title != "":
			c.sentence(t.Title)
		}
	}
	compared := 0
	for _, row := range claims {
		c.claim(row)
		if row["sensitivity"] != nil || row["claim"] == "not compared" || row["p"] != nil {
			compared++
		}
		text, _ := row["sentence"].(string)
		if row["claim"] == "trained on" ||
			row["claim"] == "no held-out score" || strings.Contains(text, "–") {
			continue
		}
		c.sentence(text)
	}
	if !c.trained() && compared != len(c.facts) {
		c.wrong("%d comparisons, want %d", compared, len(c.facts))
	}
	return claims
}

func (c *checker) jsonClaims(text string) (claims []map[string]any) {
	for _, t := range c.tables(text) {
		for _, row := range t.Rows {
			if row["claim"] != nil {
				claims = append(claims, row)
			}
		}
	}
	return claims
}

// headline checks the rates for programs, and the letters.
func (c *checker) headline(t jsonTable) {
	if c.trained() {
		return
	}
	letters := map[string]map[string]string{}
	for _, row := range t.Rows {
		model, _ := row["model"].(string)
		env, _ := row["environment"].(string)
		place := envTitle(env)
		value, ok := row["value"].(float64)
		if !ok {
			continue
		}
		if want := c.value(model, place); math.Abs(value-want) > 1e-9 {
			c.wrong("%s on %s is %v, want %v", model, place, value, want)
		}
		if low, ok := row["value_low"].(float64); ok && (low > value+1e-9 || row["value_high"].(float64) < value-1e-9) {
			c.wrong("%s on %s lies outside of its interval", model, place)
		}
		if text, _ := row["letters"].(string); text != "" && c.reference == "" {
			if letters[place] == nil {
				letters[place] = map[string]string{}
			}
			letters[place][model] = text
		}
	}
	if len(c.under) > 0 || c.reference != "" || len(c.models) == 2 {
		return
	}
	for place, of := range letters {
		for a, x := range of {
			for b, y := range of {
				if a == b {
					continue
				}
				f, ok := c.fact(a, b, place)
				if share := strings.ContainsAny(x, y); !ok || f.t == nil || share == f.significant() {
					c.wrong("%s %s and %s %s on %s, p %.4f", a, x, b, y, place, f.p)
				}
			}
		}
	}
}

// claim checks the numbers of a comparison for programs.
func (c *checker) claim(row map[string]any) {
	kind, _ := row["claim"].(string)
	if !slices.Contains([]string{"significant", "not significant", "not compared"}, kind) || c.trained() {
		return
	}
	a, _ := row["model"].(string)
	b, _ := row["against"].(string)
	env, _ := row["environment"].(string)
	family, _ := row["test_family"].(string)
	prefix := map[string]string{"averages": averageOf, "differences of losses": changeOf}[family]
	f, ok := c.fact(a, b, prefix+envTitle(env))
	if b == "" {
		f, ok = c.losing(a)
	}
	if !ok {
		c.wrong("%s and %s on %s are no pair", a, b, env)
		return
	}
	if family != f.family || int(row["tests"].(float64)) != f.tests {
		c.wrong("%s, %v tests, want %s, %d", family, row["tests"], f.family, f.tests)
	}
	if besides, _ := row["besides"].(string); b != "" {
		c.besides(besides, envTitle(env), a, b)
	}
	if f.t == nil {
		if kind != "not compared" {
			c.wrong("%s and %s on %s are %s", a, b, env, kind)
		}
		if reason, _ := row["reason"].(string); reason == "" {
			c.wrong("%s and %s on %s are not compared for no reason", a, b, env)
		}
		return
	}
	most := 1.0
	if family == "differences of losses" {
		most = 2
	}
	near := func(what string, key string, want float64) {
		if got, _ := row[key].(float64); math.Abs(got-want) > 1e-6 {
			c.wrong("%s of %s and %s on %s is %v, want %v", what, a, b, env, row[key], want)
		}
	}
	near("the difference", "difference", f.t.mean)
	near("p", "p", f.p)
	near("p alone", "alone_p", f.t.p())
	low, high := f.t.limits(0.95, most)
	near("the lower limit alone", "alone_difference_low", low)
	near("the upper limit alone", "alone_difference_high", high)
	if (kind == "significant") != f.significant() {
		c.wrong("%s and %s on %s are %s with p %v", a, b, env, kind, f.p)
	}
	c.level(f, row["difference_low"].(float64), row["difference_high"].(float64), 1e-6, most)
}

// csv checks that CSV has the claims of JSON.
func (c *checker) csv(text string, claims []map[string]any) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != len(claims)+1 {
		c.wrong("%v: %d lines, want %d", err, len(rows), len(claims)+1)
		return
	}
	for i, row := range rows[1:] {
		for j, key := range rows[0] {
			want := ""
			switch v := claims[i][key].(type) {
			case string:
				want = v
			case float64:
				want = strconv.FormatFloat(v, 'f', -1, 64)
			}
			if got := row[j]; got != want && math.Abs(number(got)-number(want)) > 1e-12 {
				c.wrong("%s of claim %d is %q, want %q", key, i, got, want)
			}
		}
	}
}

// unescape reads what LaTeX writes.
var unescape = strings.NewReplacer(`\%`, "%", `\&`, "&", `\_`, "_", `\#`, "#", `\$`, "$", `\{`, "{", `\}`, "}", "-{}-{}",
	"--", `\textless{}`, "<", `\textgreater{}`, ">", `\dag{}`, "†", `\ddag{}`, "‡", `\S{}`, "§", `\P{}`, "¶", `\textasciitilde{}`, "~",
	"$-$", "-", "--", "–")

// published is the line above published rows.
var published = regexp.MustCompile(`(?m)^─ published[^;\n]*(?:; .*)?$`)

// publishedNote is what of it stands below the table in LaTeX.
var publishedNote = regexp.MustCompile(`^(published(?: \[.*?\]| \(.*?\))?): (.*)$`)

// latex checks that LaTeX has the notes of the text.
func (c *checker) latex(latex, text string) {
	text = strings.ReplaceAll(text, "−", "-") // which LaTeX has for both
	for _, line := range strings.Split(latex, "\n") {
		if note, ok := strings.CutPrefix(line, `\par\footnotesize `); ok {
			plain := unescape.Replace(note)
			if note := publishedNote.FindStringSubmatch(plain); note != nil {
				// In the text it stands above the rows, as far as there is room.
				shown := strings.Trim(published.FindString(text), "─ …")
				if plain = note[1] + "; " + note[2]; shown != "" && strings.HasPrefix(plain, shown) {
					continue
				}
			}
			if !strings.Contains(text, plain) && !strings.Contains(plain, "–") {
				c.wrong("a note that the text lacks: %s", plain)
			}
		}
	}
	caption := unescape.Replace(regexp.MustCompile(`\\caption\{(.*)\}`).FindString(latex))
	if c.trained() || !strings.Contains(caption, "Paired by task") {
		return
	}
	said, want := map[string]int{}, map[string]int{}
	for _, of := range regexp.MustCompile(`(held-out score|environments|without a perturbation|averages|differences of losses|losses|[A-Za-z]+): (\d+) tests?`).
		FindAllStringSubmatch(caption, -1) {
		said[of[1]] = int(number(of[2]))
	}
	total := 0
	for _, f := range c.facts {
		name := map[string]string{"primary": strings.TrimPrefix(f.place, averageOf), "second": "environments",
			"unperturbed": "without a perturbation"}[f.family]
		if name == "" {
			name = f.family
		}
		if f.tests > 0 {
			want[name] = f.tests
		}
	}
	for _, n := range want {
		total += n
	}
	if total > 1 && !maps.Equal(said, want) {
		c.wrong("the caption has the tests %v, want %v: %s", said, want, caption)
	}
}

// paper checks the rates and deviations of the table for papers.
func (c *checker) paper(text string) {
	if c.trained() {
		return
	}
	for _, t := range c.tables(text) {
		for _, row := range t.Rows {
			model, _ := row["model"].(string)
			if !slices.Contains(c.models, model) {
				continue // published
			}
			for _, p := range c.places {
				of := c.cell(model, p.env, "none")
				for k, key := range []string{"success", "progress"} {
					value, ok := row[p.env+"_"+key].(float64)
					if of == nil || of.withheld() || len(of.played) == 0 {
						if ok {
							c.wrong("%s on %s has %v", model, p.env, value)
						}
						continue
					}
					if want := of.rate([]string{"SR", "PR"}[k]); !ok || math.Abs(value-want) > 1e-9 {
						c.wrong("%s of %s on %s is %v, want %v", key, model, p.env, value, want)
					}
				}
			}
		}
	}
}

// list checks the rates in the list of runs.
func (c *checker) list(text string) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var run struct {
			Dir      string `json:"dir"`
			Planned  int    `json:"planned"`
			Finished int    `json:"finished"`
			Rates    []struct {
				Env          string   `json:"env"`
				Model        string   `json:"model"`
				Perturbation string   `json:"perturbation"`
				Success      *float64 `json:"success"`
				Progress     *float64 `json:"progress"`
			} `json:"rates"`
		}
		if err := json.Unmarshal([]byte(line), &run); err != nil {
			c.wrong("%v", err)
			return
		}
		for _, r := range run.Rates {
			of := c.cell(c.models[slices.Index(c.dirs, run.Dir)], r.Env, r.Perturbation)
			for k, got := range []*float64{r.Success, r.Progress} {
				want := of.rate([]string{"SR", "PR"}[k])
				if got == nil != math.IsNaN(want) || got != nil && math.Abs(*got-want) > 1e-9 {
					c.wrong("%s on %s under %s is %v, want %v", run.Dir, r.Env, r.Perturbation, got, want)
				}
			}
		}
	}
}

// exitCode checks --fail-if-worse where there is an old and a new run.
func (c *checker) exitCode(t *testing.T) {
	if len(c.models) != 2 || c.trained() || c.published || c.margin > 0 {
		return
	}
	args := append([]string{"compare", "--rate", c.rate, "--fail-if-worse"}, c.dirs...)
	if c.reference != "" {
		args = append(args, "--reference", c.reference)
	}
	var out, errs bytes.Buffer
	code := execute(t.Context(), args, &system{stdout: &out, stderr: &errs, getenv: noVariables, now: time.Now})
	unmet, asked := false, 0
	for _, f := range c.facts {
		if f.family == "losses" || f.family == "differences of losses" {
			continue
		}
		f, _ = c.fact(c.models[1], c.models[0], f.place) // the new one less the old one
		asked++
		unmet = unmet || f.t == nil || f.significant() && f.t.mean < 0
	}
	unmet = unmet || asked == 0
	if want := map[bool]int{true: exitUnmet, false: exitOK}[unmet]; code != want {
		c.wrong("--fail-if-worse ends with code %d, want %d: %s", code, want, errs.String())
	}
}

// curves checks the points that are logged.
func (c *checker) curves(t *testing.T) {
	t.Helper()
	var chosen []record.Chosen
	for _, dir := range c.dirs {
		chosen = append(chosen, record.Chosen{Parts: record.Parts{dir}})
	}
	o := &output{Inputs: report.Inputs{Interval: "kinds"}}
	from, err := o.read(&system{getenv: noVariables, now: time.Now}, chosen, false)
	if err != nil {
		c.wrong("%v", err)
		return
	}
	for i, run := range from.Runs {
		for _, s := range run.Scores {
			of := c.cell(c.models[i], s.Condition.Env, s.Condition.Perturbation)
			for tag, value := range scalars(placeOf(s), s) {
				rate, preliminary := "SR", strings.Contains(tag, "/preliminary_")
				if strings.Contains(tag, "progress") {
					rate = "PR"
				}
				want := 100 * of.rate(rate)
				switch {
				case preliminary == of.complete():
					c.wrong("%s of %d of %d episodes", tag, len(of.played), of.planned())
				case strings.HasSuffix(tag, "_low") && value > want+1e-9,
					strings.HasSuffix(tag, "_high") && value < want-1e-9,
					strings.HasSuffix(tag, "success") && math.Abs(value-want) > 1e-9:
					c.wrong("%s is %v, and the rate %v", tag, value, want)
				}
			}
		}
	}
}

// page checks the sentences of the report.
func (c *checker) page(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	args := []string{"report", "--out", file}
	if c.reference != "" {
		args = append(args, "--reference", c.reference)
	}
	rate, margin, published := c.rate, c.margin, c.published
	c.rate, c.margin, c.published = "SR", 0, false // which a report has
	defer func() { c.rate, c.margin, c.published = rate, margin, published }()
	facts := c.facts
	defer func() { c.facts = facts }()
	c.derive()
	c.run(t, append(args, c.dirs...))
	content, err := os.ReadFile(file)
	if err != nil {
		c.wrong("%v", err)
		return
	}
	text := string(content)
	tag := regexp.MustCompile(`<[^>]*>`)
	plain := func(s string) string { return strings.TrimSpace(html.UnescapeString(tag.ReplaceAllString(s, ""))) }
	if m := regexp.MustCompile(`(?s)<title>(.*?)</title>`).FindStringSubmatch(text); m != nil {
		c.sentence(plain(m[1]))
	}
	if m := regexp.MustCompile(`(?s)<div class="verdict">(.*?)</div>`).FindStringSubmatch(text); m != nil {
		for _, p := range regexp.MustCompile(`(?s)<p>(.*?)</p>`).FindAllStringSubmatch(m[1], -1) {
			c.sentence(plain(p[1]))
		}
	}
}
