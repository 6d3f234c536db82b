package table

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// latexText escapes what LaTeX would read as commands or join to one sign, and
// writes the signs that our tables use so that no package is needed for them.
var latexText = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	"`", `\textasciigrave{}`, `"`, `''`, `--`, `-{}-{}`,
	`…`, `\ldots{}`, `§`, `\S{}`, `¶`, `\P{}`, `√`, `$\surd$`, `≥`, `$\geq$`, `≤`, `$\leq$`, `−`, `$-$`,
	`–`, `--`, `†`, `\dag{}`, `‡`, `\ddag{}`, `Δ`, `$\Delta$`, `±`, `$\pm$`, `×`, `$\times$`,
)

func escapeLaTeX(s string) string { return latexText.Replace(Printable(s)) }

// latexCell writes a cell; a negative number gets a minus sign in place of the
// hyphen, and a standard deviation stands as an index. Letters and marks of a number are raised.
func latexCell(c Cell) string {
	spread := ""
	if _, isText := c.Value.(string); !isText && c.Value != nil && !strings.Contains(c.Text, " to ") {
		number, letters, _ := strings.Cut(c.Text, " ")
		if letters+c.Mark != "" {
			spread = `\textsuperscript{` + escapeLaTeX(letters+c.Mark) + "}"
		}
		c.Text, c.Mark = number, ""
	}
	if c.Spread != "" {
		spread += `{\scriptsize\,$\pm$\,` + escapeLaTeX(c.Spread) + "}"
	}
	if _, isText := c.Value.(string); !isText {
		if low, high, ok := strings.Cut(c.Text, " to "); ok {
			return fmt.Sprintf("[%s, %s]", latexNumber(low), latexNumber(high))
		}
		if strings.HasPrefix(c.Text, "-") {
			return latexNumber(c.Text+c.Mark) + spread
		}
	}
	text := escapeLaTeX(c.Text + c.Mark)
	if c.Best {
		text = `\textbf{` + text + "}"
	}
	return text + spread
}

// latexNumber writes a number with a minus sign in place of the hyphen.
func latexNumber(text string) string {
	if digits, negative := strings.CutPrefix(text, "-"); negative {
		return "$-$" + escapeLaTeX(digits)
	}
	return escapeLaTeX(text)
}

// latexLimits are the limits of a rate as its indices; empty if it has none.
func latexLimits(c Cell) string {
	for _, separator := range []string{"–", " to "} {
		if low, high, ok := strings.Cut(c.Subtext, separator); ok {
			return fmt.Sprintf("$_{%s}^{%s}$", low, high)
		}
	}
	return ""
}

// latexBelow writes the line under a row, in small print; empty if the row has none.
func latexBelow(row []Cell) string {
	var cells []string
	found := false
	for _, c := range row {
		text := ""
		if c.Subtext != "" {
			found = true
			text = `{\scriptsize ` + latexSentence(c.Subtext) + "}"
		}
		cells = append(cells, text)
	}
	if !found {
		return ""
	}
	return "{}" + strings.Join(cells, " & ") + " \\\\\n"
}

// latexLabel is the label of a table: the label of the first one of a run is short. Further
// tables of one kind are numbered; counts has those before.
func latexLabel(t Table, counts map[string]int) string {
	name := "heldout"
	if t.ID != "headline" {
		name += "-" + t.ID
	}
	if counts[name]++; counts[name] > 1 {
		name += fmt.Sprintf("-%d", counts[name])
	}
	return fmt.Sprintf("\\label{tab:%s}\n", name)
}

