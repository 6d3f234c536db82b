package queue

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// hostPort takes an address apart at which a server is to listen.
func hostPort(listen string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(listen)
	port, atoi := strconv.Atoi(text)
	if err != nil || atoi != nil || port < 1 || port > 65535 {
		return "", 0, fmt.Errorf("queue-listen %q: want HOST:PORT, such as 127.0.0.1:4222", listen)
	}
	return host, port, nil
}

// Serve starts a server in this process that keeps its streams in a directory and
// listens at an address. Workers need what the security says. Stop it with Shut.
func Serve(dir, listen string, security Security) (*server.Server, error) {
	host, port, err := hostPort(listen)
	if err != nil {
		return nil, err
	}
	if err := listens(listen); err != nil {
		return nil, fmt.Errorf("queue-listen: %w", err)
	}
	o := &server.Options{
		ServerName: "heldout", Host: host, Port: port, JetStream: true, StoreDir: dir,
		// JetStream takes at most three quarters of the disk space that is free now: that
		// is what NATS does without a limit. Nothing is kept in memory.
		JetStreamMaxMemory: 1,
		// A record counts as sent when it is on disk.
		SyncAlways: true, NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
	}
	if err := security.secure(o); err != nil {
		return nil, err
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("the embedded server: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(patience) || !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, errors.New("the embedded server does not start: is the disk full, or the run directory's queue " +
			"folder damaged?")
	}
	return s, nil
}

// Shut stops a server. It lets workers that were told so leave first, for a moment.
func Shut(s *server.Server) {
	for range 100 {
		if s.NumClients() == 0 {
			break
		}
		time.Sleep(pause / 50)
	}
	s.Shutdown()
	s.WaitForShutdown()
}
