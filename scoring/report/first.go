package report

import (
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring/claim"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// mostNotes is how many notes stand below the first table beside the legend; the table of notes has all.
const mostNotes = 3

// firstNotes are those below the first table: how to read it, which a legend says if it is
// not the table of rates, and what weakens it most.
func firstNotes(r *Report, legend ...string) []string {
	if legend == nil {
		legend = cellLegend(r)
	}
	unsaid := func(note string) bool { return note != "" }
	legend, notes := table.Filter(legend, unsaid), table.Filter(caveatsOf(r, r.standing()), unsaid)
	if n := len(notes) - mostNotes; n > 0 {
		notes = notes[:mostNotes:mostNotes]
		last := &notes[mostNotes-1]
		*last = fmt.Sprintf("%s (%s more: --table notes)", strings.TrimSuffix(*last, "."), table.Counted(n, "note"))
	}
	return append(legend, notes...)
}

// cellLegend says in a sentence how to read the cells.
func cellLegend(r *Report) []string {
	s := r.standing()
	if len(s.lines) == 0 {
		return nil
	}
	parts := s.marks()
	if s.bounded() {
		parts = append(parts, "below: 95% CI for "+s.population(r.plain))
	}
	if parts == nil {
		return nil
	}
	return []string{capital(strings.Join(parts, "; ")) + "."}
}

// bounded reports whether any rate has an interval.
func (s *standing) bounded() bool {
	return slices.ContainsFunc(s.Rates, func(c claim.Claim) bool { return c.Interval != nil })
}

// population says what intervals of its rows are about, which may be arms of several trainings.
func (s *standing) population(plain []row) string {
	if s.armed() {
		return "new trainings and " + population(plain)
	}
	return population(plain)
}

func (s *standing) armed() bool {
	return slices.ContainsFunc(s.lines, func(l modelRates) bool { return l.Arm != nil })
}

// population says what intervals of rows are about, within a sentence.
func population(rows []row) string {
	if text := facts().Questions[rows[0].About].Population; text != "" {
		return text
	}
	var single []string // environments whose kinds have one task each
	for _, r := range rows {
		if r.Kinds() == len(r.Environment.Tasks) {
			single = table.AppendNew(single, r.place.Title)
		}
	}
	switch places := table.Keys(rows, placeOf); {
	case len(single) == len(places):
		return "new tasks like these"
	case len(single) > 0:
		return fmt.Sprintf("new tasks of the same kinds (%s: tasks like these)", strings.Join(single, ", "))
	}
	return "new tasks of the same kinds"
}

// caveatsOf are what a reader must know besides the rates, what changes a conclusion most
// first. The verdict has said what the claims of s say, if there are any.
func caveatsOf(r *Report, s *standing) (notes []string) {
	trialNotes := firstTrial(r.plain)
	if question(r) == Trials {
		trialNotes = trialCaveats(r)
	}
	notes = slices.Concat(external(r.allRows), changedModels(r),
		notesOn(r.plain, func(r row) string { return answerers(r.Score) }), namesakes(r.plain), missingEpisodes(r),
		trialNotes, notesOn(r.plain, withheld))
	protocols := ""
	if s != nil {
		protocols = s.ProtocolText()
		notes = slices.Concat(trainedNotes(s), unscoredNotes(s), notes, unreadable(s))
	}
	notes = append(notes, changedNote(r, protocols)...)
	notes = slices.Concat(notes, boards(r.Runs), otherTasks(r.plain))
	for _, p := range r.swept() {
		notes = append(notes, p.warnings...)
		for _, l := range p.lines {
			notes = append(notes, l.absent...)
		}
	}
	sent := func(r row) string { return strings.Join(otherFaults(r.Score), "; ") }
	notes = slices.Concat(notes, notesOn(r.plain, sent), caveats(r.plain), grouped(r.plain, lineOf, remembers),
		grouped(r.plain, lineOf, lostExpert), directories(r.plain))
	if len(r.baselines) > 0 {
		marked := ""
		if slices.ContainsFunc(r.baselines, func(b Baseline) bool {
			return slices.ContainsFunc(b.Table.Rows, func(p configs.PublishedRow) bool { return len(p.HeldIn) > 0 })
		}) {
			marked = " (" + heldInMark + " trained on that environment)"
		}
		notes = append(notes, fmt.Sprintf("Published rows%s have other prompts, agents and servers: --table notes.", marked))
	}
	return notes
}

// boards say what is not known of runs that are logs of AgentBoard, and where their files disagree.
func boards(runs []NamedRun) (notes []string) {
	var names []string
	for _, run := range runs {
		if run.Board {
			names = append(names, run.Name)
			sentence := func(note string) string { return run.Name + ": " + note + "." }
			notes = append(notes, table.Each(run.Notes, sentence)...)
		}
	}
	if names == nil {
		return nil
	}
	return append([]string{table.List(names) + ": logs of AgentBoard, which do not say agent, prompt, decoding or seed; " +
		"their tasks are known by number alone, and are not paired with those of runs."}, notes...)
}

// missingEpisodes says how many episodes have no result, and why.
func missingEpisodes(r *Report) []string {
	planned, missing := 0, 0
	outcomes := map[record.Outcome]int{}
	for _, line := range r.allRows {
		planned, missing = planned+line.Planned, missing+line.Planned-line.Finished
		for outcome, n := range line.Unfinished {
			outcomes[outcome] += n
		}
	}
	if missing == 0 {
		return nil
	}
	share := fmt.Sprintf("of %d episodes", planned)
	text := fmt.Sprintf("%s %s no result (%s)", incompleteMark, table.Counted(missing, share+" has", share+" have"),
		reasonsOf(outcomes))
	command := "the command"
	if slices.ContainsFunc(r.Runs, func(run NamedRun) bool { return len(run.Absent) > 0 }) {
		command = "each shard's command"
	}
	switch failed := outcomes[record.EnvError] + outcomes[record.ModelError] + outcomes[record.AgentError]; {
	case failed > 0:
		text += fmt.Sprintf("; once what failed is mended, rerun %s to play the rest", command)
	case missing > outcomes[record.ContextExceeded]:
		text += fmt.Sprintf("; rerun %s to play the rest", command)
	}
	if outcomes[record.ContextExceeded] > 0 {
		text += "; prompts that are too long need a longer context"
	}
	for _, run := range r.Runs {
		if budget := run.Stopped(); budget != "" {
			text += fmt.Sprintf("; %s ended %s", budget, run.Name)
		}
	}
	return []string{text + "."}
}

// reasonsOf counts why episodes have no result.
func reasonsOf(outcomes map[record.Outcome]int) string {
	var parts []string
	for _, outcome := range facts().Outcomes {
		if n := outcomes[outcome.Outcome]; n > 0 {
			parts = append(parts, table.Counted(n, outcome.Singular, outcome.Plural))
		}
	}
	return strings.Join(parts, ", ")
}

// otherTasks says where the tasks are not all official tasks of the benchmark.
func otherTasks(plain []row) (notes []string) {
	var parts, generated []string
	n := 0 // rows with generated tasks
	for _, rows := range table.Grouped(plain, placeOf) {
		for _, group := range table.Grouped(rows, tasksSaid) {
			title := group[0].place.Title
			if len(group) < len(rows) {
				title += fmt.Sprintf(" (%s)", table.Shortlist(table.Keys(group, lineOf), 3))
			}
			if text := tasksSaid(group[0]); text == generatedTasks {
				generated, n = append(generated, title), n+len(group)
			} else if text != "" {
				parts = append(parts, title+" "+text)
			}
		}
	}
	if n > 0 {
		suffix := ""
		if n < len(plain) {
			suffix = " on " + table.List(generated)
		}
		parts = append(parts, fmt.Sprintf("tasks%s are generated, so rates do not compare with published ones", suffix))
	}
	if parts == nil {
		return nil
	}
	return []string{capital(strings.Join(parts, "; ")) + "."}
}

const generatedTasks = "has generated tasks"

// tasksSaid says what the tasks of a row are; empty if they are all official tasks of the benchmark.
func tasksSaid(r row) string {
	switch n := len(r.Environment.Tasks); {
	case r.Environment.Source == envs.Generated:
		return generatedTasks
	case r.Outside > 0:
		return "has tasks outside the benchmark"
	case n >= r.Environment.Total:
		return ""
	case envs.IsExternal(r.Environment.Name):
		return fmt.Sprintf("is %d of %d tasks", n, r.Environment.Total)
	default:
		return fmt.Sprintf("is %d of %d official tasks", n, r.Environment.Total)
	}
}

// trainedNotes say which environments models were trained on.
func trainedNotes(s *standing) []string {
	parts := table.Each(s.Trained, func(c claim.Claim) string {
		return c.Subjects[0].Name + " " + strings.Join(claim.Titles(c.Environments), ", ")
	})
	if len(parts) == 0 {
		return nil
	}
	return append([]string{heldInMark + " trained on: " + strings.Join(parts, "; ") + "."}, untrained(s)...)
}

// untrained says what models reach on the held-out environments that no model was trained
// on, if training keeps some of them from a held-out score.
func untrained(s *standing) []string {
	remaining := configs.Weights{Source: s.Weights.Source}
	var names []string
	for _, part := range s.Weights.HeldOut {
		if !slices.ContainsFunc(s.Trained, func(c claim.Claim) bool {
			return slices.ContainsFunc(c.Environments, func(p claim.Scope) bool { return p.Name == part.Env })
		}) {
			remaining.HeldOut = append(remaining.HeldOut, part)
			names = append(names, envs.Title(part.Env))
		}
	}
	if len(remaining.HeldOut) < 2 || len(remaining.HeldOut) == len(s.Weights.HeldOut) {
		return nil // the table has the rates on a single one
	}
	var rates []string
	tasks := 0
	for _, l := range s.lines {
		e := l.heldOutRate(remaining, s.Rate)
		if e == nil {
			continue
		}
		n := 0
		for _, part := range remaining.HeldOut {
			n += l.Scores[part.Env].Tasks()
		}
		tasks = max(tasks, n)
		rates = append(rates, fmt.Sprintf("%s %.1f", l.Name, 100*e.Mean))
	}
	if len(rates) < 2 {
		return nil
	}
	return []string{fmt.Sprintf("%s on %s (%s), where no model was trained: %s.", s.Rate, table.List(names),
		table.Counted(tasks, "task"), strings.Join(rates, ", "))}
}

// unscoredNotes say why models have no held-out score, where two of its environments or more were played.
func unscoredNotes(s *standing) []string {
	return grouped(s.Unscored, func(c claim.Claim) string { return c.Subjects[0].Name },
		func(c claim.Claim) string { return "no held-out score: " + c.Reason })
}

// caption says below a table in a paper what the table is about and what made it.
func caption(r *Report) string {
	s := r.standing()
	text := fmt.Sprintf("%s in percent, %s", s.Rate.Title(), seedsSaid(r.plain))
	if s.bounded() {
		text += ", with 95% confidence intervals for " + s.population(r.plain)
	}
	text += "."
	if marks := append(s.marks(), s.bold()...); marks != nil {
		text += " " + capital(strings.Join(marks, "; ")) + "."
	}
	return text + captionNote(r, text)
}

// captionNote says in a caption how differences are tested, and by which protocol and program the runs were made.
func captionNote(r *Report, text string) string {
	s := r.standing()
	tests := testsSaid(s.Set)
	if len(s.Families()) > 0 {
		tests = " " + strings.TrimSuffix("Paired by task; "+tests, "; ") + "."
	}
	return fmt.Sprintf("%s %s; %s.", tests, capital(protocolsSaid(r, text)), tools(r.Runs))
}

// testsSaid says how many tests there are in each family, and how they are corrected; empty if there is one at most.
func testsSaid(s *claim.Set) string {
	var parts []string
	n := 0
	for _, f := range s.Families() {
		parts, n = append(parts, fmt.Sprintf("%s: %s", questionOf(s, f.Name), table.Counted(f.Tests, "test"))),
			n+f.Tests
	}
	switch {
	case n < 2:
		return ""
	case len(parts) == 1:
		return parts[0] + ", corrected by Holm"
	}
	return strings.Join(parts, ", ") + "; corrected by Holm within each family, at most 5% for all"
}

// questionOf names what a family is about.
func questionOf(s *claim.Set, name claim.FamilyName) string {
	switch name {
	case claim.Primary:
		return strings.TrimPrefix(s.Family(name)[0].Place.Title, "the ")
	case claim.Second:
		return "environments"
	case claim.Unperturbed:
		return "without a perturbation"
	}
	return string(name)
}

// tools names the programs that made the runs.
func tools(runs []NamedRun) string {
	return table.List(table.Keys(runs, func(run NamedRun) string {
		name := strings.TrimSpace("heldout " + run.Tool.Version)
		if c := run.Tool.Commit; c != "" {
			name += fmt.Sprintf(" (%.8s)", c)
		}
		if run.Board {
			name = "logs of AgentBoard"
		}
		return name
	}))
}

// lettersLegend explains letters.
const lettersLegend = "Same letter: not significantly different"

// marks say what letters and signs in cells mean.
func (s *standing) marks() []string {
	switch lettered := slices.ContainsFunc(s.Columns(), func(p claim.Scope) bool { return len(s.Letters(p)) > 0 }); {
	case s.oldNew && slices.ContainsFunc(s.Columns(), func(p claim.Scope) bool {
		return s.Mark(p, s.lines[0].Name) == "~"
	}):
		return []string{"~: not significant"}
	case s.oldNew:
		return nil
	case s.Reference != "":
		return []string{fmt.Sprintf("better, worse: significant against %s, ~: not", s.Reference)}
	case lettered:
		return append([]string{strings.ToLower(lettersLegend)}, s.Unlettered("none: ")...)
	}
	return s.Unlettered("")
}

// bold says what bold rates mean; empty if none is bold.
func (s *standing) bold() []string {
	best := slices.ContainsFunc(s.Columns(), func(p claim.Scope) bool { return len(s.Bold(p)) > 0 })
	differs := slices.ContainsFunc(s.Comparisons, func(c claim.Claim) bool { return c.Kind == claim.Differs })
	switch {
	case s.oldNew && differs:
		return []string{"bold: significantly better"}
	case !s.oldNew && best:
		return []string{"bold: the best group"}
	}
	return nil
}

// seeded are the rows, for the numbers of their seeds.
func seeded(plain []row) []claim.Subject {
	return table.Each(plain, func(e row) claim.Subject {
		return claim.Subject{Seeds: e.SeedCount(), Seedless: record.Seedless(e.Condition.Agent),
			EqualSeeds: e.EqualSeeds()}
	})
}

func seedsSaid(plain []row) string { return claim.SeedsText(seeded(plain)) }

// allNotes are all notes on the first table, one below the other.
func allNotes(r *Report, t *table.Table) {
	s := r.standing()
	if len(s.lines) == 0 {
		return
	}
	t.Columns = nil
	t.Notes = slices.Concat(cellLegend(r), caveatsOf(r, s), aboutNotes(r.plain), decodings(r.plain), prompts(r.plain),
		settings(r.plain), stepLimits(r.plain), incomplete(r.plain), replyNotes(r.plain), ruleNotes(r.plain),
		lateNotes(r.plain), otherNames(r.plain), sweptNotes(r), indexNotes(r), trialNotes(r),
		sources(r.baselines, ""))
	for i, note := range t.Notes {
		t.Notes[i] = strings.Replace(note, ": --table notes.", ".", 1)
	}
	t.Notes = table.AppendNew(nil, t.Notes...)
}
