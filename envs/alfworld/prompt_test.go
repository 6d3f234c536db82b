package alfworld

import (
	"context"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
)

// exampleGames are the games of the prompt's examples: made with generator seed
// 1000, which no default suite plays.
func exampleGames() map[string]string {
	return map[string]string{
		"look_at_obj_in_light":           "look_at_obj_in_light-Statue-None-DeskLamp-304/gen1000-055",
		"pick_and_place_simple":          "pick_and_place_simple-CellPhone-None-ArmChair-308/gen1000-035",
		"pick_clean_then_place_in_recep": "pick_clean_then_place_in_recep-DishSponge-None-Cart-415/gen1000-095",
		"pick_cool_then_place_in_recep":  "pick_cool_then_place_in_recep-Pot-None-DiningTable-26/gen1000-133",
		"pick_heat_then_place_in_recep":  "pick_heat_then_place_in_recep-Mug-None-CoffeeMachine-28/gen1000-066",
		"pick_two_obj_and_place":         "pick_two_obj_and_place-KeyChain-None-Shelf-215/gen1000-032",
	}
}

// The examples of the prompt are won episodes of games of our own.
func TestPromptExamples(t *testing.T) {
	for _, version := range configs.PromptVersions() {
		t.Run(version, func(t *testing.T) { testPromptExamples(t, Name, version, Options{}) })
	}
	t.Run("dialect v2", func(t *testing.T) { testPromptExamples(t, Name+"-v2", "v2", Options{Dialect: "v2"}) })
}

func testPromptExamples(t *testing.T, name, version string, o Options) {
	games := exampleGames()
	prompt := sharedtest.Must(configs.LoadPrompt(name, version))(t)
	if prompt.Help != checkAction || len(prompt.Types) != len(games) {
		t.Errorf("help action %q and %d sections, want %q and %d", prompt.Help, len(prompt.Types), checkAction,
			len(games))
	}
	env := sharedtest.Must(NewGenerated(1000, o))(t)
	for _, task := range env.Tasks() {
		if games[task.Type] != task.ID {
			continue
		}
		in := sharedtest.Must(prompt.For(task.Type))(t)
		sharedtest.Equal(t, len(in.Examples), 1, task.Type, "examples")
		checkExample(t, env, task, in.Examples[0])
		delete(games, task.Type)
	}
	for typ, id := range games {
		t.Errorf("%s: there is no game %s", typ, id)
	}
}

func checkExample(t *testing.T, env *Env, task envs.Task, ex configs.Example) {
	t.Helper()
	ctx := context.Background()
	w := sharedtest.Must(env.NewWorld(task))(t)
	s, err := w.Start(ctx)
	if err != nil || s.Goal != ex.Goal || s.Observation != ex.Observation {
		t.Errorf("%s: the example starts with %q, %q, the game with %q, %q, %v", task.ID, ex.Goal, ex.Observation,
			s.Goal, s.Observation, err)
	}
	for i, want := range ex.Steps {
		got, err := w.Step(ctx, want.Action)
		if err != nil || got.Observation != want.Observation || got.Success != (i == len(ex.Steps)-1) ||
			want.Thought == "" {
			t.Errorf("%s, step %d, %q: the example says %q, the game %+v, %v", task.ID, i, want.Action,
				want.Observation, got, err)
		}
	}
}
