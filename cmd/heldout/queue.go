package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/model"
	"heldout/eval/scale/queue"
)

type queueFlags struct{ queue.Location }

// connectionFlags adds the flags that every process of a run has.
func (q *queueFlags) connectionFlags(f *pflag.FlagSet) {
	q.Wait = 30 * time.Second
	addFlags(f, map[string]any{"queue-creds": &q.Security.Creds, "queue-ca": &q.Security.CA,
		"queue-cert": &q.Security.Cert, "queue-key": &q.Security.Key, "queue-login-env": &q.LoginEnv,
		"queue-wait": &q.Wait})
}

// login reads the variable that has the login.
func (q *queueFlags) login(sys *system) error {
	if q.LoginEnv == "" {
		return nil
	}
	if q.Security.Login = model.NewSecret(sys.getenv(q.LoginEnv)); q.Security.Login == (model.Secret{}) {
		return usage(fmt.Errorf("--queue-login-env: the environment variable %s is not set", q.LoginEnv))
	}
	return usage(q.Security.Check())
}

// leaderFlags adds the flags of the process that leads a run.
func (q *queueFlags) leaderFlags(f *pflag.FlagSet) {
	q.Listen, q.AckWait = "127.0.0.1:4222", queue.AckWait
	addFlags(f, map[string]any{"queue": &q.Address, "queue-listen": &q.Listen, "queue-open": &q.Open,
		"queue-ack-wait": &q.AckWait})
	q.connectionFlags(f)
}

func (q *queueFlags) on() bool { return q.Address != "" }

func ownedBy(owners ...configs.Owner) (names []string) {
	for _, o := range configs.Options() {
		if slices.Contains(owners, o.Owner) {
			names = append(names, o.Name)
		}
	}
	return names
}

func (q *queueFlags) check(flags *pflag.FlagSet) error {
	var faults configs.Faults
	for _, name := range []string{"queue", "shard"} { // of an unset variable in a script
		f := flags.Lookup(name)
		faults.Note(f.Changed && f.Value.String() == "", "--%s is empty: give a value, or leave it out", name)
	}
	if !q.on() {
		flags.VisitAll(func(f *pflag.Flag) {
			faults.Note(f.Changed && strings.HasPrefix(f.Name, "queue-"), "--%s is for --queue", f.Name)
		})
		return usage(faults.Err())
	}
	for _, name := range ownedBy(configs.EachWorker) {
		faults.Note(flags.Changed(name), "with --queue, --%s is a flag of heldout worker", name)
	}
	faults.Note(flags.Changed("shard"), "--queue and --set shard both divide a run: give one of them")
	inside := q.Address == queue.InProcess
	faults.Note(inside && flags.Changed("queue-creds"),
		"--queue embedded has no --queue-creds; give --queue-login-env, or start a NATS server")
	faults.Note(!inside && (flags.Changed("queue-listen") || flags.Changed("queue-open")),
		"--queue-listen and --queue-open are for --queue embedded")
	faults.Add(q.Location.Check())
	return usage(faults.Err())
}

// shared returns the flags that say what is played, not how the machine plays it.
func shared(flags *pflag.FlagSet) []queue.Flag {
	own := ownedBy(configs.EachWorker, configs.EachOne, configs.TheLeader)
	for _, s := range catalog.Settings() {
		if s.Type == envs.Path {
			own = append(own, s.Name)
		}
	}
	return flagsOfRun(flags, own)
}

// flagsOfRun returns the given flags that set a field of configs.Run, without some.
func flagsOfRun(flags *pflag.FlagSet, excluded []string) (out []queue.Flag) {
	ofRun := flagsOf(new(configs.Run))
	flags.Visit(func(f *pflag.Flag) {
		if ofRun.Lookup(f.Name) == nil || slices.Contains(excluded, f.Name) {
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
	set := flagsOf(r)
	var faults configs.Faults
	for _, flag := range flags {
		f := set.Lookup(flag.Name)
		if f == nil {
			faults.Add(fmt.Errorf("the run has a flag that this version does not know: %.40q", flag.Name))
			continue
		}
		list, isList := f.Value.(pflag.SliceValue)
		switch {
		case isList != flag.List, !isList && len(flag.Values) != 1:
			faults.Add(fmt.Errorf("the run has the flag %.40q, which has other values in this version",
				flag.Name))
		case isList:
			faults.Add(list.Replace(flag.Values))
		default:
			faults.Add(f.Value.Set(flag.Values[0]))
		}
	}
	return faults.Err()
}
