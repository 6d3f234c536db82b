package check

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/episode/episodetest"
	"heldout/eval/share/bundle"
	"heldout/scoring/record"
)

// edit changes something at random, and says what. Shows reports whether anything can show it.
type edit struct {
	what  string
	shows bool
	apply func(*rand.Rand, *record.Episode)
}

// edits are the kinds of edits of a record. The last ones change what only the server knew.
var edits = []edit{
	{"action", true, first(func(s *record.Step) { s.Action += " now" })},
	{"thought", true, first(func(s *record.Step) { s.Thought += " Yes." })},
	{"observation", true, step(func(_ *rand.Rand, s *record.Step) { s.Observation += " You win." })},
	{"progress", true, step(func(r *rand.Rand, s *record.Step) { s.Progress = r.Float64() })},
	{"validity", true, step(func(_ *rand.Rand, s *record.Step) { s.Valid = !s.Valid })},
	{"understood", true, step(func(_ *rand.Rand, s *record.Step) { s.Understood = !s.Understood })},
	{"format error", true, step(func(_ *rand.Rand, s *record.Step) { s.FormatError = !s.FormatError })},
	{"digest", true, step(func(_ *rand.Rand, s *record.Step) { s.Sent = []string{"0123456789abcdef"} })},
	{"step left out", true, func(r *rand.Rand, e *record.Episode) {
		at := r.IntN(len(e.Trajectory))
		e.Trajectory = slices.Delete(e.Trajectory, at, at+1)
	}},
	{"steps swapped", true, func(_ *rand.Rand, e *record.Episode) {
		e.Trajectory[0].Observation, e.Trajectory[1].Observation = e.Trajectory[1].Observation+" ",
			e.Trajectory[0].Observation
	}},
	{"outcome", true, func(_ *rand.Rand, e *record.Episode) { win(e) }},
	{"goal", true, func(_ *rand.Rand, e *record.Episode) { e.Goal += " Or not." }},
	{"task", true, func(_ *rand.Rand, e *record.Episode) { e.Task += "0" }},
	{"seed", true, func(_ *rand.Rand, e *record.Episode) { e.Seed++ }},
	{"tokens", false, func(_ *rand.Rand, e *record.Episode) { e.PromptTokens++ }},
	{"finish reason", false, step(func(_ *rand.Rand, s *record.Step) { s.FinishReason = "length" })},
	// The last reply is in no later prompt: another one with the same answer is as good.
	{"last thought", false, func(_ *rand.Rand, e *record.Episode) {
		e.Trajectory[len(e.Trajectory)-1].Thought += " Yes."
	}},
	{"reasoning", false, step(func(_ *rand.Rand, s *record.Step) { s.Reasoning = "Hm." })},
}

// step edits a step at random.
func step(change func(*rand.Rand, *record.Step)) func(*rand.Rand, *record.Episode) {
	return func(r *rand.Rand, e *record.Episode) { change(r, &e.Trajectory[r.IntN(len(e.Trajectory))]) }
}

// first edits the first step.
func first(change func(*record.Step)) func(*rand.Rand, *record.Episode) {
	return func(_ *rand.Rand, e *record.Episode) { change(&e.Trajectory[0]) }
}

// Edits at random, of bytes of a bundle, of fields of records whose ids, hashes and tables
// then fit, and of whole episodes, are caught; but for what only the server knew. The long
// form makes 200 of them, and the whole one 1,000.
func TestRandomEdits(t *testing.T) {
	count := sharedtest.Times(t, 60, 5, 1000)
	r := rand.New(rand.NewPCG(39, 0))
	honest := play(t, bench.Plain, func(run *configs.Run) { run.Seeds = "1" })
	whole := must(pack(t, honest))
	bytes := sharedtest.Must(os.ReadFile(whole))(t)
	caught, passed := map[string]int{}, map[string]int{}
	for i := range count {
		var what, file string
		var shows bool
		var err error
		switch i % 5 {
		case 0:
			what, shows, file = "byte", true, whole+".edited"
			changed := slices.Clone(bytes)
			changed[r.IntN(len(changed))] ^= 1 << r.IntN(8)
			sharedtest.OK(t, os.WriteFile(file, changed, 0o644))
		case 1:
			what, shows = "episode left out", true
			f := read(t, honest)
			at := r.IntN(len(f.episodes))
			f.episodes = slices.Delete(f.episodes, at, at+1)
			file, err = pack(t, f.write(t))
		default:
			k := edits[r.IntN(len(edits))]
			f := read(t, honest)
			e := f.episodes[r.IntN(len(f.episodes))]
			k.apply(r, e)
			episodetest.Settle(e)
			what, shows = k.what, k.shows
			file, err = pack(t, f.write(t))
		}
		if err != nil || len(failing(t, file)) > 0 { // what contradicts itself cannot be packed
			caught[what]++
			continue
		}
		passed[what]++
		if shows && !(what == "byte" && sameContent(t, whole, file)) {
			t.Errorf("edit %d, of %s, is not caught", i, what)
		}
	}
	t.Logf("caught %v, not caught %v", caught, passed)
}

// sameContent reports whether two bundles hold the same files: a few bits of the compressed form mean nothing.
func sameContent(t *testing.T, a, b string) bool {
	t.Helper()
	one, err1 := open(t, a)
	two, err2 := open(t, b)
	return err1 == nil && err2 == nil && slices.Equal(one, two)
}

func open(t *testing.T, file string) ([]bundle.File, error) {
	t.Helper()
	c, err := bundle.Open(file, t.TempDir())
	if err != nil {
		return nil, err
	}
	return c.Files, nil
}
