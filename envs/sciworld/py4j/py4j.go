// Package py4j speaks to Java objects over the protocol of py4j, version 0.10.3,
// and starts the virtual machine that they live in. It needs no Python and does
// not know the purpose of the objects.
//
// Section numbers in comments are those of the specification of ScienceWorld.
package py4j

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// DefaultTimeout is how long a gateway may take for one reply.
const DefaultTimeout = 2 * time.Minute

// maxReply bounds a reply in bytes. The longest useful replies have about 100 KB.
const maxReply = 64 << 20

// ErrBroken marks errors after which a connection is unusable: it was cut, it
// timed out, or the answer did not follow the protocol.
var ErrBroken = errors.New("the connection to the Java gateway is broken")

// JavaError is an error of the other side. The connection stays usable.
type JavaError struct {
	// Thrown: the called method threw an exception. If not, it could not be called.
	Thrown bool
	// Trace is the server's stack trace; empty if it gave none.
	Trace string
}

// Error gives the first line of the stack trace.
func (e *JavaError) Error() string {
	first, _, _ := strings.Cut(e.Trace, "\n")
	switch {
	case first == "":
		return "java: an error without a description"
	case e.Thrown:
		return "java: exception: " + first
	}
	return "java: " + first
}

// Conn is a connection to a gateway. It belongs to one goroutine.
type Conn struct {
	conn    net.Conn
	in      *bufio.Reader
	timeout time.Duration
	broken  error
}

// Dial connects to the gateway on a port of this machine. The timeout is the
// longest that each reply may take; 0 stands for DefaultTimeout.
func Dial(ctx context.Context, port int, timeout time.Duration) (*Conn, error) {
	timeout = cmp.Or(timeout, DefaultTimeout)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return newConn(c, timeout), nil
}

func newConn(c net.Conn, timeout time.Duration) *Conn {
	return &Conn{conn: c, in: bufio.NewReaderSize(c, 1<<16), timeout: timeout}
}

// RemoteAddr is where the gateway listens.
func (c *Conn) RemoteAddr() net.Addr { return c.conn.RemoteAddr() }

// Close ends the connection; the gateway keeps running.
func (c *Conn) Close() error { return c.conn.Close() }

// New constructs an object of a class.
func (c *Conn) New(ctx context.Context, class string, args ...any) (Ref, error) {
	return c.reference(c.request(ctx, "i", class, args))
}

// Call calls a method of an object.
//
// Arguments are nil, bool, int32 (or an int that fits), int64, float64, string
// or Ref; they must match the method's signature in number and type. The result
// is one of these, or Void. An error is a *JavaError or wraps ErrBroken, or says
// that an argument cannot be sent.
func (c *Conn) Call(ctx context.Context, object Ref, method string, args ...any) (any, error) {
	return c.request(ctx, "c", object.ID, append([]any{name(method)}, args...))
}

// CallStatic calls a static method of a class, like Call.
func (c *Conn) CallStatic(ctx context.Context, class, method string, args ...any) (any, error) {
	return c.request(ctx, "c", "z:"+class, append([]any{name(method)}, args...))
}

// Free lets the gateway forget an object.
func (c *Conn) Free(ctx context.Context, r Ref) error {
	_, err := c.request(ctx, "m", "d", []any{name(r.ID)})
	return err
}

// name is a part of a command that is not a value.
type name string

// request sends a command and reads its reply (§1.2).
func (c *Conn) request(ctx context.Context, command, target string, parts []any) (any, error) {
	text, err := encodeRequest(command, target, parts)
	if err != nil {
		return nil, err
	}
	reply, err := c.roundTrip(ctx, text)
	if err != nil {
		return nil, err
	}
	value, failed, err := parseReply(reply)
	if err != nil {
		return nil, c.fail(err)
	}
	if failed {
		return nil, c.javaError(ctx, value)
	}
	return value, nil
}

// javaError turns an error's reply into an error. It asks an exception for its text.
func (c *Conn) javaError(ctx context.Context, value any) error {
	switch v := value.(type) {
	case string:
		return &JavaError{Trace: v}
	case Ref:
		trace, err := c.request(ctx, "p", "r"+v.ID, nil)
		if err != nil {
			return fmt.Errorf("java threw an exception, of which nothing more is known: %w", err)
		}
		text, _ := trace.(string)
		if err := c.Free(ctx, v); err != nil {
			return err
		}
		return &JavaError{Thrown: true, Trace: text}
	}
	return &JavaError{}
}

// reference is for calls that must yield an object.
func (c *Conn) reference(v any, err error) (Ref, error) {
	if err != nil {
		return Ref{}, err
	}
	r, ok := v.(Ref)
	if !ok {
		return Ref{}, c.fail(fmt.Errorf("want an object, got %T", v))
	}
	return r, nil
}

// roundTrip sends a request and reads a line, until the timeout or the end of ctx.
func (c *Conn) roundTrip(ctx context.Context, request string) (string, error) {
	if c.broken != nil {
		return "", c.broken
	}
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	past := time.Unix(1, 0)
	stop := context.AfterFunc(limited, func() { c.conn.SetDeadline(past) })
	defer stop()
	_, err := c.conn.Write([]byte(request))
	var reply string
	if err == nil {
		reply, err = c.readLine()
	}
	switch {
	case err == nil && limited.Err() == nil:
		return reply, nil
	case ctx.Err() != nil:
		return "", c.fail(ctx.Err())
	case limited.Err() != nil:
		return "", c.fail(fmt.Errorf("no answer within %v", c.timeout))
	}
	return "", c.fail(err)
}

// readLine reads up to a line feed, which it leaves out.
func (c *Conn) readLine() (string, error) {
	var line []byte
	for {
		part, err := c.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxReply:
			return "", fmt.Errorf("a reply is longer than %d bytes", maxReply)
		case err == nil:
			return string(line[:len(line)-1]), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// fail ends the use of the connection: the next bytes to read are unknown.
func (c *Conn) fail(err error) error {
	c.broken = fmt.Errorf("%w: %w", ErrBroken, err)
	c.conn.Close()
	return c.broken
}
