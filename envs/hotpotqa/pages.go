package hotpotqa

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/hotpotqa/wiki"
	"heldout/envs/hotpotqa/wiki/index"
	"heldout/envs/pytext"
)

// Pages configures the source of pages.
type Pages struct {
	// Origin is one of Origins; empty for the first.
	Origin string
	// Flow is the way to ask Wikipedia: "json" (also when empty) or "html". URL is its script path; empty for
	// English Wikipedia. If pages are recorded, both values come from the record.
	Flow, URL string
	// Contact is a mail address or a web page of the user, which Wikipedia asks
	// for. It does not affect the answers.
	Contact string
	// Cache is the folder of the record; empty for none.
	Cache string
	// Index is the folder of an index for offline pages.
	Index string
}

// The possible sources of pages.
const (
	live     = "live"
	recorded = "recorded"
	local    = "offline"
)

// Origins are the possible sources of pages.
func Origins() []string { return []string{live, recorded, local} }

// noContact replaces a missing contact.
const noContact = "benchmark of language agents, no contact given"

// contextsCaveat describes the limitation of an index of the questions' paragraphs.
const contextsCaveat = "the pages are only the paragraphs that come with the questions, which are far easier to search than Wikipedia"

// shownHash is how many digits of an index's hash identify the index.
const shownHash = 16

// connect opens the pages and records what identifies them.
func (e *Env) connect(p Pages, out envs.Outside) (err error) {
	p.Origin = cmp.Or(p.Origin, live)
	if p.Origin != local && p.Index != "" {
		return fmt.Errorf("hotpotqa: --wiki-index is for --wiki %s", local)
	}
	e.Set("wiki", p.Origin)
	switch p.Origin {
	case live:
		return e.connectLive(p, out)
	case recorded:
		return e.connectRecorded(p)
	case local:
		return e.connectOffline(p)
	default:
		return fmt.Errorf("hotpotqa: unknown pages %q; there are %s", p.Origin, strings.Join(Origins(), ", "))
	}
}

func (e *Env) connectLive(p Pages, out envs.Outside) error {
	flow := cmp.Or(wiki.Flow(p.Flow), wiki.JSON)
	l, err := wiki.NewLive(wiki.Options{
		URL: p.URL, Flow: flow, Now: out.Now, Proxy: out.Proxy,
		UserAgent: fmt.Sprintf("%s (%s) Go-http-client", out.Tool, cmp.Or(p.Contact, noContact)),
	})
	if err != nil {
		return fmt.Errorf("hotpotqa: %w", err)
	}
	e.noteOrigin(l.Origin())
	e.wiki = l
	dir := p.Cache
	if dir == "" && out.Keep != "" {
		dir = filepath.Join(out.Keep, "wiki-"+string(flow))
	}
	if dir == "" {
		return nil
	}
	if e.wiki, err = wiki.NewCache(dir, l); err != nil {
		return fmt.Errorf("hotpotqa: %w", err)
	}
	return nil
}

func (e *Env) connectRecorded(p Pages) error {
	if p.Cache == "" {
		return fmt.Errorf("hotpotqa: --wiki %s needs --wiki-cache, the folder with the record", recorded)
	}
	if p.Flow != "" || p.URL != "" {
		return fmt.Errorf("hotpotqa: the record decides on --wiki-flow and --wiki-url; leave them out")
	}
	c, err := wiki.OpenRecorded(p.Cache)
	if err != nil {
		return fmt.Errorf("hotpotqa: %w", err)
	}
	e.noteOrigin(c.Origin())
	e.wiki = c
	return nil
}

// noteOrigin records the differences from English Wikipedia with the JSON flow.
func (e *Env) noteOrigin(o wiki.Origin) {
	if o.Flow != wiki.JSON {
		e.Set("wiki-flow", string(o.Flow))
	}
	if o.URL != wiki.DefaultURL {
		e.Set("wiki-url", o.URL)
	}
}

func (e *Env) connectOffline(p Pages) error {
	if p.Index == "" {
		return fmt.Errorf("hotpotqa: --wiki %s needs --wiki-index, the folder that heldout wiki build has made", local)
	}
	if p.Flow != "" || p.URL != "" || p.Cache != "" {
		return fmt.Errorf("hotpotqa: --wiki-flow, --wiki-url and --wiki-cache have no use with --wiki %s", local)
	}
	x, err := index.Open(p.Index)
	if err != nil {
		return fmt.Errorf("hotpotqa: %w", err)
	}
	about := x.About()
	e.Set("wiki-index", about.Hash[:shownHash])
	if about.Kind == index.Contexts {
		e.About.Caveat = contextsCaveat
	}
	e.wiki = offline{func() (*index.Index, error) { return x, nil }}
	return nil
}

// offline searches an index as Wikipedia's search box would (spec section 3.4). The first search may build the index.
type offline struct {
	index func() (*index.Index, error)
}

// Search implements Wiki.
func (o offline) Search(ctx context.Context, query string) (wiki.Answer, error) {
	x, err := o.index()
	if err != nil {
		return wiki.Answer{}, err
	}
	text, bracketed := unbracketed(query)
	a, ok, err := x.Article(ctx, text)
	if err != nil {
		return wiki.Answer{}, err
	}
	// If a page is ambiguous, the environment asks again in brackets, and then expects a list.
	if ok && !(bracketed && isAmbiguous(a.Paragraphs)) {
		return wiki.Answer{Title: a.Title, Blocks: a.Paragraphs}, nil
	}
	titles, err := x.Titles(ctx, text, shownTitles+1)
	// The ambiguous page itself does not help.
	titles = slices.DeleteFunc(titles, func(t string) bool { return ok && t == a.Title })
	return wiki.Answer{List: true, Titles: titles[:min(shownTitles, len(titles))]}, err
}

// unbracketed removes one pair of brackets from a query.
func unbracketed(query string) (text string, bracketed bool) {
	if inner, ok := strings.CutPrefix(query, "["); ok {
		if inner, ok := strings.CutSuffix(inner, "]"); ok {
			return inner, true
		}
	}
	return query, false
}

// pageText makes the text of a page from its blocks, one line per block. It
// drops blocks of one or two words (spec section 1.2, d).
func pageText(blocks []string) string {
	var b strings.Builder
	for _, block := range blocks {
		if strings.Count(block, " ") >= 2 {
			b.WriteString(cleanText(block))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// sentences splits a page as the reference does (spec section 1.2.1): at every
// ". ", whatever the period means. Each piece gets its own period.
func sentences(page string) []string {
	var out []string
	for line := range strings.SplitSeq(page, "\n") {
		for piece := range strings.SplitSeq(pytext.Strip(line), ". ") {
			if piece = pytext.Strip(piece); piece != "" {
				out = append(out, piece+".")
			}
		}
	}
	return out
}

// shownSentences is how many sentences of a page a search shows.
const shownSentences = 5

// summary is the text that a search shows of a page.
func summary(page string) string {
	s := sentences(page)
	return strings.Join(s[:min(shownSentences, len(s))], " ")
}

// containing returns the sentences that contain a text; case does not matter.
func containing(page, text string) []string {
	var out []string
	text = pytext.Lower(text)
	for _, s := range sentences(page) {
		if strings.Contains(pytext.Lower(s), text) {
			out = append(out, s)
		}
	}
	return out
}
