// Command heldout benchmarks an LLM agent on text environments. README.md says how to use it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	_ "heldout/cmd/heldout/ulimit" // ends a process that has too little
	"heldout/envs"
	"heldout/eval/bench"
	"heldout/eval/scale/checkpoints"
	"heldout/eval/serve/dial"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// The exit codes.
const (
	exitOK          = 0
	exitError       = 1   // something failed, or a difference was found
	exitUsage       = 2   // the command line or a configuration is wrong
	exitIncomplete  = 3   // the run ended, but some episodes have no result
	exitUnmet       = 4   // rates are not as demanded
	exitMachine     = 5   // the machine has too little space, rights or open files
	exitInterrupted = 130 // Ctrl-C; another signal N gives 128 + N, as a shell says
	exitPipe        = 141 // nobody reads standard output any more, as a shell says of SIGPIPE
)

func main() {
	build, _ := debug.ReadBuildInfo() // nil if the binary has none
	// A reader that closes the pipe must be an error of the write, not the end of
	// the process in the middle of a run.
	signal.Ignore(syscall.SIGPIPE)
	parent, _ := strconv.Atoi(os.Getenv(parentVariable)) // 0 without one
	_ = os.Unsetenv(parentVariable)                      // what this process starts has another parent
	columns, _ := size(os.Stdout)
	os.Exit(execute(stoppable(parent), os.Args[1:], &system{
		stdin:       os.Stdin,
		stdout:      os.Stdout,
		stderr:      os.Stderr,
		interactive: term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb",
		stderrSize:  func() (columns, rows int) { return size(os.Stderr) },
		columns:     columns,
		getenv:      os.Getenv,
		goos:        runtime.GOOS,
		proxy:       http.ProxyFromEnvironment,
		now:         time.Now,
		tool:        about(build),
	}))
}

// parentVariable has the id of the process that started this one, which ends as by Ctrl-C
// when that has ended. The Python package sets it.
const parentVariable = "HELDOUT_PARENT"

// system is what commands use from outside the process.
type system struct {
	ctx    context.Context // of the command
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer // written by the display alone
	// display is standard error, as commands see it.
	display *display
	// interactive: standard error is a terminal that understands escapes.
	interactive bool
	// columns is the width of standard output's terminal, 0 without one.
	columns int
	// stderrSize is the size of standard error's terminal now.
	stderrSize func() (columns, rows int)
	getenv     func(string) string
	goos       string // the operating system, as Go names it
	proxy      func(*http.Request) (*url.URL, error)
	now        func() time.Time
	tool       record.Tool
}

// size returns the size of a terminal, 0 by 0 if the file is none.
func size(f *os.File) (columns, rows int) {
	columns, rows, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return columns, rows
}

func (s *system) outside() envs.Outside { return s.bench().Envs() }

func (s *system) bench() bench.Outside {
	return bench.Outside{Context: s.ctx, Now: s.now, Getenv: s.getenv, Data: ownData(s), Pulled: pullFolder(s),
		Proxy: s.proxy, Dial: dial.New(s.proxy), Tool: s.tool, Warn: s.warn}
}

func (s *system) say(format string, args ...any) {
	s.display.note(fmt.Sprintf(format, args...))
}

// broken breaks lines at blanks where standard error's terminal would break them anywhere. Indented lines quote a file.
func (s *system) broken(text string) string {
	columns, _ := s.stderrSize()
	return brokenLines(text, columns, false)
}

// brokenLines breaks lines for a terminal of so many columns; 0 is none.
func brokenLines(text string, columns int, indented bool) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		content := strings.TrimLeft(line, " ")
		margin := line[:len(line)-len(content)]
		if columns > 2*len(margin+indentation) && (margin == "" || indented) {
			parts := table.Wrap(content, columns-len(margin+indentation))
			lines[i] = margin + strings.Join(parts, "\n"+margin+indentation)
		}
	}
	return strings.Join(lines, "\n")
}

// indentation is before the further lines of a text that is broken.
const indentation = "  "

