package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/datafile"
	"heldout/eval/bench"
	"heldout/eval/model"
	"heldout/eval/progress"
	"heldout/eval/queue"
)

// embedded is the --queue that starts a server inside of run.
const embedded = "embedded"

// queueFolder is the folder of an embedded server inside the run directory.
const queueFolder = "queue"

// queueFlags say which queue a run uses.
type queueFlags struct {
	address, listen string
	security        queue.Security
	loginEnv        string
	ackWait, wait   time.Duration
	open            bool
}

// connectionFlags adds the flags that every process of a run has.
func (q *queueFlags) connectionFlags(f *pflag.FlagSet) {
	f.StringVar(&q.security.Creds, "queue-creds", "", "file with the credentials for --queue, as NATS writes them")
	f.StringVar(&q.security.CA, "queue-ca", "", "PEM file with the certificate authority of --queue, for TLS")
	f.StringVar(&q.security.Cert, "queue-cert", "", "PEM file with this process's certificate for --queue")
	f.StringVar(&q.security.Key, "queue-key", "", "PEM file with the key of --queue-cert")
	f.StringVar(&q.loginEnv, "queue-login-env", "", "environment variable with USER:PASSWORD, or a token, for --queue")
	f.DurationVar(&q.wait, "queue-wait", 30*time.Second,
		"how long to wait at the start for the server of --queue and, in a worker, for its run")
}

// login reads the variable that has the login.
func (q *queueFlags) login(sys *system) error {
	if q.loginEnv == "" {
		return nil
	}
	if q.security.Login = model.NewSecret(sys.getenv(q.loginEnv)); q.security.Login == (model.Secret{}) {
		return usage(fmt.Errorf("--queue-login-env: the environment variable %s is not set", q.loginEnv))
	}
	return usage(q.security.Check())
}

// leaderFlags adds the flags of the process that leads a run.
func (q *queueFlags) leaderFlags(f *pflag.FlagSet) {
	f.StringVar(&q.address, "queue", "",
		"have the episodes played by heldout worker: nats://HOST:4222, a NATS server with JetStream, or embedded, a "+
			"server inside this process")
	f.StringVar(&q.listen, "queue-listen", "127.0.0.1:4222",
		"address at which --queue embedded listens; give :4222 for workers on other machines")
	f.BoolVar(&q.open, "queue-open", false, "let everybody who reaches --queue-listen read and change the run")
	f.DurationVar(&q.ackWait, "queue-ack-wait", queue.AckWait,
		"how long a worker may be silent before its episodes go to others")
	q.connectionFlags(f)
}

// on reports whether there is a queue.
func (q *queueFlags) on() bool { return q.address != "" }

// ownedBy are the names of the options of owners.
func ownedBy(owners ...configs.Owner) (names []string) {
	for _, o := range configs.Options() {
		if slices.Contains(owners, o.Owner) {
			names = append(names, o.Name)
		}
	}
	return names
}

// check reports flags that do not belong together.
func (q *queueFlags) check(given *pflag.FlagSet) error {
	var errs []error
	for _, name := range []string{"queue", "shard"} { // of an unset variable in a script
		if f := given.Lookup(name); f.Changed && f.Value.String() == "" {
			errs = append(errs, fmt.Errorf("--%s is empty: give a value, or leave it out", name))
		}
	}
	if !q.on() {
		for _, name := range []string{"queue-listen", "queue-open", "queue-ack-wait", "queue-creds", "queue-ca",
			"queue-cert", "queue-key", "queue-login-env", "queue-wait"} {
			if given.Changed(name) {
				errs = append(errs, fmt.Errorf("--%s is for --queue", name))
			}
		}
		return usage(errors.Join(errs...))
	}
	for _, name := range ownedBy(configs.EachWorker) {
		if given.Changed(name) {
			errs = append(errs, fmt.Errorf("with --queue, --%s is a flag of heldout worker", name))
		}
	}
	errs = append(errs, q.security.Check())
	if q.ackWait < time.Second {
		errs = append(errs, fmt.Errorf("queue-ack-wait is %v, want at least 1s", q.ackWait))
	}
	if given.Changed("shard") {
		errs = append(errs, errors.New("--queue and --shard both divide a run: give one of them"))
	}
	if q.address == embedded {
		if given.Changed("queue-creds") {
			errs = append(errs,
				errors.New("--queue embedded has no --queue-creds; give --queue-login-env, or start a NATS server"))
		}
		errs = append(errs, q.checkListen())
	} else if err := queue.CheckAddress(q.address); err != nil {
		errs = append(errs, err)
	} else if given.Changed("queue-listen") || given.Changed("queue-open") {
		errs = append(errs, errors.New("--queue-listen and --queue-open are for --queue embedded"))
	}
	return usage(errors.Join(errs...))
}

