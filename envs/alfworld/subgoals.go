package alfworld

import (
	"fmt"
	"regexp"
	"strings"

	"heldout/envs"
)

// The task types, in the order of their numbers.
const (
	pickAndPlace = "pick_and_place_simple"
	lookInLight  = "look_at_obj_in_light"
	pickClean    = "pick_clean_then_place_in_recep"
	pickHeat     = "pick_heat_then_place_in_recep"
	pickCool     = "pick_cool_then_place_in_recep"
	pickTwo      = "pick_two_obj_and_place"
)

func taskTypes() []string {
	return []string{pickAndPlace, lookInLight, pickClean, pickHeat, pickCool, pickTwo}
}

// gameLabel is the benchmark's data about a game: a class, and regular expressions that match observations.
type gameLabel struct {
	subgoals   []string
	difficulty envs.Difficulty
}

// sighting is the pattern of a first line that lists things, p among them.
func sighting(p string) string { return seenStart + p + seenEnd }

const (
	seenStart = `^(?=.* you see)(?=.*`
	seenEnd   = `)`
	placedA   = "You put the "
	placedB   = " in/on the "
)

// derivedLabel returns the label of a game, given the name of its task's folder:
// TYPE-OBJECT-CONTAINER-TARGET-SCENE.
func derivedLabel(folder string) (gameLabel, error) {
	f := strings.Split(strings.ToLower(folder), "-")
	if len(f) != 5 {
		return gameLabel{}, fmt.Errorf("%q is not a task: want five parts with - between them", folder)
	}
	object, target := f[1], f[3]
	l := gameLabel{
		subgoals:   []string{sighting("a " + object + ` \d+`), "You pick up the " + object + ` \d+`},
		difficulty: envs.Hard,
	}
	switch f[0] {
	case pickAndPlace:
		l.difficulty = envs.Easy
	case pickTwo:
		l.subgoals = append(l.subgoals, placedA+object+` \d+`+placedB+target+` \d+`)
	case pickClean:
		l.subgoals = append(l.subgoals, "You clean the "+object+` \d+`)
	case pickHeat:
		l.subgoals = append(l.subgoals, "You heat the "+object+` \d+ using the`)
	case pickCool:
		l.subgoals = append(l.subgoals, "You cool the "+object+` \d+ using the`)
	case lookInLight:
		l.subgoals = append(l.subgoals, sighting("a "+target))
	default:
		return gameLabel{}, fmt.Errorf("unknown task type in %q", folder)
	}
	return l, nil
}

// inDialect translates sub-goals from the classic dialect into another one.
func inDialect(subgoals []string, d dialect) []string {
	out := make([]string, len(subgoals))
	for i, s := range subgoals {
		if rest, ok := strings.CutPrefix(s, placedA); ok && d.saysMove {
			s = "You move the " + strings.Replace(rest, placedB, " to the ", 1)
		}
		out[i] = s
	}
	return out
}

type subgoal struct {
	pattern *regexp.Regexp
	// inList: the first line must match the pattern and contain " you see". The benchmark uses a lookahead for
	// this, which Go's regular expressions do not support.
	inList bool
}

func newSubgoal(text string) (subgoal, error) {
	inner, ok := strings.CutPrefix(text, seenStart)
	s := subgoal{inList: ok}
	if ok {
		if inner, ok = strings.CutSuffix(inner, seenEnd); !ok {
			return s, fmt.Errorf("sub-goal %q: want %q at its end", text, seenEnd)
		}
	}
	var err error
	if s.pattern, err = regexp.Compile(inner); err != nil {
		return s, fmt.Errorf("sub-goal %q: %w", text, err)
	}
	return s, nil
}

// met reports whether an observation shows that the sub-goal is reached.
func (s subgoal) met(observation string) bool {
	if s.inList {
		observation, _, _ = strings.Cut(observation, "\n")
		if !strings.Contains(observation, " you see") {
			return false
		}
	}
	return s.pattern.MatchString(observation)
}
