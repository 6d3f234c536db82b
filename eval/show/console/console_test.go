package console

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// counter is a world in which "up" counts to two, "down" goes back and nothing else is valid.
type counter struct{ n int }

func (c *counter) Start(context.Context) (envs.Start, error) {
	return envs.Start{Goal: "Reach two.", Observation: "zero"}, nil
}

func (c *counter) Step(_ context.Context, action string) (envs.Step, error) {
	c.n += map[string]int{"up": 1, "down": -1}[action]
	return envs.Step{Observation: "\tafter " + action, Progress: float64(c.n) / 2, Done: c.n == 2, Success: c.n == 2,
		Valid: action == "up" || action == "down"}, nil
}

func (c *counter) Close() error { return nil }

// able is a counter that lists actions, knows the way, and can be taken back.
type able struct{ counter }

func (a *able) Actions(context.Context) ([]string, error)    { return []string{"down", "up"}, nil }
func (a *able) ExpertAction(context.Context) (string, error) { return "up", nil }
func (a *able) Fork() (envs.World, error)                    { f := *a; return &f, nil }
func (a *able) Inspect() (string, error)                     { return strings.Repeat("|", a.n), nil }

func played(t *testing.T, c Console, in string, play func(*Console, context.Context) error) (out string, err error) {
	t.Helper()
	var b strings.Builder
	c.In, c.Out, c.Env, c.Task = strings.NewReader(in), &b, "counting", envs.Task{ID: "two"}
	err = play(&c, t.Context())
	return b.String(), err
}

func TestJSON(t *testing.T) {
	in := "{\"action\": \"up\"}\n{\"action\": \"<jump>\"}\n"
	got := sharedtest.Must(played(t, Console{World: &able{}, Actions: true}, in, (*Console).JSON))(t)
	want := `{"env":"counting","task":"two","goal":"Reach two.","observation":"zero","progress":0,"done":false,` +
		`"success":false,"actions":["down","up"]}
{"observation":"\tafter up","progress":0.5,"done":false,"success":false,"valid":true,"actions":["down","up"]}
{"observation":"\tafter <jump>","progress":0.5,"done":false,"success":false,"valid":false,"actions":["down","up"]}
`
	sharedtest.Equal(t, cmp.Diff(want, got), "")
}

func TestJSONRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"up":                     `line 1: want {"action": "…"}: `,
		`{"act": "up"}`:          `line 1: want one object {"action": "…"} a line`,
		`{"action":"up"} {}`:     `line 1: want one object {"action": "…"} a line`,
		strings.Repeat("x", 2e6): "line 1 of standard input has more than 1048576 bytes: give one action per line",
	} {
		_, err := played(t, Console{World: &counter{}}, in, (*Console).JSON)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.30q: %v, want %s", in, err, want)
		}
	}
	_, err := played(t, Console{World: &counter{}, Actions: true}, "", (*Console).JSON)
	if err == nil || err.Error() != "the environment cannot list its valid actions" {
		t.Errorf("actions of a world without a list: %v", err)
	}
}

func TestText(t *testing.T) {
	in := "up\n\n:view\n:undo\n:undo\n:view\n:expert\n:actions\n:jump\n:quit\nup\n"
	got := sharedtest.Must(played(t, Console{World: &able{}}, in, (*Console).Text))(t)
	want := `counting two
Reach two.

zero
>     after up
[progress 50.0 %, done false, success false, valid true]
> > |
> Taken back: up
> Nothing to take back.
> 
> up
> down
up
> Unknown command :jump; :help lists the commands.
> `
	sharedtest.Equal(t, cmp.Diff(want, got), "")
}

// A world without abilities says so, and every line of a raw story is its own.
func TestTextWithoutAbilities(t *testing.T) {
	got := sharedtest.Must(played(t, Console{World: &counter{}, Raw: true}, ":undo\n:view\n:expert\n:actions\n:up\n",
		(*Console).Text))(t)
	for _, want := range []string{"The environment cannot take an action back.",
		"The environment cannot show more than it does.", "The environment has no expert.",
		"The environment cannot list its valid actions.", "after :up"} {
		sharedtest.Contains(t, got, want)
	}
}

// fork is a world of a fork that notes when it is closed.
type fork struct {
	able
	closed *int
}

func (f *fork) Fork() (envs.World, error) { c := *f; return &c, nil }
func (f *fork) Close() error              { *f.closed++; return nil }

// Moments that can no longer be taken back are closed: an environment outside holds each of them.
func TestForgottenMoments(t *testing.T) {
	closed := 0
	in := strings.Repeat("up\n", mostMoments+3)
	sharedtest.OK(t, sharedtest.Err(played(t, Console{World: &fork{closed: &closed}}, in, (*Console).Text)))
	sharedtest.Equal(t, closed, 3)
}
