package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// All games of verl-agent's presets are played by the expert, who answers in their form. Each message is what
// verl-agent's rules make of the game: its template, the possible actions in the game's order, the numbers of
// steps, and a history of two turns. HELDOUT_TEST_ALFWORLD_DATA names folders with the seen games, or with others to
// play.
func TestGamesOfVerlAgent(t *testing.T) {
	originals := filepath.Join(sharedtest.Golden(t, "protocols"), "originals")
	folders := append(filepath.SplitList(os.Getenv("HELDOUT_TEST_ALFWORLD_DATA")), sharedtest.AgentBoard(t))
	for preset, original := range map[string]string{"gigpo-alfworld": "verl-agent",
		"gigpo-alfworld-2025": "verl-agent-2025"} {
		for _, split := range []string{"seen", "unseen"} {
			for i, folder := range folders {
				games := filepath.Join(folder, "alfworld", "json_2.1.1", "valid_"+split)
				if _, err := os.Stat(games); err != nil {
					continue
				}
				t.Run(fmt.Sprintf("%s:%s of folder %d", preset, split, i+1), func(t *testing.T) {
					job := sharedtest.Must(presetSweep(t, preset+":"+split, folder,
						filepath.Join(originals, original), "verbs:1"))(t)
					defer job.Close()
					b := job.specs[0].Benchmarks[0]
					games, requests, longest, every := 0, 0, 0, sharedtest.Every(t, 140, 6)
					for i, task := range b.Env.Tasks() {
						if i%every == 0 {
							n := verlAgent(t, b, task)
							games, requests, longest = games+1, requests+n, max(longest, n)
						}
					}
					t.Logf("%d games, %d requests, at most %d a game", games, requests, longest)
				})
			}
		}
	}
}

// verlAgent plays a game, and returns the number of requests.
func verlAgent(t *testing.T, b episode.Benchmark, task envs.Task) int {
	t.Helper()
	b.Tasks = []envs.Task{task}
	expert := expertActions(t, &b)
	m := &sayer{actions: slices.Clone(expert), before: "<think>\nI act.\n</think>\n<action>", after: "</action>"}
	info := b.Condition(b.Env.Info(), &episode.Player{Name: "openai:sayer", Agent: "single"}, 0)
	if rec := plays(t, &b, info, m); rec.Outcome != record.Success || len(rec.Trajectory) != len(expert) {
		t.Errorf("%s: %s after %d steps, want success after %d", task.ID, rec.Outcome, len(rec.Trajectory), len(expert))
	}
	world := sharedtest.Must(b.Env.NewWorld(task))(t)
	defer world.Close()
	start := sharedtest.Must(world.Start(t.Context()))(t)
	seen := []string{start.Observation}
	_, goal, _ := strings.Cut(start.Observation, "Your task is to: ")
	for n, action := range expert {
		list := sharedtest.Must(world.(envs.Lister).Actions(t.Context()))(t)
		list = slices.DeleteFunc(list, func(a string) bool { return a == "help" })
		var history []string
		for i := max(0, n-2); i < n; i++ {
			history = append(history, fmt.Sprintf("[Observation %d: '%s', Action %d: '%s']", i+1, seen[i], i+1,
				expert[i]))
		}
		text := b.Prompt.Template.Next
		if n == 0 {
			text = b.Prompt.Template.First
		}
		want := strings.NewReplacer("{task_description}", goal, "{step_count}", fmt.Sprint(n), "{current_step}",
			fmt.Sprint(n+1), "{history_length}", fmt.Sprint(len(history)), "{action_history}",
			strings.Join(history, "\n"), "{current_observation}", seen[n], "{admissible_actions}",
			"'"+strings.Join(list, "'\n '")+"'").Replace(text)
		if n >= len(m.asked) || m.asked[n] != want {
			t.Fatalf("%s, request %d of %d differs, want\n%s", task.ID, n+1, len(m.asked), want)
		}
		step := sharedtest.Must(world.Step(t.Context(), action))(t)
		seen = append(seen, step.Observation)
	}
	return len(m.asked)
}
