package bench

import (
	"strings"
	"testing"
)

func TestShardOfScheduler(t *testing.T) {
	slurm := map[string]string{arrayIndex: "5", arrayMin: "3", arrayMax: "10", arrayCount: "8"}
	gap := map[string]string{arrayIndex: "5", arrayMin: "1", arrayMax: "9", arrayCount: "5"}
	pod := map[string]string{jobIndex: "0"}
	for _, c := range []struct {
		text string
		env  map[string]string
		want string // or a part of the error
	}{
		{"3/8", nil, "3/8"},
		{"auto", slurm, "3/8"},
		{"auto/8", slurm, "3/8"},
		{"auto/9", slurm, "but the Slurm array has 8 tasks"},
		{"auto", gap, "leave none out"},
		{"auto/8", pod, "1/8"},
		{"auto", pod, "write auto/N"},
		{"auto/x", pod, "want I/N"},
		{"auto8", pod, "want I/N, auto or auto/N"},
		{"auto/8", map[string]string{jobIndex: "8"}, "want I/N"},
		{"auto/8", nil, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"},
		{"auto", map[string]string{arrayIndex: "x"}, "want a number"},
	} {
		got, err := shardOf(c.text, func(name string) string { return c.env[name] })
		if err == nil && got.String() != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %v: %v, %v; want %s", c.text, c.env, got, err, c.want)
		}
	}
}
