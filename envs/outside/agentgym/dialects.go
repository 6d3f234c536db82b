package agentgym

import (
	"fmt"
	"strings"
)

// dialect is an environment of AgentGym, and how its server speaks.
type dialect struct {
	// name is the name in AgentGym's numbers of tasks, such as textcraft_17.
	name string
	// greeting is what the server answers at its root, empty if others answer the same; path is
	// where it has the environment.
	greeting, path string
	// number and index are the fields of a game's number and of a task's index.
	number, index string
	// text is the field of an answer with the observation.
	text string
	// opening is the route of the first observation: a text, or a list of its lines. Without one, it is in the
	// answer to a reset.
	opening string
	// closes: a game can be closed. Otherwise, it is used again for the next task.
	closes bool
	// lists is the route of the list of actions; empty if there is none.
	lists string
	// tasks is the number of tasks, and steps the step limit of AgentGym's evaluation.
	tasks, steps int
	// least and largest are the bounds of rewards. A success earns the largest.
	least, largest float64
	// sums: AgentGym's score of a step is the sum of the rewards so far, which an answer has as its score.
	// It can pass the largest reward, and then counts as the largest.
	sums bool
	// instruction and actions are told where a prompt does not explain the environment.
	instruction string
	actions     []string
}

// lmrlGym is what a server with several games greets with.
const lmrlGym = "This is environment LMRL-Gym."

var kinds = []dialect{{
	name: "textcraft", greeting: "This is environment TextCraft.", number: "id", index: "data_idx", text: "observation",
	closes: true, tasks: 544, steps: 20, largest: 1,
	instruction: "Craft the item that the goal names. The first observation lists the crafting commands. What no " +
		"command makes, you can get.",
	actions: []string{"craft {count} {item} using {count} {ingredient}, {count} {ingredient}", "get {count} {item}",
		"inventory"},
}, {
	name: "maze", greeting: lmrlGym, path: "maze", number: "id", index: "game", text: "observation",
	lists: "available_actions", tasks: 25, steps: 15, least: -1, largest: 1,
	instruction: "Walk through a maze to the goal in as few steps as you can. A position is a row and a column: moving " +
		"down adds 1 to the row, and moving right adds 1 to the column.",
	actions: []string{"move up", "move down", "move left", "move right"},
}, {
	name: "wordle", greeting: lmrlGym, path: "wordle", number: "id", index: "seed", text: "observation",
	opening: "filtered_vocab", tasks: 980, steps: 8, least: -4, largest: 1,
	instruction: "Guess a hidden word of five letters in six tries. The first observation lists all words that it can " +
		"be. The answer has a letter for each of yours: g if it is right, y if it belongs elsewhere, b if it is not in " +
		"the word.",
	actions: []string{"{letter} {letter} {letter} {letter} {letter}"},
}, {
	name: "babyai", greeting: "This is environment BabyAI.", number: "id", index: "data_idx", text: "observation",
	closes: true, tasks: 900, steps: 20, largest: 1, sums: true,
	instruction: "Reach the goal in a grid of rooms. Every observation lists the actions that are possible.",
}, {
	name: "webshop", number: "env_idx", index: "session_id", text: "state", opening: "observation",
	tasks: 6910, steps: 10, largest: 1,
	instruction: "Buy the product that the instruction describes: search, open a result, choose its options, buy it.",
	actions:     []string{"search[{words}]", "click[{button}]"},
}}

// progress says what of an answer to a step is the progress.
func (k *dialect) progress() string {
	if k.sums {
		return fmt.Sprintf("the sum of rewards, from 0 to %g", k.largest)
	}
	return fmt.Sprintf("the last reward, from 0 to %g", k.largest)
}

// names lists the environments.
func names() (out []string) {
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// position is the index of a task in its name.
func (k *dialect) position(task string) string { return strings.TrimPrefix(task, k.name+"_") }
