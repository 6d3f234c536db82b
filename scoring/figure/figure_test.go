package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring/column"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// rateRows is a table with rates of models on two environments.
func rateRows(id string, models ...string) table.Table {
	t := table.Table{ID: id, Title: "Rates", Notes: []string{"A note."}, Columns: columnsOf(id)}
	for _, env := range []string{"alfworld", "pddl"} {
		for i, model := range models {
			p := float64(i) / float64(len(models))
			from := "run"
			low, high := table.Percent(p/2), table.Percent((1+p)/2)
			if i%3 == 2 {
				from, low, high = "published", table.None(), table.None()
			}
			t.Rows = append(t.Rows, []table.Cell{
				table.String(env), table.String(model), table.String(from), table.String("60 official"),
				table.Percent(p).Marked("*"), low, high, table.Percent(1 - p), low, high,
			})
		}
	}
	return t
}

// tables are the tables of runs.
type tables []table.Table

// Checkpoints implements TableSource: all models are.
func (all tables) Checkpoints() []string {
	if len(all) == 0 {
		return nil
	}
	return reader{Table: all[0]}.distinct(column.Model)
}

// Tables implements TableSource.
func (all tables) Tables(kind string) (out []table.Table) {
	for _, t := range all {
		if t.ID == kind {
			out = append(out, t)
		}
	}
	return out
}

// columnsOf are the columns of a kind of table, so that a figure that reads another one fails.
func columnsOf(id string) []table.Column {
	if id == "robustness" {
		return column.Sweep([]string{"base", "P1"})
	}
	k, _ := report.Find(id)
	return k.Columns()
}

// filled is a table of a kind with values under some keys; its other cells are empty.
func filled(id, keys string, rows ...[]any) table.Table {
	t := table.Table{ID: id, Title: id, Columns: columnsOf(id)}
	for _, values := range rows {
		cells := slices.Repeat([]table.Cell{table.None()}, len(t.Columns))
		for i, key := range strings.Fields(keys) {
			show := table.Percent
			switch {
			case key == "p":
				show = table.Probability
			case strings.HasPrefix(key, "difference"):
				show = table.Points
			}
			switch v := values[i].(type) {
			case float64:
				cells[t.Pos(key)] = show(v)
			case int:
				cells[t.Pos(key)] = table.Int(v)
			case string:
				cells[t.Pos(key)] = table.String(v)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// everyTable has something for every figure.
func everyTable(models ...string) tables {
	rates := rateRows("rates", models...)
	heldOut := rates.Rows[0]
	heldOut = append([]table.Cell{table.String("held-out score")}, heldOut[1:]...)
	rates.Rows = append(rates.Rows, heldOut)
	all := tables{rates}
	add := func(id string, keys string, row func(model string, i int) [][]any) {
		var rows [][]any
		for i, model := range models {
			rows = append(rows, row(model, i)...)
		}
		all = append(all, filled(id, keys, rows...))
	}
	add("abilities", "model ability from ability_score ability_score_low ability_score_high weight",
		func(m string, i int) (rows [][]any) {
			for k, name := range []string{"memory", "planning", "spatial navigation"} {
				rows = append(rows, []any{m, name, "run", 0.1 * float64((k+i)%9), 0.0, 1.0, 0.5})
			}
			return rows
		})
	add("verdict", "environment model against rate difference difference_low difference_high p", func(m string,
		i int) [][]any {
		return [][]any{{"pddl", m, "base", "SR", -0.1, -0.2, 0.1, 0.5}}
	})
	add("tasks", "environment index task type model episodes success progress", func(m string, i int) (rows [][]any) {
		for k := range 7 {
			rows = append(rows, []any{"pddl", k, fmt.Sprintf("t%d", k), "gripper", m, 2, float64(k%3) / 2, 0.5})
		}
		return rows
	})
	add("steps", "environment model step success success_low success_high progress progress_low progress_high",
		func(m string, i int) (rows [][]any) {
			for k := range 3 + i {
				rows = append(rows, []any{"pddl", m, k + 1, 0.1 * float64(k%9), 0.0, 1.0, 0.5, 0.4, 0.6})
			}
			return rows
		})
	add("pass-at-k",
		"environment model tries pass pass_low pass_high best_progress best_progress_low best_progress_high",
		func(m string, i int) (rows [][]any) {
			for k := range 3 + i {
				rows = append(rows, []any{"pddl", m, k + 1, 0.1 * float64(k%9), 0.0, 1.0, 0.5, 0.4, 0.6})
			}
			return rows
		})
	add("robustness", "model rate condition_base condition_P1 average sample_std", func(m string, i int) [][]any {
		return [][]any{{m, "SR", 0.5, 0.25, 0.4, 0.1}, {m, "PR", 0.5, 0.25, 0.4, 0.1}}
	})
	add("dose", "environment model combined_grade families sets rate value value_low value_high",
		func(m string, i int) (rows [][]any) {
			for _, rate := range []string{"SR", "PR"} {
				for _, n := range []int{0, 1, 2, 4, 9} {
					rows = append(rows, []any{"pddl", m, "2", n, 1, rate, 0.9 / float64(n+1), 0.0, 1.0},
						[]any{"pddl", m, "drawn", n, 1, rate, 0.5, 0.4, 0.6})
				}
			}
			return rows
		})
	add("families", "environment model family grade rate value difference difference_low difference_high",
		func(m string, i int) (rows [][]any) {
			for _, rate := range []string{"SR", "PR"} {
				for _, family := range []string{"verbs", "names", "order"} {
					rows = append(rows, []any{"pddl", m, family, 2, rate, 0.5, -0.1, -0.2, 0.05})
				}
			}
			return rows
		})
	return all
}

// Every kind is drawn in every format, for one model and for thirty, and the same bytes come out again.
func TestFormats(t *testing.T) {
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf("vllm:a-checkpoint-with-a-rather-long-name/step-%d", 1000*i))
	}
	for _, models := range [][]string{{"expert"}, many} {
		all, names := everyTable(models...), Names()
		if len(models) > 1 {
			names = sharedtest.Sample(t, names, 1)
		}
		for _, name := range names {
			f, err := New(name, all)
			if err != nil {
				t.Fatalf("%v; everyTable has the rows of each figure's table", err)
			}
			for _, format := range Formats() {
				if format == "png" && name != "rates" || format == "pdf" && len(models) > 1 {
					continue // the drawing is the same
				}
				var b, again bytes.Buffer
				if err := f.Write(&b, format); err != nil {
					t.Fatalf("%s.%s: %v", name, format, err)
				}
				if err := f.Write(&again, format); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
					t.Errorf("%s.%s: other bytes the second time (%v)", name, format, err)
				}
				switch format {
				case "svg":
					wellFormed(t, name, b.Bytes())
				case "png":
					if _, err := png.Decode(&b); err != nil {
						t.Errorf("%s.png: %v", name, err)
					}
				case "pdf":
					if !bytes.HasPrefix(b.Bytes(), []byte("%PDF-")) {
						t.Errorf("%s.pdf begins with %.10q", name, b.Bytes())
					}
				}
			}
		}
	}
}

func wellFormed(t *testing.T, name string, document []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(document))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}

