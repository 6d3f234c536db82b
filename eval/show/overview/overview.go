// Package overview makes the page of a report: what the runs show, on one screen, and then
// a section for each of its reasons.
// Every figure has its exact numbers beside it: as titles of its marks, and as a
// table that unfolds.
package overview

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/eval/show/page"
	"heldout/eval/show/trajectory"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/figure"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// sectionPlan is a section, as sections.yaml describes it.
type sectionPlan struct {
	IDs                 []string `yaml:"ids"`
	Title, Intro, Alone string
}

//go:embed sections.yaml
var sectionsText []byte

// plans are the sections in order.
var plans = datafile.Embedded[[]sectionPlan](sectionsText)

// shows says what sections show, in a sentence, and extras have what stands in them before the figures.
var (
	shows = map[string]func(*content) string{"differences": mainDuel, "failures": mainReason, "cost": tokens,
		"robustness": func(c *content) string { return strings.Join(perturbed(c.Report), " ") }}
	extras = map[string]func(*content) template.HTML{"differences": duelLists, "failures": failureLists,
		"method": method}
)

var (
	//go:embed overview.css
	style string
	//go:embed first.html
	firstText string
	//go:embed section.html
	sectionText string
	//go:embed lists.html
	listsText string

	templates = func() *template.Template {
		t := template.New("").Funcs(template.FuncMap{
			"reasons": trajectory.Reasons, "shown": page.CellText, "printable": table.Printable,
			"place": placeName, "apart": func(p claim.Scope) bool { return p == claim.HeldOut },
			"drawn": drawn, "limits": limits,
			"hundred": func(x float64) string { return fmt.Sprintf("%.1f", 100*x) },
			"width":   func(x float64) string { return fmt.Sprintf("%.1f", x) },
			"count":   count,
			"plus":    func(a, b int) int { return a + b },
		})
		for name, text := range map[string]string{"first": firstText, "section": sectionText, "lists": listsText} {
			template.Must(t.New(name).Parse(text))
		}
		return t
	}()
)

// pageStyle is the style of sections and of the figures in them.
func pageStyle() template.CSS { return template.CSS(style) + figure.CSS() }

// HTML is the page of a report of runs, with their episodes.
func HTML(source *report.Report, collected *Collector) ([]byte, error) {
	e, err := collected.Episodes(source)
	if err != nil {
		return nil, err
	}
	p, err := Page(source, e)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = p.Write(&b)
	return b.Bytes(), err
}

// Linked makes the page of a report of runs whose episodes have pages elsewhere, by the names of their runs.
func Linked(runs []record.Chosen, source *report.Report, addresses trajectory.Addresses) (page.Page, error) {
	return Page(source, newEpisodes(table.Each(runs, record.Chosen.String), source, addresses))
}

// elsewhere names the section of the page in place of the option that prints a table.
var elsewhere = strings.NewReplacer(": --table notes", " under Method", ": --table verdict", " under Where they differ")

// Page makes the page of a report with its episodes.
func Page(rep *report.Report, e *Episodes) (page.Page, error) {
	h := rep.Headline()
	h.Notes, h.Verdict = table.Each(h.Notes, elsewhere.Replace), table.Each(h.Verdict, elsewhere.Replace)
	found := findings{Report: rep, episodes: e, headline: h, duels: e.duels(rep.Claims()),
		failing: e.failures(h.Lines, rep.Places())}
	p := page.Page{Title: table.Printable(h.Title), Lead: lead(e, rep, h), Class: "report",
		Styles: []template.CSS{pageStyle()}, Scripts: []template.JS{page.Script}}
	start := first{Headline: h, Cards: cards(rep, h, found.duels, found.failing)}
	var sections []template.HTML
	for _, plan := range plans() {
		s, err := newContent(plan, &found)
		if err != nil {
			return p, err
		}
		if s.empty() {
			continue
		}
		start.Links = append(start.Links, navLink{s.ID, s.Title})
		sections = append(sections, page.Fragment(templates, "section", s))
	}
	if e.bundle != nil {
		start.Links = append(start.Links, navLink{"episodes", "Episodes"})
	}
	// A card leads to a section that is there.
	start.Cards = slices.DeleteFunc(start.Cards, func(c card) bool {
		return !slices.ContainsFunc(start.Links, func(l navLink) bool { return l.ID == c.ID })
	})
	p.Body = append([]template.HTML{page.Fragment(templates, "first", start)}, sections...)
	if e.bundle == nil {
		return p, nil
	}
	episodes := e.bundle.Section()
	p.Styles, p.Data, p.Scripts = append(p.Styles, episodes.Style), episodes.Data,
		append(p.Scripts, episodes.Scripts...)
	p.Body = append(p.Body,
		`<section id="episodes" aria-labelledby="episodes-title"><h2 id="episodes-title">Episodes</h2>`,
		episodes.Body, `</section>`)
	return p, nil
}

// findings are what several sections are made from.
type findings struct {
	*report.Report
	episodes *Episodes
	headline report.Headline
	duels    []duel
	failing  []failing
	printed  []string // notes on marks, which the page says once each
}

// content is what the template of a section shows.
type content struct {
	*findings
	ID, Title, Intro, Finding string
	More                      template.HTML
	Figures                   []drawing
	Tables                    []page.Grid
}

// drawing is a figure on a page.
type drawing struct {
	Name, Title, Caption string
	SVG                  template.HTML
	Marked               []string // the notes that explain marks, and are always shown
	Numbers              page.Grid
}

