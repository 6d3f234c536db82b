package index

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// articles is how many the benchmarks have.
var articles = flag.Int("articles", 5000, "articles of the synthetic dump in the benchmarks")

// vocabulary is the size of the synthetic dump's vocabulary.
const vocabulary = 60000

// syntheticDump writes a dump of so many introductions: words drawn as in natural texts, the n-th one with a chance
// like 1/n, and about as many as there are in the introductions of 2017.
func syntheticDump(tb testing.TB, n int) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "dump.jsonl")
	f := sharedtest.Must(os.Create(file))(tb)
	out := bufio.NewWriter(f)
	rng := stream.New(1, "dump")
	words := rand.NewZipf(rng, 1.1, 8, vocabulary)
	for i := range n {
		b := sharedtest.Must(json.Marshal(map[string]any{"id": i, "title": syntheticTitle(i, words),
			"text": sentencesOf(rng, words)}))(tb)
		out.Write(append(b, '\n'))
	}
	sharedtest.OK(tb, out.Flush())
	sharedtest.OK(tb, f.Close())
	return file
}

func syntheticTitle(i int, words *rand.Zipf) string {
	return fmt.Sprintf("W%x W%x %d", words.Uint64(), words.Uint64(), i)
}

func sentencesOf(rng *rand.Rand, words *rand.Zipf) []string {
	var out []string
	for range 1 + rng.IntN(6) {
		var s []string
		for range 10 + rng.IntN(20) {
			s = append(s, fmt.Sprintf("w%x", words.Uint64()))
		}
		out = append(out, strings.Join(s, " ")+". ")
	}
	return out
}

func buildIndex(tb testing.TB, dir, file string) Description {
	tb.Helper()
	return sharedtest.Must(Build(tb.Context(), dir, []string{file}, func(Progress) {}))(tb)
}

// BenchmarkSearch opens articles by their titles and searches for titles by three words, in an index of a synthetic
// dump; it reports the median and the 99th percentile.
func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	buildIndex(b, dir, syntheticDump(b, *articles))
	x := sharedtest.Must(Open(dir))(b)
	rng := stream.New(2, "queries")
	words := rand.NewZipf(rng, 1.1, 8, vocabulary)
	title := func() {
		if _, _, err := x.Article(b.Context(), fmt.Sprintf("W%x W%x %d", words.Uint64(), words.Uint64(),
			rng.IntN(*articles))); err != nil {
			b.Fatal(err)
		}
	}
	text := func() {
		if _, err := x.Titles(b.Context(), fmt.Sprintf("w%x w%x w%x", words.Uint64(), words.Uint64(), words.Uint64()),
			5); err != nil {
			b.Fatal(err)
		}
	}
	for name, search := range map[string]func(){"title": title, "text": text} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				search()
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
