//go:build unix

package main

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"heldout/envs/sharedtest"
)

// exitCode returns the exit code of a command that was waited for, -1 if a signal ended it.
func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit == nil {
		return 0
	}
	return exit.ExitCode()
}

// A terminal that goes away ends a run as Ctrl-C does; under nohup it goes on.
func TestHangup(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	var starts starter
	server := httptest.NewServer(&fakeServer{context: 16384, onChat: starts.onChat})
	defer server.Close()
	hangUp := func() (code int, stderr string) {
		var text strings.Builder
		moment := starts.after(40)
		cmd := fakeRun(server.URL, filepath.Join(t.TempDir(), "run"))
		cmd.Stderr = &text
		sharedtest.OK(t, cmd.Start())
		<-moment
		sharedtest.OK(t, cmd.Process.Signal(syscall.SIGHUP))
		return exitCode(t, cmd.Wait()), text.String()
	}
	// A signal that this process handles has its default effect in children, also
	// if the tests themselves run under nohup.
	handled := make(chan os.Signal, 1)
	signal.Notify(handled, syscall.SIGHUP)
	defer signal.Stop(handled)
	if code, stderr := hangUp(); code != 128+int(syscall.SIGHUP) ||
		!strings.Contains(stderr, "the same command continues") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	signal.Ignore(syscall.SIGHUP) // children inherit it
	defer signal.Reset(syscall.SIGHUP)
	if code, stderr := hangUp(); code != exitOK {
		t.Errorf("with hangups ignored: exit code %d: %s", code, stderr)
	}
}

// Output that cannot be written is a failure, not a wrong command line, and does not end a run before its time. A
// reader that has read enough is none: nothing is said, as git does.
func TestOutputFails(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	base := []string{"run", "--env", "pddl", "--tasks", "0", "--model", "expert", "--out", dir}
	if out, err := exec.Command("heldout", base...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, args := range map[string][]string{
		"compare": {"compare", dir}, "json": {"compare", dir, "--format", "json"}, "run": base, "envs": {"envs"},
		"tasks": {"tasks", "pddl"}, "version": {"version"}, "help": {"run", "--help"},
		"dry run": append(base, "--dry-run"),
	} {
		t.Run(name, func(t *testing.T) {
			reader, writer, err := os.Pipe()
			sharedtest.OK(t, err)
			reader.Close()
			defer writer.Close()
			outs := map[string]*os.File{"closed pipe": writer}
			if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
				defer full.Close()
				outs["full disk"] = full
			}
			for what, out := range outs {
				cmd := exec.Command("heldout", args...)
				var stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = out, &stderr
				want, says := exitMachine, true
				if what == "closed pipe" {
					want, says = exitPipe, false
				}
				if code := exitCode(t, cmd.Run()); code != want || strings.Contains(stderr.String(),
					"heldout: writing to standard output: ") != says ||
					strings.Contains(stderr.String(), "heldout: ") != says {
					t.Errorf("%s: exit code %d: %s", what, code, &stderr)
				}
			}
		})
	}
}

// The files of a run have the permissions that the umask leaves.
func TestUmask(t *testing.T) {
	for mask, want := range map[string]os.FileMode{"077": 0o600, "002": 0o664} {
		dir := filepath.Join(t.TempDir(), "run")
		command := "umask " + mask + " && exec heldout run --env pddl --tasks 0 --model expert --out " + dir
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		files := sharedtest.Must(os.ReadDir(dir))(t)
		for _, f := range files {
			sharedtest.Equal(t, sharedtest.Must(f.Info())(t).Mode().Perm(), want, "umask", mask, f.Name(), "has")
		}
		sharedtest.Equal(t, len(files), 3, "there are", files)
	}
}
