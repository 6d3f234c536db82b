// Package wiki finds Wikipedia pages as its search box does: live over two interfaces of MediaWiki, and recorded.
// It knows nothing of questions or agents.
package wiki

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/cenkalti/backoff/v5"

	"heldout/envs/pytext"
)

// Answer is the result of a search: a page, or a list of pages that may be meant.
type Answer struct {
	// List says that the answer is a list, not a page.
	List bool `json:"list"`
	// Titles are the titles of a list, best first, with the notes that Wikipedia
	// adds to them, such as "(redirect from X)". It may be empty.
	Titles []string `json:"titles,omitempty"`
	// Title is the page's title; empty if the interface does not give it.
	Title string `json:"title,omitempty"`
	// Blocks are the texts of a page's paragraphs, in order, followed by the
	// texts of its lists, each without surrounding space.
	Blocks []string `json:"blocks,omitempty"`
}

// MissingError says that there is no recorded answer to a search.
type MissingError struct {
	Query string
	// Folder is the folder of the records.
	Folder string
}

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf(
		"the Wikipedia recorded in %s has no answer to the search %q; play with --wiki live and the same "+
			"--wiki-cache to add it", e.Folder, e.Query)
}

// response is what we read of an answer of MediaWiki's API, format version 2.
type response struct {
	Error *struct {
		Code string `json:"code"`
		Info string `json:"info"`
	} `json:"error"`
	Query *struct {
		Search []hit `json:"search"`
	} `json:"query"`
	Parse *struct {
		Title string  `json:"title"`
		Text  *string `json:"text"`
	} `json:"parse"`
}

type hit struct {
	Title    string `json:"title"`
	Redirect string `json:"redirecttitle"`
	Section  string `json:"sectiontitle"`
}

// heading formats a hit as a page of results does.
func (h hit) heading() string {
	switch {
	case h.Redirect != "":
		return h.Title + " (redirect from " + h.Redirect + ")"
	case h.Section != "":
		return h.Title + " (section " + h.Section + ")"
	}
	return h.Title
}

// listed is the number of titles to request for a list: as many as are shown.
const listed = "5"

// searchJSON does in two requests what the search box does in one (spec section 3.2): it finds a near match of the
// title and its page, or the best pages by full text.
func (l *Live) searchJSON(ctx context.Context, query string) (Answer, error) {
	if pytext.Strip(query) == "" { // the API does not accept an empty query
		return Answer{List: true}, nil
	}
	nearMatches, err := l.hits(ctx, url.Values{"srwhat": {"nearmatch"}, "srlimit": {"1"}, "srsearch": {query}})
	if err != nil {
		return Answer{}, err
	}
	if len(nearMatches) > 0 {
		answer, err := l.page(ctx, nearMatches[0].Title)
		if !errors.Is(err, errNoPage) {
			return answer, err
		}
	}
	similar, err := l.hits(ctx, url.Values{"srprop": {"redirecttitle|sectiontitle"}, "srlimit": {listed},
		"srsearch": {query}})
	if err != nil {
		return Answer{}, err
	}
	out := Answer{List: true}
	for _, h := range similar {
		out.Titles = append(out.Titles, h.heading())
	}
	return out, nil
}

func (l *Live) hits(ctx context.Context, about url.Values) ([]hit, error) {
	about.Set("action", "query")
	about.Set("list", "search")
	about.Set("srnamespace", "0")
	var out []hit
	err := l.ask(ctx, about, func(r *response) error {
		if r.Query == nil {
			return errors.New("the answer to a search has no results")
		}
		out = r.Query.Search
		return nil
	})
	return out, err
}

// errNoPage says that a page was deleted after it was found, or does not exist.
var errNoPage = errors.New("the page does not exist")

func (l *Live) page(ctx context.Context, title string) (Answer, error) {
	var out Answer
	err := l.ask(ctx, url.Values{"action": {"parse"}, "page": {title}, "redirects": {"1"}, "prop": {"text"}},
		func(r *response) error {
			if r.Parse == nil || r.Parse.Text == nil {
				return errors.New("the answer to a request for a page has no text")
			}
			blocks, err := parseArticle(*r.Parse.Text)
			out = Answer{Title: r.Parse.Title, Blocks: blocks}
			return err
		})
	return out, err
}

func (l *Live) ask(ctx context.Context, about url.Values, use func(*response) error) error {
	for key, value := range map[string]string{"format": "json", "formatversion": "2", "utf8": "1", "maxlag": "5"} {
		about.Set(key, value)
	}
	return l.get(ctx, l.o.URL+"/api.php?"+about.Encode(), func(body io.Reader) error {
		r, err := parseResponse(body)
		if err != nil {
			return err
		}
		return use(r)
	})
}

// parseResponse reads an answer. Its errors may be temporary, unless they are marked as permanent.
func parseResponse(body io.Reader) (*response, error) {
	b, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	var r response
	if err := json.Unmarshal([]byte(strings.ToValidUTF8(string(b), "\ufffd")), &r); err != nil {
		return nil, fmt.Errorf("the answer is not of MediaWiki: %w", err)
	}
	if r.Error == nil {
		return &r, nil
	}
	err = fmt.Errorf("MediaWiki says %s: %s", r.Error.Code, r.Error.Info)
	switch code := r.Error.Code; {
	case code == "maxlag", code == "ratelimited", code == "readonly", strings.HasPrefix(code, "internal_api_error"):
		return nil, err
	case code == "missingtitle", code == "invalidtitle", code == "pagecannotexist":
		return nil, backoff.Permanent(errNoPage)
	default:
		return nil, backoff.Permanent(err)
	}
}
