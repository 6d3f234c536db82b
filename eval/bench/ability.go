package bench

import (
	"fmt"

	"heldout/envs"
	"heldout/eval/episode"
)

// checkAbilities refuses players without a model that ask an environment which others run for what
// it cannot say: all episodes would fail.
func checkAbilities(b episode.Benchmark, players []episode.Player) error {
	if b.Env.Info().Source != envs.External || len(b.Tasks) == 0 {
		return nil
	}
	w, err := b.Env.NewWorld(b.Tasks[0])
	if err != nil {
		return err
	}
	_, lists := envs.As[envs.Lister](w)
	_, advises := envs.As[envs.Expert](w)
	for _, p := range players {
		lacks := ""
		switch {
		case !IsBaseline(p.Name):
		case !lists && (p.Name == episode.Random || p.Name == episode.Erring):
			lacks = "does not list valid actions"
		case !advises && p.Name != episode.Random:
			lacks = "has no expert"
		}
		if lacks != "" {
			return fmt.Errorf("%s cannot play %s, which %s: name another player with --model", p.Name,
				b.Env.Info().Name, lacks)
		}
	}
	return w.Close()
}
