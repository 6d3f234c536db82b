//go:build unix

package catalog

import (
	"runtime"
	"testing"
	"time"

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

// player returns what makes the next step of the walks. The starts of walks are part of the cost: a twentieth each.
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

// BenchmarkMemory measures what worlds hold: a thousand of ten tasks after their start and after ten steps each,
// and ten thousand forks of one of them, also after a step of each. The tasks are official, and actions are drawn
// from those that are possible at the start. Run it with -benchtime 1x.
func BenchmarkMemory(b *testing.B) {
	for _, entry := range Entries() {
		b.Run(entry.Name, func(b *testing.B) {
			for b.Loop() {
				measureMemory(b, entry.Name)
			}
		})
	}
}

func measureMemory(b *testing.B, name string) {
	const worlds, forks, few = 1000, 10_000, 10
	setup := envs.Setup{Data: sharedtest.AgentBoard(b)}
	if name == "hotpotqa" { // whose official questions need Wikipedia
		setup.Data = ""
	}
	e := sharedtest.Must(Open(name, setup, envs.Outside{}))(b)
	tasks := e.Tasks()
	start := func(task envs.Task) walker { return started(b, e, task) }
	random := stream.New(1, "memory", name)
	lists := map[string][]string{}
	move := func(w walker) {
		actions := lists[w.task.ID]
		w.step(actions[random.IntN(len(actions))])
	}
	for i := range 3 * few { // what all worlds share is there before
		w := start(tasks[i%min(len(tasks), few)])
		lists[w.task.ID] = w.list()
		for range 10 {
			move(w)
		}
		_ = w.Close()
	}
	before := heap()
	var all []walker
	for i := range worlds {
		all = append(all, start(tasks[i%min(len(tasks), few)]))
	}
	b.ReportMetric(float64(heap()-before)/worlds, "B/start")
	for _, w := range all {
		for range 10 {
			move(w)
		}
	}
	b.ReportMetric(float64(heap()-before)/worlds, "B/world")
	before = heap()
	began := time.Now()
	var copies []walker
	for range forks {
		copies = append(copies, all[0].fork())
	}
	b.ReportMetric(time.Since(began).Seconds(), "s/10000-forks")
	b.ReportMetric(float64(heap()-before)/forks, "B/fork")
	for _, w := range copies {
		move(w)
	}
	b.ReportMetric(float64(heap()-before)/forks, "B/stepped-fork")
	runtime.KeepAlive(all)
	runtime.KeepAlive(copies)
}

// heap returns the bytes of live objects.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what pools keep for one collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
