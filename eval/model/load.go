package model

import (
	"bytes"
	"context"
	"strings"

	"github.com/prometheus/common/expfmt"
	pmodel "github.com/prometheus/common/model"
)

// mostMetrics is the longest page of metrics that is read, in bytes.
const mostMetrics = 1 << 20

// Load is what vLLM tells about its work, over all its engines.
type Load struct {
	// Running and Waiting are numbers of requests.
	Running, Waiting float64
	// Preemptions is the number of requests that lost their place since the server
	// started.
	Preemptions float64
}

// Load tells nothing.
func (o *ollama) Load(context.Context) (Load, bool) { return Load{}, false }

// Load reads the metrics of vLLM.
func (o *openAI) Load(ctx context.Context) (load Load, ok bool) {
	_, err := o.once().call(ctx, never, func(ctx context.Context, x *exchange) error {
		x.limit = mostMetrics
		if err := fetch(ctx, x, strings.TrimSuffix(o.base, "/v1")+"/metrics"+o.query); err != nil {
			return err
		}
		load, ok = parseLoad(x.reply)
		return nil
	})
	return load, ok && err == nil
}

// parseLoad reads the load from metrics in Prometheus' text format. It reports false
// if the number of waiting requests is not among them.
func parseLoad(page []byte) (Load, bool) {
	parser := expfmt.NewTextParser(pmodel.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	if err != nil {
		return Load{}, false
	}
	sum := func(name string) (total float64) {
		for _, m := range families[name].GetMetric() {
			total += m.GetGauge().GetValue() + m.GetCounter().GetValue() + m.GetUntyped().GetValue()
		}
		return total
	}
	const waiting = "vllm:num_requests_waiting"
	return Load{
		Running:     sum("vllm:num_requests_running"),
		Waiting:     sum(waiting),
		Preemptions: sum("vllm:num_preemptions_total"),
	}, families[waiting] != nil
}
