package report

import (
	"math"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// scores are the ability scores of a model by ability, in percent, and the shares of the weights.
func scores(t *testing.T, tb table.Table, model string) (score, share map[string]float64) {
	t.Helper()
	score, share = map[string]float64{}, map[string]float64{}
	for _, r := range tb.Rows {
		if r[tb.Pos(column.Model.Key)].Text != model {
			continue
		}
		name := r[tb.Pos(column.Ability.Key)].Text
		score[name] = 100 * r[tb.Pos(column.AbilityScore.Key)].Value.(float64)
		share[name] = 100 * r[tb.Pos(column.Weight.Key)].Value.(float64)
	}
	return score, share
}

// AgentBoard's panel of GPT-4 is the mean of its nine published success rates by the weights of
// each ability, worked out by hand.
func TestAbilitiesOfAll(t *testing.T) {
	p := sharedtest.Must(configs.LoadPublished("agentboard"))(t)
	line := publishedLines(Baseline{Name: "agentboard", Source: p, Table: p.Tables[0]}, weights)[0]
	want := map[string]float64{"memory": 47.700, "planning": 46.505, "world modelling": 43.233,
		"self-reflection": 47.253, "grounding": 48.822, "spatial navigation": 45.186}
	sharedtest.Equal(t, line.marksOn(configs.BoardEnvironments), "", "marks")
	for _, a := range configs.Abilities {
		e, share := line.ability(a, configs.BoardEnvironments)
		if math.Abs(100*e.Mean-want[a.Name]) > 0.0006 || math.Abs(share-1) > 1e-12 {
			t.Errorf("%s: %.3f of %v; want %.3f of all", a.Name, 100*e.Mean, share, want[a.Name])
		}
	}
}

// Scores of some environments are marked as partial, say which are missing, and have an interval.
// Published models are scored on the same environments.
func TestAbilitiesOfSome(t *testing.T) {
	run := newRun(t, "run", group{"pddl", envs.Official, 4, "expert", 0, nil, "SSff"},
		group{"babyai", envs.Official, 4, "expert", 0, nil, "Sfff"},
		group{"hotpotqa", envs.Official, 4, "expert", 0, nil, "SSSS"})
	tb := find(t, everything([]NamedRun{run}, []Baseline{baseline("paper")}, weights), "abilities")
	score, share := scores(t, tb, "expert")
	want := map[string]float64{"memory": 100 * (1*0.25 + 2*0.5) / 3, "planning": 100 * (2*0.25 + 3*0.5) / 5}
	for name, want := range want {
		if math.Abs(score[name]-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, score[name], want)
		}
	}
	if len(score) != 6 || math.Abs(share["memory"]-100*3./16) > 1e-9 {
		t.Errorf("scores %v of shares %v", score, share)
	}
	first := tb.Rows[0][tb.Pos(column.AbilityScore.Key)]
	if first.Mark != partMark || tb.Rows[0][tb.Pos(column.AbilityScore.Low.Key)].Value == nil {
		t.Errorf("mark %q, or no interval", first.Mark)
	}
	notes := strings.Join(tb.Notes, "\n")
	for _, want := range []string{"without AgentBoard's ALFWorld, SciWorld, Jericho, webshop", "‡ On a part"} {
		sharedtest.Contains(t, notes, want)
	}
}

// Models that played an environment by several protocols have no scores and are named.
func TestAbilitiesOfProtocols(t *testing.T) {
	run := newRun(t, "run", group{"pddl", envs.Official, 4, "expert", 0, nil, "SSff"},
		group{"babyai", envs.Official, 4, "expert", 0, nil, "Sfff"},
		group{"pddl", envs.Official, 4, "random", 0, nil, "SSff"},
		group{"babyai", envs.Official, 4, "random", 0, nil, "Sfff"})
	other := newRun(t, "run", group{"babyai", envs.Official, 4, "expert", 0, nil, "Sfff"})
	run.Scores = append(run.Scores, other.Scores...)
	for i, preset := range map[int]string{0: "agentboard@1", 1: "agentboard@1", 4: "mine@1"} {
		run.Scores[i].Condition.Preset = &record.Preset{Name: preset, SHA256: preset}
	}
	tb := find(t, everything([]NamedRun{run}, nil, weights), "abilities")
	mixed, _ := scores(t, tb, "expert")
	plain, _ := scores(t, tb, "random")
	const want = "expert: no scores, because of several protocols on BabyAI: choose by --preset"
	if notes := strings.Join(tb.Notes, "\n"); len(mixed) != 0 || len(plain) != 6 || !strings.Contains(notes, want) {
		t.Errorf("%v and %v\n%s", mixed, plain, notes)
	}
}

// AgentBoard's leaderboard has the grounding accuracy of 13 models on each of its environments.
func TestPublishedGrounding(t *testing.T) {
	p := sharedtest.Must(configs.LoadPublished("agentboard"))(t)
	shared, grounded := 0, 0
	tb := Published(p, weights)[0]
	for _, r := range tb.Rows {
		if r[tb.Pos("grounding")].Value == nil {
			continue
		}
		grounded++
		if facts().Environments[r[tb.Pos("column")].Text].Tasks > 0 {
			shared++
		}
	}
	if first := tb.Rows[0][tb.Pos("grounding")].Text; shared != 65 || grounded != 117 || first != "82.6" {
		t.Errorf("%d accuracies, %d on environments of heldout, the first %s", grounded, shared, first)
	}
}
