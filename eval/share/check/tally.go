package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/scoring/record"
	"heldout/scoring/table"
)

// tally is what is known of the attempts at a planned episode, in their order.
type tally struct {
	attempts int
	outcome  record.Outcome      // of the last one
	lessons  []record.Remembered // the memory of the trial after it
}

// tally takes the next attempt in the order of the file.
func (p *player) tally(r *record.Episode) {
	t := p.tallies[r.ID]
	if t == nil {
		t = &tally{}
		p.tallies[r.ID] = t
	}
	label := fmt.Sprintf("task %s, seed %d", r.Task, r.Seed)
	t.attempts++
	switch {
	case r.Attempt != t.attempts:
		p.fail(attempts, "%s: attempt %d stands where attempt %d belongs", label, r.Attempt, t.attempts)
	case t.outcome.Final():
		p.fail(attempts, "%s: attempt %d follows a result, so one of two was chosen", label, r.Attempt)
	}
	p.remember(t, r)
	if t.outcome = r.Outcome; !r.Outcome.Final() {
		p.unfinished[r.Outcome]++
	}
}

// remember compares the memory of a later trial with what the reflections on earlier ones
// give. Without the texts of the condition, no later trial can be played at all.
func (p *player) remember(t *tally, e *record.Episode) {
	c, pos := p.planned(e)
	rebuilder, _ := p.rebuilder(c)
	if rebuilder == nil || e.Trial == 0 {
		return
	}
	t.lessons = rebuilder.Remembered(e)
	var want []record.Remembered
	if pos.Trial > 1 {
		first := p.manifest.Groups[pos.Group].Episodes[pos.Task]
		if prev := p.tallies[record.TrialID(first, int(pos.Trial)-1)]; prev != nil {
			want = prev.lessons
		}
	}
	if !slices.Equal(e.Memory, want) {
		p.fail(prompts, "task %s, seed %d, trial %d: its memory is not what the reflections on the trials before it give",
			e.Task, e.Seed, e.Trial)
	}
}

// settle compares what was played with the plan, once all was.
func (p *player) settle() {
	missing := map[string]int{}
	for _, g := range p.manifest.Groups {
		for _, id := range g.Episodes {
			for trial := 1; trial <= g.Condition.MostTrials(); trial++ {
				t := p.tallies[record.TrialID(id, trial)]
				if t == nil || !t.outcome.Final() {
					missing[fmt.Sprintf("%s on %s, seed %d", g.Condition.Model, g.Condition.Env, g.Condition.Seed)]++
				}
				if t == nil || t.outcome != record.Failure {
					break // later trials are not due
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(missing)) {
		p.claim(results).lack("%s: %s none", key, table.Counted(missing[key], "episode has", "episodes have"))
	}
	p.saySkipped()
	if n := p.fromReplies; n > 0 {
		p.claim(episodes).note("%s", table.Counted(n, "attempt from its replies", "attempts from their replies"))
	}
	if n := p.fromActions; n > 0 {
		p.claim(episodes).note("%s", table.Counted(n, "attempt from its actions", "attempts from their actions"))
	}
	p.sayPrompts()
}

// saySkipped counts the attempts without a result. That a failure was near shows nowhere.
func (p *player) saySkipped() {
	var counts []string
	for _, o := range slices.Sorted(maps.Keys(p.unfinished)) {
		counts = append(counts, fmt.Sprintf("%d %s", p.unfinished[o], o))
	}
	if len(counts) > 0 {
		p.claim(attempts).open("%s: attempts without a result; whether they would have failed does not show",
			strings.Join(counts, ", "))
	}
}

func (p *player) sayPrompts() {
	c := p.claim(prompts)
	if n := p.sent.same; n > 0 {
		c.note("the hashes of %s are the same", table.Counted(n, "step"))
	}
	if n := p.sent.unknown; n > 0 {
		c.open("%s no hash, or came after something was left out to fit the context",
			table.Counted(n, "step has", "steps have"))
	}
	for _, g := range p.manifest.Groups {
		if _, err := p.rebuilder(&g.Condition); err != nil && slices.ContainsFunc(g.Episodes, p.met) {
			c.open("%v", err)
		}
	}
}

// met reports whether a planned episode has an attempt.
func (p *player) met(id string) bool { return p.tallies[id] != nil }
