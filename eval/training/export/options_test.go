package export

import (
	"testing"

	"heldout/envs/sharedtest"
)

func TestWrongOptions(t *testing.T) {
	for _, least := range []float64{0, 1} {
		o := options(t, OpenAI, "run")
		if o.Filter.Progress = least; o.Check() != nil {
			t.Fatal(o.Check())
		}
	}
	for want, change := range map[string]func(*Options){
		`unknown format "openia"`:              func(o *Options) { o.Format = "openia" },
		"want a name that ends in .jsonl":      func(o *Options) { o.Out = "data.json" },
		`duplicates is "some"`:                 func(o *Options) { o.Duplicates = "some" },
		"least-progress is 2, want 0 to 1":     func(o *Options) { o.Filter.Progress = 2 },
		"least-recoveries is -1":               func(o *Options) { o.Filter.Recoveries = -1 },
		"cannot be both allowed and dropped":   func(o *Options) { o.TestTasks, o.DropTests = true, true },
		"window is -1, want at least 0":        func(o *Options) { o.Window = -1 },
		"out is \".jsonl\", want a name that ": func(o *Options) { o.Out = ".jsonl" },
	} {
		o := options(t, OpenAI, "run")
		change(&o)
		sharedtest.Fails(t, o.Check(), want)
	}
}

// Episodes with the same messages are one if that is the rule. The same actions in another
// task are another episode.
func TestDuplicates(t *testing.T) {
	run := makeRun(t, nil, of(good(1)), of(good(1)), of(good(2)))
	for rule, want := range map[string]int{KeepAll: 3, SameMessages: 2, SameActions: 3} {
		o := options(t, OpenAI, run)
		o.Duplicates = rule
		if r := export(t, o); r.Used != want {
			t.Errorf("%s: %d episodes, want %d", rule, r.Used, want)
		}
	}
}
