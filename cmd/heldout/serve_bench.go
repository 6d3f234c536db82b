package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
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
			if err := checkLoad(&o); err != nil {
				return usage(err)
			}
			if tokenFile != "" {
				b, err := datafile.Read(tokenFile, maxToken)
				if err != nil {
					return usage(fmt.Errorf("--token-file: %w", err))
				}
				o.Token = strings.TrimSpace(string(b))
			}
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

// checkLoad reports values that make no sense, and splits the address of v1.
func checkLoad(o *load.Options) error {
	var errs []error
	if !slices.Contains([]load.Protocol{load.OpenEnv, load.AgentGym, load.V1}, o.Protocol) {
		errs = append(errs, fmt.Errorf("--protocol is %q, want openenv, agentgym or v1", o.Protocol))
	}
	if !slices.Contains([]load.Kind{load.Steps, load.Resets, load.Drops}, o.Kind) {
		errs = append(errs, fmt.Errorf("--kind is %q, want steps, resets or drops", o.Kind))
	}
	if o.Clients < 1 || o.Clients > 65536 || o.Batch < 1 || o.Batch > 4096 || o.Tasks < 1 || o.Tasks > 100000 {
		errs = append(errs, errors.New("--clients must be 1 to 65536, --batch 1 to 4096, --tasks 1 to 100000"))
	}
	if o.Rate < 0 || o.For < 100*time.Millisecond || o.For > time.Hour {
		errs = append(errs, errors.New("--rate must not be negative, --for 100ms to 1h"))
	}
	if o.Protocol == load.V1 {
		u, err := url.Parse(o.URL)
		if err != nil || !strings.HasPrefix(u.Path, "/v1/envs/") {
			errs = append(errs, fmt.Errorf("--url is %q, want an address such as http://127.0.0.1:8000/v1/envs/pddl",
				o.URL))
		} else {
			o.Env = path.Base(u.Path)
			u.Path = ""
			o.URL = u.String()
		}
	}
	return errors.Join(errs...)
}

// serveBenchResult is the output of bench.
type serveBenchResult struct {
	Protocol  load.Protocol `json:"protocol"`
	Kind      load.Kind     `json:"kind"`
	Clients   int           `json:"clients"`
	Seconds   float64       `json:"seconds"`
	Steps     int64         `json:"steps"`
	Resets    int64         `json:"resets"`
	Errors    int64         `json:"errors"`
	StepRate  float64       `json:"steps_per_second"`
	ResetRate float64       `json:"resets_per_second"`
	P50       float64       `json:"p50_ms"`
	P99       float64       `json:"p99_ms"`
	Max       float64       `json:"max_ms"`
	// ServerCPU is the server's CPU time per step and reset, in microseconds.
	ServerCPU *float64 `json:"server_cpu_us,omitempty"`
}

// serveBench measures and prints.
func (s *system) serveBench(ctx context.Context, o load.Options, asJSON bool) error {
	r, err := load.Run(ctx, o)
	if err != nil {
		return err
	}
	seconds := r.Took.Seconds()
	ms := func(us int64) float64 { return float64(us) / 1000 }
	out := serveBenchResult{
		Protocol: o.Protocol, Kind: o.Kind, Clients: o.Clients, Seconds: seconds, Steps: r.Steps, Resets: r.Resets,
		Errors:   r.Errors,
		StepRate: float64(r.Steps) / seconds, ResetRate: float64(r.Resets) / seconds,
		P50: ms(r.Latency.ValueAtQuantile(50)), P99: ms(r.Latency.ValueAtQuantile(99)), Max: ms(r.Latency.Max()),
	}
	if r.ServerCPU >= 0 && r.Steps+r.Resets > 0 {
		us := float64(r.ServerCPU.Microseconds()) / float64(r.Steps+r.Resets)
		out.ServerCPU = &us
	}
	if err := s.printServeBench(out, asJSON); err != nil {
		return err
	}
	if r.Errors > 0 {
		return fmt.Errorf("%d requests failed; the first: %s", r.Errors, table.Printable(r.First.Error()))
	}
	return nil
}

func (s *system) printServeBench(r serveBenchResult, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(s.stdout).Encode(r)
	}
	cpu := "unknown"
	if r.ServerCPU != nil {
		cpu = fmt.Sprintf("%.1f µs", *r.ServerCPU)
	}
	_, err := fmt.Fprintf(s.stdout, `%s, %d clients, %.1f s
steps       %d, %.0f per second
resets      %d, %.0f per second
errors      %d
latency     p50 %.3f ms, p99 %.3f ms, max %.3f ms
server CPU  %s per step and reset
`, r.Protocol, r.Clients, r.Seconds, r.Steps, r.StepRate, r.Resets, r.ResetRate, r.Errors, r.P50, r.P99, r.Max, cpu)
	return err
}
