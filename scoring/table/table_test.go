package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// nasty are texts that some rendering would trip over.
var nasty = []string{
	"plain", "", " blanks around ", "pipe | pipe", "a & b", "snake_case_name", "100 %", "one, two", `say "hello"`,
	"it's", "''quoted''",
	"two\nlines", "carriage\rreturn", "CR\r\nLF", "tab\tbed", `back\slash`, `\n`, `ends in \`, "$x$", "# heading",
	"x^2", "~tilde~ ~~struck~~", "{braces} }{", "<b>bold</b>",
	"&amp; &#65;", "`code`", "``", "*star* **two**", "_under_ __two__", "[link](http://example.org)", "![image](x)",
	"[1em]", "*", "- item", "-5", "+ item", "1. item", "=", "a--b---c", "?` !`",
	"\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "C1 \u009b31m", "\x00\x08\x7f", "bidi \u202eevil\u202c \u2066x\u2069",
	"zero\u200bwidth\u200d\ufeff", "blank\u00a0\u3000\u2028\u2029",
	"木漢字", "e\u0301 combining", "ＡＢ", "ö ß İ", "👍 👩\u200d👩\u200d👧", "אבג", "=SUM(A1)", "-- comment", "\xff\xfe", "\\. ",
}

// nastyTable has every nasty text as a cell, as a header and as a note, and every kind of cell.
func nastyTable() Table {
	t := Table{
		ID: "nasty", Title: `Nasty & "odd" | texts_` + "\n\x1b[1m",
		Columns: []Column{
			{Key: "text", Header: "[Text] | & _", Words: true},
			{Key: "number", Header: "N %"},
			{Key: "rate", Header: "木 $"},
			{Key: "again", Header: "*Again*\n", Words: true},
		},
		Notes: []string{"* A note: 100 % & <more>_.", "- no list", "1. no list", "  indented | \x1b[31m",
			"# no heading", "+", "=", "Δ ± × – † ‡"},
	}
	numbers := []Cell{
		Int(0), Int(-7), Percent(1.0 / 6), Percent(0), Percent(1), Percent(math.Copysign(0, -1)), Percent(-0.0001),
		Percent(math.NaN()), Percent(math.Inf(1)),
		Points(0.25), Points(-0.25), Points(0), Points(0.0001), Points(-0.0001), Points(math.NaN()),
		Probability(0.5), Probability(0.0004), Probability(1), Probability(math.NaN()), None(),
		Percent(0.5).Marked("*"), Percent(0.5).Marked("*").Marked("†"), None().Marked("‡"), String("text").Marked("_"),
	}
	for i, text := range nasty {
		t.Rows = append(t.Rows, []Cell{
			String(text), numbers[i%len(numbers)], numbers[(i+1)%len(numbers)], String(nasty[(i+7)%len(nasty)]),
		})
	}
	return t
}

func render(t interface {
	Helper()
	Fatal(...any)
}, f Format, tables ...Table) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, f, tables...); err != nil {
		t.Fatal(f, err)
	}
	return b.String()
}

// TestGolden shows what the renderings look like; -update writes them anew.
func TestGolden(t *testing.T) {
	small := Table{
		ID: "small", Title: "Small", Columns: []Column{{Key: "a", Header: "A"}, {Key: "b", Header: "B", Words: true}},
		Rows: [][]Cell{{Percent(0.125), String("x")}, {None(), String("long text")}}, Notes: []string{"A note."},
	}
	empty := Table{ID: "empty", Title: "Empty", Columns: small.Columns, Notes: []string{"Nothing to see."}}
	for _, f := range Formats() {
		for name, tables := range map[string][]Table{"nasty": {nastyTable()}, "several": {small, empty, small}} {
			t.Run(string(f)+" "+name, func(t *testing.T) {
				file := filepath.Join("testdata", name+"."+string(f))
				got := render(t, f, tables...)
				if *update {
					sharedtest.OK(t, os.WriteFile(file, []byte(got), 0o644))
				}
				want := sharedtest.Must(os.ReadFile(file))(t)
				sharedtest.Same(t, got, string(want), file)
			})
		}
	}
}

// A text that a spreadsheet would compute is a text for it; numbers stay numbers.
func TestCSVFormulas(t *testing.T) {
	table := Table{ID: "t", Columns: []Column{{Key: "a"}, {Key: "b"}}}
	for _, text := range []string{"=1+1", "+1", "-1", "@a", " =1", "\t=1", "＝1", "'a", "", "a=1", "–"} {
		table.Rows = append(table.Rows, []Cell{String(text), Points(-0.5)})
	}
	want :=
		"a,b\n'=1+1,-0.5\n'+1,-0.5\n'-1,-0.5\n'@a,-0.5\n' " +
			"=1,-0.5\n'\t=1,-0.5\n'＝1,-0.5\n''a,-0.5\n,-0.5\na=1,-0.5\n–,-0.5\n"
	sharedtest.Same(t, render(t, CSV, table), want)
}

func TestCells(t *testing.T) {
	for _, c := range []struct {
		cell  Cell
		text  string
		value any
	}{
		{Percent(1.0 / 3), "33.3", 1.0 / 3}, {Percent(0.9996), "100.0", 0.9996}, {Percent(0.00049), "0.0", 0.00049},
		{Percent(math.Copysign(0, -1)), "0.0", 0.0}, {Percent(-0.0001), "0.0", -0.0001},
		{Percent(math.NaN()), "–", nil}, {Percent(math.Inf(-1)), "–", nil},
		{Points(0.1), "+10.0", 0.1}, {Points(-0.1), "-10.0", -0.1}, {Points(0), "0.0", 0.0},
		{Points(0.0004), "0.0", 0.0004}, {Points(-0.0004), "0.0", -0.0004}, {Points(math.NaN()), "–", nil},
		{Probability(0.0421), "0.042", 0.0421}, {Probability(0.00099), "<0.001", 0.00099},
		{Probability(0.001), "0.001", 0.001},
		{Probability(1), "1.000", 1.0}, {Probability(math.NaN()), "–", nil}, {Probability(math.Inf(1)), "–", nil},
		{Int(-3), "-3", -3}, {String(""), "", ""}, {None(), "–", nil},
	} {
		sharedtest.Same(t, c.cell, Cell{Text: c.text, Value: c.value})
		if rate, ok := c.cell.Value.(float64); ok && rate == 0 && math.Signbit(rate) {
			t.Error("there is a negative zero")
		}
	}
	if got := Int(1).Marked("*").Marked("†"); got.Mark != "*†" || got.Text != "1" {
		t.Errorf("%+v", got)
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"a b": "a b", "a\nb\tc\rd": `a\nb\tc\rd`, "\x1b[0m": `\x1b[0m`, "\u009b": `\u009b`, "\u202e": `\u202e`,
		"\U000e0001": `\U000e0001`, `\n`: `\n`, "木e\u0301": "木e\u0301", "\xff": "\ufffd", "it's": "it's",
	} {
		sharedtest.Equal(t, Printable(in), want, in)
	}
}

func TestRenderErrors(t *testing.T) {
	uneven := nastyTable()
	uneven.Rows[3] = uneven.Rows[3][:2]
	for _, f := range Formats() {
		var b bytes.Buffer
		if err := Render(&b, f, uneven); err == nil ||
			!strings.Contains(err.Error(), "table nasty: row 4 has 2 cells for 4 columns") || b.Len() > 0 {
			t.Errorf("%s: error %v after %d bytes", f, err, b.Len())
		}
		if err := Render(failing{}, f, nastyTable()); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: error %v", f, err)
		}
	}
	if err := Render(io.Discard, "html"); err == nil ||
		!strings.Contains(err.Error(), `unknown format "html"; there are text markdown csv latex json`) {
		t.Errorf("error %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestRenderNothing(t *testing.T) {
	for f, want := range map[Format]string{Text: "", Markdown: "", CSV: "", LaTeX: "% needs \\usepackage{booktabs}\n",
		JSON: "[]\n"} {
		sharedtest.Equal(t, render(t, f), want, f)
	}
}

// check holds for a rendering of any table.
type check func(*testing.T, Table, string)

var checks = map[Format]check{Text: checkText, Markdown: checkMarkdown, CSV: checkCSV, LaTeX: checkLaTeX,
	JSON: checkJSON}

func TestNasty(t *testing.T) {
	for f, check := range checks {
		t.Run(string(f), func(t *testing.T) { check(t, nastyTable(), render(t, f, nastyTable())) })
	}
}

// checkText asks for printing characters alone, and for a table whose lines end at the same place.
func checkText(t *testing.T, want Table, text string) {
	if !utf8.ValidString(text) {
		t.Error("the text is not UTF-8")
	}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("line %d has %q: %q", i+1, r, line)
			}
		}
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if n := 5 + len(want.Rows) + len(want.Notes); len(lines) != n { // a title, a header and three rules
		t.Fatalf("%d lines, want %d:\n%s", len(lines), n, text)
	}
	for _, line := range lines[1 : 5+len(want.Rows)] {
		if narrow, wide := width(line), width(lines[1]); narrow != wide {
			t.Errorf("%d columns, want %d: %q", narrow, wide, line)
		}
	}
}

// width is the number of columns that a text takes on a terminal, for the characters of our nasty texts.
func width(s string) (n int) {
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case unicode.In(r, unicode.Han), r >= 0xff01 && r <= 0xff60, r >= 0x1f300 && r <= 0x1faff:
			n += 2
		default:
			n++
		}
	}
	return n
}

var unescapedPipe = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\|`)

// checkMarkdown counts the columns of every line of the table, and reads the cells back.
func checkMarkdown(t *testing.T, want Table, text string) {
	var rows []string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "|") {
			rows = append(rows, line)
		}
	}
	if len(rows) != 2+len(want.Rows) {
		t.Fatalf("%d rows, want %d:\n%s", len(rows), 2+len(want.Rows), text)
	}
	for i, row := range rows {
		// Two | side by side are none of ours: every cell has blanks around it.
		if n := len(unescapedPipe.FindAllString(row, -1)); n != len(want.Columns)+1 {
			t.Errorf("row %d has %d lines between its columns: %s", i, n, row)
			continue
		}
		if i < 2 {
			continue
		}
		cells := splitMarkdown(row)
		for j, c := range want.Rows[i-2] {
			if got, want := strings.TrimSpace(unescapeMarkdown(cells[j])), plainMarkdown(c.Text+c.Mark); got != want {
				t.Errorf("row %d: %q reads as %q, want %q", i, cells[j], got, want)
			}
		}
	}
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("there is %q", r)
		}
	}
	if i := strings.IndexAny(text, "<"); i >= 0 && strings.Count(text, "<") != strings.Count(text, "<br>") {
		t.Errorf("there is HTML: %.40q", text[i:])
	}
}

