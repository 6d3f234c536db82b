package hotpotqa

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"heldout/envs/hotpotqa/wiki"
	"heldout/envs/pytext"
	"heldout/envs/sharedtest"
)

// golden decodes a file of recorded behaviour, or skips the test.
func golden[T any](t testing.TB, file string) T {
	t.Helper()
	var v T
	sharedtest.JSON(t, "hotpotqa/"+file, &v)
	return v
}

// pythonError is the class of exception that the reference breaks off with.
func pythonError(err error) string {
	switch {
	case errors.Is(err, errDecode):
		return "UnicodeDecodeError"
	case errors.Is(err, errEncode):
		return "UnicodeEncodeError"
	default:
		return ""
	}
}

func TestRecordedEscapes(t *testing.T) {
	type record struct{ Input, Output, Exception string }
	for _, c := range golden[[]record](t, "clean_str_cases.json") {
		got, err := unescape(c.Input)
		if got != c.Output || pythonError(err) != c.Exception {
			t.Errorf("unescape(%q) = %q, %v; want %q, %s", c.Input, got, err, c.Output, c.Exception)
		}
		want := c.Output
		if c.Exception != "" {
			want = c.Input
		}
		sharedtest.Equal(t, cleanText(c.Input), want, "cleanText", c.Input)
	}
}

func TestRecordedLists(t *testing.T) {
	type record struct {
		Items []string
		Repr  string
	}
	for _, c := range golden[[]record](t, "pyrepr_cases.json") {
		sharedtest.Equal(t, pytext.List(c.Items), c.Repr, "List", c.Items)
	}
}

func TestRecordedPages(t *testing.T) {
	type record struct {
		Page, Obs string
		Lookups   map[string][]string
	}
	for _, c := range golden[[]record](t, "page_obs_cases.json") {
		sharedtest.Equal(t, summary(c.Page), c.Obs, "summary", c.Page)
		for text, want := range c.Lookups {
			if got := containing(c.Page, text); !slices.Equal(got, want) {
				t.Errorf("containing(%q, %q) = %q, want %q", c.Page, text, got, want)
			}
		}
	}
}

func TestRecordedMetrics(t *testing.T) {
	type record struct {
		Pred, Gold string
		NormPred   string `json:"norm_pred"`
		NormGold   string `json:"norm_gold"`
		EM         bool
		F1         [3]float64 `json:"f1_prec_rec"`
	}
	for _, c := range golden[[]record](t, "metric_cases.json") {
		sharedtest.Equal(t, normalize(c.Pred), c.NormPred, "normalize", c.Pred)
		sharedtest.Equal(t, normalize(c.Gold), c.NormGold, "normalize", c.Gold)
		pred, gold := normalize(c.Pred), normalize(c.Gold)
		sharedtest.Equal(t, pred == gold, c.EM, "EM of", c.Pred, "and", c.Gold, "is")
		f, p, r := f1(pred, gold)
		sharedtest.Equal(t, [3]float64{f, p, r}, c.F1, "f1", c.Pred, c.Gold)
	}
}

func TestRecordedOrder(t *testing.T) {
	want := golden[struct{ Order []int }](t, "dev_order_seed233_first1000.json").Order
	sharedtest.Same(t, sharedtest.Must(Sample{Seed: 233, Count: len(want)}.indices(7405))(t), want)
}

// recordedStep is a step of a recorded run of the bare environment.
type recordedStep struct {
	Action, Obs string
	Reward      float64
	Done        bool
	Info        struct {
		Steps  int
		Answer *string
	}
	URLs []string
	// Exception is the class of what the reference breaks off with, PageAfter what it has of the page then.
	Exception string
	PageAfter *string `json:"page_after"`
}

// recordedWiki serves the recorded pages and notes the addresses that the reference would ask for.
type recordedWiki struct {
	t     *testing.T
	pages map[string]string
	urls  []string
	last  wiki.Answer
}

func (w *recordedWiki) Search(_ context.Context, query string) (wiki.Answer, error) {
	address := "https://en.wikipedia.org/w/index.php?search=" + strings.ReplaceAll(query, " ", "+")
	w.urls = append(w.urls, address)
	page, ok := w.pages[strings.TrimPrefix(address, "https://en.wikipedia.org/w/index.php?search=")]
	if !ok {
		w.t.Fatalf("no page for %s", address)
	}
	var err error
	w.last, err = wiki.ParsePage(strings.NewReader(page))
	return w.last, err
}

func TestRecordedRuns(t *testing.T) {
	recorded := golden[struct {
		Pages map[string]string
		Runs  []struct {
			Name      string
			ResetObs  string `json:"reset_obs"`
			Steps     []recordedStep
			FinalPage *string `json:"final_page"`
		}
	}](t, "wikienv_synthetic.json")
	for _, run := range recorded.Runs {
		t.Run(run.Name, func(t *testing.T) {
			source := &recordedWiki{t: t, pages: recorded.Pages}
			b := newBrowser(source)
			sharedtest.Equal(t, b.observation, run.ResetObs, "it starts")
			for i, s := range run.Steps {
				source.urls = []string{}
				before := *b
				if _, err := b.step(context.Background(), s.Action); err != nil {
					t.Fatal(err)
				}
				sharedtest.Same(t, source.urls, s.URLs, "step", i, s.Action)
				if s.Exception == "" {
					compareStep(t, s, b)
					continue
				}
				checkException(t, s, source.last.Blocks)
				*b = before // the reference broke off within the step and has less of the page
				b.page = s.PageAfter
			}
			sharedtest.Same(t, b.page, run.FinalPage, "page at the end")
		})
	}
}

func compareStep(t *testing.T, want recordedStep, b *browser) {
	t.Helper()
	if b.observation != want.Obs || (b.answer != nil) != want.Done || b.steps != want.Info.Steps {
		t.Errorf("%q: got %q, done %v, steps %d; want %q, %v, %d", want.Action, b.observation, b.answer != nil, b.steps,
			want.Obs, want.Done, want.Info.Steps)
	}
	sharedtest.Same(t, b.answer, want.Info.Answer, want.Action, "answer")
}

// checkException checks that the cleaner breaks off where the reference did,
// though the environment goes on with the text as it is.
func checkException(t *testing.T, want recordedStep, blocks []string) {
	t.Helper()
	for i, block := range blocks {
		if _, err := unescape(block); err != nil && pageText([]string{block}) != "" {
			page := pageText(blocks[:i])
			if pythonError(err) != want.Exception || want.PageAfter != nil && page != *want.PageAfter {
				t.Errorf("%q: %v after %q, want %s after %q", want.Action, err, page, want.Exception, *want.PageAfter)
			}
			return
		}
	}
	t.Errorf("%q: want %s", want.Action, want.Exception)
}
