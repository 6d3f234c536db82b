package console

import (
	"strings"
	"unicode/utf8"

	"heldout/envs"
	"heldout/scoring/table"
)

// The widths, in characters: of everything without a terminal, between picture
// and text, and the least for text beside a picture.
const (
	plainColumns = 120
	gutter       = 3
	leastText    = 24
)

// sideBySide lays out a picture with text to its right or, if there is no room, below it.
func sideBySide(p envs.Picture, text []string, columns int, colored bool) []string {
	var out []string
	width := 0
	for _, row := range p.Rows {
		line, n := draw(row, colored)
		out = append(out, line)
		width = max(width, n)
	}
	room := columns - width - gutter
	if room < leastText {
		return append(out, text...)
	}
	var lines []string
	for _, line := range text {
		lines = append(lines, table.Wrap(line, room)...)
	}
	for i, line := range lines {
		if i == len(out) {
			out = append(out, strings.Repeat(" ", width))
		}
		out[i] += strings.Repeat(" ", gutter) + line
	}
	return out
}

// draw writes a row of a picture and says how many characters are seen of it.
func draw(row []envs.Glyph, colored bool) (line string, width int) {
	var b strings.Builder
	for _, g := range row {
		width += utf8.RuneCountInString(g.Text)
		if codes := style(g); colored && codes != "" {
			b.WriteString("\x1b[" + codes + "m" + g.Text + "\x1b[0m")
		} else {
			b.WriteString(g.Text)
		}
	}
	return b.String(), width
}

// The colors of glyphs, as numbers of xterm's palette of 256. Terminals have light and dark backgrounds, so plain
// glyphs have colors of medium brightness, which can be read on both. What the agent sees has a dark background of
// its own, and brighter colors on it.
var (
	plainColors = map[envs.Color]string{
		envs.Red: "160", envs.Green: "28", envs.Blue: "33", envs.Purple: "134", envs.Yellow: "136", envs.Grey: "244",
	}
	litColors = map[envs.Color]string{
		"": "255", envs.Red: "210", envs.Green: "77", envs.Blue: "117", envs.Purple: "183", envs.Yellow: "221",
		envs.Grey: "250",
	}
)

const litBackground = "238"

// style returns what a terminal is told (ISO 6429, SGR) to show a glyph.
func style(g envs.Glyph) string {
	if g.Lit {
		return "38;5;" + litColors[g.Color] + ";48;5;" + litBackground
	}
	if color := plainColors[g.Color]; color != "" {
		return "38;5;" + color
	}
	return ""
}
