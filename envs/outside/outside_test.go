package outside_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/envs/outside"
	"heldout/envs/sharedtest"
)

// fake is an environment that says what a test wants.
type fake struct {
	outside.Instance
	about   outside.Profile
	begins  outside.Beginning
	answers []outside.StepReply
	list    []string
	key     string
}

func (f *fake) Describe(context.Context) (*outside.Profile, error) { return &f.about, nil }

func (f *fake) Begin(context.Context, string, int64) (outside.Instance, outside.Beginning, error) {
	return f, f.begins, nil
}

func (f *fake) Step(context.Context, string) (outside.StepReply, error) {
	a := f.answers[0]
	f.answers = f.answers[1:]
	return a, nil
}

func (f *fake) Actions(context.Context) ([]string, error) { return f.list, nil }

func (f *fake) StateKey() (string, error) { return f.key, nil }

func (f *fake) Close() error { return nil }

func about() outside.Profile {
	return outside.Profile{Name: "n", Version: "1", Hash: "0123456789abcdef01", StepLimit: 3, Instruction: "Play.",
		Tasks: []outside.Task{{ID: "a", Kind: "k"}}, Success: true}
}

// start opens an environment and starts a world of its first task.
func start(f *fake, o outside.Options) (envs.World, envs.Start, error) {
	env, err := outside.New(context.Background(), "exec", f, o)
	if err != nil {
		return nil, envs.Start{}, err
	}
	w, err := env.NewWorld(env.Tasks()[0])
	if err != nil {
		return nil, envs.Start{}, err
	}
	s, err := w.Start(context.Background())
	return w, s, err
}

// What an environment says of itself is refused if it cannot be used or shown.
func TestAbout(t *testing.T) {
	changes := map[string]func(a *outside.Profile){
		"there are 100001 tasks":     func(a *outside.Profile) { a.Tasks = make([]outside.Task, outside.MostTasks+1) },
		"of actions has 65537 bytes": func(a *outside.Profile) { a.Instruction = strings.Repeat("a", 1<<16+1) },
		"actions has 1001 forms":     func(a *outside.Profile) { a.Actions = make([]string, 1001) },
	}
	for want, change := range sharedtest.Table[string](t, "profiles.yaml") {
		changes[want] = func(a *outside.Profile) { sharedtest.OK(t, json.Unmarshal([]byte(change), a)) }
	}
	for want, change := range changes {
		f := &fake{about: about()}
		change(&f.about)
		sharedtest.Fails(t, sharedtest.Err(outside.New(t.Context(), "exec", f, outside.Options{})), want)
	}
	f := &fake{about: about()}
	sharedtest.OK(t, sharedtest.Err(outside.New(t.Context(), "exec", f, outside.Options{})))
	sharedtest.Fails(t, sharedtest.Err(outside.New(t.Context(), "exec", f, outside.Options{Threshold: 1})), "",
		"an environment that knows success has a threshold")
}

// Another version of an environment has other settings, and another hash other tasks, too.
func TestIdentity(t *testing.T) {
	open := func(change func(*outside.Profile), o outside.Options) *outside.Env {
		f := &fake{about: about()}
		change(&f.about)
		return sharedtest.Must(outside.New(t.Context(), "exec", f, o))(t)
	}
	first := open(func(*outside.Profile) {}, outside.Options{})
	for name, env := range map[string]*outside.Env{
		"version": open(func(a *outside.Profile) { a.Version = "2" }, outside.Options{}),
		"hash":    open(func(a *outside.Profile) { a.Hash = "f" + a.Hash[1:] }, outside.Options{}),
		"return":  open(func(a *outside.Profile) { a.Return = &[2]float64{0, 1} }, outside.Options{}),
		"success-threshold": open(func(a *outside.Profile) { a.Success, a.Progress = false, true },
			outside.Options{Threshold: 0.5}),
	} {
		if env.Info().Settings[name] == first.Info().Settings[name] {
			t.Errorf("%s: %v", name, env.Info().Settings)
		}
	}
	last := open(func(a *outside.Profile) { a.Hash = a.Hash[:17] + "f" }, outside.Options{})
	if last.Tasks()[0].Digest == first.Tasks()[0].Digest {
		t.Error("tasks of another hash have the same digest")
	}
}

