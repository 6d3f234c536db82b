package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/envs/catalog"
	"heldout/envs/datafile"
	"heldout/envs/spelling"
	"heldout/scoring/report"
)

// passage is a part of the help: a section of a page, a table, a command or a flag. Its
// text has a sentence or an example per line.
type passage struct {
	title, text string
	command     string // prints the passage
	flag        bool   // its title is shown, but is not what it is about
}

// match is a passage that fits a question, with its first sentence and the lines that fit best.
type match struct {
	passage
	lines []string
	score float64
}

// marks gives the marks of tables names that can be looked up.
var marks = strings.NewReplacer("*", "asterisk", "#", "hash", "†", "dagger", "‡", "double dagger", "¶", "pilcrow",
	"§", "section sign", "~", "tilde", "±", "plus-minus", "–", "dash")

// The weights of a passage's score.
const (
	askedBoost = 2   // a word of the heading or of words.yaml; a word of the text has 1
	usedBoost  = 3   // a word of many questions
	usedHalf   = 8   // how many questions with a word give half of its weight
	longer     = 0.4 // how much the words of a passage that is longer than others count less
	wholeBoost = 1.5 // a heading with all words of a question, or a question as it was typed
	pairBoost  = 2   // a pair of neighbouring words; a single word has 1
	likeness   = 0.5 // a synonym or a corrected word; a word as it was typed has 1
)

// An answer shows lines of so many passages, and the titles of so many more.
const (
	mostResults = 6
	mostTitles  = 6
)

// excerpted is how many fitting lines of the first passages are shown; further ones have as many as the last.
var excerpted = []int{3, 2, 2, 1}

