package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// fakeWiki is a Wikipedia of three articles that speaks both flows.
type fakeWiki struct {
	// allowed is how many requests it still answers before it refuses.
	allowed atomic.Int64
}

var fakeArticles = map[string]string{
	"Marie Curie": "Marie Curie was born in Warsaw.",
	"Warsaw":      "Warsaw stands on the Vistula.",
	"Pluto":       "Pluto was discovered by Clyde Tombaugh.",
}

func (f *fakeWiki) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.allowed.Add(-1) < 0 {
		http.Error(w, "go away", http.StatusForbidden)
		return
	}
	q := r.URL.Query()
	query := strings.Trim(q.Get("search")+q.Get("srsearch")+q.Get("page"), "[]")
	text, found := fakeArticles[query]
	switch {
	case r.URL.Path == "/w/index.php" && found:
		fmt.Fprintf(w, `<h1 id="firstHeading">%s</h1><p>%s</p>`, html.EscapeString(query), html.EscapeString(text))
	case r.URL.Path == "/w/index.php":
		fmt.Fprint(w, `<div class="mw-search-result-heading"><a>Pluto</a></div>`)
	case q.Get("action") == "parse":
		writeJSON(w, map[string]any{"parse": map[string]string{
			"title": query, "text": "<p>" + html.EscapeString(text) + "</p>"}})
	case found:
		writeJSON(w, map[string]any{"query": map[string]any{"search": []map[string]string{{"title": query}}}})
	default:
		writeJSON(w, map[string]any{"query": map[string]any{"search": []any{}}})
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(err)
	}
}

// wikiAnswers is a command of the test scripts: "wiki N" lets the fake Wikipedia
// answer N requests and refuse the others, "wiki all" answer all.
func wikiAnswers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wiki N|all")
	}
	n := int64(1) << 40
	if args[0] != "all" {
		var err error
		if n, err = strconv.ParseInt(args[0], 10, 64); err != nil {
			ts.Fatalf("wiki: %v", err)
		}
	}
	ts.Value("wiki").(*fakeWiki).allowed.Store(n)
}