// Inline figures are well-formed, have a mark for each number, and use classes for every color.
func TestInline(t *testing.T) {
	for _, name := range Names() {
		f := sharedtest.Must(New(name, everyTable("expert", "vllm:a", "paper")))(t)
		element, marks, err := f.Inline()
		sharedtest.OK(t, err)
		wellFormed(t, name, []byte(element))
		if n := strings.Count(string(element), "<title>"); n == 0 || n != marks {
			t.Errorf("%s has %d titles for %d marks", name, n, marks)
		}
		for _, bad := range []string{"style=", "#0", "href", "<script", "NaN", "Inf"} {
			if strings.Contains(string(element), bad) {
				t.Errorf("%s has %q in it: %s", name, bad, element)
			}
		}
	}
	f := sharedtest.Must(New("families", everyTable("expert")))(t)
	element, _, err := f.Inline()
	sharedtest.OK(t, err)
	for _, path := range regexp.MustCompile(`<(path|text) [^>]*>`).FindAllString(string(element), -1) {
		sharedtest.Contains(t, path, ` class="`)
	}
	f, err = New("rates", everyTable("expert"))
	sharedtest.OK(t, err)
	element, _, err = f.Inline()
	if want := "<title>alfworld, expert: SR 0.0* (95% 0.0 to 50.0)</title>"; err != nil ||
		!strings.Contains(string(element), want) {
		t.Errorf("no mark says %s", want)
	}
}

// A difference has a filled dot only if it is significant after correction, whatever its interval, and says its p.
func TestDecided(t *testing.T) {
	for _, c := range []struct {
		p     float64
		rings int
	}{{0.137, 1}, {0.049, 0}} {
		paired := filled("verdict", "environment model against rate difference difference_low difference_high p",
			[]any{"pddl", "m", "base", "SR", 0.3, 0.1, 0.5, c.p})
		family := filled("families", "environment model family grade rate difference difference_low difference_high p",
			[]any{"pddl", "m", "verbs", 2, "SR", 0.3, 0.1, 0.5, c.p})
		for _, name := range []string{"differences", "families"} {
			f := sharedtest.Must(New(name, tables{paired, family}))(t)
			element, _, err := f.Inline()
			sharedtest.OK(t, err)
			if want := fmt.Sprintf("+30.0 (95%% +10.0 to +50.0), p %.3f</title>",
				c.p); !strings.Contains(string(element), want) {
				t.Errorf("%s: no mark says %s", name, want)
			}
			ring := regexp.MustCompile(`<path d="[^"]*A[^"]*" fill="none"[^>]* class="s-c0">`)
			sharedtest.Equal(t, len(ring.FindAllString(string(element), -1)), c.rings, name, c.p)
		}
	}
}

