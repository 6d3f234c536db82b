// Package official fetches, finds and checks the data that the benchmarks'
// owners publish. The data folder is laid out as AgentBoard's. Files are known
// by their SHA-256 where the published bytes are known, and otherwise by what
// they hold; nothing appears in the data folder before it is complete.
package official

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"heldout/envs/alfworld"
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

// The folders of the data folder, by environment.
const (
	gamesFolder   = "alfworld/json_2.1.1"
	suiteFolder   = "jericho/z-machine-games-master/jericho-game-suite"
	problemFolder = "pddl/pddlgym"
	labelName     = "test.jsonl"
	gameName      = "game.tw-pddl"
	dumpName      = "enwiki-20171001-pages-meta-current-withlinks-abstracts.tar.bz2"
	factsName     = "hotpot_dev_distractor_v1.json"
	questionsName = "hotpot_dev_v1_simplified.json"
)

// Parts lists what official data there are.
func Parts() []Part { return slices.Clone(parts()) }

// parts makes the list once: it sorts the names of all files, and every command looks
// for the user's data folder.
var parts = sync.OnceValue(func() []Part {
	return []Part{
		{
			Env: "alfworld", Name: "games", Needed: true, Folder: gamesFolder + "/valid_unseen",
			Alternatives: gameFolders("valid_unseen"),
			Files:        filesUnder(knownSums, gamesFolder+"/valid_unseen"),
			Absence:      "ALFWorld's 134 unseen games cannot be played.",
		},
		{
			Env: "alfworld", Name: "labels", Folder: "alfworld", Files: []string{labelName}, Lines: 134,
			Absence: "ALFWorld's sub-goals are derived from the tasks; the success rate is the same.",
		},
		{
			Env: "alfworld", Name: "valid_seen", Folder: gamesFolder + "/valid_seen",
			Alternatives: gameFolders("valid_seen"), Pattern: "*/*/" + gameName, MinFiles: 140,
			Absence: "--split valid_seen cannot be played.",
		},
		{
			Env: "alfworld", Name: "valid_train", Folder: gamesFolder + "/valid_train",
			Alternatives: gameFolders("valid_train"), Pattern: "*/*/" + gameName, MinFiles: 200,
			Absence: "--split valid_train cannot be played.",
		},
		{
			Env: "alfworld", Name: "train", Folder: gamesFolder + "/train", Alternatives: gameFolders("train"),
			Pattern: "*/*/" + gameName, MinFiles: 3553, Absence: "--split train cannot be played.",
		},
		{
			Env: "babyai", Name: "labels", Needed: true, Folder: "babyai", Files: []string{labelName}, Lines: 112,
			Absence: "BabyAI has no official sub-goals: its official tasks cannot be scored.",
		},
		{
			Env: "hotpotqa", Name: "questions", Needed: true, Folder: "hotpotqa", Files: []string{questionsName},
			Absence: "HotpotQA's development set cannot be played.",
		},
		{
			Env: "hotpotqa", Name: "facts", Folder: "hotpotqa", Files: []string{factsName},
			Absence: "HotpotQA's expert does not know what to search for; models are not affected.",
		},
		{
			Env: "hotpotqa", Name: "wikipedia", Folder: "hotpotqa", Files: []string{dumpName},
			Absence: "Wikipedia of 2017 is not at hand for heldout wiki build; pages come from the live site.",
		},
		{
			Env: "jericho", Name: "labels", Needed: true, Folder: "jericho", Files: []string{labelName}, Lines: 20,
			Absence: "Jericho's sub-goals are missing: progress and success cannot be scored.",
		},
		{
			Env: "jericho", Name: "stories", Needed: true, Folder: suiteFolder,
			Files: filesUnder(knownSums, suiteFolder), Absence: "Jericho's games cannot be played.",
		},
		{
			Env: "jericho", Name: "tales", Folder: suiteFolder, Files: filesUnder(talesSums, suiteFolder),
			Absence: "34 of TALES' 54 games cannot be played; AgentBoard's tasks are not affected.",
		},
		{
			Env: "pddl", Name: "labels", Needed: true, Folder: "pddl", Files: []string{labelName}, Lines: 60,
			Absence: "The difficulty of the PDDL tasks is missing: they cannot be played.",
		},
		{
			Env: "pddl", Name: "problems", Needed: true, Folder: problemFolder, Alternatives: []string{
				"../agentboard/environment/pddl_env/pddlgym/pddl"},
			Files:   filesUnder(knownSums, problemFolder),
			Absence: "The PDDL problems are missing: they cannot be played.",
		},
		{
			Env: "sciworld", Name: "labels", Needed: true, Folder: "scienceworld", Files: []string{labelName},
			Lines:   90,
			Absence: "ScienceWorld has no official goals and sub-goals: AgentBoard's progress rate cannot be computed.",
		},
	}
})

// gameFolders are where a split of ALFWorld's games may lie instead of in gamesFolder.
func gameFolders(split string) (folders []string) {
	for _, folder := range alfworld.GameFolders() {
		if folder != gamesFolder {
			folders = append(folders, folder+"/"+split)
		}
	}
	return folders
}

// environments lists those with official data, in the order of Parts.
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

// knownSums lists the published files whose bytes are known, as sha256sum prints
// them; paths are from the data folder. talesSums lists the stories that TALES plays
// besides AgentBoard's.
var (
	//go:embed known.sha256
	knownSums string
	//go:embed tales.sha256
	talesSums string
)

// publishedSums returns the SHA-256 in hex of the published files, by path.
func publishedSums() map[string]string {
	sums := map[string]string{"hotpotqa/" + factsName: factsSum, "hotpotqa/" + dumpName: dumpSum}
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