func (c content) empty() bool { return len(c.Figures)+len(c.Tables) == 0 && c.More == "" }

func newContent(p sectionPlan, f *findings) (*content, error) {
	c := &content{findings: f, ID: p.IDs[0], Title: p.Title, Intro: p.Intro}
	if p.Alone != "" && len(f.headline.Lines) < 2 {
		c.Title = p.Alone
	}
	for _, id := range p.IDs {
		if err := c.add(id); err != nil {
			return c, err
		}
	}
	if show := shows[c.ID]; show != nil {
		c.Finding = show(c)
	}
	if extra := extras[c.ID]; extra != nil {
		c.More = extra(c)
	}
	return c, nil
}

// add adds the figures and tables that are in a section, each table once.
func (c *content) add(id string) error {
	var drawn []string // tables that are there as the numbers of figures
	for _, k := range figure.Kinds() {
		if k.Section != id {
			continue
		}
		d, err := newDrawing(k, c.Report)
		var empty *figure.EmptyError
		if errors.As(err, &empty) {
			continue
		}
		if err != nil {
			return err
		}
		d.Marked = slices.DeleteFunc(d.Marked, func(note string) bool { return slices.Contains(c.printed, note) })
		c.printed = append(c.printed, d.Marked...)
		c.Figures = append(c.Figures, d)
		drawn = append(drawn, d.Numbers.ID)
	}
	for _, k := range report.In(id) {
		for _, t := range c.Report.Tables(k.ID) {
			if !slices.Contains(drawn, t.ID) {
				c.Tables = append(c.Tables, newGrid(t))
			}
		}
	}
	return nil
}

func newDrawing(k figure.Kind, src figure.TableSource) (drawing, error) {
	f, err := figure.New(k.Name, src)
	if err != nil {
		return drawing{}, err
	}
	d := drawing{Name: f.Name, Title: f.Title, Caption: f.Caption}
	if d.SVG, _, err = f.Inline(); err != nil {
		return drawing{}, err
	}
	numbers := f.Table
	if k.Lines != nil {
		numbers = pivot(numbers, k.Lines, k.Values)
	}
	d.Numbers = newGrid(numbers)
	d.Numbers.Title = "Numbers: " + f.Title
	for _, note := range f.Table.Notes {
		if first, _ := utf8.DecodeRuneInString(note); strings.ContainsRune("*#†‡¶§", first) {
			d.Marked = append(d.Marked, table.Printable(note))
		}
	}
	return d, nil
}

// newGrid makes a table ready for the page, with the proper names of environments.
func newGrid(t table.Table) page.Grid {
	g := page.NewGrid(t)
	for i, c := range t.Columns {
		if c.Key != column.Environment.Key {
			continue
		}
		for _, row := range g.Rows {
			row[i].Text = envs.PlaceTitle(row[i].Text)
		}
	}
	return g
}

// pivot makes a table with a line for each combination of some columns and a column for
// each model. The limits of an interval stand behind the value.
func pivot(t table.Table, lines []table.Column, values table.Bounded) table.Table {
	out := table.Table{ID: t.ID, Title: t.Title, Notes: t.Notes, Columns: slices.Clone(lines)}
	place, line := map[string]int{}, map[string]int{} // of models, and of lines
	model, v := t.Pos(column.Model.Key), t.Pos(values.Key)
	low := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == values.Low.Key })
	for _, row := range t.Rows {
		if name := row[model].Text; place[name] == 0 {
			place[name] = len(out.Columns)
			out.Columns = append(out.Columns, table.Column{Key: name, Header: name})
		}
	}
	for _, row := range t.Rows {
		var id strings.Builder
		for _, c := range lines {
			fmt.Fprintf(&id, "%s\n", row[t.Pos(c.Key)].Text)
		}
		n, ok := line[id.String()]
		if !ok {
			n = len(out.Rows)
			line[id.String()] = n
			cells := slices.Repeat([]table.Cell{table.None()}, len(out.Columns))
			for i, c := range lines {
				cells[i] = row[t.Pos(c.Key)]
			}
			out.Rows = append(out.Rows, cells)
		}
		cell := row[v]
		if low >= 0 && row[low].Value != nil {
			cell.Mark += fmt.Sprintf(" (%s–%s)", row[low].Text, row[t.Pos(values.High.Key)].Text)
		}
		out.Rows[n][place[row[model].Text]] = cell
	}
	return out
}

// runTable says what the directories hold.
func runTable(runs []report.NamedRun) table.Table {
	t := table.Table{ID: "runs", Title: "Runs", Columns: column.Heads("directory models environments finished planned")}
	for _, r := range runs {
		var models, environments []string
		finished, planned := episodes(r)
		for _, s := range r.Scores {
			models, environments = append(models, s.Condition.Model), append(environments, envs.Title(s.Condition.Env))
		}
		t.Rows = append(t.Rows, []table.Cell{
			table.String(r.Name), table.String(listed(models)), table.String(listed(environments)), table.Int(finished),
			table.Int(planned),
		})
	}
	return t
}

// listed lists names, each once. Of many it lists the first.
func listed(names []string) string {
	const maxNames = 8
	once := table.AppendNew(nil, names...)
	if len(once) > maxNames {
		return fmt.Sprintf("%s and %d more", strings.Join(once[:maxNames-1], ", "), len(once)-maxNames+1)
	}
	return strings.Join(once, ", ")
}
