package record

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// worker names the environment variable that makes the test binary a process
// that works on the run directory it holds.
const worker = "RECORD_TEST_WORKER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(worker); dir != "" {
		if err := work(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// work adds episodes, some of them large, from several goroutines until the process is killed or its standard input
// ends, and prints the id of each that is on disk.
func work(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	fmt.Println("open")
	for g := range 4 {
		go func() {
			for i := 0; ; i++ {
				e := episode(fmt.Sprintf("%d-%d-%d", os.Getpid(), g, i))
				e.Goal = strings.Repeat("goal ", rand.IntN(60_000))
				if err := s.Append(e); err != nil {
					panic(err)
				}
				fmt.Println(e.ID)
			}
		}()
	}
	_, err = bufio.NewReader(os.Stdin).ReadString('\n')
	return err
}

// process is a worker of its own.
type process struct {
	*exec.Cmd
	lines *bufio.Scanner
}

// startWorker starts a worker and waits until it has the directory open, or has said why not.
func startWorker(t *testing.T, dir string) (p process, said string) {
	t.Helper()
	p.Cmd = exec.Command(os.Args[0])
	p.Env = append(os.Environ(), worker+"="+dir)
	out, err := p.StdoutPipe()
	if err == nil {
		_, err = p.StdinPipe() // kept open
	}
	if err == nil {
		err = p.Start()
	}
	sharedtest.OK(t, err)
	t.Cleanup(func() { p.Process.Kill() })
	p.lines = bufio.NewScanner(out)
	p.lines.Scan()
	return p, p.lines.Text()
}

func TestBusy(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := Open(dir); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), dir) {
		t.Errorf("opened twice in one process: %v", err)
	}
	if _, said := startWorker(t, dir); !strings.Contains(said, ErrBusy.Error()) {
		t.Errorf("another process says %q", said)
	}
	closed(t, s)
	closed(t, open(t, dir))
}

func TestBusyWithAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	p, said := startWorker(t, dir)
	if said != "open" {
		t.Fatal(said)
	}
	if _, err := Open(dir); !errors.Is(err, ErrBusy) {
		t.Errorf("error %v", err)
	}
	if _, err := readAll(dir); err != nil {
		t.Errorf("it cannot be read meanwhile: %v", err)
	}
	sharedtest.OK(t, p.Process.Kill())
	p.Wait()
	closed(t, open(t, dir)) // the lock died with its holder
}

// TestKilled kills workers at random moments, several on the same directory: every episode that was said to be on
// disk is there once, and the next worker goes on.
func TestKilled(t *testing.T) {
	kills := sharedtest.Times(t, 24, 4)
	var dir string
	var reported []string // of this directory
	all, torn := 0, 0
	for kill := range kills {
		if kill%4 == 0 {
			dir, reported = t.TempDir(), nil
		}
		before := len(reported)
		p, said := startWorker(t, dir)
		if said != "open" {
			t.Fatal(said)
		}
		for range 1 + rand.IntN(40) {
			if p.lines.Scan() {
				reported = append(reported, p.lines.Text())
			}
		}
		var reader sync.WaitGroup
		reader.Go(func() {
			for p.lines.Scan() {
				reported = append(reported, p.lines.Text())
			}
		})
		time.Sleep(time.Duration(rand.IntN(3_000)) * time.Microsecond) // any moment of a write
		sharedtest.OK(t, p.Process.Kill())
		reader.Wait()
		p.Wait()

		s := open(t, dir)
		if s.Recovered > 0 {
			torn++
		}
		seen := map[string]int{}
		for _, id := range idsOf(s.Attempts) {
			seen[id]++
			if seen[id] > 1 {
				t.Errorf("%s is there %d times", id, seen[id])
			}
		}
		for _, id := range reported {
			if seen[id] == 0 {
				t.Errorf("%s was said to be on disk", id)
			}
		}
		closed(t, s)
		all += len(reported) - before
	}
	t.Logf("%d episodes of %d processes, %d of which left a torn line", all, kills, torn)
	if all < kills {
		t.Error("a process was killed before it had written anything")
	}
}