// splitMarkdown returns the cells of a row.
func splitMarkdown(row string) (cells []string) {
	start := 1
	for i := 1; i < len(row); i++ {
		switch row[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, row[start:i])
			start = i + 1
		}
	}
	return cells
}

// unescapeMarkdown reads a cell as Markdown does.
func unescapeMarkdown(cell string) string {
	var b strings.Builder
	for i := 0; i < len(cell); i++ {
		if cell[i] == '\\' && i+1 < len(cell) {
			i++
		}
		b.WriteByte(cell[i])
	}
	return strings.NewReplacer("<br>", "\n", "&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(b.String())
}

// plainMarkdown is what a reader of a cell can get of a text at best: blanks around it do not count.
func plainMarkdown(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Printable(line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// checkCSV reads the values back. Control characters are escaped but for tabs and line feeds.
func checkCSV(t *testing.T, want Table, text string) {
	r := csv.NewReader(strings.NewReader(text))
	records := sharedtest.Must(r.ReadAll())(t)
	if len(records) != 1+len(want.Rows) {
		t.Fatalf("%d records, want %d:\n%s", len(records), 1+len(want.Rows), text)
	}
	for i, c := range want.Columns {
		sharedtest.Equal(t, records[0][i], c.Key, "column", i)
	}
	for i, row := range want.Rows {
		for j, c := range row {
			got := records[i+1][j]
			switch v := c.Value.(type) {
			case string:
				v = valid(v)
				hasControl := strings.ContainsFunc(v, Obeyed)
				if first, _ := utf8.DecodeRuneInString(strings.TrimSpace(got)); strings.ContainsRune("=+-@＝＋－＠",
					first) {
					t.Errorf("row %d: a spreadsheet takes %q for a formula", i, got)
				}
				got = strings.TrimPrefix(got, "'")
				if !hasControl && got != v || hasControl && got == v {
					t.Errorf("row %d: %q, want %q", i, got, v)
				}
			case float64:
				if number, err := strconv.ParseFloat(got, 64); err != nil || number != v {
					t.Errorf("row %d: %q, want %v", i, got, v)
				}
			case nil:
				sharedtest.Equal(t, got, "", "row", i)
			}
		}
	}
	for _, r := range text {
		if Obeyed(r) {
			t.Errorf("there is %q", r)
		}
	}
}

// valid replaces bytes that are no UTF-8, as encoding/json does.
func valid(s string) string { return string([]rune(s)) }

// checkJSON reads the values back, text and numbers alike.
func checkJSON(t *testing.T, want Table, text string) {
	var got []struct {
		ID, Title string
		Rows      []map[string]any
		Notes     []string
	}
	sharedtest.OK(t, json.Unmarshal([]byte(text), &got))
	if len(got) != 1 || got[0].ID != want.ID || got[0].Title != valid(want.Title) ||
		len(got[0].Rows) != len(want.Rows) {
		t.Fatalf("read %+v", got)
	}
	for i, note := range want.Notes {
		sharedtest.Equal(t, got[0].Notes[i], valid(note), "note", note)
	}
	for i, row := range want.Rows {
		entries := map[string]any{}
		for j, c := range row {
			v := c.Value
			switch x := v.(type) {
			case int:
				v = float64(x)
			case string:
				v = valid(x)
			}
			entries[want.Columns[j].Key] = v
			if c.Mark != "" {
				entries[want.Columns[j].Key+":mark"] = valid(c.Mark)
			}
		}
		sharedtest.Same(t, got[0].Rows[i], entries, "row", i)
	}
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("there is %q", r)
		}
	}
}

// latexCommands are the commands that our tables use.
var latexCommands = regexp.MustCompile(`\\(?:begin|end|centering|caption|label|toprule|midrule|bottomrule|par|` +
	`raggedright|let|tabularnewline|allowbreak|addtocounter|footnotesize|small|scriptsize|setlength|tabcolsep|` +
	`textsuperscript|usepackage|` +
	`textbackslash|textasciicircum|textasciitilde|textasciigrave|textless|textgreater|textbar|` +
	`dag|ddag|Delta|pm|times|surd|ldots|geq|leq|S|P)\b|\\[{}$&#_%\\]`)

// checkLaTeX takes out the commands and escapes that we write. What is left must
// be plain text, balanced groups, the signs between cells and closed mathematics.
func checkLaTeX(t *testing.T, want Table, text string) {
	first, rest, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(first, `% needs \usepackage{booktabs}`) {
		t.Errorf("it begins with %q", first)
	}
	rows := 0
	for _, line := range strings.Split(rest, "\n") {
		if strings.HasSuffix(line, ` \\`) {
			rows++
			if !strings.HasPrefix(line, "{}") {
				t.Errorf("a row that may be taken for an option: %q", line)
			}
			if n := strings.Count(strings.ReplaceAll(line, `\&`, ""), "&"); n != len(want.Columns)-1 {
				t.Errorf("%d columns: %q", n+1, line)
			}
		}
	}
	if heads := strings.Count(text, `\toprule`); heads == 0 || rows != heads+len(want.Rows) {
		t.Errorf("%d rows and %d heads, want %d rows", rows, heads, len(want.Rows))
	}
	left := latexCommands.ReplaceAllString(rest, "")
	depth := 0
	for i, r := range left {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case '\\', '#', '_', '%', '^', '~', '"', '`', '<', '>', '|':
			t.Errorf("a bare %q: %.60q", r, left[max(0, i-20):])
		}
		if depth < 0 {
			t.Fatalf("a group that was not begun: %.60q", left[max(0, i-20):])
		}
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("there is %q", r)
		}
	}
	sharedtest.Equal(t, depth, 0, "groups that are not closed")
	for _, line := range strings.Split(left, "\n") {
		sharedtest.Equal(t, strings.Count(line, "$")%2, 0, "mathematics without an end", line)
		if strings.Contains(line, "---") {
			t.Errorf("hyphens that join to a dash: %q", line)
		}
	}
	if strings.Count(text, `\begin{`) != strings.Count(text, `\end{`) {
		t.Error("environments are not closed")
	}
}

