package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"heldout/envs/datafile"
	"heldout/eval/serve/load"
	"heldout/scoring/table"
)

func newServeBench(sys *system) *cobra.Command {
	o := load.Options{Now: sys.now}
	var protocol, kind, tokenFile string
	var asJSON bool
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure a server: steps per second and latency",
		Long: `bench puts a load on a running server and measures it. First it plays a walk of
random valid actions in each task. Then every client repeats these walks for the
given time, so that no list of actions is part of what is measured.

--kind resets resets again and again; --kind drops connects, resets and vanishes
without a word. The CPU time of the server comes from its /metrics.`,
		Example: `  heldout serve bench --url http://127.0.0.1:8000/openenv/pddl --clients 64
  heldout serve bench --url http://127.0.0.1:8000/v1/envs/pddl --protocol v1
  heldout serve bench --url http://HOST/agentgym/babyai --protocol agentgym`,
		Args: args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			o.Protocol, o.Kind = load.Protocol(protocol), load.Kind(kind)
			if err := o.Check(); err != nil {
				return usage(err)
			}
			if tokenFile != "" {
				b, err := datafile.Read(tokenFile, maxToken)
				if err != nil {
					return usage(fmt.Errorf("--token-file: %w", err))
				}
				o.Token = strings.TrimSpace(string(b))
			}
			sys.spareRequests()
			return sys.serveBench(c.Context(), o, asJSON)
		},
	}
	f := c.Flags()
	f.StringVar(&o.URL, "url", "http://127.0.0.1:8000/openenv/pddl", "address of one mount")
	f.StringVar(&protocol, "protocol", string(load.OpenEnv), "openenv, agentgym or v1")
	f.StringVar(&kind, "kind", string(load.Steps), "what clients do: steps, resets or drops")
	f.IntVar(&o.Clients, "clients", 64, "number of sessions that play at once")
	f.IntVar(&o.Batch, "batch", 64, "sessions per request of v1")
	f.Float64Var(&o.Rate, "rate", 0, "steps per second of all clients together; 0 sends each step as soon as it can")
	f.DurationVar(&o.For, "for", 10*time.Second, "how long the load lasts")
	f.Int64Var(&o.Seed, "seed", 0, "seed of the walks")
	f.IntVar(&o.Tasks, "tasks", 16, "number of tasks that are played, from the first on")
	f.StringVar(&tokenFile, "token-file", "", "file with the server's token")
	f.BoolVar(&asJSON, "json", false, "one JSON object")
	return c
}

func (s *system) serveBench(ctx context.Context, o load.Options, asJSON bool) error {
	r, err := load.Run(ctx, o)
	if err != nil {
		return err
	}
	if m := r.Measured(o); asJSON {
		err = json.NewEncoder(s.stdout).Encode(m)
	} else {
		_, err = io.WriteString(s.stdout, m.String())
	}
	if err == nil && r.Errors > 0 {
		err = fmt.Errorf("%d requests failed; the first: %s", r.Errors, table.Printable(r.First.Error()))
	}
	return err
}
