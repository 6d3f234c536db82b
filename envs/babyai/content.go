package babyai

import (
	"fmt"
	"strings"

	"heldout/envs"
	"heldout/envs/engine/minigrid"
)

// Content is the envs.Task.Content of a task, by its name: tasks have it in common if they
// begin in one world with one mission. Small levels have few worlds, so that seeds repeat
// them. Content generates the world, and reports a name that no task has.
func Content(id string) (string, error) {
	p, err := parsePlace(id)
	if err != nil {
		return "", err
	}
	w, err := generate(minigrid.NewGenerator(p.level), p.seed)
	if err != nil {
		return "", err
	}
	return envs.TextContent(w.Mission() + " " + worldText(w)), nil
}

// worldText is the pose of the agent, what it carries, and what is in every cell and box.
func worldText(w *minigrid.World) string {
	var b strings.Builder
	write := func(o minigrid.Object) {
		fmt.Fprintln(&b, o.Kind, o.Color, o.State, w.Object(o.Content).Code)
	}
	width, height := w.Size()
	fmt.Fprintln(&b, width, height, w.Agent())
	write(w.Object(w.Carrying()))
	for y := range height {
		for x := range width {
			_, o := w.ObjectAt(minigrid.Point{X: x, Y: y})
			write(o)
		}
	}
	return b.String()
}
