// Package queue spreads a run over processes by NATS JetStream. A Leader puts an order for every episode into a
// work-queue stream and takes records from another stream. Work plays the orders of a run in another process.
//
// Every order and every record is delivered at least once: an order is acknowledged when its record is in the
// stream of results, and a record when it is on the leader's disk. The leader drops records that it already has.
package queue

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"heldout/envs/address"
	"heldout/eval/model"
)

const (
	// prefix begins the names of all streams and subjects.
	prefix = "heldout"
	// AckWait is how long an order may be without a sign of life from its worker
	// before another worker gets it, unless Options say something else.
	AckWait   = 60 * time.Second
	patience  = 10 * time.Second // the longest request to the server
	pause     = time.Second      // the time between two attempts of a request that fails
	fetchWait = 5 * time.Second  // how long a request for messages waits for one
	// recovery is how long a stream may be missing: while a server that stores again
	// reads what it has, or until the leader has made a lost one anew.
	recovery = 20 * time.Second
)

// Options say which server is used.
type Options struct {
	// Address is the server's, such as nats://HOST:4222; for several servers of a cluster, separated by commas.
	// Embedded is a server in this process, which is used instead if it is not nil.
	Address  string
	Embedded *server.Server
	Security
	// Name identifies the process to the server.
	Name    string
	AckWait time.Duration // the leader's; see the constant
	// GiveUpAfter is how long to wait for a server that is gone; 0 waits for ever. FirstWait is how long to wait
	// for the first connection and, in a worker, for a run.
	GiveUpAfter, FirstWait time.Duration
	// Tell receives one-line notes about the connection. It may be called from many goroutines.
	Tell func(line string)

	room  int           // for tests; 0 stands for room
	delay time.Duration // for tests; 0 stands for delay
	waits *waits        // for tests; nil stands for the constants
}

// waits are the waits of a connection; see the constants.
type waits struct{ patience, pause, fetch time.Duration }

// CheckAddress reports an address that names no NATS server, or that has a password.
func CheckAddress(addresses string) error {
	webSockets := strings.HasPrefix(strings.TrimSpace(addresses), "ws")
	for _, a := range strings.Split(addresses, ",") {
		u, err := url.Parse(strings.TrimSpace(a))
		switch {
		case err != nil || u.Hostname() == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme):
			return fmt.Errorf("queue %.200q: want an address such as nats://HOST:4222", address.Plain(a))
		case u.User != nil:
			return fmt.Errorf("queue %s: the address has a user name or a password, which other users of the machine "+
				"can read; give a file with --queue-creds, or a variable with --queue-login-env", address.Plain(a))
		case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
			return fmt.Errorf("queue %s: there is more than host and port", address.Plain(a))
		case strings.HasPrefix(u.Scheme, "ws") != webSockets:
			return fmt.Errorf("queue %s: addresses of WebSockets (ws, wss) and others do not go together",
				address.Plain(a))
		}
	}
	return nil
}

type connection struct {
	conn     *nats.Conn
	js       jetstream.JetStream
	name     string          // of the server, for errors
	lost     context.Context // done when the connection is given up
	stop     context.CancelCauseFunc
	tell     func(line string)
	troubled atomic.Bool // set while the server stores nothing
	*waits
}

// connect opens a connection, which is opened again whenever it breaks.
func connect(ctx context.Context, o Options) (*connection, error) {
	l := &connection{name: o.Address, tell: o.Tell, waits: cmp.Or(o.waits, &waits{patience, pause, fetchWait})}
	l.lost, l.stop = context.WithCancelCause(context.Background())
	opts, err := o.clientOptions(o.Embedded != nil)
	if err != nil {
		return nil, err
	}
	if o.Embedded != nil {
		l.name = "the embedded server"
		opts = append(opts, nats.InProcessServer(o.Embedded))
	}
	opts = append(opts, nats.Name(o.Name), nats.MaxReconnects(-1), nats.ReconnectWait(l.pause/2),
		nats.Timeout(patience))
	opts = append(opts, l.handlers(o)...)
	if l.conn, err = l.first(ctx, o, opts); err != nil {
		return nil, fmt.Errorf("queue %s: %w", l.name, o.explain(err))
	}
	if l.js, err = jetstream.New(l.conn, jetstream.WithDefaultTimeout(patience)); err != nil {
		l.conn.Close()
		return nil, fmt.Errorf("queue %s: %w", l.name, err)
	}
	return l, nil
}

