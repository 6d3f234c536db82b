package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval"
	"heldout/eval/serve"
	"heldout/eval/serve/mount"
	"heldout/scoring/table"
)

type serveOptions struct {
	mount.Defaults
	listen, tokenFile string
	record            string
	name              string
	player            configs.Identity
	acceptChanged     bool
	noToken           bool
	maxSessions       int
	perAddress        int
	idle              time.Duration
	maxMemory         memorySize
	deflate, profiles bool
	stdio             bool
}

func newServe(sys *system, c *cobra.Command) {
	o := serveOptions{listen: "127.0.0.1:8000", maxSessions: 4096, perAddress: 1024, idle: 30 * time.Minute}
	o.Reward = serve.RewardSuccess
	c.RunE = func(c *cobra.Command, mounts []string) error {
		if o.stdio && c.Flags().Changed("listen") {
			return usage(errors.New("--stdio and --listen contradict each other"))
		}
		return o.serve(c.Context(), sys, mounts)
	}
	taskSource(c, sys, &o.Setup)
	addFlags(c.Flags(), map[string]any{
		"generator-seed": &o.Setup.GeneratorSeed, "tasks": &o.Tasks, "perturb": &o.Perturbation,
		"listen": &o.listen, "token-file": &o.tokenFile, "no-token": &o.noToken, "max-sessions": &o.maxSessions,
		"max-sessions-per-client": &o.perAddress, "idle": &o.idle, "max-memory": &o.maxMemory,
		"reward": (*string)(&o.Reward), "step-cost": &o.StepCost, "invalid-penalty": &o.InvalidPenalty,
		"actions": &o.Actions, "record": &o.record, "name": &o.name, "player": &o.player,
		"accept-changed-model": &o.acceptChanged, "stdio": &o.stdio, "pprof": &o.profiles, "deflate": &o.deflate,
		"step-limit": &o.MaxSteps,
	})
}

func (o *serveOptions) serve(ctx context.Context, sys *system, texts []string) error {
	if err := o.check(); err != nil {
		return usage(err)
	}
	mounts, skipped, err := mount.Parse(sys.bench(), o.Defaults, texts)
	for _, reason := range skipped {
		sys.say("skipped: %v", reason)
	}
	if err != nil {
		return usage(err)
	}
	gyms, skipped := mount.Gyms(sys.bench(), o.Defaults, texts)
	for _, reason := range skipped {
		sys.say("%v", reason)
	}
	for _, m := range mounts { // what cannot be played is an error now, not of a client
		if _, err := m.Set(""); err != nil {
			return usage(fmt.Errorf("%s: %w", m.Name, err))
		}
	}
	options := serve.Options{
		Mounts: mounts, Gyms: gyms, Now: sys.now,
		MaxSessions: o.maxSessions, MaxPerAddress: o.perAddress, Idle: o.idle, Deflate: o.deflate, Profiles: o.profiles,
		Version: sys.tool.Version, Memory: o.maxMemory.limit(),
		Log: sys.logEvent,
	}
	if o.record != "" {
		if options, err = o.recording(sys, options); err != nil {
			return usage(err)
		}
	}
	if o.stdio {
		return o.answer(ctx, sys, options)
	}
	return o.listenAt(ctx, sys, options)
}

// recording adds to options how episodes are recorded, and of whom.
func (o *serveOptions) recording(sys *system, options serve.Options) (serve.Options, error) {
	r := mount.Recording{Dir: o.record,
		RolloutPlan: eval.RolloutPlan{Player: o.name, Named: o.name != "", Accept: o.acceptChanged}}
	if !r.Named {
		dir, err := filepath.Abs(o.record)
		if err != nil {
			return options, err
		}
		r.Player = filepath.Base(dir)
		options.Notices = append(options.Notices, fmt.Sprintf(
			"episodes are recorded with the folder as their player, %s; --name gives another name", r.Player))
	}
	if err := configs.CheckPlayer(r.Player); err != nil {
		return options, fmt.Errorf("%w: give another --name", err)
	}
	if !o.player.Zero() {
		r.Identity = &o.player
	}
	options.Record, options.Recorded = r.Record(sys.bench()), r.Recorded
	return options, nil
}