// Names of models are text, whatever they hold, and no name makes a figure wide.
func TestHostileNames(t *testing.T) {
	hostile := []string{
		"</svg><script>alert(1)</script>", "\x1b[31mred\x00\x07", "\u202eback", "\xff\xfe", "]]>&amp;<!--",
		strings.Repeat("long ", 40_000), "名前", "",
	}
	all := everyTable(hostile...)
	for _, name := range sharedtest.Sample(t, Names(), 4) {
		f := sharedtest.Must(New(name, all))(t)
		for _, format := range Formats() {
			if format == "png" && name != "rates" {
				continue // the same texts
			}
			var b bytes.Buffer
			if err := f.Write(&b, format); err != nil {
				t.Fatalf("%s.%s: %v", name, format, err)
			}
			if format == "svg" {
				wellFormed(t, name, b.Bytes())
			}
		}
		element, _, err := f.Inline()
		sharedtest.OK(t, err)
		wellFormed(t, name, []byte(element))
		for _, bad := range []string{"<script", "\x1b", "\x00", "\u202e", "\xff"} {
			if strings.Contains(string(element), bad) {
				t.Errorf("%s has %q in it", name, bad)
			}
		}
		if len(element) > 2_000_000 {
			t.Errorf("%s has %d bytes", name, len(element))
		}
	}
}

// What the records lack is said.
func TestNothingToShow(t *testing.T) {
	var empty *EmptyError
	for _, name := range Names() {
		if _, err := New(name, tables(nil)); !errors.As(err, &empty) {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
	if _, err := New("pie", tables(nil)); err == nil || errors.As(err, &empty) {
		t.Errorf("an unknown figure: %v", err)
	}
	sharedtest.Fails(t, sharedtest.Err(FormatOf("a.gif")), "", "GIF is a format")
}

// Ticks are round numbers that hold all values.
func TestRoundAxis(t *testing.T) {
	for _, c := range []struct {
		low, high, factor float64
		want              string
	}{
		{0, 7, 1, "0 2 4 6 8"}, {0, 30, 1, "0 10 20 30"}, {-0.1, 0.1, 100, "-10 -5 0 5 10"},
		{0, 123456, 1, "0 50k 100k 150k"}, {0, 0, 1, "0 0.25 0.5 0.75 1"},
	} {
		a := roundAxis(c.low, c.high, c.factor, "")
		var labels []string
		for _, tick := range a.ticks {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want || a.min > c.low || a.max < c.high {
			t.Errorf("axis of %g to %g: %s (%g to %g), want %s", c.low, c.high, got, a.min, a.max, c.want)
		}
	}
}

// A matrix has each value in the cell of its model and task, tasks in their order.
func TestMatrixHasItsCells(t *testing.T) {
	values, rows := map[string][]float64{"one": {0.25, 0.5, 1}, "other": {0, 0.75, 0.5}}, [][]any(nil)
	for _, model := range []string{"one", "other"} {
		for _, task := range []int{2, 0, 1} {
			rows = append(rows, []any{model, task, fmt.Sprint("t", task), "kind", 4, values[model][task]})
		}
	}
	of := filled("tasks", "model index task type episodes success", rows...)
	m := newMatrix(reader{Table: of})
	if m.tasks != 3 || m.perColumn != 1 {
		t.Fatalf("%d tasks, %d in a column", m.tasks, m.perColumn)
	}
	for i, model := range m.models {
		for task, want := range values[model] {
			c := m.cells[i][task]
			if c.n != 1 || c.sum != want || !strings.Contains(c.text, fmt.Sprintf("task %d, t%d", task, task)) {
				t.Errorf("%s, task %d: %+v, want %v", model, task, c, want)
			}
		}
	}
}

// A table whose title is what the runs show is called by its name in panels.
func TestSentencesAreNoTitles(t *testing.T) {
	said := table.Table{Title: "A loses 5 points", Caption: "Robustness on ALFWorld: A loses 5 points. Paired by task."}
	plain := table.Table{Title: "Robustness on PDDL", Caption: "Another caption."}
	sharedtest.Equal(t, nameOf(said)+", "+nameOf(plain), "Robustness on ALFWorld, Robustness on PDDL")
}
