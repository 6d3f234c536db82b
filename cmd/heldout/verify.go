package main

import (
	"github.com/spf13/cobra"

	"heldout/eval/training"
	"heldout/eval/training/synth"
)

func newVerify(sys *system) *cobra.Command {
	o := synth.DefaultOptions()
	var lenient, asJSON, force bool
	var signal, masked string
	c := &cobra.Command{
		Use:   "verify FILE…",
		Short: "Check synthetic trajectories by AgentRefine's rules",
		Long: `verify checks trajectories between a player and a game master against their
scripts, by Algorithm 1 of AgentRefine (Fu et al. 2025): the keys of every turn;
each action against the verification codes and parameters of the script, unless
the master answers with an error; enough error turns; and success in the last
turn. It also checks that a trajectory is one game: the turns are numbered
without gaps, player and master alternate, and nothing follows the end. A file
has one JSON object per line with the keys script and trajectory.

Each line of the output has the turn and the reason of a rejection. The command
ends with code 1 if a trajectory is rejected.

--masked writes the trajectories that pass to a file that heldout export takes.
In it, each turn of the player has the key train, which is false if the master
answers with an error.

Verification codes are regular expressions of Python. They take linear time
here; look-around and back references are not supported, and a trajectory that
needs them is rejected as "unsupported pattern".`,
		Example: "  heldout verify trajectories.jsonl\n  heldout verify --set min-errors=1 --masked verified.jsonl " +
			"trajectories.jsonl",
		Args: args(1, -1, "at least one file"),
		RunE: func(_ *cobra.Command, files []string) error {
			if err := training.TakeSignal(&o, signal); err != nil {
				return usage(err)
			}
			v := training.Verification{Out: sys.stdout, JSON: asJSON, Options: o, Lenient: lenient}
			return v.Files(files, masked, force)
		},
	}
	f := c.Flags()
	verifyFlags(f, &o, &signal)
	f.BoolVar(&lenient, "lenient", false,
		"accept text around the JSON and trailing commas in scripts and trajectories that are strings, and count them")
	f.StringVar(&masked, "masked", "",
		"write the trajectories that pass, with the turns that a model is trained on, to this file")
	f.BoolVar(&force, "force", false, "replace the file of --masked")
	jsonFlag(c, &asJSON, "form of output; json has one object per trajectory")
	return c
}
