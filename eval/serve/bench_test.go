package serve

import (
	"net/http/httptest"
	"testing"
	"time"

	"heldout/eval/serve/load"
)

// TestLoads puts each load on a server for a moment: replies are counted, nothing
// fails, and no session is left but those of clients that vanish from a protocol
// without connections.
func TestLoads(t *testing.T) {
	for _, p := range []load.Protocol{load.OpenEnv, load.V1} {
		for _, kind := range []load.Kind{load.Steps, load.Resets, load.Drops} {
			s, _ := testServer(t, func(o *Options) { o.Now, o.MaxSessions, o.MaxPerAddress = time.Now, 1<<16, 1<<16 })
			h := httptest.NewServer(s)
			url := h.URL
			if p == load.OpenEnv {
				url += "/openenv/echo"
			}
			r, err := load.Run(t.Context(), load.Options{
				URL: url, Protocol: p, Kind: kind, Env: "echo", Clients: 4, Batch: 3, Tasks: 2,
				For: 300 * time.Millisecond, Now: time.Now,
			})
			if err != nil {
				t.Fatalf("%s, %s: %v", p, kind, err)
			}
			if r.Errors > 0 || r.Resets == 0 || (kind == load.Steps) != (r.Steps > 0) || r.Latency.TotalCount() == 0 ||
				r.ServerCPU < 0 {
				t.Errorf("%s, %s: %d steps, %d resets, %d errors (%v), server CPU %v", p, kind, r.Steps, r.Resets,
					r.Errors, r.First, r.ServerCPU)
			}
			h.Close()
		}
	}
}
