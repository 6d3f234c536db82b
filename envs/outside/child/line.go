package child

import (
	"heldout/envs/outside"
	"heldout/envs/outside/lines"
)

// protocol is the version of the lines.
const protocol = 1

// request is a line to the program.
type request struct {
	lines.Head
	World  int64   `json:"world,omitzero"`
	Task   string  `json:"task,omitzero"`
	Seed   *int64  `json:"seed,omitzero"`
	Action *string `json:"action,omitzero"`
	Fork   int64   `json:"fork,omitzero"`
}

// What a request asks for.
const (
	askDescribe = "describe"
	askStart    = "start"
	askStep     = "step"
	askActions  = "actions"
	askExpert   = "expert"
	askFork     = "fork"
	askStateKey = "state_key"
	askClose    = "close"
)

// description is the answer to askDescribe.
type description struct {
	lines.Said
	Protocol int `json:"protocol"`
	outside.Profile
}

// response is a line of the program.
type response struct {
	lines.Said
	Goal        string   `json:"goal"`
	Observation *string  `json:"observation"`
	Progress    *float64 `json:"progress"`
	Reward      *float64 `json:"reward"`
	Done        bool     `json:"done"`
	Success     *bool    `json:"success"`
	Valid       *bool    `json:"valid"`
	Actions     []string `json:"actions"`
	Action      *string  `json:"action"`
	StateKey    string   `json:"state_key"`
}