// lookUp prints the passages that fit a question best.
func lookUp(w io.Writer, root *cobra.Command, question string) error {
	index := indexPassages(passages(root))
	results := index.find(marks.Replace(question))
	if len(results) == 0 || !index.knows(question) && nameLike(root, question) != "" {
		return unknownTopic(root, question)
	}
	var b strings.Builder
	rest := results[min(len(results), mostResults):]
	for i, r := range results[:len(results)-len(rest)] {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintln(&b, r.title)
		for _, line := range append(r.lines, "> "+r.command) {
			fmt.Fprintf(&b, "    %s\n", hanging(line, 4))
		}
	}
	if len(rest) > 0 {
		fmt.Fprintln(&b, "\nFurther:")
	}
	for _, r := range rest {
		fmt.Fprintf(&b, "    %s\n", hanging(r.title, 4))
	}
	if results[0].inPage() || strings.HasPrefix(results[0].title, "table ") {
		fmt.Fprintf(&b, "\nA title prints its section: heldout help %q\n", results[0].title)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// words is what users say in place of the words of the pages.
type words struct {
	Idle     string            // words that say nothing of what a question is about
	Synonyms []string          // words for one thing
	Asked    map[string]string // by the title of a section, or by a command
	Moved    map[string]string // other names of pages
}

//go:embed words.yaml
var wordsFile []byte

var readWords = datafile.Embedded[words](wordsFile)

//go:embed questions.yaml
var questionsFile []byte

// readQuestions returns what people ask, by the title of the section or by the command that answers it.
var readQuestions = datafile.Embedded[map[string][]string](questionsFile)

// terms are the words of a text, as stems, and its pairs of neighbouring words. Pairs are written together, so that
// few-shot, few shot and fewshot are one.
func terms(text string) (stems, pairs []string) {
	for _, token := range analyzer.Analyze([]byte(text)) {
		stems = append(stems, string(token.Term))
		if n := len(stems); n > 1 {
			pairs = append(pairs, stems[n-2]+stems[n-1])
		}
	}
	return stems, pairs
}

// The usual analysis of English leaves out words such as own and off, which are a question's subject here.
var analyzer = analysis.DefaultAnalyzer{Tokenizer: unicode.NewUnicodeTokenizer(), TokenFilters: []analysis.TokenFilter{
	en.NewPossessiveFilter(), lowercase.NewLowerCaseFilter(), porter.NewPorterStemmer()}}

// helpIndex finds passages by their terms.
type helpIndex struct {
	list []passage
	// asked, used and text are how often the heading and words.yaml, questions, and all of these with the text of
	// each passage have a term.
	questions, used, text []map[string]float64
	headings              []map[string]float64 // the terms of a heading or of a flag's name
	stems                 []map[string]bool    // questions, as their stems
	length                []float64            // of a passage, by the mean of all
	passages              map[string]int       // how many passages have a term
	synonyms              map[string][]string  // of a stem
	idle                  []string             // stems
}

// indexPassages counts the terms of passages.
func indexPassages(list []passage) *helpIndex {
	x := &helpIndex{list: list, passages: map[string]int{}, synonyms: map[string][]string{}}
	words := 0.0
	for _, p := range list {
		name, heading, _ := strings.Cut(p.title, ": ")
		also := cmp.Or(readWords().Asked[p.title], readWords().Asked[name])
		lines := slices.Concat(readQuestions()[p.title], readQuestions()[name])
		questions, questionStems := strings.Join(lines, "\n"), map[string]bool{}
		for _, q := range lines {
			stems, _ := terms(q)
			questionStems[strings.Join(stems, " ")] = true
		}
		x.stems = append(x.stems, questionStems)
		if p.flag {
			also += "\n" + p.text
		} else {
			also = heading + "\n" + heading + "\n" + also
		}
		text := countTerms(p.title + "\n" + p.text + "\n" + also + "\n" + questions)
		x.questions, x.used = append(x.questions, countTerms(also)), append(x.used, countTerms(questions))
		x.text, x.headings = append(x.text, text), append(x.headings, countTerms(cmp.Or(heading, name)))
		length := 0.0
		for term, n := range text {
			x.passages[term]++
			length += n
		}
		x.length = append(x.length, length)
		words += length
	}
	for i := range x.length {
		x.length[i] = 1 + longer*(x.length[i]*float64(len(list))/words-1)
	}
	for _, line := range readWords().Synonyms {
		group, _ := terms(line)
		for _, stem := range group {
			x.synonyms[stem] = append(x.synonyms[stem], group...)
		}
	}
	x.idle, _ = terms(readWords().Idle)
	return x
}

func countTerms(text string) map[string]float64 {
	counts := map[string]float64{}
	stems, pairs := terms(text)
	for _, term := range slices.Concat(stems, pairs) {
		counts[term]++
	}
	return counts
}

// find returns the passages that fit a question, the best first. The score of a passage grows with the number of words
// that it shares with the question, and grows further if they stand side by side in both.
func (x *helpIndex) find(question string) (results []match) {
	stems, pairs := terms(x.separated(question))
	typed := strings.Join(stems, " ")
	idle := func(stem string) bool { return slices.Contains(x.idle, stem) }
	if words := slices.DeleteFunc(slices.Clone(stems), idle); len(words) > 0 {
		stems = words
	}
	var targets, neighbours []map[string]float64
	for _, stem := range stems {
		targets = append(targets, x.alternatives(stem))
	}
	for _, pair := range pairs {
		neighbours = append(neighbours, map[string]float64{pair: 1})
	}
	for i, p := range x.list {
		score := x.total(targets, func(term string) float64 {
			return askedBoost*saturated(x.questions[i][term], 1) + usedBoost*saturated(x.used[i][term], usedHalf) +
				saturated(x.text[i][term], x.length[i])
		})
		if score == 0 {
			continue
		}
		score += pairBoost * x.total(neighbours, func(pair string) float64 {
			return saturated(x.questions[i][pair], 1)
		})
		if !slices.ContainsFunc(stems, func(stem string) bool { return x.headings[i][stem] == 0 }) {
			score *= wholeBoost
		}
		if x.stems[i][typed] {
			score *= wholeBoost
		}
		if p.title == question { // flags of one name have the order of commands, run's first
			score = math.Inf(1)
		}
		results = append(results, match{passage: p, score: score * p.weight()})
	}
	slices.SortStableFunc(results, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	titles := map[string]bool{}
	results = slices.DeleteFunc(results, func(r match) bool { // flags of one name, which several commands have
		repeated := titles[r.title]
		titles[r.title] = true
		return repeated
	})
	results = results[:min(len(results), mostResults+mostTitles)]
	for i, r := range results[:min(len(results), mostResults)] {
		results[i].lines = x.excerpt(r.passage, excerpted[min(i, len(excerpted)-1)], targets, neighbours)
	}
	return results
}

// total adds up the scores of terms, for each the score of its best alternative, and multiplies the sum by the share of
// terms that were found.
func (x *helpIndex) total(terms []map[string]float64, score func(string) float64) (sum float64) {
	n := 0
	for _, alternatives := range terms {
		largest := 0.0
		for term, weight := range alternatives {
			largest = max(largest, weight*x.rarity(term)*score(term))
		}
		sum += largest
		if largest > 0 {
			n++
		}
	}
	return sum * float64(n) / float64(max(len(terms), 1))
}

// rarity is the weight of a term: a term that few passages have says more about them.
func (x *helpIndex) rarity(term string) float64 {
	n := float64(x.passages[term])
	return math.Log(1 + (float64(len(x.list))-n+0.5)/(n+0.5))
}

// saturated makes each further occurrence count less than the one before; half is how many count a half.
func saturated(count, half float64) float64 { return count / (count + half) }

// alternatives are a stem and its synonyms; of an unknown stem, what it may be a misspelling of.
func (x *helpIndex) alternatives(stem string) map[string]float64 {
	words := map[string]float64{}
	for _, term := range x.synonyms[stem] {
		words[term] = likeness
	}
	if x.passages[stem] == 0 && len(words) == 0 && len(stem) > 4 { // shorter ones are close to too much
		for _, term := range spelling.Nearest(stem, slices.Collect(maps.Keys(x.passages))) {
			words[term] = likeness
		}
	}
	words[stem] = 1
	return words
}

// separated divides unknown names such as JSONDecodeError into words.
func (x *helpIndex) separated(question string) string {
	words := strings.Fields(question)
	for i, word := range words {
		if !x.knows(word) {
			words[i] = humps.ReplaceAllString(word, "$1$3 $2$4")
		}
	}
	return strings.Join(words, " ")
}

// knows says if passages have a word of a text.
func (x *helpIndex) knows(text string) bool {
	stems, _ := terms(text)
	return slices.ContainsFunc(stems, func(stem string) bool { return x.passages[stem] > 0 })
}

// humps matches the ends of words within a name.
var humps = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)

// inPage reports whether the passage is a section of a page.
func (p passage) inPage() bool {
	_, isPage := readTopic(strings.TrimPrefix(p.command, "heldout help "))
	return isPage && !p.flag
}

// weight is how much a passage counts beside others: pages explain, flags and tables are named in them.
func (p passage) weight() float64 {
	if p.flag || strings.HasPrefix(p.title, "table ") {
		return 0.9
	}
	return 1
}

// excerpt is the first sentence of a passage, and so many of its lines that fit the terms and pairs of a question best.
// If none of several shows a command of heldout, the line follows that fits best among those that do.
func (x *helpIndex) excerpt(p passage, count int, terms, neighbours []map[string]float64) (lines []string) {
	source := strings.Split(p.text, "\n")
	scores, order := make([]float64, len(source)), make([]int, len(source))
	for i, line := range source {
		counts := countTerms(line)
		often := func(term string) float64 { return saturated(counts[term], 1) }
		order[i], scores[i] = i, x.total(terms, often)+pairBoost*x.total(neighbours, often)
		if !prose.MatchString(line) {
			scores[i] *= likeness // items and lines of examples say less than sentences
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	best := order[:min(count, len(order))]
	command := func(i int) bool { return strings.Contains(source[i], "heldout ") }
	if typed := slices.IndexFunc(order, command); typed >= 0 && count > 1 && !slices.ContainsFunc(best, command) {
		best = append(slices.Clone(best), order[typed])
		scores[order[typed]] += likeness
	}
	for i, line := range source {
		if i == 0 && prose.MatchString(line) || scores[i] > 0 && slices.Contains(best, i) {
			lines = append(lines, line)
		}
	}
	if lines == nil {
		return source[:1]
	}
	return lines
}

// prose matches a sentence, and neither an item nor a line of an example.
var prose = regexp.MustCompile("^[A-Z`\"].*[^.][.:]$")

// passages are all parts of the help.
func passages(root *cobra.Command) (list []passage) {
	for _, name := range topicNames() {
		if generated()[name] == nil {
			page, _ := readTopic(name)
			list = append(list, pagePassages(name, string(page))...)
		}
	}
	for _, k := range report.Kinds() {
		text := underline.ReplaceAllString(explained(k), "")
		if !k.Request { // else it begins so
			text = "Printed by heldout compare RUN --table " + k.ID + ".\n" + text
		}
		list = append(list, passage{title: "table " + k.ID + ": " + k.Title, command: "heldout help tables " + k.ID,
			text: unwrapped(text)})
	}
	for _, e := range catalog.All() {
		for _, s := range e.Settings {
			list = append(list, passage{title: "--" + s.Name, text: settingKey(s), command: "heldout envs " + e.Name,
				flag: true})
		}
	}
	return append(list, commandPassages(root)...)
}

// commandPassages are the commands below a command, and their flags without repetitions:
// a flag that run has counts as run's.
func commandPassages(root *cobra.Command) (list []passage) {
	visited := map[string]bool{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if !c.IsAvailableCommand() || visited[c.CommandPath()] {
			return
		}
		visited[c.CommandPath()] = true
		list = append(list, passage{title: c.CommandPath() + ": " + c.Short, command: c.CommandPath() + " --help",
			text: unwrapped(c.Long + "\n\n" + c.Example)})
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if p := flagPassage(c, f); (!f.Hidden || isKey(c, f.Name)) && !visited[f.Name+f.Usage] {
				visited[f.Name+f.Usage] = true
				list = append(list, p)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	if run, _, err := root.Find([]string{"run"}); err == nil {
		visit(run)
	}
	for _, c := range root.Commands() {
		visit(c)
	}
	return list
}

func flagPassage(c *cobra.Command, f *pflag.Flag) passage {
	option := "--help"
	if c.Flags().Lookup(helpAll) != nil {
		option = "--" + helpAll
	}
	if isKey(c, f.Name) {
		return passage{title: "--set " + f.Name + "=…", text: key(f), command: "heldout help keys", flag: true}
	}
	text := f.Name + ": " + f.Usage // another command's flag of a name that run has may have other values
	if c.Name() == "run" {
		text = key(f)
	}
	return passage{title: "--" + f.Name, text: text, command: c.CommandPath() + " " + option, flag: true}
}

// underline matches the line below a heading.
var underline = regexp.MustCompile(`(?m)^(.+)\n(?:=+|---+)\n`)

// pageSection is a part of a page below a heading.
type pageSection struct{ heading, text string }

// dividePage divides a page at its headings.
func dividePage(page string) (list []pageSection) {
	headings := underline.FindAllStringSubmatchIndex(page, -1)
	for i, h := range headings {
		end := len(page)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		list = append(list, pageSection{page[h[2]:h[3]], page[h[1]:end]})
	}
	return list
}

// pagePassages are the sections of a page as passages.
func pagePassages(name, page string) (list []passage) {
	for _, s := range dividePage(page) {
		list = append(list, passage{title: name + ": " + s.heading, text: unwrapped(s.text),
			command: "heldout help " + name})
	}
	return list
}

var (
	example  = regexp.MustCompile(`^(    |\s*\|)`)
	listItem = regexp.MustCompile(`^(- |\d+\. )`)
	sentence = regexp.MustCompile(`\. ([A-Z\x60])`)
)

// unwrapped has a sentence, an item or a line of an example per line.
func unwrapped(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || example.MatchString(line) || listItem.MatchString(line):
			b.WriteString("\n" + strings.TrimSpace(line))
		default:
			b.WriteString(" " + strings.TrimSpace(line))
		}
		if example.MatchString(line) {
			b.WriteString("\n")
		}
	}
	out := sentence.ReplaceAllString(b.String(), ".\n$1")
	return strings.TrimSpace(regexp.MustCompile(`\s*\n\s*`).ReplaceAllString(out, "\n"))
}
