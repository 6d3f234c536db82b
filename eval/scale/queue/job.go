package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/envs/datafile"
	"heldout/eval"
	"heldout/scoring/record"
)

// metadataKey is the key of the description in a stream's metadata.
const metadataKey = "heldout_job"

// maxDescription bounds a description: servers refuse more metadata than 128 KiB.
const maxDescription = 120 << 10

// Job describes a run to its workers. It has no secrets, and nothing that depends on the machine.
type Job struct {
	// Name identifies the job on the server.
	Name string      `json:"name"`
	Tool record.Tool `json:"tool"` // the build of heldout that leads the run
	// Command is "run" or "sweep". File and Config are the name and content of the configuration file, Chosen
	// whether environments or models were named outside of it, and Flags the flags that change the plan.
	Command string `json:"command"`
	File    string `json:"file,omitempty"`
	Config  []byte `json:"config,omitempty"`
	Chosen  bool   `json:"chosen,omitempty"`
	Flags   []Flag `json:"flags,omitempty"`
	// Files are those that flags or configuration file name. A worker needs equal ones at the same paths.
	Files []FlagFile `json:"files,omitempty"`
	// Plan is the hash of the plan, Parts the hashes of its parts.
	Plan  string            `json:"plan"`
	Parts map[string]string `json:"parts"`
}

// Flag is a flag of the command line with its values: one, or the items of a list.
type Flag struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
	List   bool     `json:"list,omitempty"`
}

// FlagFile is a file that a flag names.
type FlagFile struct {
	Flag   string `json:"flag"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// SameFiles reports files of the run that are missing here or that are others.
func (j Job) SameFiles(read func(path string) ([]byte, error)) error {
	var errs []error
	for _, f := range j.Files {
		content, err := read(f.Path)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("--%s %.200q of the run is not here: %w; copy it to that path from the "+
				"machine that leads the run", f.Flag, f.Path, err))
		case datafile.Hash(content) != f.SHA256:
			errs = append(errs, fmt.Errorf("--%s %.200q is another file here: its SHA-256 is %.16s, the SHA-256 of the "+
				"run's %.16s; copy it to that path from the machine that leads the run", f.Flag, f.Path,
				datafile.Hash(content), f.SHA256))
		}
	}
	return errors.Join(errs...)
}

// encode writes the description as metadata of a stream.
func (j Job) encode() (map[string]string, error) {
	b, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	if len(b) > maxDescription {
		return nil, fmt.Errorf("configuration file and flags have %d bytes, which do not fit in the queue: the limit "+
			"is %d", len(b), maxDescription)
	}
	return map[string]string{metadataKey: string(b)}, nil
}

// decodeJob reads a description. Streams of others may have none.
func decodeJob(metadata map[string]string) (j Job, ok bool) {
	text := metadata[metadataKey]
	ok = len(text) <= maxDescription && json.Unmarshal([]byte(text), &j) == nil
	return j, ok
}

// SameTool reports another build of heldout than the leader's.
func (j Job) SameTool(own record.Tool) error {
	if j.Tool.Version == own.Version && j.Tool.Commit == own.Commit {
		return nil
	}
	return fmt.Errorf("the run %s is led by heldout %s, and this is heldout %s: use the same version", j.Name,
		version(j.Tool), version(own))
}

func version(t record.Tool) string { return strings.TrimSpace(t.Version + " " + t.Commit) }

// SamePlan reports a plan that is not the leader's.
func (j Job) SamePlan(p *eval.Plan) error {
	own := p.Hashes()
	if j.Plan == p.Hash() && maps.Equal(j.Parts, own) {
		return nil
	}
	var diffs []string
	for _, name := range slices.Sorted(maps.Keys(j.Parts)) {
		switch {
		case own[name] == "":
			diffs = append(diffs, name+" is missing here")
		case own[name] != j.Parts[name]:
			diffs = append(diffs, fmt.Sprintf("%s differs (%s, here %s)", name, j.Parts[name], own[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if j.Parts[name] == "" {
			diffs = append(diffs, name+" is only here")
		}
	}
	return fmt.Errorf("the episodes here differ from the run's %s (plan %s, here %s): %s; task data, prompts and "+
		"other files must be the same", j.Name, j.Plan, p.Hash(), strings.Join(diffs, ", "))
}
