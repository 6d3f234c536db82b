package queue

import (
	"fmt"
	"net"
	"time"

	"heldout/configs"
)

// InProcess is the address of a server inside of the process that leads a run.
const InProcess = "embedded"

// Location says where the queue of a run is, as the user gives it.
type Location struct {
	// Address is the server's, or InProcess, which then listens at Listen.
	Address, Listen string
	Security        Security
	LoginEnv        string // the environment variable that the login is from
	// AckWait is how long a worker may be silent; Wait how long to wait at the start.
	AckWait, Wait time.Duration
	Open          bool // everybody who reaches Listen may read and change the run
}

// Check reports what does not belong together.
func (p Location) Check() error {
	faults := configs.Faults{p.Security.Check()}
	faults.Note(p.AckWait < time.Second, "queue-ack-wait is %v, want at least 1s", p.AckWait)
	if p.Address == InProcess {
		faults.Add(p.checkListen())
	} else {
		faults.Add(CheckAddress(p.Address))
	}
	return faults.Err()
}

// checkListen reports an address that no server can listen at, or that is open to others.
func (p Location) checkListen() error {
	secured := p.LoginEnv != "" || p.Security.CA != ""
	if _, _, err := hostPort(p.Listen); err != nil || secured || p.Open || private(p.Listen) {
		return err
	}
	return fmt.Errorf("--queue-listen %s: whoever reaches it could read and change the run; give --queue-login-env "+
		"(and --queue-cert and --queue-key for TLS), or allow it with --queue-open", p.Listen)
}

// private reports whether an address can only be reached from this machine.
func private(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// Options returns how a process of that role reaches the queue.
func (p Location) Options(role string, giveUpAfter time.Duration, tell func(string)) Options {
	return Options{Address: p.Address, Security: p.Security, Name: role, FirstWait: p.Wait, AckWait: p.AckWait,
		GiveUpAfter: giveUpAfter, Tell: tell}
}

// Invitation is the command that starts a worker of a run.
func (p Location) Invitation(run string) string {
	address, job := p.Address, " --job "+run // another server may have several runs
	if address == InProcess {
		host, port, err := net.SplitHostPort(p.Listen)
		if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
			host = "HOST" // any name of this machine
		}
		address, job = "nats://"+net.JoinHostPort(host, port), ""
	}
	text := "heldout worker --queue " + address + job
	s := p.Security
	files := []struct{ name, file string }{{"creds", s.Creds}, {"ca", s.CA}, {"cert", s.Cert}, {"key", s.Key}}
	if p.Address == InProcess && s.Cert != "" {
		files = []struct{ name, file string }{{"ca", s.Cert}, {"cert", s.CA}, {"key", s.CA}} // what fits the server's
	}
	for _, f := range files {
		if f.file != "" {
			text += " --queue-" + f.name + " FILE"
		}
	}
	if p.LoginEnv != "" {
		text += " --queue-login-env " + p.LoginEnv
	}
	return text
}
