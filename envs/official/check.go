package official

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heldout/envs/alfworld"
	"heldout/envs/datafile"
)

// FolderState says how a part of the data folder is.
type FolderState string

// The states of a part.
const (
	// Complete: every file is there and is the published one, or the one that was
	// fetched where the published bytes are not known.
	Complete FolderState = "complete"
	// Unverified: every file is there, but some were not fetched by heldout and
	// their published bytes are not known.
	Unverified FolderState = "unverified"
	// Accepted: some files have other bytes than the published ones, as the user accepted, or
	// are ALFWorld's games in their other version.
	Accepted FolderState = "other version"
	// Changed: some files are not the published or fetched ones.
	Changed FolderState = "changed"
	// Incomplete: some files are missing.
	Incomplete FolderState = "incomplete"
	// Absent: all are.
	Absent FolderState = "absent"
)

// states are in the order of what a file means for its part.
var states = []FolderState{Complete, Unverified, Accepted, Changed}

// Finding is what was found of a part.
type Finding struct {
	Part
	State FolderState
	// Have and Want are numbers of files; Want is the least one if not all are known.
	Have, Want int
	// Version is the SHA-256 of the file or, of several files, of the lines that
	// sha256sum prints for them, in hex; "" if there are none.
	Version string
	// Changed are the files that are neither the published nor the fetched ones,
	// Missing the files that are not there, as paths in the data folder.
	Changed, Missing []string
	// Republished is how many files are ALFWorld's games in their version of 0.4 and later.
	Republished int
}

// Usable reports whether the part can be played.
func (f Finding) Usable() bool {
	return slices.Contains([]FolderState{Complete, Unverified, Accepted}, f.State)
}

// Check reads all official data of the environments in a data folder.
func Check(dir string, environments []string) ([]Finding, error) {
	receipts, err := readReceipts(dir)
	if err != nil {
		return nil, err
	}
	c := inspector{dir: dir, sums: publishedSums(), receipts: receipts}
	var found []Finding
	for _, p := range Parts() {
		if len(environments) > 0 && !slices.Contains(environments, p.Env) {
			continue
		}
		f, err := c.check(p)
		if err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	return found, nil
}

// Altered lists the files of an environment's official tasks that are neither the published nor the fetched ones.
func Altered(dir, env string) (files []string, err error) {
	found, err := Check(dir, []string{env})
	for _, f := range found {
		if f.Needed {
			files = append(files, f.Changed...)
		}
	}
	return files, err
}

// Holds reports whether a data folder holds anything of an environment; a folder
// in which nothing is finished does not count as one.
func Holds(dir string) bool {
	if _, err := os.Stat(dir); err != nil {
		return false
	}
	for _, p := range Parts() {
		for _, folder := range append([]string{p.Folder}, p.Alternatives...) {
			top, _, _ := strings.Cut(folder, "/")
			if info, err := os.Stat(filepath.Join(dir, top)); top != ".." && err == nil && info.IsDir() {
				return true
			}
		}
	}
	return false
}

type inspector struct {
	dir      string
	sums     map[string]string
	receipts map[string]Receipt
}

func (c *inspector) check(p Part) (Finding, error) {
	out := Finding{Part: p, Want: max(len(p.Files), p.MinFiles), State: Complete}
	folder, files, err := c.list(p)
	if err != nil {
		return out, err
	}
	version, only := sha256.New(), ""
	for _, file := range files {
		b := filepath.Join(c.dir, filepath.FromSlash(folder), filepath.FromSlash(file))
		sum, err := datafile.Sum(b)
		if errors.Is(err, fs.ErrNotExist) {
			out.Missing = append(out.Missing, p.Folder+"/"+file)
			continue
		}
		if err != nil {
			return out, fmt.Errorf("%s cannot be checked: %w", b, err)
		}
		out.Have++
		only = sum
		fmt.Fprintf(version, "%s  %s\n", sum, file)
		state := c.judge(p, file, sum, b)
		if state == Changed && isRepublished(b) {
			out.Republished++
			state = Accepted
		}
		out.State = states[max(slices.Index(states, state), slices.Index(states, out.State))]
		if state == Changed {
			out.Changed = append(out.Changed, p.Folder+"/"+file)
		}
	}
	switch {
	case out.Have == 0:
		out.State = Absent
		return out, nil
	case out.Have < out.Want:
		out.State = Incomplete
	}
	if out.Version = hex.EncodeToString(version.Sum(nil)); out.Want == 1 {
		out.Version = only
	}
	return out, nil
}

// list returns the files of a part and the folder in which it lies: the first that has any of them.
func (c *inspector) list(p Part) (folder string, files []string, err error) {
	for _, folder := range append([]string{p.Folder}, p.Alternatives...) {
		root := os.DirFS(filepath.Join(c.dir, filepath.FromSlash(folder)))
		if p.Pattern != "" {
			files, err = fs.Glob(root, p.Pattern)
			slices.Sort(files)
		} else if slices.ContainsFunc(p.Files, func(file string) bool {
			_, err := fs.Stat(root, file)
			return err == nil
		}) {
			files = p.Files
		}
		if err != nil || len(files) > 0 {
			return folder, files, err
		}
	}
	return p.Folder, p.Files, nil
}

// judge says whether a file is the published or fetched one. Labels that are not
// the published ones have to be for as many tasks.
func (c *inspector) judge(p Part, file, sum, full string) FolderState {
	path := p.Folder + "/" + file
	receipt, recorded := c.receipts[path]
	published := c.sums[path]
	switch {
	case sum == published:
		return Complete
	case recorded && receipt.SHA256 != sum, !recorded && published != "", p.Lines > 0 && countLines(full) != p.Lines:
		return Changed
	case !recorded:
		return Unverified
	case receipt.Changed:
		return Accepted
	}
	return Complete
}

// isRepublished reports whether a file is a game of ALFWorld in its version of 0.4 and later.
func isRepublished(file string) bool {
	if filepath.Base(file) != gameName {
		return false
	}
	b, err := datafile.Read(file, datafile.MaxLabels)
	return err == nil && alfworld.Republished(b)
}

// countLines returns the number of lines of a label file, 0 if it cannot be read.
func countLines(file string) int {
	b, err := datafile.Read(file, datafile.MaxLabels)
	if err != nil {
		return 0
	}
	return len(bytes.Split(bytes.TrimSpace(b), []byte("\n")))
}
