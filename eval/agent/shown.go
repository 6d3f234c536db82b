package agent

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/pytext"
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
