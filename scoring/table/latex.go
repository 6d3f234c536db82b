package table

import (
	"fmt"
	"io"
	"strings"
)

// latexText escapes what LaTeX would read as commands or join to one sign, and
// writes the signs that our tables use so that no package is needed for them.
var latexText = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	"`", `\textasciigrave{}`, `"`, `''`, `--`, `-{}-{}`,
	`–`, `--`, `†`, `\dag{}`, `‡`, `\ddag{}`, `Δ`, `$\Delta$`, `±`, `$\pm$`, `×`, `$\times$`,
)

func escapeLaTeX(s string) string { return latexText.Replace(Printable(s)) }

// latexCell writes a cell; a negative number gets a minus sign in place of the
// hyphen.
func latexCell(c Cell) string {
	if _, isText := c.Value.(string); !isText {
		if digits, negative := strings.CutPrefix(c.Text, "-"); negative {
			return "$-$" + escapeLaTeX(digits+c.Mark)
		}
	}
	return escapeLaTeX(c.Text + c.Mark)
}

// renderLaTeX writes table environments in the style of booktabs. An empty group
// begins every line. Otherwise LaTeX would read a first cell that starts with [
// or * as an option of the preceding command.
func renderLaTeX(w io.Writer, tables []Table) error {
	var b strings.Builder
	b.WriteString("% needs \\usepackage{booktabs}\n")
	for _, t := range tables {
		var columns strings.Builder
		var header []string
		for _, c := range t.Columns {
			if c.Left {
				columns.WriteByte('l')
			} else {
				columns.WriteByte('r')
			}
			header = append(header, escapeLaTeX(c.Header))
		}
		fmt.Fprintf(&b, "\\begin{table}\n\\centering\n\\caption{%s}\n\\begin{tabular}{%s}\n\\toprule\n{}%s \\\\\n\\midrule\n",
			escapeLaTeX(t.Title), columns.String(), strings.Join(header, " & "))
		for _, row := range t.Rows {
			var cells []string
			for _, c := range row {
				cells = append(cells, latexCell(c))
			}
			fmt.Fprintf(&b, "{}%s \\\\\n", strings.Join(cells, " & "))
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n")
		for _, note := range t.Notes {
			fmt.Fprintf(&b, "\\par\\footnotesize %s\n", escapeLaTeX(note))
		}
		b.WriteString("\\end{table}\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
