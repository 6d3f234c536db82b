package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/pytext"
	"heldout/eval/model"
	"heldout/scoring/table"
)

func writeActions(rule configs.ActionsShown, admissible []string) string {
	var items []string
	for _, action := range admissible {
		if slices.Contains(rule.Exclude, action) {
			continue
		}
		if rule.Item != "" {
			action = strings.ReplaceAll(rule.Item, "{action}", action)
		}
		items = append(items, action)
	}
	return rule.Prefix + strings.Join(items, rule.Separator) + rule.Suffix
}

// actionsOf is the list that a turn shows now.
func (f *formed) actionsOf(i int) string {
	if f.play.ActionsShown.Timing == configs.Latest && i < len(f.turns)-1 {
		return f.play.ActionsShown.Older
	}
	return f.turns[i].actions
}

func task(o configs.Observation, start envs.Start) string {
	text := cmp.Or(o.Task, "{goal}\n{observation}")
	return strings.NewReplacer("{goal}", start.Goal, "{observation}", start.Observation).Replace(text)
}

// showActions asks for the admissible actions if the current turn shows them. A message
// of the preset has them only in its slot, but the form single writes the list beside it.
func (f *formed) showActions(ctx context.Context) error {
	if err := f.hint(ctx); err != nil {
		return err
	}
	mode := f.play.ActionsShown.Timing
	if mode == configs.Never || mode == configs.First && f.number() > 1 ||
		f.last().corrected && f.play.Agent.Form != configs.Single {
		return nil
	}
	list, err := f.admissible(ctx)
	f.last().actions = writeActions(f.play.ActionsShown, list)
	return err
}

// hint asks for the forms of actions and for what they can be about, if the template tells them.
func (f *formed) hint(ctx context.Context) error {
	if f.hints == nil || f.last().possible != "" {
		return nil
	}
	forms, things, err := f.hints.Hints(ctx)
	if err != nil {
		return &WorldError{err}
	}
	f.last().possible = strings.NewReplacer("{forms}", pytext.List(forms), "{things}", pytext.List(things)).
		Replace(f.possible)
	return nil
}

// admissible lists the actions that the environment accepts in the current turn.
// It asks once a turn: in some environments, listing draws random numbers.
func (f *formed) admissible(ctx context.Context) ([]string, error) {
	t := f.last()
	if t.listed || f.world == nil {
		return t.admissible, nil
	}
	list, err := f.world.Actions(ctx)
	if err != nil {
		return nil, &WorldError{err}
	}
	t.admissible, t.listed = list, true
	return list, nil
}

// Renderer writes an environment's texts as the rules of a preset show them to a model, for those who play the
// preset without its agent. A form with a single message tells the goal and lists the actions in its template,
// which is not part of any text here.
type Renderer struct{ Play configs.Play }

// Lists reports whether the first text, or every later one, has a list of actions.
func (s Renderer) Lists(first bool) bool {
	mode := s.Play.ActionsShown.Timing
	return s.Play.Agent.Form != configs.Single && (mode == configs.Every || mode == configs.Latest ||
		mode == configs.First && first)
}

// First returns the text of the task and the first observation.
func (s Renderer) First(start envs.Start, actions []string) string {
	start.Observation = firstObservation(s.Play.Observation, start.Observation)
	if s.Play.Agent.Form == configs.Single {
		return start.Observation
	}
	return task(s.Play.Observation, start) + s.list(true, actions)
}

// Next returns the text of the observation after that many actions.
func (s Renderer) Next(observation string, steps int, actions []string) string {
	o := s.Play.Observation
	return framed(o, steps, laterObservation(o, observation)) + s.list(false, actions)
}

func (s Renderer) list(first bool, actions []string) string {
	if !s.Lists(first) {
		return ""
	}
	return writeActions(s.Play.ActionsShown, actions)
}

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
