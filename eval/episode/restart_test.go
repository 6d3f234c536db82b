package episode

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/agent"
	"heldout/scoring/record"
)

// brokenHouse cannot say what is admissible.
type brokenHouse struct{ house }

func (brokenHouse) NewWorld(envs.Task) (envs.World, error) { return &brokenWorld{}, nil }

type brokenWorld struct{ houseWorld }

func (*brokenWorld) Actions(context.Context) ([]string, error) {
	return nil, errors.New("the list broke")
}

// playProtocol plays one episode by a preset.
func playProtocol(t *testing.T, env envs.Env, p *configs.Preset, replies ...string) *record.Episode {
	t.Helper()
	b := Benchmark{Env: env, Tasks: env.Tasks(), StepLimit: p.Env.Limit.Max(), Prompt: standIn(p), PromptHash: "hash",
		Preset: *p, Named: &record.Preset{Name: p.Name, SHA256: "hash"}}
	player := Player{Name: "vllm:m", Agent: p.Agent.Form, Model: &recorder{replies: replies}, Decoding: record.Decoding{
		TopP: 1, MaxTokens: 9}}
	episodes := planned(t, &b, &player)
	rec, _ := episodes[0].Play(t.Context(), Trusting{}, func(agent.Usage) {})
	return rec
}

// A budget of steps holds several games, and the best score is the highest of any.
func TestRestart(t *testing.T) {
	p := loadAny(t, "testdata/forms/form-restart.yaml")
	p.Env.Limit.Steps = 5
	rec := playProtocol(t, house{"a"}, &p, "take mug 1 from desk 1", "eat mug 1", "dance", "eat mug 1", "dance")
	if rec.Outcome != record.Failure || rec.Steps != 5 || *rec.Score != 0.5 {
		t.Errorf("%s after %d steps with the score %v, want a failure after 5 with 0.5", rec.Outcome, rec.Steps,
			*rec.Score)
	}
	scores := []float64{}
	for _, s := range rec.Trajectory {
		scores = append(scores, *s.Score)
	}
	if want := []float64{0.5, -1, 0, -1, 0}; !slices.Equal(scores, want) {
		t.Errorf("scores %v, want %v: a game's end has its own, the next game starts at 0", scores, want)
	}
	rec = playProtocol(t, house{"a"}, &p, "eat mug 1", "take mug 1 from desk 1", "put mug 1 in/on desk 1", "never")
	if rec.Outcome != record.Success || rec.Steps != 3 {
		t.Errorf("%s after %d steps, want a success that ends the episode", rec.Outcome, rec.Steps)
	}
}

// trophies is an environment whose games are won with half of the score, or with all of it.
type trophies struct{ house }

func (trophies) NewWorld(envs.Task) (envs.World, error) { return &trophyWorld{}, nil }

type trophyWorld struct{ houseWorld }

func (w *trophyWorld) Step(_ context.Context, action string) (envs.Step, error) {
	w.score = map[string]float64{"half": 0.5, "all": 1}[action]
	won := w.score > 0
	return envs.Step{Observation: "After " + action + ".", Done: won || action == "lose", Success: won,
		Valid: true}, nil
}

// A game that is won below the highest score starts again, and so does one after whose end
// the agent is told something: the original starts it a second time.
func TestRestartAfterAWin(t *testing.T) {
	p := loadAny(t, "testdata/forms/form-restart.yaml")
	rec := playProtocol(t, trophies{house{"a"}}, &p, "half", "two\nlines", "look", "two\nlines again", "all", "never")
	if rec.Outcome != record.Success || rec.Steps != 5 || *rec.Score != 1 {
		t.Errorf("%s after %d steps with the score %v, want a success after 5 with 1", rec.Outcome, rec.Steps,
			*rec.Score)
	}
	for i, restarts := range []bool{true, true, false, false, false} {
		if got := strings.Contains(rec.Trajectory[i].Observation, "\n\n-= Restarting =-\n-= Welcome"); got != restarts {
			t.Errorf("step %d: %q, want a restart: %v", i+1, rec.Trajectory[i].Observation, restarts)
		}
	}
}

// A preset may fix the seed of all calls; otherwise each has its own.
func TestDecodingSeed(t *testing.T) {
	p := loadAny(t, "testdata/forms/form-restart.yaml")
	for _, fixed := range []int64{0, 7} {
		p.Decoding.Seed = fixed
		e := Episode{Task: &envs.Task{}, Condition: &record.Condition{}, Benchmark: &Benchmark{Preset: p},
			Player: &Player{}}
		c := e.chat("model")
		if one, other := c.StepSeed(0), c.StepSeed(1); fixed == 0 && one == other || fixed > 0 &&
			(one != fixed || other != fixed) {
			t.Errorf("decoding.seed %d: the calls have %d and %d", fixed, one, other)
		}
	}
}

// An environment that fails while the agent asks it is at fault, not the model.
func TestBrokenListIsTheEnvironments(t *testing.T) {
	p := loadAny(t, "testdata/forms/form-every.yaml")
	if rec := playProtocol(t, brokenHouse{house{"a"}}, &p, "x"); rec.Outcome != record.EnvError ||
		rec.Error != "the list broke" {
		t.Errorf("%s: %s", rec.Outcome, rec.Error)
	}
}

// endings are games that all end at once, of which the second cannot begin.
type endings struct {
	house
	made, start *int
}

func (e endings) NewWorld(envs.Task) (envs.World, error) {
	*e.made--
	if *e.made < 0 {
		return nil, errors.New("there is no other game")
	}
	return &endingWorld{start: e.start}, nil
}

type endingWorld struct {
	houseWorld
	start *int
}

func (w *endingWorld) Start(ctx context.Context) (envs.Start, error) {
	*w.start--
	if *w.start < 0 {
		return envs.Start{}, errors.New("the game does not begin")
	}
	return w.houseWorld.Start(ctx)
}

func (w *endingWorld) Step(context.Context, string) (envs.Step, error) {
	return envs.Step{Observation: "You lose.", Done: true, Valid: true}, nil
}

// A game that cannot start again is the environment's fault, not the model's.
func TestBrokenRestart(t *testing.T) {
	p := loadAny(t, "testdata/forms/form-restart.yaml")
	for want, c := range map[string][2]int{
		"there is no other game":  {1, 9},
		"the game does not begin": {9, 1},
	} {
		env := endings{house{"a"}, &c[0], &c[1]}
		if rec := playProtocol(t, env, &p, "x", "y", "z"); rec.Outcome != record.EnvError || rec.Error != want {
			t.Errorf("%s: %q, want %q", rec.Outcome, rec.Error, want)
		}
	}
}
