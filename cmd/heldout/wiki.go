package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"heldout/envs/hotpotqa/wiki/index"
)

func newWiki(sys *system) *cobra.Command {
	c := &cobra.Command{
		Use:   "wiki",
		Short: "Build an index of Wikipedia for HotpotQA without the network",
		Args:  args(1, 1, "a command: build"),
		RunE: func(_ *cobra.Command, names []string) error {
			return usage(fmt.Errorf("unknown command %q; there is build", names[0]))
		},
	}
	c.AddCommand(newWikiBuild(sys))
	return c
}

func newWikiBuild(sys *system) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "build FILE... --out DIR",
		Short: "Make an index from HotpotQA's own files or from the dump of Wikipedia of 2017",
		Long: `build makes the index that --wiki offline --wiki-index DIR searches. FILE is one of
  - HotpotQA's question files with contexts (hotpot_dev_distractor_v1.json,
    hotpot_dev_fullwiki_v1.json): their paragraphs become the articles, which is a small
    Wikipedia that is easy to search, and results on it are marked so;
  - the dump enwiki-20171001-pages-meta-current-withlinks-abstracts.tar.bz2, or the folder
    that it unpacks to: the introductions of all articles.
A build that was stopped goes on where it was when the same command is given again.`,
		Example: `  heldout wiki build DIR/hotpotqa/hotpot_dev_distractor_v1.json --out wiki/contexts
  heldout wiki build enwiki-20171001-pages-meta-current-withlinks-abstracts.tar.bz2 --out wiki/2017
  heldout run --env hotpotqa --data DIR --wiki offline --wiki-index wiki/2017 --model vllm:NAME --base-url http://HOST:8000/v1`,
		Args: args(1, -1, "at least one file"),
		RunE: func(c *cobra.Command, files []string) error {
			show := newBuildProgress(sys)
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
	if err := c.MarkFlagRequired("out"); err != nil {
		panic(err) // the flag is there
	}
	return c
}

// buildProgress shows how a build gets on: a bar on a terminal, a line now and
// then elsewhere.
type buildProgress struct {
	stderr  io.Writer
	now     func() time.Time
	started time.Time
	shown   time.Time
	bar     *progressbar.ProgressBar // nil without a terminal
	last    index.Progress
}

func newBuildProgress(sys *system) *buildProgress {
	p := &buildProgress{stderr: sys.stderr, now: sys.now, started: sys.now(), shown: sys.now()}
	if sys.interactive {
		p.bar = progressbar.NewOptions64(1, progressbar.OptionSetWriter(sys.stderr), progressbar.OptionShowBytes(true),
			progressbar.OptionSetPredictTime(true), progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(barEvery))
	}
	return p
}

// show is told how far the build has come.
func (p *buildProgress) show(at index.Progress) {
	p.last = at
	if p.bar != nil {
		p.bar.ChangeMax64(at.Total)
		p.bar.Describe(fmt.Sprintf("%d articles", at.Articles))
		_ = p.bar.Set64(at.Bytes) // a terminal that is gone is no reason to stop
		return
	}
	if p.now().Sub(p.shown) >= lineEvery {
		p.shown = p.now()
		p.line()
	}
}

func (p *buildProgress) line() {
	rate := 0.0
	if seconds := p.now().Sub(p.started).Seconds(); seconds > 0 {
		rate = float64(p.last.Articles-p.last.Skipped) / seconds
	}
	fmt.Fprintf(p.stderr, "%d articles  %.1f%% of the files read  %.0f articles/s\n",
		p.last.Articles, 100*float64(p.last.Bytes)/float64(max(1, p.last.Total)), rate)
}

// finish ends the display.
func (p *buildProgress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
	if p.last.Total > 0 {
		p.line()
	}
}
