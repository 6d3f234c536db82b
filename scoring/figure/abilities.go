package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"heldout/scoring/column"
	"heldout/scoring/table"
)

// The sizes of the figure of abilities.
const (
	radarWidth   = vg.Length(258)
	radarGap     = vg.Length(6) // between spokes and their names
	barHeight    = vg.Length(6)
	barGap       = vg.Length(7) // between abilities
	fewestPoints = vg.Length(170)
)

// radar is a figure of ability scores: a polygon for each model, and bars with intervals.
type radar struct {
	reader
	models, abilities []string
	looks             map[string]look
	scale             axis
}

// abilities draws the scores of each model twice: as AgentBoard does, and with intervals.
func abilities(r reader, f *Figure) error {
	a := radar{reader: r, models: r.models(), abilities: r.distinct(column.Ability)}
	means := map[string]float64{}
	for row := range r.Rows {
		score, _ := r.number(row, column.AbilityScore)
		means[r.text(row, column.Model)] += score
	}
	if n := len(a.models); n > mostColored {
		published := r.match(column.Origin, column.FromPublished).distinct(column.Model)
		slices.SortStableFunc(a.models, func(x, y string) int {
			return cmp.Or(cmp.Compare(following(published, x), following(published, y)),
				cmp.Compare(means[y], means[x]))
		})
		a.models = a.models[:mostColored]
		f.Caption += fmt.Sprintf(" Of %d models %d are shown: those of runs, and then those with the highest scores.", n,
			mostColored)
	}
	a.looks = looks(a.models, means)
	rows := r.keep(func(row int) bool { return slices.Contains(a.models, r.text(row, column.Model)) })
	f.Caption += partial(rows)
	a.scale = roundAxis(0, min(1, rows.reach(0.01, column.AbilityScore, column.AbilityScore.High)), 100, "%")
	block := barHeight*vg.Length(len(a.models)) + barGap
	key := legend{lineEntries(a.models, a.looks), doubleColumn - 2}
	body := max(fewestPoints, block*vg.Length(len(a.abilities))+14)
	f.width, f.height = doubleColumn, key.height()+body
	f.draw = func(s *sheet) {
		key.draw(s)
		area := draw.Crop(s.Canvas, 0, 0, 0, -key.height())
		a.drawRadar(&sheet{draw.Crop(area, 0, radarWidth-doubleColumn, 0, 0), s.marks})
		a.drawBars(&sheet{draw.Crop(area, radarWidth, 0, 0, 0), s.marks})
	}
	return nil
}

// partial says on how much of AgentBoard's weights the scores that are shown stand; empty if on all.
func partial(rows reader) string {
	const rounding = 1e-9
	lowest := 1.0
	for row := range rows.Rows {
		weight, _ := rows.number(row, column.Weight)
		lowest = min(lowest, weight)
	}
	if lowest > 1-rounding {
		return ""
	}
	return fmt.Sprintf(" Scores are partial: on at least %.0f%% of AgentBoard's weights.", math.Floor(100*(lowest+rounding)))
}

// following is 1 for what is in a list, and 0 for what stands before it.
func following(list []string, name string) int {
	if slices.Contains(list, name) {
		return 1
	}
	return 0
}

// row is the row of a model and an ability; -1 if there is none.
func (a radar) row(model, ability string) int {
	first, second := a.Pos(column.Model.ID()), a.Pos(column.Ability.ID())
	return slices.IndexFunc(a.Rows, func(row []table.Cell) bool {
		return row[first].Text == model && row[second].Text == ability
	})
}

// exact says a score.
func (a radar) exact(row int) string {
	return fmt.Sprintf("%s, %s: %s", a.text(row, column.Model), a.text(row, column.Ability),
		a.reader.exact(row, column.AbilityScore))
}

