package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs/catalog"
	"heldout/eval/model"
)

func newDoctor(sys *system) *cobra.Command {
	r := configs.DefaultRun()
	c := &cobra.Command{
		Use:   "doctor [ENV | --model PROVIDER:NAME]",
		Short: "Check an environment, or a model server before an evening is spent on it",
		Long: `doctor ENV says what an environment needs, what of it is missing, and how to get it.

doctor --model asks a server for a few dozen short replies and reports: whether it is
reachable and has the model, its context length, whether sampling is honoured, whether
the same prompt gets the same answer, alone and under concurrency, and whether a prompt
that is too long is refused rather than cut.`,
		Example: "  heldout doctor sciworld\n  heldout doctor --model vllm:my-checkpoint --concurrency 64",
		Args:    args(0, 1, "one environment, or none and a --model"),
		RunE: func(c *cobra.Command, names []string) error {
			if len(names) > 0 && len(r.Model) > 0 {
				return usage(errors.New("want an environment or a --model, not both"))
			}
			if len(names) > 0 {
				return examineEnv(c.Context(), sys, names[0], r.Setup)
			}
			if len(r.Model) != 1 || isBaseline(r.Model[0]) {
				return usage(errors.New("want one --model that a server serves, such as vllm:NAME, or the name of an environment"))
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
	taskSource(c, sys, &r.Setup)
	return c
}

// examineEnv checks what an environment needs.
func examineEnv(ctx context.Context, sys *system, name string, s configs.Setup) error {
	entry, err := catalog.Find(name)
	if err != nil {
		return usage(err)
	}
	if err := checkSetup([]string{name}, s); err != nil {
		return usage(err)
	}
	if entry.Examine == nil {
		_, err := fmt.Fprintf(sys.stdout, "ok       %s: it needs nothing but heldout; official tasks need --data\n", name)
		return err
	}
	failed := 0
	for _, check := range entry.Examine(ctx, s) {
		status := model.CheckOK
		if !check.OK {
			status, failed = model.CheckFail, failed+1
		}
		if _, err := fmt.Fprintf(sys.stdout, "%-8s %s: %s\n", status, check.Name, check.Text); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d check(s) failed", failed)
	}
	return ctx.Err()
}
