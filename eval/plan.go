// Package eval turns a plan into episodes and episodes into records: it runs many episodes concurrently, keeps the
// finished ones, and resumes a run that was stopped.
package eval

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/eval/episode"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Spec is a part of a run: every player plays every benchmark with every seed.
type Spec struct {
	Benchmarks []episode.Benchmark
	Players    []episode.Player
	Seeds      []int64
}

// Plan is every episode of a run that is certain to be played: the first trial of
// every task. Later trials depend on outcomes; see Episode.NextTrial.
type Plan struct {
	Environments []record.Environment
	Groups       []record.Group
	Episodes     []episode.Episode
	// Shard is the part that is played; nil for all. The rest of the plan is known, so
	// that all parts have the same manifest.
	Shard *record.Shard

	anchors map[string]bool // players that nobody asked for
}

// Breadth returns the largest numbers of seeds of a condition, and of models that play the same tasks unperturbed.
func (p *Plan) Breadth() (seeds, models int) {
	bySeed, byModel := map[EpisodeKind]int{}, map[EpisodeKind]map[string]bool{}
	for _, g := range p.Groups {
		c := g.Condition
		key := NewEpisodeKind(&c)
		bySeed[key]++
		seeds = max(seeds, bySeed[key])
		if c.Perturbation != episode.NoPerturbation || p.anchors[c.Model] {
			continue
		}
		key.Model = ""
		if byModel[key] == nil {
			byModel[key] = map[string]bool{}
		}
		byModel[key][c.Model] = true
		models = max(models, len(byModel[key]))
	}
	return seeds, models
}

// NewPlan lists the episodes of all specs: by environment, player, seed and task. The expert, and those who play
// its actions by heart, do not depend on the seed and play with the first only.
func NewPlan(specs ...*Spec) (*Plan, error) {
	p := &Plan{anchors: map[string]bool{}}
	for _, s := range specs {
		for _, player := range s.Players {
			if player.Anchor {
				p.anchors[player.Name] = true
			}
		}
		for i := range s.Benchmarks {
			if err := p.addBenchmark(s, &s.Benchmarks[i]); err != nil {
				return nil, err
			}
		}
	}
	return p, p.check()
}

