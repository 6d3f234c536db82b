package trajectory

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Limits of texts that are shown at once, in bytes: of texts before the steps and replies, and of what one of many
// steps says.
const mostShown, mostInStep = 4000, 700

// shortest is the length from which on an observation that repeats an earlier one is folded, in bytes.
const shortest = 60

// article is an episode that is being written.
type article struct {
	EpisodePage
	markup
	id    string
	steps map[string]int // steps, by their observation
}

// Render writes an episode as an HTML article.
func Render(e EpisodePage) template.HTML {
	const around, step = 3 << 10, 600 // bytes that most have, so that they are not moved while they grow
	a := article{EpisodePage: e, markup: markup{make([]byte, 0, around+step*len(e.Trajectory))}, id: Name(&e.Result),
		steps: map[string]int{}}
	if e.Second {
		a.id = "second-" + a.id
	}
	a.put(`<article class="episode" id="$" aria-labelledby="$-title"`, a.id, a.id)
	if e.Sent != "" && e.Calls > 0 { // else no model was asked
		a.put(` data-sent="$"`, e.Sent)
	}
	if e.PromptsHref != "" && e.Calls > 0 {
		a.put(` data-prompts="$"`, relative(e.PromptsHref))
	}
	a.raw("><header>")
	a.pin()
	a.about()
	a.raw("</header>\n")
	a.step(0, &record.Step{Observation: e.Observation})
	for i := range e.Trajectory {
		a.step(i+1, &e.Trajectory[i])
	}
	a.raw("</article>\n")
	return a.HTML()
}

// pin adds what stays in sight: whose episode of which task it is, how it ended, where the reader is, and the
// progress with the steps that are errors.
func (a *article) pin() {
	a.put(`<div class="pin"><h2 id="$-title" dir="auto">$</h2> <span class="outcome $">$</span> <span class="of" dir="auto">`+
		`$</span> <span class="at">$</span> <span class="errors">`, a.id, Title(&a.Result), verdict(a.Outcome),
		Outcome(a.Outcome), a.Task, table.Counted(len(a.Trajectory), "step"))
	var errors []int
	for i := range a.Trajectory {
		if a.Trajectory[i].Erroneous() {
			errors = append(errors, i)
		}
	}
	if len(errors) == 0 {
		a.raw("No errors.")
	} else {
		a.put(`<a class="first-error" href="#$-$">First error: step $</a>`, a.id, errors[0]+1, errors[0]+1)
		if len(errors) > 1 {
			a.put(", $ in all", len(errors))
		}
	}
	a.raw("</span>\n")
	if len(a.Trajectory) > 1 {
		a.spark(errors)
	}
	a.raw("</div>\n")
}

// spark draws the progress of all steps, with marks below those that are errors. A click on one leads there.
func (a *article) spark(errors []int) {
	a.put(`<svg class="spark" viewBox="0 0 $ 20" preserveAspectRatio="none" role="img" aria-label="Progress by step; $">`+
		`<path class="done" d="M0 20`, len(a.Trajectory), table.Counted(len(errors), "error"))
	last := -1
	for i := range a.Trajectory {
		if y := 16 - int(15*a.Trajectory[i].Progress); y != last {
			a.put("H$V$", i, y)
			last = y
		}
	}
	a.put(`H$V20z"/><path class="wrong" d="`, len(a.Trajectory))
	for _, i := range errors {
		a.put("M$ 15h1v5h-1z", i)
	}
	a.raw(`"/><rect class="now" width="1" height="20" x="-1"/></svg>`)
}

// about adds the facts, the goal and other texts that belong to no step.
func (a *article) about() {
	a.list([]fact{
		{"Environment", fmt.Sprintf("%s (%s)", envs.Title(a.Env), a.Source)},
		{"Progress", percent(a.Progress)}, {"Steps", strconv.Itoa(a.Steps)}, {"Valid actions", percent(a.Grounding)},
	})
	lines := facts(a.EpisodePage)
	a.put(`<details class="more"><summary>$ more facts</summary>`, len(lines))
	a.list(lines)
	a.raw("</details>\n")
	if a.Error != "" {
		a.part("error", "Error", a.Error, mostShown)
	}
	a.part("goal", "Goal", a.Goal, mostShown)
	for _, m := range a.Memory {
		a.folded("memory", fmt.Sprintf("Reflection on trial %d", m.Trial), m.Text)
	}
	if r := a.Reflection; r != nil {
		a.folded("", "Reflection on this trial", r.Text)
	}
	if slices.ContainsFunc(a.Trajectory, func(s record.Step) bool { return s.Understood && !s.FormatError }) {
		a.raw(`<p class="note understood"><b>Carried out, not valid</b>: ScienceWorld did what the action says, but ` +
			`AgentBoard judges an action by what is possible after it, so that “open door” is not valid once the door ` +
			"is open. Such a step is no error; it only lowers the share of valid actions.</p>\n")
	}
}

// list adds facts.
func (a *article) list(facts []fact) {
	a.raw(`<dl class="facts">`)
	for _, f := range facts {
		a.put(`<div><dt>$</dt><dd dir="auto">$</dd></div>`, f.Name, f.Value)
	}
	a.raw("</dl>")
}

// part adds a text with its name. Some names are only heard: style and place tell those parts apart.
func (a *article) part(class literal, name, text string, length int) {
	var heard literal
	if class == "thought" || class == "action" || class == "observation" {
		heard = ` class="sr"`
	}
	a.put(`<div class="part $"><b$>$</b> `, class, heard, name)
	a.long(text, length)
	a.raw("</div>\n")
}

// folded adds a text that opens on request.
func (a *article) folded(class literal, name, text string) {
	a.put(`<details class="part $"><summary>$</summary>`, class, name)
	a.long(text, mostShown)
	a.raw("</details>\n")
}

