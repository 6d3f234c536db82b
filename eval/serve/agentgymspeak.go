package serve

import (
	"context"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/agent"
)

// gymSpeakers are how AgentGym's servers speak, by the names of their mounts.
var gymSpeakers = map[string]gymSpeaker{
	gymALFWorld: {
		hello: "This is environment AlfWorld.",
		reset: func(f *formBody) (*big.Int, string) {
			game, worldType := f.integer("game"), f.text("world_type")
			switch worldType {
			case "Text", "Embody", "Hybrid":
				return game, ""
			}
			return game, `world_type must be one of "Text", "Embody" and "Hybrid"`
		},
		started: func(c *gymClient) any {
			c.observation = alfworldTexts.First(envs.Start{Observation: c.observation}, nil)
			return alfworldStart{c.id, c.observation, c.actions, c.task.ID}
		},
		stepped: func(c *gymClient) any {
			c.observation = alfworldTexts.Next(c.observation, 0, nil)
			return alfworldStep{c.observation, c.alfworldReward(), c.actions, c.done}
		},
		asks: map[string]gymAnswer{
			"/observation":       func(c *gymClient) (any, error) { return c.observation, nil },
			"/available_actions": func(c *gymClient) (any, error) { return c.actions, nil },
			"/detail": func(c *gymClient) (any, error) {
				return alfworldDetail{alfworldStart{c.id, c.observation, c.actions, c.task.ID}, c.alfworldReward(),
					c.done}, nil
			},
		},
	},
	gymBabyAI: {
		hello: "This is environment BabyAI.",
		reset: func(f *formBody) (*big.Int, string) { return f.integer("data_idx"), "" },
		started: func(c *gymClient) any {
			return babyaiStart{Observation: c.observation}
		},
		stepped: func(c *gymClient) any {
			return scoredStep[sumOfRewards]{c.observation, sumOfRewards(c.reward), sumOfRewards(c.score), c.done}
		},
		asks: map[string]gymAnswer{
			"/observation": func(c *gymClient) (any, error) {
				goal := "Your goal: " + c.goal + "\n"
				return goal + strings.TrimPrefix(c.observation, goal), nil
			},
		},
	},
	gymScienceWorld: {
		hello:   "This is environment ScienceWorld.",
		reset:   func(f *formBody) (*big.Int, string) { return f.integer("data_idx"), "" },
		started: func(c *gymClient) any { return c.science() },
		stepped: func(c *gymClient) any {
			return scoredStep[int]{c.observation, percent(c.score) - percent(c.prior), percent(c.score), c.done}
		},
		asks: map[string]gymAnswer{
			"/observation": func(c *gymClient) (any, error) { return c.observation, nil },
			"/task_description": func(c *gymClient) (any, error) {
				return map[string]string{"task_description": c.goal}, nil
			},
			"/detail":      func(c *gymClient) (any, error) { return c.science(), nil },
			"/action_hint": (*gymClient).hint,
			"/goals":       (*gymClient).goals,
		},
	},
}

type alfworldStart struct {
	ID          int64    `json:"id"`
	Observation string   `json:"observation"`
	Actions     []string `json:"available_actions"`
	TaskType    string   `json:"task_type"`
}

type alfworldStep struct {
	Observation string      `json:"observation"`
	Reward      pythonFloat `json:"reward"`
	Actions     []string    `json:"available_actions"`
	Done        bool        `json:"done"`
}

type alfworldDetail struct {
	alfworldStart
	Reward pythonFloat `json:"reward"`
	Done   bool        `json:"done"`
}

func (c *gymClient) alfworldReward() pythonFloat {
	if c.success {
		return 1
	}
	return 0
}

// alfworldTexts leaves out the first paragraph of a game's opening text, and where the player arrived.
var alfworldTexts = agent.Renderer{Play: configs.Play{Observation: configs.Observation{Task: "{observation}",
	Banner: configs.Strip, Arrive: configs.Strip}, ActionsShown: configs.ActionsShown{Timing: configs.Never}}}

type babyaiStart struct {
	Observation string `json:"observation"`
	Reward      int    `json:"reward"`
	Score       int    `json:"score"`
	Deleted     bool   `json:"deleted"`
	Done        bool   `json:"done"`
}

// scoredStep is a step of an environment with scores of a kind.
type scoredStep[Score any] struct {
	Observation string `json:"observation"`
	Reward      Score  `json:"reward"`
	Score       Score  `json:"score"`
	Done        bool   `json:"done"`
}

// The abilities of ScienceWorld's worlds.
type (
	hinter interface {
		PossibleActions(context.Context) ([]string, error)
		PossibleObjects(context.Context) ([]string, error)
	}
	goalTeller interface {
		Goals(context.Context) (string, error)
	}
)

type scienceState struct {
	Task        string `json:"task_name"`
	Variation   int    `json:"var_num"`
	Description string `json:"task_description"`
	Observation string `json:"observation"`
	Reward      int    `json:"reward"`
	Score       int    `json:"score"`
	Deleted     bool   `json:"deleted"`
	Done        bool   `json:"done"`
}

// percent is a score as the simulator's Python package gives it.
func percent(score float64) int { return int(math.Round(100 * score)) }

func (c *gymClient) science() scienceState {
	name, number, _ := strings.Cut(c.task.ID, "/")
	variation, _ := strconv.Atoi(number) // the id of a task always has one
	return scienceState{name, variation, c.goal, c.observation, percent(c.score) - percent(c.prior), percent(c.score),
		false, c.done}
}

// errNoAbility answers a question that the world cannot answer.
var errNoAbility = errors.New("the environment cannot tell this")

// askWorld asks the running world by an ability.
func askWorld[Ability any](c *gymClient, ask func(context.Context, Ability) error) error {
	return c.session.WithWorld(func(ctx context.Context, w envs.World) error {
		able, ok := envs.As[Ability](w)
		if !ok {
			return errNoAbility
		}
		return ask(ctx, able)
	})
}

func (c *gymClient) hint() (any, error) {
	var out struct {
		Actions []string `json:"possible_actions"`
		Objects []string `json:"possible_objects"`
	}
	err := askWorld(c, func(ctx context.Context, h hinter) (err error) {
		if out.Actions, err = h.PossibleActions(ctx); err == nil {
			out.Objects, err = h.PossibleObjects(ctx)
		}
		return err
	})
	return out, err
}

func (c *gymClient) goals() (any, error) {
	out := map[string]string{}
	err := askWorld(c, func(ctx context.Context, g goalTeller) (err error) {
		out["goals"], err = g.Goals(ctx)
		return err
	})
	return out, err
}
