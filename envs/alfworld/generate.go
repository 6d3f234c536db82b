package alfworld

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/envs/stream"
)

// NewGenerated makes 134 games of our own, with the official mix of task types.
// The statistics of the training games determine how rooms are furnished. The
// same seed gives the same games. Every game is solvable by construction.
func NewGenerated(seed int64, o Options) (*Env, error) {
	if o.Split != "" || o.Dialect == "file" {
		return nil, errors.New("alfworld: generated games come from no split and no file")
	}
	e, err := newEnv(envs.Generated, o)
	if err != nil {
		return nil, err
	}
	e.Set("generator-seed", strconv.FormatInt(seed, 10))
	d, err := o.speech(classic)
	if err != nil {
		return nil, err
	}
	var types []string
	for i, taskType := range taskTypes() {
		types = append(types, slices.Repeat([]string{taskType}, furnishing().Mix[i])...)
	}
	stream.New(seed, Name, "order").Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
	g := newGenerator()
	for n, taskType := range types {
		e.addGenerated(g.game(taskType, stream.New(seed, Name, strconv.Itoa(n))), seed, d)
	}
	return e, nil
}

func (e *Env) addGenerated(s *scene, seed int64, d dialect) {
	folder := fmt.Sprintf("%s-%s-None-%s-%d", s.taskType, s.object, s.target, s.number)
	l, _ := derivedLabel(folder) // of a type that there is
	name := fmt.Sprintf("gen%d-%03d", seed, len(e.List)+1)
	game := gameSource{problem: s.problem(name), goal: s.goal, dialect: d}
	e.add(newTask(envs.Task{ID: folder + "/" + name, Type: s.taskType}, game, l))
}

// errand is a possible goal of a game, and its room.
type errand struct {
	room           *room
	object, target string
}

// factory holds the facts that games are made of, ready for use.
type factory struct {
	accepts     map[string][]string   // classes of objects by class of receptacles
	receptacles []string              // the classes of receptacles, sorted
	affordances map[string][]string   // by class of objects
	errands     map[string][][]errand // by task type and room
}

func newGenerator() *factory {
	g := &factory{accepts: furnishing().Accepts, affordances: map[string][]string{}, errands: map[string][][]errand{}}
	g.receptacles = slices.Sorted(maps.Keys(g.accepts))
	for _, a := range []string{"cleanable", "heatable", "coolable", "sliceable", "toggleable", holder} {
		for _, class := range furnishing().Classes[a] {
			g.affordances[class] = append(g.affordances[class], a)
		}
	}
	kinds := furnishing().Rooms
	for taskType, byTarget := range furnishing().Targets {
		for i := range kinds {
			if found := errandsIn(&kinds[i], taskType, byTarget); len(found) > 0 {
				g.errands[taskType] = append(g.errands[taskType], found)
			}
		}
	}
	return g
}

func errandsIn(r *room, taskType string, byTarget map[string][]string) []errand {
	if a := appliance(taskType); a != "" && !r.contains(a) {
		return nil
	}
	var out []errand
	for _, target := range slices.Sorted(maps.Keys(byTarget)) {
		if !r.contains(target) && len(r.startsOf(target, "")) == 0 {
			continue
		}
		for _, object := range byTarget[target] {
			if e := (errand{r, object, target}); len(r.startsOf(object, e.avoided(taskType))) > 0 {
				out = append(out, e)
			}
		}
	}
	return out
}

// avoided is the class of receptacles that must not hold the target objects at
// the start: otherwise the goal, or part of it, would already be reached.
func (e errand) avoided(taskType string) string {
	switch taskType {
	case pickAndPlace, pickTwo:
		return e.target
	case pickCool:
		return appliance(pickCool)
	default:
		return ""
	}
}

func (r *room) contains(class string) bool {
	return slices.ContainsFunc(r.Receptacles, func(c receptacleStat) bool { return c.Class == class })
}

// startsOf returns where objects of a class can start, but for one class of receptacles.
func (r *room) startsOf(object, avoided string) []share {
	for _, o := range r.Objects {
		if o.Class == object {
			return exclude(o.Places, avoided)
		}
	}
	return nil
}

func exclude(places []share, class string) []share {
	return slices.DeleteFunc(slices.Clone(places), func(p share) bool { return p.Class == class })
}

// draw picks a place with probability proportional to its share; places must not be empty.
func draw(places []share, rng *rand.Rand) string {
	total := 0
	for _, p := range places {
		total += p.Share
	}
	n, i := rng.IntN(total), 0
	for ; n >= places[i].Share; i++ {
		n -= places[i].Share
	}
	return places[i].Class
}

func (g *factory) game(taskType string, rng *rand.Rand) *scene {
	rooms := g.errands[taskType]
	found := rooms[rng.IntN(len(rooms))]
	e := found[rng.IntN(len(found))]
	s := &scene{
		factory: g, rng: rng, errand: e, taskType: taskType,
		number: e.room.FirstScene + rng.IntN(30), ids: map[string]bool{},
	}
	s.goal = s.sentence()
	s.furnish()
	s.fill()
	return s
}

// sentence states the goal in one of the two ways.
func (s *scene) sentence() string {
	return expand(furnishing().Goals[s.taskType][s.rng.IntN(2)], func(key string) string {
		return strings.ToLower(map[string]string{"o": s.object, "r": s.target}[key])
	}) + "."
}
