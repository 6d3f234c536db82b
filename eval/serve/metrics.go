package serve

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	prometheus "github.com/VictoriaMetrics/metrics"
)

// metrics count what the server does: heldout_sessions_open, heldout_sessions_opened_total and _closed_total by reason,
// of which capacity counts those that were refused; by environment the counters of type counters; the time of whole
// batches; and the episodes that could not be written to --record. Labels are names of mounts, protocols and reasons,
// never a client's text.
type metrics struct {
	set        *prometheus.Set
	openNow    *prometheus.Gauge
	batches    *prometheus.PrometheusHistogram
	unrecorded *prometheus.Counter

	counters sync.Map // of *counters, by counterKey
}

type counterKey struct {
	mount    *Mount
	protocol string
}

// counters count for one environment and protocol: steps carried out, episodes started, steps whose action the
// environment did not carry out, and its errors; the time of the environment itself, and of a whole request, from the
// read request to the written reply.
type counters struct {
	kinds         map[string]timed // of "step" and "reset"
	invalid, errs *prometheus.Counter
}

type timed struct {
	count         *prometheus.Counter
	engine, total *prometheus.PrometheusHistogram
}

// seconds are the bounds of the histograms: 1 µs to about 30 s.
var seconds = prometheus.ExponentialBuckets(1e-6, 3.164, 16)

func newMetrics() *metrics {
	set := prometheus.NewSet()
	prometheus.ExposeMetadata(true) // scrapers want the types
	return &metrics{set: set,
		openNow:    set.NewGauge("heldout_sessions_open", nil),
		batches:    set.NewPrometheusHistogramExt("heldout_batch_seconds", seconds),
		unrecorded: set.NewCounter("heldout_unrecorded_episodes_total")}
}

func (m *metrics) countersOf(mount *Mount, protocol string) *counters {
	key := counterKey{mount, protocol}
	if c, ok := m.counters.Load(key); ok {
		return c.(*counters)
	}
	labels := fmt.Sprintf("env=%q,protocol=%q", mount.Name, protocol)
	counter := func(name string) *prometheus.Counter {
		return m.set.GetOrCreateCounter("heldout_" + name + "_total{" + labels + "}")
	}
	histogram := func(name, kind string) *prometheus.PrometheusHistogram {
		return m.set.GetOrCreatePrometheusHistogramExt(
			fmt.Sprintf("heldout_%s_seconds{%s,kind=%q}", name, labels, kind), seconds)
	}
	c := &counters{kinds: map[string]timed{}, invalid: counter("invalid_actions"), errs: counter("errors")}
	for _, kind := range []string{"step", "reset"} {
		c.kinds[kind] = timed{counter(kind + "s"), histogram("engine", kind), histogram("request", kind)}
	}
	m.counters.Store(key, c) // another one has the same counters
	return c
}

func (m *metrics) openedOne(protocol string) {
	m.openNow.Inc()
	m.set.GetOrCreateCounter(fmt.Sprintf("heldout_sessions_opened_total{protocol=%q}", protocol)).Inc()
}

func (m *metrics) closed(protocol string, reason EndReason) {
	if reason != Capacity {
		m.openNow.Dec()
	}
	m.set.GetOrCreateCounter(
		fmt.Sprintf("heldout_sessions_closed_total{protocol=%q,reason=%q}", protocol, reason)).Inc()
}

// carriedOut notes a step or a reset without an error, which Session.failed counts.
func (m *metrics) carriedOut(mount *Mount, protocol, kind string, engine time.Duration, valid bool) {
	c := m.countersOf(mount, protocol)
	c.kinds[kind].count.Inc()
	c.kinds[kind].engine.Update(engine.Seconds())
	if !valid {
		c.invalid.Inc()
	}
}

// observeRequest notes the time of a whole request: a step or a reset.
func (m *metrics) observeRequest(mount *Mount, protocol, kind string, took time.Duration) {
	m.countersOf(mount, protocol).kinds[kind].total.Update(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		m.set.WritePrometheus(w)
		prometheus.WriteProcessMetrics(w)
	})
}
