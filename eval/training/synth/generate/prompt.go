package generate

import (
	"fmt"
	"strings"

	"heldout/eval/training/synth"
)

// scriptPrompt is the prompt for a script: instruction, examples, persona, and why the last one was rejected.
func (w *work) scriptPrompt() string {
	p := w.Prompts.Script
	var b strings.Builder
	b.WriteString(strings.TrimSpace(p.Instruction) + "\n")
	for _, ex := range p.Examples {
		fmt.Fprintf(&b, "\nPersona: %s\nScript: %s\n", strings.TrimSpace(ex.Persona), strings.TrimSpace(ex.Script))
	}
	fmt.Fprintf(&b, "\nPersona: %s\n", w.Persona)
	if last := w.last(); last.Reason != "" {
		b.WriteString("\n" + fill(p.Retry, "{message}", w.issue(last)) + "\n")
	}
	return b.String() + "Script:"
}

// trajectoryPrompt is the prompt for a game: instruction, example, script, and what to do about the last one.
func (w *work) trajectoryPrompt() string {
	p := w.Prompts.Trajectory
	var b strings.Builder
	b.WriteString(fill(p.Instruction, "{min-errors}", fmt.Sprint(w.Verify.MinErrors), "{success-text}",
		w.Verify.SuccessText) + "\n")
	if p.Example.Script != "" {
		fmt.Fprintf(&b, "\nScript: %s\nTurns: %s\n", strings.TrimSpace(p.Example.Script),
			strings.TrimSpace(p.Example.Trajectory))
	}
	fmt.Fprintf(&b, "\nScript: %s\n", w.raw)
	last := w.last()
	switch {
	case last.Reason == "":
	case len(w.turns) == 0:
		b.WriteString("\n" + fill(p.Retry, "{message}", w.issue(last)) + "\n")
	default:
		b.WriteString("\n" + fill(p.Continue, "{turns}", string(list(w.turns)), "{message}", w.issue(last), "{next}",
			fmt.Sprint(next(w.turns))) + "\n")
	}
	return b.String() + "Turns:"
}

// issue is the message of a rejected reply, with the turn that it is about and what it shows of the reply.
func (w *work) issue(a ItemCall) string {
	text := a.Message
	if a.Turn > 0 && a.Reason != synth.TooFewErrors {
		text = fmt.Sprintf("turn %d: %s", a.Turn, a.Message)
	}
	if w.excerpt != "" {
		text += "\nThis was rejected:\n" + w.excerpt
	}
	return text
}

// fill replaces the fields of a text, given as pairs of name and value. Values are not searched for fields.
func fill(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(strings.TrimSpace(text))
}
