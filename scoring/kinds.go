package scoring

import (
	"cmp"
	_ "embed" // for the heads
	"maps"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/scoring/stats"
	"heldout/scoring/table"
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
// The counts are the benchmark's. Tasks of another environment have the kind that their type says.
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

// KindScore is a score on some of its tasks. It has their rates, and what their episodes used.
type KindScore struct {
	// Type is the type of the tasks; empty if they have several, or none.
	Type string
	// Head is the head under which papers print the tasks.
	Head string
	*Score
}

// ByKind returns the parts by task type, sorted.
func (s *Score) ByKind() (out []KindScore) {
	parts := map[string][]taskResults{}
	for _, t := range s.tasks {
		parts[t.Type] = append(parts[t.Type], t)
	}
	for _, typ := range slices.Sorted(maps.Keys(parts)) {
		head, _ := headOf(s.Condition.Env, typ)
		out = append(out, KindScore{typ, head, s.subset(parts[typ])})
	}
	return out
}

// ByHead returns the parts that papers print beside each other, in their order there.
func (s *Score) ByHead() []KindScore {
	parts, places := map[string][]taskResults{}, map[string]int{}
	for _, t := range s.tasks {
		head, place := headOf(s.Condition.Env, t.Type)
		parts[head], places[head] = append(parts[head], t), place
	}
	heads := slices.SortedFunc(maps.Keys(parts), func(a, b string) int {
		return cmp.Or(cmp.Compare(places[a], places[b]), cmp.Compare(a, b))
	})
	return table.Each(heads, func(head string) KindScore {
		return KindScore{Head: head, Score: s.subset(parts[head])}
	})
}

// Level is the score on the tasks of a difficulty.
func (s *Score) Level(d envs.Difficulty) *Score {
	return s.subset(table.Filter(s.tasks, func(t taskResults) bool { return t.Difficulty == d }))
}

// subset is the score on some of its tasks.
func (s *Score) subset(tasks []taskResults) *Score {
	part := *s
	part.tasks, part.chains, part.measures, part.trials = tasks, nil, nil, nil
	part.rate()
	return &part
}

//go:embed heads.yaml
var headsText []byte

// heads are, by environment, the heads under which papers print the types of its tasks, in their order, each with
// what the types begin with.
var heads = datafile.Embedded[map[string][][]string](headsText)

// headOf is the head under which papers print a type of tasks, and its place; the type itself if none is usual.
func headOf(env, typ string) (head string, place int) {
	list := heads()[env]
	for place, h := range list {
		if slices.ContainsFunc(h[1:], func(start string) bool { return strings.HasPrefix(typ, start) }) {
			return h[0], place
		}
	}
	return cmp.Or(typ, "–"), len(list)
}
