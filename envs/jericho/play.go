package jericho

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"

	"heldout/envs/engine/zmachine"
)

// play holds the data of a task. It does not change, and worlds share it.
type play struct {
	game  *game
	story *zmachine.Story
	seed  int
	goal  string
	// start is the first observation; empty for the story's own.
	start string
	// subgoals are nil if nothing is known about the way to the goal.
	subgoals    *subgoals
	walkthrough []string
	raw         bool
	// plain: texts and scores are Jericho's own.
	plain bool

	sessions sync.Pool // of worlds that were closed, and of lists that were made

	// actions holds the parts of valid actions.
	actions func() *catalogue
}

func newPlay(g *game, story *zmachine.Story, seed int, bind binding) *play {
	p := &play{game: g, story: story, seed: seed, walkthrough: splitWalkthrough(bind.Walkthrough)}
	p.actions = sync.OnceValue(func() *catalogue {
		counts := usualVerbs()
		grammar, length := bind.Grammar, bind.MaxWordLength
		if grammar == "" {
			grammar, length = deriveTemplates(story), g.WordLength
		}
		templates := understood(reduceTemplates(grammar, length, counts), story)
		return &catalogue{
			play:      p,
			identity:  sha256.Sum256(fmt.Appendf(nil, "%x %+v %d %q", story.Hash(), *g, seed, templates)),
			templates: templates,
			counts:    counts,
			words:     newVocabulary(zmachine.New(story, zmachine.Options{})),

			attemptBudget: attemptBudget,
		}
	})
	return p
}

func splitWalkthrough(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "/")
}
