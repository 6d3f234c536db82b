package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	jsonv2 "github.com/go-json-experiment/json"

	"heldout/envs"
)

// ClientAction is what a client does in a step.
type ClientAction struct {
	Text string
	Sampled
}

// Sampled is how a policy sampled an action. A recording keeps it; nothing else depends on it.
type Sampled struct {
	// TokenIDs are the tokens of the reply, at most maxTokens. Logprobs are their
	// log-probabilities; as many, or none.
	TokenIDs []int     `json:"token_ids"`
	Logprobs []float64 `json:"logprobs"`
}

// maxTokens is the largest number of tokens of an action.
const maxTokens = 16 << 10

// errSampled says what a sampled action has.
var errSampled = errors.New(`want "token_ids": [N, …] with at most 16384 whole numbers from 0 to 2147483647 and, ` +
	`with or without them, "logprobs": [X, …] with as many numbers`)

// check reports tokens that no policy has sampled.
func (s *Sampled) check() error {
	n := max(len(s.TokenIDs), len(s.Logprobs))
	if n > maxTokens || s.TokenIDs != nil && s.Logprobs != nil && len(s.TokenIDs) != len(s.Logprobs) {
		return fmt.Errorf("there are %d token_ids and %d logprobs: %w", len(s.TokenIDs), len(s.Logprobs), errSampled)
	}
	for _, id := range s.TokenIDs {
		if id < 0 || id > math.MaxInt32 {
			return fmt.Errorf("there is the token %d: %w", id, errSampled)
		}
	}
	return nil
}

// readSampled reads token_ids and logprobs from an object that may have other keys.
func readSampled(raw json.RawMessage) (s Sampled, err error) {
	if jsonv2.Unmarshal(raw, &s, asPython) != nil {
		return Sampled{}, errSampled
	}
	return s, s.check()
}

// bytes is about how much room the tokens take in a record.
func (s *Sampled) bytes() int { return 7*len(s.TokenIDs) + 20*len(s.Logprobs) }

// Actions lists the valid actions, sorted. Asking changes nothing. Without a running episode
// it returns ErrNoEpisode.
func (s *Session) Actions() (actions []string, err error) {
	err = s.WithWorld(func(ctx context.Context, w envs.World) (err error) {
		if _, ok := envs.As[envs.Lister](w); !ok {
			return &ChoiceError{"actions", "the environment cannot list its valid actions"}
		}
		if actions, err = validActions(ctx, w); err != nil {
			actions, err = nil, s.failed(&s.episode, err)
		}
		return err
	})
	return actions, err
}

// actionList is the answer to a question for the valid actions.
type actionList struct {
	Actions []string `json:"actions"`
}
