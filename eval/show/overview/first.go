package overview

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"heldout/eval/show/page"
	"heldout/scoring"

	"heldout/envs"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// first is what the first screen has: the headline with its verdict, and cards.
type first struct {
	report.Headline
	Cards []card
	Links []navLink
}

// Dense reports that each model has one line of text, because there are many.
func (f first) Dense() bool { return len(f.Lines) > mostTall }

// mostTall is the largest number of models that have several lines of text each.
const mostTall = 8

// navLink is an entry of the contents.
type navLink struct{ ID, Text string }

// placeName names a column.
func placeName(place claim.Scope) string {
	if place == claim.HeldOut {
		return "held-out"
	}
	return page.CellText(place.Title)
}

// drawn reports whether a cell has a rate.
func drawn(c report.HeadlineCell) bool { _, ok := c.Value.(float64); return ok }

// limits are the limits of a cell's interval.
func limits(c report.HeadlineCell) string { return strings.Replace(c.Subtext, "–", " to ", 1) }

// card says in a sentence or two what a section has.
type card struct {
	ID, Title string
	Text      []string
}

// shortList lists some names and counts many.
func shortList(names []string, noun string) string {
	const maxNames = 3
	if len(names) > maxNames {
		return fmt.Sprintf("%d %s", len(names), noun)
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
func lead(e *Episodes, rep *report.Report, h report.Headline) string {
	parts := []string{span(e.began, e.ended), count(h.Models, "model")}
	finished, planned := episodes(rep.Runs...)
	tasks := map[string]envs.Source{}
	var presets, places []string
	for _, run := range rep.Runs {
		for _, s := range run.Scores {
			places = table.AppendNew(places, s.Place())
			for _, t := range s.Environment.Tasks {
				tasks[s.Condition.Env+" "+t.ID+" "+t.Digest] = s.Condition.Source
			}
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
	counted := count(planned, "episode")
	if finished < planned {
		counted = thousands(finished) + " of " + counted
	}
	parts = append(parts, count(len(places), "environment"), count(len(tasks), strings.TrimSpace(kind+" task")),
		h.Seeds, counted)
	if len(presets) > 0 {
		parts = append(parts, shortList(presets, "presets"))
	}
	return table.Printable(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · "))
}

// span writes the days from one time to another; empty if they are not known.
func span(start, end time.Time) string {
	const day = "2 January 2006"
	if start.IsZero() || end.Before(start) {
		start = end
	}
	switch start, end = start.UTC(), end.UTC(); {
	case end.IsZero():
		return ""
	case start.Format(day) == end.Format(day):
		return end.Format(day)
	}
	return start.Format(day) + " to " + end.Format(day)
}

// cards are what the page has to say besides the verdict.
func cards(rep *report.Report, h report.Headline, d []duel, f []failing) (out []card) {
	if len(d) > 0 && d[0].finding() != "" {
		out = append(out, card{"differences", "Where they differ", []string{d[0].finding()}})
	}
	if len(f) > 0 {
		title := "Why they fail"
		if len(h.Lines) < 2 {
			title = "Why it fails"
		}
		out = append(out, card{"failures", title, reasonsOf(f)})
	}
	if text := memory(rep); text != nil {
		out = append(out, card{"indices", "Does it read or remember?", text})
	}
	if text := perturbed(rep); len(text) > 0 {
		out = append(out, card{"robustness", "Is it robust?", text})
	}
	return append(out, card{"method", "Data quality", quality(rep)})
}

// compared are the places that the verdict compares.
func (d duel) compared() []duelPlace {
	return table.Filter(d.Places, func(p duelPlace) bool { return p.Compared })
}

// finding says how many tasks each wins, the first as the verdict has it, and where the largest lead is; empty if
// nothing is compared.
func (d duel) finding() string {
	places, tasks := d.compared(), 0
	if len(places) == 0 {
		return ""
	}
	for _, p := range places {
		tasks += p.Tasks
	}
	if d.WonA+d.WonB == 0 {
		return fmt.Sprintf("%s and %s solve all tasks equally often.", d.A, d.B)
	}
	better, wins, worse, losses := d.A, d.WonA, d.B, d.WonB
	if losses > wins {
		better, wins, worse, losses = worse, losses, better, wins
	}
	text := fmt.Sprintf("%s solves %d of %s more often than %s, and %d less often.", better, wins,
		count(tasks, "task"), worse, losses)
	byLead := func(a, b duelPlace) int { return a.Edge.lead() - b.Edge.lead() }
	if largest := slices.MaxFunc(places, byLead); largest.Edge.Kind != "" {
		m := largest.Edge
		text += fmt.Sprintf(" Largest lead: %s on %s, %s (%s to %d).", m.Model, largest.Place, m.Kind,
			count(m.Won, "task"), m.Lost)
	}
	return text
}

// reasonsOf says of the first models why they fail.
func reasonsOf(models []failing) (out []string) {
	const maxModels = 3
	for _, f := range models[:min(maxModels, len(models))] {
		g := f.Groups[0]
		text := fmt.Sprintf("%s, %s: %.0f %% %s", f.Model, count(f.Unsolved, "unsolved episode"), g.Share, g.Name)
		if len(f.Groups) > 1 && f.Groups[1].Share >= 1 {
			text += fmt.Sprintf(", %.0f %% %s", f.Groups[1].Share, f.Groups[1].Name)
		}
		out = append(out, text+".")
	}
	return out
}

// memory says how robust the first models are to families of perturbations; nil if nothing is known.
func memory(rep *report.Report) (out []string) {
	const maxLines = 3
	for _, t := range rep.Tables("indices") {
		cell := func(row []table.Cell, c table.Declared) string {
			text := row[t.Pos(c.Heads()[0].Key)].Text
			return strings.Replace(text, "(?)", "(interval unknown)", 1) // the table's legend explains the mark
		}
		for _, row := range t.Rows {
			iface, read := cell(row, column.InterfaceIndex), cell(row, column.ReadingIndex)
			if len(out) < maxLines && iface != table.None().Text {
				out = append(out, table.Printable(fmt.Sprintf("%s on %s: interface %s, reading %s.",
					cell(row, column.Model), envs.PlaceTitle(cell(row, column.Environment)), iface, read)))
			}
		}
	}
	if out != nil {
		out = append(out, "100 is a player who knows actions or texts by heart, 0 one who reads.")
	}
	return out
}

// perturbed says what models lose under perturbations; nil if nothing is known.
func perturbed(rep *report.Report) []string {
	claims := rep.Claims()
	if !claims.Swept() {
		return nil
	}
	const maxClaims = 3
	losses := claim.Surest(claims.Family(claim.Losses))
	return table.Each(losses[:min(maxClaims, len(losses))], func(c claim.Claim) string {
		return table.Printable(c.Sentence() + ".")
	})
}

// quality says what is missing, and whose replies could be read least.
func quality(rep *report.Report) []string {
	finished, planned := episodes(rep.Runs...)
	text := fmt.Sprintf("%s of %s planned episodes have a result.", thousands(finished), thousands(planned))
	if finished < planned {
		text += " Rates with the mark * cover only those."
	}
	worst, ok := rep.Claims().MostUnreadable()
	switch {
	case ok:
		return []string{text, table.Printable("Most unreadable replies: " + worst.Sentence() + ".")}
	case readable(rep.Runs):
		return []string{text, "An action could be read in every reply."}
	}
	return []string{text}
}

// episodes counts the episodes of runs, those with a result and those that are planned.
func episodes(runs ...report.NamedRun) (finished, planned int) {
	for _, r := range runs {
		for _, s := range r.Scores {
			finished, planned = finished+s.Finished, planned+s.Planned
		}
	}
	return finished, planned
}

// readable reports whether models have replied, and an action could be read each time.
func readable(runs []report.NamedRun) bool {
	var replies scoring.Replies
	for _, r := range runs {
		for _, s := range r.Scores {
			if s.Condition.Decoding != nil { // baselines do not reply
				replies.Steps += s.Replies.Steps
				replies.FormatErrors += s.Replies.FormatErrors
			}
		}
	}
	return replies.Steps > 0 && replies.FormatErrors == 0
}
