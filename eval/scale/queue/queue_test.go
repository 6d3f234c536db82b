package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/envs/sharedtest"
	"heldout/eval"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

func TestMain(m *testing.M) {
	sharedtest.Crowd("4")
	m.Run()
}

// receive waits for a value.
func receive[T any](ctx context.Context, t *testing.T, from <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-ctx.Done():
		t.Fatalf("waited for %s: %v", what, context.Cause(ctx))
	}
	return v
}

// line is an environment for tests: a task is won by the second step.
type line struct {
	tasks []envs.Task
	// steps counts the steps of all worlds; before is called before each.
	steps  atomic.Int64
	before func()
	// seen is what every step shows, beside its number.
	seen string
}

func newLine(n int) *line {
	e := &line{before: func() {}}
	for i := range n {
		e.tasks = append(e.tasks, envs.Task{ID: fmt.Sprintf("line/%d", i), Index: i, Type: "line",
			Difficulty: envs.Easy, Digest: fmt.Sprint(i)})
	}
	return e
}

func (e *line) Info() envs.Info {
	return envs.Info{Name: "line", Source: envs.Generated, StepLimit: 4}
}
func (e *line) Tasks() []envs.Task                     { return e.tasks }
func (e *line) NewWorld(envs.Task) (envs.World, error) { return &lineWorld{env: e}, nil }
func (e *line) plan(t *testing.T) *eval.Plan {
	t.Helper()
	p := sharedtest.Must(eval.NewPlan(&eval.Spec{
		Benchmarks: []episode.Benchmark{{Env: e, Tasks: e.tasks, StepLimit: 4}},
		Players:    []episode.Player{{Name: episode.Expert, Agent: episode.Expert}}, Seeds: []int64{0},
	}))(t)
	return p
}

type lineWorld struct {
	env *line
	at  int
}

func (w *lineWorld) Start(context.Context) (envs.Start, error) {
	return envs.Start{Goal: "walk", Observation: "0"}, nil
}

func (w *lineWorld) Step(ctx context.Context, _ string) (envs.Step, error) {
	w.env.steps.Add(1)
	w.env.before()
	w.at++
	return envs.Step{Observation: fmt.Sprint(w.at) + w.env.seen, Progress: float64(w.at) / 2, Done: w.at == 2,
		Success: w.at == 2, Valid: true}, ctx.Err()
}
func (w *lineWorld) Close() error                                 { return nil }
func (w *lineWorld) ExpertAction(context.Context) (string, error) { return "walk", nil }

// bench is a run with an embedded server.
type bench struct {
	t      *testing.T
	ctx    context.Context // it ends when the test waits for too long, or a worker is gone
	end    context.CancelCauseFunc
	plan   *eval.Plan
	dir    string
	server *server.Server
	store  string // the server's directory
	job    Job
	// leader and worker are how they reach the server; nil for in the process.
	leader, worker *Options
	// tell receives what the leader tells of workers; nil for the log.
	tell func(line string)
	// workers are those that work until the run is complete.
	workers sync.WaitGroup
}

func newBench(t *testing.T, plan *eval.Plan) *bench {
	b := &bench{t: t, plan: plan, dir: t.TempDir(), store: t.TempDir(),
		job: Job{Name: "test-1", Command: "run", Plan: plan.Hash(), Parts: plan.Hashes()}}
	b.ctx, b.end = context.WithCancelCause(sharedtest.Limited(t))
	b.server = sharedtest.Must(Serve(b.store, freeAddress(t), Security{}))(t)
	t.Cleanup(func() { Shut(b.server) })
	return b
}

// quick are options with waits as tests have them.
func quick(o Options) *Options {
	o.AckWait, o.waits = 5*time.Second, &waits{patience: 2 * time.Second, pause: 100 * time.Millisecond,
		fetch: 200 * time.Millisecond}
	return &o
}

// freeAddress returns an address at which nothing listens. Its port is none that the system
// gives to connections, which tests beside this one open all the time.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		at := fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(20000))
		if listens(at) == nil {
			return at
		}
	}
	t.Fatal("no address is free")
	return ""
}

func (b *bench) options(own *Options) Options {
	if own != nil {
		return *own
	}
	return *quick(Options{Embedded: b.server, Tell: func(line string) { b.t.Log(line) }})
}

