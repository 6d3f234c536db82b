package agent

import (
	"fmt"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/model"
	"heldout/scoring/table"
)

// chosenShots returns the examples that a preset shows, in its order.
func chosenShots(p Protocol) ([]configs.Example, error) {
	examples, shots := p.Instructions.Examples, p.Agent.Shots
	if shots.Format == "" {
		return nil, nil
	}
	order := shots.Order
	if len(order) == 0 {
		for i := range shots.Count {
			order = append(order, i)
		}
	}
	var out []configs.Example
	for _, n := range order {
		if n < 0 || n >= len(examples) {
			return nil, fmt.Errorf("the prompt has no example %d; it has %d, counted from 0", n, len(examples))
		}
		out = append(out, examples[n])
	}
	return out, nil
}

// shotTurns writes an example as turns of a chat. Examples that are given step by
// step end with the last reply, so that the task may follow.
func shotTurns(o configs.Observation, ex configs.Example) ([]model.Message, error) {
	if ex.Text != "" {
		return nil, fmt.Errorf("an example of the prompt is one text, and the preset shows turns")
	}
	out := table.Each(ex.Turns, func(t configs.ChatMessage) model.Message {
		return model.Message{Role: model.Role(t.Role), Content: t.Content}
	})
	text := task(o, envs.Start{Goal: ex.Goal, Observation: ex.Observation})
	for i, s := range ex.Steps {
		out = append(out,
			model.Message{Role: model.User, Content: text},
			model.Message{Role: model.Assistant, Content: parsed{thought: s.Thought, action: s.Action}.canonical()})
		text = numbered(o.Prefix, i+1) + s.Observation
	}
	return out, nil
}

// shotText writes an example as text that ends with its line.
func shotText(ex configs.Example) string {
	text := renderExample(ex, true)
	if len(ex.Turns) > 0 {
		text = strings.Join(table.Each(ex.Turns, func(t configs.ChatMessage) string { return t.Content }), "\n")
	}
	return ownLine(text)
}

// ownLine ends a text that is not empty with a line break.
func ownLine(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}
