package catalog

import (
	"runtime"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// BenchmarkMemory measures what worlds hold: a thousand of ten tasks after their start and
// after ten steps each, and ten thousand forks of one of them, also after a step of each.
// The tasks are official, and actions are drawn from those that are possible at the start.
// Run it with -benchtime 1x.
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