// lead leads the run until it is complete or ctx is done.
func (b *bench) lead(ctx context.Context) error {
	session, err := eval.Begin(b.dir, b.plan, eval.About{}, time.Now)
	if err != nil {
		return err
	}
	finished := map[string]bool{}
	for _, r := range session.Store.Attempts {
		finished[r.ID] = r.Outcome.Final()
	}
	o := b.options(b.leader)
	if b.tell != nil {
		o.Tell = b.tell
	}
	leader, err := Lead(ctx, o, b.job,
		LeaderOptions{Dir: b.dir, Finished: finished, Servers: session.AddServers})
	if err != nil {
		return errors.Join(err, session.End())
	}
	bound, stop := leader.Bind(ctx)
	defer stop(nil)
	err = eval.Run(bound, b.plan, session.Store, eval.Options{Concurrency: 8, Now: time.Now, Elsewhere: leader})
	if bound.Err() != nil {
		err = context.Cause(bound)
	}
	return errors.Join(err, leader.Close(err == nil), session.End())
}

// work works until the run is complete or ctx is done.
func (b *bench) work(ctx context.Context) error {
	w, err := Join(ctx, b.options(b.worker), "")
	if err != nil {
		return err
	}
	defer w.Close()
	servers := map[string]record.ServerReport{"expert": {Software: "none"}}
	return w.Work(ctx, eval.NewWorker(b.plan, eval.Options{Now: time.Now}), servers, 2)
}

// leads leads the run in the background.
func (b *bench) leads(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() { done <- b.lead(ctx) }()
	return done
}

// stops waits for a leader that was stopped.
func (b *bench) stops(done <-chan error) {
	b.t.Helper()
	if err := receive(b.ctx, b.t, done, "the leader that was stopped"); !errors.Is(err, context.Canceled) {
		b.t.Errorf("stopped: %v", err)
	}
}

// completes leads the run until it is complete and the workers have ended.
func (b *bench) completes() {
	b.t.Helper()
	b.completed(b.leads(b.ctx))
}

// completed waits for a run to be complete and for the workers, which end with it. It checks the records.
func (b *bench) completed(done <-chan error) {
	b.t.Helper()
	sharedtest.OK(b.t, receive(b.ctx, b.t, done, "the run to be complete"))
	ended := make(chan struct{})
	go func() { b.workers.Wait(); close(ended) }()
	receive(b.ctx, b.t, ended, "the workers to end with the run")
	b.check()
}

// orders has a leader make so many orders and stop. It returns a connection.
func (b *bench) orders(n uint64) *connection {
	b.t.Helper()
	link := b.connect()
	ctx, stop := context.WithCancel(b.ctx)
	done := b.leads(ctx)
	b.await(link, workStream(b.job.Name), n)
	stop()
	b.stops(done)
	return link
}

// connect opens a connection.
func (b *bench) connect() *connection {
	b.t.Helper()
	link := sharedtest.Must(connect(b.ctx, b.options(nil)))(b.t)
	b.t.Cleanup(link.close)
	return link
}

// workUntilEnd starts work as soon as there is a run.
func (b *bench) workUntilEnd() {
	b.workers.Go(func() {
		for {
			err := b.work(b.ctx)
			if err == nil {
				return
			}
			if !errors.Is(err, errNoRun) && !errors.Is(err, errSilent) || b.ctx.Err() != nil {
				b.end(fmt.Errorf("a worker ended: %w", err))
				return
			}
		}
	})
}

// await waits until a stream has so many messages.
func (b *bench) await(link *connection, stream string, n uint64) {
	b.t.Helper()
	for b.ctx.Err() == nil {
		// There is no stream before the leader has made it.
		if s, err := link.js.Stream(b.ctx, stream); err == nil && s.CachedInfo().State.Msgs >= n {
			return
		}
	}
	b.t.Fatalf("waited for %d messages in %s: %v", n, stream, context.Cause(b.ctx))
}

