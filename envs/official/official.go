// Package official fetches, finds and checks the data that the benchmarks' owners publish. The data folder is laid
// out as AgentBoard's. Files are known by their SHA-256 where the published bytes are known, and otherwise by what
// they hold; nothing appears in the data folder before it is complete.
package official

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"heldout/envs/alfworld"
	"heldout/envs/datafile"
	"heldout/envs/spelling"
)

// Part is a piece of the official data that is used as a whole.
type Part struct {
	// Env is the environment, by its name in the catalog.
	Env string
	// Name tells the parts of an environment apart.
	Name string
	// Needed says that the official tasks cannot be played without the part.
	Needed bool
	// Folder holds the part, from the data folder, with slashes; Alternatives are
	// folders in which it may lie instead.
	Folder       string
	Alternatives []string
	// Files are the part's files, from Folder. A part without Files holds every
	// file of Folder that matches Pattern, MinFiles of them or more.
	Files    []string
	Pattern  string
	MinFiles int
	// Lines is the number of tasks in a label file, 0 for other parts.
	Lines int
	// Absence says what the absence of the part means, as a sentence.
	Absence string
}

// ID names the part, such as "pddl/problems".
func (p Part) ID() string { return p.Env + "/" + p.Name }

// The names in the data folder that say what a file is.
const (
	gamesFolder = "alfworld/json_2.1.1"
	labelName   = "test.jsonl"
	gameName    = "game.tw-pddl"
	dumpName    = "enwiki-20171001-pages-meta-current-withlinks-abstracts.tar.bz2"
	// dumpSize is what HotpotQA's site gives, in bytes.
	dumpSize = 1553565403
)

//go:embed sources.json
var sourcesText []byte

// tables lists the official data and where they can be fetched. It is made once: it sorts the names of all files, and
// every command looks for the user's data folder.
var tables = sync.OnceValue(func() dataTables {
	t := datafile.Table[dataTables](sourcesText)
	for i := range t.Parts {
		p := &t.Parts[i]
		switch {
		case p.Name == "tales":
			p.Files = filesUnder(talesSums, p.Folder)
		case p.Files == nil && p.Pattern == "":
			p.Files = filesUnder(knownSums, p.Folder)
		}
		if split, ok := strings.CutPrefix(p.Folder, gamesFolder+"/"); ok {
			p.Alternatives = gameFolders(split)
		}
	}
	sums := publishedSums()
	for i := range t.Sources {
		t.Sources[i].SHA256 = sums[t.Sources[i].DataPath]
	}
	return t
})

type dataTables struct {
	Parts   []Part
	Sources []PublishedFile
}

// Parts lists what official data there are.
func Parts() []Part { return slices.Clone(tables().Parts) }

// gameFolders are where a split of ALFWorld's games may lie instead of in gamesFolder.
func gameFolders(split string) (folders []string) {
	for _, folder := range alfworld.GameFolders() {
		if folder != gamesFolder {
			folders = append(folders, folder+"/"+split)
		}
	}
	return folders
}

// environments lists the environments with official data, in the order of Parts.
func environments() (names []string) {
	for _, p := range Parts() {
		if !slices.Contains(names, p.Env) {
			names = append(names, p.Env)
		}
	}
	return names
}

// CheckEnvironments reports a name that no environment has.
func CheckEnvironments(names []string) error {
	for _, name := range names {
		if !slices.Contains(environments(), name) {
			return fmt.Errorf("unknown environment %q with official data%s; there are: %s", name,
				spelling.Hint(name, environments()), strings.Join(environments(), ", "))
		}
	}
	return nil
}

// knownSums lists the published files whose bytes are known, as sha256sum prints them; paths are from the data
// folder. talesSums lists the stories that TALES plays besides AgentBoard's.
var (
	//go:embed known.sha256
	knownSums string
	//go:embed tales.sha256
	talesSums string
)

// publishedSums returns the SHA-256 in hex of the published files, by path.
func publishedSums() map[string]string {
	sums := map[string]string{}
	for _, list := range []string{knownSums, talesSums} {
		for line := range strings.Lines(list) {
			if sum, file, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
				sums[file] = sum
			}
		}
	}
	return sums
}

// filesUnder lists the files of a list that are in a folder, from that folder, sorted.
func filesUnder(list, folder string) (files []string) {
	for line := range strings.Lines(list) {
		if _, file, ok := strings.Cut(strings.TrimSpace(line), "  "+folder+"/"); ok {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files
}
