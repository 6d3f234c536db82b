package babyai

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/envs/engine/minigrid"
)

// worldID identifies a task's world.
type worldID struct {
	level *minigrid.Level
	seed  *big.Int
}

func (p worldID) id() string { return p.level.ID + "/" + p.seed.String() }

// The benchmark has 28 of the 40 levels, each with four seeds (§3.7).
var benchmarkLevels = []int{
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
	24, 25, 27, 28, 29, 31, 32,
}

const (
	firstSeed     = 1234
	seedsPerLevel = 4
)

func benchmark() []worldID {
	var out []worldID
	for _, n := range benchmarkLevels {
		for seed := range int64(seedsPerLevel) {
			out = append(out, worldID{&minigrid.Levels()[n-1], big.NewInt(firstSeed + seed)})
		}
	}
	return out
}

// seedText matches a seed in decimal digits. The reference accepts seeds of any
// length; a longer seed than this is a mistake.
var seedText = regexp.MustCompile(`^[0-9]{1,80}$`)

// parsePlace reads the name or number of a level, a slash and a seed.
func parsePlace(id string) (worldID, error) {
	name, seed, ok := strings.Cut(id, "/")
	if !ok || !seedText.MatchString(seed) {
		return worldID{}, fmt.Errorf("babyai: want a level and a seed, such as %s/1234 or 1/1234, not %q",
			minigrid.Levels()[0].ID, id)
	}
	n, _ := new(big.Int).SetString(seed, 10) // a string of digits always parses
	for i := range minigrid.Levels() {
		if l := &minigrid.Levels()[i]; l.ID == name || strconv.Itoa(l.Number) == name {
			return worldID{l, n}, nil
		}
	}
	return worldID{}, fmt.Errorf("babyai: unknown level %q; they are numbered from 1 to %d, or have names such as %s",
		name, len(minigrid.Levels()), minigrid.Levels()[0].ID)
}

// negativeSeed is what AgentGym's service says about a negative seed.
const negativeSeed = "Seed must be greater or equal to zero, actual value: "

// GymTask returns the name of AgentGym's task with that number (§6). Errors have the text of AgentGym's service.
func GymTask(number *big.Int) (string, error) {
	levels := big.NewInt(int64(len(minigrid.Levels())))
	seed, level := new(big.Int).DivMod(number, levels, new(big.Int))
	if seed.Sign() < 0 {
		return "", errors.New(negativeSeed + seed.String())
	}
	return worldID{&minigrid.Levels()[level.Int64()], seed}.id(), nil
}

// testSeeds bounds the seeds of tasks that benchmarks play: AgentBoard's begin at
// firstSeed, and AgentGym counts tasks of all levels from 0.
const testSeeds = 10_000

// trainSeeds is the number of seeds of each level in TrainTasks.
const trainSeeds = 100

// TrainTasks names tasks of the benchmark's levels that no benchmark plays, the first seed of each level first.
func TrainTasks() (names []string) {
	for seed := range int64(trainSeeds) {
		for _, n := range benchmarkLevels {
			names = append(names, worldID{&minigrid.Levels()[n-1], big.NewInt(testSeeds + seed)}.id())
		}
	}
	return names
}

// InTestRange reports whether benchmarks may play a task, or no task has that name.
func InTestRange(id string) bool {
	p, err := parsePlace(id)
	return err != nil || p.seed.Cmp(big.NewInt(testSeeds)) < 0
}

// Content is the envs.Task.Content of a task, by its name: tasks have it in common if they
// begin in one world with one mission. Small levels have few worlds, so that seeds repeat
// them. Content generates the world, and reports a name that no task has.
func Content(id string) (string, error) {
	p, err := parsePlace(id)
	if err != nil {
		return "", err
	}
	w, err := generate(minigrid.NewGenerator(p.level), p.seed)
	if err != nil {
		return "", err
	}
	return envs.TextContent(w.Mission() + " " + worldText(w)), nil
}

// worldText is the pose of the agent, what it carries, and what is in every cell and box.
func worldText(w *minigrid.World) string {
	var b strings.Builder
	write := func(o minigrid.Object) {
		fmt.Fprintln(&b, o.Kind, o.Color, o.State, w.Object(o.Content).Code)
	}
	width, height := w.Size()
	fmt.Fprintln(&b, width, height, w.Agent())
	write(w.Object(w.Carrying()))
	for y := range height {
		for x := range width {
			_, o := w.ObjectAt(minigrid.Point{X: x, Y: y})
			write(o)
		}
	}
	return b.String()
}
