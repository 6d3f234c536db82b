package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/eval/bench"
)

func newSweep(sys *system) *cobra.Command {
	return newRunner(sys, sweepFlags, bench.Sweep, &cobra.Command{
		Use:   "sweep",
		Short: "Measure robustness: play tasks as they are and perturbed",
		Long: `sweep plays every task unperturbed and under each perturbation, as one run,
and prints the rates of every condition with the change from the unperturbed
tasks. The default is AgentRefine's five perturbations of ALFWorld; --suite
robust plays families on any environments. P5 changes the model, to --set
no-ind-model=MODEL; --set ind=none says that no model saw such data.`,
		Example: `  heldout sweep
  heldout sweep --data DIR --model vllm:TUNED --set no-ind-model=vllm:OTHER \
          --base-url http://HOST:8000/v1 --perturb P4,P5,mine.yaml
  heldout sweep --suite robust --model vllm:NAME --base-url http://HOST:8000/v1`,
		Args: flagsOnly,
	})
}

func sweepFlags(f *pflag.FlagSet, r *configs.Run) {
	runFlags(f, r)
	optionFlags(f, r, configs.Sweeping)
}
