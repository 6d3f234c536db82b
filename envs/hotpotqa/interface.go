package hotpotqa

import "heldout/envs"

// Interface implements envs.Describer.
func (e *Env) Interface(string) envs.Interface {
	return envs.Interface{
		Actions: []string{"search[{text}]", "lookup[{text}]", "finish[{text}]", "think[{text}]"},
		Slot:    `[^\n]*`,
		Quotes:  []envs.Quote{{Prefix: invalid}},
		Texts:   []string{"Question:", "Could not find", "Similar:", "No more results.", "Episode finished, reward ="},
		Series: []envs.Series{
			{Begin: `Similar: \[`, Item: `(?:'[^'\n]*'|"[^"\n]*")`, Middle: ", ", Last: ", ", End: "]", Inline: true},
			{Begin: "^", Item: `[^\n]+`, Middle: ". ", Last: ". ", Fixed: true},
		},
	}
}