// outdated are the errors of credentials that the server took before. The last three
// come while a connection is opened, in the server's words.
var outdated = []error{
	nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired,
	errors.New("nats: " + nats.AUTHENTICATION_EXPIRED_ERR),
	errors.New("nats: " + nats.AUTHENTICATION_REVOKED_ERR),
	errors.New("nats: " + nats.ACCOUNT_AUTHENTICATION_EXPIRED_ERR),
}

// explain adds to errors whose text does not say what to do.
func (s Security) explain(err error) error {
	var network net.Error
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("what answers there is not a NATS server")
	case errors.As(err, &network) && network.Timeout():
		return fmt.Errorf("no answer as from a NATS server came within %v", patience)
	case errors.Is(err, nats.ErrNoServers):
		return errors.New("no NATS server answers there")
	case slices.ContainsFunc(outdated, func(target error) bool { return errors.Is(err, target) }):
		return fmt.Errorf("%w: the server takes the credentials no longer; they have expired or are revoked", err)
	case errors.Is(err, nats.ErrAuthorization):
		return s.refused()
	case errors.Is(err, nats.ErrPermissionViolation):
		return fmt.Errorf("the credentials may not use JetStream and heldout.>: %w", err)
	case errors.Is(err, nats.ErrSecureConnRequired):
		return errors.New("the server wants TLS; give --queue-ca if its certificate is your own")
	case strings.Contains(err.Error(), "certificate required"),
		strings.Contains(err.Error(), "closed by remote after TLS handshake"):
		return fmt.Errorf("%w; the server wants a certificate: give --queue-cert and --queue-key", err)
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return fmt.Errorf("%w; --queue-ca names the certificate to trust", err)
	}
	return err
}

// first opens the first connection. It waits for a server that does not answer.
func (l *connection) first(ctx context.Context, o Options, opts []nats.Option) (c *nats.Conn, err error) {
	err = o.await(ctx, func() error {
		c, err = nats.Connect(o.Address, opts...)
		return err
	}, func() {
		o.Tell(fmt.Sprintf("queue %s: no NATS server answers there; trying for %v", l.name, o.FirstWait))
	}, nats.ErrNoServers)
	return c, err
}

// await tries something once a second, for as long as FirstWait says and the error is one
// of those. Waits is called before the second attempt.
func (o Options) await(ctx context.Context, try func() error, waits func(), absent ...error) error {
	waiting, stop := context.WithTimeout(ctx, o.FirstWait)
	defer stop()
	for first := true; ; first = false {
		err := try()
		failed := func(target error) bool { return errors.Is(err, target) }
		if waiting.Err() != nil || !slices.ContainsFunc(absent, failed) {
			return err
		}
		if first {
			waits()
		}
		if model.Pause(waiting, pause) != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// handlers returns the options that follow the state of the connection.
func (l *connection) handlers(o Options) []nats.Option {
	var mu sync.Mutex
	var timer *time.Timer
	return []nats.Option{
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err == nil {
				return // closed by this process
			}
			wait := "until it is back; Ctrl-C ends that"
			if o.GiveUpAfter > 0 {
				wait = fmt.Sprintf("for at most %v (--set give-up-after)", o.GiveUpAfter)
			}
			o.Tell(fmt.Sprintf("queue %s: lost the connection (%v); waiting for the server %s", l.name, err, wait))
			mu.Lock()
			defer mu.Unlock()
			if timer == nil && o.GiveUpAfter > 0 {
				timer = time.AfterFunc(o.GiveUpAfter, func() {
					l.stop(fmt.Errorf("queue %s: the server has not answered for %v (--set give-up-after)", l.name,
						o.GiveUpAfter))
				})
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			o.Tell(fmt.Sprintf("queue %s: connected again", l.name))
			mu.Lock()
			defer mu.Unlock()
			if timer != nil {
				timer.Stop()
				timer = nil
			}
		}),
		nats.ClosedHandler(func(c *nats.Conn) {
			err := fmt.Errorf("queue %s: the connection was closed", l.name)
			if c.LastError() != nil {
				err = fmt.Errorf("queue %s: %w", l.name, o.explain(c.LastError()))
			}
			l.stop(err)
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) { // the calls return others
				l.stop(fmt.Errorf("queue %s: %w", l.name, o.explain(err)))
			}
		}),
	}
}

