package queue

import (
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

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
		if err := p.Check(); err != nil {
			t.Error(err)
		}
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
