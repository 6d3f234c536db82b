package perturb

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"heldout/configs"
	"heldout/envs"
)

// Env is an environment with a perturbation around it: the same tasks, scored
// the same way, spoken to differently.
type Env struct {
	envs.Env
	byType map[string]*Perturbation
}

// Wrap puts a perturbation around an environment. It is checked against the
// interface of every task type.
func Wrap(env envs.Env, rules configs.Perturbation) (*Env, error) {
	name := env.Info().Name
	spoken, ok := env.(envs.Spoken)
	switch {
	case rules.Env != name:
		return nil, fmt.Errorf("perturbation %s is for %s, not for %s", rules.Name, rules.Env, name)
	case !ok:
		return nil, fmt.Errorf("perturbation %s: %s does not describe its interface, so it cannot be perturbed", rules.Name, name)
	}
	interfaces := map[string]envs.Interface{}
	var whole envs.Interface
	for _, t := range env.Tasks() {
		if _, ok := interfaces[t.Type]; !ok {
			i := spoken.Interface(t.Type)
			interfaces[t.Type] = i
			whole.Open = whole.Open || i.Open
			whole.Actions, whole.Replies = append(whole.Actions, i.Actions...), append(whole.Replies, i.Replies...)
		}
	}
	if err := known(rules, whole); err != nil {
		return nil, err
	}
	e := &Env{Env: env, byType: map[string]*Perturbation{}}
	for _, t := range slices.Sorted(maps.Keys(interfaces)) {
		p, err := New(only(rules, interfaces[t]), interfaces[t])
		if err != nil {
			return nil, err
		}
		e.byType[t] = p
	}
	return e, nil
}

// only leaves the rules about actions and answers that the interface has: a task
// type need not have all of its environment.
func only(rules configs.Perturbation, iface envs.Interface) configs.Perturbation {
	rules.Actions, rules.Replies = maps.Clone(rules.Actions), maps.Clone(rules.Replies)
	maps.DeleteFunc(rules.Actions, func(old, _ string) bool { return !iface.Open && !slices.Contains(iface.Actions, old) })
	maps.DeleteFunc(rules.Replies, func(old, _ string) bool { return !slices.Contains(iface.Replies, old) })
	return rules
}

// WritePrompt returns a prompt as it reads now, with a section for every task
// type of the environment.
func (e *Env) WritePrompt(in configs.Prompt) (configs.Prompt, error) {
	out := in
	out.Types = map[string]configs.Instructions{}
	for _, t := range slices.Sorted(maps.Keys(e.byType)) {
		section, err := in.For(t)
		if err != nil {
			return out, err
		}
		p := e.byType[t]
		out.Types[t] = p.writeInstructions(section)
		out.Help = p.WriteAction(in.Help)
	}
	return out, nil
}

// NewWorld implements envs.Env. The world has those of the abilities envs.Lister
// and envs.Expert that the environment's own has.
func (e *Env) NewWorld(t envs.Task) (envs.World, error) {
	inner, err := e.Env.NewWorld(t)
	if err != nil {
		return nil, err
	}
	w := &world{World: inner, p: e.byType[t.Type]}
	l, lists := inner.(envs.Lister)
	x, plays := inner.(envs.Expert)
	switch {
	case lists && plays:
		return struct {
			*world
			lister
			expert
		}{w, lister{l, w.p}, expert{x, w.p}}, nil
	case lists:
		return struct {
			*world
			lister
		}{w, lister{l, w.p}}, nil
	case plays:
		return struct {
			*world
			expert
		}{w, expert{x, w.p}}, nil
	}
	return w, nil
}

type world struct {
	envs.World
	p *Perturbation
}

// Start implements envs.World.
func (w *world) Start(ctx context.Context) (envs.Start, error) {
	s, err := w.World.Start(ctx)
	if err != nil {
		return s, err
	}
	s.Goal = w.p.names.inText(s.Goal)
	s.Observation, err = w.p.checked(s.Observation)
	return s, err
}

// Step implements envs.World.
func (w *world) Step(ctx context.Context, action string) (envs.Step, error) {
	s, err := w.World.Step(ctx, w.p.ReadAction(action))
	if err != nil {
		return s, err
	}
	s.Observation, err = w.p.checked(s.Observation)
	return s, err
}

// checked rewrites an observation and makes sure that nothing was lost: what the
// rules of forms and names can do to free text shows only here. Where forms are
// not all known, that cannot be asked for.
func (p *Perturbation) checked(observation string) (string, error) {
	written := p.WriteObservation(observation)
	if p.iface.Open {
		return written, nil
	}
	if back := p.ReadObservation(written); back != observation {
		return "", fmt.Errorf("the perturbation cannot be undone on an observation: %q becomes %q, which reads as %q", observation, written, back)
	}
	return written, nil
}

type lister struct {
	inner envs.Lister
	p     *Perturbation
}

// Actions implements envs.Lister.
func (l lister) Actions(ctx context.Context) ([]string, error) {
	actions, err := l.inner.Actions(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(actions))
	for i, a := range actions {
		out[i] = l.p.WriteAction(a)
	}
	slices.Sort(out)
	return out, nil
}

type expert struct {
	inner envs.Expert
	p     *Perturbation
}

// ExpertAction implements envs.Expert.
func (e expert) ExpertAction(ctx context.Context) (string, error) {
	action, err := e.inner.ExpertAction(ctx)
	if err != nil || action == "" {
		return "", err
	}
	return e.p.WriteAction(action), nil
}
