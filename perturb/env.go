package perturb

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring/table"
)

// Env is an environment with a perturbation around it: the tasks and the scoring
// stay the same, and the interface differs.
type Env struct {
	envs.Env
	speaker envs.Describer
	rules   configs.Perturbation
	byType  map[string]*Perturbation // of the benchmark's task types
}

// Wrap puts a perturbation around an environment. It is checked against the interface of every task type.
func Wrap(env envs.Env, rules configs.Perturbation) (*Env, error) {
	return wrapTasks(env, env.Tasks(), rules)
}

func wrapTasks(env envs.Env, tasks []envs.Task, rules configs.Perturbation) (*Env, error) {
	name := env.Info().Name
	speaker, ok := envs.As[envs.Describer](env)
	switch {
	case rules.Env != name:
		return nil, fmt.Errorf("perturbation %s is for %s, not for %s; heldout envs %s lists its own, "+
			"and heldout sweep --suite robust plays them", rules.Name, rules.Env, name, name)
	case !ok:
		return nil, fmt.Errorf("perturbation %s: %s does not describe its interface, so it cannot be perturbed",
			rules.Name, name)
	}
	e := &Env{Env: env, speaker: speaker, rules: rules, byType: map[string]*Perturbation{}}
	interfaces := map[string]envs.Interface{}
	var union envs.Interface
	for _, t := range tasks {
		if _, ok := interfaces[t.Type]; !ok {
			i := speaker.Interface(t.Type)
			interfaces[t.Type] = i
			union.Open = union.Open || i.Open
			union.Actions, union.Replies = append(union.Actions, i.Actions...), append(union.Replies, i.Replies...)
			union.Texts, union.FoldCase, union.Unknown = append(union.Texts, i.Texts...), i.FoldCase, i.Unknown
		}
	}
	if rules.Parts != nil { // families have rules for all settings of an environment
		rules = only(rules, union)
	}
	if err := checkRules(rules, union); err != nil {
		return nil, fmt.Errorf("perturbation %s: %w", rules.Name, err)
	}
	for _, t := range slices.Sorted(maps.Keys(interfaces)) {
		if p := e.equivalent(interfaces[t]); p != nil {
			e.byType[t] = p
			continue
		}
		p, err := New(only(rules, interfaces[t]), interfaces[t])
		if err != nil {
			return nil, err
		}
		e.byType[t] = p
	}
	return e, nil
}

// equivalent returns the perturbation of a task type with the same interface, or nil:
// checking rules takes time. The functions of an interface are the environment's.
func (e *Env) equivalent(i envs.Interface) *Perturbation {
	i.Normalize, i.Spellings = nil, nil
	for _, p := range e.byType {
		candidate := p.iface
		candidate.Normalize, candidate.Spellings = nil, nil
		if reflect.DeepEqual(i, candidate) {
			return p
		}
	}
	return nil
}

// ofType returns the perturbation of a task type. Tasks outside the benchmark may have a type of their own.
func (e *Env) ofType(taskType string) (*Perturbation, error) {
	if p, ok := e.byType[taskType]; ok {
		return p, nil
	}
	i := e.speaker.Interface(taskType)
	return New(only(e.rules, i), i)
}

// Names returns how the environment itself writes names, with a regular expression
// for each slot. All task types of an environment write them alike.
func (e *Env) Names() (layout string, parts map[string]string) {
	for _, p := range e.byType {
		parts = maps.Clone(p.iface.Parts)
		for _, m := range spelledSlot.FindAllStringSubmatch(e.rules.Names, -1) {
			parts[m[1]+":"+m[2]] = numberSpellings[m[2]].pattern
		}
		return p.iface.Name, parts
	}
	return "", nil
}

// Forms counts the forms of actions that are written differently, over all task types.
func (e *Env) Forms() int {
	forms := map[string]bool{}
	for _, p := range e.byType {
		for _, form := range p.Forms() {
			forms[form] = true
		}
	}
	return len(forms)
}

// Unwrap implements envs.Wrapper.
func (e *Env) Unwrap() any { return e.Env }

// Rewrites implements envs.Wrapper. Recorded answers are compared as the environment gave them. A perturbed
// environment cannot be perturbed again, since its interface is not the one that the environment describes.
func (e *Env) Rewrites() []any {
	return []any{
		func(envs.Comparer) envs.Comparer { return e },
		func(envs.Describer) envs.Describer { return nil },
	}
}

