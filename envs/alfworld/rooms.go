package alfworld

import (
	_ "embed"
	"sync"

	"heldout/envs/datafile"
)

// statistics say what the 3,553 training games have, and where.
type statistics struct {
	// Classes are the classes of things, by what can be done with them, those that cannot be moved, and all that a
	// problem declares.
	Classes map[string][]string
	// Accepts says which classes of objects a class of receptacles may hold.
	Accepts map[string][]string
	// Targets says for each task type which objects the agent must bring to a class of
	// receptacles, or look at under a lamp.
	Targets map[string]map[string][]string
	// Mix is how many games of each task type the official set has, in the order of taskTypes.
	Mix []int
	// Goals are the two ways to state the goal of a task type.
	Goals map[string][2]string
	// Rooms are the four kinds of rooms.
	Rooms []room
}

// room describes a kind of room.
type room struct {
	FirstScene  int // of thirty
	Receptacles []receptacleStat
	Objects     []objectStat
}

// receptacleStat describes a class of receptacles in a room.
type receptacleStat struct {
	Class  string
	Scenes int // of the room's 27 training scenes, that have the class
	// Low and High are how many of it those scenes have, the least and the most. Opens is how many per cent of them
	// can be opened and closed.
	Low, High, Median, Opens int
}

// objectStat describes a class of objects in a room.
type objectStat struct {
	Class  string
	Games  int     // in how many per cent of them the class is
	High   int     // the most of it in such a game
	Idle   int     // how many per cent lie in no receptacle
	Places []share // where the others lie
}

// share is how often something occurs in a place, in per cent.
type share struct {
	Class string
	Share int
}

//go:embed furnishing.json
var furnishingText []byte

// furnishing is what the rooms of games are furnished by.
var furnishing = sync.OnceValue(func() statistics { return datafile.Table[statistics](furnishingText) })

// appliance is the class of receptacles that a task type needs.
func appliance(taskType string) string {
	return map[string]string{pickClean: "SinkBasin", pickHeat: "Microwave", pickCool: "Fridge"}[taskType]
}
