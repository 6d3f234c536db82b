package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"heldout/envs/hotpotqa/wiki/index"
)

func newWiki(sys *system) *cobra.Command {
	c := &cobra.Command{
		Use:   "wiki",
		Short: "Build an index of Wikipedia for HotpotQA without the network",
		Args:  args(1, 1, "a command: build"),
		RunE: func(c *cobra.Command, names []string) error {
			return unknownPart(c, names[0])
		},
	}
	c.AddCommand(newWikiBuild(sys))
	return c
}

func newWikiBuild(sys *system) *cobra.Command {
	var dir string
	var quiet bool
	c := &cobra.Command{
		Use:   "build FILE... --out DIR",
		Short: "Make an index of HotpotQA's files or of the Wikipedia dump",
		Long: `build makes the index that --wiki offline --wiki-index DIR searches. FILE is:
  - a HotpotQA question file with contexts (hotpot_dev_distractor_v1.json or
    hotpot_dev_fullwiki_v1.json): its paragraphs become the articles. This small
    Wikipedia is easy to search, and tables mark results on it.
  - the dump enwiki-20171001-pages-meta-current-withlinks-abstracts.tar.bz2, or
    the folder that it unpacks to: the introductions of all articles.
The same command continues a build that was stopped.`,
		Example: `  heldout wiki build DIR/hotpotqa/hotpot_dev_distractor_v1.json --out wiki/own
  heldout run --env hotpotqa --data DIR --wiki offline --wiki-index wiki/own`,
		Args: args(1, -1, "at least one file"),
		RunE: func(c *cobra.Command, files []string) error {
			show := newBuildProgress(sys, quiet)
			about, err := index.Build(c.Context(), dir, files, show.show)
			show.finish()
			if c.Context().Err() != nil {
				return fmt.Errorf("stopped; what is finished is kept in %s, and the same command continues", dir)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(sys.stdout, "%s: %d articles, hash %s\n", dir, about.Articles, about.Hash)
			return err
		},
	}
	c.Flags().StringVar(&dir, "out", "", "folder of the index")
	c.Flags().BoolVar(&quiet, "quiet", false, "show no progress while the index is built")
	if err := c.MarkFlagRequired("out"); err != nil {
		panic(err) // the flag is there
	}
	return c
}

// buildProgress shows the progress of a build.
type buildProgress struct {
	now     func() time.Time
	started time.Time
	every   time.Duration
	shown   time.Time
	display *display
	quiet   bool // shows nothing
	last    index.Progress
}

func newBuildProgress(sys *system, quiet bool) *buildProgress {
	p := &buildProgress{now: sys.now, started: sys.now(), shown: sys.now(), every: lineEvery, display: sys.display,
		quiet: quiet}
	if sys.interactive {
		p.every = barEvery
	}
	return p
}

// show receives the progress of the build.
func (p *buildProgress) show(at index.Progress) {
	p.last = at
	if !p.quiet && p.now().Sub(p.shown) >= p.every {
		p.shown = p.now()
		p.display.show(p.line())
	}
}

func (p *buildProgress) line() string {
	rate := 0.0
	if seconds := p.now().Sub(p.started).Seconds(); seconds > 0 {
		rate = float64(p.last.Articles-p.last.Skipped) / seconds
	}
	return fmt.Sprintf("%d articles  %.1f%% of the files read  %.0f articles/s",
		p.last.Articles, 100*float64(p.last.Bytes)/float64(max(1, p.last.Total)), rate)
}

// finish shows a last line, which stays.
func (p *buildProgress) finish() {
	if !p.quiet && p.last.Total > 0 {
		p.display.note(p.line())
	}
}
