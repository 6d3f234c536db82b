package hotpotqa

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"heldout/envs"
	"heldout/envs/hotpotqa/wiki/index"
)

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
	questions, err := embeddedQuestions()
	if err != nil {
		return nil, err
	}
	sample, err := o.sample(Sample{Full: true})
	if err != nil {
		return nil, err
	}
	if err := e.add(questions, sample); err != nil {
		return nil, err
	}
	if o.Pages == (Pages{}) {
		e.wiki = offline{sync.OnceValues(func() (*index.Index, error) { return index.Memory(embeddedArticles()) })}
		return e, nil
	}
	return e, e.connect(o.Pages, out)
}

func embeddedQuestions() (out []question, err error) {
	for line := range strings.Lines(questionsText) {
		var q struct {
			ID, Type, Question, Answer string
			Searches, Pages            []string
		}
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			return nil, fmt.Errorf("embedded questions: %w", err)
		}
		out = append(out, question{q.ID, q.Question, q.Answer, q.Type, q.Searches, q.Pages, true})
	}
	return out, nil
}

// embeddedArticles reads our articles: after "# " a title, then a paragraph per line.
func embeddedArticles() (out []index.Article) {
	for part := range strings.SplitSeq(strings.TrimPrefix(articlesText, "# "), "\n# ") {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		out = append(out, index.Article{Title: lines[0], Paragraphs: lines[1:]})
	}
	return out
}
