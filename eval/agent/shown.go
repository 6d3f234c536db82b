package agent

import (
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
