package overview

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"heldout/envs"
	"heldout/scoring/column"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// first is what the first screen has: the verdict, the table and cards. Title and lead are
// those of the page.
type first struct {
	Verdict []string // sentences
	About   string   // the sentence that says what the verdict is about
	Table   board
	Cards   []card
	Notes   []string
	Sources []string
	Links   []navLink
}

// navLink is an entry of the contents.
type navLink struct{ ID, Text string }

// board is the first table as it is drawn.
type board struct {
	Rate      string
	Places    []boardPlace
	Lines     []boardLine
	Published []boardLine
	Divided   string // above published lines
	// Dense: each model has one line of text, because there are many.
	Dense bool
}

// boardPlace is a column. Apart: it is the held-out score.
type boardPlace struct {
	Name  string
	Apart bool
}

type boardLine struct {
	Model string
	Cells []boardCell
}

// boardCell is a rate. Numbers of the drawing are in percent.
type boardCell struct {
	Place              string
	Apart              bool
	Text, Letters      string
	Best               bool
	Limits             string
	Value, Low, High   float64
	HasValue, HasRange bool
}

// mostTall is the largest number of models that have several lines of text each.
const mostTall = 8

// Columns counts the columns with that of the models.
func (b board) Columns() int { return len(b.Places) + 1 }

func newBoard(h report.Headline) board {
	b := board{Rate: h.Rate, Divided: h.Divided, Dense: len(h.Lines) > mostTall}
	for _, place := range h.Places {
		b.Places = append(b.Places, boardPlace{shown(placeName(place)), place == column.HeldOutScore})
	}
	lines := func(of []report.HeadlineLine) (out []boardLine) {
		for _, l := range of {
			line := boardLine{Model: shown(l.Model)}
			for at, c := range l.Cells {
				line.Cells = append(line.Cells, newBoardCell(b.Places[at], c))
			}
			out = append(out, line)
		}
		return out
	}
	b.Lines, b.Published = lines(h.Lines), lines(h.Published)
	return b
}

// placeName names a column.
func placeName(place string) string {
	if place == column.HeldOutScore {
		return "held-out"
	}
	return place
}

func newBoardCell(p boardPlace, c report.HeadlineCell) boardCell {
	out := boardCell{Place: p.Name, Apart: p.Apart, Text: c.Text + c.Mark, Letters: c.Letters, Best: c.Best}
	if v, ok := c.Value.(float64); ok {
		out.Value, out.HasValue = 100*v, true
	}
	if c.Interval != nil {
		out.Limits = strings.Replace(c.Below, "–", " to ", 1)
		out.Low, out.High, out.HasRange = 100*c.Interval.Low, 100*c.Interval.High, true
	}
	return out
}

// card says in a sentence or two what a section has.
type card struct {
	ID, Title string
	Text      []string
}

// title is the finding; without a comparison it says whose rates the page has.
func title(h report.Headline, v report.Verdict) string {
	if len(v.Facts) > 0 || len(h.Lines) == 0 {
		return shown(v.Title)
	}
	var models, places []string
	for _, l := range h.Lines {
		models = append(models, l.Model)
	}
	for _, p := range h.Places {
		if p != column.HeldOutScore {
			places = append(places, p)
		}
	}
	if len(h.Lines) == 1 && len(places) == 1 && h.Lines[0].Cells[0].Value != nil {
		c := h.Lines[0].Cells[0]
		return shown(fmt.Sprintf("%s of %s on %s: %s %%%s", h.Rate, models[0], places[0], c.Text, c.Mark))
	}
	return shown(fmt.Sprintf("%s of %s on %s", h.Rate, few(models, "models"), few(places, "environments")))
}

// few lists some names and counts many.
func few(names []string, what string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%d %s", len(names), what)
	}
	return table.List(names)
}

