package minigrid

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

// recordedWorld is a world as it starts.
type recordedWorld struct {
	Level    int
	EnvID    string `json:"env_id"`
	Seed     int64
	Mission  string
	MaxSteps int `json:"max_steps"`
	Width    int
	Height   int
	Rejected []string
	Draws    int `json:"n_draw_calls"`
	RNG      struct {
		State, Inc string
		Buffered   bool
		Buffer     uint32
	} `json:"rng_after"`
	Grid     []string
	Objects  []recordedObject
	Agent    [3]int
	Carrying *string
	Image    string
}

type recordedObject struct {
	Type, Color string
	X, Y        int
	State       string
	Contains    *string
}

// counter counts draws.
type counter struct {
	Draws
	n int
}

func (c *counter) Integers(low, high int64) int64 { c.n++; return c.Draws.Integers(low, high) }
func (c *counter) Float64() float64               { c.n++; return c.Draws.Float64() }

func TestRecordedWorlds(t *testing.T) {
	for _, want := range sharedtest.Lines[recordedWorld](t, "babyai/levels.jsonl.gz") {
		rng := seeded(t, want.Seed)
		level := &Levels()[want.Level-1]
		d := &counter{Draws: rng}
		g := NewGenerator(level)
		rejections := []string{}
		w, reason := g.attempt(d)
		for ; reason != nil; w, reason = g.attempt(d) {
			rejections = append(rejections, reason.Error())
		}
		sharedtest.Equal(t, len(rejections), len(want.Rejected), want.EnvID, want.Seed, "rejected", rejections,
			want.Rejected)
		want.Rejected = nil
		got := record(w)
		got.Level, got.EnvID, got.Seed, got.Draws = level.Number, level.ID, want.Seed, d.n
		s := rng.State()
		got.RNG.State, got.RNG.Inc, got.RNG.Buffered, got.RNG.Buffer = s.State, s.Inc, s.HasHalf, s.Half
		sharedtest.Same(t, got, want)
	}
}

// record writes a world down as the records have it.
func record(w *World) recordedWorld {
	r := recordedWorld{Mission: w.Mission(), MaxSteps: w.maxSteps, Image: image(w.View()), Carrying: carried(w)}
	r.Width, r.Height = w.Size()
	a := w.Agent()
	r.Agent = [3]int{a.X, a.Y, int(a.Dir)}
	for y := range r.Height {
		row := ""
		for x := range r.Width {
			_, o := w.ObjectAt(Point{x, y})
			row += map[Kind]string{Empty: ".", Wall: "#", Door: "D", Key: "K", Ball: "A", Box: "B"}[o.Kind]
			if o.Kind == Empty || o.Kind == Wall {
				continue
			}
			ro := recordedObject{Type: o.Kind.String(), Color: o.Color.String(), X: x, Y: y}
			if o.Kind == Door {
				ro.State = o.State.String()
			}
			if o.Content != None {
				in := w.Object(o.Content)
				text := in.Color.String() + " " + in.Kind.String()
				ro.Contains = &text
			}
			r.Objects = append(r.Objects, ro)
		}
		r.Grid = append(r.Grid, row)
	}
	return r
}

func carried(w *World) *string {
	if w.Carrying() == None {
		return nil
	}
	o := w.Object(w.Carrying())
	text := o.Color.String() + " " + o.Kind.String()
	return &text
}

// image writes a view as 147 digits.
func image(v *View) string {
	var b strings.Builder
	for _, c := range v {
		fmt.Fprintf(&b, "%d%d%d", uint8(c.Kind), uint8(c.Color), uint8(c.State))
	}
	return b.String()
}

// recordedDraws are all draws of a world, attempt after attempt.
type recordedDraws struct {
	Level int
	Seed  int64
	Draws [][]any
}

// recorder writes draws down with the step of the construction that made them.
type recorder struct {
	Draws
	t    *testing.T
	list [][]any
}

func (r *recorder) Integers(low, high int64) int64 {
	v := r.Draws.Integers(low, high)
	r.list = append(r.list, []any{r.stage(), float64(low), float64(high), float64(v)})
	return v
}

func (r *recorder) Float64() float64 {
	v := r.Draws.Float64()
	r.list = append(r.list, []any{r.stage(), "f", v})
	return v
}

// stages are the functions that stand for a step of the construction.
var stages = map[string]string{
	"placeSlots": "slot", "findCell": "cell", "placeAgent": "agent", "anyObject": "newobj", "colored": "newobj",
	"addDoorOfAnyColor": "door", "addAnyDoor": "door", "freeSide": "door", "connectAll": "connect",
	"distractors": "distractor", "lockRoom": "lockedroom", "describe": "desc", "instruction": "instr",
}

// stage looks the step up in the calls under way.
func (r *recorder) stage() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		name := f.Function[strings.LastIndex(f.Function, ".")+1:]
		if s, ok := stages[name]; ok {
			return s
		}
		if !more {
			return "mission"
		}
	}
}

// Every draw of the recorded worlds comes from the same step of the construction,
// with the same range and value, in order.
func TestRecordedDraws(t *testing.T) {
	n := 0
	for _, want := range sharedtest.Lines[recordedDraws](t, "babyai/draws.jsonl.gz") {
		rng := seeded(t, want.Seed)
		r := &recorder{Draws: rng, t: t}
		g := NewGenerator(&Levels()[want.Level-1])
		for {
			_, reason := g.attempt(r)
			if reason == nil {
				break
			}
			r.list = append(r.list, []any{"reject"})
		}
		if len(r.list) != len(want.Draws) {
			t.Fatalf("level %d, seed %d: %d draws, want %d", want.Level, want.Seed, len(r.list), len(want.Draws))
		}
		for i, d := range want.Draws {
			got := r.list[i]
			if d[0] == "reject" {
				d = d[:1]
			}
			if diff := cmp.Diff(d, got); diff != "" {
				t.Errorf("level %d, seed %d, draw %d: %s", want.Level, want.Seed, i, diff)
				break
			}
			n++
		}
	}
	t.Logf("%d draws", n)
}

// recordedTrace is an episode of primitive actions.
type recordedTrace struct {
	Level    int
	EnvID    string `json:"env_id"`
	Seed     int64
	Mission  string
	MaxSteps int `json:"max_steps"`
	Columns  []string
	Steps    [][]any
}

func TestRecordedPrimitives(t *testing.T) {
	columns := []string{"action", "x", "y", "dir", "carrying", "terminated", "truncated", "reward", "image"}
	steps := 0
	for _, tr := range sharedtest.Lines[recordedTrace](t, "babyai/primitive_traces.jsonl.gz") {
		if diff := cmp.Diff(columns, tr.Columns); diff != "" {
			t.Fatal(diff)
		}
		w := generated(t, tr.Level, tr.Seed)
		if w.Mission() != tr.Mission || w.maxSteps != tr.MaxSteps {
			t.Errorf("%s %d: %q, %d steps", tr.EnvID, tr.Seed, w.Mission(), w.maxSteps)
		}
		for i, want := range tr.Steps {
			r := w.Step(Action(want[0].(float64)))
			a := w.Agent()
			var held any
			if c := carried(w); c != nil {
				held = *c
			}
			got := []any{want[0], float64(a.X), float64(a.Y), float64(a.Dir), held, r.Terminated, r.Truncated, r.Reward,
				image(w.View())}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s %d, step %d: %s", tr.EnvID, tr.Seed, i, diff)
			}
			steps++
		}
	}
	t.Logf("%d steps", steps)
}