// warn shows a line that must not be overlooked.
func (s *system) warn(line string) {
	s.display.note(s.style(s.interactive).alarming("warning:") + " " + printableLine(line))
}

// tell is where a search for runs says what a user should know.
func (s *system) tell() record.Tell {
	return record.Tell{Say: func(line string) { s.say("%s", line) }, Warn: s.warn}
}

// warnUncovered says which of the files and lines that a command read have no checksum.
func (s *system) warnUncovered(places []string) {
	if len(places) > 0 {
		s.warn(record.NotCovered(places))
	}
}

func execute(ctx context.Context, args []string, sys *system) int {
	sys.ctx = ctx
	sys.open()
	defer sys.display.end()
	if sys.columns > 0 && !sys.unicode() {
		sys.stdout = asciiWriter{sys.stdout}
	}
	out := &checkedWriter{w: sys.stdout, prepare: sys.display.flush}
	sys.stdout = out
	root := newRoot(sys)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		completeFlags(root, flagValues())
	}
	root.SetArgs(args)
	err := inTime(ctx, func() error { return root.ExecuteContext(ctx) })
	if ctx.Err() != nil {
		if err == nil || errors.Is(err, context.Canceled) { // it says nothing of its own
			err = context.Cause(ctx)
		}
		return sys.fail(err, stopCode(ctx))
	}
	if errors.Is(out.err, syscall.EPIPE) && (err == nil || errors.Is(err, syscall.EPIPE)) {
		return exitPipe
	}
	if out.err != nil {
		err = fmt.Errorf("writing to standard output: %w", out.err)
	}
	if err == nil {
		return exitOK
	}
	return sys.fail(err, codeOf(err))
}

// fail says why a command has failed, and returns its exit code.
func (s *system) fail(err error, code int) int {
	s.display.flush() // makes room for a text that must not be dropped
	s.say("heldout: %s", printableLines(err))
	return code
}

func (s *system) open() {
	var size func() (columns, rows int)
	if s.interactive {
		size = s.stderrSize
		if !s.unicode() {
			s.stderr = asciiWriter{s.stderr}
		}
	}
	s.display = newDisplay(s.stderr, size)
	if s.stderrSize != nil {
		s.display.broken = s.broken
	}
}

// checkedWriter remembers the first error, so that a command that does not look at it fails all the same.
type checkedWriter struct {
	w io.Writer
	// prepare is called before every write: both outputs may be one terminal.
	prepare func()
	err     error
}

func (c *checkedWriter) Write(b []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	c.prepare()
	n, err := c.w.Write(b)
	c.err = err
	return n, err
}

// codeOf returns the exit code of an error.
func codeOf(err error) int {
	var coded *codedError
	var config bench.ConfigError
	var incomplete *bench.IncompleteError
	var unplayed *checkpoints.UnplayedError
	switch {
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &config):
		return exitUsage
	case slices.ContainsFunc(machineErrors, func(kind error) bool { return errors.Is(err, kind) }):
		return exitMachine
	case errors.As(err, &incomplete), errors.As(err, &unplayed):
		return exitIncomplete
	}
	return exitError
}

// machineErrors are errors of the machine: nothing that a command is given is wrong.
var machineErrors = []error{fs.ErrPermission, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS,
	syscall.EMFILE, syscall.ENFILE, syscall.EIO}

type codedError struct {
	error
	code int
}

func (e *codedError) Unwrap() error { return e.error }

// usage marks an error as one of the command line or configuration.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &codedError{err, exitUsage}
}

// longestLine bounds a line of an error or a warning, in bytes: it may quote a file without line feeds.
const longestLine = 4000

// printableLines makes an error's text safe for a terminal, line by line: it may
// quote what a server or a file says.
func printableLines(err error) string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(err.Error(), "\n"), "\n") {
		out = append(out, printableLine(line))
	}
	return strings.Join(out, "\n")
}

// printableLine makes a line safe for a terminal, and shortens a long one.
func printableLine(line string) string {
	if n := len(line); n > longestLine {
		line = fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(line[:longestLine], ""), n)
	}
	return table.Printable(line)
}