// SameObservation implements envs.Comparer. The task type of the answers is
// unknown, so it is enough that they are the same in any task type.
func (e *Env) SameObservation(action, recorded, ours string) bool {
	inner, _ := envs.As[envs.Comparer](e.Env)
	for _, p := range e.byType {
		if inner.SameObservation(p.ReadAction(action), p.readObservation(recorded), p.readObservation(ours)) {
			return true
		}
	}
	return false
}

// only keeps the rules about actions and answers that the interface has: a task
// type may have only some of its environment's actions and answers.
func only(rules configs.Perturbation, iface envs.Interface) configs.Perturbation {
	rules.Actions, rules.Replies = maps.Clone(rules.Actions), maps.Clone(rules.Replies)
	rules.Verbs, rules.Texts = maps.Clone(rules.Verbs), maps.Clone(rules.Texts)
	maps.DeleteFunc(rules.Verbs, func(old, _ string) bool { return !hasVerb(old, iface) })
	maps.DeleteFunc(rules.Texts, func(old, _ string) bool { return !slices.Contains(iface.Texts, old) })
	rules.Without = slices.DeleteFunc(slices.Clone(rules.Without), func(old string) bool {
		return !iface.Open && !slices.Contains(iface.Actions, old)
	})
	maps.DeleteFunc(rules.Actions, func(old, _ string) bool {
		return !iface.Open && !slices.Contains(iface.Actions, old)
	})
	maps.DeleteFunc(rules.Replies, func(old, _ string) bool { return !slices.Contains(iface.Replies, old) })
	return rules
}

// WritePrompt returns a prompt as it reads now, with a section for every task type of the benchmark, and of the
// played tasks, that the prompt is for. It may be for the played types alone.
func (e *Env) WritePrompt(in configs.Prompt, tasks []envs.Task) (configs.Prompt, error) {
	out := e.writeShared(in)
	if len(in.Types) == 0 {
		return out, nil
	}
	out.Types = map[string]configs.Instructions{}
	// Task types share sections and interfaces.
	type part struct {
		p       *Perturbation
		section string
	}
	cache := map[part]configs.Instructions{}
	types := maps.Clone(e.byType)
	for _, t := range tasks {
		if types[t.Type] != nil {
			continue
		}
		p, err := e.ofType(t.Type)
		if err != nil {
			return out, err
		}
		types[t.Type] = p
	}
	for _, t := range slices.Sorted(maps.Keys(types)) {
		section, err := in.For(t)
		if err != nil {
			continue
		}
		p := types[t]
		key := part{p, t}
		if _, own := in.Types[t]; !own {
			key.section = ""
		}
		if _, ok := cache[key]; !ok {
			cache[key] = p.writeInstructions(section)
		}
		out.Types[t] = cache[key]
		out.Help = p.writeHelp(in.Help)
	}
	return out, nil
}

// writeShared rewrites what the sections of a prompt share.
func (e *Env) writeShared(in configs.Prompt) configs.Prompt {
	p, out := e.anyType(), in
	out.MoreHelp, out.Kept = p.writeHelp(in.MoreHelp), p.writeKept(in.Kept)
	if in.Template != nil {
		t := *in.Template
		t.First, t.Next, t.Possible = p.writeMessage(t.First), p.writeMessage(t.Next), p.writeMessage(t.Possible)
		out.Template = &t
	}
	if in.Openings != nil {
		out.Openings = map[string]configs.Opening{}
	}
	for taskType, own := range in.Openings {
		out.Openings[taskType] = configs.Opening{Goal: p.writeGoal(own.Goal),
			Observation: p.writeObservation(own.Observation)}
	}
	return out
}

// NewWorld implements envs.Env. The world has the abilities of the environment's own.
func (e *Env) NewWorld(t envs.Task) (envs.World, error) {
	p, err := e.ofType(t.Type)
	if err != nil {
		return nil, err
	}
	inner, err := e.Env.NewWorld(t)
	if err != nil {
		return nil, err
	}
	return &world{World: inner, p: p}, nil
}

type world struct {
	envs.World
	p *Perturbation
}

// Unwrap implements envs.Wrapper.
func (w *world) Unwrap() any { return w.World }

