// Package hotpotqa is HotpotQA with Wikipedia search: questions that take two articles to answer, and ReAct's three
// actions search, lookup and finish. Its answers match ReAct's environment byte for byte.
//
// Pages come from a Wiki: live or recorded (package wiki), or an index of articles (package index). The
// environment's own questions come with their own articles.
package hotpotqa

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/envs/hotpotqa/wiki/index"
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
	// facts are the titles of the articles for questions that do not come with them, by digests of these; nil if
	// there is no place to look.
	facts func() (map[string]facts, error)
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

// Our own articles and questions: facts that anyone can check.
var (
	//go:embed embedded/articles.txt
	articlesText string
	//go:embed embedded/questions.jsonl
	questionsText string
)

// NewEmbedded returns the environment with our own questions, and with our own
// articles if no other pages are chosen.
func NewEmbedded(o Options, out envs.Outside) (*Env, error) {
	if o.Questions != "" {
		return nil, fmt.Errorf("hotpotqa: --questions %s needs --data, or the path of the file, such as ./%[1]s",
			o.Questions)
	}
	e := newEnv(envs.Generated, o)
	sample, err := o.sample(Sample{Full: true})
	if err != nil {
		return nil, err
	}
	if err := e.add(embeddedQuestions(), sample); err != nil {
		return nil, err
	}
	if o.Pages == (Pages{}) {
		e.wiki = offline{sync.OnceValues(func() (*index.Index, error) { return index.Memory(embeddedArticles()) })}
		return e, nil
	}
	return e, e.connect(o.Pages, out)
}

func embeddedQuestions() (out []question) {
	for line := range strings.Lines(questionsText) {
		q := datafile.Table[struct {
			ID, Type, Question, Answer string
			Searches, Pages            []string
		}]([]byte(line))
		out = append(out, question{q.ID, q.Question, q.Answer, q.Type, q.Searches, q.Pages, true})
	}
	return out
}

// embeddedArticles reads our articles: after "# " a title, then a paragraph per line.
func embeddedArticles() (out []index.Article) {
	for part := range strings.SplitSeq(strings.TrimPrefix(articlesText, "# "), "\n# ") {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		out = append(out, index.Article{Title: lines[0], Paragraphs: lines[1:]})
	}
	return out
}
