package queue

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// authority issues certificates and writes them to files.
type authority struct {
	t   *testing.T
	dir string
	key *ecdsa.PrivateKey
	own *x509.Certificate
	// file is its certificate.
	file string
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.file, _ = a.issue("ca")
	return a
}

// issue writes a certificate for 127.0.0.1 and its key; the first one is the authority's.
func (a *authority) issue(name string) (cert, key string) {
	a.t.Helper()
	private := sharedtest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(a.t)
	about := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{
			net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, BasicConstraintsValid: true,
		IsCA:        a.own == nil,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if a.own == nil {
		a.own, a.key = about, private
	}
	der := sharedtest.Must(x509.CreateCertificate(rand.Reader, about, a.own, &private.PublicKey, a.key))(a.t)
	secret := sharedtest.Must(x509.MarshalECPrivateKey(private))(a.t)
	return a.write(name+".pem", "CERTIFICATE", der), a.write(name+".key", "EC PRIVATE KEY", secret)
}

func (a *authority) write(name, kind string, der []byte) string {
	file := filepath.Join(a.dir, name)
	sharedtest.OK(a.t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	return file
}

// play plays a run with a worker that reaches the server at an address; the leader
// does too, unless the server is embedded.
func (b *bench) play(address string, s Security) {
	b.t.Helper()
	b.worker = quick(Options{Address: address, Security: s, Tell: func(line string) {
		b.t.Log(line)
	}})
	b.workUntilEnd()
	b.completes()
}

// refuses checks that a worker does not get in, and that no secret is told.
func (b *bench) refuses(address string, s Security, want string) {
	b.t.Helper()
	_, err := Join(b.ctx, Options{Address: address, Security: s, Tell: func(string) {}}, "")
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
		b.t.Errorf("%v, want %q", err, want)
	}
}

// start starts a server for a test.
func start(t *testing.T, o *server.Options) *server.Server {
	t.Helper()
	s := sharedtest.Must(server.NewServer(o))(t)
	s.Start()
	t.Cleanup(func() { Shut(s) })
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server does not start")
	}
	return s
}

// A NATS server with TLS, certificates of clients and users.
func TestServerWithTLSAndUsers(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	b := newBench(t, newLine(8).plan(t))
	cert, key := a.issue("server")
	address := freeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	o := &server.Options{Host: host, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		Users: []*server.User{{Username: "me", Password: "sesame:open"}}}
	o.Port = sharedtest.Must(net.LookupPort("tcp", port))(t)
	sharedtest.OK(t, (Security{Cert: cert, Key: key, CA: a.file}).secure(o))
	start(t, o)
	worker := Security{CA: a.file, Login: model.NewSecret("me:sesame:open")}
	worker.Cert, worker.Key = a.issue("worker")
	b.leader = quick(Options{Address: "tls://" + address, Security: worker, Tell: func(line string) { t.Log(line) }})
	b.play("tls://"+address, worker)

	other := worker
	other.Login = model.NewSecret("me:sesame:closed")
	b.refuses("tls://"+address, other, "the server refuses the login of --queue-login-env")
	other = worker
	other.CA = ""
	b.refuses("tls://"+address, other, "--queue-ca names the certificate to trust")
	other = worker
	other.Cert, other.Key = "", ""
	b.refuses("tls://"+address, other, "give --queue-cert and --queue-key")
}

