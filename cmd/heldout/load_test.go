//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// The load of BenchmarkLoad: every episode has loadSteps steps, and every reply takes loadLatency.
const (
	loadSteps   = 30
	loadLatency = 200 * time.Millisecond
	// loadWaves is the number of episodes that each place in flight plays.
	loadWaves = 5
)

// BenchmarkLoad compares heldout run with a bare client that sends the same bodies to the same server: 64, 256 and
// 1,024 in flight. Runner, client and server are processes of their own, and runner and client take turns. One
// operation is one turn of both; the metrics are the least of all turns:
//
//	wall/ideal  wall time of the runner, divided by the wall time of one that costs nothing
//	wall/bare   divided by the bare client's wall time
//	cpu/bare    processor time, divided by the bare client's
//	us/call     processor time per call, also the bare client's
//	MiB         largest resident set of the runner, looked up ten times per second
//	MiB-limit   100 MB and 64 kB per episode in flight
//
// Where server, clients and runner keep all cores busy, a collection of garbage takes so long that what is allocated
// meanwhile counts as used: with 1,024 in flight on two cores, the set was 520 MiB when 67 MiB were in use.
//
// Command: go test ./cmd/heldout -run '^$' -bench BenchmarkLoad -benchtime 3x -timeout 30m
func BenchmarkLoad(b *testing.B) {
	b.Setenv("GOGC", "") // programs collect garbage as they do for users
	bodies := recordBodies(b)
	address := startLoadServer(b)
	for _, slots := range []int{64, 256, 1024} {
		b.Run(strconv.Itoa(slots), func(b *testing.B) {
			seeds := slots * loadWaves / loadTasks
			calls := float64(seeds * loadTasks * loadSteps)
			var bare, own spent
			for b.Loop() {
				bare.least(measure(b, exec.Command("bareclient", address, bodies, fmt.Sprint(slots),
					fmt.Sprint(calls))))
				own.least(measure(b, loadRun(address, filepath.Join(b.TempDir(), fmt.Sprint(b.N)), seeds, slots)))
			}
			ideal := calls / float64(slots) * loadLatency.Seconds()
			b.ReportMetric(own.wall/ideal, "wall/ideal")
			b.ReportMetric(own.wall/bare.wall, "wall/bare")
			b.ReportMetric(own.cpu/bare.cpu, "cpu/bare")
			b.ReportMetric(own.cpu/calls*1e6, "us/call")
			b.ReportMetric(bare.cpu/calls*1e6, "bare-us/call")
			b.ReportMetric(own.memory, "MiB")
			b.ReportMetric((100e6+64e3*float64(slots))/(1<<20), "MiB-limit")
		})
	}
}

// BenchmarkServers plays runs of 600 and 1,500 episodes on four servers, each with 16 slots and half as fast as the
// one before, with half as many more episodes in flight than slots; in the longer run all are twice as fast. In a
// third run, of 600 episodes, a server is killed every 20 seconds and started again after 5; it must print the same
// table as the first. The metrics:
//
//	throughput  calls per second, by the sum of what the servers can do
//	steady      the same without the first and the last quarter of the episodes
//	moves       servers per episode beyond the first, by the episodes
//	kills       how often a server was killed
//
// Command: go test ./cmd/heldout -run '^$' -bench BenchmarkServers/600 -benchtime 1x -timeout 30m
func BenchmarkServers(b *testing.B) {
	b.Setenv("GOGC", "")
	var whole []byte // table of 600 episodes
	b.Run("600", func(b *testing.B) {
		r := startRack(b, loadLatency)
		whole = r.play(b, 600)
	})
	b.Run("1500", func(b *testing.B) {
		r := startRack(b, loadLatency/2)
		r.play(b, 1500)
	})
	b.Run("killed", func(b *testing.B) {
		r := startRack(b, loadLatency)
		over, kills := make(chan struct{}), 0
		var killing sync.WaitGroup
		killing.Go(func() { kills = r.kill(b, over) })
		table := r.play(b, 600)
		close(over)
		killing.Wait()
		if whole != nil && !bytes.Equal(table, whole) {
			b.Errorf("the tables differ:\n%s\nwant\n%s", table, whole)
		}
		b.ReportMetric(float64(kills), "kills")
	})
}

// rack is the servers of BenchmarkServers.
type rack struct {
	addresses []string
	latencies []time.Duration
	stops     []func()
}

// rackSlots is how many calls a server of a rack answers at a time.
const rackSlots = 16