// named says which queue an error comes from. The reason why the connection was
// given up is the cause of all others, and says so itself.
func (l *connection) named(err error) error {
	if l.lost.Err() != nil {
		return context.Cause(l.lost)
	}
	return fmt.Errorf("queue %s: %w", l.name, err)
}

func (l *connection) close() {
	_ = l.conn.FlushTimeout(pause) // what is not sent is sent again by others
	l.conn.Close()
	l.stop(nil)
}

// bind returns a context that also ends when the connection is given up.
func (l *connection) bind(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	bound, cancel := context.WithCancelCause(ctx)
	context.AfterFunc(l.lost, func() { cancel(context.Cause(l.lost)) })
	return bound, cancel
}

// publish stores a message in a stream. It tries until ctx is done or the stream
// is gone, also while the server has no room.
func (l *connection) publish(ctx context.Context, stream string, m *nats.Msg, opts ...jetstream.PublishOpt) error {
	for {
		err := l.store(ctx, stream, m, opts...)
		if !full(err) {
			return err
		}
		l.trouble(err, true)
		if model.Pause(ctx, l.pause) != nil {
			return context.Cause(ctx)
		}
	}
}

// store is publish that does not wait for room.
func (l *connection) store(ctx context.Context, stream string, m *nats.Msg, opts ...jetstream.PublishOpt) error {
	for n := 0; ; n++ {
		once, cancel := context.WithTimeout(ctx, l.patience)
		_, err := l.js.PublishMsg(once, m, opts...)
		cancel()
		if err == nil || errors.As(err, new(*jetstream.APIError)) || errors.Is(err, nats.ErrMaxPayload) {
			l.settled(err)
			return err
		}
		if n == 2 { // a server that starts again does not count
			l.trouble(err, false)
		}
		if model.Pause(ctx, l.pause) != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, jetstream.ErrNoStreamResponse) && l.gone(ctx, stream) {
			return jetstream.ErrStreamNotFound
		}
	}
}

// full reports that the server cannot store more until it has room.
func full(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && slices.Contains(fullCodes, api.ErrorCode)
}

// fullCodes are the codes of those errors:
// resource limits, storage, and bytes or messages of a stream.
var fullCodes = []jetstream.ErrorCode{10002, 10023, 10047, 10077}

// trouble says once that nothing can be stored.
func (l *connection) trouble(err error, full bool) {
	switch {
	case l.lost.Err() != nil || !l.conn.IsConnected() || l.troubled.Swap(true):
	case full:
		l.tell(fmt.Sprintf("queue %s: the server stores no more (%v); waiting until it has room", l.name, err))
	default:
		l.tell(fmt.Sprintf("queue %s: JetStream does not answer (%v); is the server's disk full? waiting for it",
			l.name, err))
	}
}

// answers counts the requests that failed one after the other, and says so once they are several.
func (l *connection) answers(err error, failures *int) {
	if *failures++; err == nil || errors.Is(err, context.Canceled) {
		*failures = 0
		l.settled(err)
	}
	if *failures == 2 {
		l.trouble(err, false)
	}
}

// settled says that the server stores again, if it did not.
func (l *connection) settled(err error) {
	if err == nil && l.troubled.Load() && l.troubled.Swap(false) {
		l.tell(fmt.Sprintf("queue %s: the server stores again", l.name))
	}
}

// gone reports that the server answers and has no such stream, and that the stream does not come back.
func (l *connection) gone(ctx context.Context, stream string) bool {
	for range recovery / l.pause {
		once, cancel := context.WithTimeout(ctx, pause)
		_, err := l.js.Stream(once, stream)
		cancel()
		if !errors.Is(err, jetstream.ErrStreamNotFound) || model.Pause(ctx, l.pause) != nil {
			return false
		}
	}
	return true
}

// The names of a job's streams, and the subjects of its messages.
func workStream(job string) string    { return prefix + "-" + job + "-work" }
func resultsStream(job string) string { return prefix + "-" + job + "-results" }
func repliesStream(job string) string { return prefix + "-" + job + "-replies" }
func subject(job, kind string) string { return prefix + "." + job + "." + kind }

// listens reports an address that a server cannot listen at.
func listens(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}
