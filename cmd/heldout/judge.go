package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval/bench"
	"heldout/eval/training/calls"
	"heldout/eval/training/judge"
	"heldout/scoring/record"
)

// The defaults of heldout judge, and its limits.
const (
	judgeMaxTokens   = 512
	judgeTurnsOf     = 50 // trajectories, as in the paper
	judgeHistory     = 32_768
	mostTrajectories = 10_000
)

// sampling says which turns are judged.
type sampling struct {
	trajectories int
	kind         string
	history      int
}

func (s *sampling) flags(f *pflag.FlagSet) {
	f.IntVar(&s.trajectories, "trajectories", judgeTurnsOf, "largest number of trajectories in the sample; two turns of each are judged")
	f.StringVar(&s.kind, "sample", string(judge.Balanced), "balanced: a right and a wrong turn of each trajectory, by its own labels; natural: two turns at random")
	f.IntVar(&s.history, "max-history", judgeHistory, "longest history that is shown, in bytes: the first observation and the newest turns stay")
}

func (s *sampling) check() error {
	var errs []error
	if s.trajectories < 1 || s.trajectories > mostTrajectories {
		errs = append(errs, fmt.Errorf("trajectories is %d, want 1 to %d", s.trajectories, mostTrajectories))
	}
	if !slices.Contains(judge.Kinds(), judge.Kind(s.kind)) {
		errs = append(errs, fmt.Errorf("sample is %q, want balanced or natural", s.kind))
	}
	if s.history < 0 {
		errs = append(errs, fmt.Errorf("max-history is %d, want at least 0", s.history))
	}
	return usage(errors.Join(errs...))
}

// draw reads a file or directory and draws the sample. Giver says who gave the turns
// the labels that they have.
func (s *sampling) draw(path string, seed int64) (sample *judge.Sample, turns []judge.Turn, giver string, err error) {
	sample = judge.NewSample(judge.Kind(s.kind), seed, s.trajectories)
	if giver, err = judge.Read(path, sample.Add); err != nil {
		return nil, nil, "", err
	}
	if turns = sample.Turns(); len(turns) == 0 {
		return nil, nil, "", fmt.Errorf("%s: none of %d trajectories has turns for a %s sample", path, sample.Seen, s.kind)
	}
	return sample, turns, giver, nil
}

// judging are the settings of heldout judge.
type judging struct {
	*asking
	sample        sampling
	prompt, human string
}

func newJudge(sys *system) *cobra.Command {
	j := &judging{asking: newAsking(0, judgeMaxTokens)}
	c := &cobra.Command{
		Use:   "judge {DIR | FILE} --model MODEL",
		Short: "Have a model label turns as right or wrong; compare with people",
		Long: `judge samples turns of trajectories and has a model label each as right or
wrong, with its reason. It reads a run directory, a directory of heldout synth,
or a file of synthetic trajectories. The judge sees goal, actions, history and
the turn, but not what followed.

The tables compare the labels of the judge with those that the trajectories
have, from the game master or the environment, and with those of people
(--human): confusion table, agreement and Cohen's kappa. heldout judge sheet
writes the sheet for people. Labels of a judge change no success and no
progress.

Every call is recorded, so the same command continues after a stop or a kill.
heldout help synthesis says more.`,
		Example: `  heldout judge runs/NAME --model openai:NAME --trajectories 100
  heldout judge sheet synthetic --out sheet.csv
  heldout judge synthetic --model vllm:NAME --human sheet.csv`,
		Args: args(1, 1, "one file or directory"),
		// Files, beside the name of the command below.
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE:              func(c *cobra.Command, path []string) error { return j.execute(c.Context(), sys, path[0]) },
	}
	f := c.Flags()
	j.sample.flags(f)
	f.StringVar(&j.prompt, "prompt", "", "YAML file with another prompt; heldout help synthesis says which")
	f.StringVar(&j.human, "human", "", "sheet with labels of people, as CSV with the columns id and label")
	j.flags(c)
	f.Lookup("out").Usage = "folder for calls and results; the default is a name derived from the condition, below runs/"
	c.AddCommand(newSheet(sys))
	return c
}

func newSheet(sys *system) *cobra.Command {
	var s sampling
	var out string
	var seed int64
	c := &cobra.Command{
		Use:   "sheet {DIR | FILE} --out FILE.csv",
		Short: "Write a sheet of turns for people to label",
		Long: `sheet writes the turns that heldout judge labels, with the same flags, as CSV
for a spreadsheet: what the judge sees, and empty columns for label and reason.
People write right or wrong into the column label. heldout judge --human reads
the sheet. Cells that a spreadsheet would take for a formula begin with an
apostrophe.`,
		Example: "  heldout judge sheet synthetic --trajectories 50 --seed 1 --out sheet.csv",
		Args:    args(1, 1, "one file or directory"),
		RunE: func(_ *cobra.Command, path []string) error {
			if out == "" {
				return usage(errors.New("no file is given; name one with --out"))
			}
			if err := s.check(); err != nil {
				return err
			}
			sample, turns, _, err := s.draw(path[0], seed)
			if err != nil {
				return err
			}
			if err := createNew(out, func(w io.Writer) error { return judge.WriteSheet(w, turns, s.history) }); err != nil {
				return err
			}
			for _, note := range sample.Notes() {
				sys.say("%s", note)
			}
			return nil
		},
	}
	s.flags(c.Flags())
	c.Flags().Int64Var(&seed, "seed", 0, "seed of all random draws")
	c.Flags().StringVar(&out, "out", "", "file to write; a file that is there is not replaced")
	return c
}

