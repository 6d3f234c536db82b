package load

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// Check reports values that make no sense, and splits the address of V1.
func (o *Options) Check() error {
	var errs []error
	if !slices.Contains([]Protocol{OpenEnv, AgentGym, V1}, o.Protocol) {
		errs = append(errs, fmt.Errorf("--protocol is %q, want openenv, agentgym or v1", o.Protocol))
	}
	if !slices.Contains([]Kind{Steps, Resets, Drops}, o.Kind) {
		errs = append(errs, fmt.Errorf("--kind is %q, want steps, resets or drops", o.Kind))
	}
	if o.Clients < 1 || o.Clients > 65536 || o.Batch < 1 || o.Batch > 4096 || o.Tasks < 1 || o.Tasks > 100000 {
		errs = append(errs, errors.New("--clients must be 1 to 65536, --batch 1 to 4096, --tasks 1 to 100000"))
	}
	if o.Rate < 0 || o.For < 100*time.Millisecond || o.For > time.Hour {
		errs = append(errs, errors.New("--rate must not be negative, --for 100ms to 1h"))
	}
	if o.Protocol == V1 {
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

// Measured is the result of a load as it is shown.
type Measured struct {
	Protocol  Protocol `json:"protocol"`
	Kind      Kind     `json:"kind"`
	Clients   int      `json:"clients"`
	Seconds   float64  `json:"seconds"`
	Steps     int64    `json:"steps"`
	Resets    int64    `json:"resets"`
	Errors    int64    `json:"errors"`
	StepRate  float64  `json:"steps_per_second"`
	ResetRate float64  `json:"resets_per_second"`
	P50       float64  `json:"p50_ms"`
	P99       float64  `json:"p99_ms"`
	Max       float64  `json:"max_ms"`
	// ServerCPU is the server's CPU time per step and reset, in microseconds.
	ServerCPU *float64 `json:"server_cpu_us,omitempty"`
}

// Measured shows a result of a load with those options.
func (r *Result) Measured(o Options) Measured {
	seconds := r.Took.Seconds()
	ms := func(us int64) float64 { return float64(us) / 1000 }
	m := Measured{
		Protocol: o.Protocol, Kind: o.Kind, Clients: o.Clients, Seconds: seconds, Steps: r.Steps, Resets: r.Resets,
		Errors:   r.Errors,
		StepRate: float64(r.Steps) / seconds, ResetRate: float64(r.Resets) / seconds,
		P50: ms(r.Latency.ValueAtQuantile(50)), P99: ms(r.Latency.ValueAtQuantile(99)), Max: ms(r.Latency.Max()),
	}
	if r.ServerCPU >= 0 && r.Steps+r.Resets > 0 {
		us := float64(r.ServerCPU.Microseconds()) / float64(r.Steps+r.Resets)
		m.ServerCPU = &us
	}
	return m
}

// String writes lines for people.
func (m Measured) String() string {
	cpu := "unknown"
	if m.ServerCPU != nil {
		cpu = fmt.Sprintf("%.1f µs", *m.ServerCPU)
	}
	return fmt.Sprintf(`%s, %d clients, %.1f s
steps       %d, %.0f per second
resets      %d, %.0f per second
errors      %d
latency     p50 %.3f ms, p99 %.3f ms, max %.3f ms
server CPU  %s per step and reset
`, m.Protocol, m.Clients, m.Seconds, m.Steps, m.StepRate, m.Resets, m.ResetRate, m.Errors, m.P50, m.P99, m.Max, cpu)
}
