package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/eval/model"
)

func newDoctor(sys *system) *cobra.Command {
	r := configs.DefaultRun()
	c := &cobra.Command{
		Use:   "doctor --model PROVIDER:NAME",
		Short: "Check a model server before an evening is spent on it",
		Long: `doctor asks a server for a few dozen short replies and reports: whether it is
reachable and has the model, its context length, whether sampling is honoured, whether
the same prompt gets the same answer, alone and under concurrency, and whether a prompt
that is too long is refused rather than cut.`,
		Example: "  heldout doctor --model vllm:my-checkpoint --concurrency 64",
		Args:    args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			if len(r.Model) != 1 || isBaseline(r.Model[0]) {
				return usage(errors.New("want one --model that a server serves, such as vllm:NAME"))
			}
			client, err := openModel(sys, r, r.Model[0])
			if err != nil {
				return usage(err)
			}
			defer client.Close()
			failed := 0
			for _, check := range model.Examine(c.Context(), client, r.ExtraBody, r.Concurrency) {
				if check.Status == model.CheckFail {
					failed++
				}
				if _, err := fmt.Fprintf(sys.stdout, "%-8s %s: %s\n", check.Status, check.Name, check.Text); err != nil {
					return err
				}
			}
			if failed > 0 {
				return fmt.Errorf("%d check(s) failed", failed)
			}
			return c.Context().Err()
		},
	}
	serverFlags(c.Flags(), &r)
	return c
}