// createNew writes a file that must not be there yet, all or nothing.
func createNew(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

func (j *judging) check() error {
	return errors.Join(j.asking.check(), j.sample.check())
}

func (j *judging) execute(ctx context.Context, sys *system, path string) error {
	if err := j.check(); err != nil {
		return usage(err)
	}
	prompt, err := j.readPrompt()
	if err != nil {
		return usage(err)
	}
	sample, turns, giver, err := j.sample.draw(path, j.seed)
	if err != nil {
		return err
	}
	raters := []judge.Rater{judge.Given(giver, turns)}
	if j.human != "" { // before anything is asked
		human, err := j.readHuman(turns)
		if err != nil {
			return err
		}
		raters = append(raters, human)
	}
	hash, err := prompt.Hash()
	if err != nil {
		return err
	}
	of := &judge.Judge{
		Prompt: prompt, Turns: turns,
		Condition: judge.Condition{
			Model: j.run.Model[0], Decoding: j.decoding(), Prompt: hash, Turns: judge.HashOf(turns), Seed: j.seed,
			Sample: judge.Kind(j.sample.kind), Trajectories: j.sample.trajectories, MostHistory: j.sample.history,
		},
	}
	if j.out == "" {
		name, err := of.Condition.Hash()
		if err != nil {
			return err
		}
		j.out = filepath.Join(bench.RunsDir, "judge-"+name[:12])
	}
	if j.dry {
		_, err := fmt.Fprintf(sys.stdout, "folder: %s\n%d calls, one per turn; replies of at most %d tokens\n", j.out, len(turns), j.run.MaxTokens)
		return err
	}
	missing, err := j.work(ctx, sys,
		calls.Setup{Kind: record.JudgeLog, Tool: sys.tool, Condition: of.Condition, Planned: len(turns), Now: sys.now},
		func(ctx context.Context, ask asker, i int) error {
			_, err := of.Label(ctx, ask, i)
			return err
		},
		func(book *calls.Book) error { return j.finish(ctx, sys, book, of, sample, raters) })
	if err != nil {
		return err
	}
	return withoutResult(missing, "turns")
}

func (j *judging) readPrompt() (configs.Judge, error) {
	if j.prompt == "" {
		return configs.LoadJudge()
	}
	b, err := datafile.Read(j.prompt, datafile.MaxConfig)
	if err != nil {
		return configs.Judge{}, err
	}
	return configs.ParseJudge(j.prompt, b)
}

func (j *judging) readHuman(turns []judge.Turn) (judge.Rater, error) {
	f, err := datafile.Open(j.human, datafile.MaxQuestions)
	if err != nil {
		return judge.Rater{}, err
	}
	defer f.Close()
	rater, err := judge.ReadSheet(f, turns)
	if err != nil {
		return rater, fmt.Errorf("%s: %w", j.human, err)
	}
	return rater, nil
}

// finish writes the labels of the recorded calls and prints the tables.
func (j *judging) finish(ctx context.Context, sys *system, book *calls.Book, of *judge.Judge, sample *judge.Sample, raters []judge.Rater) error {
	answers := map[string]judge.Answer{}
	for i := range of.Turns {
		a, err := of.Label(ctx, recorded(book), i)
		if errors.Is(err, calls.ErrUnasked) {
			continue
		}
		if err != nil {
			return err
		}
		answers[of.Turns[i].ID] = a
	}
	if err := book.Replace(judge.LabelsFile, func(w io.Writer) error { return of.WriteLabels(w, answers) }); err != nil {
		return err
	}
	usage, err := book.Usage()
	if err != nil {
		return err
	}
	all := append(raters[:1:1], judge.Judged(of.Turns, answers))
	tables := judge.Tables(sample, of.Turns, append(all, raters[1:]...), usage[judge.LabelCall], book.Took())
	if note := judge.Kin(of.Condition.Model, of.Turns); note != "" {
		tables[0].Notes = append(tables[0].Notes, note)
	}
	if err := render(sys, j.format, j.wide, tables...); err != nil {
		return err
	}
	sys.say("labels: %s", filepath.Join(j.out, judge.LabelsFile))
	return nil
}