// startRack starts four servers, the first with that latency.
func startRack(b *testing.B, fastest time.Duration) *rack {
	r := &rack{latencies: []time.Duration{fastest, 2 * fastest, 4 * fastest, 8 * fastest}}
	for _, latency := range r.latencies {
		address, stop := loadServerAt(b, "127.0.0.1:0", latency, rackSlots)
		r.addresses, r.stops = append(r.addresses, address), append(r.stops, stop)
	}
	b.Cleanup(func() {
		for _, stop := range r.stops {
			stop()
		}
	})
	return r
}

// kill kills the servers in turn until over is closed, and counts how often.
func (r *rack) kill(b *testing.B, over <-chan struct{}) int {
	for kills := 0; ; kills++ {
		select {
		case <-over:
			return kills
		case <-time.After(20 * time.Second):
		}
		i := kills % len(r.stops)
		r.stops[i]()
		time.Sleep(5 * time.Second) // this is how long it is away
		_, r.stops[i] = loadServerAt(b, strings.TrimPrefix(r.addresses[i], "http://"), r.latencies[i], rackSlots)
	}
}

// play plays so many episodes, checks that each has one record, reports the metrics, and returns the table.
func (r *rack) play(b *testing.B, episodes int) (table []byte) {
	dir := filepath.Join(b.TempDir(), "run")
	cmd := loadRun(r.addresses[0], dir, episodes/loadTasks, rackSlots*len(r.addresses)*3/2)
	for _, address := range r.addresses[1:] {
		cmd.Args = append(cmd.Args, "--base-url", address+"/v1")
	}
	sum := 0.0
	for _, latency := range r.latencies {
		sum += rackSlots / latency.Seconds()
	}
	start := time.Now()
	table, err := cmd.Output()
	took := time.Since(start).Seconds()
	sharedtest.OK(b, err)
	_, results, err := record.Read(dir)
	sharedtest.OK(b, err)
	ids, calls, moves := map[string]bool{}, 0, 0
	for _, r := range results {
		ids[r.ID] = true
		calls += r.Calls
		moves += len(r.Servers) - 1
	}
	if len(results) != episodes || len(ids) != episodes {
		b.Errorf("%d records of %d episodes", len(results), len(ids))
	}
	b.ReportMetric(float64(calls)/took/sum, "throughput")
	b.ReportMetric(steady(results)/sum, "steady")
	b.ReportMetric(float64(moves)/float64(episodes), "moves")
	return table
}

// steady returns the calls per second of a run without the first and the last quarter of its episodes.
func steady(results []record.Result) float64 {
	slices.SortFunc(results, func(a, b record.Result) int { return a.Ended.Compare(b.Ended) })
	from, to := len(results)/4, len(results)*3/4
	calls := 0
	for _, r := range results[from:to] {
		calls += r.Calls
	}
	return float64(calls) / results[to].Ended.Sub(results[from].Ended).Seconds()
}

// loadTasks is the number of tasks of the load; seeds make more episodes of them.
const loadTasks = 20

// loadRun is a run of the load.
func loadRun(address, dir string, seeds, slots int) *exec.Cmd {
	return exec.Command("heldout", "run", "--env", "pddl", "--tasks", "gripper", "--model", "vllm:fake", "--base-url",
		address+"/v1",
		"--seeds", fmt.Sprint(seeds), "--temperature", "1", "--step-limit", fmt.Sprint(loadSteps), "--concurrency",
		fmt.Sprint(slots), "--out", dir, "--quiet")
}

// spent is what a process used: seconds of wall and processor time, and MiB.
type spent struct{ wall, cpu, memory float64 }

// least keeps the least of each.
func (c *spent) least(other spent) {
	if *c == (spent{}) {
		*c = other
	}
	c.wall, c.cpu, c.memory = min(c.wall, other.wall), min(c.cpu, other.cpu), min(c.memory, other.memory)
}

