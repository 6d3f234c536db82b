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
	steps, resets, invalid, errs *prometheus.Counter
	stepTime, resetTime          *prometheus.PrometheusHistogram
	stepWhole, resetWhole        *prometheus.PrometheusHistogram
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
	c := &counters{
		steps: counter("steps"), resets: counter("resets"),
		invalid: counter("invalid_actions"), errs: counter("errors"),
		stepTime: histogram("engine", "step"), resetTime: histogram("engine", "reset"),
		stepWhole: histogram("request", "step"), resetWhole: histogram("request", "reset"),
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

func (m *metrics) reset(mount *Mount, protocol string, engine time.Duration) {
	c := m.countersOf(mount, protocol)
	c.resets.Inc()
	c.resetTime.Update(engine.Seconds())
}

func (m *metrics) step(mount *Mount, protocol string, engine time.Duration, r *Reply, err error) {
	if err != nil {
		return // Session.failed counts it
	}
	c := m.countersOf(mount, protocol)
	c.steps.Inc()
	if !r.Valid {
		c.invalid.Inc()
	}
	c.stepTime.Update(engine.Seconds())
}

// observeRequest notes the time of a whole request: a step or a reset.
func (m *metrics) observeRequest(mount *Mount, protocol, kind string, took time.Duration) {
	c := m.countersOf(mount, protocol)
	if kind == "reset" {
		c.resetWhole.Update(took.Seconds())
		return
	}
	c.stepWhole.Update(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		m.set.WritePrometheus(w)
		prometheus.WriteProcessMetrics(w)
	})
}
