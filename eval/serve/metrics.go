package serve

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics count what the server does. Labels are names of mounts, protocols and
// reasons, never a client's text.
type metrics struct {
	registry                     *prometheus.Registry
	openNow                      prometheus.Gauge
	opened, ended                *prometheus.CounterVec
	steps, resets, invalid, errs *prometheus.CounterVec
	engine                       *prometheus.HistogramVec
	requests                     *prometheus.HistogramVec
	batches                      prometheus.Histogram
	unrecorded                   prometheus.Counter

	mu       sync.RWMutex
	counters map[counterKey]*counters
}

type counterKey struct {
	mount    *Mount
	protocol string
}

type counters struct {
	steps, resets, invalid, errs prometheus.Counter
	stepTime, resetTime          prometheus.Observer
	stepWhole, resetWhole        prometheus.Observer
}

// seconds are the bounds of the histograms: 1 µs to about 30 s.
var seconds = prometheus.ExponentialBucketsRange(1e-6, 32, 16)

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), counters: map[counterKey]*counters{}}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "heldout", Name: name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	histogram := func(name, help string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "heldout", Name: name, Help: help,
			Buckets: seconds}, []string{"env", "protocol", "kind"})
		m.registry.MustRegister(h)
		return h
	}
	m.batches = prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "heldout", Name: "batch_seconds",
		Help: "Time of a whole batch.", Buckets: seconds})
	m.unrecorded = prometheus.NewCounter(prometheus.CounterOpts{Namespace: "heldout", Name: "unrecorded_episodes_total",
		Help: "Episodes that could not be written to --record."})
	m.registry.MustRegister(m.batches, m.unrecorded, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewGoCollector())
	m.openNow = prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "heldout", Name: "sessions_open",
		Help: "Open sessions."})
	m.registry.MustRegister(m.openNow)
	m.opened = counter("sessions_opened_total", "Sessions opened.", "protocol")
	m.ended = counter("sessions_closed_total", "Sessions closed, by reason; capacity counts those that were refused.",
		"protocol", "reason")
	m.steps = counter("steps_total", "Steps carried out.", "env", "protocol")
	m.resets = counter("resets_total", "Episodes started.", "env", "protocol")
	m.invalid = counter("invalid_actions_total", "Steps whose action the environment did not carry out.", "env",
		"protocol")
	m.errs = counter("errors_total", "Errors of the environment.", "env", "protocol")
	m.engine = histogram("engine_seconds", "Time of the environment itself.")
	m.requests = histogram("request_seconds", "Time of a whole request, from the read request to the written reply.")
	return m
}

func (m *metrics) countersOf(mount *Mount, protocol string) *counters {
	key := counterKey{mount, protocol}
	m.mu.RLock()
	c := m.counters[key]
	m.mu.RUnlock()
	if c != nil {
		return c
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c = m.counters[key]; c == nil {
		env := mount.Name
		c = &counters{
			steps: m.steps.WithLabelValues(env, protocol), resets: m.resets.WithLabelValues(env, protocol),
			invalid: m.invalid.WithLabelValues(env, protocol), errs: m.errs.WithLabelValues(env, protocol),
			stepTime:   m.engine.WithLabelValues(env, protocol, "step"),
			resetTime:  m.engine.WithLabelValues(env, protocol, "reset"),
			stepWhole:  m.requests.WithLabelValues(env, protocol, "step"),
			resetWhole: m.requests.WithLabelValues(env, protocol, "reset"),
		}
		m.counters[key] = c
	}
	return c
}

func (m *metrics) openedOne(protocol string) {
	m.openNow.Inc()
	m.opened.WithLabelValues(protocol).Inc()
}

func (m *metrics) closed(protocol string, reason EndReason) {
	if reason != Capacity {
		m.openNow.Dec()
	}
	m.ended.WithLabelValues(protocol, string(reason)).Inc()
}

func (m *metrics) reset(mount *Mount, protocol string, engine time.Duration) {
	c := m.countersOf(mount, protocol)
	c.resets.Inc()
	c.resetTime.Observe(engine.Seconds())
}

func (m *metrics) step(mount *Mount, protocol string, engine time.Duration, r *Reply, err error) {
	if err != nil {
		return // failed counts it
	}
	c := m.countersOf(mount, protocol)
	c.steps.Inc()
	if !r.Valid {
		c.invalid.Inc()
	}
	c.stepTime.Observe(engine.Seconds())
}

func (m *metrics) failed(mount *Mount, protocol string) { m.countersOf(mount, protocol).errs.Inc() }

// observeRequest notes the time of a whole request.
func (m *metrics) observeRequest(mount *Mount, protocol string, reset bool, took time.Duration) {
	c := m.countersOf(mount, protocol)
	if reset {
		c.resetWhole.Observe(took.Seconds())
		return
	}
	c.stepWhole.Observe(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