// checkListen reports an address that no server can listen at, or that is open to others.
func (q *queueFlags) checkListen() error {
	known := q.loginEnv != "" || q.security.CA != ""
	if err := queue.CheckListen(q.listen); err != nil || known || q.open || private(q.listen) {
		return err
	}
	return fmt.Errorf(
		"--queue-listen %s: whoever reaches it could read and change the run; give --queue-login-env (and "+
			"--queue-cert and --queue-key for TLS), or allow it with --queue-open", q.listen)
}

// options returns how the queue is reached.
func (q *queueFlags) options(sys *system, role string, giveUpAfter time.Duration) queue.Options {
	return queue.Options{Address: q.address, Security: q.security, Name: role, FirstWait: q.wait,
		AckWait: q.ackWait, GiveUpAfter: giveUpAfter, Tell: sys.warn}
}

// withoutServers removes what only a worker needs.
func withoutServers(r *configs.Run) {
	r.BaseURL, r.NoIndBaseURL, r.APIKeyEnv, r.Concurrency = configs.Servers{}, nil, "", 1
}

// leading is a run whose episodes are played by workers.
type leading struct {
	job   *bench.Job
	flags *queueFlags
	c     *cobra.Command
	given bench.Given
}

// lead has what is missing of a job played by workers, and prints the tables.
func lead(ctx context.Context, sys *system, l *leading, out *output) error {
	folder := filepath.Join(l.job.Dir, queueFolder)
	return work(ctx, sys, l.job, out, 0, func(s *bench.Session, shown *progress.Run) error {
		shown.PlayElsewhere()
		if l.flags.address != embedded {
			err := l.conduct(ctx, sys, s, shown, l.flags.options(sys, "heldout "+l.c.Name(), 0))
			if err != nil && len(s.Missing) == 0 { // the run is complete without it
				sys.warn(err.Error())
				return nil
			}
			return err
		}
		if _, err := os.Stat(folder); len(s.Missing) == 0 && errors.Is(err, fs.ErrNotExist) {
			return nil // and there are no workers to tell so
		}
		server, err := queue.Serve(folder, l.flags.listen, l.flags.security)
		if err != nil {
			return err
		}
		err = l.conduct(ctx, sys, s, shown, queue.Options{Embedded: server, Security: l.flags.security,
			AckWait: l.flags.ackWait, Name: "heldout " + l.c.Name(), Tell: sys.warn})
		queue.Shut(server)
		if err == nil {
			err = os.RemoveAll(filepath.Join(folder, "jetstream")) // what the server keeps there
			_ = os.Remove(folder)                                  // unless something else is in it
		}
		return err
	})
}

// private reports whether an address can only be reached from this machine.
func private(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// conduct has the missing episodes of a session played by workers.
func (l *leading) conduct(ctx context.Context, sys *system, s *bench.Session, shown *progress.Run,
	o queue.Options) error {
	about, err := l.describe(sys, s)
	if err != nil {
		return err
	}
	leader, err := queue.Lead(ctx, o, about, queue.LeaderOptions{
		Dir: l.job.Dir, Finished: s.Finished(), Servers: s.AddServers, Tell: sys.warn})
	if err != nil {
		return err
	}
	if len(s.Missing) > 0 {
		sys.say("run %s; start workers with: %s", about.Name, l.flags.invitation(about.Name))
	}
	bound, stop := leader.Bind(ctx)
	defer stop(nil)
	err = s.Lead(bound, leader, shown, sys.warn)
	if bound.Err() != nil && ctx.Err() == nil {
		err = context.Cause(bound) // the queue is given up
	}
	return errors.Join(err, leader.Close(err == nil))
}

// invitation is the command that starts a worker of a run.
func (q *queueFlags) invitation(run string) string {
	address, job := q.address, " --job "+run // another server may have several runs
	if address == embedded {
		host, port, err := net.SplitHostPort(q.listen)
		if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
			host = "HOST" // any name of this machine
		}
		address, job = "nats://"+net.JoinHostPort(host, port), ""
	}
	text := "heldout worker --queue " + address + job
	s := q.security
	given := []struct{ name, file string }{{"creds", s.Creds}, {"ca", s.CA}, {"cert", s.Cert}, {"key", s.Key}}
	if q.address == embedded && s.Cert != "" {
		given = []struct{ name, file string }{{"ca", s.Cert}, {"cert", s.CA}, {"key", s.CA}} // what fits the server's
	}
	for _, f := range given {
		if f.file != "" {
			text += " --queue-" + f.name + " FILE"
		}
	}
	if q.loginEnv != "" {
		text += " --queue-login-env " + q.loginEnv
	}
	return text
}

