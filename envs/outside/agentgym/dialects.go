package agentgym

import (
	_ "embed"
	"fmt"

	"heldout/envs/datafile"
)

// dialect is an environment of AgentGym, and how its server speaks.
type dialect struct {
	// Name is the name in AgentGym's numbers of tasks, such as textcraft_17.
	Name string
	// Greeting is what the server answers at its root, empty if others answer the same; Path is
	// where it has the environment.
	Greeting, Path string
	// Number and Index are the fields of a game's number and of a task's index.
	Number, Index string
	// Text is the field of an answer with the observation.
	Text string
	// Opening is the route of the first observation: a text, or a list of its lines. Without one, it is in the
	// answer to a reset.
	Opening string
	// Closes: a game can be closed. Otherwise, it is used again for the next task.
	Closes bool
	// Lists is the route of the list of actions; empty if there is none.
	Lists string
	// Tasks is the number of tasks, and Steps the step limit of AgentGym's evaluation.
	Tasks, Steps int
	// Least and Largest are the bounds of rewards. A success earns the largest.
	Least, Largest float64
	// Sums: AgentGym's score of a step is the sum of the rewards so far, which an answer has as its score.
	// It can pass the largest reward, and then counts as the largest.
	Sums bool
	// Instruction and Actions are told where a prompt does not explain the environment.
	Instruction string
	Actions     []string
}

// lmrlGym is what a server with several games greets with.
const lmrlGym = "This is environment LMRL-Gym."

//go:embed dialects.json
var dialectsText []byte

var kinds = datafile.Table[[]dialect](dialectsText)

// progress says what of an answer to a step is the progress.
func (k *dialect) progress() string {
	if k.Sums {
		return fmt.Sprintf("the sum of rewards, from 0 to %g", k.Largest)
	}
	return fmt.Sprintf("the last reward, from 0 to %g", k.Largest)
}

// names lists the environments.
func names() (out []string) {
	for _, k := range kinds {
		out = append(out, k.Name)
	}
	return out
}