// The embedded server wants what it was told to want.
func TestEmbeddedServerIsSecured(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	own := Security{CA: a.file, Login: model.NewSecret("a-token-sesame")}
	own.Cert, own.Key = a.issue("leader")
	b := newBench(t, newLine(8).plan(t))
	address := freeAddress(t)
	secured := sharedtest.Must(Serve(t.TempDir(), address, own))(t)
	t.Cleanup(func() { Shut(secured) })
	b.leader = quick(Options{Embedded: secured, Security: own, Tell: func(line string) {
		t.Log(line)
	}})
	worker := Security{CA: a.file, Login: own.Login}
	worker.Cert, worker.Key = a.issue("worker")
	b.play("nats://"+address, worker)

	other := worker
	other.Login = model.Secret{}
	b.refuses("nats://"+address, other, "the server wants credentials; give them with --queue-creds")
	other = worker
	other.Cert, other.Key = "", ""
	b.refuses("nats://"+address, other, "give --queue-cert and --queue-key")

	for want, s := range map[string]Security{
		"belong together":       {Cert: "x"},
		"has none itself":       {CA: a.file},
		"two ways to log in":    {Creds: "x", Login: own.Login},
		"does not exist":        {Cert: "/none", Key: "/none"},
		"no certificate in PEM": {Cert: own.Cert, Key: own.Key, CA: own.Key},
	} {
		sharedtest.Fails(t, sharedtest.Err(Serve(t.TempDir(), freeAddress(t), s)), want)
	}
}

// A server that comes a little later is waited for.
func TestFirstConnectionWaits(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	all := sharedtest.Limited(t)
	ctx, stop := context.WithCancel(all)
	reader := tellsOf(all, t)
	joined := make(chan error, 1)
	go func() {
		_, err := Join(ctx, Options{Address: "nats://" + address, FirstWait: time.Hour, Tell: reader.tell}, "")
		joined <- err
	}()
	reader.await("trying for 1h0m0s")
	s := sharedtest.Must(Serve(t.TempDir(), address, Security{}))(t)
	t.Cleanup(func() { Shut(s) })
	reader.await("no run waits for workers there; waiting for one for 1h0m0s")
	stop()
	if err := receive(all, t, joined, "the worker that was stopped"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPrivateAddresses(t *testing.T) {
	for listen, want := range map[string]bool{
		"127.0.0.1:4222": true, "localhost:4222": true, "[::1]:4222": true, "127.9.9.9:1": true,
		":4222": false, "0.0.0.0:4222": false, "[::]:4222": false, "192.168.0.7:4222": false, "node7:4222": false,
		"nonsense": false,
	} {
		sharedtest.Equal(t, private(listen), want, listen)
	}
}

func TestPlace(t *testing.T) {
	fine := Location{Address: "nats://node7:4222", AckWait: time.Minute}
	for want, change := range map[string]func(*Location){
		"":                              func(*Location) {},
		"queue-ack-wait is 1ms":         func(p *Location) { p.AckWait = time.Millisecond },
		"want an address such as":       func(p *Location) { p.Address = "node7" },
		"whoever reaches it could read": func(p *Location) { p.Address, p.Listen = InProcess, ":4222" },
		`queue-listen "4222": want`:     func(p *Location) { p.Address, p.Listen = InProcess, "4222" },
		"belong together: give both":    func(p *Location) { p.Security.Cert = "cert.pem" },
	} {
		p := fine
		change(&p)
		if err := p.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, p := range []Location{{Address: InProcess, Listen: ":4222", Open: true, AckWait: time.Minute},
		{Address: InProcess, Listen: ":4222", LoginEnv: "LOGIN", AckWait: time.Minute}} {
		sharedtest.OK(t, p.Check())
	}
}

// An invitation has what a worker needs to reach the queue, and no secret.
func TestInvitation(t *testing.T) {
	for want, p := range map[string]Location{
		"heldout worker --queue nats://node7:4222 --job R": {Address: "nats://node7:4222"},
		"heldout worker --queue nats://127.0.0.1:4222":     {Address: InProcess, Listen: "127.0.0.1:4222"},
		"heldout worker --queue nats://HOST:4222":          {Address: InProcess, Listen: ":4222"},
		"heldout worker --queue nats://[::1]:9 --queue-login-env L": {Address: InProcess, Listen: "[::1]:9",
			LoginEnv: "L"},
		"heldout worker --queue nats://h:1 --queue-ca FILE": {Address: InProcess, Listen: "h:1",
			Security: Security{Cert: "server.pem", Key: "server.key"}},
		"heldout worker --queue tls://h:1 --job R --queue-creds FILE": {Address: "tls://h:1",
			Security: Security{Creds: "run.creds"}},
	} {
		sharedtest.Equal(t, p.Invitation("R"), want)
	}
}
