package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"

	"heldout/envs"
	"heldout/eval/bench"
	"heldout/eval/episode"
	"heldout/eval/serve/guard"
	"heldout/eval/show/overview"
	"heldout/eval/show/page"
	"heldout/eval/show/trajectory"
	"heldout/eval/show/view"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

func newView(sys *system, c *cobra.Command) {
	listen := "127.0.0.1:0"
	var proxies []string
	var texts bench.Texts
	var only chosen
	c.RunE = func(c *cobra.Command, dirs []string) error {
		if len(dirs) == 0 {
			dirs = []string{bench.RunsDir}
		}
		find := func(tell record.Tell) ([]record.Chosen, error) {
			found, err := record.RunsBelow(dirs, tell)
			if err != nil {
				return nil, err
			}
			return only.choose(found)
		}
		runs, err := find(sys.tell())
		if err != nil {
			return err
		}
		quiet := func(string) {}
		rescan := func() ([]record.Chosen, error) { return find(record.Tell{Say: quiet, Warn: quiet}) }
		texts.Outside = sys.outside()
		return serveView(c.Context(), sys, view.Options{Runs: runs, Find: rescan,
			Callers: guard.Callers{Proxies: proxies}}, listen, texts)
	}
	taskSource(c, sys, &texts.Setup)
	addFlags(c.Flags(), map[string]any{"prompt": &texts.Prompts, "listen": &listen, "proxy-host": &proxies})
	only.flags(c)
}

func serveView(ctx context.Context, sys *system, options view.Options, listen string, texts bench.Texts) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return usage(fmt.Errorf("--listen %q is not an address with a port, such as 127.0.0.1:8080: %w", listen, err))
	}
	worlds := &bench.Worlds{Texts: texts}
	prompts := bench.Prompts{Worlds: worlds}
	options.Now, options.Names, options.Sent = sys.now, []string{host, machineName()}, prompts.Sent
	options.Compare = func(ctx context.Context, runs []record.Chosen, pages trajectory.Addresses) (page.Page, error) {
		source, err := report.Inputs{Interval: string(stats.TheseKinds)}.Load()
		if err != nil {
			return page.Page{}, err
		}
		rep, _, err := source.Read(runs, true)
		if err != nil {
			return page.Page{}, err
		}
		return overview.Linked(runs, rep, pages)
	}
	options.Drawable = func(c record.Condition) bool { return bench.Drawable(c, texts.Setup) }
	options.Draw = func(ctx context.Context, condition record.Condition, task envs.Task, e *record.Episode) (
		[]envs.Picture,
		int, error) {
		env, found, err := worlds.Task(condition, task)
		if err != nil {
			return nil, 0, err
		}
		return episode.Pictures(ctx, env, found, e)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", listen, err)
	}
	address := "http://" + l.Addr().String() + "/"
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		options.Token = rand.Text()
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			address = fmt.Sprintf("http://%s:%d/", machineName(), l.Addr().(*net.TCPAddr).Port)
		}
		address += "?token=" + options.Token
	}
	if _, err := fmt.Fprintln(sys.stdout, address); err != nil {
		return errors.Join(err, l.Close())
	}
	sys.say("showing %s; Ctrl-C ends", table.Counted(len(options.Runs), "run"))
	return view.New(options).Serve(ctx, l)
}

func machineName() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}
