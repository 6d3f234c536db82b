package eval

import (
	"fmt"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// An environment of others that shows the same after all actions, in all episodes, is warned about once.
func TestUnchanging(t *testing.T) {
	steps := func(words ...string) (list []record.Step) { // action, observation
		for i := 0; i < len(words); i += 2 {
			list = append(list, record.Step{Action: words[i], Observation: words[i+1], Valid: words[i] != "bad"})
		}
		return list
	}
	same, changing := steps("a", "echo", "b", "echo", "c", "echo"), steps("a", "echo", "b", "echo", "c", "ready")
	const warning = `after every action in %s, openenv:echo showed the same, "echo": --openenv-observation names the ` +
		`fields that are shown`
	for name, c := range map[string]struct {
		source   envs.Source
		episodes [][]record.Step
		during   string // the warning before the end
		atEnd    string
	}{
		"one":         {envs.External, [][]record.Step{same}, "", "1 episode"},
		"three":       {envs.External, [][]record.Step{same, same, same, same}, "3 episodes", ""},
		"one changes": {envs.External, [][]record.Step{same, same, changing, same, same}, "", ""},
		"later":       {envs.External, [][]record.Step{same, same, same, changing}, "3 episodes", ""},
		"ours":        {envs.Official, [][]record.Step{same, same, same}, "", ""},
		"short":       {envs.External, [][]record.Step{same[:2], same[:2], same[:2]}, "", ""},
		"one action":  {envs.External, [][]record.Step{steps("a", "no", "a", "no", "a", "no")}, "", ""},
		"invalid":     {envs.External, [][]record.Step{steps("bad", "no", "bad", "no", "a", "no", "b", "no")}, "", ""},
		"invalid last": {envs.External, [][]record.Step{steps("a", "echo", "b", "echo", "c", "echo", "bad", "no")}, "",
			"1 episode"},
		"nothing": {envs.External, nil, "", ""},
	} {
		var said []string
		u := &unchanging{warn: func(line string) { said = append(said, line) }, seen: map[string]*sight{}}
		check := func(when, episodes string) {
			var want []string
			if episodes != "" {
				want = []string{fmt.Sprintf(warning, episodes)}
			}
			sharedtest.Same(t, said, want, name, when)
			said = nil
		}
		for _, list := range c.episodes {
			u.look(&record.Episode{Result: record.Result{Env: "openenv:echo", Source: c.source}, Trajectory: list})
		}
		check("during", c.during)
		u.end()
		check("at the end", c.atEnd)
	}
}
