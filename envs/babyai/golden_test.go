package babyai

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/engine/minigrid"
	"heldout/envs/engine/nprand"
	"heldout/envs/sharedtest"
)

// generated returns the world of a level and seed.
func generated(t testing.TB, level int, seed int64) *minigrid.World {
	t.Helper()
	rng := sharedtest.Must(nprand.New(big.NewInt(seed)))(t)
	return sharedtest.Must(minigrid.NewGenerator(&minigrid.Levels()[level-1]).Generate(rng))(t)
}

// recordedChoice is an action with its primitive actions: a pair.
type recordedChoice struct {
	Text  string
	Moves []int
}

func (c *recordedChoice) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&c.Text, &c.Moves})
}

// choices writes a table as the records have it.
func choices(t *table) (out []recordedChoice) {
	for i := range t.entries {
		e := &t.entries[i]
		if e.reason != offered {
			continue
		}
		r := recordedChoice{e.text(), []int{}}
		for _, m := range t.moves(e) {
			r.Moves = append(r.Moves, int(m))
		}
		if (len(r.Moves) > 0) != t.acts(e) {
			panic("what does something has moves: " + e.text())
		}
		out = append(out, r)
	}
	return out
}

// refusals writes the reasons as the records have them: by text, the last counts.
func refusals(t *table) map[string]string {
	out := map[string]string{}
	for i := range t.entries {
		if e := &t.entries[i]; e.reason != offered {
			out[e.text()] = t.reason(e.text())
		}
	}
	return out
}

// recordedStart is what a game says at its start.
type recordedStart struct {
	Level   int
	Seed    int64
	Goal    string
	Obs     string
	Actions []recordedChoice
	Errors  map[string]string
}

func TestRecordedStarts(t *testing.T) {
	for _, want := range sharedtest.Lines[recordedStart](t, "babyai/levels.jsonl.gz") {
		g := newGame(generated(t, want.Level, want.Seed), nil)
		got := recordedStart{want.Level, want.Seed, g.goal, g.observation, choices(&g.table), refusals(&g.table)}
		sharedtest.Same(t, got, want, "level", "seed")
	}
}

// recordedGame is an episode of text actions.
type recordedGame struct {
	Level    int
	Seed     int64
	Subgoals ways
	Goal     string
	Obs      string           `json:"init_obs"`
	Actions  []recordedChoice `json:"init_actions"`
	Steps    []recordedStep
	Solved   *bool
}

// ways are sub-goals as the records have them: null, a list or a list of lists.
type ways [][]string

func (w *ways) UnmarshalJSON(b []byte) error {
	var flat []string
	if json.Unmarshal(b, &flat) != nil {
		return json.Unmarshal(b, (*[][]string)(w))
	}
	if flat != nil {
		*w = ways{flat}
	}
	return nil
}

type recordedStep struct {
	Action  string
	Obs     string
	Reward  float64
	Done    bool
	Valid   *bool // nil before it was first set
	Prims   *int
	Actions []recordedChoice
}

func TestRecordedGames(t *testing.T) {
	for _, file := range []string{"babyai/text_random.jsonl.gz", "babyai/text_solved.jsonl.gz"} {
		steps := 0
		for _, want := range sharedtest.Lines[recordedGame](t, file) {
			g := newGame(generated(t, want.Level, want.Seed), want.Subgoals)
			if g.goal != want.Goal || g.observation != want.Obs {
				t.Errorf("%s: level %d, seed %d: %q, %q", file, want.Level, want.Seed, g.goal, g.observation)
			}
			for i, s := range want.Steps {
				if diff := cmp.Diff(s, replayed(g, s)); diff != "" {
					t.Fatalf("%s: level %d, seed %d, step %d: %s", file, want.Level, want.Seed, i, diff)
				}
				steps++
			}
			if want.Solved != nil && *want.Solved != g.done {
				t.Errorf("%s: level %d, seed %d: done %v", file, want.Level, want.Seed, g.done)
			}
		}
		t.Logf("%s: %d steps", file, steps)
	}
}

// replayed makes a recorded step and writes it down like the record.
func replayed(g *textGame, s recordedStep) recordedStep {
	before := g.world.Steps()
	got := recordedStep{Action: s.Action, Obs: g.step(s.Action), Reward: g.reward, Done: g.done}
	prims := g.world.Steps() - before
	if s.Prims != nil {
		got.Prims = &prims
	}
	if s.Actions != nil {
		got.Actions = choices(&g.table)
	}
	if s.Valid != nil || g.valid {
		got.Valid = &g.valid
	}
	return got
}
