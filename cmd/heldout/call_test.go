package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// call is a command of the scripts: call heldout ARGUMENTS runs the command line within the process of the tests,
// which saves the start of one. A script uses exec where the command needs a process of its own: with standard
// input, beside others, with a proxy, or because it waits, and calls of other scripts would wait with it.
func call(ts *testscript.TestScript, neg bool, args []string) {
	if code := exitOf(ts, args); (code != exitOK) != neg {
		ts.Fatalf("the exit code is %d", code)
	}
}

// exits is a command of the scripts: exits CODE PROGRAM ARGUMENTS is a call that has to
// end with an exit code; with exec before the program, it is always a process.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if code := exitOf(ts, args[1:]); strconv.Itoa(code) != args[0] {
		ts.Fatalf("the exit code is %d, want %s", code, args[0])
	}
}

// exitOf runs a program and returns its exit code.
func exitOf(ts *testscript.TestScript, args []string) int {
	if args[0] == "heldout" {
		return within(ts, args[1:])
	}
	if args[0] == "exec" {
		args = args[1:]
	}
	var failed *exec.ExitError
	err := ts.Exec(args[0], args[1:]...)
	switch {
	case errors.As(err, &failed):
		return failed.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	return exitOK
}

// working is held while the process is in the folder of a script.
var working sync.Mutex

// within runs heldout as a command of the process of the tests.
func within(ts *testscript.TestScript, args []string) int {
	working.Lock()
	defer working.Unlock()
	back, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(back)) }()
	build, _ := debug.ReadBuildInfo()
	return execute(context.Background(), args, &system{
		stdin:  strings.NewReader(""),
		stdout: ts.Stdout(),
		stderr: ts.Stderr(),
		getenv: ts.Getenv,
		goos:   runtime.GOOS,
		proxy:  http.ProxyURL(nil),
		now:    time.Now,
		tool:   about(build),
	})
}
