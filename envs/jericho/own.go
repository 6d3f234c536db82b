package jericho

import (
	_ "embed"
	"strconv"

	"heldout/envs"
	"heldout/envs/engine/zmachine"
	"heldout/envs/stream"
)

//go:embed lowlight/lowlight.z5
var lowlightImage []byte

// newOwn sets up the game of our own. The seed decides the weather.
func newOwn(o Options) *Env {
	story, _ := zmachine.Load(lowlightImage) // it is ours, and tests play it
	e := newEnv(envs.Generated)
	e.Set("generator-seed", strconv.FormatInt(o.GeneratorSeed, 10))
	start := int(stream.Seed(o.GeneratorSeed, Name, lowlight.Name))
	p := newPlay(&lowlight.game, story, start,
		binding{Grammar: lowlight.Grammar, MaxWordLength: informWord, Walkthrough: lowlight.Walkthrough})
	p.goal = lowlight.Goal
	if o.Variant == Jericho {
		e.Set("variant", Jericho)
		if p.plain = true; o.Seed != 0 {
			p.seed = o.Seed
			e.Set("game-seed", strconv.Itoa(o.Seed))
		}
		e.add(p, lowlight.Name, "", string(lowlightImage), strconv.Itoa(p.seed))
		return e
	}
	p.subgoals = &subgoals{n: len(lowlight.Subgoals)}
	for _, text := range lowlight.Subgoals {
		p.subgoals.texts = append(p.subgoals.texts, strip(text))
	}
	e.add(p, lowlight.Name, envs.Hard, append([]string{string(lowlightImage), strconv.Itoa(start), lowlight.Goal},
		lowlight.Subgoals...)...)
	return e
}
