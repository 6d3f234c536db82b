package alfworld

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/datafile"
)

// GameFolders lists where the splits may lie in a data folder, with slashes: as in AgentBoard's
// data folder, or as in a folder of ALFWorld's own downloads.
func GameFolders() []string {
	return []string{"alfworld/json_2.1.1", "alfworld/json_2.1.2", "alfworld/json_2.1.3", "json_2.1.1", "json_2.1.2",
		"json_2.1.3"}
}

// SplitsIn lists the splits whose games a data folder has.
func SplitsIn(dir string) (names []string) {
	for _, split := range Splits() {
		if len(splitFolders(dir, split)) > 0 {
			names = append(names, split)
		}
	}
	return names
}

// splitFolders are the folders of a split in a data folder.
func splitFolders(dir, split string) (folders []string) {
	for _, f := range GameFolders() {
		folder := filepath.Join(dir, filepath.FromSlash(f), split)
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			folders = append(folders, folder)
		}
	}
	return folders
}

// findGames returns the folder of a split, and the names of the game files in it, sorted. Of
// several folders it takes the first with a game.
func findGames(dir, split string) (folder string, names []string, err error) {
	folders := splitFolders(dir, split)
	for _, folder := range folders {
		if names, _ := fs.Glob(os.DirFS(folder), "*/*/"+gameName); len(names) > 0 { // no other error than a bad pattern
			slices.Sort(names)
			return folder, names, nil
		}
	}
	if len(folders) > 0 {
		return folders[0], nil, nil
	}
	remedy := "heldout data pull alfworld fetches it"
	if splits := SplitsIn(dir); len(splits) > 0 {
		remedy = "there are games for --split " + strings.Join(splits, " or ")
	} else if neighbour := nearby(dir, split); neighbour != "" {
		remedy = "there are such games for --data " + neighbour
	}
	return "", nil, fmt.Errorf("ALFWorld's games are missing: want the folder %s; %s",
		filepath.Join(dir, filepath.FromSlash(GameFolders()[0]), split), remedy)
}

// nearby is a folder around dir or in it in which the games of a split would be found; "" without
// one. People name a folder of the games themselves, or one above the data folder.
func nearby(dir, split string) string {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	var candidates []string
	inside, _ := os.ReadDir(absolute) // without any, there are the folders above
	for _, entry := range inside {
		candidates = append(candidates, filepath.Join(absolute, entry.Name()))
	}
	for range 4 { // up from the folder of a trial
		absolute = filepath.Dir(absolute)
		candidates = append(candidates, absolute)
	}
	i := slices.IndexFunc(candidates, func(c string) bool { return len(splitFolders(c, split)) > 0 })
	if i < 0 {
		return ""
	}
	return candidates[i]
}

// noGames says why a folder of a split has no games to play.
func noGames(folder string, names []string) error {
	if len(names) > 0 {
		return fmt.Errorf("alfworld: no solvable game in %s", folder)
	}
	for _, candidate := range [...]struct{ name, reason string }{
		{gameName + ".gz", "its games are compressed; gunzip -r " + folder + " unpacks them"},
		{"traj_data.json", "it has trajectories only; ALFWorld's archive json_2.1.3_tw-pddl.zip has the games"},
	} {
		if found, _ := fs.Glob(os.DirFS(folder), "*/*/"+candidate.name); len(found) > 0 {
			return fmt.Errorf("alfworld: no game in %s: %s", folder, candidate.reason)
		}
	}
	return fmt.Errorf("alfworld: no game in %s: want TASK/TRIAL/%s; heldout data pull alfworld fetches them", folder,
		gameName)
}

// listGames reads the eligible games of a folder, sorted by path: the solvable games of the six task types. It also
// returns the SHA-256 of each file, and the files that do not say whether they are solvable, which ALFWorld leaves
// out. A file that cannot be read is an error, or left out if only a part of the games is wanted.
func listGames(folder string, names []string, partial bool) (ids []string, files []gameFile, sums, unmarked []string,
	err error) {
	for _, name := range names {
		typ, _, _ := strings.Cut(name, "-")
		if strings.Contains(name, "movable") || strings.Contains(name, "Sliced") || !slices.Contains(taskTypes(), typ) {
			continue
		}
		f, sum, err := readGameFile(filepath.Join(folder, filepath.FromSlash(name)))
		switch {
		case err != nil && partial:
		case err != nil:
			return nil, nil, nil, nil, err
		case f.unmarked:
			unmarked = append(unmarked, name)
		case f.solvable:
			ids, files, sums = append(ids, path.Dir(name)), append(files, f), append(sums, sum)
		}
	}
	return ids, files, sums, unmarked, nil
}

// readGameFile reads a game, and the SHA-256 of its file.
func readGameFile(file string) (f gameFile, sum string, err error) {
	b, err := datafile.ReadText(file, datafile.MaxLabels)
	if err != nil {
		return f, "", fmt.Errorf("alfworld: %w", err)
	}
	if f, err = parseGameFile(b); err != nil {
		return f, "", fmt.Errorf("%s: %w", file, err)
	}
	return f, envs.Digest(string(b)), nil
}
