package serve

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"heldout/envs"
)

// gymClient is one of the numbered environments of an AgentGym server.
type gymClient struct {
	// id, numbered and ended belong to the server's lock.
	id              int64
	numbered, ended bool
	session         *Session

	mu      sync.Mutex // held by the running request
	started bool       // reset at least once
	done    bool       // the episode is over
	task    envs.Task
	goal    string
	// observation is the last answer, and actions are those that are valid then.
	observation string
	actions     []string
	// prior, score and reward are what the world said: its score before and after the last step or the start, and
	// the reward of the last action that did something. A start counts from 0.
	prior, score, reward float64
	success              bool
}

// rewarder is the ability of BabyAI's world to tell its own reward, which may be negative.
type rewarder interface{ Reward() float64 }

// takeScores takes the scores of a world.
func (c *gymClient) takeScores(_ context.Context, w envs.World) error {
	if s, ok := envs.As[envs.Scorer](w); ok {
		c.prior, c.score = c.score, s.Score()
	}
	if r, ok := envs.As[rewarder](w); ok {
		c.reward = r.Reward()
	}
	return nil
}

func (c *gymClient) reset(e EpisodeStart) error {
	e.Observe = c.takeScores
	r, err := runUntilEnd(c.session, func() (Reply, error) { return c.session.Reset(e) })
	if err != nil {
		c.done = true
		return err
	}
	c.started, c.done, c.task, c.success = true, false, e.Task, false
	c.prior = 0
	c.goal, c.observation, c.actions = r.Goal, r.Observation, r.Actions
	return nil
}

func (c *gymClient) step(action string) error {
	r, err := runUntilEnd(c.session, func() (Reply, error) { return c.session.Step(action) })
	if err != nil {
		return err
	}
	c.done, c.success, c.observation, c.actions = r.Done, r.Success, r.Observation, r.Actions
	return nil
}

// problem is what a client is told about an error.
func (c *gymClient) problem(err error) string {
	ended, isEnd := errors.AsType[*EndedError](err)
	id := strconv.FormatInt(c.id, 10)
	switch {
	case errors.Is(err, ErrNoEpisode) && c.started:
		return "The task with environment " + id + " has finished."
	case errors.Is(err, ErrNoEpisode):
		return "The environment " + id + " was not reset."
	case isEnd && ended.Reason != TooSlow:
		return deleted(c.id)
	}
	return err.Error()
}

// sumOfRewards is a sum of rewards as Python writes it: the whole number 0 until there is a reward.
type sumOfRewards float64

// MarshalJSONTo implements jsonv2.MarshalerTo.
func (f sumOfRewards) MarshalJSONTo(e *jsontext.Encoder) error {
	if f == 0 {
		return e.WriteToken(jsontext.Int(0))
	}
	return pythonFloat(f).MarshalJSONTo(e)
}