// check checks that every episode has one record.
func (b *bench) check() {
	b.t.Helper()
	m, results, err := record.Read(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	var ids []string
	for _, r := range results {
		ids = append(ids, r.ID)
		if r.Outcome != record.Success || r.Attempt != 1 {
			b.t.Errorf("%s: %s, attempt %d: %s", r.Task, r.Outcome, r.Attempt, r.Error)
		}
	}
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n != len(b.plan.Episodes) || len(results) != n {
		b.t.Errorf("%d records of %d episodes, want one for each of %d", len(results), n, len(b.plan.Episodes))
	}
	if len(m.Servers["expert"]) != 1 {
		b.t.Errorf("the servers are %v, want those of the workers, once", m.Servers)
	}
}

func TestRunIsPlayedByWorkers(t *testing.T) {
	t.Parallel()
	b := newBench(t, newLine(40).plan(t))
	b.workUntilEnd()
	b.workUntilEnd()
	b.completes()
}

// A worker that stops gives its episodes back, and a leader that stops is
// continued, with the records that came meanwhile.
func TestLeaderAndWorkerAreReplaced(t *testing.T) {
	t.Parallel()
	env := newLine(40)
	b := newBench(t, env.plan(t))
	stopping, stop := context.WithCancel(b.ctx)
	env.before = func() {
		if env.steps.Load() == 30 {
			stop()
		}
	}
	b.workUntilEnd()
	b.workers.Go(func() {
		for stopping.Err() == nil {
			_ = b.work(stopping) // there may be no run yet
		}
	})
	b.stops(b.leads(stopping))
	b.completes()
}

// A record that cannot be used is an attempt without a result, not a result and not the end of the run.
func TestBadRecords(t *testing.T) {
	t.Parallel()
	plan := newLine(3).plan(t)
	b := newBench(t, plan)
	link := b.connect()
	done := b.leads(b.ctx)
	other := sharedtest.Must(eval.NewWorker(plan, eval.Options{Now: time.Now}).Play(b.ctx,
		eval.Order{First: plan.Episodes[0].ID, Attempt: 1}, nil))(t)
	foreign := sharedtest.Must(pack(other))(t)
	for i, data := range [][]byte{[]byte("no flate"), foreign[:len(foreign)/2], foreign} {
		id := plan.Episodes[(i+1)%3].ID
		if i == 2 {
			id = plan.Episodes[0].ID
			data = foreign
		}
		name := subject(b.job.Name, "results."+id+".1")
		// The leader may not have made the stream yet.
		sharedtest.OK(t, link.publish(b.ctx, resultsStream(b.job.Name), &nats.Msg{Subject: name, Data: data}))
	}
	sharedtest.OK(t, receive(b.ctx, t, done, "the run to be complete"))
	_, results, err := record.Read(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []string
	for _, r := range results {
		outcomes = append(outcomes, fmt.Sprint(r.TaskIndex, r.Outcome))
	}
	slices.Sort(outcomes)
	sharedtest.Same(t, outcomes, []string{"0success", "1env_error", "2env_error"}, "got")
}

// What workers play while there is no leader is not played again.
func TestRecordsWaitForTheNextLeader(t *testing.T) {
	t.Parallel()
	env := newLine(20)
	b := newBench(t, env.plan(t))
	link := b.orders(8) // as many as are ordered at a time
	b.workUntilEnd()
	b.await(link, resultsStream(b.job.Name), 9) // and what the servers report
	b.completes()
	sharedtest.Equal(t, env.steps.Load(), 40, "steps were played")
}

// Messages of strangers end no worker: they are set aside, and the run is whole.
func TestStrays(t *testing.T) {
	t.Parallel()
	plan := newLine(5).plan(t)
	b := newBench(t, plan)
	var told []string
	b.tell = func(line string) { told = append(told, line) }
	link := b.orders(5)
	long := strings.Repeat("x", 2*maxStray)
	strays := []*nats.Msg{
		{Subject: "work.x", Data: []byte("garbage")}, {Subject: "work.y", Data: []byte(long)},
		{Subject: "work.z", Data: []byte("{}")},
		{Subject: "work.z.1", Data: []byte(`{"first":"` + plan.Episodes[0].ID + `","trial":7,"attempt":1}`)},
		{Subject: "results.x", Data: []byte("garbage")},
		{Subject: "results.x.1", Header: nats.Header{partHeader: {"7"}}},
	}
	for _, m := range strays {
		stream := workStream(b.job.Name)
		if strings.HasPrefix(m.Subject, "results") {
			stream = resultsStream(b.job.Name)
		}
		m.Subject = subject(b.job.Name, m.Subject)
		sharedtest.OK(t, link.publish(b.ctx, stream, m))
	}
	b.workUntilEnd()
	b.await(link, resultsStream(b.job.Name), 12) // and what the servers report
	b.completes()
	content := sharedtest.Must(os.ReadFile(filepath.Join(b.dir, straysFile)))(t)
	for _, want := range []string{`"subject":"heldout.test-1.work.x","error":"the order cannot be read: `,
		`"data":"garbage"}`, "the plan has no episode", "has no trial 7", "no attempt at an episode",
		"part \\\"7\\\" of a record"} {
		if !strings.Contains(string(content), want) {
			t.Errorf("the strays are\n%s\nwithout %s", content, want)
		}
	}
	if n := bytes.Count(content, []byte("\n")); n != len(strays) || len(content) > 2*maxStray {
		t.Errorf("%d strays are kept in %d bytes, want %d", n, len(content), len(strays))
	}
	if len(told) != 2 || !strings.Contains(told[0], "is not of this run") ||
		!strings.Contains(told[1], "6 messages in the queue were not of this run") {
		t.Errorf("told %q", told)
	}
}

// Workers may be started before the leader.
func TestWorkersWaitForTheRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, newLine(20).plan(t))
	workers := tellsOf(b.ctx, t)
	b.worker = quick(Options{Embedded: b.server, FirstWait: time.Hour, Tell: workers.tell})
	for range 3 {
		b.workers.Go(func() {
			if err := b.work(b.ctx); err != nil {
				t.Error(err)
			}
		})
	}
	for range 3 {
		workers.await("no run waits for workers there; waiting for one for 1h0m0s")
	}
	b.completes()
	waits, stop := context.WithCancel(b.ctx)
	b.worker.Tell = func(string) { stop() }
	if err := b.work(waits); !errors.Is(err, context.Canceled) {
		t.Errorf("a worker that waits is stopped: %v", err)
	}
}