// drawRadar draws a spoke for each ability, rings at round scores and a polygon for each model.
func (a radar) drawRadar(s *sheet) {
	center := s.Center()
	side := (s.Max.X-s.Min.X)/2 - newLabels(a.abilities).width - radarGap
	radius := min(side/vg.Length(math.Cos(math.Pi/6)), (s.Max.Y-s.Min.Y)/2-2*radarGap)
	point := func(i int, score float64) vg.Point {
		angle := math.Pi/2 - 2*math.Pi*float64(i)/float64(len(a.abilities))
		r := float64(radius) * score / a.scale.max
		return vg.Point{X: center.X + vg.Length(r*math.Cos(angle)), Y: center.Y + vg.Length(r*math.Sin(angle))}
	}
	ring := func(score func(i int) float64) (points []vg.Point) {
		for i := range len(a.abilities) + 1 {
			points = append(points, point(i%len(a.abilities), score(i%len(a.abilities))))
		}
		return points
	}
	for _, t := range a.scale.ticks[1:] {
		s.StrokeLines(thin(grid), ring(func(int) float64 { return t.Value }))
		pt := point(0, t.Value)
		s.FillText(style(small-1, soft, draw.XRight, draw.YCenter), vg.Point{X: pt.X - 2, Y: pt.Y}, t.Label)
	}
	for i, name := range a.abilities {
		end := point(i, a.scale.max)
		s.StrokeLines(thin(grid), []vg.Point{center, end})
		s.spokeName(name, center, end)
	}
	for _, model := range a.models {
		line := ring(func(i int) float64 {
			score, _ := a.number(max(0, a.row(model, a.abilities[i])), column.AbilityScore)
			return score
		})
		s.StrokeLines(a.looks[model].line, line)
		for i, ability := range a.abilities {
			if row := a.row(model, ability); row >= 0 {
				s.markAt(line[i].X, line[i].Y, 2.5, a.exact(row))
			}
		}
	}
}

// spokeName writes the name of a spoke behind its end.
func (s *sheet) spokeName(name string, center, end vg.Point) {
	st := style(small, ink, draw.XCenter, draw.YCenter)
	switch dx := end.X - center.X; {
	case dx > 1:
		st.XAlign = draw.XLeft
	case dx < -1:
		st.XAlign = draw.XRight
	}
	length := vg.Length(math.Hypot(float64(end.X-center.X), float64(end.Y-center.Y)))
	out := 1 + radarGap/length
	s.FillText(st, vg.Point{X: center.X + (end.X-center.X)*out, Y: center.Y + (end.Y-center.Y)*out}, name)
}

// drawBars draws a bar for each ability and model, from above.
func (a radar) drawBars(s *sheet) {
	names := newLabels(a.abilities)
	start, right, bottom := s.Min.X+names.width, s.Max.X-8, s.Min.Y+14
	x := func(score float64) vg.Length { return start + (right-start)*vg.Length(score/a.scale.max) }
	for _, t := range a.scale.ticks {
		s.StrokeLine2(thin(grid), x(t.Value), bottom, x(t.Value), s.Max.Y)
		s.FillText(style(small, soft, draw.XCenter, draw.YTop), vg.Point{X: x(t.Value), Y: bottom - 2}, t.Label)
	}
	s.FillText(style(small, soft, draw.XRight, draw.YTop), vg.Point{X: start - 5, Y: bottom - 2}, a.scale.label)
	y := s.Max.Y - barGap/2
	for i, ability := range a.abilities {
		middle := y - barHeight*vg.Length(len(a.models))/2
		s.FillText(labelStyle(), vg.Point{X: start - 5, Y: middle}, names.names[i])
		for _, model := range a.models {
			if row := a.row(model, ability); row >= 0 {
				a.drawBar(s, row, x, y-barHeight/2)
			}
			y -= barHeight
		}
		y -= barGap
	}
}

// drawBar draws a bar with its interval; the bar of a published score is hollow.
func (a radar) drawBar(s *sheet, row int, x func(float64) vg.Length, y vg.Length) {
	score, ok := a.number(row, column.AbilityScore)
	if !ok {
		return
	}
	const half = barHeight*0.5 - 0.8
	c := a.looks[a.text(row, column.Model)].color
	if a.text(row, column.Origin) != column.FromPublished {
		box(s, faded(c, 0.35), x(0), y-half, x(score), y+half)
	}
	s.StrokeLines(thin(c), []vg.Point{{X: x(0), Y: y - half}, {X: x(score), Y: y - half}, {X: x(score), Y: y + half},
		{X: x(0), Y: y + half}})
	if low, ok := a.number(row, column.AbilityScore.Low); ok {
		high, _ := a.number(row, column.AbilityScore.High)
		s.StrokeLine2(solid(c), x(low), y, x(high), y)
	}
	s.mark(x(0), y-half, max(x(score), x(0)+3), y+half, a.exact(row))
}
