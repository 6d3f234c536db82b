// Package index stores Wikipedia articles on disk, or a few in memory, and finds them by title and by full text:
// the offline substitute for Wikipedia's search. The same articles in the same order give the same answers,
// regardless of when and in how many sessions the index was built.
package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"heldout/envs/datafile"
)

// Article is an article of Wikipedia.
type Article struct {
	Title      string
	Paragraphs []string
}

// SourceKind says what an index was built from.
type SourceKind string

const (
	// Contexts are the paragraphs that come with questions: the paragraphs needed for the answers and a few others.
	// They are far easier to search than Wikipedia.
	Contexts SourceKind = "contexts"
	// Dump is a dump of Wikipedia.
	Dump SourceKind = "dump"
)

// Description describes an index. It is stored in about.json beside the index.
type Description struct {
	// Version is the version of the index format and of the search.
	Version int        `json:"version"`
	Kind    SourceKind `json:"kind"`
	// Articles counts the articles. Repeated counts the articles that were left
	// out because their title occurred before.
	Articles int `json:"articles"`
	Repeated int `json:"repeated"`
	// Hash identifies version and articles: SHA-256 in hex.
	Hash string `json:"hash"`
	// Sources are the names of the files that supplied the articles.
	Sources []string `json:"sources"`
	// Files are the files of the index.
	Files []DataFile `json:"files"`
	// Checksum is the SHA-256 of the other fields as JSON.
	Checksum string `json:"checksum"`
}

// sum is the checksum of a description.
func (a Description) sum() (string, error) {
	a.Checksum = ""
	b, err := json.Marshal(a)
	return hash("", string(b)), err
}

// version increases when articles are stored or found differently.
const version = 1

// The files of an index.
const (
	aboutFile = "about.json"
	dataDir   = "bleve"
)

// Index is an index that is open for searching. It is safe for concurrent use. It closes
// once nothing refers to it, as environments are dropped and not closed.
type Index struct {
	dir   string // empty in memory
	bleve bleve.Index
	about Description
}

func newIndex(dir string, b bleve.Index, about Description) *Index {
	x := &Index{dir, b, about}
	runtime.AddCleanup(x, func(b bleve.Index) { _ = b.Close() }, b)
	return x
}

// Open opens an index for searching. Several processes may do so.
func Open(dir string) (*Index, error) {
	about, err := readAbout(dir)
	if err != nil {
		return nil, err
	}
	if about.Checksum == "" {
		return nil, fmt.Errorf("the index of Wikipedia in %s has no checksums, like every index of earlier versions: "+
			"the heldout wiki build that made it adds them, and keeps the rest", dir)
	}
	if err := about.checkFiles(dir); err != nil {
		return nil, err
	}
	b, err := openFinished(dir)
	if err != nil {
		return nil, err
	}
	return newIndex(dir, b, about), nil
}

