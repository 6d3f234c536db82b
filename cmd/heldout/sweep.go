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
		Long: `sweep plays every task unperturbed and under each perturbation, as one run that
can be stopped and continued. It prints the robustness table: the rates of every
condition, their mean and spread, and the change from the unperturbed tasks,
paired by task. The default is AgentRefine's five perturbations of ALFWorld. P1
to P4 change the interface. P5 changes the model: --no-ind-model names one that
was trained without data of the environment; --ind none says that the models
never saw such data, so their unperturbed result counts.

--suite robust plays families of perturbations on any environments, alone and
combined, and prints how much of each score is memory of the interface. heldout
help robustness says more.`,
		Example: `  heldout sweep
  heldout sweep --data DIR --model vllm:NAME --base-url http://HOST:8000/v1 \
          --ind none --concurrency 64
  heldout sweep --data DIR --model vllm:TUNED --no-ind-model vllm:OTHER \
          --base-url http://HOST:8000/v1 --perturb P4,P5,mine.yaml
  heldout sweep --suite robust --data DIR --model vllm:NAME \
          --base-url http://HOST:8000/v1 --dry-run`,
		Args: args(0, 0, "no arguments"),
	})
}

// sweepFlags adds the flags of a run and those of a sweep.
func sweepFlags(f *pflag.FlagSet, r *configs.Run) {
	runFlags(f, r)
	optionFlags(f, r, configs.Sweeping)
}
