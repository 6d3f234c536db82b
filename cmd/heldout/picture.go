package main

import (
	"strings"
	"unicode/utf8"

	"heldout/envs"
)

// The widths, in characters: of everything without a terminal, between picture
// and text, and the least for text beside a picture.
const (
	plainColumns = 120
	gutter       = 3
	leastText    = 24
)

// beside lays out a picture with text to its right or, if there is no room,
// below it.
func beside(p envs.Picture, text []string, columns int, colored bool) []string {
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
	for i, line := range wrap(text, room) {
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

// style returns what a terminal is told (ISO 6429, SGR) to show a glyph: its
// color, and a dark background where the agent sees it.
func style(g envs.Glyph) string {
	code := map[envs.Color]string{
		envs.Red: "91", envs.Green: "92", envs.Blue: "94", envs.Purple: "95", envs.Yellow: "93", envs.Grey: "37",
	}[g.Color]
	switch {
	case g.Lit && code != "":
		return code + ";48;5;238"
	case g.Lit:
		return "48;5;238"
	}
	return code
}

// wrap breaks lines at spaces so that they fit; a longer word stays whole.
func wrap(lines []string, width int) (out []string) {
	for _, line := range lines {
		for utf8.RuneCountInString(line) > width {
			line = strings.Trim(line, " ")
			at := breakAt(line, width)
			if at < 0 {
				break
			}
			out = append(out, strings.TrimRight(line[:at], " "))
			line = strings.TrimLeft(line[at:], " ")
		}
		out = append(out, line)
	}
	return out
}

// breakAt returns where to break a line that does not start with a space: at the
// last space up to width, or else the first, or else nowhere (-1).
func breakAt(line string, width int) int {
	n, last := 0, -1
	for at, r := range line {
		if n > width && last >= 0 {
			break
		}
		if r == ' ' {
			last = at
			if n >= width {
				break
			}
		}
		n++
	}
	return last
}
