package training

import (
	"context"
	"errors"
	"fmt"
	"io"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval/bench"
	"heldout/eval/training/calls"
	"heldout/eval/training/judge"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

const mostTrajectories = 10_000

// Sampling says which turns are judged.
type Sampling struct {
	Trajectories int // at most; two turns of each are judged
	Kind         judge.Sampling
	History      int // the longest that is shown, in bytes
}

// Check reports settings that are wrong.
func (s *Sampling) Check() error {
	var faults configs.Faults
	faults.Note(s.Trajectories < 1 || s.Trajectories > mostTrajectories, "trajectories is %d, want 1 to %d",
		s.Trajectories, mostTrajectories)
	faults.Note(s.Kind != judge.Balanced && s.Kind != judge.Natural, "sample is %q, want balanced or natural",
		s.Kind)
	faults.Note(s.History < 0, "max-history is %d, want at least 0", s.History)
	return faults.Err()
}

// Draw reads a file or directory and draws the sample.
func (s *Sampling) Draw(path string, seed int64) (sample *judge.Sample, turns []judge.JudgedTurn,
	source judge.TrajectorySource,
	err error) {
	sample = judge.NewSample(s.Kind, seed, s.Trajectories)
	if source, err = judge.Read(path, sample.Add); err != nil {
		return nil, nil, source, err
	}
	if turns = sample.Turns(); len(turns) == 0 {
		return nil, nil, source, fmt.Errorf("%s: none of %d trajectories has turns for a %s sample", path, sample.Read,
			s.Kind)
	}
	return sample, turns, source, nil
}

// Judging has a model label turns as right or wrong.
type Judging struct {
	*ModelCalls
	Sampling
	// Prompt is a file; empty for heldout's own. Human is a sheet with the labels of people; empty for none.
	Prompt, Human string
	Seed          int64

	job    *judge.Judge
	sample *judge.Sample
	raters []judge.Rater
}

// Prepare draws the turns of a file or directory, reads prompt and sheet, and names
// the folder if it has no name. It asks no model.
func (j *Judging) Prepare(path string) (turns int, err error) {
	prompt, err := bench.FileOr(j.Prompt, configs.LoadJudge, configs.Parse)
	if err != nil {
		return 0, bench.Misconfigured(err)
	}
	sample, drawn, source, err := j.Draw(path, j.Seed)
	if err != nil {
		return 0, err
	}
	if len(source.Uncovered) > 0 {
		j.Outside.Warn(record.NotCovered(source.Uncovered))
	}
	j.sample, j.raters = sample, []judge.Rater{judge.OriginalRater(source.Giver, drawn)}
	if j.Human != "" {
		human, err := j.readHuman(drawn)
		if err != nil {
			return 0, err
		}
		j.raters = append(j.raters, human)
	}
	hash, err := configs.HashJSON(prompt)
	if err != nil {
		return 0, err
	}
	j.job = &judge.Judge{
		Prompt: prompt, Turns: drawn,
		Condition: judge.Setting{
			Model: j.Run.Model[0], Decoding: j.Run.Decoding, Prompt: hash, Turns: judge.HashOf(drawn), Seed: j.Seed,
			Sample: j.Kind, Trajectories: j.Trajectories, MostHistory: j.History,
		},
	}
	return len(drawn), j.nameDir("judge", j.job.Condition)
}

// Label makes the labels that are missing and returns the tables of all. missing counts the turns without a result.
func (j *Judging) Label(ctx context.Context) (tables []table.Table, missing int, err error) {
	missing, err = j.work(ctx, record.JudgeLog, j.job.Condition, len(j.job.Turns),
		func(ctx context.Context, ask Asker, i int) error {
			_, err := j.job.Label(ctx, ask, i)
			return err
		},
		func(book *calls.Book) error {
			tables, err = j.collect(ctx, book)
			return err
		})
	return tables, missing, err
}

func (j *Judging) readHuman(turns []judge.JudgedTurn) (judge.Rater, error) {
	f, err := datafile.Open(j.Human, datafile.MaxQuestions)
	if err != nil {
		return judge.Rater{}, err
	}
	defer f.Close()
	rater, err := judge.ReadSheet(f, turns)
	if err != nil {
		return rater, fmt.Errorf("%s: %w", j.Human, err)
	}
	return rater, nil
}

// collect writes the labels of the recorded calls and returns the tables.
func (j *Judging) collect(ctx context.Context, book *calls.Book) ([]table.Table, error) {
	answers := map[string]judge.Answer{}
	for i := range j.job.Turns {
		a, err := j.job.Label(ctx, recorded(book), i)
		if errors.Is(err, calls.ErrUnasked) {
			continue
		}
		if err != nil {
			return nil, err
		}
		answers[j.job.Turns[i].ID] = a
	}
	write := func(w io.Writer) error { return j.job.WriteLabels(w, answers) }
	if err := book.Replace(record.LabelsFile, write); err != nil {
		return nil, err
	}
	usage, err := book.Usage()
	if err != nil {
		return nil, err
	}
	raters := append(j.raters[:1:1], judge.Judged(j.job.Turns, answers))
	tables := judge.Tables(j.sample, j.job.Turns, append(raters, j.raters[1:]...), usage[judge.LabelCall], book.Took())
	if note := judge.Kin(j.job.Condition.Model, j.job.Turns); note != "" {
		tables[0].Notes = append(tables[0].Notes, note)
	}
	return tables, nil
}