// describe describes the run to its workers.
func (l *leading) describe(sys *system, s *bench.Session) (queue.Job, error) {
	content, err := l.given.ReadFile()
	if err != nil {
		return queue.Job{}, err
	}
	j := queue.Job{
		Name: s.Name(), Tool: sys.tool, Command: l.c.Name(), File: l.given.File, Config: content,
		Chosen: l.given.Chosen,
		Flags:  shared(l.c.Flags()), Files: files(&l.job.Config), Plan: l.job.Plan.Hash(), Parts: l.job.Plan.Hashes(),
	}
	if !l.c.Flags().Changed("env") && len(l.job.Config.Preset) == 0 { // those that this machine has
		j.Flags = append(j.Flags, queue.Flag{Name: "env", Values: l.job.Config.Env, List: true})
	}
	return j, nil
}

// files returns the files that the configuration of a run names. A name of ours has
// neither dot nor slash.
func files(r *configs.Run) (out []queue.File) {
	add := func(flag, name string) {
		if content, err := datafile.Read(name, datafile.MaxConfig); err == nil { // the run has read it
			out = append(out, queue.File{Flag: flag, Path: name, SHA256: queue.Hash(content)})
		}
	}
	for _, o := range configs.Options() {
		if o.Names != configs.Files {
			continue
		}
		for _, name := range o.Texts(r) {
			if strings.ContainsAny(name, "./") {
				add(o.Name, name)
			}
		}
	}
	for name := range strings.SplitSeq(r.Tasks, ",") {
		if list, ok := strings.CutPrefix(strings.TrimSpace(name), "@"); ok {
			add("tasks", list)
		}
	}
	return out
}

// shared returns the flags that say what is played: all that have nothing to do
// with the machine.
func shared(given *pflag.FlagSet) (out []queue.Flag) {
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	var r configs.Run
	sweepFlags(known, &r)
	own := ownedBy(configs.EachWorker, configs.EachOne, configs.TheLeader)
	for _, s := range catalog.Settings() {
		if s.Type == envs.Path {
			own = append(own, s.Name)
		}
	}
	given.Visit(func(f *pflag.Flag) {
		if known.Lookup(f.Name) == nil || slices.Contains(own, f.Name) {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			out = append(out, queue.Flag{Name: f.Name, Values: list.GetSlice(), List: true})
		} else {
			out = append(out, queue.Flag{Name: f.Name, Values: []string{f.Value.String()}})
		}
	})
	return out
}

// apply sets the fields of r that the flags of a run's description name.
func apply(r *configs.Run, flags []queue.Flag) error {
	over := pflag.NewFlagSet("", pflag.ContinueOnError)
	sweepFlags(over, r)
	var errs []error
	for _, given := range flags {
		f := over.Lookup(given.Name)
		if f == nil {
			errs = append(errs, fmt.Errorf("the run has a flag that this version does not know: %.40q", given.Name))
			continue
		}
		list, isList := f.Value.(pflag.SliceValue)
		switch {
		case isList != given.List, !isList && len(given.Values) != 1:
			errs = append(errs, fmt.Errorf("the run has the flag %.40q, which has other values in this version",
				given.Name))
		case isList:
			errs = append(errs, list.Replace(given.Values))
		default:
			errs = append(errs, f.Value.Set(given.Values[0]))
		}
	}
	return errors.Join(errs...)
}
