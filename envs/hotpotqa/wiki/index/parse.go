package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"heldout/envs/datafile"
)

// parseArticle reads a line of a dump (spec section 3.4). In a dump of the introductions, the text is a list of
// sentences. In a dump of the full articles, the text is a list of paragraphs with links as HTML.
func parseArticle(line []byte) (Article, error) {
	var in struct {
		Title string          `json:"title"`
		Text  json.RawMessage `json:"text"`
	}
	if err := datafile.Unmarshal(line, &in, datafile.Lenient); err != nil {
		return Article{}, fmt.Errorf("not an article: %w", err)
	}
	text, err := parseText(in.Text)
	if err != nil {
		return Article{}, err
	}
	return newArticle(in.Title, text)
}

// parseText reads one paragraph, or several paragraphs.
func parseText(b json.RawMessage) ([][]string, error) {
	var paragraph []string
	if json.Unmarshal(b, &paragraph) == nil {
		return [][]string{paragraph}, nil
	}
	var several [][]string
	if err := json.Unmarshal(b, &several); err != nil {
		return nil, errors.New("the text is neither a list of sentences nor one of paragraphs")
	}
	for _, p := range several {
		for i := range p {
			p[i] = html.UnescapeString(link.ReplaceAllString(p[i], ""))
		}
	}
	return several, nil
}

// link matches the tag of a link in the text of an article.
var link = regexp.MustCompile(`</?a\b[^>]*>`)

// newArticle makes an article. Titles contain HTML entities.
func newArticle(title string, text [][]string) (Article, error) {
	title = strings.TrimSpace(html.UnescapeString(title))
	if title == "" || strings.ContainsAny(title, "\n\x00") {
		return Article{}, fmt.Errorf("an article has the title %q", title)
	}
	return Article{title, paragraphs(text)}, nil
}

// readContexts visits the paragraphs that come with questions, in the official
// format and in the format of Hugging Face (spec section 3.4).
func readContexts(name string, r io.Reader, visit func(Article) error) error {
	in, err := datafile.Start(name, r)
	if err != nil {
		return err
	}
	if err := eachContext(json.NewDecoder(in), visit); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func eachContext(d *json.Decoder, visit func(Article) error) error {
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.New("not a file of questions: want a list in JSON, which begins with [ on line 1")
	}
	n := 1
	for ; d.More(); n++ {
		var q struct {
			Context *contexts `json:"context"`
		}
		if err := d.Decode(&q); err != nil {
			return fmt.Errorf("question %d: %w", n, datafile.Plain(err))
		}
		if q.Context == nil {
			return fmt.Errorf(
				"question %d has no context; the files with contexts are hotpot_dev_distractor_v1.json and the like", n)
		}
		for _, c := range *q.Context {
			a, err := newArticle(c.title, [][]string{c.sentences})
			if err != nil {
				return fmt.Errorf("question %d: %w", n, err)
			}
			if err := visit(a); err != nil {
				return err
			}
		}
	}
	if _, err := d.Token(); err != nil { // the end of the list
		return fmt.Errorf("question %d: %w", n, datafile.Plain(err))
	}
	return nil
}

// contexts are the paragraphs of a question.
type contexts []struct {
	title     string
	sentences []string
}

// UnmarshalJSON reads a list of [title, sentences], or an object with a list of titles and a list of sentences.
func (c *contexts) UnmarshalJSON(b []byte) error {
	var parallel struct {
		Title     []string   `json:"title"`
		Sentences [][]string `json:"sentences"`
	}
	if json.Unmarshal(b, &parallel) == nil {
		if len(parallel.Title) != len(parallel.Sentences) {
			return fmt.Errorf("the context has %d titles and %d paragraphs", len(parallel.Title),
				len(parallel.Sentences))
		}
		*c = make(contexts, len(parallel.Title))
		for i := range *c {
			(*c)[i].title, (*c)[i].sentences = parallel.Title[i], parallel.Sentences[i]
		}
		return nil
	}
	var pairs [][]json.RawMessage
	if err := json.Unmarshal(b, &pairs); err != nil {
		return errors.New("the context is not a list of paragraphs")
	}
	*c = make(contexts, len(pairs))
	for i, p := range pairs {
		if len(p) != 2 || json.Unmarshal(p[0], &(*c)[i].title) != nil ||
			json.Unmarshal(p[1], &(*c)[i].sentences) != nil {
			return fmt.Errorf("paragraph %d of the context is not a title with a list of sentences", i+1)
		}
	}
	return nil
}
