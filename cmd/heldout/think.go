package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"heldout/eval/training"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

const thinkMaxTokens = 128

func newThink(sys *system, c *cobra.Command) {
	a, t := newModelCalls(0, thinkMaxTokens), &training.Thinking{}
	c.RunE = func(c *cobra.Command, path []string) error {
		if err := a.check(); err != nil {
			return err
		}
		t.ModelCalls, t.Seed = a.calls(sys), a.seed
		steps, err := t.Prepare(path[0])
		if err != nil {
			return err
		}
		if a.dry {
			_, err := fmt.Fprintf(sys.stdout, "folder: %s\n%s, one per step; replies of at most %d tokens\n",
				t.Dir, table.Counted(steps, "call"), a.run.MaxTokens)
			return err
		}
		missing, err := t.Write(c.Context())
		if err != nil {
			return err
		}
		sys.say("thoughts: %s", filepath.Join(t.Dir, record.ThoughtsFile))
		return withoutResult(missing, "episode")
	}
	a.flags(c)
	f := c.Flags()
	f.StringVar(&t.Prompt, "prompt", "", "")
}