// openFinished opens the data of an index for reading.
func openFinished(dir string) (b bleve.Index, err error) {
	err = guarded(dir, func() error {
		b, err = bleve.OpenUsing(filepath.Join(dir, dataDir),
			map[string]any{"read_only": true, "bolt_timeout": lockTimeout})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the index of Wikipedia in %s cannot be opened: %w", dir, err)
	}
	return b, nil
}

func readAbout(dir string) (a Description, err error) {
	file := filepath.Join(dir, aboutFile)
	b, err := datafile.ReadText(file, datafile.MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		if _, unfinished := os.Stat(filepath.Join(dir, dataDir)); unfinished == nil {
			return a,
				fmt.Errorf("the index of Wikipedia in %s is not finished: give the same heldout wiki build again", dir)
		}
		return a, fmt.Errorf("no index of Wikipedia in %s: make one with heldout wiki build", dir)
	}
	if err != nil {
		return a, err
	}
	if err := datafile.JSON(file, b, &a); err != nil {
		return a, err
	}
	if len(a.Hash) != 2*sha256.Size || a.Kind != Contexts && a.Kind != Dump {
		return a, damaged(file, "it does not describe an index")
	}
	if a.Version != version {
		return a, fmt.Errorf("%s: the index has version %d, this heldout reads %d: build it again", file, a.Version,
			version)
	}
	if sum, err := a.sum(); err != nil || a.Checksum != "" && (sum != a.Checksum || len(a.Files) == 0) {
		return a, damaged(file, "it is not as its checksum says")
	}
	return a, nil
}

// Memory returns an index of a few articles that is not on disk.
func Memory(articles []Article) (*Index, error) {
	b, err := bleve.NewUsing("", newMapping(), bleve.Config.DefaultIndexType, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		return nil, err
	}
	batch := b.NewBatch()
	for _, a := range articles {
		if err := add(batch, a); err != nil {
			return nil, err
		}
	}
	return newIndex("", b, Description{}), b.Batch(batch)
}

// About describes the index.
func (x *Index) About() Description { return x.about }

// Article returns the article with exactly the given title, or else one whose
// title differs only in case, underscores and blanks.
func (x *Index) Article(ctx context.Context, title string) (a Article, ok bool, err error) {
	folded := fold(title)
	if folded == "" {
		return Article{}, false, nil
	}
	q := bleve.NewTermQuery(folded)
	q.SetField(foldedField)
	r := bleve.NewSearchRequestOptions(q, maxFolded, 0, false)
	r.Fields = []string{textField}
	r.SortBy([]string{"_id"})
	found, err := x.search(ctx, r)
	if err != nil || len(found.Hits) == 0 {
		return Article{}, false, err
	}
	hit := found.Hits[0]
	if i := slices.IndexFunc(found.Hits, func(h *search.DocumentMatch) bool { return h.ID == title }); i >= 0 {
		hit = found.Hits[i]
	}
	text, _ := hit.Fields[textField].(string)
	return Article{Title: hit.ID, Paragraphs: split(text)}, true, nil
}

const (
	// maxFolded limits how many titles that differ only in case are checked.
	maxFolded = 20
	// titleBoost is the weight of a word in the title, relative to the text.
	titleBoost = 4
	// pool is the number of best results that are checked. Results with the same
	// score are in the order of their titles. Scores are sums of floats whose
	// order depends on how the index was built, so scores are rounded first.
	pool   = 50
	digits = 6
)

// Titles lists the n titles that fit a text best, best first. As in Wikipedia, it searches the articles that have
// all words of the text. If there are too few, it adds articles with some of the words in the title. If there are
// still none, it adds articles with some of the words in the text.
func (x *Index) Titles(ctx context.Context, text string, n int) ([]string, error) {
	match := func(field string, operator query.MatchQueryOperator) query.Query {
		q := bleve.NewMatchQuery(text)
		q.SetField(field)
		q.SetOperator(operator)
		if field == titleField {
			q.SetBoost(titleBoost)
		}
		return q
	}
	opAnd, opOr := query.MatchQueryOperatorAnd, query.MatchQueryOperatorOr
	var titles []string
	for _, stage := range []struct {
		query  query.Query
		enough int // enough titles to skip this query
	}{
		{bleve.NewDisjunctionQuery(match(titleField, opAnd), match(textField, opAnd)), n},
		{match(titleField, opOr), n},
		{match(textField, opOr), 1},
	} {
		if len(titles) >= stage.enough {
			break
		}
		found, err := x.best(ctx, stage.query)
		if err != nil {
			return nil, err
		}
		for _, t := range found {
			if len(titles) < n && !slices.Contains(titles, t) {
				titles = append(titles, t)
			}
		}
	}
	return titles, nil
}

// best lists the titles that a query finds, best first, at most pool of them.
func (x *Index) best(ctx context.Context, q query.Query) ([]string, error) {
	r := bleve.NewSearchRequestOptions(q, pool, 0, false)
	r.SortBy([]string{"-_score", "_id"})
	found, err := x.search(ctx, r)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found.Hits, func(a, b *search.DocumentMatch) int {
		return cmp.Or(cmp.Compare(rounded(b.Score), rounded(a.Score)), strings.Compare(a.ID, b.ID))
	})
	var titles []string
	for _, h := range found.Hits {
		titles = append(titles, h.ID)
	}
	return titles, nil
}

func (x *Index) search(ctx context.Context, r *bleve.SearchRequest) (found *bleve.SearchResult, err error) {
	defer runtime.KeepAlive(x) // so that it stays open
	err = guarded(x.dir, func() error {
		found, err = x.bleve.SearchInContext(ctx, r)
		return err
	})
	return found, err
}

// rounded keeps the given number of digits of a score.
func rounded(score float64) float64 {
	if score <= 0 {
		return 0
	}
	scale := math.Pow(10, digits-math.Ceil(math.Log10(score)))
	return math.Round(score*scale) / scale
}

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
