package alfworld

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// scene is a generated game under construction.
type scene struct {
	*factory
	errand
	rng      *rand.Rand
	taskType string
	number   int
	goal     string

	ids        map[string]bool // taken
	locations  []string        // the first is the player's
	containers []furniture
	items      []item
}

// furniture is a receptacle of a scene.
type furniture struct {
	class, id, location string
	openable            bool
}

type item struct {
	class, id, location string
	in                  []string // ids of receptacles
	holder              string   // id of the object that it lies in
	cool                bool
}

// Chances, in per cent: that a receptacle shares the place of another one (three quarters of the official games
// have such a place), that an object is listed in two receptacles (as in most games), and that an object lies in
// another object.
const (
	sharedSpot  = 6
	listedTwice = 2
	nested      = 5
)

func (s *scene) chance(percent int) bool { return s.rng.IntN(100) < percent }

// furnish places the required receptacles, and others as often as the room has them.
func (s *scene) furnish() {
	needed := []string{s.target, appliance(s.taskType), draw(s.room.startsOf(s.object, s.avoided(s.taskType)), s.rng)}
	if s.taskType == lookInLight {
		needed = append(needed, draw(s.room.startsOf(s.target, ""), s.rng))
	}
	s.locations = []string{s.location()}
	for _, c := range s.room.Receptacles {
		if !slices.Contains(needed, c.Class) && s.rng.IntN(27) >= c.Scenes {
			continue
		}
		for range s.count(c) {
			s.containers = append(s.containers, furniture{
				class: c.Class, id: s.containerID(c.Class), location: s.spot(), openable: s.chance(c.Opens),
			})
		}
	}
}

// count draws a number of receptacles: above the median as often as below it.
func (s *scene) count(c receptacleStat) int {
	low, high := c.Low, c.Median
	if s.rng.IntN(2) == 0 {
		low, high = c.Median, c.High
	}
	return low + s.rng.IntN(high-low+1)
}

// spot returns the location of a receptacle: usually a location of its own.
func (s *scene) spot() string {
	if len(s.locations) > 1 && s.chance(sharedSpot) {
		return s.locations[1+s.rng.IntN(len(s.locations)-1)]
	}
	s.locations = append(s.locations, s.location())
	return s.locations[len(s.locations)-1]
}

func (s *scene) fill() {
	for _, o := range s.room.Objects {
		copies, placed := 1+s.rng.IntN(min(o.High, 3)), 0
		places := o.Places
		switch {
		case o.Class == s.object:
			copies, placed = 1+s.rng.IntN(4), 1
			if s.taskType == pickTwo {
				copies, placed = 2+s.rng.IntN(3), 2
			}
			places = exclude(places, s.avoided(s.taskType))
		case o.Class == s.target:
			placed = 1 // the lamp
		case !s.chance(o.Games):
			continue
		}
		for i := range copies {
			s.add(o.Class, places, i >= placed && s.chance(o.Idle))
		}
	}
	s.nest()
}

// add puts an object of a class into one of the given receptacles. If the
// object is idle, or if there is no such receptacle, add puts it anywhere.
func (s *scene) add(class string, places []share, idle bool) {
	added := item{class: class, id: s.fresh(func() string { return class + s.coordinates() }),
		location: s.locations[s.rng.IntN(len(s.locations))]}
	var available []share
	for _, p := range places {
		if slices.ContainsFunc(s.containers, func(f furniture) bool { return f.class == p.Class }) {
			available = append(available, p)
		}
	}
	if !idle && len(available) > 0 {
		var fit []furniture
		into := draw(available, s.rng)
		for _, f := range s.containers {
			if f.class == into {
				fit = append(fit, f)
			}
		}
		s.rng.Shuffle(len(fit), func(i, j int) { fit[i], fit[j] = fit[j], fit[i] })
		added.in, added.location = []string{fit[0].id}, fit[0].location
		if len(fit) > 1 && s.chance(listedTwice) {
			added.in = append(added.in, fit[1].id)
		}
		// The official games call these things cool at the start.
		added.cool = class == s.object && into == "Fridge" && can(class, "coolable")
	}
	s.items = append(s.items, added)
}

// holder says that other things can lie in a thing.
const holder = "isReceptacleObject"

func can(class, ability string) bool { return slices.Contains(furnishing().Classes[ability], class) }

// nest puts some objects into other objects at the same place.
func (s *scene) nest() {
	for i := range s.items {
		inner := &s.items[i]
		if len(inner.in) == 0 || can(inner.class, holder) || can(inner.class, "fixed") || !s.chance(nested) {
			continue
		}
		for _, outer := range s.items {
			if len(outer.in) > 0 && outer.in[0] == inner.in[0] && can(outer.class, holder) {
				inner.holder = outer.id
				break
			}
		}
	}
}

// fresh draws ids until it finds an unused one.
func (s *scene) fresh(draw func() string) string {
	id := draw()
	for s.ids[id] {
		id = draw()
	}
	s.ids[id] = true
	return id
}

// location makes the id of a location: a cell of the floor, a view and a tilt.
func (s *scene) location() string {
	return s.fresh(func() string {
		return fmt.Sprintf("loc_bar_%s_bar_%s_bar_%d_bar_%d", signed(s.rng.IntN(33)-16), signed(s.rng.IntN(33)-16),
			s.rng.IntN(4), 15*s.rng.IntN(5))
	})
}

func signed(n int) string {
	if n < 0 {
		return fmt.Sprintf("_minus_%d", -n)
	}
	return fmt.Sprint(n)
}

// containerID makes the id of a receptacle. Basins are parts of other things.
func (s *scene) containerID(class string) string {
	return s.fresh(func() string {
		if fixture, ok := strings.CutSuffix(class, "Basin"); ok {
			return fixture + s.coordinates() + "_bar_" + class
		}
		return class + s.coordinates()
	})
}

// coordinates are three of at most 3.99.
func (s *scene) coordinates() string {
	var b strings.Builder
	for range 3 {
		sign := "plus"
		if s.rng.IntN(2) == 0 {
			sign = "minus"
		}
		fmt.Fprintf(&b, "_bar__%s_%02d_dot_%02d", sign, s.rng.IntN(4), s.rng.IntN(100))
	}
	return b.String()
}
