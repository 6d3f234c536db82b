package agent

import (
	"context"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
)

// written writes the list of admissible actions as a model sees it.
func (f *formed) written(admissible []string) string {
	shown := f.play.ActionsShown
	var items []string
	for _, action := range admissible {
		if slices.Contains(shown.Exclude, action) {
			continue
		}
		if shown.Item != "" {
			action = strings.ReplaceAll(shown.Item, "{action}", action)
		}
		items = append(items, action)
	}
	return shown.Before + strings.Join(items, shown.Separator) + shown.After
}

// actionsOf is the list that a turn shows now.
func (f *formed) actionsOf(i int) string {
	if f.play.ActionsShown.When == configs.Latest && i < len(f.turns)-1 {
		return ""
	}
	return f.turns[i].actions
}

// task tells the task.
func task(o configs.Observation, start envs.Start) string {
	text := o.Task
	if text == "" {
		text = "{goal}\n{observation}"
	}
	return strings.NewReplacer("{goal}", start.Goal, "{observation}", start.Observation).Replace(text)
}

// showActions asks for the admissible actions if the current turn shows them.
func (f *formed) showActions(ctx context.Context) error {
	when := f.play.ActionsShown.When
	if when == configs.Never || when == configs.First && f.number() > 1 {
		return nil
	}
	list, err := f.admissible(ctx)
	f.last().actions = f.written(list)
	return err
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
