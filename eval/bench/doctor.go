package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/eval/originals"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Doctor makes the checks of heldout doctor. An error is a *ConfigError, or says how many checks failed.
type Doctor struct {
	Outside Outside
	// Tell receives each check as it is made.
	Tell func(envs.Check)
	// Say receives other lines: a preset that is skipped, and the address of the server that is
	// checked next if there are several.
	Say    func(line string)
	Server func(address string)
	// Doing is told what takes time now; nil is not.
	Doing func(check string)
	// Quick asks a server for its first turns alone. Show receives what is sent in them and
	// what comes back; nil shows nothing.
	Quick bool
	Show  func(lines string)

	failed int
	// server is what the checks of servers add to a diagnosis.
	server model.ReplyCounts
}

func (d *Doctor) tell(checks ...envs.Check) {
	for _, c := range checks {
		if c.Status == envs.CheckFail {
			d.failed++
		}
		d.Tell(c)
	}
}

func (d *Doctor) doing(check string) {
	if d.Doing != nil {
		d.Doing(check)
	}
}

func (d *Doctor) verdict() error {
	if d.failed > 0 {
		return fmt.Errorf("%d check(s) failed", d.failed)
	}
	return nil
}

// verdictOr is why the checks were stopped or, if they were not, the verdict.
func (d *Doctor) verdictOr(ctx context.Context) error { return cmp.Or(ctx.Err(), d.verdict()) }

// Environment checks what an environment needs.
func (d *Doctor) Environment(ctx context.Context, name string, s envs.Setup) error {
	entry, err := catalog.Find(name)
	if err == nil {
		err = catalog.CheckSettings([]string{name}, s.Settings)
	}
	if err != nil {
		return ConfigError{err}
	}
	if entry.Examine != nil {
		d.tell(entry.Examine(s)...)
	}
	switch {
	case envs.IsExternal(name):
		if found := d.external(entry, s); ctx.Err() == nil { // else it was stopped, and is not wrong
			d.tell(found)
		}
	case len(entry.Folders) == 0:
		d.tell(envs.Check{Name: name, Status: envs.CheckOK,
			Text: "it needs nothing but heldout: it has no official tasks"})
	case s.Data != "":
		d.tell(d.official(entry, s))
	case entry.Examine == nil:
		d.tell(envs.Check{Name: name, Status: envs.CheckOK,
			Text: "it needs nothing but heldout; official tasks need --data"})
	}
	return d.verdictOr(ctx)
}

// external checks that an environment that others run describes itself.
func (d *Doctor) external(entry catalog.Entry, s envs.Setup) envs.Check {
	env, err := entry.Open(s, d.Outside.Envs())
	if err != nil {
		return envs.Check{Name: entry.Name, Status: envs.CheckFail, Text: err.Error()}
	}
	info := env.Info()
	return envs.Check{Name: entry.Name, Status: envs.CheckOK, Text: fmt.Sprintf("%s, version %s, hash %s: %s",
		info.Name, info.Settings["version"], info.Settings["hash"], table.Counted(len(env.Tasks()), "task"))}
}

// official checks that an environment has its official tasks.
func (d *Doctor) official(entry catalog.Entry, s envs.Setup) envs.Check {
	_, unavailable := catalog.Available([]string{entry.Name}, s)
	env, err := entry.Open(s, d.Outside.Envs())
	if err = cmp.Or(errors.Join(unavailable...), err); err != nil {
		return envs.Check{Name: entry.Name, Status: envs.CheckFail, Text: err.Error()}
	}
	return envs.Check{Name: entry.Name, Status: envs.CheckOK,
		Text: table.Counted(len(env.Tasks()), "official task") + " in " + s.Data}
}

// Presets checks what presets need; override is what the user gave besides.
func (d *Doctor) Presets(names []string, override func(*configs.Run) error) error {
	chosen, skipped, err := resolvePresets(d.Outside, Plain, Input{Override: override}, names)
	if err != nil {
		return ConfigError{err}
	}
	for _, reason := range skipped {
		d.Say(fmt.Sprintf("skipped: %v", reason))
	}
	for _, c := range chosen {
		d.tell(examinePreset(d.Outside, c)...)
	}
	return d.verdict()
}

// transcript prints the messages that were sent in tries, and the replies. Messages that an
// earlier prompt held are only counted.
func transcript(trials []try) string {
	var b strings.Builder
	var sent []model.Message
	for _, t := range trials {
		for i, turn := range t.turns {
			fmt.Fprintf(&b, "%s %s, seed %d, turn %d\n", t.episode.Condition.Env, t.episode.Task.ID,
				t.episode.Condition.Seed, i+1)
			sent = writeTurn(&b, sent, &turn)
		}
	}
	return b.String()
}