// Whatever an environment answers, a step has a progress in [0,1], and success only where
// the environment's word or the user's threshold says so.
func TestMeasure(t *testing.T) {
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-2, 2), rapid.Just(math.NaN()), rapid.Just(math.Inf(1)))
	rapid.Check(t, func(t *rapid.T) {
		f := &fake{about: about()}
		f.about.Success, f.about.Progress = rapid.Bool().Draw(t, "knows"), rapid.Bool().Draw(t, "progress")
		if !f.about.Progress {
			f.about.Return = rapid.SampledFrom([]*[2]float64{nil, {0, 1}, {-3, 10}}).Draw(t, "return")
		}
		o := outside.Options{}
		if !f.about.Success {
			o.Threshold = 0.5
		}
		f.begins.Progress = rapid.Ptr(number, true).Draw(t, "start")
		for range 3 {
			f.answers = append(f.answers, outside.StepReply{
				Progress: rapid.Ptr(number, true).Draw(t, "p"), Reward: rapid.Ptr(number, true).Draw(t, "r"),
				Done: rapid.Bool().Draw(t, "done"), Success: rapid.Ptr(rapid.Bool(), true).Draw(t, "success"),
			})
		}
		answers := f.answers
		w, begun, err := start(f, o)
		if err != nil {
			return
		}
		check := func(progress float64) {
			if !(progress >= 0 && progress <= 1) || math.Signbit(progress) {
				t.Fatalf("progress %v", progress)
			}
		}
		check(begun.Progress)
		for _, a := range answers {
			s, err := w.Step(context.Background(), "x")
			if err != nil {
				return
			}
			check(s.Progress)
			if word := a.Success != nil && *a.Success; f.about.Success && s.Success != word ||
				!f.about.Success && s.Success != (s.Progress >= 0.5) {
				t.Fatalf("%+v for %+v", s, a)
			}
		}
	})
}

// Rewards become the share of the return that is reached.
func TestReturn(t *testing.T) {
	f := &fake{about: about()}
	f.about.Success, f.about.Return = false, &[2]float64{-1, 3}
	for _, reward := range []float64{1, -4, 5, 9} {
		f.answers = append(f.answers, outside.StepReply{Reward: &reward})
	}
	w, begun, err := start(f, outside.Options{Threshold: 0.75})
	if err != nil || begun.Progress != 0.25 {
		t.Fatal(begun, err)
	}
	for i, want := range []envs.Step{
		{Progress: 0.5, Valid: true}, {Valid: true}, {Progress: 0.75, Success: true, Valid: true},
		{Progress: 1, Success: true, Valid: true},
	} {
		sharedtest.Equal(t, sharedtest.Must(w.Step(t.Context(), ""))(t), want, "step", i)
	}
}

