// Package hotpotqa is HotpotQA with Wikipedia search: questions that take two articles to answer, and ReAct's three
// actions search, lookup and finish. Its answers match ReAct's environment byte for byte.
//
// Pages come from a Wiki: live or recorded (package wiki), or an index of articles (package index). The
// environment's own questions come with their own articles.
package hotpotqa

import (
	"heldout/envs"
)

// Name is the environment's name.
const Name = "hotpotqa"

// stepLimit is the number of rounds in ReAct's notebook (spec section 1.7).
const stepLimit = 7

// Options configure the environment. The zero value matches the configuration
// of published results, as far as Wikipedia has not changed since.
type Options struct {
	// Questions is a file of questions, in the data folder's hotpotqa or anywhere; empty for the development set.
	Questions string
	// Sample selects questions, see ParseSample. If empty, it selects the first 300 in ReAct's order of the
	// development set, and all questions of other files.
	Sample string
	Pages  Pages
}

// Configured returns the options for settings.
func Configured(s envs.Settings) Options {
	return Options{
		Questions: s["questions"], Sample: s["sample"],
		Pages: Pages{Origin: s["wiki"], Flow: s["wiki-flow"], URL: s["wiki-url"], Contact: s["wiki-contact"],
			Cache: s["wiki-cache"], Index: s["wiki-index"]},
	}
}

// Env implements envs.Env.
type Env struct {
	envs.Roster
	questions []question // by task index
	wiki      Wiki
	// facts finds the titles of the articles for a question that does not come
	// with them; nil if there is no place to look.
	facts func(question) ([]string, error)
}

type question struct {
	id, text, answer, kind string
	// searches lead to the answer; pages are the searches that open a required page. Nil if unknown.
	searches, pages []string
	// own: the question is not one of HotpotQA's files, and answers that are nothing in the
	// normal form are compared in another one.
	own bool
}

func newEnv(src envs.Source, o Options) *Env {
	e := &Env{Roster: envs.Roster{About: envs.Info{
		Name: Name, Source: src, StepLimit: stepLimit,
		SuccessName: "EM", ProgressName: "F1", Settings: map[string]string{},
	}}}
	if o.Sample != "" {
		e.Set("sample", o.Sample)
	}
	return e
}

// add puts the questions of a sample into the benchmark.
func (e *Env) add(questions []question, s Sample) error {
	order, err := s.indices(len(questions))
	if err != nil {
		return err
	}
	for _, i := range order {
		q := questions[i]
		e.Add(envs.Task{ID: q.id, Type: q.kind, Digest: envs.Digest(q.text, q.answer, q.kind),
			Content: envs.TextContent(q.text)})
		e.questions = append(e.questions, q)
	}
	return nil
}

// NewWorld implements envs.Env.
func (e *Env) NewWorld(t envs.Task) (envs.World, error) {
	if err := e.Verify(t); err != nil {
		return nil, err
	}
	return &world{env: e, question: e.questions[t.Index], browser: newBrowser(e.wiki)}, nil
}
