package queue

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// operator is a NATS server in operator mode with TLS: its accounts and users are signed tokens.
type operator struct {
	t       *testing.T
	key     nkeys.KeyPair
	server  *server.Server
	address string
	// webSocket is the address of WebSockets, without TLS.
	webSocket string
}

func newOperator(t *testing.T, a *authority) *operator {
	t.Helper()
	o := &operator{t: t, key: sharedtest.Must(nkeys.CreateOperator())(t), address: freeAddress(t)}
	claims := jwt.NewOperatorClaims(sharedtest.Must(o.key.PublicKey())(t))
	cert, key := a.issue("server")
	host, port, _ := net.SplitHostPort(o.address)
	options := &server.Options{Host: host, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		Websocket:        server.WebsocketOpts{Host: host, NoTLS: true},
		TrustedOperators: []*jwt.OperatorClaims{claims}, AccountResolver: &server.MemAccResolver{}}
	options.Port = sharedtest.Must(net.LookupPort("tcp", port))(t)
	o.webSocket = freeAddress(t)
	_, port, _ = net.SplitHostPort(o.webSocket)
	options.Websocket.Port = sharedtest.Must(net.LookupPort("tcp", port))(t)
	sharedtest.OK(t, (Security{Cert: cert, Key: key}).secure(options))
	// JetStream in operator mode needs a system account.
	options.SystemAccount, _ = o.account(options.AccountResolver, "system", 0)
	o.server = start(t, options)
	return o
}

// account adds an account and returns its public key and the key that signs users.
func (o *operator) account(to server.AccountResolver, name string, disk int64) (string, nkeys.KeyPair) {
	o.t.Helper()
	key := sharedtest.Must(nkeys.CreateAccount())(o.t)
	claims := jwt.NewAccountClaims(sharedtest.Must(key.PublicKey())(o.t))
	claims.Name = name
	if disk > 0 { // which the server reserves
		claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: disk, Streams: -1,
			Consumer: -1, MaxBytesRequired: true}
	}
	sharedtest.OK(o.t, to.Store(claims.Subject, sharedtest.Must(claims.Encode(o.key))(o.t)))
	return claims.Subject, key
}

// user writes the credentials of a user. It returns their file and their secrets.
func (o *operator) user(account nkeys.KeyPair, change func(*jwt.UserClaims)) (file string, secrets []string) {
	o.t.Helper()
	key := sharedtest.Must(nkeys.CreateUser())(o.t)
	claims := jwt.NewUserClaims(sharedtest.Must(key.PublicKey())(o.t))
	change(claims)
	token := sharedtest.Must(claims.Encode(account))(o.t)
	seed := sharedtest.Must(key.Seed())(o.t)
	content := sharedtest.Must(jwt.FormatUserConfig(token, seed))(o.t)
	file = filepath.Join(o.t.TempDir(), "user.creds")
	sharedtest.OK(o.t, os.WriteFile(file, content, 0o600))
	return file, []string{token, string(seed)}
}

// opensFirst opens the first connection of an account alone. Of two at once, the server
// may remove the folder of one's streams for the other.
func (b *bench) opensFirst() {
	b.t.Helper()
	first := sharedtest.Must(connect(b.ctx, *b.leader))(b.t)
	defer first.close()
	sharedtest.OK(b.t, sharedtest.Err(first.js.AccountInfo(b.ctx)))
}

// A NATS server in operator mode with TLS takes credentials files, of the leader and of workers.
func TestOperatorMode(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	o := newOperator(t, a)
	_, teamKey := o.account(o.server.AccountResolver(), "team", 2<<30)
	_, otherKey := o.account(o.server.AccountResolver(), "others", 1<<20)
	_, bareKey := o.account(o.server.AccountResolver(), "bare", 0)
	anyone := func(*jwt.UserClaims) {}
	leader, _ := o.user(teamKey, anyone)
	worker, secrets := o.user(teamKey, anyone)
	b := newBench(t, newLine(8).plan(t))
	b.leader = quick(Options{Address: "tls://" + o.address, Security: Security{CA: a.file, Creds: leader},
		Tell: func(line string) { t.Log(line) }})
	b.opensFirst()
	b.play("tls://"+o.address, Security{CA: a.file, Creds: worker})

	w := newBench(t, newLine(8).plan(t))
	w.leader = quick(Options{Address: "tls://127.0.0.1:1,tls://" + o.address,
		Security: Security{CA: a.file, Creds: leader}, Tell: func(line string) { t.Log(line) }})
	w.play("ws://"+o.webSocket, Security{Creds: worker})

	refused := func(name, creds, want string, secrets ...string) {
		t.Helper()
		_, err := Join(b.ctx, Options{Address: "tls://" + o.address, Security: Security{CA: a.file, Creds: creds},
			Tell: func(line string) { t.Error(line) }}, "")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q in one line", name, err, want)
			return
		}
		for _, secret := range secrets {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error tells a secret: %v", name, err)
			}
		}
	}
	for _, c := range []struct {
		name    string
		account nkeys.KeyPair
		change  func(*jwt.UserClaims)
		want    string
	}{
		{"expired", teamKey, func(c *jwt.UserClaims) { c.Expires = time.Now().Add(-time.Hour).Unix() }, "have expired"},
		{"of nobody", sharedtest.Must(nkeys.CreateAccount())(t), anyone,
			"the server refuses the credentials of --queue-creds"},
		{"of another account", otherKey, anyone, "no run waits for workers there"},
		{"of an account without JetStream", bareKey, anyone, "JetStream"},
		{"without permissions", teamKey, func(c *jwt.UserClaims) { c.Pub.Deny.Add(">") },
			"the credentials may not use JetStream"},
	} {
		file, secrets := o.user(c.account, c.change)
		refused(c.name, file, c.want, secrets...)
	}
	refused("none", "", "give them with --queue-creds")
	refused("no file", filepath.Join(t.TempDir(), "none.creds"), "--queue-creds")
	broken := filepath.Join(t.TempDir(), "broken.creds")
	for _, content := range []string{"", "sesame", "-----BEGIN NATS USER JWT-----\n" + secrets[0] +
		"\n------END NATS USER JWT------\n", secrets[1]} {
		sharedtest.OK(t, os.WriteFile(broken, []byte(content), 0o600))
		refused("a broken file", broken, "--queue-creds", append(secrets, "sesame")...)
	}
	b.refuses("tls://"+o.address, Security{CA: a.file, Login: model.NewSecret("me:sesame")},
		"the server refuses the login")
}

// Credentials that expire while a worker works end it with one line that says so.
func TestCredentialsExpire(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	a := newAuthority(t)
	o := newOperator(t, a)
	_, team := o.account(o.server.AccountResolver(), "team", 2<<30)
	creds, secrets := o.user(team, func(c *jwt.UserClaims) { c.Expires = time.Now().Add(2 * time.Second).Unix() })
	ctx := sharedtest.Limited(t)
	link := sharedtest.Must(connect(ctx, Options{Address: "tls://" + o.address, Security: Security{
		CA: a.file, Creds: creds}, Tell: func(line string) { t.Log(line) }}))(t)
	defer link.close()
	receive(ctx, t, link.lost.Done(), "the connection to be given up")
	text := link.named(nil).Error()
	if !strings.Contains(text, "they have expired") || strings.Contains(text, "\n") {
		t.Error(text)
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("the error tells a secret: %s", text)
		}
	}
}
