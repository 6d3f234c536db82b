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

const (
	lowlightGoal = "Light the lamp of the lighthouse before the ship reaches the reef. " +
		"The tower is locked, its clockwork has no crank, and the lamp has no oil."
	lowlightWalkthrough = "west/turn windlass/take key/north/take all/south/west/take matches/light lantern/east/east/" +
		"east/push slab/down/take crank/up/west/north/unlock door with key/north/down/take can/fill can/up/up/" +
		"wind clockwork/up/fill lamp/light lamp"
	// lowlightGrammar is short, so that listing the valid actions is quick. The
	// library's grammar has five times as many templates, most of which do
	// nothing in this game.
	lowlightGrammar = "jump;take OBJ;drop OBJ;wear OBJ;eat OBJ;open OBJ;close OBJ;enter OBJ;search OBJ;turn OBJ;push OBJ;pull OBJ;" +
		"light OBJ;turn off OBJ;fill OBJ;empty OBJ;wind OBJ;put OBJ in OBJ;put OBJ on OBJ;unlock OBJ with OBJ"
)

// lowlightSubgoals are texts that appear on the way to the goal.
var lowlightSubgoals = []string{
	"A bucket swings up over the rim of the well",
	"The lantern burns with a small steady flame",
	"The slab slides aside",
	"The lock gives way with a shriek",
	"The can is full of oil",
	"The weight climbs to the top of its shaft",
	"You pour the oil into the reservoir",
	"The wicks catch one after the other",
}

// newOwn sets up the game of our own. The seed decides the weather.
func newOwn(o Options) (*Env, error) {
	story, err := zmachine.Load(lowlightImage)
	if err != nil {
		return nil, err
	}
	e := &Env{info: envs.Info{Name: Name, Source: envs.Generated, StepLimit: stepLimit}}
	e.set("generator-seed", strconv.FormatInt(o.GeneratorSeed, 10))
	start := int(stream.Seed(o.GeneratorSeed, Name, lowlight.Name))
	p := newPlay(&lowlight, story, start,
		binding{Grammar: lowlightGrammar, MaxWordLength: informWord, Walkthrough: lowlightWalkthrough})
	p.goal = lowlightGoal
	if o.Variant == Jericho {
		e.set("variant", Jericho)
		if p.plain = true; o.Seed != 0 {
			p.seed = o.Seed
			e.set("game-seed", strconv.Itoa(o.Seed))
		}
		e.add(p, lowlight.Name, "", string(lowlightImage), strconv.Itoa(p.seed))
		return e, nil
	}
	p.subgoals = &subgoals{n: len(lowlightSubgoals)}
	for _, text := range lowlightSubgoals {
		p.subgoals.texts = append(p.subgoals.texts, strip(text))
	}
	e.add(p, lowlight.Name, envs.Hard, append([]string{string(lowlightImage), strconv.Itoa(start), lowlightGoal},
		lowlightSubgoals...)...)
	return e, nil
}
