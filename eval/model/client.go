package model

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"heldout/configs"
	"heldout/scoring/record"
)

// Options say which model is asked, at which address, and with which retries and time limits.
type Options struct {
	Spec Spec
	// BaseURL is where the server is. For vLLM and OpenAI it is the part of the address before "/chat/completions",
	// by default http://localhost:8000/v1 and https://api.openai.com/v1. For Ollama it takes whatever OLLAMA_HOST
	// may be: a host, host:port or URL, by default http://127.0.0.1:11434.
	BaseURL string
	// Key is sent with every request, unless it is zero.
	Key Secret
	// Headers are sent with every request, too, by their names.
	Headers map[string]Secret
	// ContextLimit is the model's context in tokens. Set it if the server does not report it or a smaller one is
	// wanted. 0 means the value that the server reports. Ollama serves this length; by default it serves the
	// model's own length, but at most 8192.
	ContextLimit int
	// Timeout is the longest that one attempt may take, by default 5 minutes.
	Timeout time.Duration
	Retry   Retry
	// Limits are what the server allows per minute.
	Limits Limits
	// Concurrency is the number of calls in flight. The same number of connections is kept open.
	Concurrency int
	// UserAgent identifies the program to servers; empty for the default of the HTTP library.
	UserAgent string
	// Now tells the time. It is required.
	Now func() time.Time
	// Proxy chooses the proxy of a request, as for http.Transport; nil uses none.
	Proxy func(*http.Request) (*url.URL, error)
	// Tell receives a one-line note about each field that is not sent any more because
	// the server refuses it; nil for none. It may be called from many goroutines.
	Tell func(line string)
	// Transport replaces the HTTP transport that is otherwise made from Concurrency and Proxy.
	Transport http.RoundTripper
}

// Retry says how often questions to a server about itself, and calls whose reply holds no message, are tried and
// how long they wait in between. The wait doubles each time and is random between half and one and a half times its
// nominal length. A wait that the server asks for with Retry-After, up to LongWait, is added to it. After the first
// reply without a message there is no other wait.
type Retry struct {
	// Attempts is the largest number of attempts for a call, by default 8.
	Attempts int
	// FirstWait and MaxWait are the first and the longest nominal wait, by default 1 second and 1 minute.
	FirstWait, MaxWait time.Duration
}

// Client asks one model on one server. It is safe for concurrent use.
type Client struct {
	backend
	spec  Spec
	url   string
	close func()
	now   func() time.Time
	// habits are how requests are written for the server.
	habits habits
}

// backend implements the protocol of one kind of server.
type backend interface {
	// ask makes a call in the way that the habit says.
	ask(context.Context, *Request, habit) (*Reply, error)
	// Server asks the server about itself. A missing endpoint is not an error. An unreachable server is an error at
	// once. Otherwise errors and retries are as for Chat.
	Server(context.Context) (record.ServerReport, error)
	// List asks the server for its models, once.
	List(context.Context) error
	// ContextLimit returns the context in tokens that calls have to fit in: the limit in
	// the options, or otherwise the value that Server found. It is 0 while unknown.
	ContextLimit() int
	// Waits returns when the next call is sent, if all calls wait for the service's limits
	// per minute; else the zero time.
	Waits() time.Time
	// Kind is the kind of server as in record.Server.Software, "" as long as it has not told.
	Kind() string
}

// Open prepares to ask a model. It checks the options and returns everything that
// is wrong with them. It does not contact the server.
func Open(o Options) (*Client, error) {
	base, err := o.base()
	if err = errors.Join(o.validate(), err); err != nil {
		return nil, err
	}
	transport, fresh, closeIdle := o.Transport, o.Transport, func() {}
	if transport == nil {
		own := newTransport(o.Concurrency, o.Proxy)
		once := own.Clone()
		once.DisableKeepAlives = true
		transport, fresh, closeIdle = own, once, own.CloseIdleConnections
	}
	o.Key = o.Key.masking(o.secrets(base))
	caller := &caller{
		transport: transport,
		fresh:     fresh,
		headers:   o.headers(base),
		proxy:     proxyHost(o.Proxy, base),
		url:       clean(base.String(), o.Key),
		key:       o.Key,
		timeout:   cmp.Or(o.Timeout, 5*time.Minute),
		retry: Retry{
			Attempts:  cmp.Or(o.Retry.Attempts, 8),
			FirstWait: cmp.Or(o.Retry.FirstWait, time.Second),
			MaxWait:   cmp.Or(o.Retry.MaxWait, time.Minute),
		},
		now:    o.Now,
		pacer:  newPacer(o.Limits, o.Now, o.Tell),
		budget: mostInFlight,
		inUse:  new(atomic.Int64),
		worked: new(atomic.Bool),
	}
	c := &Client{spec: o.Spec, url: caller.url, close: closeIdle, now: o.Now, habits: habits{tell: o.Tell}}
	if o.Spec.Provider == Ollama {
		caller.list = base.JoinPath("/api/tags").String()
		c.backend = &ollama{caller: caller, spec: o.Spec, base: base, option: o.ContextLimit}
	} else {
		address, query, found := strings.Cut(base.String(), "?")
		if found {
			query = "?" + query
		}
		caller.list = address + "/models" + query
		c.backend = &openAI{caller: caller, spec: o.Spec, base: address, query: query, option: o.ContextLimit}
	}
	caller.kind = c.Kind
	return c, nil
}

