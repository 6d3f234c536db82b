// Package logging has runs logged to wandb and MLflow while they are played. A process of the
// Python package does it: it follows the run directory, fails alone, and ends with heldout.
package logging

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Options say what a logger logs to.
type Options struct {
	// Python is the interpreter, Binary the program that it asks for numbers.
	Python, Binary string
	Place          string // the tracker with what it needs, such as wandb:PROJECT
	// Warn is told what failed, Say what a user may want to do.
	Warn, Say func(line string)
}

// How long the process may take: to import its packages, to log a run that has ended, and to end.
const (
	toStart = time.Minute
	toLog   = 2 * time.Minute
	toEnd   = 10 * time.Second
)

// Logger is a process that logs runs. Close it.
type Logger struct {
	o       Options
	cmd     *exec.Cmd
	input   io.WriteCloser
	answers chan string // "ready" at first, "logged" after each request to log; closed at its end
	exited  chan struct{}
	errors  lastLine
	failed  bool // somebody was told
}

// Start starts a process and waits until it is ready. An error says what is missing.
func Start(ctx context.Context, o Options) (*Logger, error) {
	l := &Logger{o: o, cmd: exec.Command(o.Python, "-m", "heldout", "log", "--follow", o.Place),
		answers: make(chan string, 1), exited: make(chan struct{})}
	output, err := start(l.cmd, o.Binary, &l.errors, &l.input)
	if err != nil {
		return nil, fmt.Errorf("--log %s: %s does not start: %w", o.Place, o.Python, err)
	}
	go l.listen(output)
	switch answer, err := l.await(ctx, toStart); {
	case err != nil:
		l.end()
		return nil, fmt.Errorf("--log %s: %s was not ready: %w", o.Place, o.Python, err)
	case answer == "":
		<-l.exited
		return nil, fmt.Errorf("--log %s: %s: %s", o.Place, o.Python, lacking(l.errors.String()))
	}
	return l, nil
}

// start starts a command of the Python package.
func start(cmd *exec.Cmd, binary string, errors *lastLine, input *io.WriteCloser) (output io.Reader, err error) {
	cmd.Env = append(cmd.Environ(), "HELDOUT_BIN="+binary)
	cmd.Stderr, cmd.WaitDelay = errors, time.Second
	group(cmd)
	if *input, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if output, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return output, cmd.Start()
}

// listen passes on what the process says, until it ends.
func (l *Logger) listen(output io.Reader) {
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "warn "); ok {
			l.o.Warn(l.o.Place + ": " + text)
		} else {
			l.answers <- lines.Text()
		}
	}
	_ = l.cmd.Wait() // its last words say why
	close(l.exited)
	close(l.answers)
}

// await returns the next answer; empty if the process has ended.
func (l *Logger) await(ctx context.Context, patience time.Duration) (string, error) {
	select {
	case answer := <-l.answers:
		return answer, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-time.After(patience):
		return "", fmt.Errorf("it took longer than %v", patience)
	}
}

// Follow has the process log a run while it is played.
func (l *Logger) Follow(dir string) { l.ask(map[string]any{"follow": dir}) }

// Log has runs logged that have ended, and waits for it. A series is one entry of its own, however
// few its runs are.
func (l *Logger) Log(ctx context.Context, series bool, dirs ...string) {
	l.ask(map[string]any{"log": dirs, "series": series})
	answer, err := l.await(ctx, toLog)
	if err == nil && answer == "" {
		err = errors.New(l.errors.String())
	}
	if ctx.Err() == nil && (err != nil || answer != "logged") {
		l.fail(err, dirs)
	}
}

func (l *Logger) ask(request map[string]any) {
	line, err := json.Marshal(request)
	if err == nil {
		_, _ = l.input.Write(append(line, '\n')) // await says that the process has ended
	}
}

// fail says once that runs were not logged.
func (l *Logger) fail(err error, dirs []string) {
	if l.failed {
		return
	}
	l.failed = true
	if err != nil {
		l.o.Warn(fmt.Sprintf("%s: the run was not logged: %v", l.o.Place, err))
	}
	l.o.Say(fmt.Sprintf("to log it: %s -m heldout log %s %s", l.o.Python, l.o.Place, strings.Join(dirs, " ")))
}

// Close ends the process.
func (l *Logger) Close(ctx context.Context) {
	_ = l.input.Close()
	select {
	case <-l.exited:
	case <-ctx.Done(): // it ends by itself, soon after heldout
	case <-time.After(toEnd):
		l.end()
	}
}

// end ends the process with all that it has started.
func (l *Logger) end() {
	kill(l.cmd)
	<-l.exited
}

// lastLine keeps the end of what is written.
type lastLine struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (w *lastLine) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	const longest = 2000
	w.text = append(w.text, b...)
	w.text = w.text[max(0, len(w.text)-longest):]
	return len(b), nil
}

// String is the last line.
func (w *lastLine) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(w.text)), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	return "it has ended without a word"
}

// Python returns the interpreter to use: the one that is named, or the one of the virtual
// environment that the binary is in, or the first on the path.
func Python(named, binary string) (string, error) {
	if named != "" {
		return exec.LookPath(named)
	}
	own := filepath.Join(filepath.Dir(binary), "python3")
	if runtime.GOOS == "windows" {
		own = filepath.Join(filepath.Dir(binary), "python.exe")
	}
	if exists(own) && exists(filepath.Join(filepath.Dir(binary), "..", "pyvenv.cfg")) {
		return own, nil
	}
	for _, name := range []string{"python3", "python"} {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", errors.New("python3 is not on the path: install Python and the package heldout (heldout help python), " +
		"or name one by HELDOUT_PYTHON")
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
