package export

import (
	"testing"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// The bytes of every format stay: their SHA-256 begins like this.
func TestBytes(t *testing.T) {
	expert := makeRun(t, func(m *record.Manifest) {
		c := &m.Groups[0].Condition
		c.Agent, c.Model, c.Decoding, c.PromptHash = episode.Expert, "expert", nil, ""
		m.Environments[0].Tasks = []envs.Task{{ID: "gripper/0", Type: "gripper", Digest: "one"}}
	}, solved(good(1), good(5), good(6)))
	sources := append(ofOneTask(t, solved(good(1), good(2), good(3)), of(good(1), good(2), invalid(), good(4))),
		expert, someRun(t))
	for f, want := range map[Format]string{
		ShareGPT: "92dd559faf7a", OpenAI: "531c7c9e8284", TRL: "91a365511df8", Axolotl: "2413a906f4d2",
		AgentGym: "831792a24c61", DPO: "729753aa85f3", ETO: "66455d344895", StepDPO: "4c9204ccbe3a",
		KTO: "6b4030a10d03", PRM: "0bc061ccda80",
	} {
		o := options(t, f, sources...)
		export(t, o)
		sum, err := datafile.Sum(o.Out)
		if err != nil || sum[:12] != want {
			t.Errorf("%s: %s, %v, want %s", f, sum[:12], err, want)
		}
	}
}
