// Package agentgym plays environments of AgentGym's servers, which answer requests over HTTP.
package agentgym

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/envs/outside"
)

// longestBody is the largest length of an answer, in bytes.
const longestBody = 1 << 20

// Gym is a server of AgentGym.
type Gym struct {
	address string
	server  *outside.Endpoint // nil if the address cannot be used, as wrong says
	wrong   error
	options options

	kind *dialect
	// starting has a value while a game is reset: TextCraft's server draws recipes from one
	// stream of random numbers for all games.
	starting chan struct{}

	mu sync.Mutex
	// live are the games that are played, by their numbers.
	live map[int64]*world
	// free are the numbers of games that have ended at a server that closes none.
	free []int64
}

// New returns the server at an address such as http://127.0.0.1:36001.
func New(address string, s envs.Settings, out envs.Outside) *Gym {
	d := &Gym{address: address, options: configured(s), starting: make(chan struct{}, 1), live: map[int64]*world{}}
	d.server, d.wrong = outside.NewEndpoint(address, "give it without", out, d.options.timeout, longestBody)
	return d
}

// Describe implements outside.Provider.
func (d *Gym) Describe(ctx context.Context) (*outside.Profile, error) {
	if d.wrong != nil {
		return nil, d.wrong
	}
	greeting, err := d.meet(ctx)
	if err != nil {
		return nil, d.about(err)
	}
	k := d.kind
	first, last, err := d.options.indices(k)
	if err != nil {
		return nil, err
	}
	about := &outside.Profile{Name: k.Name, Version: d.options.version, Hash: datafile.Hash(k.Name + "\n" + greeting),
		StepLimit: k.Steps, Instruction: k.Instruction, Actions: k.Actions, Success: true, Progress: true,
		Settings: map[string]string{"progress": k.progress()}}
	if k.Lists != "" {
		about.Can = []string{outside.CanList}
	}
	for i := first; i <= last; i++ {
		about.Tasks = append(about.Tasks, outside.Task{ID: k.Name + "_" + strconv.Itoa(i)})
	}
	return about, nil
}

// meet finds out which environment the server has: the one that the user names, or the one that it greets with.
func (d *Gym) meet(ctx context.Context) (greeting string, err error) {
	root, game := *d.server.Base, ""
	if i := strings.LastIndex(root.Path, "/"); i >= 0 {
		game = root.Path[i+1:]
	}
	for i, k := range kinds {
		if k.Path != "" && k.Path == game {
			root.Path = strings.TrimSuffix(root.Path, "/"+game)
		}
		if k.Name == d.options.name {
			d.kind = &kinds[i]
		}
	}
	if err := d.server.Ask(ctx, root.String()+"/", nil, &greeting); err != nil {
		return "", err
	}
	for i, k := range kinds {
		if d.kind == nil && k.Greeting != "" && k.Greeting == greeting && (k.Path == "" || k.Path == game) {
			d.kind = &kinds[i]
		}
	}
	switch {
	case d.kind != nil:
		return greeting, nil
	case greeting == lmrlGym:
		return "", errors.New("it has several games: end the address with /maze or /wordle")
	}
	return "", fmt.Errorf("it greets with %s, which does not say its environment: name it with --%s (%s)",
		outside.Quoted(greeting), nameName, strings.Join(names(), ", "))
}

// route is the address of a route.
func (d *Gym) route(name string) string { return d.server.Base.String() + "/" + name }

// about says which server an error is about.
func (d *Gym) about(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("the server %s: %w", outside.Quoted(d.address), err)
}

// Begin implements outside.Provider. The index of the task decides all; there is no seed.
func (d *Gym) Begin(ctx context.Context, task string, _ int64) (outside.Instance, outside.Beginning, error) {
	g := &world{provider: d}
	text, err := g.start(ctx, task)
	if err != nil {
		return nil, outside.Beginning{}, d.about(errors.Join(err, g.Close()))
	}
	return g, outside.Beginning{Observation: text}, nil
}

// Close implements outside.Provider.
func (d *Gym) Close() error { return d.server.Close() }

const (
	nameName    = "agentgym-env"
	tasksName   = "agentgym-tasks"
	versionName = "agentgym-version"
)

type options struct {
	name, tasks, version string
	timeout              time.Duration
}

func configured(s envs.Settings) options {
	return options{name: s[nameName], tasks: s[tasksName], version: cmp.Or(s[versionName], "unknown"),
		timeout: outside.Configured(s).Timeout}
}

// indices are the first and the last index of the tasks.
func (o options) indices(k *dialect) (first, last int, err error) {
	if o.tasks == "" {
		return 0, k.Tasks - 1, nil
	}
	first, last, ok := outside.Range(o.tasks)
	if !ok || last < first || last-first >= outside.MostTasks {
		return 0, 0, fmt.Errorf("--%s is %q, want an index or a range of at most %d, such as 0-99", tasksName, o.tasks,
			outside.MostTasks)
	}
	return first, last, nil
}

// dialect is an environment of AgentGym, and how its server speaks.
type dialect struct {
	// Name is the name in AgentGym's numbers of tasks, such as textcraft_17.
	Name string
	// Greeting is what the server answers at its root, empty if others answer the same; Path is
	// where it has the environment.
	Greeting, Path string
	// Number and Index are the fields of a game's number and of a task's index.
	Number, Index string
	// Text is the field of an answer with the observation.
	Text string
	// Opening is the route of the first observation: a text, or a list of its lines. Without one, it is in the
	// answer to a reset.
	Opening string
	// Closes: a game can be closed. Otherwise, it is used again for the next task.
	Closes bool
	// Lists is the route of the list of actions; empty if there is none.
	Lists string
	// Tasks is the number of tasks, and Steps the step limit of AgentGym's evaluation.
	Tasks, Steps int
	// Least and Largest are the bounds of rewards. A success earns the largest.
	Least, Largest float64
	// Sums: AgentGym's score of a step is the sum of the rewards so far, which an answer has as its score.
	// It can pass the largest reward, and then counts as the largest.
	Sums bool
	// Instruction and Actions are told where a prompt does not explain the environment.
	Instruction string
	Actions     []string
}

// lmrlGym is what a server with several games greets with.
const lmrlGym = "This is environment LMRL-Gym."

//go:embed dialects.json
var dialectsText []byte

var kinds = datafile.Table[[]dialect](dialectsText)

// progress says what of an answer to a step is the progress.
func (k *dialect) progress() string {
	if k.Sums {
		return fmt.Sprintf("the sum of rewards, from 0 to %g", k.Largest)
	}
	return fmt.Sprintf("the last reward, from 0 to %g", k.Largest)
}

// names lists the environments.
func names() (out []string) {
	for _, k := range kinds {
		out = append(out, k.Name)
	}
	return out
}
