package alfworld

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// gymData returns a data folder with AgentGym's lists, as they are or changed.
func gymData(t *testing.T, change func(list string) string) string {
	t.Helper()
	from, to := sharedtest.Data(t, "agentgym", "AgentGym's lists of games"), t.TempDir()
	sharedtest.OK(t, os.Mkdir(filepath.Join(to, gymFolder), 0o755))
	for _, name := range []string{"alfworld_train.txt", "alfworld_test.txt"} {
		b := sharedtest.Must(os.ReadFile(filepath.Join(from, name)))(t)
		sharedtest.OK(t, os.WriteFile(filepath.Join(to, gymFolder, "my "+name), []byte(change(string(b))), 0o644))
	}
	return to
}

func TestGymGames(t *testing.T) {
	asJSON := func(list string) string {
		return `{"games": ["` + strings.Join(strings.Split(strings.ReplaceAll(list, "/", `", "`), "\n"),
			`"], ["`) + `"]}`
	}
	for name, change := range map[string]func(string) string{
		"as lines": func(list string) string { return list },
		"as JSON":  asJSON,
	} {
		games := sharedtest.Must(GymGames(gymData(t, change)))(t)
		sharedtest.Equal(t, len(games), 2420+200, name, "games")
		for number, want := range map[int]GymGame{
			0: {"train", "look_at_obj_in_light-AlarmClock-None-DeskLamp-301/trial_T20190907_174127_043461"},
			2420: {
				"valid_train", "pick_cool_then_place_in_recep-Mug-None-CoffeeMachine-23/trial_T20190908_143209_571893"},
		} {
			sharedtest.Equal(t, games[number], want, name, "game", number)
		}
	}
}

func TestGymGamesRefused(t *testing.T) {
	sharedtest.Fails(t, sharedtest.Err(GymGames(t.TempDir())), "copy the lists", "no folder")
	if _, err := GymGames(gymData(t, func(list string) string {
		return strings.Replace(list, "-301/", "-302/", 1)
	})); err == nil || !strings.Contains(err.Error(), gymTrainingSum) {
		t.Errorf("another game: %v", err)
	}
	if _, err := GymGames(gymData(t, func(list string) string {
		return strings.Replace(list, "/trial_", "/", 1)
	})); err == nil {
		t.Error("a game without a trial is accepted")
	}
}

func FuzzParseGymList(f *testing.F) {
	f.Add([]byte("look_at_obj_in_light-AlarmClock-None-DeskLamp-301/trial_T20190907_174127_043461\n"))
	f.Add([]byte(`{"0": ["pick_and_place_simple-A-None-B-1", "trial_T20190907_174127_043461"]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		ids, sum := parseGymList(b)
		for _, id := range ids {
			if strings.Count(id, "/") != 1 || sum == "" {
				t.Errorf("%q, %q", id, sum)
			}
		}
	})
}
