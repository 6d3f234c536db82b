package check

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/eval/bench"
	"heldout/eval/model"
)

// other is a model that says something else in some calls, counted from 1.
type other struct {
	model.Model
	differs func(call int) bool
	calls   int
}

func (o *other) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	reply, err := o.Model.Chat(ctx, req)
	if o.calls++; o.differs(o.calls) {
		reply.Text = strings.Repeat("x", o.calls)
	}
	return reply, err
}

// The same model agrees; another one does not; a server that never repeats itself, or does
// not answer, gives no verdict.
func TestSpot(t *testing.T) {
	address := server(t)
	run := configs.DefaultRun()
	run.Model, run.BaseURL = configs.Strings{"vllm:m"}, configs.Servers{List: configs.Strings{address}}
	servers, err := bench.OpenModel(outside(), run)
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Close()
	file := must(pack(t, play(t, bench.Plain, func(run *configs.Run) { run.Seeds = "1" })))
	for name, c := range map[string]struct {
		ask  model.Model
		want Verdict
		note string
	}{
		"the same": {&other{servers, func(int) bool { return false }, 0}, Holds,
			"40 of 40 replies are the recorded ones; asked twice, the server repeats 40"},
		"another":   {constant{}, Fails, "0 of 40"},
		"sometimes": {&other{servers, func(n int) bool { return n%8 == 1 }, 0}, Holds, "30 of 40"},
		"random":    {&other{servers, func(int) bool { return true }, 0}, Open, "repeats 0"},
		"silent":    {silent{}, Open, "a turn has no reply"},
	} {
		t.Run(name, func(t *testing.T) {
			o := again()
			o.Spot = Spot{Ask: c.ask, Model: "vllm:m", Turns: 40, Concurrency: 1}
			r, err := File(t.Context(), file, t.TempDir(), o)
			if err != nil {
				t.Fatal(err)
			}
			got := r.Claims[modelName]
			named := slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, c.note) })
			if got.Verdict != c.want || !named {
				t.Errorf("%s %q, want %s and %q", got.Verdict, got.Notes, c.want, c.note)
			}
		})
	}
}

// constant says one thing.
type constant struct{}

func (constant) Chat(context.Context, model.Request) (model.Reply, error) {
	return model.Reply{Text: "Thought: No.\nAction: wait"}, nil
}

// silent never answers.
type silent struct{}

func (silent) Chat(context.Context, model.Request) (model.Reply, error) {
	return model.Reply{}, errors.New("no route")
}
