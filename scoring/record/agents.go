package record

import "slices"

// The agents without a model that do not depend on the seed.
const (
	// Expert follows the environment's own solution, in the form told.
	Expert = "expert"
	// Memoriser plays what the expert does without a perturbation, whatever it reads.
	Memoriser = "memoriser"
	// Reciter does so as long as it reads what the expert reads without a perturbation,
	// prompt included, and gives up at the first other text.
	Reciter = "reciter"
)

// Own is the agent of a program of the user's, and its models begin with OwnModel.
const (
	Own      = "own"
	OwnModel = "agent:"
)

// Remote is the agent of episodes that others played through a server, and begins the names of their players.
const Remote = "remote"

// Outside reports whether a player is the user's, with prompts and sampling of its own. It competes with models, as no
// other player without a model does.
func Outside(agent string) bool { return agent == Own || agent == Remote }

// Seedless reports whether an agent plays the same with every seed.
func Seedless(agent string) bool { return slices.Contains([]string{Expert, Memoriser, Reciter}, agent) }
