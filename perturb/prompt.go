package perturb

import (
	"strings"

	"heldout/configs"
)

// writeInstructions returns a section of a prompt as it reads now.
func (p *Perturbation) writeInstructions(in configs.Instructions) configs.Instructions {
	out := configs.Instructions{System: in.System, Instruction: p.WriteInstruction(in.Instruction)}
	for _, e := range in.Examples {
		out.Examples = append(out.Examples, p.writeExample(e))
	}
	return out
}

func (p *Perturbation) writeExample(e configs.Example) configs.Example {
	out := configs.Example{
		Goal:        p.names.inText(e.Goal),
		Observation: p.WriteObservation(e.Observation),
		Text:        p.writeTranscript(e.Text),
	}
	for _, s := range e.Steps {
		out.Steps = append(out.Steps, configs.ExampleStep{
			Thought:     p.names.inText(s.Thought),
			Action:      p.WriteAction(s.Action),
			Observation: p.WriteObservation(s.Observation),
		})
	}
	return out
}

// What begins a line of a transcript that is an action or an observation, as in
// AgentBoard's and ReAct's prompts.
var (
	actionMarks      = []string{"Action: ", "> "}
	observationMarks = []string{"Observation: "}
)

// writeTranscript rewrites an example that is given as text, line by line.
func (p *Perturbation) writeTranscript(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		body, end := strings.TrimRight(line, " \r\n"), ""
		end = line[len(body):]
		lines[i] = p.writeLine(body) + end
	}
	return strings.Join(lines, "")
}

func (p *Perturbation) writeLine(line string) string {
	for _, mark := range actionMarks {
		if action, ok := strings.CutPrefix(line, mark); ok {
			return mark + p.WriteAction(action)
		}
	}
	for _, mark := range observationMarks {
		if observation, ok := strings.CutPrefix(line, mark); ok {
			return mark + p.WriteObservation(observation)
		}
	}
	return p.names.inText(line)
}
