package originals

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"heldout/configs"
	"heldout/envs/datafile"
)

var commitName = regexp.MustCompile(`^[0-9a-f]{40,64}$`)

// commitOf returns the commit that a folder is a checkout of; empty if it is none, or if
// its repository has another layout.
func commitOf(dir string) string {
	git := filepath.Join(dir, ".git")
	if b, err := datafile.Read(git, datafile.MaxConfig); err == nil { // of a work tree
		if target, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: "); ok {
			git = target
			if !filepath.IsAbs(git) {
				git = filepath.Join(dir, git)
			}
		}
	}
	head := gitLine(git, "HEAD")
	ref, symbolic := strings.CutPrefix(head, "ref: ")
	if !symbolic {
		return commit(head)
	}
	common := git
	if target := gitLine(git, "commondir"); target != "" {
		common = filepath.Join(git, target)
	}
	if hash := commit(gitLine(common, filepath.FromSlash(ref))); hash != "" {
		return hash
	}
	packed, err := datafile.Read(filepath.Join(common, "packed-refs"), datafile.MaxLabels)
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(bytes.NewReader(packed)); lines.Scan(); {
		if hash, name, ok := strings.Cut(lines.Text(), " "); ok && name == ref {
			return commit(hash)
		}
	}
	return ""
}

// gitLine is the content of a file of a repository; empty if it is not there.
func gitLine(git, name string) string {
	b, err := datafile.Read(filepath.Join(git, name), datafile.MaxConfig)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// commit returns a text that names a commit, and empty for any other.
func commit(text string) string {
	if !commitName.MatchString(text) {
		return ""
	}
	return text
}

// OtherCommit says that a folder is a checkout of another commit than a source's; empty if that is not known.
func OtherCommit(dir string, s configs.PresetSource) string {
	if dir == "" {
		return ""
	}
	c := commitOf(dir)
	if c == "" || s.Commit == "" || strings.HasPrefix(c, s.Commit) {
		return ""
	}
	return fmt.Sprintf("%s is a checkout of commit %.12s, and the preset wants commit %.12s: git checkout %s", dir, c,
		s.Commit, s.Commit)
}
