package export

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/eval/bench"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Options say what is exported, and how.
type Options struct {
	Sources []string // run directories, directories that hold some, and files of verified trajectories
	Format  Format
	// Out is the name of the file; Force replaces what has it. The files of parts have
	// the name of the part in theirs. Folder says that Out is in a folder of its own, which a
	// hub takes as it is: with Parquet files and a card. Command is the command that makes it.
	Out     string
	Folder  bool
	Command string
	// Parquet writes a file of examples as a Parquet file, for a folder.
	Parquet    func(f Format, source, target string) error
	Force      bool
	Mask       []Mark // the rules by which replies are not trained on
	Filter     Filter
	Duplicates string // a rule of duplicateRules
	// Parts are the parts that tasks are divided into by chance; nil for one. Seed is the division's.
	Parts []Division
	Seed  int64
	// TestTasks allows tasks that a benchmark tests with, DropTests leaves them out. With
	// neither they are an error, except for those that a generator drew by chance.
	TestTasks, DropTests bool
	Balance              Balance // bounds the episodes of a task and of a kind
	// Labels says whose labels the steps of the format prm have: ByEnvironment,
	// ByProgress, or the folder of a judge.
	Labels string
	// Tokenizer is the tokenizer.json by which lengths are counted; empty to go by
	// characters. Window is the longest example in tokens, 0 for any.
	Tokenizer   string
	Window      int
	Thoughts    configs.Thoughts // the sentences that experts think; none without any. Seed draws them
	ThoughtsDir string           // the folder of thoughts that a model wrote; empty without one
	Texts       bench.Texts      // where prompts come from
	Tool        record.Tool
}

// The rules for duplicates.
const (
	KeepAll = "none" // all are taken
	// SameMessages leaves out a conversation whose messages were there before.
	SameMessages = "messages"
	// SameActions leaves out an episode of a task whose actions were there before, in the same order.
	SameActions = "actions"
)

func duplicateRules() []string { return []string{SameMessages, SameActions, KeepAll} }

// ParseMask reads the rules of a mask, or "none".
func ParseMask(text string) ([]Mark, error) {
	if text == "none" {
		return nil, nil
	}
	var out []Mark
	for name := range strings.SplitSeq(strings.ReplaceAll(text, " ", ""), ",") {
		if !slices.Contains(Marks(), Mark(name)) {
			return nil, fmt.Errorf("mask is %q, want none, or some of %s", text,
				strings.Trim(fmt.Sprint(Marks()), "[]"))
		}
		if !slices.Contains(out, Mark(name)) {
			out = append(out, Mark(name))
		}
	}
	slices.SortFunc(out, func(a, b Mark) int { return slices.Index(Marks(), a) - slices.Index(Marks(), b) })
	return out, nil
}

// Check reports options that cannot be.
func (o Options) Check() error {
	var faults configs.Faults
	if err := o.Format.Check(); err != nil {
		return err
	}
	base := strings.TrimSuffix(filepath.Base(o.Out), o.Format.Extension())
	faults.Note(base == "" || base == filepath.Base(o.Out),
		"out is %q, want a name that ends in %s: trainers go by it", o.Out, o.Format.Extension())
	faults.Note(!slices.Contains(duplicateRules(), o.Duplicates), "duplicates is %q, want %s", o.Duplicates,
		strings.Join(duplicateRules(), ", "))
	faults.Note(!(o.Filter.Progress >= 0 && o.Filter.Progress <= 1), "least-progress is %g, want 0 to 1",
		o.Filter.Progress)
	faults.Note(o.Filter.Recoveries < 0, "least-recoveries is %d, want at least 0", o.Filter.Recoveries)
	faults.Note(o.TestTasks && o.DropTests,
		"tasks that a benchmark tests with cannot be both allowed and dropped")
	faults.Note(o.Window < 0, "window is %d, want at least 0", o.Window)
	faults.Note(o.Window > 0 && o.Format.form().needsAll(),
		"--set window divides demonstrations, and %s has none", o.Format)
	faults.Note(o.Balance.Best < 0, "best is %d, want at least 0", o.Balance.Best)
	faults.Note(o.Balance.PerTask < 0, "per-task is %d, want at least 0", o.Balance.PerTask)
	faults.Note(o.Balance.PerKind < 0, "per-kind is %d, want at least 0", o.Balance.PerKind)
	return faults.Err()
}

// TestTasksError says that tasks that a benchmark tests with would be exported.
type TestTasksError struct {
	Episodes int
	Envs     []string // their environments
}

// Error implements error.
func (e *TestTasksError) Error() string {
	return fmt.Sprintf("%s a benchmark tests with (%s): whatever their files are called, "+
		"a model that was trained on them cannot be measured with them; leave them out with --drop-test-tasks, or "+
		"give --allow-test-tasks, which marks them",
		table.Counted(e.Episodes, "episode comes from a task that", "episodes come from tasks that"),
		strings.Join(e.Envs, ", "))
}

// NothingError says that no episode is left to export.
type NothingError struct{ Report *Account }

// Error implements error.
func (e *NothingError) Error() string { return "nothing is left to export: " + e.Report.whatIsThere() }
