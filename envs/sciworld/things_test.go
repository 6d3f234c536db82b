package sciworld

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// EPO lists what can be named. Where names are drawn, its lists are draws of ours: they have as many names, every name
// that all draws have, and no name that no draw has.
func TestRecordedThings(t *testing.T) {
	type turn struct {
		Task, Action string
		Turn         int
		Request      struct{ Messages []struct{ Content string } }
	}
	e := opened(t, Options{Variant: Newer, Split: "all", Simplifications: "easy"})
	files := sharedtest.Must(filepath.Glob(filepath.Join(sharedtest.Golden(t, "protocols"), "rlvmr-sciworld",
		"[Lm]?.jsonl.gz")))(t)
	quoted := regexp.MustCompile(`'([^']*)'`)
	lists, drawn := 0, 0
	for _, file := range files {
		var w *world
		for _, x := range sharedtest.ReadLines[turn](t, file) {
			if x.Turn == 0 {
				w = atStart(t, e, x.Task)
			}
			_, text, _ := strings.Cut(x.Request.Messages[0].Content, "following objects: [")
			text, _, _ = strings.Cut(text, "]")
			var recorded []string
			for _, m := range quoted.FindAllStringSubmatch(text, -1) {
				recorded = append(recorded, m[1])
			}
			lists++
			if ours := w.game.fork().objects(); !slices.Equal(recorded, ours) {
				drawn++
				if !isDraw(w, recorded) {
					t.Errorf("%s, turn %d: %q, want a list such as %q", x.Task, x.Turn, recorded, ours)
				}
			}
			if _, err := w.Step(t.Context(), x.Action); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d lists, of which %d are other draws", lists, drawn)
	if lists < 424 {
		t.Errorf("%d lists, want 424", lists)
	}
}

func atStart(t *testing.T, e *Env, id string) *world {
	t.Helper()
	task := sharedtest.Must(e.Task(id))(t)
	w := sharedtest.Must(e.NewWorld(task))(t)
	if _, err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w.(*world)
}

// isDraw reports whether a list is one that the game can draw. Few names have more than twenty forms.
func isDraw(w *world, list []string) bool {
	const draws = 300
	g := w.game.fork()
	times, most := map[string]int{}, 0
	for range draws {
		names := g.objects()
		most = max(most, len(names))
		for _, name := range slices.Compact(names) {
			times[name]++
		}
	}
	for name, n := range times {
		if n == draws && !slices.Contains(list, name) {
			return false
		}
	}
	return len(list) == most && !slices.ContainsFunc(list, func(name string) bool { return times[name] == 0 })
}
