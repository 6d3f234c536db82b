// Package hotpotqa is HotpotQA with Wikipedia search: questions that take two
// articles to answer, and ReAct's three actions search, lookup and finish,
// answered byte for byte as ReAct's environment answers.
//
// Pages come from a Wiki: live or recorded (package wiki), or an index of
// articles (package index). The environment's own questions come with articles
// of their own.
package hotpotqa

import (
	"fmt"

	"heldout/envs"
)

// Name is the environment's name.
const Name = "hotpotqa"

// stepLimit is the number of rounds in ReAct's notebook (spec section 1.7).
const stepLimit = 7

// Options say how the environment is set up. The zero value is what published
// numbers rest on, as far as Wikipedia is still what it was.
type Options struct {
	// Questions is a file of questions, in the data folder's hotpotqa or
	// anywhere; empty for the development set.
	Questions string
	// Sample chooses among the questions, see ParseSample; empty for the first
	// 300 in ReAct's order of the development set, and for all of other files.
	Sample string
	Pages  Pages
}

// Env implements envs.Env.
type Env struct {
	info      envs.Info
	tasks     []envs.Task
	questions []question // by task index
	wiki      Wiki
	// facts finds the titles of the articles needed for a question that does not
	// come with them; nil where there is nothing to look in.
	facts func(question) ([]string, error)
}

// question is what a task asks.
type question struct {
	id, text, answer, kind string
	// searches lead to the answer; pages are those of them that open a page
	// which is needed. Nil where that is not known.
	searches, pages []string
}

func newEnv(from envs.Source, o Options) *Env {
	e := &Env{info: envs.Info{
		Name: Name, Source: from, StepLimit: stepLimit,
		SuccessName: "EM", ProgressName: "F1", Settings: map[string]string{},
	}}
	if o.Sample != "" {
		e.info.Settings["sample"] = o.Sample
	}
	return e
}

// add puts the questions of a sample into the benchmark.
func (e *Env) add(all []question, s Sample) error {
	order, err := s.indices(len(all))
	if err != nil {
		return err
	}
	for _, i := range order {
		q := all[i]
		e.tasks = append(e.tasks, envs.Task{ID: q.id, Index: len(e.tasks), Type: q.kind, Digest: envs.Digest(q.text, q.answer, q.kind)})
		e.questions = append(e.questions, q)
	}
	return nil
}

// Info implements envs.Env.
func (e *Env) Info() envs.Info { return e.info }

// Tasks implements envs.Env.
func (e *Env) Tasks() []envs.Task { return e.tasks }

// NewWorld implements envs.Env.
func (e *Env) NewWorld(t envs.Task) (envs.World, error) {
	if t.Index < 0 || t.Index >= len(e.tasks) || e.tasks[t.Index] != t {
		return nil, fmt.Errorf("hotpotqa: there is no task %s here", t.ID)
	}
	return &world{env: e, question: e.questions[t.Index], browser: newBrowser(e.wiki)}, nil
}
