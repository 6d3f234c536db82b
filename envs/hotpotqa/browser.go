package hotpotqa

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"heldout/envs/hotpotqa/wiki"
	"heldout/envs/pytext"
)

// Wiki supplies pages. Many worlds use it at the same time.
type Wiki interface {
	// Search looks up text typed into Wikipedia's search box. An error means
	// that no answer is available, not that there is no such page.
	Search(ctx context.Context, query string) (wiki.Answer, error)
}

// browser is the reference's bare environment (spec sections 1.1 to 1.3): it knows no question and gives no reward.
type browser struct {
	wiki Wiki

	page    *string // nil before the first page
	keyword *string // of the last lookup
	found   []string
	next    int // in found

	steps       int
	answer      *string // nil before the end
	observation string

	// searched records which searches so far opened a page. offered are the
	// titles of the last list. The rules need neither.
	searched map[string]bool
	offered  []string
}

const (
	greeting = "Interact with Wikipedia using search[], lookup[], and finish[].\n"
	finished = "Episode finished, reward = %d\n"
	noMore   = "No more results.\n"
	invalid  = "Invalid action: "
)

func newBrowser(w Wiki) *browser {
	return &browser{wiki: w, observation: greeting, searched: map[string]bool{}}
}

// step carries out an action. valid is false for an action that is not understood or comes after the end.
func (b *browser) step(ctx context.Context, action string) (valid bool, err error) {
	if b.answer != nil {
		return false, nil
	}
	action = pytext.Strip(action)
	verb, rest, bracket := strings.Cut(action, "[")
	argument, closed := strings.CutSuffix(rest, "]")
	if !bracket || !closed {
		verb = ""
	}
	valid = true
	switch verb {
	case "search":
		if err := b.search(ctx, argument); err != nil {
			return false, err
		}
	case "lookup":
		b.lookup(argument)
	case "finish":
		b.answer = &argument
		b.observation = fmt.Sprintf(finished, 0)
	case "think":
		b.observation = "Nice thought."
	default:
		b.observation = invalid + action
		valid = false
	}
	b.steps++
	return valid, nil
}

const (
	// ambiguous is how the reference recognizes a disambiguation page.
	ambiguous = "may refer to:"
	// shownTitles is the number of titles of a list that are shown.
	shownTitles = 5
	// maxAmbiguous limits the searches that lead from one disambiguation page to
	// the next. Wikipedia answers the second search with a list.
	maxAmbiguous = 4
)

// search opens a page or shows a list of titles.
func (b *browser) search(ctx context.Context, query string) error {
	typed := query
	b.searched[typed] = false
	for range maxAmbiguous {
		found, err := b.wiki.Search(ctx, query)
		if err != nil {
			return fmt.Errorf("search %q: %w", query, err)
		}
		switch {
		case found.List:
			b.showList(query, found.Titles)
			return nil
		case isAmbiguous(found.Blocks):
			query = "[" + query + "]"
		default:
			b.open(found)
			b.searched[typed] = true
			return nil
		}
	}
	return fmt.Errorf("search %q: every answer is a disambiguation page", query)
}

func isAmbiguous(blocks []string) bool {
	return slices.ContainsFunc(blocks, func(block string) bool { return strings.Contains(block, ambiguous) })
}

func (b *browser) showList(query string, titles []string) {
	b.offered = nil
	for _, t := range titles[:min(shownTitles, len(titles))] {
		b.offered = append(b.offered, cleanText(t))
	}
	b.observation = "Could not find " + query + ". Similar: " + pytext.List(b.offered) + "."
}

// open makes an article the current page.
func (b *browser) open(found wiki.Answer) {
	page := pageText(found.Blocks)
	b.page, b.keyword, b.found, b.next = &page, nil, nil, 0
	b.observation = summary(page)
}

// lookup shows the next sentence of the page that contains a text.
func (b *browser) lookup(keyword string) {
	if b.keyword == nil || *b.keyword != keyword {
		b.keyword, b.found, b.next = &keyword, nil, 0
		if b.page != nil {
			b.found = containing(*b.page, keyword)
		}
	}
	if b.next >= len(b.found) {
		b.observation = noMore
		return
	}
	b.observation = fmt.Sprintf("(Result %d / %d) %s", b.next+1, len(b.found), b.found[b.next])
	b.next++
}
