//go:build unix

package catalog

import (
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// BenchmarkCost measures what worlds of official tasks cost: to start one whose task is
// loaded (start), a step (step), a step with the list of what is possible as text (list),
// and a fork that makes one (fork). Actions are drawn from the lists, 20 for each of
// ten tasks. cpu-us/op is time of the processor, with the collection of garbage.
func BenchmarkCost(b *testing.B) {
	for _, entry := range Entries() {
		b.Run(entry.Name, func(b *testing.B) { costsOf(b, entry.Name) })
	}
}

func costsOf(b *testing.B, name string) {
	setup := envs.Setup{Data: sharedtest.AgentBoard(b)}
	if name == "hotpotqa" { // whose official questions need Wikipedia
		setup.Data = ""
	}
	e := sharedtest.Must(Open(name, setup, envs.Outside{}))(b)
	slow := name == "jericho" // whose lists BenchmarkHelp measures
	var walks []walk
	for i := range 10 {
		walks = append(walks, draw(b, e, e.Tasks()[i*len(e.Tasks())/10], slow))
	}
	sharedtest.Cost(b, "start", func(n int) { _ = started(b, e, walks[n%len(walks)].task).Close() })
	sharedtest.Cost(b, "step", player(b, e, walks, func(walker) {}))
	if !slow {
		sharedtest.Cost(b, "list", player(b, e, walks, func(w walker) { w.list() }))
	}
	w := started(b, e, walks[0].task)
	sharedtest.Cost(b, "fork", func(int) {
		f := w.fork()
		f.step(walks[0].actions[0])
		_ = f.Close()
	})
}

// walk is a task with actions that were drawn from the lists.
type walk struct {
	task    envs.Task
	actions []string
}

// draw draws from a new list for each step or, if lists are slow, from the first.
func draw(b *testing.B, e envs.Env, task envs.Task, slow bool) walk {
	w, out := started(b, e, task), walk{task: task}
	random := stream.New(1, "cost", task.ID)
	actions := w.list()
	for range 20 {
		out.actions = append(out.actions, actions[random.IntN(len(actions))])
		if w.step(out.actions[len(out.actions)-1]).Done {
			break
		}
		if !slow {
			actions = w.list()
		}
	}
	_ = w.Close()
	return out
}

// player returns what makes the next step of the walks. The starts of walks are part of the
// cost: a twentieth each.
func player(b *testing.B, e envs.Env, walks []walk, after func(walker)) func(int) {
	var w walker
	at, step := 0, 0
	return func(int) {
		if step == 0 {
			w = started(b, e, walks[at].task)
		}
		w.step(walks[at].actions[step])
		after(w)
		if step++; step == len(walks[at].actions) {
			_ = w.Close()
			at, step = (at+1)%len(walks), 0
		}
	}
}
