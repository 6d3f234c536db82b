// Package trajectory shows episodes as HTML: what the agent was told, thought and
// did in every step, and the list in which readers find an episode. Everything is
// rendered here by html/template; scripts only find, show and align what is
// rendered. The server of heldout view and the file of heldout report use the same
// parts.
package trajectory

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"heldout/envs"
	"heldout/eval/show/page"
	"heldout/scoring/record"
	"heldout/scoring/refinement"
)

var (
	//go:embed episode.html
	episodeText string
	//go:embed list.html
	listText string
	//go:embed bundle.html
	bundleText string
	// Style is the style of lists and episodes.
	//go:embed trajectory.css
	Style template.CSS
	//go:embed episode.js
	episodeScript template.JS
	//go:embed prompts.js
	promptsScript template.JS
	// Script gives episodes their keys, aligns two of them and shows what the model was sent.
	Script = episodeScript + promptsScript

	parsed = parse(map[string]string{"episode": episodeText, "list": listText, "bundle": bundleText})
)

// parse parses embedded templates.
func parse(texts map[string]string) *template.Template {
	t := template.New("")
	t.Funcs(template.FuncMap{"visible": visible, "option": option})
	for name, text := range texts {
		template.Must(t.New(name).Parse(text))
	}
	return t
}

// Name names an attempt in links: the id of the episode, and the number of the
// attempt if it is not the first.
func Name(r *record.Result) string {
	if r.Attempt == 1 {
		return r.ID
	}
	return r.ID + "." + strconv.Itoa(r.Attempt)
}

// EpisodePage is an attempt with what surrounds it on its page.
type EpisodePage struct {
	*record.Episode
	// Run is the run directory.
	Run string
	// Pictures are the states of the world, the first before the first step; nil for
	// none.
	Pictures []envs.Picture
	// Sent is Prompts.Sent of the attempt, whose shapes the page has, or PromptsHref the address of
	// its prompts. Without both, the page does not have them.
	Sent, PromptsHref string
	// Player is what is known of an agent from outside heldout, besides its name.
	Player *record.Identity
	// Second says that another episode is on the page; it may have the same name.
	Second bool
}

// Render writes an episode as an HTML article.
func Render(e EpisodePage) template.HTML { return page.Fragment(parsed, "episode", newArticle(e)) }

// article is an episode as its template takes it.
type article struct {
	Name, Title        string
	Outcome, Verdict   string // Verdict is a class of the style
	Facts              []fact // the four that matter most
	More               []fact // all others
	Error              Text
	Goal               Text
	Memory             []note
	Reflection         *note
	Steps              []stepView
	FirstError, Errors int
	// Understood: a step was carried out and is not valid.
	Understood bool
	// Sent and PromptsHref are those of the page.
	Sent, PromptsHref string
}

type fact struct{ Name, Value string }

// note is a text with its name.
type note struct {
	Name string
	Text Text
}

// stepView is a step, or with the number 0 what the agent was told before the first.
type stepView struct {
	ID       string
	Number   int
	Progress string
	Width    int  // of the bar, in percent
	Gain     bool // progress has grown
	Bad      bool
	Marks    []mark
	Cost     string
	Parts    []textBlock
	Picture  *picture
}

// mark is a short remark on a step.
type mark struct {
	Text string
	Bad  bool
}

// textBlock is a text of a step. A part that is folded opens on request.
type textBlock struct {
	Class, Name string
	Text        Text
	Folded      bool
}

func newArticle(e EpisodePage) article {
	a := article{
		Name: Name(&e.Result), Title: visible(Title(&e.Result)), Outcome: Outcome(e.Outcome),
		Verdict: verdict(e.Outcome),
		Facts:   mainFacts(e), More: facts(e), Error: newText(e.Error), Goal: newText(e.Goal),
		Understood: slices.ContainsFunc(e.Trajectory,
			func(s record.Step) bool { return s.Understood && !s.FormatError }),
	}
	if e.Calls > 0 { // else no model was asked
		a.Sent, a.PromptsHref = e.Sent, e.PromptsHref
	}
	for _, m := range e.Memory {
		a.Memory = append(a.Memory, note{fmt.Sprintf("Reflection on trial %d", m.Trial), newText(m.Text)})
	}
	if r := e.Reflection; r != nil {
		a.Reflection = &note{"Reflection on this trial", newText(r.Text)}
	}
	if e.Second {
		a.Name = "second-" + a.Name
	}
	start := stepView{ID: a.Name + "-0", Picture: pictureAt(e.Pictures, 0)}
	start.Parts = append(start.Parts, textBlock{Class: "observation", Name: "Observation",
		Text: newText(e.Observation)})
	a.Steps = append(a.Steps, start)
	prev := 0.0
	for i, s := range e.Trajectory {
		item := newStep(s, prev)
		item.Number, item.ID, item.Picture = i+1, fmt.Sprintf("%s-%d", a.Name, i+1), pictureAt(e.Pictures, i+1)
		if item.Bad {
			a.Errors++
			if a.FirstError == 0 {
				a.FirstError = i + 1
			}
		}
		a.Steps = append(a.Steps, item)
		prev = s.Progress
	}
	return a
}

