package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// marked is the share of replies or episodes at which a table starts to say that they were not read completely.
const marked = 0.01

const (
	repliesMark = "#"
	// repliesNote explains the mark if the details are in another table.
	repliesNote = repliesMark +
		" More than 1% of the replies were unreadable, cut off, sampled with other settings, equal for all seeds, or " +
		"based on a history that was shortened or cut, or another model answered: --table results."
)

// doubtful is the share of replies without an action from which the first screen says it.
const doubtful = 0.03

// unreadable says how many replies had no action: of the only rate in full, else how many rates have many of them.
func unreadable(s *standing) []string {
	worst, ok := s.MostUnreadable()
	if !ok || worst.Share() < doubtful {
		return nil
	}
	if len(s.Rates) == 1 {
		return []string{worst.Sentence() + "."}
	}
	n := len(table.Filter(s.Unreadable, func(c claim.Claim) bool { return c.Share() >= doubtful }))
	place := worst.Place.Title
	if len(worst.Perturbations) > 0 {
		place += " under " + worst.Perturbations[0]
	}
	return []string{fmt.Sprintf("%s: 3%% or more of the replies had no readable action (most: %s on %s, %.1f%%): "+
		"--table lost-steps.", table.Counted(n, "rate"), worst.Subjects[0].Name, place, 100*worst.Share())}
}

// faultWords describes replies with a fault.
func faultWords(f record.Fault) string {
	if f == record.NoAction {
		return "text without an action"
	}
	return f.String()
}

// answerers says that other models answered than the one that was asked, as far as that is known: the server lists
// the one that did, or there are several. An alias of a service has another name, but always the same.
func answerers(s *scoring.Score) string {
	names := record.Answered{}
	if s.Replies.AsAsked > 0 {
		names.Add(bare(s.Condition.Model), s.Replies.AsAsked)
	}
	for name, n := range s.Replies.Answered {
		names.Add(name, n)
	}
	switch {
	case names.Several():
		return "several models answered, as their replies say: " + names.String()
	case s.Replies.OtherModel > 0:
		return "another model answered than the one that was asked, as its replies say: " + names.String()
	}
	return ""
}

// shareOf says which share of all n are; ok if it is large enough to be said.
func shareOf(n, total int) (share string, ok bool) {
	return fmt.Sprintf("%.1f%% of %d", 100*float64(n)/float64(total), total), float64(n) > marked*float64(total)
}

// faults lists what weakens the meaning of a score's rates.
func faults(s *scoring.Score) (out []string) {
	if answered := answerers(s); answered != "" {
		out = append(out, answered)
	}
	var faults []string
	faulty := 0
	for _, f := range record.Faults() {
		if n := s.Replies.Faults[f]; n > 0 {
			faulty += n
			faults = append(faults, fmt.Sprintf("%d %s", n, faultWords(f)))
		}
	}
	if share, ok := shareOf(faulty, s.Replies.Steps); ok {
		out = append(out, fmt.Sprintf("%s replies were unreadable or cut off (%s); %d had no action", share,
			strings.Join(faults, ", "), s.Replies.FormatErrors))
	}
	return append(out, otherFaults(s)...)
}

// otherFaults are those about what the model was sent, and with which decoding.
func otherFaults(s *scoring.Score) (out []string) {
	if share, ok := shareOf(s.Replies.Trimmed, s.Replies.Episodes); ok {
		out = append(out, share+" episodes had their history trimmed to fit the context")
	}
	if share, ok := shareOf(s.Replies.Cut, s.Replies.Episodes); ok {
		out = append(out, share+" episodes had prompts that the server cut")
	}
	if len(s.Replies.Dropped) > 0 {
		out = append(out, fmt.Sprintf("the server refuses %s and uses values of its own",
			strings.Join(s.Replies.Dropped, ", ")))
	}
	if equal := equalSeeds(s); equal != "" {
		out = append(out, equal)
	}
	return out
}

// equalSeeds says what equal seeds are; empty if they are not.
func equalSeeds(s *scoring.Score) string {
	if !s.EqualSeeds() {
		return ""
	}
	text := fmt.Sprintf("%d seeds gave equal results in every task", s.SeedCount())
	d := s.Condition.Decoding
	if d != nil {
		text += fmt.Sprintf(" at temperature %g", d.Temperature)
	}
	if d != nil && d.Temperature > 0 {
		text += ": the server ignores the seed or the temperature, or the model always says the same"
	}
	return text + ", so they count as one run"
}

// replyNotes are the notes on rows with faults.
func replyNotes(rows []row) (notes []string) {
	for _, r := range rows {
		if r.faults != nil {
			notes = append(notes, fmt.Sprintf("%s %s: %s.", repliesMark, named([]row{r}), strings.Join(r.faults, "; ")))
		}
	}
	return notes
}

// lateNotes say how often replies came too late.
func lateNotes(rows []row) []string {
	late := table.Filter(rows, func(r row) bool { return r.Spent.Late > 0 })
	return grouped(late, func(r row) string { return named([]row{r}) }, func(r row) string {
		return table.Counted(r.Spent.Late, "request") + " had no reply within --timeout, which cost time and maybe tokens " +
			"that no table counts; a larger one or a smaller --concurrency helps"
	})
}

// ruleNotes say how often the rules of presets for replies applied, whether most turns of a
// model were without a valid action, and how many episodes rules ended.
func ruleNotes(rows []row) (notes []string) {
	for _, r := range rows {
		var out []string
		if counts := counted(r.Replies.Repairs); counts != "" {
			out = append(out, fmt.Sprintf("rules for replies applied: %s (of %d replies)", counts, r.Replies.Steps))
		}
		if valid := r.Grounding.Mean; r.Condition.Decoding != nil && r.Finished > 0 && valid < 0.5 {
			out = append(out, fmt.Sprintf("fewer than half of the turns had a valid action (%.1f%%)", 100*valid))
		}
		// Rules of trials have a table of their own.
		if counts := counted(r.Replies.Cuts); counts != "" && r.Condition.Preset != nil {
			out = append(out, fmt.Sprintf("rules ended episodes: %s (of %d)", counts, r.Replies.Episodes))
		}
		if out != nil {
			notes = append(notes, fmt.Sprintf("%s on %s: %s.", r.name, r.place.Name, strings.Join(out, "; ")))
		}
	}
	return notes
}

// counted lists names with their counts, sorted by name.
func counted[Name ~string](counts map[Name]int) string {
	return strings.Join(table.Each(slices.Sorted(maps.Keys(counts)), func(name Name) string {
		return fmt.Sprintf("%d %s", counts[name], name)
	}), ", ")
}

// markNotes explain the marks in a table whose details stand elsewhere.
func markNotes(rows [][]table.Cell) []string {
	var marks strings.Builder
	for _, cell := range slices.Concat(rows...) {
		marks.WriteString(cell.Mark)
	}
	return explained(marks.String(), incompleteNote, repliesNote)
}

// explained are the notes on marks that occur. Each note begins with its mark and a blank.
func explained(marks string, notes ...string) []string {
	return slices.DeleteFunc(notes, func(note string) bool {
		mark, _, _ := strings.Cut(note, " ")
		return !strings.Contains(marks, mark)
	})
}
