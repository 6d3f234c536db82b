package model

import "testing"

const metricsPage = `# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:num_requests_running{engine="1",model_name="m"} 4.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="m"} 0.0
vllm:num_requests_waiting{engine="1",model_name="m"} 2.0
# TYPE vllm:num_preemptions_total counter
vllm:num_preemptions_total{engine="0",model_name="m"} 1.0
vllm:num_preemptions_total{engine="1",model_name="m"} 5.0
`

func TestParseLoad(t *testing.T) {
	if got, ok := parseLoad([]byte(metricsPage)); !ok || got != (Load{Running: 7, Waiting: 2, Preemptions: 6}) {
		t.Errorf("got %+v, %v", got, ok)
	}
	for _, page := range []string{"", "<html>", "up 1\n", "vllm:num_requests_waiting x\n"} {
		if got, ok := parseLoad([]byte(page)); ok {
			t.Errorf("%q: got %+v", page, got)
		}
	}
}

func FuzzParseLoad(f *testing.F) {
	f.Add([]byte(metricsPage))
	f.Add([]byte("vllm:num_requests_waiting NaN\n"))
	f.Fuzz(func(t *testing.T, page []byte) {
		if load, ok := parseLoad(page); !ok && load.Waiting != 0 {
			t.Errorf("%q: got %+v", page, load)
		}
	})
}
