package bench

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/datafile"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Purpose is the embedded configuration that applies by default to a command that plays. All but Plain also apply
// together with a configuration file and chosen models.
type Purpose string

// Plain plays the tasks as they are.
const Plain Purpose = "default"

// Input is the user's input.
type Input struct {
	// File is a configuration file; empty for none. Content is what it holds; nil reads it.
	File    string
	Content []byte
	// Own are keys of the file that the command itself reads (Parse).
	Own []string
	// Chosen says that environments or models were named outside the file.
	Chosen bool
	// Override overrides r with what was given outside the file.
	Override func(r *configs.Run) error
}

// DefaultSetup is the default setup of environments: with the data folder of the
// environment variable or, without it, the user's own.
func DefaultSetup(out Outside) envs.Setup {
	return envs.Setup{Data: cmp.Or(out.Getenv(configs.DataVariable), out.Data), Settings: envs.Settings{}}
}

// Resolve combines what to run, with later sources taking precedence: defaults, the suite of the kind, the
// configuration file, and the rest of the user's input. An environment that the user did not name is skipped if it
// cannot be played; skipped says why.
func Resolve(out Outside, kind Purpose, in Input) (r configs.Run, skipped []error, err error) {
	r = configs.DefaultRun()
	r.Setup = DefaultSetup(out)
	if kind, err = kind.resolve(in); err != nil {
		return r, nil, err
	}
	run, err := in.settings()
	if err != nil {
		return r, nil, err
	}
	in.Chosen = in.Chosen || strings.HasPrefix(run.Agent, configs.OwnAgent)
	if kind != Plain || in.File == "" && !in.Chosen {
		if err := configs.LoadSuite(string(kind), &r); err != nil {
			return r, nil, err
		}
	}
	offered := r.Env
	r.Env = nil
	if _, err := in.Parse(&r); err != nil {
		return r, nil, err
	}
	if err := cmp.Or(in.Override(&r), CheckData(r.Data)); err != nil || len(r.Env) > 0 || len(r.Preset) > 0 {
		return r, nil, err
	}
	if len(offered) == 0 {
		offered = table.Each(catalog.Entries(), func(e catalog.Entry) string { return e.Name })
	}
	r.Env, skipped = catalog.Available(offered, r.Setup)
	if len(r.Env) == 0 {
		return r, nil, errors.Join(skipped...)
	}
	return r, skipped, nil
}

// resolve returns the kind of sweep that the user's input asks for.
func (k Purpose) resolve(in Input) (Purpose, error) {
	if k != Sweep {
		return k, nil
	}
	r, err := in.settings()
	switch {
	case err != nil:
		return k, err
	case r.Suite == "" && len(r.Grades) > 0:
		return k, errors.New("--set grades is for --suite " + configs.Robust)
	case r.Suite == "":
		return k, nil
	case r.Suite != configs.Robust:
		return k, fmt.Errorf("unknown suite %q; there is %s", r.Suite, configs.Robust)
	case len(r.Perturb) > 0:
		return k, errors.New("--suite names the perturbations, so --perturb cannot; give one of both")
	}
	return configs.Robust, nil
}

// ReadFile returns the content of the configuration file; nil without one.
func (g Input) ReadFile() ([]byte, error) {
	if g.File == "" || g.Content != nil {
		return g.Content, nil
	}
	b, err := datafile.ReadText(g.File, datafile.MaxConfig)
	if err != nil {
		err = fmt.Errorf("--config: %w", err)
	}
	return b, err
}

// settings is what the user gave, without defaults.
func (g Input) settings() (r configs.Run, err error) {
	_, err = g.Parse(&r)
	return r, errors.Join(err, g.Override(&r))
}

// Parse reads the configuration file into r, and returns what it says to the command itself.
func (g Input) Parse(r *configs.Run) (own map[string]configs.Values, err error) {
	if g.File == "" {
		return nil, nil
	}
	b, err := g.ReadFile()
	if err != nil {
		return nil, err
	}
	names := table.Each(catalog.Settings(), func(s envs.Setting) string { return s.Name })
	return configs.ParseRun(g.File, b, r, names, g.Own)
}

// CheckData reports a data folder that does not exist or is not a folder.
func CheckData(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil && datafile.ShellPath(dir) != "":
		return fmt.Errorf("the data folder %s does not exist: %s", dir, datafile.ShellPath(dir))
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the data folder %s does not exist; heldout data pull fetches the official tasks, and "+
			`--data "" plays generated ones`, dir)
	case err == nil && !info.IsDir():
		err = fmt.Errorf("%s is not a folder", dir)
	}
	if err != nil {
		return fmt.Errorf("the data folder cannot be used: %w", err)
	}
	return nil
}

// Variables of schedulers. Kubernetes counts the parts of an indexed job from 0;
// the tasks of a Slurm array have the numbers that the user gave them.
const (
	jobIndex   = "JOB_COMPLETION_INDEX"
	arrayIndex = "SLURM_ARRAY_TASK_ID"
	arrayMin   = "SLURM_ARRAY_TASK_MIN"
	arrayMax   = "SLURM_ARRAY_TASK_MAX"
	arrayCount = "SLURM_ARRAY_TASK_COUNT"
)

// shardOf reads a shard: I/N, auto for a task of a Slurm array, or auto/N, which
// also stands for a pod of an indexed Kubernetes job.
func shardOf(text string, getenv func(string) string) (record.Shard, error) {
	rest, ok := strings.CutPrefix(text, "auto")
	if !ok {
		return record.ParseShard(text)
	}
	index, count, err := scheduled(getenv)
	if err != nil {
		return record.Shard{}, fmt.Errorf("shard auto: %w", err)
	}
	total, ok := strings.CutPrefix(rest, "/")
	if rest == "" {
		total, ok = count, true
	}
	switch {
	case !ok:
		return record.Shard{}, fmt.Errorf("shard is %q, want I/N, auto or auto/N", text)
	case total == "":
		return record.Shard{}, errors.New("shard auto: Kubernetes does not tell the number of parts: write auto/N")
	case count != "" && total != count:
		return record.Shard{}, fmt.Errorf("shard is %q, but the Slurm array has %s tasks", text, count)
	}
	return record.ParseShard(fmt.Sprintf("%d/%s", index+1, total))
}

// scheduled returns the index of this part, from 0, and the number of parts, "" if the scheduler does not tell it.
func scheduled(getenv func(string) string) (index int, count string, err error) {
	if task := getenv(arrayIndex); task != "" {
		numbers := map[string]int{}
		for _, name := range []string{arrayIndex, arrayMin, arrayMax, arrayCount} {
			if numbers[name], err = strconv.Atoi(getenv(name)); err != nil {
				return 0, "", fmt.Errorf("%s is %q, want a number", name, getenv(name))
			}
		}
		if n := numbers[arrayMax] - numbers[arrayMin] + 1; n != numbers[arrayCount] {
			return 0, "", fmt.Errorf("the Slurm array has %d tasks from %d to %d: leave none out", numbers[arrayCount],
				numbers[arrayMin], numbers[arrayMax])
		}
		return numbers[arrayIndex] - numbers[arrayMin], strconv.Itoa(numbers[arrayCount]), nil
	}
	index, err = strconv.Atoi(cmp.Or(getenv(jobIndex), "none"))
	if err != nil {
		return 0, "", fmt.Errorf("neither %s nor %s is set: this is neither a task of a Slurm array nor a pod of an "+
			"indexed Kubernetes job", arrayIndex, jobIndex)
	}
	return index, "", nil
}
