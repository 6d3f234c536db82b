package main

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"heldout/eval/bench"
	"heldout/eval/show/overview"
	"heldout/eval/training/export"
)

func newReport(sys *system, c *cobra.Command) {
	var d drawnFigure
	var only chosen
	var out string
	c.RunE = func(c *cobra.Command, dirs []string) error {
		if ext := filepath.Ext(out); ext != "" && ext != ".html" && ext != ".htm" {
			return usage(fmt.Errorf("--out is %q, and report writes HTML: name a file that ends in .html; heldout plot "+
				"writes figures, and heldout compare --format tables", out))
		}
		once, err := only.runs(sys, dirs)
		if err != nil {
			return err
		}
		sys.saveMemory()
		d.Names, d.Prices, d.HeldIn = only.Names, only.Prices, only.HeldIn
		prompts := bench.Prompts{Worlds: &bench.Worlds{Texts: bench.Texts{Outside: sys.outside()}}, NoWorlds: true}
		episodes, err := overview.NewCollector(once, prompts.Sent)
		if err != nil {
			return err
		}
		d.Companion = episodes.Beside(c.Context())
		data, err := d.read(sys, once, true)
		if err != nil {
			return err
		}
		text, err := overview.HTML(data, episodes)
		if err != nil {
			return err
		}
		err = export.WriteFile(out, true, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		if err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
		sys.say("%s: %.1f MB", out, float64(len(text))/1e6)
		return nil
	}
	c.Flags().StringVar(&out, "out", "report.html", "")
	d.flags(c)
	only.flags(c)
	only.modelFlags(c, "names", "prices", "held-in")
}

// saveMemory is for commands that keep all attempts in memory, which a heap that grows by 100 % doubles.
func (sys *system) saveMemory() {
	if sys.getenv("GOGC") == "" {
		debug.SetGCPercent(60)
	}
}