// Title tells an attempt from the others of its task.
func Title(e *record.Result) string {
	parts := []string{e.Model, fmt.Sprintf("seed %d", e.Seed)}
	if e.Perturbation != "none" {
		parts = append(parts, e.Perturbation)
	}
	if e.Trial > 0 {
		parts = append(parts, fmt.Sprintf("trial %d", e.Trial))
	}
	if e.Attempt > 1 {
		parts = append(parts, fmt.Sprintf("attempt %d", e.Attempt))
	}
	return strings.Join(parts, ", ")
}

// mainFacts are the four facts that are shown at once.
func mainFacts(e EpisodePage) []fact {
	return []fact{
		{"Environment", visible(fmt.Sprintf("%s (%s)", envs.Title(e.Env), e.Source))},
		{"Progress", percent(e.Progress)},
		{"Steps", strconv.Itoa(e.Steps)},
		{"Valid actions", percent(e.Grounding)},
	}
}

// facts list what else is known of an attempt besides its steps. Facts without a value
// are left out.
func facts(e EpisodePage) (out []fact) {
	out = []fact{{"Task", e.Task}, {"Type", e.TaskType}, {"Difficulty", string(e.Difficulty)}}
	if e.Agent != e.Model {
		out = append(out, fact{"Agent", e.Agent})
	}
	out = append(out, fact{"Player", strings.Join(record.Say(e.Player), ", ")}, fact{"Preset", e.Preset},
		fact{"Ended early", string(e.Cut)})
	if e.Score != nil {
		out = append(out, fact{"Score", fmt.Sprintf("%.3f", *e.Score)})
	}
	if e.Loose != nil {
		out = append(out, fact{"Loose success", fmt.Sprint(*e.Loose)})
	}
	out = append(out, fact{"Format errors", positive(e.FormatErrors)})
	for _, f := range record.Faults() {
		out = append(out, fact{capital(words(string(f))), positive(e.Faults[f])})
	}
	out = slices.DeleteFunc(slices.Concat(out, behaviour(e), costs(e)), func(f fact) bool { return f.Value == "" })
	for i := range out {
		out[i].Value = visible(out[i].Value)
	}
	return out
}

// behaviour is what the agent did with its errors, as the tables of refinement
// count it.
func behaviour(e EpisodePage) (out []fact) {
	c := refinement.WithoutThoughts(e.Episode, nil)
	add := func(name, format string, args ...any) {
		out = append(out, fact{name, fmt.Sprintf(format, args...)})
	}
	if n := c.Errors(); n > 0 {
		add("Errors", "%d, longest run %d", n, c.Longest())
		add("Repeated errors", "%d", c.Repeated)
		add("Recovered within 3 steps", "%d of %d errors", c.Recovered[1], n)
	}
	if c.Looped > 0 {
		add("Steps in loops", "%d", c.Looped)
	}
	if !c.Solved && c.Steps > 0 {
		add("No more progress after step", "%d", c.Stuck)
	}
	if c.Lost {
		add("Lost progress", "ended below its best")
	}
	return out
}