// answer answers the process that started this one until that closes its end or ends.
func (o *serveOptions) answer(ctx context.Context, sys *system, options serve.Options) error {
	options.Log = func(event string, about ...any) {
		if !strings.HasPrefix(event, "session ") { // there are thousands, and the reader knows of them
			sys.logEvent(event, about...)
		}
	}
	server, err := serve.New(options)
	if err != nil {
		return err
	}
	if _, err := server.Resume(); err != nil {
		return usage(err)
	}
	return server.ServePipe(ctx, sys.stdin, sys.stdout)
}

// listenAt serves at an address until ctx is done.
func (o *serveOptions) listenAt(ctx context.Context, sys *system, options serve.Options) error {
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return usage(fmt.Errorf("--listen %q is not an address with a port, such as 127.0.0.1:8000: %w", o.listen, err))
	}
	options.Names = []string{host, machineName()}
	if options.Token, err = o.token(); err != nil {
		return usage(err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", o.listen, err)
	}
	loopback := l.Addr().(*net.TCPAddr).IP.IsLoopback()
	if o.profiles && !loopback {
		return usage(errors.Join(errors.New("--set pprof is for a loopback address: profiles show what the process holds"),
			l.Close()))
	}
	if options.Token == "" && !o.noToken && !loopback {
		options.Token = rand.Text()
		sys.say("token: %s", options.Token)
	}
	server, err := serve.New(options)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	notices, err := server.Resume()
	if err != nil {
		return usage(errors.Join(err, l.Close()))
	}
	for _, line := range notices {
		sys.say("%s", line)
	}
	if _, err := fmt.Fprintln(sys.stdout, "http://"+l.Addr().String()); err != nil {
		return errors.Join(err, l.Close())
	}
	sys.say("serving %s; Ctrl-C ends", table.Counted(len(options.Mounts), "environment"))
	return server.Serve(ctx, l)
}

func (o *serveOptions) check() error {
	var faults configs.Faults
	faults.Note(o.maxSessions < 1 || o.perAddress < 1,
		"--max-sessions and --set max-sessions-per-client must be at least 1")
	faults.Note(o.idle < time.Second, "--idle is %v, want at least 1s", o.idle)
	faults.Note(o.MaxSteps < 0, "--step-limit is %d, want 0 or more", o.MaxSteps)
	faults.Note(o.record == "" && (o.name != "" || !o.player.Zero() || o.acceptChanged),
		"--name, --set player and --accept-changed-model are for --record")
	faults.Note(o.noToken && o.tokenFile != "", "--token-file and --set no-token contradict each other")
	faults.Add(o.Reward.Check(), serve.CheckCost("--set step-cost", o.StepCost),
		serve.CheckCost("--set invalid-penalty", o.InvalidPenalty))
	return faults.Err()
}

// The length of a token.
const minToken, maxToken = 8, 1024

// token returns the token of the file; empty without one.
func (o *serveOptions) token() (string, error) {
	if o.tokenFile == "" {
		return "", nil
	}
	b, err := datafile.Read(o.tokenFile, maxToken)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("--token-file %s must hold one token of at least %d printable characters without blanks",
			o.tokenFile, minToken)
	}
	return token, nil
}

// logEvent writes an event and its values on standard error.
func (s *system) logEvent(event string, about ...any) {
	var b strings.Builder
	b.WriteString(s.now().UTC().Format("2006-01-02T15:04:05Z") + " " + event)
	for i := 0; i+1 < len(about); i += 2 {
		fmt.Fprintf(&b, " %v=%q", about[i], fmt.Sprint(about[i+1]))
	}
	s.say("%s", table.Printable(b.String()))
}