// count writes a number of things.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// lead says when, who, on how many tasks and with how many seeds.
func lead(e *Episodes, from *report.Report, h report.Headline) string {
	parts := []string{span(e.began, e.ended), count(len(h.Lines), "model")}
	tasks, planned := map[string]envs.Source{}, 0
	var presets, places []string
	for _, run := range from.Runs {
		for _, s := range run.Scores {
			if !slices.Contains(places, s.Where()) {
				places = append(places, s.Where())
			}
			for _, t := range s.Environment.Tasks {
				tasks[s.Condition.Env+" "+t.ID+" "+t.Digest] = s.Condition.Source
			}
			planned += s.Planned
			if p := s.Condition.Preset; p != nil && !slices.Contains(presets, p.Name) {
				presets = append(presets, p.Name)
			}
		}
	}
	kind := ""
	for _, source := range tasks {
		if kind == "" {
			kind = string(source)
		}
		if kind != string(source) {
			kind = "official and generated"
		}
	}
	parts = append(parts, count(len(places), "environment"), count(len(tasks), strings.TrimSpace(kind+" task")),
		count(h.Seeds, "seed"), count(planned, "episode"))
	if len(presets) > 0 {
		parts = append(parts, few(presets, "presets"))
	}
	return table.Printable(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · "))
}

// span writes the days from one time to another; empty if they are not known.
func span(from, to time.Time) string {
	const day = "2 January 2006"
	if from.IsZero() || to.Before(from) {
		from = to
	}
	switch from, to = from.UTC(), to.UTC(); {
	case to.IsZero():
		return ""
	case from.Format(day) == to.Format(day):
		return to.Format(day)
	}
	return from.Format(day) + " to " + to.Format(day)
}

// cards are what the page has to say besides the verdict.
func cards(from *report.Report, h report.Headline, d []duel, f []failing) (out []card) {
	if len(d) > 0 {
		out = append(out, card{"differences", "Where they differ", []string{d[0].finding()}})
	}
	if len(f) > 0 {
		why := "Why they fail"
		if len(h.Lines) < 2 {
			why = "Why it fails"
		}
		out = append(out, card{"failures", why, reasonsOf(f)})
	}
	if text := memory(from); text != nil {
		out = append(out, card{"indices", "Does it read or remember?", text})
	}
	if text := perturbed(from); text != nil {
		out = append(out, card{"robustness", "Is it robust?", text})
	}
	return append(out, card{"method", "Is anything not whole?", whole(from.Runs, h.NotWhole)})
}

// finding says who wins how many tasks.
func (d duel) finding() string {
	if d.WonA+d.WonB == 0 {
		return fmt.Sprintf("%s and %s solve all tasks equally often.", d.A, d.B)
	}
	text := fmt.Sprintf("%s wins %s against %s, and loses %d.", d.A, count(d.WonA, "task"), d.B, d.WonB)
	most := slices.MaxFunc(d.Places, func(a, b duelPlace) int { return max(a.WonA, a.WonB) - max(b.WonA, b.WonB) })
	if most.Most != "" {
		text += fmt.Sprintf(" Most of all on %s: %s.", most.Place, most.Most)
	}
	return text
}

// reasonsOf says of the first models why they fail.
func reasonsOf(all []failing) (out []string) {
	const most = 3
	for _, f := range all[:min(most, len(all))] {
		g := f.Groups[0]
		text := fmt.Sprintf("%s, %s: %.0f %% %s", f.Model, count(f.Unsolved, "unsolved episode"), g.Share, g.Name)
		if len(f.Groups) > 1 && f.Groups[1].Share >= 1 {
			text += fmt.Sprintf(", %.0f %% %s", f.Groups[1].Share, f.Groups[1].Name)
		}
		out = append(out, text+".")
	}
	return out
}

// memory says how robust the first models are to families of perturbations; nil if
// nothing is known.
func memory(from *report.Report) (out []string) {
	const most = 3
	for _, t := range from.Tables("indices") {
		at := func(row []table.Cell, c table.Declared) string { return row[t.At(c.Heads()[0].Key)].Text }
		for _, row := range t.Rows {
			said, read := at(row, column.InterfaceIndex), at(row, column.ReadingIndex)
			if len(out) < most && said != table.None().Text {
				out = append(out, shown(fmt.Sprintf("%s on %s: interface %s, reading %s.", at(row, column.Model),
					at(row, column.Environment), said, read)))
			}
		}
	}
	if out != nil {
		out = append(out, "100 is a player who knows actions or texts by heart, 0 one who reads.")
	}
	return out
}

// perturbed says of the first models what remains of their success rate under
// perturbations; nil if nothing is known.
func perturbed(from *report.Report) (out []string) {
	const most = 3
	for _, t := range from.Tables("robustness") {
		base := slices.IndexFunc(t.Columns, column.IsCondition)
		average := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == column.Average.Key })
		for _, row := range t.Rows {
			if base < 0 || average < 0 || len(out) == most || row[base].Value == nil || row[average].Value == nil ||
				row[t.At(column.Rate.Key)].Text != string(report.Success) {
				continue
			}
			const text = "%s: %s %% without a perturbation, %s %% on average over all conditions."
			model := row[t.At(column.Model.Key)].Text
			out = append(out, shown(fmt.Sprintf(text, model, row[base].Text, row[average].Text)))
		}
	}
	return out
}

// whole says what is missing, or that nothing is.
func whole(runs []report.Run, notes []string) []string {
	finished, planned := 0, 0
	for _, r := range runs {
		for _, s := range r.Scores {
			finished, planned = finished+s.Finished, planned+s.Planned
		}
	}
	var out []string
	if finished == planned {
		out = append(out,
			fmt.Sprintf("Episodes with a result: %s of %s planned.", thousands(finished), thousands(planned)))
	} else {
		out = append(out, fmt.Sprintf("Incomplete: %d of %d planned episodes have a result. Rates with the mark * "+
			"cover only those.", finished, planned))
	}
	if len(notes) == 0 {
		return append(out, "At most 1 % of any model's replies could not be read.")
	}
	return append(out, count(len(notes), "reservation")+" about the rates.")
}