// writeTurn writes the calls of a turn, and returns the last prompt.
func writeTurn(b *strings.Builder, sent []model.Message, t *episode.Turn) []model.Message {
	for _, x := range t.Exchanges {
		writeMessages(b, sent, x.Request.Messages)
		sent = x.Request.Messages
		if x.Err != nil {
			writeText(b, "no reply", x.Err.Error())
			return sent
		}
		if x.Reply.Reasoning != "" {
			writeText(b, "reasoning", x.Reply.Reasoning)
		}
		writeText(b, fmt.Sprintf("reply (finish reason %q)", x.Reply.FinishReason), x.Reply.Text+x.Reply.Substitute)
	}
	writeMove(b, t)
	return sent
}

// writeMessages writes the messages of a prompt, without those that the last prompt had.
func writeMessages(b *strings.Builder, last, sent []model.Message) {
	same := model.Common(last, sent)
	if same > 0 {
		fmt.Fprintf(b, "  sent again: %s\n", table.Counted(same, "message"))
	}
	for _, m := range sent[same:] {
		writeText(b, fmt.Sprintf("sent (%s)", m.Role), m.Content+m.Call.Arguments)
	}
}

func writeMove(b *strings.Builder, t *episode.Turn) {
	switch {
	case t.Move.FormatError:
		b.WriteString("  action: none\n")
	case t.Step.Valid || t.Step.Understood:
		fmt.Fprintf(b, "  action: %q, valid\n", t.Move.Action)
	default:
		fmt.Fprintf(b, "  action: %q, not valid\n", t.Move.Action)
	}
}

// writeText writes a text below its heading, indented.
func writeText(b *strings.Builder, heading, text string) {
	fmt.Fprintf(b, "  %s:\n", heading)
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString("    " + line + "\n")
	}
}

// examinePreset checks what a preset needs: its tasks in the data, and the files of
// its source. It contacts no server.
func examinePreset(out Outside, c Chosen) []envs.Check {
	tasks := envs.Check{Name: c.Released.ID(false) + ": tasks", Status: envs.CheckOK}
	job := &Job{outside: out}
	job.about.Prompts = map[string]record.Prompt{}
	defer job.Close()
	b, err := job.benchmark(c, nil)
	switch {
	case err != nil:
		tasks.Status, tasks.Text = envs.CheckFail, err.Error()
	case b.Env.Info().Source == envs.Generated:
		tasks.Status, tasks.Text = envs.CheckWarn,
			table.Counted(len(b.Tasks), "generated task, which is", "generated tasks, which are")+
				" not the preset's: give the official data with --data"
	case b.Preset.Env.Tasks.Count < c.Released.Env.Tasks.Count:
		tasks.Status = envs.CheckWarn
		tasks.Text = fmt.Sprintf("the data have %d of its %d tasks: results do not compare with those of all "+
			"(heldout help data says how to get the others)", b.Preset.Env.Tasks.Count, c.Released.Env.Tasks.Count)
	default:
		tasks.Text = table.Counted(len(b.Tasks), "official task, with the name", "official tasks, with the names") +
			" of the preset"
		if c.Released.Env.Tasks.SHA256 == "" {
			tasks.Text = table.Counted(len(b.Tasks), "official task; its name has",
				"official tasks; their names have") + " the SHA-256 " + job.about.Protocols[0].Tasks
		}
	}
	return append([]envs.Check{tasks}, examineFiles(c)...)
}

func examineFiles(c Chosen) (checks []envs.Check) {
	about := c.Released.ID(false) + ": "
	if own := c.Released.Prompt.BuiltIn; own != "" {
		checks = append(checks, envs.Check{Name: about + "prompt", Status: envs.CheckOK, Text: "heldout's own, " + own})
	}
	files, mismatch := originals.Check(c.Run.Originals, []configs.Preset{c.Released})
	for _, f := range files {
		check := envs.Check{Name: about + f.Path, Status: envs.CheckOK, Text: "it is the original"}
		switch {
		case c.Run.Originals == "":
			_, err := originals.Find("", &c.Released, f.Path)
			check.Status, check.Text = envs.CheckFail, err.Error()
		case len(f.Differs) > 0:
			check.Status, check.Text = envs.CheckFail, strings.TrimSpace(strings.Join(f.Differs, "; "))
		case f.Texts > 0:
			check.Text = "it has the original's " + table.Counted(f.Texts, "text")
		case f.SHA256 == "":
			check.Status, check.Text = envs.CheckWarn, "it is there; its hash is not known"
		}
		checks = append(checks, check)
	}
	if mismatch != "" {
		checks = append(checks, envs.Check{Name: about + "commit", Status: envs.CheckWarn, Text: mismatch})
	}
	return checks
}
