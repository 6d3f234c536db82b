package scoring

import (
	"strings"

	"heldout/envs"
	"heldout/scoring/stats"
)

// groupOf returns the kind of a task and the setting that it shares with other
// tasks of its kind. Both follow from the task fields that every record has:
//
//	environment   kind                     setting
//	alfworld      task type (6)            type, object, target and scene
//	babyai        level (28)               each task its own
//	sciworld      task name (16 of 30)     each task its own
//	pddl          game (4)                 each task its own
//	jericho       game (20)                each task its own
//	hotpotqa      question                 each task its own
//
// The counts are those of the benchmark. Tasks of another environment are of the
// kind that their type says.
func groupOf(env string, t envs.Task) stats.Group {
	g := stats.Group{Kind: t.Type, Setting: t.ID + " " + t.Digest}
	switch env {
	case "alfworld":
		if folder, _, ok := strings.Cut(t.ID, "/"); ok {
			g.Setting = folder // such as pick_and_place_simple-SoapBar-None-Toilet-424
		}
	case "hotpotqa": // its types say how a question was made, not what it asks
		g.Kind = g.Setting
	}
	return g
}

// Kinds counts the kinds of the environment's planned tasks.
func (s *Score) Kinds() int {
	kinds := map[string]bool{}
	for _, t := range s.Environment.Tasks {
		kinds[groupOf(s.Condition.Env, t).Kind] = true
	}
	return len(kinds)
}

// KindOf names the kind of a task.
func KindOf(env string, t envs.Task) string { return groupOf(env, t).Kind }