// Rewrites implements envs.Wrapper: the abilities that read or write actions, which the world is asked for only where
// the inner one has them. A picture is for a person and a state for the program, so both stay.
func (w *world) Rewrites() []any {
	return []any{
		func(envs.Lister) envs.Lister { return w },
		func(envs.Hinter) envs.Hinter { return w },
		func(envs.Expert) envs.Expert { return w },
		func(envs.Speller) envs.Speller { return w },
		func(envs.Forker) envs.Forker { return w },
	}
}

// Start implements envs.World.
func (w *world) Start(ctx context.Context) (envs.Start, error) {
	s, err := w.World.Start(ctx)
	if err != nil {
		return s, err
	}
	goal := s.Goal
	if s.Goal = w.p.writeGoal(goal); w.p.readGoal(s.Goal) != goal {
		return s, fmt.Errorf("the perturbation cannot be undone on a goal: %q becomes %q, which reads as %q", goal,
			s.Goal, w.p.readGoal(s.Goal))
	}
	observation := s.Observation
	s.Observation, err = w.p.checked(observation)
	s.Rewritten = s.Goal != goal || s.Observation != observation
	return s, err
}

// Step implements envs.World.
func (w *world) Step(ctx context.Context, action string) (envs.Step, error) {
	read := w.p.ReadAction(action)
	s, err := w.World.Step(ctx, read)
	if err != nil {
		return s, err
	}
	s.Wording = w.p.wording(action)
	observation := s.Observation
	s.Observation, err = w.p.checked(observation)
	if read != "" && read == w.p.iface.Unknown { // an answer may repeat it, but nobody typed it
		s.Observation = strings.ReplaceAll(s.Observation, read, action)
	}
	s.Rewritten = s.Observation != observation
	return s, err
}

// checked rewrites an observation and verifies that nothing was lost: the effect of the rules on free text shows
// only here. If not all forms are known, this cannot be required.
func (p *Perturbation) checked(observation string) (string, error) {
	rewritten := p.writeObservation(observation)
	if p.iface.Open {
		return rewritten, nil
	}
	if back := p.readObservation(rewritten); back != observation {
		return "", fmt.Errorf("the perturbation cannot be undone on an observation: %q becomes %q, which reads as %q",
			observation, rewritten, back)
	}
	return rewritten, nil
}

// Actions implements envs.Lister. Under families the order stays, so that a player
// who chooses by number chooses the same action.
func (w *world) Actions(ctx context.Context) ([]string, error) {
	inner, _ := envs.As[envs.Lister](w.World)
	actions, err := inner.Actions(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(actions))
	for _, a := range actions {
		if !w.p.isRemoved(w.p.normalize(a)) {
			out = append(out, w.p.WriteAction(a))
		}
	}
	if w.p.sorted {
		slices.Sort(out)
	}
	return out, nil
}

// Hints implements envs.Hinter: forms as a prompt tells them, without the forms taken away.
func (w *world) Hints(ctx context.Context) (forms, things []string, err error) {
	inner, _ := envs.As[envs.Hinter](w.World)
	allForms, allThings, err := inner.Hints(ctx)
	for _, form := range allForms {
		if !w.p.isRemoved(w.p.normalize(form)) {
			forms = append(forms, w.p.writeInstruction(form))
		}
	}
	things = table.Each(allThings, func(thing string) string { return w.p.say(w.p.names.inText(thing), false) })
	return forms, things, err
}

// ExpertAction implements envs.Expert.
func (w *world) ExpertAction(ctx context.Context) (string, error) {
	inner, _ := envs.As[envs.Expert](w.World)
	action, err := inner.ExpertAction(ctx)
	if err != nil || action == "" {
		return "", err
	}
	return w.p.WriteAction(action), nil
}

// Fork implements envs.Forker.
func (w *world) Fork() (envs.World, error) {
	forker, _ := envs.As[envs.Forker](w.World)
	inner, err := forker.Fork()
	if err != nil {
		return nil, err
	}
	return &world{World: inner, p: w.p}, nil
}

// Spell implements envs.Speller. An action in a current form stays as it is.
func (w *world) Spell(action string) string {
	if _, ok := w.p.read(action); ok {
		return action
	}
	inner, _ := envs.As[envs.Speller](w.World)
	return inner.Spell(action)
}

// Actions returns how the forms of actions in whose words something changes are written now, of all task types.
func (e *Env) Actions() map[string]string {
	out := map[string]string{}
	for _, p := range e.byType {
		for i := range p.forms {
			if f := &p.forms[i]; f.changed() {
				out[f.old.text] = f.current.text
			}
		}
	}
	return out
}