// measure runs a command and returns what it used.
func measure(b *testing.B, cmd *exec.Cmd) spent {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	sharedtest.OK(b, cmd.Start())
	var c spent
	over := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		for {
			c.memory = max(c.memory, residentPeak(cmd.Process.Pid))
			select {
			case <-over:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	err := cmd.Wait()
	c.wall = time.Since(start).Seconds()
	close(over)
	looking.Wait()
	if err != nil {
		b.Fatalf("%v: %s", err, out.Bytes())
	}
	c.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return c
}

// residentPeak returns the largest resident set of a process so far, in MiB; 0 if it
// cannot be told. What the system reports at the end of a process is of no use: on
// Linux it is at least the resident set of the process that started it.
func residentPeak(pid int) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kib float64
	if _, err := fmt.Sscan(string(after), &kib); err != nil {
		return 0
	}
	return kib / 1024
}

// recordBodies writes the bodies of the calls of some episodes to a file, one per line.
func recordBodies(b *testing.B) (file string) {
	var mu sync.Mutex
	var bodies []byte
	server := httptest.NewServer(&loadServer{keep: func(body []byte) {
		mu.Lock()
		defer mu.Unlock()
		bodies = append(append(bodies, body...), '\n')
	}})
	defer server.Close()
	dir := b.TempDir()
	measure(b, loadRun(server.URL, filepath.Join(dir, "run"), 3, 8))
	_, results, err := record.Read(filepath.Join(dir, "run"))
	if n := bytes.Count(bodies, []byte("\n")); err != nil || n != len(results)*loadSteps {
		b.Fatalf("%d calls in %d episodes, want %d each; %v", n, len(results), loadSteps, err)
	}
	file = filepath.Join(dir, "bodies")
	sharedtest.OK(b, os.WriteFile(file, bodies, 0o600))
	return file
}

// startLoadServer starts a server of the load in a process of its own.
func startLoadServer(b *testing.B) (address string) {
	address, stop := loadServerAt(b, "127.0.0.1:0", loadLatency, 1<<20)
	b.Cleanup(stop)
	return address
}

// loadServerAt starts a server that answers so many calls at a time.
func loadServerAt(b *testing.B, listen string, latency time.Duration, slots int) (address string, stop func()) {
	cmd := exec.Command("loadserver", listen, latency.String(), fmt.Sprint(slots))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	sharedtest.OK(b, err)
	line := make([]byte, 100)
	n := sharedtest.Must(out.Read(line))(b)
	return strings.TrimSpace(string(line[:n])), func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// loadServer is a model server that costs little: it does not read what it is asked. No game is won by its actions.
type loadServer struct {
	latency time.Duration
	// slots takes as many values as calls are answered at a time; nil for any number.
	slots chan struct{}
	// keep receives the bodies of all calls; nil for none.
	keep func(body []byte)
}

// loadActions are what the model says. It never drops a ball.
var loadActions = []string{
	"Move from rooma to roomb.", "Move from roomb to rooma.", "Pick up ball1 at rooma with arm left.",
	"Pick up ball2 at roomb with arm right.", "Pick up ball3 at rooma with arm right.", "check valid actions",
}

// ServeHTTP implements http.Handler.
func (s *loadServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	if _, err := body.ReadFrom(r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"owned_by":"vllm","max_model_len":131072}]}`, fakeModel)
	case !strings.HasSuffix(r.URL.Path, "/chat/completions"):
		http.NotFound(w, r)
	default:
		if s.keep != nil {
			s.keep(body.Bytes())
		}
		if s.slots != nil {
			s.slots <- struct{}{}
		}
		time.Sleep(s.latency) // this is what is simulated, not a way to wait for something
		if s.slots != nil {
			<-s.slots
		}
		sum := crc32.ChecksumIEEE(body.Bytes())
		fmt.Fprintf(w,
			`{"id":"chatcmpl-%08x","object":"chat.completion","created":1700000000,"model":"fake","choices":[{"index":0,"message":{"role":"assistant","content":"Thought: The sum is %x, so I should go on with what has to be done next.\nAction: %s"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"total_tokens":%d,"completion_tokens":24}}`,
			sum, sum, loadActions[sum%uint32(len(loadActions))], body.Len()/4, body.Len()/4+24)
	}
}

// serveLoad is a program: loadserver ADDRESS LATENCY SLOTS serves the load until it
// is killed, and prints its address.
func serveLoad() {
	listener, err := net.Listen("tcp", os.Args[1])
	latency, err2 := time.ParseDuration(os.Args[2])
	slots, err3 := strconv.Atoi(os.Args[3])
	if err := errors.Join(err, err2, err3); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("http://" + listener.Addr().String())
	_ = http.Serve(listener, &loadServer{latency: latency, slots: make(chan struct{}, slots)}) // until it is killed
}

// bareClient is a program: bareclient ADDRESS FILE SLOTS CALLS posts the lines of a file, so many at a time, and
// decodes the replies. It is the least that a Go program can do.
func bareClient() {
	if err := postAll(os.Args[1]+"/v1/chat/completions", os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func postAll(url, file, inFlight, total string) error {
	content, err := os.ReadFile(file)
	slots, err2 := strconv.Atoi(inFlight)
	calls, err3 := strconv.ParseInt(total, 10, 64)
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	bodies := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: slots}}
	var next atomic.Int64
	var group errgroup.Group
	for range slots {
		group.Go(func() error {
			for n := next.Add(1); n <= calls; n = next.Add(1) {
				if err := post(client, url, bodies[int(n)%len(bodies)]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// post makes one call.
func post(client *http.Client, url string, body []byte) error {
	resp, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var reply struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal(text, &reply); err != nil || len(reply.Choices) == 0 {
		return fmt.Errorf("status %d, %w: %.100s", resp.StatusCode, err, text)
	}
	return nil
}
