package report

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/scoring/record"
)

// Rows are called by the names of their players. Two versions of one have what tells them apart,
// and one that nobody knows says so.
func TestRowsOfPlayers(t *testing.T) {
	as := func(i *record.Identity) func(*record.Condition) {
		return func(c *record.Condition) { c.Agent, c.Decoding, c.PromptHash, c.Player = "remote", nil, "", i }
	}
	one, two := &record.Identity{Version: "1"}, &record.Identity{Version: "2"}
	run := func(name, model string, i *record.Identity) NamedRun {
		return newRun(t, name, group{"pddl", envs.Official, 4, model, 0, as(i), "SSff"})
	}
	accepted := run("e", "remote:f", one)
	accepted.Players = map[string][]record.Identity{"remote:f": {*two, {Source: "0123456789abcdef"}}}
	tables := everything([]NamedRun{run("a", "remote:mine", one), run("b", "remote:mine", two),
		run("c", "remote:gpt: 4", nil), run("d", "remote", nil), accepted}, nil, weights)
	same(t, "rows", below(t, find(t, tables, "headline"), "model"), "mine (version 1)", "mine (version 2)", "gpt: 4",
		"remote (player unknown)", "f")
	notes := find(t, tables, "notes")
	hasNote(t, notes, "remote (player unknown): d was recorded before players had names. Nothing shows who played, or "+
		"that one player did.")
	hasNote(t, notes, "f: the player behind this name changed while e was played: version 1, now version 2.")
	hasNote(t, notes, "f: the player behind this name changed while e was played: version 2, now source 01234567.")
}

// An agent of the user's is compared with served models, and its prompts and sampling are no settings; scripted players
// are not.
func TestOwnAgentsCompete(t *testing.T) {
	own := func(c *record.Condition) {
		c.Agent, c.Decoding, c.PromptHash, c.Player = record.Own, nil, "", &record.Identity{Version: "1"}
	}
	scripted := func(c *record.Condition) { c.Agent, c.Decoding, c.PromptHash = "random", nil, "" }
	tasks, solved, failed := 40, strings.Repeat("S", 40), strings.Repeat("f", 40)
	tables := everything([]NamedRun{
		newRun(t, "a", group{"pddl", envs.Official, tasks, "agent:mine", 0, own, solved}),
		newRun(t, "b", group{"pddl", envs.Official, tasks, "vllm:m", 0, nil, failed}),
		newRun(t, "c", group{"pddl", envs.Official, tasks, "random", 0, scripted, failed}),
	}, nil, weights)
	verdict := find(t, tables, "verdict")
	same(t, "rows", below(t, verdict, "model"), "m")
	same(t, "rows", below(t, verdict, "against"), "mine")
	hasNote(t, verdict, "not only the models differ (mine: agent own; m: agent react)")
}

// Whatever runs are compared, a row has the episodes of one player: runs of other seeds are
// joined only if both say that it is the same one.
func TestRowsHaveOnePlayer(t *testing.T) {
	identities := []*record.Identity{nil, {Version: "1"}, {Version: "2"}, {Source: "0123456789"},
		{Source: "0123456789", Sampling: map[string]any{"temperature": 1.0}}}
	rapid.Check(t, func(rt *rapid.T) {
		var runs []NamedRun
		var who []string
		for i := range rapid.IntRange(1, 5).Draw(rt, "runs") {
			model := rapid.SampledFrom([]string{"remote", "remote:a", "remote:b", "openai:a"}).Draw(rt, "model")
			identity := rapid.SampledFrom(identities).Draw(rt, "identity")
			if model == "remote" {
				identity = nil // these are older than identities
			}
			change := func(c *record.Condition) {
				if c.Player = identity; strings.HasPrefix(model, "remote") {
					c.Agent, c.Decoding, c.PromptHash = "remote", nil, ""
				}
			}
			who = append(who, fmt.Sprintf("%s %v", model, record.Say(identity)))
			runs = append(runs, newRun(t, fmt.Sprint("run", i), group{"pddl", envs.Official, 4, model,
				int64(rapid.IntRange(0, 2).Draw(rt, "seed")), change, "SSff"}))
		}
		for _, r := range New(runs, nil, weights).plain {
			players := map[string]bool{}
			for _, dir := range append([]string{r.directory}, r.otherDirs...) {
				for i, run := range runs {
					if run.Name == dir {
						players[who[i]] = true
					}
				}
			}
			unknown := players["remote []"] || players["openai:a []"]
			if len(players) != 1 || len(r.otherDirs) > 0 && unknown {
				rt.Fatalf("a row of %s and %v has %v", r.directory, r.otherDirs, players)
			}
		}
	})
}
