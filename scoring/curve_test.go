package scoring

import "testing"

// Checkpoints of one training share a curve; different models do not, whatever numbers are in their names.
func TestCurveOf(t *testing.T) {
	for name, want := range map[string]struct {
		curve string
		step  int64
	}{
		"base-8b":                           {"base-8b", 0},
		"refine-8b":                         {"refine-8b", 0},
		"vllm:Qwen2.5-7B":                   {"vllm:Qwen2.5-7B", 0},
		"vllm:out/checkpoint-1000":          {"vllm:out", 1000},
		"vllm:checkpoint-1000":              {"vllm:checkpoint", 1000},
		"ckpt-5":                            {"ckpt", 5},
		"refine-8b-ckpt_5":                  {"refine-8b", 5},
		"refine-8b step 20":                 {"refine-8b", 20},
		"runs/grpo/global_step_80":          {"runs/grpo", 80},
		"footstep7":                         {"footstep7", 0},
		"checkpoint-1000-merged":            {"checkpoint-1000-merged", 0},
		"m-checkpoint-99999999999999999999": {"m-checkpoint-99999999999999999999", 0},
	} {
		if curve, step, ok := CurveOf(name); curve != want.curve || step != want.step || ok != (step > 0) {
			t.Errorf("%s: %q at %d", name, curve, step)
		}
	}
}
