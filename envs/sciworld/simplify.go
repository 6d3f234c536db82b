package sciworld

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The simplifications that this package treats specially.
const (
	openContainers     = "openContainers"
	noElectricalAction = "noElectricalAction"
)

// easy stands for several simplifications; the simulator decides which.
const easy = "easy"

// noSimplifications says that there are to be none.
const noSimplifications = "none"

// simplifications lists the names of all simplifications (§2), and "none".
func simplifications() []string {
	return []string{easy, noElectricalAction, openContainers, "openDoors", "selfWateringFlowerPots", "teleportAction",
		noSimplifications}
}

// simplify chooses the requested simplifications, or those of the variant.
func (e *Env) simplify(wanted string) error {
	standard := ""
	if e.board {
		standard = boardSimplifications(e.version)
	}
	switch wanted {
	case "":
		e.simplifications = standard
	case noSimplifications:
	default:
		for _, s := range strings.Split(wanted, ",") {
			if s == noSimplifications || !slices.Contains(simplifications(), s) {
				return fmt.Errorf(
					"sciworld: there is no simplification %q; there are %s; several are separated by commas",
					s, strings.Join(simplifications(), ", "))
			}
		}
		e.simplifications = wanted
	}
	if e.simplifications != standard || !e.board && wanted != "" {
		e.info.Settings["simplifications"] = wanted
	}
	return nil
}

// boardSimplifications are AgentBoard's (§4.1). From 1.2.3 on, openContainers
// really opens containers. It did not when AgentBoard was made, and it changes
// the tasks, so it is left out for these versions (§5).
func boardSimplifications(version string) string {
	if reallyOpensContainers(version) {
		return "selfWateringFlowerPots,openDoors,noElectricalAction"
	}
	return "selfWateringFlowerPots,openContainers,openDoors,noElectricalAction"
}

// reallyOpensContainers reports whether a version is 1.2.3 or later, or unreadable.
func reallyOpensContainers(version string) bool {
	var n []int
	for _, part := range strings.Split(version, ".") {
		i, err := strconv.Atoi(part)
		if err != nil {
			return true
		}
		n = append(n, i)
	}
	return slices.Compare(n, []int{1, 2, 3}) >= 0
}

// cannotPlay reports whether the simplifications make a task impossible.
func (e *Env) cannotPlay(task string) bool {
	return electrical(task) && slices.Contains(strings.Split(e.simplifications, ","), noElectricalAction)
}