// costs are the facts about tokens, requests and time.
func costs(e EpisodePage) (out []fact) {
	add := func(name, format string, args ...any) {
		out = append(out, fact{name, fmt.Sprintf(format, args...)})
	}
	if e.Trimmed > 0 {
		add("History shortened", "%d times", e.Trimmed)
	}
	if e.Forgotten > 0 {
		add("Reflections left out", "%d", e.Forgotten)
	}
	if len(e.Answered) > 0 {
		add("Answered by", "%s", visible(e.Answered.String()))
	}
	if len(e.Fingerprints) > 0 {
		add("Set-up of the server", "%s", visible(strings.Join(e.Fingerprints, ", ")))
	}
	if e.CutPrompts > 0 {
		add("Prompts cut by the server", "%d", e.CutPrompts)
	}
	if len(e.Dropped) > 0 {
		add("Decoding not sent", "%s", strings.Join(e.Dropped, ", "))
	}
	if e.Calls > 0 {
		add("Tokens", "%d prompt + %d reply", e.PromptTokens, e.CompletionTokens)
		add("Requests", "%d for %d replies, %s", e.Requests, e.Calls, seconds(e.ModelSeconds))
	}
	if !e.Started.IsZero() {
		add("Started", "%s", e.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
		add("Took", "%s", seconds(e.Ended.Sub(e.Started).Seconds()))
	}
	add("Run", "%s", e.Run)
	add("Episode", "%s", Name(&e.Result))
	return out
}

func newStep(s record.Step, prev float64) stepView {
	out := stepView{Progress: percent(s.Progress), Width: int(100 * s.Progress), Gain: s.Progress > prev,
		Bad: s.Erroneous()}
	switch {
	case s.FormatError:
		out.Marks = append(out.Marks, mark{"format error", true})
	case s.Understood:
		out.Marks = append(out.Marks, mark{"carried out, not valid", false})
	case !s.Valid:
		out.Marks = append(out.Marks, mark{"invalid action", true})
	}
	if s.Fault != "" {
		out.Marks = append(out.Marks, mark{visible(words(string(s.Fault))), true})
	}
	for _, rule := range s.Repairs {
		out.Marks = append(out.Marks, mark{"rule " + visible(rule), false})
	}
	if s.FinishReason != "" && s.FinishReason != "stop" {
		out.Marks = append(out.Marks, mark{"ended by " + visible(s.FinishReason), false})
	}
	if s.Score != nil {
		out.Marks = append(out.Marks, mark{fmt.Sprintf("score %.3f", *s.Score), false})
	}
	out.Cost = cost(s)
	for _, p := range slices.Concat(noteBlocks(s.Notes), []textBlock{
		{"reasoning", "Reasoning", newText(s.Reasoning), true},
		{"thought", "Thought", newText(s.Thought), false},
		{"parsed", "Action as it was read", newText(s.Parsed), false},
		{"action", "Action", newText(s.Action), false},
		{"reply", "Reply", newText(s.Reply), !s.FormatError},
		{"observation", "Observation", newText(s.Observation), false},
	}) {
		if p.Text.Shown != "" {
			out.Parts = append(out.Parts, p)
		}
	}
	return out
}

// noteBlocks are the notes of an agent of the user's.
func noteBlocks(notes []record.Note) (blocks []textBlock) {
	for _, n := range notes {
		blocks = append(blocks, textBlock{"note", visible(cmp.Or(n.Title, "Note")), newText(n.Text), false})
	}
	return blocks
}

// cost says what a step cost, as far as the record knows.
func cost(s record.Step) string {
	var parts []string
	if s.PromptTokens > 0 || s.CompletionTokens > 0 {
		parts = append(parts, fmt.Sprintf("%d + %d tokens", s.PromptTokens, s.CompletionTokens))
	}
	if s.ModelSeconds > 0 {
		parts = append(parts, seconds(s.ModelSeconds))
	}
	return strings.Join(parts, ", ")
}

// Outcome is an outcome in words.
func Outcome(o record.Outcome) string { return visible(words(string(o))) }

// verdict is the class of an outcome in the style.
func verdict(o record.Outcome) string {
	switch o {
	case record.Success:
		return "good"
	case record.Failure:
		return "bad"
	}
	return "none"
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func percent(rate float64) string { return strconv.FormatFloat(100*rate, 'f', 1, 64) + " %" }

// seconds writes a duration with as many digits as matter.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", s)
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", s)
	}
	return fmt.Sprintf("%.0f ms", 1000*s)
}

func pictureAt(pictures []envs.Picture, i int) *picture {
	if i >= len(pictures) {
		return nil
	}
	p := newPicture(pictures[i])
	if i > 0 && slices.Equal(pictures[i].Legend, pictures[0].Legend) {
		p.Legend = nil // it is there already
	}
	return p
}

// picture is a picture in runs of glyphs that look alike.
type picture struct {
	Lines  [][]styledText
	Legend []string
	// Folded: it is a long text, which opens on request.
	Folded bool
}

type styledText struct{ Class, Text string }

func newPicture(p envs.Picture) *picture {
	out := &picture{Folded: len(p.Rows) == 1 && len(p.Rows[0]) == 1 && strings.Contains(p.Rows[0][0].Text, "\n")}
	for _, row := range p.Rows {
		var line []styledText
		for _, g := range row {
			class := glyphClass(g)
			if n := len(line); n > 0 && line[n-1].Class == class {
				line[n-1].Text += visible(g.Text)
			} else {
				line = append(line, styledText{class, visible(g.Text)})
			}
		}
		out.Lines = append(out.Lines, line)
	}
	for _, l := range p.Legend {
		out.Legend = append(out.Legend, visible(l))
	}
	return out
}

var glyphColors = []envs.Color{envs.Red, envs.Green, envs.Blue, envs.Purple, envs.Yellow, envs.Grey}

// glyphClass is the class of a glyph in the style.
func glyphClass(g envs.Glyph) string {
	class := "plain"
	if slices.Contains(glyphColors, g.Color) {
		class = string(g.Color)
	}
	if g.Lit {
		class += " lit"
	}
	return class
}