// Only what an environment can is seen of it, within its limits.
func TestAbilities(t *testing.T) {
	f := &fake{about: about(), list: []string{"b", "a", "b"}}
	w, _, err := start(f, outside.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := envs.As[envs.Lister](w); ok {
		t.Error("it lists actions")
	}
	f.about.Can = []string{outside.CanList}
	list, ok := envs.As[envs.Lister](w)
	if !ok {
		t.Fatal("it lists no actions")
	}
	if got, err := list.Actions(t.Context()); err != nil || strings.Join(got, " ") != "a b" {
		t.Error(got, err)
	}
	for _, bad := range [][]string{make([]string, 10_001), {strings.Repeat("a", 5000)}} {
		f.list = bad
		if _, err := list.Actions(t.Context()); err == nil {
			t.Errorf("a list of %d is taken", len(bad))
		}
	}
	if _, ok := envs.As[envs.Expert](w); ok {
		t.Error("it advises")
	}
	_, forks := envs.As[envs.Forker](w)
	if key, err := envs.StateKey(envs.Task{}, w); forks || key != "" || err != nil {
		t.Errorf("it forks: %v, or has the key %q, %v", forks, key, err)
	}
	f.about.Can = []string{outside.CanKey}
	for _, bad := range []string{"", strings.Repeat("a", 5000)} {
		f.key = bad
		if key, err := envs.StateKey(envs.Task{}, w); err == nil {
			t.Errorf("a key of %d bytes is taken: %s", len(bad), key)
		}
	}
}

// Equal keys of an environment are one state only if the rewards before them have one sum: they
// decide the progress to come.
func TestStateKey(t *testing.T) {
	f := &fake{about: about(), key: "k"}
	f.about.Return, f.about.Can = &[2]float64{0, 4}, []string{outside.CanKey}
	for _, reward := range []float64{1, -1} {
		f.answers = append(f.answers, outside.StepReply{Reward: &reward})
	}
	w, _, err := start(f, outside.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for i := range 3 {
		key := sharedtest.Must(envs.StateKey(envs.Task{}, w))(t)
		if keys = append(keys, key); i < 2 {
			_, err = w.Step(t.Context(), "")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if keys[0] == keys[1] || keys[0] != keys[2] {
		t.Error(keys)
	}
}

// FuzzAbout looks for a description that is taken and should not be: its name and tasks can be
// shown as they are, and every kind has an instruction.
func FuzzAbout(f *testing.F) {
	a := about()
	f.Add(sharedtest.Must(json.Marshal(&a))(f))
	f.Fuzz(func(t *testing.T, line []byte) {
		var a outside.Profile
		if json.Unmarshal(line, &a) != nil {
			return
		}
		env, err := outside.New(t.Context(), "exec", &fake{about: a}, outside.Options{})
		if err != nil {
			return
		}
		shown := env.Info().Name
		for _, task := range env.Tasks() {
			shown += task.ID + task.Type
			if strings.TrimSpace(env.Info().Instructions[task.Type]) == "" {
				t.Errorf("the kind %q has no instruction", task.Type)
			}
		}
		if strings.ContainsFunc(shown, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`<>"'|,*?`, r) }) {
			t.Errorf("%q is shown", shown)
		}
	})
}

// answer has a member of each type that answers have.
type answer struct {
	ID      int64       `json:"id"`
	Text    *string     `json:"observation"`
	Number  *float64    `json:"reward"`
	Done    bool        `json:"done"`
	List    []string    `json:"actions"`
	Any     any         `json:"any"`
	Of      *answer     `json:"of"`
	Return  *[2]float64 `json:"return"`
	Numbers map[string]float64
}

// What is wrong with JSON is told in the words of its authors: which field, which value, and what is wanted.
func TestMisread(t *testing.T) {
	table := sharedtest.Table[string](t, "misread.yaml")
	table["{\"observation\": \"a\xff\"}"] = "observation has bytes that are not UTF-8"
	for text, want := range table {
		var into answer
		err := outside.Unmarshal([]byte(text), &into, jsonv2.RejectUnknownMembers(true))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzMisread looks for JSON whose error is long, unprintable or in the parser's own words.
func FuzzMisread(f *testing.F) {
	for _, seed := range []string{`{"id": 4, "reward": NaN}`, `{"of": {"of": {"done": 1}}}`, "[\xff", `{"a`, `-`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var into answer
		err := outside.Unmarshal(text, &into)
		if err == nil {
			return
		}
		said := err.Error()
		if len(said) > 500 || strings.ContainsAny(said, "\x1b\n\r") || strings.Contains(said, "jsontext") ||
			strings.Contains(said, "Go type") || strings.Contains(said, "offset") {
			t.Errorf("%q: %s", text, said)
		}
	})
}