// latexHead writes the heads of the columns, with a line of groups above it if there are any.
func latexHead(t Table) string {
	var groups, rules, heads []string
	grouped := false
	for i := 0; i < len(t.Columns); {
		c, n := t.Columns[i], 1
		for c.Group != "" && i+n < len(t.Columns) && t.Columns[i+n].Group == c.Group {
			n++
		}
		if c.Group != "" {
			grouped = true
			groups = append(groups, fmt.Sprintf("\\multicolumn{%d}{c}{%s}", n, escapeLaTeX(c.Group)))
			rules = append(rules, fmt.Sprintf("\\cmidrule(lr){%d-%d}", i+1, i+n))
		} else {
			groups = append(groups, "")
		}
		for _, column := range t.Columns[i : i+n] {
			heads = append(heads, escapeLaTeX(cmp.Or(column.Short, column.Header)))
		}
		i += n
	}
	text := "{}" + strings.Join(heads, " & ") + " \\\\\n"
	if grouped {
		text = "{}" + strings.Join(groups, " & ") + " \\\\\n" + strings.Join(rules, "") + "\n" + text
	}
	return text
}

// renderLaTeX writes table environments in the style of booktabs. An empty group
// begins every line. Otherwise LaTeX would read a first cell that starts with [
// or * as an option of the preceding command.
func renderLaTeX(b *bytes.Buffer, tables []Table) {
	b.WriteString("% needs \\usepackage{booktabs}")
	if slices.ContainsFunc(tables, Table.needsUnicode) {
		b.WriteString(", XeLaTeX or LuaLaTeX, and a font with all characters")
	}
	b.WriteByte('\n')
	counts := map[string]int{}
	for _, t := range tables {
		if len(t.Columns) == 0 { // notes alone
			for _, note := range t.Notes {
				fmt.Fprintf(b, "%% %s\n", Printable(note))
			}
			continue
		}
		for _, part := range latexParts(t) {
			part.render(b, counts)
		}
	}
}

// render writes a part of a table.
func (p latexPart) render(b *bytes.Buffer, counts map[string]int) {
	published, about, _ := strings.Cut(p.Divided, "; ")
	fmt.Fprintf(b, "\\begin{%s}\n\\centering\n%s", p.layout.environment, p.caption())
	if !p.continued {
		b.WriteString(latexLabel(p.Table, counts))
	}
	fmt.Fprintf(b, "%s\\begin{tabular}{%s}\n\\toprule\n%s\\midrule\n", p.layout.size, latexColumns(p.Table, p.broken),
		latexHead(p.Table))
	for i, row := range p.Rows {
		if p.Divided != "" && i == p.Divide {
			fmt.Fprintf(b, "\\midrule\n\\multicolumn{%d}{l}{\\footnotesize %s} \\\\\n", len(p.Columns),
				escapeLaTeX(published))
		}
		p.renderRow(b, row)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n\\par\\raggedright\n")
	if about != "" {
		fmt.Fprintf(b, "\\par\\footnotesize %s\n", escapeLaTeX(published+": "+about+"."))
	}
	for _, note := range p.latexNotes() {
		fmt.Fprintf(b, "\\par\\footnotesize %s\n", latexSentence(note))
	}
	fmt.Fprintf(b, "\\end{%s}\n", p.layout.environment)
}

// breakable lets long names of tasks be broken into lines.
var breakable = strings.NewReplacer(`\_`, `\_\allowbreak{}`, "/", `/\allowbreak{}`)

// renderRow writes a row, and below it the limits of its rates.
func (p latexPart) renderRow(b *bytes.Buffer, row []Cell) {
	var cells []string
	for i, c := range row {
		text := latexCell(c)
		if p.Compact {
			text += latexLimits(c)
		}
		if p.broken[i] > 0 {
			text = `\raggedright\let\\\tabularnewline ` + breakable.Replace(text)
		}
		cells = append(cells, text)
	}
	fmt.Fprintf(b, "{}%s \\\\\n", strings.Join(cells, " & "))
	if !p.Compact {
		b.WriteString(latexBelow(row))
	}
}

// needsUnicode reports whether a table has characters that pdfLaTeX does not know.
func (t Table) needsUnicode() bool {
	var b strings.Builder
	b.WriteString(t.Title + t.Caption + t.Divided + strings.Join(t.Notes, ""))
	for _, c := range t.Columns {
		b.WriteString(c.Header)
	}
	for _, row := range t.Rows {
		for _, c := range row {
			b.WriteString(c.FullText())
		}
	}
	return strings.ContainsFunc(escapeLaTeX(b.String()), func(r rune) bool { return r > unicode.MaxLatin1 })
}
