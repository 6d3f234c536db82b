package perturb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
)

// suiteOf names what the suite plays in an environment at all grades.
func suiteOf(t testing.TB, env string) []string {
	t.Helper()
	families := sharedtest.Must(configs.LoadFamilies(env))(t)
	var members []configs.Family
	for _, f := range families.All {
		if f.None == "" {
			members = append(members, f)
		}
	}
	return SuiteNames(members, []int{1, 2, 3})
}

// conditions lists what the suite plays: families alone, as graded lists them, all at once,
// and pairs and fours, of which the short form takes some.
func conditions(t testing.TB, env string) []string {
	t.Helper()
	var combined []string
	for _, name := range suiteOf(t, env) {
		if strings.Contains(name, "+") {
			combined = append(combined, name)
		}
	}
	if !*whole {
		combined = sharedtest.Sample(t, combined, 4)
	}
	return slices.Concat(graded(t, env), combined, []string{"all:1", "all:2", "all:3"})
}

// What a text is to the model who reads or writes it.
const (
	instruction = "instruction"
	thought     = "thought"
	action      = "action"
	observation = "observation"
	goal        = "goal"
)

// line is a text of a prompt or an episode, before and under a perturbation. A text
// that is taken away has none after.
type line struct{ kind, before, after string }

// promptSheet lists the texts of a section of a prompt.
func promptSheet(p *Perturbation, in configs.Instructions) (sheet []line) {
	out := p.writeInstructions(in)
	sheet = append(sheet, line{instruction, in.Instruction, out.Instruction})
	for i, e := range in.Examples {
		w := out.Examples[i]
		sheet = append(sheet, line{goal, e.Goal, w.Goal}, line{observation, e.Observation, w.Observation})
		next := 0
		for _, s := range e.Steps {
			if p.isRemoved(p.normalize(s.Action)) {
				continue
			}
			to := w.Steps[next]
			next++
			sheet = append(sheet, line{thought, s.Thought, to.Thought}, line{action, s.Action, to.Action},
				line{observation, s.Observation, to.Observation})
		}
		if next != len(w.Steps) {
			sheet = append(sheet, line{thought, "", fmt.Sprintf("%d steps too many", len(w.Steps)-next)})
		}
		sheet = append(sheet, line{observation, e.Text, w.Text})
	}
	return slices.DeleteFunc(sheet, func(l line) bool { return l.before == "" && l.after == "" })
}

// heard are the texts of tasks of one type, as the environment says them.
type heard struct {
	taskType string
	// helped are answers to the action that asks for help.
	goals, helped, observations, actions texts
}

// texts are different texts, in the order in which they were added.
type texts struct {
	all  []string
	seen map[string]bool
}

func (x *texts) add(of ...string) {
	for _, text := range of {
		if !x.seen[text] {
			if x.seen == nil {
				x.seen = map[string]bool{}
			}
			x.seen[text] = true
			x.all = append(x.all, text)
		}
	}
}

// hear plays the beginning of a task with its expert. On the way it asks for help, and
// types something that nobody understands.
func (h *heard) hear(t testing.TB, env envs.Env, task envs.Task, steps, listed int) {
	t.Helper()
	ctx := context.Background()
	w := sharedtest.Must(env.NewWorld(task))(t)
	defer w.Close()
	start := sharedtest.Must(w.Start(ctx))(t)
	h.goals.add(start.Goal)
	h.observations.add(start.Observation)
	if lister, ok := envs.As[envs.Lister](w); ok && env.Info().Name != "hotpotqa" {
		actions := sharedtest.Must(lister.Actions(ctx))(t)
		h.actions.add(actions[:min(len(actions), listed)]...)
	}
	do := func(action string, to *texts) (done bool) {
		step := sharedtest.Must(w.Step(ctx, action))(t)
		to.add(step.Observation)
		return step.Done
	}
	if do(helpAction, &h.helped) || do("zzqx", &h.observations) {
		return
	}
	expert := abilityOf[envs.Expert](t, w)
	for range steps {
		action := sharedtest.Must(expert.ExpertAction(ctx))(t)
		if action == "" {
			return
		}
		h.actions.add(action)
		if do(action, &h.observations) {
			return
		}
	}
}

// helpAction asks for help in every environment that has help.
const helpAction = "check valid actions"

// hearTasks plays the beginning of a task of each type, of at most six types; in the long
// form one task of four to its end, and with -whole all of them.
func hearTasks(t testing.TB, env envs.Env) (out []*heard) {
	t.Helper()
	if known, ok := heardTasks[env.Info().Name]; ok {
		return known
	}
	byType, all, every := map[string]*heard{}, *whole || sharedtest.Long(), sharedtest.Every(t, 1, 8)
	for i, task := range env.Tasks() {
		h := byType[task.Type]
		if !all && (h != nil || len(out) == 6) || h != nil && !*whole && i%every != 0 {
			continue
		}
		if h == nil {
			h = &heard{taskType: task.Type}
			byType[task.Type] = h
			out = append(out, h)
		}
		if all {
			h.hear(t, env, task, env.Info().StepLimit, 1000)
		} else {
			h.hear(t, env, task, 8, 12)
		}
	}
	heardTasks[env.Info().Name] = out
	return out
}

// heardTasks keeps what hearTasks plays: tests share it.
var heardTasks = map[string][]*heard{}

// first lists the texts that stand before the first action, but for the prompt.
func (h *heard) first(p *Perturbation) (sheet []line) {
	for _, g := range h.goals.all {
		sheet = append(sheet, line{goal, g, p.writeGoal(g)})
	}
	return append(sheet, line{observation, h.observations.all[0], p.writeObservation(h.observations.all[0])})
}

// sheet lists all texts.
func (h *heard) sheet(p *Perturbation) []line {
	sheet := h.first(p)
	said := h.observations.all[1:]
	if !p.isRemoved(p.normalize(helpAction)) {
		said = slices.Concat(said, h.helped.all)
	}
	for _, o := range said {
		sheet = append(sheet, line{observation, o, p.writeObservation(o)})
	}
	for _, a := range h.actions.all {
		if !p.isRemoved(p.normalize(a)) {
			sheet = append(sheet, line{action, a, p.WriteAction(a)})
		}
	}
	return sheet
}
