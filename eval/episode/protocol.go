package episode

import (
	"cmp"
	"fmt"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/agent"
	"heldout/scoring/record"
)

// protocol is how the agent of the preset asks the model of that name about a task.
func (b *Benchmark) protocol(in configs.Instructions, name string) agent.Protocol {
	return agent.Protocol{Play: b.Preset.Play, Name: name, Instructions: in, Template: b.Prompt.Template,
		Handover: b.Prompt.Handover}
}

// CheckPrompt reports a prompt that does not fit the tasks or the form of the preset.
func (b *Benchmark) CheckPrompt() error {
	checked := map[string]bool{}
	for _, t := range b.Tasks {
		if checked[t.Type] {
			continue
		}
		checked[t.Type] = true
		in, err := b.Prompt.For(t.Type)
		if err != nil {
			return err
		}
		if err := b.protocol(in, "").Check(); err != nil {
			return err
		}
	}
	return nil
}

// open is how an episode begins: with the prompt's own opening of the task, if it has one.
func (e *Episode) open(start envs.Start) envs.Start {
	own, ok := e.Benchmark.Prompt.Openings[e.Task.Type]
	if !ok {
		own, ok = e.Benchmark.Prompt.Openings[""]
	}
	if ok {
		start.Goal, start.Observation = own.Goal, own.Observation
	}
	return start
}

// goesOn reports whether the step limit allows another step. A preset may have limits by task type.
func (e *Episode) goesOn(rec *record.Episode) bool {
	limit := e.Benchmark.Preset.Env.Limit.For(e.Task.Type)
	return len(rec.Trajectory) < cmp.Or(limit, e.Condition.StepLimit)
}

// Limited reports a task whose type has no step limit.
func (b *Benchmark) Limited() error {
	limit := b.Preset.Env.Limit
	for _, t := range b.Tasks {
		if len(limit.ByType) > 0 && limit.For(t.Type) == 0 {
			return fmt.Errorf("preset %s has no step limit for the task type %q", b.Named.Name, t.Type)
		}
	}
	return nil
}

// metric follows the score of an episode. Heldout's default has none.
type metric struct {
	rule configs.Metric
	// last, best and bestStep are scores, lastValid the last one that was not negative.
	last, best, bestStep, lastValid float64
	done                            bool
}

// add adds a step, the last one of the record, and notes the score in it. corrected says
// that the model got a correction instead.
func (m *metric) add(w envs.World, step envs.Step, corrected bool, rec *record.Episode) {
	if m.rule.Primary == "" {
		return
	}
	last := &rec.Trajectory[len(rec.Trajectory)-1]
	if corrected && m.rule.FormatErrorResets {
		m.last, m.best, m.bestStep = 0, 0, 0
	} else {
		m.last = m.score(w, step)
		m.best = max(m.best, m.last)
		if m.bestStep = max(m.bestStep, m.last); len(rec.Trajectory) == 1 {
			m.bestStep = m.last
		}
	}
	if m.last >= 0 {
		m.lastValid = m.last
	}
	m.done = step.Done
	last.Score = new(m.last)
}

// score is the score after a step.
func (m *metric) score(w envs.World, step envs.Step) float64 {
	if s, ok := envs.As[envs.ExactScorer](w); ok && m.rule.Exact {
		return s.ExactScore()
	}
	if s, ok := envs.As[envs.Scorer](w); ok {
		return s.Score()
	}
	return step.Progress
}

// settle gives the record of an ended episode the value of the metric, and the metric's definition of success.
func (m *metric) settle(rec *record.Episode) {
	if m.rule.Primary == "" {
		return
	}
	if m.rule.Success > 0 {
		rec.Success = 100*m.decisive() >= m.rule.Success && len(rec.Trajectory) > 0
	}
	value := m.decisive()
	switch m.rule.Primary {
	case "progress":
		value = rec.Progress
	case "success":
		value = 0
		if rec.Success {
			value = 1
		}
	}
	rec.Score = &value
	if m.rule.Loose != "" {
		rec.Loose = new(m.done && (m.last > 0 || m.rule.Loose == "done"))
	}
}

// decisive is the score that the metric is about.
func (m *metric) decisive() float64 {
	switch m.rule.Primary {
	case "score-best":
		return m.best
	case "score-best-step":
		return m.bestStep
	case "score-last-non-negative":
		return m.lastValid
	}
	return m.last
}
