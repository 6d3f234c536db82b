package scienceworld

import (
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// How much TestDifferential plays. The defaults are a share that takes a minute or two.
var (
	diffSteps  = flag.Int("steps", 600, "steps to compare with the official simulator")
	diffSeed   = flag.Uint64("seed", 1, "seed of the played episodes")
	diffFirst  = flag.Int("first", 0, "number of the first episode: continues a run that ended there")
	diffNative = flag.Bool("native", false,
		"play this engine alone: its sum of answers equals that of another build if both answer alike")
	diffTasks    = flag.String("tasks", "", "regular expression: play only these tasks")
	diffLength   = flag.Int("length", 40, "mean number of steps of an episode")
	diffFailures = flag.Int("failures", 5, "differences after which to stop")
)

// The settings of episodes: AgentBoard's, none, all, and what "easy" stands for.
var simplificationSets = []string{
	"selfWateringFlowerPots,openContainers,openDoors,noElectricalAction",
	"",
	"easy",
	"openDoors,teleportAction",
	"teleportAction,selfWateringFlowerPots",
}

// order is which lists are asked for after each step. They draw from the generator.
type order int

const (
	agentBoardOrder order = iota // the list of valid actions, then its JSON form
	packageOrder                 // the list alone
	noLists                      // but for a share of the steps
)

// ordersPlayed are the orders of episodes; the lists take the other side longest.
var ordersPlayed = []order{agentBoardOrder, packageOrder, noLists, noLists, noLists, noLists, noLists, noLists}

// play is what happens in one episode.
type play struct {
	task            string
	variation       int
	simplifications string
	order           order
	actions         []string
}

func (p play) String() string {
	return fmt.Sprintf("task %s, variation %d, simplifications %q, order %d, actions %q", p.task, p.variation,
		p.simplifications, p.order, p.actions)
}

// question is a call to both sides.
type question struct {
	call  call
	ours  string // our answer
	after int    // how many actions were played before it
}

// recorder plays our side and notes what to ask the other.
type recorder struct {
	play  play
	world *World
	asked []question
	ended bool // by a panic
	every int  // steps between slow questions
}

// library serves all episodes, so that they share what can be shared.
var library = NewLibrary()

// record loads a world and asks what can be asked at its start.
func record(p play) *recorder {
	r := &recorder{play: p, world: library.New(), every: rareEvery}
	r.play.actions = nil
	r.guard(func() {
		w := r.world
		r.ask(call{"#fresh"}, "") // else the score of an earlier episode remains
		r.ask(loadCall(p.task, p.variation, p.simplifications, false), w.Load(p.task, p.variation, p.simplifications))
		r.ask(call{"getTaskDescription"}, w.Description())
		r.ask(call{"getSimplificationsUsed"}, w.SimplificationsUsed())
		r.ask(call{"getPossibleActions"}, strings.Join(w.PossibleActions(), "\n"))
		r.look()
	})
	return r
}

// branch goes on with a fork, or a fork of one, and lets time pass in the world that was forked.
func (r *recorder) branch() {
	r.guard(func() {
		fork := r.world.Fork()
		r.world.Step("wait1")
		r.world = fork
		if len(r.play.actions)%2 == 0 {
			r.world = fork.Fork()
		}
	})
}

func (r *recorder) ask(c call, ours string) {
	r.asked = append(r.asked, question{c, ours, len(r.play.actions)})
}

// guard notes a panic of our side as an answer that the other does not give.
func (r *recorder) guard(f func()) {
	defer func() {
		if p := recover(); p != nil {
			r.ask(call{"getNumMoves"}, fmt.Sprintf("panic: %v", p))
			r.ended = true
		}
	}()
	f()
}

// step plays an action and asks for all that shows.
func (r *recorder) step(action string) {
	r.play.actions = append(r.play.actions, action)
	r.guard(func() {
		w := r.world
		r.ask(call{"step", action}, w.Step(action))
		r.ask(call{"getScore"}, fmt.Sprint(w.Score))
		r.ask(call{"getCompleted"}, strconv.FormatBool(w.Completed))
		r.ask(call{"getNumMoves"}, strconv.Itoa(w.Moves))
		r.ask(call{"getGoalProgressStr"}, w.Progress())
		r.look()
		if n := len(r.play.actions); n%r.every == 0 {
			r.rare(n / r.every)
		}
	})
}

// rareEvery is how many steps pass between questions that take the other side
// long: in random play, and in recorded episodes.
const (
	rareEvery      = 15
	rareEveryTrace = 8
)

// rare asks for what takes the other side long, one after the other.
func (r *recorder) rare(n int) {
	w := r.world
	if r.play.order == noLists {
		r.ask(call{"getValidActionObjectCombinations"}, strings.Join(w.ValidActions(), "\n"))
	}
	switch n % 6 {
	case 0:
		r.ask(call{"getAllObjectIdsTypesReferentsLUTJSON"}, w.ObjectIDsTypesReferents())
	case 1:
		r.ask(call{"getPossibleObjects"}, strings.Join(w.PossibleObjects(), "\n"))
	case 2:
		r.ask(call{"getPossibleObjectReferentLUTJSON"}, w.ObjectReferents())
	case 3:
		r.ask(call{"getPossibleActionObjectCombinationsJSON"}, w.Combinations())
	case 4:
		r.ask(call{"getPossibleActionsWithIDs"}, w.PossibleActionsWithIDs())
	case 5:
		r.ask(call{"getAllObjectTypesLUTJSON"}, w.ObjectTypes())
	}
	r.state()
}

// look asks for the free texts, the lists and the hidden state.
func (r *recorder) look() {
	w := r.world
	r.ask(call{"freeActionLook"}, w.Look())
	r.ask(call{"freeActionInventory"}, w.Inventory())
	r.ask(call{"freeActionTaskDesc"}, w.TaskText())
	if r.play.order != noLists {
		r.ask(call{"getValidActionObjectCombinations"}, strings.Join(w.ValidActions(), "\n"))
	}
	if r.play.order == agentBoardOrder {
		r.ask(call{"getValidActionObjectCombinationsJSON"}, w.ValidActionsJSON())
	}
	r.state()
}

func (r *recorder) state() {
	generator, objects := r.world.State()
	r.ask(call{"#generator"}, strconv.FormatUint(generator, 10))
	r.ask(call{"#counter"}, strconv.Itoa(objects))
}

// valid lists the valid actions without drawing for good.
func (r *recorder) valid() []string { return r.world.Undrawn((*World).ValidActions) }

// objects lists what can be spoken of, without drawing for good.
func (r *recorder) objects() []string { return r.world.Undrawn((*World).PossibleObjects) }

// difference is the first question on which both sides disagree.
type difference struct {
	question
	theirs string
}

// compare asks the other side, and returns the first difference, nil if there is none.
func (r *recorder) compare(d *driver) (*difference, error) {
	calls := make([]call, len(r.asked))
	for i, q := range r.asked {
		calls[i] = q.call
	}
	if err := d.send(calls); err != nil {
		return nil, err
	}
	theirs, err := d.receive()
	if err != nil {
		return nil, err
	}
	for i, q := range r.asked {
		ours, other := q.ours, theirs[i]
		if q.call[0] == "getScore" {
			ours, other = number(ours), number(other)
		}
		if ours != other {
			return &difference{q, other}, nil
		}
	}
	return nil, nil
}

// replay plays the same on both sides.
func replay(d *driver, p play) (*difference, error) {
	r := record(p)
	for _, a := range p.actions {
		if r.ended {
			break
		}
		r.step(a)
	}
	return r.compare(d)
}

// minimal leaves out actions as long as some difference remains.
func minimal(d *driver, p play, found *difference) (play, *difference) {
	p.actions = p.actions[:min(found.after, len(p.actions))]
	for size := max(len(p.actions)/2, 1); ; size /= 2 {
		for from := 0; from+size < len(p.actions); {
			shorter := p
			shorter.actions = slices.Concat(p.actions[:from], p.actions[from+size:])
			other, err := replay(d, shorter)
			if err != nil || other == nil {
				from += size
				continue
			}
			p, found = shorter, other
			p.actions = p.actions[:min(found.after, len(p.actions))]
		}
		if size <= 1 {
			return p, found
		}
	}
}

// report says what differs and how to see it again.
func report(t *testing.T, d *driver, p play, found *difference) {
	t.Helper()
	p, found = minimal(d, p, found)
	ours, theirs := firstDifference(found.ours, found.theirs)
	t.Errorf("%v\n  %q after %d actions:\n  ours   %q\n  theirs %q", p, found.call, found.after, ours, theirs)
}

// firstDifference shortens two texts to where they begin to differ.
func firstDifference(a, b string) (string, string) {
	const around = 300
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	from := max(n-around/2, 0)
	return a[from:min(from+around, len(a))], b[from:min(from+around, len(b))]
}

// plan draws what an episode is to follow: a solution, what an agent did in the task once, or nothing.
func plan(rng *rand.Rand, p play, logged map[string][][]string) []string {
	switch n := rng.IntN(100); {
	case n < 35:
		path, err := GoldPath(p.task, p.variation, p.simplifications)
		if err != nil { // the reference has none either
			return nil
		}
		return path
	case n < 55 && len(logged[p.task]) > 0:
		return logged[p.task][rng.IntN(len(logged[p.task]))]
	}
	return nil
}

// loggedActions are the actions of recorded runs of agents, by task; none where there are no records.
func loggedActions(t *testing.T) map[string][][]string {
	out := map[string][][]string{}
	t.Run("recorded runs", func(t *testing.T) {
		type episode struct {
			Task  string `json:"task_name"`
			Steps []struct {
				Action string `json:"action"`
			} `json:"steps"`
		}
		for _, e := range sharedtest.Lines[episode](t, "agentboard-logs/scienceworld.jsonl.gz") {
			var actions []string
			for _, s := range e.Steps {
				actions = append(actions, strings.TrimSpace(s.Action))
			}
			out[e.Task] = append(out[e.Task], actions)
		}
	})
	return out
}

// episode draws and records the episode of a number. Episodes do not depend on each other.
func episode(number int, names []string, logged map[string][][]string, kinds map[string]int) *recorder {
	rng := rand.New(rand.NewPCG(*diffSeed, uint64(number)))
	name := names[number%len(names)]
	p := play{
		task: name, variation: rng.IntN(Variations(name)),
		simplifications: simplificationSets[rng.IntN(len(simplificationSets))],
		order:           ordersPlayed[rng.IntN(len(ordersPlayed))],
	}
	r := record(p)
	length := 1 + int(rng.ExpFloat64()*float64(*diffLength))
	m := &mischief{rng: rng, kinds: kinds, plan: plan(rng, p, logged)}
	for range min(length, 20**diffLength) {
		if r.ended {
			break
		}
		if m.chance(5) { // nothing changes
			r.branch()
		}
		r.step(m.action(r))
	}
	return r
}

// compareLabels plays with simplifications that are written in unusual ways.
func compareLabels(t *testing.T, d *driver) {
	for _, labels := range []string{
		" ", "\t", ",", " , ", "openDoors, ", "openDoors,,", ",openDoors", "openDoors, ,teleportAction", "easy ",
	} {
		p := play{task: "boil", simplifications: labels, order: noLists, actions: []string{"task", "look around"}}
		if found, err := replay(d, p); err != nil {
			t.Fatalf("%q: %v", labels, err)
		} else if found != nil {
			t.Errorf("labels %q: %q: ours %q, theirs %q", labels, found.call, found.ours, found.theirs)
		}
	}
}

// TestDifferential plays random episodes on both sides. On a difference it says how to see it again; -run
// 'TestDifferential' -steps N -seed S plays others. Each line of progress has the flags that continue from there.
func TestDifferential(t *testing.T) {
	var d *driver
	if !*diffNative {
		d = startDriver(t)
	}
	only := regexp.MustCompile(*diffTasks)
	var names []string
	for _, name := range TaskNames() {
		if only.MatchString(name) {
			names = append(names, name)
		}
	}
	logged := loggedActions(t)
	if d != nil {
		compareLabels(t, d)
	}
	steps, number, failures := 0, *diffFirst, 0
	kinds := map[string]int{}
	answers := fnv.New64a()
	progress := func() {
		t.Logf("%d steps, %d differences, sum %016x; continue with -seed %d -first %d", steps, failures,
			answers.Sum64(), *diffSeed, number)
	}
	for steps < *diffSteps && failures < *diffFailures {
		r := episode(number, names, logged, kinds)
		for _, q := range r.asked {
			io.WriteString(answers, q.call[0]+"\n"+q.ours+"\n")
		}
		if d != nil {
			found, err := r.compare(d)
			if err != nil {
				progress()
				t.Fatalf("%v: %v", r.play, err)
			}
			if found != nil {
				failures++
				report(t, d, r.play, found)
			}
		}
		steps += len(r.play.actions)
		if number++; number%25 == 0 {
			progress()
		}
	}
	progress()
	t.Logf("%d episodes; actions by origin: %v", number-*diffFirst, kinds)
}
