package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
	"heldout/eval/progress"
)

// viewOf is a run in which so many models play environments under so many conditions.
func viewOf(environments, conditions, models int, name string) (v progress.View) {
	v.Totals = "120/3744 episodes  12.3/min  ETA 4h12m10s  2 failed  812 reply tokens/s"
	for i := range models {
		v.Models = append(v.Models, fmt.Sprintf(name, i))
	}
	for _, env := range []string{"alfworld", "babyai", "sciworld", "pddl", "jericho", "hotpotqa"}[:environments] {
		for c := range conditions {
			row := progress.Row{Place: env, Perturbation: fmt.Sprint("P", c)}
			if c == 0 {
				row.Perturbation = ""
			}
			for m := range models {
				row.Cells = append(row.Cells, progress.Cell{Done: 12 * m, Planned: 134, Success: float64(m) / 8,
					Replies: 340 * m, Unreadable: 45 * m})
			}
			v.Rows = append(v.Rows, row)
		}
	}
	return v
}

// Whatever runs look like and however small a terminal is, what is drawn fits, and the last line has the totals.
func TestScreenFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := viewOf(rapid.IntRange(1, 6).Draw(t, "environments"), rapid.IntRange(1, 6).Draw(t, "conditions"),
			rapid.IntRange(1, 8).Draw(t, "models"),
			rapid.SampledFrom([]string{"m%d", "vllm:runs/模型/step-%d\x1b[2J", "ollama:llama%d:8b"}).Draw(t, "name"))
		columns, rows := rapid.IntRange(1, 220).Draw(t, "columns"), rapid.IntRange(1, 60).Draw(t, "rows")
		lines := style{bold: true, color: true}.screen(v, columns, rows)
		if len(lines) > 1 && len(lines) >= rows || breadth(lines) >= max(columns, 2) {
			t.Errorf("%d lines of %d columns on %d x %d", len(lines), breadth(lines), columns, rows)
		}
		sharedtest.Equal(t, lines[len(lines)-1], ansi.Truncate(v.Totals, columns-1, "…"), "the last line is")
	})
}

// What a terminal shows of small and of large runs.
func TestScreens(t *testing.T) {
	plain := style{}
	small := viewOf(2, 2, 2, "vllm:a/step-%d")
	small.Rows[0].Cells[0] = progress.Cell{Success: math.NaN()}
	large := viewOf(6, 6, 8, "vllm:%d")
	for _, c := range []struct {
		v             progress.View
		columns, rows int
		want          []string
	}{
		{small, 80, 24, []string{
			"done, SR              step-0           step-1",
			"alfworld                       12/134  (12.5)",
			"alfworld P1    0/134   (0.0)   12/134  (12.5)",
			"babyai         0/134   (0.0)   12/134  (12.5)",
			"babyai P1      0/134   (0.0)   12/134  (12.5)",
			"unreadable                        13% of 1360", small.Totals}},
		{large, 80, 24, []string{
			"done            all models",
			"alfworld ×6      2016/6432",
			"babyai ×6        2016/6432",
			"sciworld ×6      2016/6432",
			"pddl ×6          2016/6432",
			"jericho ×6       2016/6432",
			"hotpotqa ×6      2016/6432",
			"unreadable   13% of 342720", large.Totals}},
		{large, 25, 24, []string{"120/3744 episodes  12.3…"}},
		{large, 80, 5, []string{large.Totals}},
	} {
		sharedtest.Same(t, plain.screen(c.v, c.columns, c.rows), c.want, c.columns, c.rows)
	}
}

// emulated is a terminal with what it shows.
type emulated struct {
	lines       []string // a rune a column
	row, column int      // of the cursor
}

// write does what terminals do with the little that is sent.
func (e *emulated) write(t *rapid.T, text string) {
	for text != "" {
		sequence, _, n, _ := ansi.DecodeSequence(text, ansi.NormalState, nil)
		text = text[n:]
		switch sequence {
		case "\r":
			e.column = 0
		case "\n":
			e.row++
		case ansi.EraseLineRight:
			e.lines[e.row] = e.lines[e.row][:e.column]
		case ansi.EraseScreenBelow:
			e.lines = append(e.lines[:e.row], e.lines[e.row][:e.column])
		default:
			var up int
			if _, err := fmt.Sscanf(sequence, "\x1b[%dA", &up); err == nil || sequence == ansi.CursorUp(1) {
				e.row -= max(1, up)
				continue
			}
			if len(sequence) > 1 {
				t.Fatalf("it knows no %q", sequence)
			}
			line := e.lines[e.row]
			e.lines[e.row] = line[:e.column] + sequence + line[min(len(line), e.column+1):]
			e.column++
		}
		for len(e.lines) <= e.row {
			e.lines = append(e.lines, "")
		}
	}
}

// However lines change, a terminal shows the last ones and nothing else.
func TestRedrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := emulated{lines: []string{""}}
		line := rapid.SampledFrom([]string{"a", "bb", "ccc", "dddd"})
		var shown []string
		for range 10 {
			lines := rapid.SliceOfN(line, 1, 6).Draw(t, "lines")
			text := redrawn(shown, lines)
			e.write(t, text)
			if !slices.Equal(e.lines, lines) || e.row != len(lines)-1 || e.column != len(lines[e.row]) {
				t.Fatalf("%q from %q to %q shows %q", text, shown, lines, e.lines)
			}
			shown = lines
		}
		e.write(t, erased(shown, 80))
		if !slices.Equal(e.lines, []string{""}) {
			t.Fatalf("not erased: %q", e.lines)
		}
	})
}

// Lines that stay the same are not written again.
func TestRedrawnLines(t *testing.T) {
	sharedtest.Equal(t, redrawn([]string{"a", "b", "c"}, []string{"a", "d", "c"}), "\r\x1b[2A\r\nd\x1b[K\r\nc\x1b[K")
}

// A terminal that got narrower has wrapped the lines: all that they fill is drawn anew, as it is in any other size.
func TestResized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal strings.Builder
		columns := 80
		d := newDisplay(&terminal, func() (int, int) { return columns, 24 })
		for _, columns = range []int{80, 40, 120} {
			synctest.Wait()
			d.draw([]string{strings.Repeat("x", 60), "short"}[max(0, 80-columns)/40:])
			synctest.Wait()
		}
		d.end()
		long := strings.Repeat("x", 60) + "\x1b[K\r\nshort\x1b[K"
		want := "\r" + long + "\r\x1b[2A\x1b[J\rshort\x1b[K\r\x1b[J\r" + long + "\r\x1b[A\x1b[J"
		sharedtest.Equal(t, terminal.String(), want)
	})
}
