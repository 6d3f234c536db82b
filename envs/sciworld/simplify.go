package sciworld

import (
	"fmt"
	"slices"
	"strings"
)

// boardSimplifications are AgentBoard's (§4.1).
const boardSimplifications = "selfWateringFlowerPots,openContainers,openDoors,noElectricalAction"

// noElectricalAction makes tasks about electricity impossible.
const noElectricalAction = "noElectricalAction"

// easy stands for several simplifications; the simulator decides which.
const easy = "easy"

// noSimplifications says that there are to be none.
const noSimplifications = "none"

// simplifications lists the names of all simplifications (§2), and "none".
func simplifications() []string {
	return []string{easy, noElectricalAction, "openContainers", "openDoors", "selfWateringFlowerPots", "teleportAction",
		noSimplifications}
}

// simplify chooses the requested simplifications, or the variant's.
func (e *Env) simplify(names string) error {
	standard, requested := "", strings.ReplaceAll(names, " ", "")
	if e.board {
		standard = boardSimplifications
	}
	switch requested {
	case "":
		e.simplifications = standard
	case noSimplifications:
	default:
		for _, s := range strings.Split(requested, ",") {
			if s == noSimplifications || !slices.Contains(simplifications(), s) {
				return fmt.Errorf(
					"sciworld: unknown simplification %q; there are %s; several are separated by commas",
					s, strings.Join(simplifications(), ", "))
			}
			if s == easy && requested != easy {
				return fmt.Errorf("sciworld: %s stands alone: with others, the simulator knows no action", easy)
			}
		}
		e.simplifications = requested
	}
	if e.simplifications != standard || !e.board && requested != "" {
		e.Set("simplifications", requested)
	}
	return nil
}

// cannotPlay reports whether the simplifications make a task impossible.
func (e *Env) cannotPlay(task string) bool {
	return electrical(task) && slices.Contains(strings.Split(e.simplifications, ","), noElectricalAction)
}
