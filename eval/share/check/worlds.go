package check

import (
	"encoding/json"
	"sync"

	"heldout/envs"
	"heldout/eval/bench"
	"heldout/scoring/record"
)

// worlds are the environments of conditions, each opened once.
type worlds struct {
	texts bench.Texts
	mu    sync.Mutex
	envs  map[string]opened
}

type opened struct {
	env envs.Env
	err error
}

func newWorlds(t bench.Texts) *worlds { return &worlds{texts: t, envs: map[string]opened{}} }

// open opens the environment of a condition as it was played.
func (w *worlds) open(c record.Condition) (envs.Env, error) {
	only := record.Condition{Env: c.Env, Source: c.Source, Settings: c.Settings, Perturbation: c.Perturbation,
		PerturbationHash: c.PerturbationHash, Substitute: c.Substitute, Preset: c.Preset}
	key, err := json.Marshal(only)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	o, ok := w.envs[string(key)]
	if !ok {
		o.env, o.err = bench.ReopenEnv(c, w.texts.Setup, w.texts.Outside)
		w.envs[string(key)] = o
	}
	return o.env, o.err
}