// FuzzRender renders any texts in every format.
func FuzzRender(f *testing.F) {
	for i, text := range nasty {
		f.Add(text, nasty[(i+11)%len(nasty)], nasty[(i+23)%len(nasty)], 0.5)
	}
	f.Fuzz(func(t *testing.T, a, b, note string, rate float64) { checkAll(t, a, b, note, math.Mod(rate, largest)) })
}

// largest is a number that a column has room for: larger ones spread a table over several.
const largest = 1e12

func TestRenderHolds(t *testing.T) {
	piece := rapid.OneOf(rapid.SampledFrom(nasty), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string { return piece.Draw(t, "a") + piece.Draw(t, "b") })
		checkAll(t, text.Draw(rt, "cell"), text.Draw(rt, "mark"), text.Draw(rt, "note"),
			rapid.Float64Range(-largest, largest).Draw(rt, "rate"))
		if t.Failed() {
			rt.FailNow()
		}
	})
}

func checkAll(t *testing.T, a, b, note string, rate float64) {
	t.Helper()
	want := Table{
		ID: "fuzz", Title: note,
		Columns: []Column{{Key: "a", Header: b, Words: true}, {Key: "b", Header: a}},
		Rows:    [][]Cell{{String(a), Percent(rate).Marked(b)}, {String(b).Marked(a), Points(rate)}},
		Notes:   []string{note},
	}
	for f, check := range checks {
		got := render(t, f, want)
		if f == Text && !knownWidth(a+b) {
			continue // how wide it is, is tablewriter's word against ours
		}
		check(t, want, got)
	}
}

