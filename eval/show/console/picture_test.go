package console

import (
	"math"
	"strconv"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

var small = envs.Picture{Rows: [][]envs.Glyph{
	{{Text: "##"}, {Text: "Kr", Color: envs.Red, Lit: true}},
	{{Text: "> ", Lit: true}, {Text: "Oe", Color: envs.Grey}},
}}

func TestBeside(t *testing.T) {
	text := []string{"one two three four five six seven eight", "", "nine"}
	for name, c := range map[string]struct {
		columns int
		colored bool
		want    []string
	}{
		"plain": {34, false, []string{
			"##Kr   one two three four five six", "> Oe   seven eight", "       ", "       nine",
		}},
		"colored": {80, true, []string{
			"##\x1b[38;5;210;48;5;238mKr\x1b[0m   one two three four five six seven eight",
			"\x1b[38;5;255;48;5;238m> \x1b[0m\x1b[38;5;244mOe\x1b[0m   ", "       nine",
		}},
		"no room": {30, false, []string{"##Kr", "> Oe", text[0], "", "nine"}},
	} {
		sharedtest.Same(t, sideBySide(small, text, c.columns, c.colored), c.want, name)
	}
}

// luminance is the relative luminance of a color of xterm's palette, from 16 on
// (WCAG 2.1; the palette's cube and greys).
func luminance(t *testing.T, color string) float64 {
	n, err := strconv.Atoi(color)
	if err != nil || n < 16 || n > 255 {
		t.Fatalf("color %q", color)
	}
	levels := []float64{0, 95, 135, 175, 215, 255}
	rgb := []float64{levels[(n-16)/36%6], levels[(n-16)/6%6], levels[(n-16)%6]}
	if n >= 232 {
		grey := float64(8 + 10*(n-232))
		rgb = []float64{grey, grey, grey}
	}
	for i, v := range rgb {
		if v /= 255; v <= 0.04045 {
			rgb[i] = v / 12.92
		} else {
			rgb[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
}

// Every color has a contrast of at least 3 to its background, which for plain glyphs may be black or white.
func TestContrast(t *testing.T) {
	check := func(name, color, background string) {
		a, b := luminance(t, color), luminance(t, background)
		if contrast := (max(a, b) + 0.05) / (min(a, b) + 0.05); contrast < 3 {
			t.Errorf("%s (%s) on %s has a contrast of %.1f", name, color, background, contrast)
		}
	}
	for name, color := range plainColors {
		check(string(name), color, "16")
		check(string(name), color, "231")
	}
	for name, color := range litColors {
		check(string(name), color, litBackground)
	}
}