func TestOtherPlanAndVersion(t *testing.T) {
	own, other := newLine(3).plan(t), newLine(4).plan(t)
	j := Job{Name: "n", Tool: record.Tool{Version: "1"}, Plan: own.Hash(), Parts: own.Hashes()}
	sharedtest.OK(t, errors.Join(j.SamePlan(own), j.SameTool(record.Tool{Version: "1", Go: "any"})))
	sharedtest.Fails(t, j.SamePlan(other), "line differs", "another plan")
	sharedtest.Fails(t, j.SameTool(record.Tool{Version: "2"}), "heldout 1, and this is heldout 2", "another version")
}

// Files that the run's flags name must be the same.
func TestSameFiles(t *testing.T) {
	j := Job{Files: []FlagFile{{"prompt", "a.yaml", datafile.Hash("a")}, {"preset", "b.yaml", datafile.Hash("b")},
		{"perturb", "c.yaml", datafile.Hash("c")}}}
	here := map[string]string{"a.yaml": "a", "b.yaml": "other"}
	err := j.SameFiles(func(path string) ([]byte, error) {
		content, ok := here[path]
		if !ok {
			return nil, errors.New("no such file")
		}
		return []byte(content), nil
	})
	if err == nil || strings.Contains(err.Error(), "a.yaml") ||
		!strings.Contains(err.Error(), `--preset "b.yaml" is another file here`) ||
		!strings.Contains(err.Error(), `--perturb "c.yaml" of the run is not here: no such file`) {
		t.Error(err)
	}
}

func TestCheckAddress(t *testing.T) {
	for _, good := range []string{"nats://h:4222", "tls://h", "nats://a:1,nats://b:2", "nats://a:1, tls://b",
		"ws://h:80", "wss://a,ws://b"} {
		sharedtest.OK(t, CheckAddress(good))
	}
	for _, bad := range []string{"", "h:4222", "http://h", "nats://", "nats://h/x", "nats://h?x=sesame",
		"nats://u:sesame@h", "nats://a,nats://sesame@b", "nats://h:99 sesame@x", "nats://h,ws://h", "ws://h,nats://h",
		"ws://u:sesame@h", "wss://h/path"} {
		if err := CheckAddress(bad); err == nil || strings.Contains(err.Error(), "u:sesame") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// FuzzUnpack checks that bytes from a worker never panic.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0x4b, 0x04, 0x00})
	f.Fuzz(func(_ *testing.T, data []byte) {
		if rec, err := unpack(data); err == nil {
			_, _ = pack(rec)
		}
	})
}
