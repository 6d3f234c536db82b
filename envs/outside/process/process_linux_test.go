package process_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"heldout/envs/outside/process"
	"heldout/envs/sharedtest"
)

// role is set in a process of this test that is not the test itself; mark is in the variables of all of them.
const role, mark = "HELDOUT_TEST_ROLE", "HELDOUT_TEST_OWNER"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "owner": // which starts a command as heldout does, and is killed
		if _, err := process.Start(command(), process.Streams{Out: os.Stdout}); err != nil {
			panic(err)
		}
		time.Sleep(time.Hour)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fallthrough
	case "stray":
		_, _ = syscall.Setsid() // it leads no group
		fmt.Println("away")
		time.Sleep(time.Hour)
	default:
		os.Exit(m.Run())
	}
}

// command starts processes that leave its group, of which one ignores SIGTERM, and one has lost its parent.
func command() string {
	self := func(as string) string { return fmt.Sprintf("%s=%s '%s' &", role, as, os.Args[0]) }
	return self("stray") + self("stubborn") + "(" + self("stray") + "); sleep 1000 & wait"
}

// left lists the processes with a mark.
func left(value string) (found []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte(mark+"="+value+"\x00")) {
			found = append(found, filepath.Dir(file))
		}
	}
	return found
}

// awaited reads until three processes have said that they are away.
func awaited(t *testing.T, out *os.File) {
	t.Helper()
	var said []byte
	for strings.Count(string(said), "away") < 3 {
		part := make([]byte, 100)
		said = append(said, part[:sharedtest.Must(out.Read(part))(t)]...)
	}
}

// What a command starts ends with it, also in sessions of its own.
func TestStop(t *testing.T) {
	value := fmt.Sprint("stop-", os.Getpid())
	t.Setenv(mark, value)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := sharedtest.Must(process.Start(command(), process.Streams{Out: w}))(t)
	_ = w.Close()
	awaited(t, r)
	if n := len(left(value)); n < 4 {
		t.Fatalf("%d processes", n)
	}
	p.Stop(100 * time.Millisecond)
	for range 3000 { // what was killed may take a moment
		if len(left(value)) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%q are left", left(value))
}

// They end also when heldout is killed, and nobody else does.
func TestKilled(t *testing.T) {
	value, other := fmt.Sprint("killed-", os.Getpid()), fmt.Sprint("other-", os.Getpid())
	bystander := exec.Command("sleep", "1000")
	bystander.Env = append(bystander.Environ(), mark+"="+other)
	sharedtest.OK(t, bystander.Start())
	defer func() {
		_ = bystander.Process.Kill()
		_ = bystander.Wait()
	}()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	owner := exec.Command(os.Args[0])
	owner.Stdout, owner.Env = w, append(owner.Environ(), role+"=owner", mark+"="+value, sharedtest.HastyPath(t))
	sharedtest.OK(t, owner.Start())
	_ = w.Close()
	awaited(t, r)
	_ = owner.Process.Kill()
	_ = owner.Wait()
	for range 1200 { // one ignores SIGTERM, which is given 10 hasty seconds
		if len(left(value)) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if found := left(value); len(found) > 0 || len(left(other)) != 1 {
		t.Errorf("%q are left, and %q of another", found, left(other))
	}
}