// knownWidth reports that width knows every character of a text.
func knownWidth(s string) bool {
	return !strings.ContainsFunc(Printable(s), func(r rune) bool { return r > 0xff && !unicode.In(r, unicode.Han) })
}

// LaTeX leaves out the notes that a caption stands for, and no others; numbers have minus signs.
func TestLaTeXNotes(t *testing.T) {
	text := render(t, LaTeX, Table{
		ID: "headline", Caption: "Rates.", Captioned: []string{"A legend."}, Columns: []Column{{Key: "a", Header: "A"}},
		Rows:  [][]Cell{{{Text: "-1.0", Value: -1.0, Subtext: "-2 to -1"}}},
		Notes: []string{"A claim: -2.5.", "A legend."},
	})
	if !strings.Contains(text, `footnotesize A claim: $-$2.5.`) || !strings.Contains(text, `{\scriptsize $-$2 to $-$1}`) ||
		strings.Contains(text, "A legend") {
		t.Error(text)
	}
}

// What is written as LaTeX compiles with a real engine.
func TestLaTeXCompiles(t *testing.T) {
	engine, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("there is no pdflatex: apt-get install texlive-latex-recommended brings one with booktabs")
	}
	small := Table{ID: "headline", Title: "Small", Caption: "A caption & 50 %.", Divide: 1, Divided: "published; 100 %",
		Columns: []Column{{Key: "a", Header: "A_b", Words: true}, {Key: "b", Header: "B^2 %"}},
		Rows: [][]Cell{
			{String("x & y_$"), {Text: "62.7 a", Value: 0.627, Subtext: "54–71", Best: true}},
			{String("[1em]"), {Text: "-1.0", Value: -0.01, Subtext: "-3.1 to 22.0", Mark: "*†‡§¶"}},
			{String("é ü ß …"), None()},
		},
		Notes: []string{"† Held in: \\input{x} <b> # ~ ^ ` \" -- --- ± × Δ."}}
	compact := small
	compact.Compact, compact.ID = true, "other"
	odd := nastyTable()
	for i, row := range odd.Rows {
		for j, c := range row {
			odd.Rows[i][j].Text = strings.Map(func(r rune) rune {
				if r > unicode.MaxLatin1 {
					return '-'
				}
				return r
			}, c.Text)
		}
	}
	odd.Columns[2].Header = "$ \\"
	dir := t.TempDir()
	text := "\\documentclass{article}\n\\usepackage[T1]{fontenc}\\usepackage{booktabs}\n\\begin{document}\n" +
		render(t, LaTeX, small, compact, odd) + "\\end{document}\n"
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, "t.tex"), []byte(text), 0o600))
	run := exec.Command(engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "t.tex")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, text, out[max(0, len(out)-2000):])
	}
}

// Bold: terminals that show it have the best cells in bold, in the same places, and are told what they are.
func TestBold(t *testing.T) {
	plain := Table{ID: "x", Title: "x", Columns: []Column{{Key: "a", Header: "A"}, {Key: "b", Header: "B"}},
		Rows:     [][]Cell{{{Text: "62.7 a", Subtext: "54–71", Best: true}, Percent(0.1)}, {Percent(0.25), Percent(1)}},
		BestSaid: "Bold: the best group."}
	bold := plain
	bold.Bold = true
	var texts [2]strings.Builder
	for i, of := range []Table{plain, bold} {
		sharedtest.OK(t, Render(&texts[i], Text, Fit([]Table{of}, 80)...))
	}
	want := strings.Replace(texts[0].String(), "62.7 a", "\x1b[1m62.7 a\x1b[m", 1) + "Bold: the best group.\n"
	if got := texts[1].String(); got != want || strings.Contains(texts[0].String(), "\x1b") {
		t.Errorf("%q, want %q", got, want)
	}
}