// step adds a step, or with the number 0 what the agent was told before the first.
func (a *article) step(number int, s *record.Step) {
	name, bad := "Start", literal("")
	if number > 0 {
		name = "Step " + strconv.Itoa(number)
		if s.Erroneous() {
			bad = " bad"
		}
	}
	a.put(`<section class="step$" id="$-$" tabindex="-1" role="group" aria-label="$"><h3><a href="#$-$">$</a>`, bad, a.id,
		number, name, a.id, number, name)
	if number > 0 {
		a.measures(number, s)
	}
	a.raw("</h3>\n")
	a.acts(s)
	a.raw(`<div class="sees">`)
	a.observation(number, s.Observation)
	if number < len(a.Pictures) {
		a.picture(number)
	}
	a.raw("</div></section>\n")
}

// measures adds progress, marks and cost of a step.
func (a *article) measures(number int, s *record.Step) {
	if number > 1 && s.Progress <= a.Trajectory[number-2].Progress || s.Progress == 0 {
		a.put(` <span class="progress">$</span>`, percent(s.Progress))
	} else {
		a.put(` <span class="progress gain">$<span class="sr"> (more)</span></span>`, percent(s.Progress))
	}
	for _, m := range marks(s) {
		class := literal("tag")
		if m.Bad {
			class = "tag bad"
		}
		a.put(` <span class="$">$</span>`, class, m.Text)
	}
	if c := cost(*s); c != "" {
		a.put(` <span class="cost">$</span>`, c)
	}
}

// acts adds what the agent thought and did in a step.
func (a *article) acts(s *record.Step) {
	a.raw(`<div class="acts">`)
	for _, n := range s.Notes {
		a.part("note", cmp.Or(n.Title, "Note"), n.Text, mostInStep)
	}
	if s.Reasoning != "" {
		a.folded("reasoning", "Reasoning", s.Reasoning)
	}
	for _, p := range []struct {
		class      literal
		name, text string
	}{{"thought", "Thought", s.Thought}, {"parsed", "Action as it was read", s.Parsed},
		{"action", "Action", s.Action}} {
		if p.text != "" {
			a.part(p.class, p.name, p.text, mostInStep)
		}
	}
	switch {
	case s.Reply == "":
	case s.FormatError:
		a.part("reply", "Reply", s.Reply, mostShown)
	default:
		a.folded("reply", "Reply", s.Reply)
	}
	a.raw("</div>")
}

// observation adds what the agent was shown. One that repeats an earlier one is a fold that a script fills.
func (a *article) observation(number int, text string) {
	first, repeated := a.steps[text]
	switch {
	case text == "":
	case !repeated || len(text) < shortest:
		limit := mostInStep
		if number == 0 {
			limit = mostShown
		}
		if a.part("observation", "Observation", text, limit); !repeated {
			a.steps[text] = number
		}
	default:
		place := "the start"
		if first > 0 {
			place = "step " + strconv.Itoa(first)
		}
		a.put(`<details class="part observation again" data-as="$-$"><summary>As at $</summary></details>`+"\n", a.id,
			first, place)
	}
}

// mark is a short remark on a step.
type mark struct {
	Text string
	Bad  bool
}

func marks(s *record.Step) (out []mark) {
	switch {
	case s.FormatError:
		out = append(out, mark{"format error", true})
	case s.Understood:
		out = append(out, mark{"carried out, not valid", false})
	case !s.Valid:
		out = append(out, mark{"invalid action", true})
	}
	if s.Fault != "" {
		out = append(out, mark{words(string(s.Fault)), true})
	}
	out = append(out, table.Each(s.Repairs, func(rule string) mark { return mark{"rule " + rule, false} })...)
	if s.FinishReason != "" && s.FinishReason != "stop" {
		out = append(out, mark{"ended by " + s.FinishReason, false})
	}
	if s.Score != nil {
		out = append(out, mark{fmt.Sprintf("score %.3f", *s.Score), false})
	}
	return out
}

// picture adds the state of the world after a step. A long text opens on request, and a legend that all
// pictures share is there once.
func (a *article) picture(number int) {
	p := a.Pictures[number]
	start, end := literal(`<pre aria-label="The world after this step" role="img">`), literal("</pre>")
	if len(p.Rows) == 1 && len(p.Rows[0]) == 1 && strings.Contains(p.Rows[0][0].Text, "\n") {
		start = `<details><summary>World</summary><pre aria-label="The world after this step">`
		end = "</pre></details>"
	}
	a.put(`<figure class="picture">$`, start)
	for _, row := range p.Rows {
		last := literal("")
		for _, g := range row { // those that look alike are one piece
			if class := glyphClass(g); class != last {
				if last != "" {
					a.raw("</span>")
				}
				a.put(`<span class="$">`, class)
				last = class
			}
			a.text(g.Text)
		}
		if last != "" {
			a.raw("</span>")
		}
		a.raw("\n")
	}
	a.raw(end)
	if len(p.Legend) > 0 && (number == 0 || !slices.Equal(p.Legend, a.Pictures[0].Legend)) {
		a.put("<details><summary>Legend</summary><pre>$\n</pre></details>", strings.Join(p.Legend, "\n"))
	}
	a.raw("</figure>")
}

var glyphColors = map[envs.Color]literal{envs.Red: "red", envs.Green: "green", envs.Blue: "blue",
	envs.Purple: "purple", envs.Yellow: "yellow", envs.Grey: "grey"}

// glyphClass is the class of a glyph in the style.
func glyphClass(g envs.Glyph) literal {
	class := cmp.Or(glyphColors[g.Color], "plain")
	if g.Lit {
		class += " lit"
	}
	return class
}
