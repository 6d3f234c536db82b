package serve

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// The valid actions can be asked for at any moment of an episode, and cost no step.
func TestActionsOnDemand(t *testing.T) {
	s, url := online(t, nil)
	ids := openBatch(t, s, 2)
	ask := `{"session":"` + ids[0] + `","actions":true}`
	got := results(t, s, ask, `{"session":"`+ids[0]+`","reset":{}}`, ask, `{"session":"`+ids[0]+`","action":"a"}`,
		`{"session":"`+ids[0]+`","actions":true,"action":"a"}`, `{"session":"`+ids[0]+`","actions":false}`)
	for i, want := range []string{"no episode is running", `"text":"this is echo/0"`, `{"actions":["look","win"]}`,
		`"progress":0.1`, "Invalid entry", "Invalid entry"} {
		sharedtest.Contains(t, got[i], want, "entry", i)
	}
	c := dial(t, url+"/openenv/echo/ws")
	c.want(`{"type":"actions"}`,
		`{"type":"error","data":{"message":"no episode is running: send reset first","code":"EXECUTION_ERROR"}}`)
	c.send(`{"type":"reset"}`)
	c.next()
	c.want(`{"type":"actions"}`, `{"type":"actions","data":{"actions":["look","win"]}}`)
	piped := throughPipe(t, `{"open":{"count":1}}`, `{"steps":[[0,{}]]}`, `{"actions":[0,7,0]}`,
		`{"steps":[[0,"win"]]}`, `{"actions":[0]}`)
	if piped[2] != `{"actions":[["look","win"],{"error":"the session is closed: open another"},["look","win"]]}` ||
		piped[4] != `{"actions":[{"error":"no episode is running: send reset first"}]}` {
		t.Errorf("the pipe: %s", piped)
	}
}

// Tokens and their log-probabilities are recorded with their steps, in every protocol that has room for them.
func TestSampledActions(t *testing.T) {
	kept := &shelf{}
	s, url := online(t, func(o *Options) {
		o.Record = func(string, *Mount, *Set) (Recorder, error) { return kept, nil }
	})
	id := openBatch(t, s, 1)[0]
	results(t, s, `{"session":"`+id+`","reset":{}}`, `{"session":"`+id+`","action":"a"}`,
		`{"session":"`+id+`","action":"win","token_ids":[5,0],"logprobs":[-0.25,-1e-3]}`)
	c := dial(t, url+"/openenv/echo/ws")
	c.send(`{"type":"reset"}`)
	c.send(`{"type":"step","data":{"message":"win","metadata":{"token_ids":[7],"step":3}}}`)
	c.next()
	c.next()
	if len(kept.kept) != 2 {
		t.Fatalf("%d episodes were kept", len(kept.kept))
	}
	steps := kept.kept[0].Trajectory
	if steps[0].TokenIDs != nil || !slices.Equal(steps[1].TokenIDs, []int{5, 0}) ||
		!slices.Equal(steps[1].Logprobs, []float64{-0.25, -1e-3}) {
		t.Errorf("steps: %+v", steps)
	}
	if got := kept.kept[1].Trajectory[0]; !slices.Equal(got.TokenIDs, []int{7}) || got.Logprobs != nil {
		t.Errorf("over OpenEnv: %+v", got)
	}
}

// What no policy has sampled is refused, and nothing else of the batch with it.
func TestSampledActionsRefused(t *testing.T) {
	s, url := online(t, nil)
	id := openBatch(t, s, 1)[0]
	results(t, s, `{"session":"`+id+`","reset":{"max_steps":100}}`)
	c := dial(t, url+"/openenv/echo/ws")
	c.send(`{"type":"reset"}`)
	c.next()
	many := "[" + strings.Repeat("1,", maxTokens) + "1]"
	for _, bad := range []string{`"token_ids":[1,2],"logprobs":[-1]`, `"token_ids":[-1]`, `"token_ids":[1.5]`,
		`"token_ids":["1"]`, `"token_ids":7`, `"logprobs":[null,"x"]`, `"token_ids":[2147483648]`,
		`"logprobs":[1e999]`, `"token_ids":` + many} {
		got := results(t, s, `{"session":"`+id+`","action":"a",`+bad+`}`, `{"session":"`+id+`","action":"b"}`)
		if !strings.Contains(got[0], `"code":"VALIDATION_ERROR"`) || !strings.Contains(got[0], "token_ids") ||
			!strings.Contains(got[1], "echo b") {
			t.Errorf("%.80s: %s", bad, got)
		}
		c.send(`{"type":"step","data":{"message":"a","metadata":{` + bad + `}}}`)
		if got := string(c.next()); !strings.Contains(got, `"loc":["metadata"]`) || !strings.Contains(got, "logprobs") {
			t.Errorf("%.80s: %s", bad, got)
		}
		piped := throughPipe(t, `{"open":{}}`, fmt.Sprintf(`{"steps":[[0,{}],[0,"a",{%s}],[0,"b"]]}`, bad))
		if !strings.Contains(piped[1], "logprobs") || !strings.Contains(piped[1], `["echo b"`) {
			t.Errorf("%.80s: %.300s", bad, piped[1])
		}
	}
}

func TestRewards(t *testing.T) {
	for _, c := range []struct {
		o      MountOptions
		s      envs.Step
		before float64
		want   float64
	}{
		{MountOptions{Reward: RewardSuccess}, envs.Step{Progress: 0.5, Valid: true}, 0.25, 0},
		{MountOptions{Reward: RewardSuccess}, envs.Step{Progress: 1, Success: true, Valid: true}, 0.25, 1},
		{MountOptions{Reward: RewardProgress}, envs.Step{Progress: 0.5}, 0.25, 0.5},
		{MountOptions{Reward: RewardDelta}, envs.Step{Progress: 0.5, Valid: true}, 0.25, 0.25},
		{MountOptions{Reward: RewardDelta, StepCost: 0.5}, envs.Step{Progress: 0.5, Valid: true}, 0.25, -0.25},
		{MountOptions{Reward: RewardDelta, StepCost: 0.25, InvalidPenalty: 0.5}, envs.Step{}, 0, -0.75},
		{MountOptions{Reward: RewardSuccess, InvalidPenalty: 0.5}, envs.Step{Valid: true}, 0, 0},
	} {
		sharedtest.Equal(t, c.o.reward(c.s, c.before), c.want, c.o, c.s)
	}
	for _, bad := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		if CheckCost("step-cost", bad) == nil {
			t.Errorf("%v is a cost", bad)
		}
	}
}
