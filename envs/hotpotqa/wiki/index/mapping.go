package index

import (
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// The fields of an article; its title is its id.
const (
	foldedField = "folded"
	titleField  = "title"
	textField   = "text"
)

// english is our analyzer: bleve's analyzer for English, with accents removed.
const english = "heldout-english"

// newMapping indexes titles folded and by words, and texts by words; it stores texts.
func newMapping() mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	err := m.AddCustomAnalyzer(english, map[string]any{
		"type":          custom.Name,
		"char_filters":  []string{asciifolding.Name},
		"tokenizer":     unicode.Name,
		"token_filters": []string{en.PossessiveName, lowercase.Name, en.StopName, porter.Name},
	})
	if err != nil {
		panic(err) // the parts above all exist
	}
	m.DefaultAnalyzer = english
	m.ScoringModel = index.BM25Scoring
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	add := func(name, analyzer string, store bool) {
		f := bleve.NewTextFieldMapping()
		f.Analyzer, f.Store, f.IncludeInAll, f.IncludeTermVectors, f.DocValues = analyzer, store, false, false, false
		m.DefaultMapping.AddFieldMappingsAt(name, f)
	}
	add(foldedField, keyword.Name, false)
	add(titleField, english, false)
	add(textField, english, true)
	return m
}

func add(b *bleve.Batch, a Article) error {
	return b.Index(a.Title, map[string]any{
		foldedField: fold(a.Title), titleField: a.Title, textField: strings.Join(a.Paragraphs, "\n"),
	})
}

// split reverses the joining in add: each line is a paragraph.
func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// fold converts a title for comparison: lower case, single blanks, no underscores, NFC.
func fold(title string) string {
	s := cases.Fold().String(norm.NFC.String(strings.ReplaceAll(title, "_", " ")))
	return norm.NFC.String(strings.Join(strings.Fields(s), " "))
}
