package pddl

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/datafile"
	"heldout/envs/engine/planning"
)

// problemFolders are the possible locations, relative to the data folder, of the official domain and problem files:
// beside the labels, or in a checkout of AgentBoard that contains the data folder.
var problemFolders = []string{
	"pddl/pddlgym",
	"../agentboard/environment/pddl_env/pddlgym/pddl",
}

// labelFile holds one line of JSON per task.
const labelFile = "pddl/test.jsonl"

// NewOfficial reads the 60 official tasks from AgentBoard's data folder or one like it.
func NewOfficial(dir string) (*Env, error) {
	labels, raw, err := agentboard.Read(filepath.Join(dir, filepath.FromSlash(labelFile)), "PDDL", parseLabel)
	if err != nil {
		return nil, err
	}
	folder, err := findProblems(dir)
	if err != nil {
		return nil, err
	}
	e := newEnv(envs.Official)
	read := []string{raw}
	for i := range games {
		texts, err := e.addOfficial(&games[i], folder, labels)
		if err != nil {
			return nil, err
		}
		read = append(read, texts...)
	}
	if len(labels) != len(e.List) {
		return nil, fmt.Errorf("%s has %d lines, but there are %d tasks", labelFile, len(labels), len(e.List))
	}
	e.About.DataHash = envs.Digest(read...)
	return e, nil
}

func findProblems(dir string) (folder string, err error) {
	for _, f := range problemFolders {
		folder := filepath.Join(dir, filepath.FromSlash(f))
		if info, err := os.Stat(filepath.Join(folder, games[0].Name+".pddl")); err == nil && !info.IsDir() {
			return folder, nil
		}
	}
	return "", fmt.Errorf("the PDDL domain and problem files are missing: want %s.pddl and the folder %s in %s; "+
		"they are in AgentBoard's repository under agentboard/environment/pddl_env/pddlgym/pddl",
		games[0].Name, games[0].Name, filepath.Join(dir, filepath.FromSlash(problemFolders[0])))
}

// addOfficial reads the problems of one game, in the order of their file names,
// and returns the texts of these files.
func (e *Env) addOfficial(g *strategyGame, folder string, labels []label) (read []string, err error) {
	domainText, err := datafile.ReadText(filepath.Join(folder, g.Name+".pddl"), datafile.MaxLabels)
	if err != nil {
		return nil, fmt.Errorf("pddl: %w", err)
	}
	domain, err := planning.ParseDomain(g.Name+".pddl", string(domainText))
	if err != nil {
		return nil, err
	}
	read = append(read, string(domainText))
	files, err := fs.Glob(os.DirFS(folder), g.Name+"/*.pddl")
	if err != nil {
		return nil, fmt.Errorf("pddl: %w", err)
	}
	slices.Sort(files)
	if len(files) < g.Capacity {
		return nil, fmt.Errorf("pddl: the folder %s has %d problem files, want %d", g.Name, len(files), g.Capacity)
	}
	for _, file := range files[:g.Capacity] {
		text, err := datafile.ReadText(filepath.Join(folder, filepath.FromSlash(file)), datafile.MaxLabels)
		if err != nil {
			return nil, fmt.Errorf("pddl: %w", err)
		}
		p, err := newProblem(g, domain, file, string(text))
		if err != nil {
			return nil, err
		}
		n := len(e.List)
		if n >= len(labels) {
			return nil, fmt.Errorf("%s ends before task %d", labelFile, n)
		}
		if l := labels[n]; l.Info.Subtask != g.Name {
			return nil, fmt.Errorf("%s: line %d is about %q, but task %d is one of %s", labelFile, n+1, l.Info.Subtask,
				n, g.Name)
		}
		id := g.Name + "/" + strings.TrimSuffix(path.Base(file), ".pddl")
		e.add(p, id, labels[n].Difficulty, string(domainText), string(text))
		read = append(read, string(text))
	}
	return read, nil
}

// label is the relevant part of a line of the label file.
type label struct {
	ID         int             `json:"id"`
	Difficulty envs.Difficulty `json:"difficulty"`
	Info       struct {
		Subtask string `json:"subtask"`
	} `json:"additional_info"`
}

func parseLabel(line []byte, task int) (l label, err error) {
	if err := datafile.Unmarshal(line, &l, datafile.Lenient); err != nil {
		return l, err
	}
	return l, cmp.Or(agentboard.CheckID(l.ID, task), l.Difficulty.Check())
}
