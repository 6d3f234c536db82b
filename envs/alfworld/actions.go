package alfworld

import (
	_ "embed" // for a text
	"strings"
)

// dialect says how a game phrases its text. There are two generations of game files, which differ in these four
// ways. The zero value is the classic dialect.
type dialect struct {
	moves       bool // things are placed by "move … to …", not "put … in/on …"
	saysMove    bool // and the answer says so
	namesTarget bool // an arrival names the receptacle, not its location
	helps       bool // there is a command "help"
}

// The dialects of the two generations.
var (
	classic = dialect{}
	modern  = dialect{moves: true, saysMove: true, namesTarget: true, helps: true}
)

// How the modern dialect has things placed, and answers.
const (
	move  = "move {o} to {r}"
	moved = "You move the {o} to the {r}."
)

// actionForm says how an action of the domain is typed and answered. In both texts {x} stands for the name of the
// action's argument ?x. The answer, given after the action, may also contain {see r}, what is visible in or on a
// receptacle, {describe o}, {look}, {inventory} and {help}.
type actionForm struct {
	action  string // as in the domain, in lower case
	command string
	answer  string
}

// forms is the table of actions in a dialect.
func (d dialect) forms() []actionForm {
	place, placed, arrived := "put {o} in/on {r}", "You put the {o} in/on the {r}.", "{lend}"
	if d.moves {
		place = move
	}
	if d.saysMove {
		placed = moved
	}
	if d.namesTarget {
		arrived = "{r}"
	}
	forms := []actionForm{
		{"look", "look", "{look}"},
		{"inventory", "inventory", "{inventory}"},
		{"examinereceptacle", "examine {r}", "{see r}"},
		{"examineobject", "examine {o}", "{describe o}"},
		{"gotolocation", "go to {r}", "You arrive at " + arrived + ". {see r}"},
		{"openobject", "open {r}", "You open the {r}. {see r}"},
		{"closeobject", "close {r}", "You close the {r}."},
		{"pickupobject", "take {o} from {r}", "You pick up the {o} from the {r}."},
		{"putobject", place, placed},
		{"cleanobject", "clean {o} with {r}", "You clean the {o} using the {r}."},
		{"heatobject", "heat {o} with {r}", "You heat the {o} using the {r}."},
		{"coolobject", "cool {o} with {r}", "You cool the {o} using the {r}."},
		{"toggleobject", "use {o}", "You turn on the {o}."},
		{"sliceobject", "slice {co} with {ko}", "You sliced the {co} with the {ko}."},
	}
	if d.helps {
		forms = append(forms, actionForm{"help", "help", "{help}"})
	}
	return forms
}

// expand replaces every {key} of a template.
func expand(template string, value func(key string) string) (out string) {
	for {
		text, rest, found := strings.Cut(template, "{")
		out += text
		if !found {
			return out
		}
		key, rest, _ := strings.Cut(rest, "}")
		out += value(key)
		template = rest
	}
}

// helpText answers "help". The reference misaligns the line of "move" too.
//
//go:embed help.txt
var helpText string
