package bench

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

var (
	// pageShown is what a search shows of a page, pagesNamed what it names instead, and
	// sentenceFound what a lookup shows of one.
	pageShown     = regexp.MustCompile(`\nAction \d+: [Ss]earch\[(.*)\]\nObservation \d+: (.*)\n`)
	pagesNamed    = regexp.MustCompile(`^Could not find .*\. Similar: \['(.*)'\]\.$`)
	sentenceFound = regexp.MustCompile(`\(Result \d+ / \d+\) (.*)\n`)
)

// recordedPages serves Wikipedia as far as a recording shows it, and returns the path of its
// scripts: the only page has the sentences that a search showed and those that a lookup found;
// other searches find titles.
func recordedPages(t *testing.T, c *goldenCase) string {
	t.Helper()
	title, page, titles := "", "", ""
	var further []string
	for _, request := range c.requests {
		prompt, _ := request["prompt"].(string)
		prompt = prompt[strings.LastIndex(prompt, "Question:"):]
		for _, m := range pageShown.FindAllStringSubmatch(prompt, -1) {
			if named := pagesNamed.FindStringSubmatch(m[2]); named != nil {
				titles = named[1]
			} else {
				title, page = m[1], m[2]
			}
		}
		for _, m := range sentenceFound.FindAllStringSubmatch(prompt, -1) {
			if !strings.Contains(page, m[1]) {
				further = []string{strings.TrimSuffix(m[1], ".")}
			}
		}
	}
	if more, ended := strings.CutSuffix(page, ".."); ended {
		page = more + "."
	} else { // only the last sentence of a paragraph gets a second full stop
		page = strings.Join(append([]string{strings.TrimSuffix(page, ".")}, further...), ". ") + ". More follows."
	}
	text := "<p>" + html.EscapeString(page) + "</p>"
	list := ""
	for one := range strings.SplitSeq(titles, "', '") {
		list += `<div class="mw-search-result-heading">` + html.EscapeString(one) + "</div>"
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("search") == title {
			fmt.Fprint(w, text)
			return
		}
		fmt.Fprint(w, list)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/w"
}
