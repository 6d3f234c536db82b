package alfworld

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"heldout/envs/datafile"
)

// gymFolder is the data folder's folder for the lists of AgentGym's ALFWorld games.
const gymFolder = "agentgym"

// The lists that AgentGym counts its games by. Number 0 is the first training game, and the test games follow the
// training games. A sum is the SHA-256 of the lines "folder/trial".
const (
	gymTrainingSum = "9d0b319745c9ab89601487714b30fd4b2c8eb4bfd53842baaf700e461baf3d73"
	gymTestSum     = "2c2dff6acb7279d4a5c49e653a2fab80950060838fae51f3799acba0ba95c8f7"
)

// The names of a game's folder and of its trial.
var (
	gymGame  = regexp.MustCompile(`[a-z_]+(?:-[A-Za-z]+){3}-[0-9]+`)
	gymTrial = regexp.MustCompile(`trial_T[0-9]{8}_[0-9]{6}_[0-9]{6}`)
)

// mostGymFiles bounds the files that are read to find the lists.
const mostGymFiles = 32

// A GymGame is a game as AgentGym numbers it: its task and the split in which it is.
type GymGame struct{ Split, ID string }

// GymGames reads AgentGym's lists of games from a data folder. A game's place is AgentGym's number.
//
// The lists may be in files of any name and form in which the games and trials
// stand in their order, such as AgentGym's own; they are known by what they say.
func GymGames(data string) ([]GymGame, error) {
	folder := filepath.Join(data, gymFolder)
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("alfworld: AgentGym's lists of games: %w; %s", err, getGymLists(folder))
	}
	if len(files) > mostGymFiles {
		return nil, fmt.Errorf("alfworld: %s holds %d files, at most %d are read", folder, len(files), mostGymFiles)
	}
	lists := map[string][]string{}
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		b, err := datafile.Read(filepath.Join(folder, f.Name()), datafile.MaxLabels)
		if err != nil {
			return nil, fmt.Errorf("alfworld: %w", err)
		}
		ids, sum := parseGymList(b)
		lists[sum] = ids
	}
	var games []GymGame
	for _, list := range []struct{ split, sum string }{{"train", gymTrainingSum}, {"valid_train", gymTestSum}} {
		ids, ok := lists[list.sum]
		if !ok {
			return nil,
				fmt.Errorf(
					"alfworld: no file in %s has AgentGym's games of %s (SHA-256 of the lines folder/trial: %s); %s",
					folder, list.split, list.sum, getGymLists(folder))
		}
		for _, id := range ids {
			games = append(games, GymGame{list.split, id})
		}
	}
	return games, nil
}

func getGymLists(folder string) string {
	return "copy the lists agentenv-alfworld/configs/mappings_*.json of AgentGym's repository to " + folder
}

// parseGymList reads the games that a text names, as folder/trial, and the SHA-256
// of the lines. A text in which games and trials do not pair up has no games.
func parseGymList(b []byte) (ids []string, sum string) {
	games, trials := gymGame.FindAll(b, -1), gymTrial.FindAll(b, -1)
	if len(games) != len(trials) {
		return nil, ""
	}
	h := sha256.New()
	for i := range games {
		ids = append(ids, string(games[i])+"/"+string(trials[i]))
		fmt.Fprintln(h, ids[i])
	}
	return ids, hex.EncodeToString(h.Sum(nil))
}