func (o Options) validate() error {
	faults := configs.Faults{o.Spec.validate(), o.Key.validate(), o.validateHeaders()}
	faults.Note(o.ContextLimit < 0, "context limit is %d tokens, must be 0 or more", o.ContextLimit)
	faults.Note(o.Timeout < 0, "time limit of an attempt is %v, must be 0 or more", o.Timeout)
	faults.Note(o.Retry.Attempts < 0 || o.Retry.FirstWait < 0 || o.Retry.MaxWait < 0,
		"retry limits are %d attempts, %v and %v, must be 0 or more", o.Retry.Attempts, o.Retry.FirstWait,
		o.Retry.MaxWait)
	faults.Note(o.Now == nil, "no clock was given")
	return faults.Err()
}

func newTransport(concurrency int, proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: proxy,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return connection{c}, nil
		},
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: max(concurrency, http.DefaultMaxIdleConnsPerHost),
		// Servers close idle connections, uvicorn after 5 seconds. A request that is
		// sent at that moment breaks, so ours close first.
		IdleConnTimeout:     4 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		// What is longer, as bodies and most replies are, goes past these buffers.
		ReadBufferSize: 1 << 10, WriteBufferSize: 1 << 10,
	}
}

// connection writes bodies through buffers that connections share. net/http makes one for each body otherwise: of the
// memory that 1,024 calls in flight allocate, a fifth was theirs.
type connection struct{ net.Conn }

var bodyBuffers = sync.Pool{New: func() any { return new([16 << 10]byte) }}

// ReadFrom implements io.ReaderFrom.
func (c connection) ReadFrom(body io.Reader) (int64, error) {
	buffer := bodyBuffers.Get().(*[16 << 10]byte)
	defer bodyBuffers.Put(buffer)
	return io.CopyBuffer(struct{ io.Writer }{c.Conn}, body, buffer[:])
}

// Chat returns the model's next turn. It asks once, and again if the reply holds no message. After an
// *UnavailableError another try may succeed: after a status of 408, 409, 424, 425, 429 or 5xx, a 404 of a server
// that has given a reply, a broken or refused connection, an attempt that took too long, and a reply that is
// broken, is not JSON or reports an error. A reply with an empty text is a reply.
//
// The error is a *ContextError, *RequestError or *UnavailableError, or ctx.Err() once ctx is done.
func (c *Client) Chat(ctx context.Context, req Request) (Reply, error) {
	if err := cmp.Or(req.validate(), req.Decoding.Validate()); err != nil {
		return Reply{}, unsendable(c.url, err.Error())
	}
	if req.Completion && c.spec.Provider == Ollama {
		return Reply{},
			unsendable(c.url,
				"texts are continued by servers with OpenAI's protocol: ask Ollama as openai:NAME with --base-url "+
					"http://HOST:11434/v1")
	}
	reply, err := c.chat(ctx, &req)
	if err != nil {
		return Reply{}, err
	}
	return *reply, nil
}

// chat makes a call, and repeats it if the server turns out to need requests in another form.
func (c *Client) chat(ctx context.Context, req *Request) (*Reply, error) {
	attempts := 0
	var unused *Reply
	for {
		h := c.habits.now()
		reply, err := c.ask(ctx, req, h)
		if refused, ok := errors.AsType[*RequestError](err); ok {
			attempts += refused.Attempts
			refused.Attempts = attempts
			if c.spec.Provider != Ollama && c.habits.drop(refused, h, req.Decoding) {
				continue
			}
		}
		if err == nil {
			reasoned := reply.Reasoning != "" && h.sendsStops(req.Decoding) && !req.KeepReasoning
			c.habits.replied(h, reasoned)
			attempts += reply.Attempts
			reply.Attempts = attempts
			if reasoned {
				unused = reply
				continue
			}
			reply.replaces(unused)
			reply.Dropped = h.dropped
		}
		return reply, err
	}
}

// Ping reports whether the server is there: nil if it answers at all, whatever the
// answer, unless a gateway answers in its place. It asks once, without retries.
func (c *Client) Ping(ctx context.Context) error {
	err := c.List(ctx)
	if nobody, ok := errors.AsType[*UnavailableError](err); ctx.Err() != nil || ok && nobody.gone {
		return err
	}
	return nil
}

// URL is where the server is, without user, password and query.
func (c *Client) URL() string { return c.url }

// Close closes the connections that are not in use.
func (c *Client) Close() { c.close() }

// proxyHost returns the host of the proxy that requests to an address go through.
// Its user name and password stay out.
func proxyHost(proxy func(*http.Request) (*url.URL, error), target *url.URL) string {
	if proxy == nil {
		return ""
	}
	u, err := proxy(&http.Request{URL: target})
	if err != nil || u == nil {
		return ""
	}
	return u.Host
}

// viaProxy adds to a message that requests go through a proxy: it may be what refused.
func (c *caller) viaProxy(message string) string {
	if c.proxy == "" {
		return message
	}
	return strings.TrimPrefix(message+"; the request went through the proxy "+c.proxy+
		", which may have answered in the server's place", "; ")
}
