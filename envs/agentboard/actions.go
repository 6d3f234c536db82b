package agentboard

import (
	"strings"

	"heldout/envs/pytext"
)

// ALFWorldAction changes an action as the driver of ALFWorld does with the word put.
func ALFWorldAction(action, put string) string {
	action = pytext.Strip(action)
	if strings.Contains(action, put) {
		if strings.Contains(action, " in ") {
			action = strings.ReplaceAll(action, " in ", " in/on ")
		} else {
			action = strings.ReplaceAll(action, " on ", " in/on ")
		}
	}
	if cut, ok := strings.CutSuffix(action, "."); ok {
		action = pytext.Strip(cut)
	}
	return action
}

// longestCommand is how many words of a reply reach a game of Jericho's.
const longestCommand = 20

// JerichoAction shortens an action as the driver of Jericho does; spec §2.4.
func JerichoAction(action string) string {
	action, _, _ = strings.Cut(action, ",")
	action, _, _ = strings.Cut(action, ".")
	words := strings.Split(action, " ")
	return strings.Join(words[:min(len(words), longestCommand)], " ")
}