func (p *Plan) addBenchmark(s *Spec, b *episode.Benchmark) error {
	if err := b.Limited(); err != nil {
		return err
	}
	info := b.Env.Info()
	info.Caveat = info.Caveats(b.Named.Key() != "", b.Caveat)
	env := record.Environment{Info: info, Protocol: b.Named.Key(), Tasks: b.Tasks,
		Total: cmp.Or(b.Preset.Env.Tasks.Count, len(b.Env.Tasks()))}
	same := func(e record.Environment) bool { return e.Name == env.Name && e.Protocol == env.Protocol }
	if !slices.ContainsFunc(p.Environments, same) { // else perturbed now
		p.Environments = append(p.Environments, env)
	}
	for j := range s.Players {
		if err := p.addPlayer(b, info, &s.Players[j], s.Seeds); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) addPlayer(b *episode.Benchmark, info envs.Info, player *episode.Player, seeds []int64) error {
	var replaced string
	if b.Replacements != nil {
		replacement, ok := b.Replacements[player.Name]
		if !ok {
			return nil
		}
		replaced, player = player.Name, replacement
	}
	if player.Anchor && player.Name == episode.Random && b.Perturbation != "" {
		return nil
	}
	if record.Seedless(player.Agent) {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		c := b.Condition(info, player, seed)
		c.Substitute = replaced
		if err := p.addGroup(b, player, c); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) addGroup(b *episode.Benchmark, player *episode.Player, c record.Condition) error {
	episodes, err := b.Episodes(player, &c)
	if err != nil {
		return err
	}
	g := record.Group{Condition: c, Episodes: make([]string, len(episodes))}
	for i := range episodes {
		g.Episodes[i] = episodes[i].ID
	}
	p.Episodes = append(p.Episodes, episodes...)
	p.Groups = append(p.Groups, g)
	return nil
}

// check reports a plan that would play an episode twice, or none.
func (p *Plan) check() error {
	if len(p.Episodes) == 0 {
		return fmt.Errorf("the plan has no episodes")
	}
	ids := map[string]bool{}
	for _, e := range p.Episodes {
		if ids[e.ID] {
			return fmt.Errorf("the plan has %s with %s twice; name every environment and model once", e.Task.ID,
				e.Condition.Model)
		}
		ids[e.ID] = true
	}
	return nil
}

// sequential reports whether episodes are played one after the other, as planned.
func (p *Plan) sequential() bool { return p.Groups[0].Condition.Order != "" }

// Behind reports a missing episode before one that has a result, whose player could not remember it.
func (p *Plan) Behind(due Due) error {
	if len(p.Groups) == 0 || !p.sequential() || len(due.Missing) == 0 {
		return nil
	}
	next := due.Missing[0]
	for _, f := range due.Finished {
		if c := f.Episode.Condition; c == next.Condition && f.Episode.Task.Index > next.Task.Index {
			return fmt.Errorf("the order is sequential, and %s has a result, though %s, which comes before it, has none: "+
				"give another --out, which begins anew", f.Episode.Task.ID, next.Task.ID)
		}
	}
	return nil
}

// Hash identifies the plan: 8 hex digits.
func (p *Plan) Hash() string {
	ids := table.Each(p.Episodes, func(e episode.Episode) string { return e.ID })
	return datafile.Hash(strings.Join(ids, ""))[:8]
}

// Hashes identifies the parts of the plan: by environment, and by preset.
func (p *Plan) Hashes() map[string]string {
	ids := map[string][]string{}
	for _, e := range p.Episodes {
		name := e.Condition.Env
		if e.Condition.Preset != nil {
			name = e.Condition.Preset.Label()
		}
		ids[name] = append(ids[name], e.ID)
	}
	out := map[string]string{}
	for name := range ids {
		out[name] = datafile.Hash(strings.Join(ids[name], ""))[:16]
	}
	return out
}

// Cost bounds what a plan needs: with success at the first step of every first trial, and with failure at the last
// step of every trial. Retries and shortened prompts are not counted.
type Cost struct {
	// Episodes counts the episodes, Calls the model calls, and Reflections the calls that ask for a reflection.
	Episodes, Calls, Reflections int
}

// Cost returns the least and the most that the plan, or its shard, can need.
func (p *Plan) Cost() (low, high Cost) {
	for _, e := range p.Episodes {
		if p.Shard != nil && !p.Shard.Contains(e.ID) {
			continue
		}
		trials := e.Condition.MostTrials()
		low.Episodes++
		high.Episodes += trials
		if e.Player.Model == nil {
			continue
		}
		low.Calls++
		high.Calls += trials * e.Condition.StepLimit
		if t := e.Condition.Trials; t != nil && t.Memory > 0 {
			high.Reflections += trials - 1
		}
	}
	high.Calls += high.Reflections
	return low, high
}

// Part returns the part of the plan that a shard plays.
func (p *Plan) Part(s record.Shard) *Plan {
	part := *p
	part.Shard = &s
	return &part
}

// Due is how far a plan is.
type Due struct {
	// Missing are the episodes that are due and have no result yet, in the order of InPlayingOrder.
	Missing []*episode.Episode
	// Finished are those with a result, in the order of the plan.
	Finished []Finished
	// Attempts counts the attempts without a result, by the id of the episode.
	Attempts map[string]int
	// unusable are the episodes whose last attempt ended because too few replies of its model could be used.
	unusable map[string]bool
	// Conditions are the plan's, in its order.
	Conditions []record.Condition
}

// Next is the number of the attempt that is due, by the id of the episode. With allow, it is the number of the last
// one if its replies could not be used: the next one goes on with them.
func (d Due) Next(allow bool) map[string]int {
	next := make(map[string]int, len(d.Missing))
	for _, e := range d.Missing {
		next[e.ID] = d.Attempts[e.ID] + 1
		if allow && d.unusable[e.ID] {
			next[e.ID]--
		}
	}
	return next
}

// Finished is an episode with the attempt that counts.
type Finished struct {
	*episode.Episode
	Attempt *record.Attempt
}

// Due says how far the plan is after attempts, which it keeps.
func (p *Plan) Due(attempts []record.Attempt) Due {
	due := Due{Attempts: map[string]int{}, unusable: map[string]bool{}}
	result := make(map[string]*record.Attempt, len(attempts))
	for i := range attempts {
		a := &attempts[i]
		if !a.Outcome.Final() {
			due.Attempts[a.ID]++
			if a.Unusable || due.unusable[a.ID] {
				due.unusable[a.ID] = a.Unusable // the last one counts
			}
		} else if old := result[a.ID]; old == nil || a.CountsBefore(old.Rank) {
			result[a.ID] = a
		}
	}
	for i := range p.Episodes {
		e := &p.Episodes[i]
		if p.Shard != nil && !p.Shard.Contains(e.ID) {
			continue
		}
		for e != nil && result[e.ID] != nil {
			due.Finished = append(due.Finished, Finished{e, result[e.ID]})
			e = e.NextTrial(*result[e.ID])
		}
		if e != nil {
			due.Missing = append(due.Missing, e)
		}
	}
	if !p.sequential() {
		due.Missing = InPlayingOrder(due.Missing)
	}
	for i := range p.Groups {
		due.Conditions = append(due.Conditions, p.Groups[i].Condition)
	}
	return due
}

// extends reports whether the plan contains everything that the run directory was
// made for. The plan may contain more.
func (p *Plan) extends(m *record.Manifest) error {
	if len(m.Groups) > 0 && (p.Shard == nil) != (m.Shard == nil) || p.Shard != nil && m.Shard != nil &&
		*p.Shard != *m.Shard {
		return errors.New(
			"the run directory holds another part of the plan: give the same --set shard again, or another --out")
	}
	if old := max(1, m.Behaviour); len(m.Groups) > 0 && old != episode.Behaviour {
		return fmt.Errorf("the run directory was made by another version of heldout, which plays differently (behaviour "+
			"%d, here %d): give another --out", old, episode.Behaviour)
	}
	planned := map[string]bool{}
	for _, e := range p.Episodes {
		planned[e.ID] = true
	}
	if model, old, now := p.Replaced(m); model != "" {
		return fmt.Errorf("the player behind %s is not the one with recorded results: %s; give another --out, or "+
			"--accept-changed-model to continue with it", model, record.ChangedPlayer(old, now))
	}
	for _, g := range m.Groups {
		for _, id := range g.Episodes {
			if !planned[id] {
				return fmt.Errorf("the run directory was made for other episodes (%s): "+
					"give the same command again, with more seeds, models or tasks if you like, or another --out",
					p.difference(g))
			}
		}
	}
	return nil
}

// difference says how an earlier group differs from the closest planned one.
func (p *Plan) difference(old record.Group) string {
	var best []record.Difference
	for i, g := range p.Groups {
		if d := record.Differing(old.Condition, g.Condition); i == 0 || len(d) < len(best) {
			best = d
		}
	}
	if len(best) > 0 {
		return record.Listed(best)
	}
	cause := "other tasks of " + old.Condition.Env
	if n := len(old.Episodes); old.Condition.Preset == nil {
		cause += fmt.Sprintf("; if an earlier version began it with --limit %d, give --tasks 0-%d instead", n, n-1)
	}
	return cause
}

// player is what the plan knows of a model's player.
func (p *Plan) player(model string) *record.Identity {
	for i := range p.Groups {
		if c := &p.Groups[i].Condition; c.Model == model {
			return c.Player
		}
	}
	return nil
}

// otherPlayer reports whether the plan has a condition, but with another player.
func (p *Plan) otherPlayer(c record.Condition) bool {
	now := p.player(c.Model)
	if record.SamePlayer(c.Player, now) {
		return false
	}
	c.Player = now
	return slices.ContainsFunc(p.Groups, func(g record.Group) bool { return g.Condition.Key() == c.Key() })
}

// Replaced returns a model of a run directory that this plan has played by another player,
// and both players; an empty model if there is none.
func (p *Plan) Replaced(m *record.Manifest) (model string, old, now *record.Identity) {
	for _, g := range m.Groups {
		if p.otherPlayer(g.Condition) {
			model = g.Condition.Model
			_, old, _ = m.Player(model)
			return model, old, p.player(model)
		}
	}
	return "", nil, nil
}

// begun returns the groups of a run directory without those that agents from outside heldout
// were to play and have not begun: nothing of them is there that could share a row.
func (p *Plan) begun(groups []record.Group, attempts []record.Attempt) []record.Group {
	done := map[string]bool{}
	for i := range attempts {
		done[attempts[i].ID] = true
	}
	for i := range p.Groups {
		done[p.Groups[i].Condition.Key()] = true
	}
	return slices.DeleteFunc(slices.Clone(groups), func(g record.Group) bool {
		return (g.Condition.Player != nil || p.otherPlayer(g.Condition)) && !done[g.Condition.Key()] &&
			!slices.ContainsFunc(g.Episodes, func(id string) bool { return done[id] })
	})
}
