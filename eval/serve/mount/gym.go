package mount

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"strings"

	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/babyai"
	"heldout/envs/catalog"
	"heldout/envs/sciworld"
	"heldout/eval/bench"
	"heldout/eval/serve"
)

// gymSettings are AgentGym's settings of the environments that it shares with us.
var gymSettings = map[string]envs.Settings{
	alfworld.Name: {"variant": alfworld.ALFWorld, "dialect": "v1"},
	babyai.Name:   {"variant": babyai.AgentGym},
	sciworld.Name: {"variant": sciworld.AgentGym, "simplifications": "", "simulator-limit": ""},
}

// gymSplits are the splits that AgentGym's tasks come from.
var gymSplits = map[string][]string{
	alfworld.Name: {"train", "valid_train"}, babyai.Name: {testSplit}, sciworld.Name: {testSplit},
}

// Gyms returns the environments that AgentGym's servers serve too, of those that the texts name as Parse reads
// them, or of all. Tasks and settings are AgentGym's, whatever m and the texts say; only data and simulator are
// m's. Skipped says why some are not served. It opens no environment.
func Gyms(out bench.Outside, m Defaults, texts []string) (gyms []*serve.Gym, skipped []error) {
	named := map[string]bool{}
	for _, text := range texts {
		env, _, _ := strings.Cut(text, ",")
		if _, name, ok := strings.Cut(env, "="); ok {
			env = name
		}
		named[env] = true
	}
	for _, entry := range catalog.Entries() {
		settings, ok := gymSettings[entry.Name]
		if !ok || len(texts) > 0 && !named[entry.Name] {
			continue
		}
		choose, err := gymTasks(entry.Name, m.Setup.Data)
		if err != nil {
			skipped = append(skipped, fmt.Errorf("AgentGym's %s is not served: %w", entry.Name, err))
			continue
		}
		o := serve.MountOptions{Name: entry.Name}
		for _, split := range gymSplits[entry.Name] {
			o.Splits = append(o.Splits, serve.Split{Name: split, Open: func() (envs.Env, []envs.Task, error) {
				return openGym(out, m, entry, settings, split)
			}})
		}
		gyms = append(gyms, &serve.Gym{Mount: serve.NewMount(o), Choose: choose})
	}
	return gyms, skipped
}

// openGym opens a split of an environment with AgentGym's settings.
func openGym(out bench.Outside, m Defaults, entry catalog.Entry, settings envs.Settings, split string) (envs.Env,
	[]envs.Task, error) {
	setup := m.setup()
	maps.Copy(setup.Settings, settings)
	delete(setup.Settings, "split")
	if split != testSplit {
		setup.Settings["split"] = split
	}
	env, err := catalog.Open(entry.Name, setup, out.Envs())
	if err != nil {
		return nil, nil, err
	}
	return env, env.Tasks(), nil
}

// errGymRange is what AgentGym's servers say about a number that is too large.
var errGymRange = errors.New("list index out of range")

// gymTasks returns what chooses a task by AgentGym's number.
func gymTasks(env, data string) (func(*big.Int) (serve.TaskChoice, error), error) {
	switch env {
	case alfworld.Name:
		return gymGames(data)
	case babyai.Name:
		return func(n *big.Int) (serve.TaskChoice, error) {
			id, err := babyai.GymTask(n)
			return serve.TaskChoice{TaskID: id}, err
		}, nil
	}
	return func(n *big.Int) (serve.TaskChoice, error) {
		id, err := sciworld.GymTask(int(n.Int64()))
		if err != nil || !n.IsInt64() {
			return serve.TaskChoice{}, errGymRange
		}
		return serve.TaskChoice{TaskID: id}, nil
	}, nil
}

func gymGames(data string) (func(*big.Int) (serve.TaskChoice, error), error) {
	if data == "" {
		return nil, errors.New("its games are ALFWorld's own, which --data names")
	}
	games, err := alfworld.GymGames(data)
	if err != nil {
		return nil, err
	}
	return func(n *big.Int) (serve.TaskChoice, error) {
		if !n.IsInt64() || n.Sign() < 0 || n.Int64() >= int64(len(games)) {
			return serve.TaskChoice{}, errGymRange
		}
		game := games[n.Int64()]
		return serve.TaskChoice{Split: game.Split, TaskID: game.ID}, nil
	}, nil
}
