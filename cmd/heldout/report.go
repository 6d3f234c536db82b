package main

import (
	"bytes"
	"fmt"
	"html/template"
	"path/filepath"

	"github.com/spf13/cobra"

	"heldout/eval/show/overview"
	"heldout/eval/show/page"
	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
)

func newReport(sys *system) *cobra.Command {
	var d drawn
	var only chosen
	var out string
	c := &cobra.Command{
		Use:               "report RUN…",
		ValidArgsFunction: folders,
		Short:             "Write figures, tables and episodes of runs as one HTML file",
		Long: `report writes one HTML file from the records of runs: figures with their
exact numbers, all tables, and the episodes step by step. The file needs no
network and asks nothing of one. Open it from disk, print it, or send it. More:
heldout help figures.`,
		Example: `  heldout report runs/base runs/tuned --baseline agentrefine
  heldout report runs/step-* --order given --out training.html`,
		Args: args(1, -1, "at least one run directory"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			once, err := only.runs(sys, dirs)
			if err != nil {
				return err
			}
			d.names = only.Names
			p, err := d.page(sys, once)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := p.Write(&b); err != nil {
				return err
			}
			size := b.Len()
			if err := writeFile(out, &b); err != nil {
				return fmt.Errorf("writing the report: %w", err)
			}
			sys.say("%s: %.1f MB", out, float64(size)/1e6)
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "report.html", "file to write")
	d.flags(c)
	only.flags(c)
	only.nameFlags(c)
	return c
}

// page makes the page of runs.
func (d *drawn) page(sys *system, of []record.Chosen) (page.Page, error) {
	defer frugal()()
	from, err := d.read(sys, of, true)
	if err != nil {
		return page.Page{}, err
	}
	sections, err := overview.Sections(from)
	if err != nil {
		return page.Page{}, err
	}
	episodes, err := bundle(of)
	if err != nil {
		return page.Page{}, err
	}
	p := page.Page{
		Title: "heldout report", Styles: []template.CSS{overview.Style(), episodes.Style},
		Scripts: episodes.Scripts, Data: episodes.Data,
	}
	for _, s := range sections {
		p.Links = append(p.Links, page.Link{Href: "#" + s.ID, Text: s.Title})
		p.Body = append(p.Body, s.HTML)
	}
	p.Links = append(p.Links, page.Link{Href: "#episodes", Text: "Episodes"})
	p.Body = append(p.Body,
		`<section id="episodes" aria-labelledby="episodes-title"><h2 id="episodes-title">Episodes</h2>`, episodes.Body,
		`</section>`)
	return p, nil
}

// bundle packs the episodes of runs, or of a part of their tasks if all
// are too large.
func bundle(of []record.Chosen) (trajectory.Section, error) {
	var size int64
	for _, p := range of {
		n, err := p.Size()
		if err != nil {
			return trajectory.Section{}, err
		}
		size += n
	}
	b := trajectory.NewBundle(size)
	taken := map[string]bool{}
	for _, p := range of {
		name := filepath.Base(p.Name())
		if taken[name] {
			name = p.Name()
		}
		taken[name] = true
		var failed error
		if _, err := record.Each(p, func(_ *record.Manifest, e *record.Episode) {
			if failed == nil {
				failed = b.Add(name, e)
			}
		}); err != nil {
			return trajectory.Section{}, err
		}
		if failed != nil {
			return trajectory.Section{}, fmt.Errorf("%s: %w", p.Name(), failed)
		}
	}
	return b.Section()
}
