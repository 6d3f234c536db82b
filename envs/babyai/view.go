package babyai

import (
	"heldout/envs"
	"heldout/envs/engine/minigrid"
)

// View implements envs.Viewer.
func (w *world) View() envs.Picture {
	m := w.game.world
	agent := m.Agent()
	lit := map[minigrid.Point]bool{}
	view := m.ViewFrom(agent)
	for j := range minigrid.ViewSize {
		for i := range minigrid.ViewSize {
			if view.Cell(i, j).Kind != minigrid.Unseen {
				lit[agent.InView(i, j)] = true
			}
		}
	}
	width, height := m.Size()
	p := envs.Picture{Legend: []string{
		"> v < ^ agent  K key  O ball  B box  D door  L locked door  _ open door  # wall  . in sight",
		"r red  g green  b blue  p purple  y yellow  e grey",
	}}
	for y := range height {
		row := make([]envs.Glyph, 0, width)
		for x := range width {
			pos := minigrid.Point{X: x, Y: y}
			_, o := m.ObjectAt(pos)
			g := glyph(o.Code, lit[pos])
			if pos == agent.Point {
				g = envs.Glyph{Text: string(">v<^"[agent.Dir]) + " "}
			}
			g.Lit = lit[pos]
			row = append(row, g)
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// glyph draws the contents of a cell: two characters.
func glyph(c minigrid.Code, lit bool) envs.Glyph {
	symbol := map[minigrid.Kind]string{minigrid.Key: "K", minigrid.Ball: "O", minigrid.Box: "B"}[c.Kind]
	switch c.Kind {
	case minigrid.Wall:
		return envs.Glyph{Text: "##"}
	case minigrid.Door:
		symbol = [...]string{minigrid.Open: "_", minigrid.Closed: "D", minigrid.Locked: "L"}[c.State]
	case minigrid.Empty:
		if lit {
			return envs.Glyph{Text: ". "}
		}
		return envs.Glyph{Text: "  "}
	}
	letter := c.Color.String()[:1]
	if c.Color == minigrid.Grey {
		letter = "e" // g is green
	}
	return envs.Glyph{Text: symbol + letter, Color: envs.Color(c.Color.String())}
}
