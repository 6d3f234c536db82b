package agent

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/pytext"
	"heldout/eval/model"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Memory is what an agent knows of earlier trials of its task.
type Memory struct {
	// Intro introduces the plans.
	Intro string
	// Plans are the reflections on the earlier trials, the oldest first.
	Plans []record.Remembered
}

// text is the part of a prompt between the examples and the task; empty without plans.
func (m *Memory) text() string {
	if len(m.Plans) == 0 {
		return ""
	}
	return "\n" + strings.TrimSpace(m.Intro) + "\n" + plans(m.Plans)
}

func plans(remembered []record.Remembered) string {
	var b strings.Builder
	for _, p := range remembered {
		fmt.Fprintf(&b, "Trial %d: %s\n", p.Trial, p.Text)
	}
	return b.String()
}

// forget removes the oldest plan; false if there is none.
func (c *caller) forget() bool {
	if len(c.Memory.Plans) == 0 {
		return false
	}
	c.Memory.Plans = c.Memory.Plans[1:]
	c.forgotten++
	return true
}

// maxReflection is the largest length of a reflection in bytes. It is part of the prompts of later trials.
const maxReflection = 16 << 10

// Reflect asks the model for a plan after a failed trial. The form is as in the original's code for ALFWorld:
// instruction, worked examples, the whole trial without the agent's own prompt, and the plans that the agent was
// shown. The usage is also part of the reflection. The error is the model's.
func Reflect(ctx context.Context, c Chat, prompt configs.Reflection, failed *record.Episode) (
	record.Reflection, Usage, error) {
	c.Memory = Memory{Plans: failed.Memory}
	r := &reflector{caller: newCaller(c), intro: strings.TrimSpace(prompt.Instruction) + "\n", lead: failedStatus,
		end: "\n" + cue}
	r.plans = func() string {
		if len(r.Memory.Plans) == 0 {
			return ""
		}
		return "\nThese were your plans before this trial, the oldest first.\n" + plans(r.Memory.Plans)
	}
	for _, ex := range prompt.Examples {
		r.examples = append(r.examples, "\nHere is an example:\n"+strings.TrimSpace(ex.Trial)+"\n"+failedStatus+cue+" "+
			strings.TrimSpace(ex.Reflection)+"\n")
	}
	r.task = "\nNow this is your failed trial.\nGoal: " + failed.Goal + "\nObservation: " +
		failed.Observation + "\n"
	r.steps = table.Each(failed.Trajectory, func(s record.Step) string { return renderStep(&s) })
	return r.reflect(ctx, func(reply string) string {
		return strings.TrimSpace(strings.TrimPrefix(plainLines(reply), cue))
	})
}

// ReflectAs asks for a plan in the form of a preset, with the texts of the trial as the agent
// was shown them; handover is the text before the task. The plan is the reply as it came.
func ReflectAs(ctx context.Context, c Chat, play configs.Play, handover string, failed *record.Episode) (
	record.Reflection, Usage, error) {
	form := play.Agent.Reflection
	c.Memory, c.Completion = Memory{Plans: failed.Memory}, true
	c.KeepTokens = true
	c.KeepReasoning = play.Reply.Reasoning == configs.Keep
	start := envs.Start{Goal: failed.Goal, Observation: firstObservation(play.Observation, failed.Observation)}
	r := &reflector{caller: newCaller(c), intro: form.Intro, lead: form.Middle, end: form.End,
		task: strings.TrimLeftFunc(task(play.Observation, start), pytext.IsSpace)}
	for i, s := range failed.Trajectory {
		r.steps = append(r.steps, "\n"+numbered(play.Agent.Cue, i+1)+" "+s.Action+"\n"+
			framed(play.Observation, i+1, laterObservation(play.Observation, s.Observation)))
		// Reflexion takes what follows the last such text for the trial, even if an action holds it.
		mark := pytext.Strip(handover)
		if at := strings.LastIndex(r.steps[len(r.steps)-1], mark); mark != "" && at >= 0 {
			r.task = strings.TrimLeftFunc(r.steps[len(r.steps)-1][at+len(mark):], pytext.IsSpace)
			r.steps = nil
		}
	}
	r.plans = func() string { return tellPlans(form.Plans, r.Memory.Plans, func(plan string) string { return plan }) }
	return r.reflect(ctx, func(reply string) string { return reply })
}

// tellPlans writes plans in the form of a preset.
func tellPlans(form configs.MemoryForm, plans []record.Remembered, render func(string) string) string {
	if len(plans) == 0 {
		return ""
	}
	text := form.Intro
	for i, p := range plans {
		text += strings.NewReplacer("{number}", strconv.Itoa(i), "{plan}", render(p.Text)).Replace(form.Item)
	}
	return text
}

// reflect asks for the reflection, and keeps the plan that is in the reply.
func (r *reflector) reflect(ctx context.Context, planIn func(reply string) string) (record.Reflection, Usage, error) {
	reply, used, err := r.ask(ctx, r)
	text, fault := planIn(reply.Text), reply.Fault
	if len(text) > maxReflection {
		text, fault = text[:maxReflection], cmp.Or(fault, record.CutOff)
	}
	return record.Reflection{
		Text: strings.ToValidUTF8(text, ""), FinishReason: reply.FinishReason, Fault: fault, Reasoning: reply.Reasoning,
		Trimmed: used.Trimmed, PromptTokens: used.PromptTokens, CompletionTokens: used.CompletionTokens,
		TokenDetails: used.TokenDetails, Calls: used.Calls, Requests: used.Requests,
		ModelSeconds: used.Latency.Seconds(),
	}, used, err
}

const (
	failedStatus = "Status: the task was not completed.\n"
	cue          = "New plan:"
)

// renderStep writes a step of a trial as the agent wrote and saw it.
func renderStep(s *record.Step) string {
	var b strings.Builder
	if s.Thought != "" {
		b.WriteString("Thought: " + s.Thought + "\n")
	}
	if s.Action != "" {
		b.WriteString("Action: " + s.Action + "\n")
	}
	return b.String() + "Observation: " + s.Observation + "\n"
}

type reflector struct {
	*caller
	intro    string
	examples []string
	task     string
	steps    []string
	// lead and end surround what plans writes.
	lead, end string
	plans     func() string
}

func (r *reflector) messages() []model.Message {
	return []model.Message{{Role: model.User, Content: r.intro + strings.Join(r.examples, "") + r.task +
		strings.Join(r.steps, "") + r.lead + r.plans() + r.end}}
}

// spare is 0: no later prompt continues the prompt of a reflection.
func (r *reflector) spare() int { return 0 }

// dropOldest removes the oldest step. The last step stays; if no other step is
// left, dropOldest removes an example, and finally the oldest plan.
func (r *reflector) dropOldest() bool {
	switch {
	case len(r.steps) > 1:
		r.steps = r.steps[1:]
	case len(r.examples) > 0:
		r.examples = r.examples[:len(r.examples)-1]
	default:
		return r.forget()
	}
	return true
}
