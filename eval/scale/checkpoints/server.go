package checkpoints

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"heldout/envs/outside/process"
	"heldout/eval/model"
	"heldout/scoring/table"
)

// grace is how long a server may take to end after SIGTERM.
const grace = 20 * time.Second

// restarts is how often the server of a checkpoint is started again, pace the time before.
const (
	restarts = 3
	pace     = time.Second
)

// logFile has the output of the servers, in the run directory.
const logFile = "server.log"

// checkpointServer serves one checkpoint: a process that is started again when it dies.
type checkpointServer struct {
	command string
	log     *os.File
	warn    func(line string)
	pace    time.Duration
	process *process.Process
}

// freePort returns a port at which nobody listens.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// serve starts the server of a checkpoint, whose output goes to the run directory.
func serve(command, dir string, warn func(string)) (*checkpointServer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(dir, logFile), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	s := &checkpointServer{command: command, log: log, warn: warn, pace: pace}
	if s.process, err = process.Start(command, process.Streams{Out: log, Err: log}); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return s, nil
}

// keep starts the server again when it dies, and stops it when ctx is done. It returns
// an error if the server has died too often.
func (s *checkpointServer) keep(ctx context.Context) error {
	defer s.log.Close()
	for remaining := restarts; ; remaining-- {
		select {
		case <-ctx.Done():
			s.process.Stop(grace)
			return nil
		case <-s.process.Exited:
		}
		s.process.Stop(grace) // what it has left
		if remaining == 0 {
			return fmt.Errorf("its server has ended %d times, the last time with %s; the last line of %s is: %s",
				restarts+1, s.process.Ended(), s.log.Name(), s.lastLine())
		}
		s.warn(fmt.Sprintf("the server has ended with %s and is started again, %s at most; "+
			"its output is in %s", s.process.Ended(), table.Counted(remaining-1, "more time"), s.log.Name()))
		if model.Pause(ctx, s.pace) != nil {
			return nil
		}
		restarted, err := process.Start(s.command, process.Streams{Out: s.log, Err: s.log})
		if err != nil {
			return err
		}
		s.process = restarted
	}
}

// longestLine bounds a line of the log that is quoted, in bytes.
const longestLine = 300

func (s *checkpointServer) lastLine() string {
	info, err := s.log.Stat()
	if err != nil {
		return err.Error()
	}
	const window = 4096
	b, err := io.ReadAll(io.NewSectionReader(s.log, max(0, info.Size()-window), window))
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	last := bytes.TrimSpace(lines[len(lines)-1])
	return strings.ToValidUTF8(string(last[:min(len(last), longestLine)]), "")
}

func quoted(path string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
