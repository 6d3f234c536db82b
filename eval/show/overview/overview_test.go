package overview

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode"
	"heldout/eval/show/page"
	"heldout/scoring/figure"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/stats"
)

var keep = flag.String("keep", "", "write the run directories of the pages here and leave them")

// looks are runs that reports have to look good on.
func looks() map[string]synthetic {
	six := []string{"alfworld", "babyai", "hotpotqa", "jericho", "pddl", "sciworld"}
	var thirty []string
	for i := range 30 {
		thirty = append(thirty, fmt.Sprintf("vllm:qwen3-8b-agent-sft-lr1e-5/checkpoint-%d", 500*(i+1)))
	}
	three := []string{"vllm:base", "vllm:tuned", "vllm:tuned-longer"}
	return map[string]synthetic{
		"empty":      {environments: six[:2], tasks: 10, models: three[:1], seeds: 1, steps: 30, missing: 2},
		"one":        {environments: six[4:5], tasks: 1, models: three[:1], seeds: 1, steps: 30},
		"incomplete": {environments: six[:4], tasks: 8, models: three, seeds: 2, steps: 20, missing: 0.3},
		"thirty":     {environments: six, tasks: 1, models: thirty, seeds: 1, steps: 8},
		"three":      {environments: six, tasks: 3, models: three, seeds: 3, steps: 12},
	}
}

// unsent says that nobody knows what models were sent.
func unsent(context.Context, *record.Manifest, record.Condition, envs.Task, *record.Episode) ([]episode.Call, error) {
	return nil, errors.New("nobody was asked")
}

// read reads a run, to make tables and a page of it.
func read(t testing.TB, dir string) (*report.Report, *Episodes) {
	t.Helper()
	runs := []record.Chosen{{Parts: record.Parts{dir}}}
	reader := sharedtest.Must(NewCollector(runs, unsent))(t)
	source := report.Inputs{Interval: string(stats.TheseKinds), Companion: reader.Beside(t.Context())}
	from, _, err := sharedtest.Must(source.Load())(t).Read(runs, true)
	sharedtest.OK(t, err)
	return from, sharedtest.Must(reader.Episodes(from))(t)
}

// written is the page of a run, and what it was made from.
type written struct {
	page     page.Page
	bytes    []byte
	from     *report.Report
	episodes *Episodes
}

// write writes a run into a folder, and makes its page.
func write(t testing.TB, dir string, s synthetic) *written {
	t.Helper()
	s.write(t, dir)
	from, episodes := read(t, dir)
	p := sharedtest.Must(Page(from, episodes))(t)
	var b bytes.Buffer
	sharedtest.OK(t, p.Write(&b))
	return &written{p, b.Bytes(), from, episodes}
}

// looked are pages that several tests look at.
var looked = map[string]*written{}

// look is the page of a run of looks, of "several" models, of a "whole" one without gaps,
// or of a "hostile" one. It is made once.
func look(t testing.TB, name string) *written {
	t.Helper()
	if w := looked[name]; w != nil {
		return w
	}
	s, known := looks()[name]
	switch {
	case name == "several":
		s = fewTasks()
	case name == "whole":
		s = fewTasks()
		s.missing, s.tasks = 0, 12
	case name == "hostile":
		s = hostileRun()
	case !known:
		t.Fatalf("there is no run %s", name)
	}
	dir := t.TempDir()
	if *keep != "" {
		dir = filepath.Join(*keep, name)
		sharedtest.OK(t, os.MkdirAll(dir, 0o755))
	}
	looked[name] = write(t, dir, s)
	return looked[name]
}

// idOf are the sections of a page.
var idOf = regexp.MustCompile(`^<section id="([a-z]+)"`)

// Sections of every kind of run are well-formed and show what there is.
func TestLooks(t *testing.T) {
	want := map[string]string{
		"empty":      "summary rates failures method episodes",
		"one":        "summary rates differences failures refinement steps cost method episodes",
		"incomplete": "summary rates differences failures refinement steps tries seeds cost method episodes",
		"thirty":     "summary rates differences failures refinement steps cost method episodes",
		"three":      "summary rates differences failures refinement steps tries seeds cost method episodes",
	}
	for name := range looks() {
		t.Run(name, func(t *testing.T) {
			if name == "thirty" {
				sharedtest.Heavy(t)
			}
			p := look(t, name).page
			var ids []string
			for _, part := range p.Body {
				if id := idOf.FindStringSubmatch(string(part)); id != nil {
					ids = append(ids, id[1])
				}
			}
			wellFormed(t, p)
			sharedtest.Equal(t, strings.Join(ids, " "), want[name], "sections")
		})
	}
}

// hostile are texts that must be shown as text.
var hostile = []string{
	"</script><script>window.hacked = 1</script>", "<img src=x onerror=window.hacked=1>", "\x1b[31mred\x1b]0;title\x07",
	"nul \x00", "\u202eback\u2066",
	strings.Repeat("a long line ", 17_000), broken, "]]></title></style></svg><svg onload=window.hacked=1>",
	"{{.}} ${1}", "javascript:window.hacked=1",
	"<!-- ", "&lt;b&gt; \" onmouseover=window.hacked=1 x='",
}

// hostileRun has a hostile text in every text and every name.
func hostileRun() synthetic {
	n := 0
	return synthetic{
		environments: []string{"alfworld", "pddl"}, tasks: len(hostile), models: []string{"vllm:a", "vllm:b"}, seeds: 1,
		steps: 8, missing: 0.2,
		text: func(s string) string {
			n++
			return s + hostile[n%len(hostile)]
		},
		name: func(s string) string {
			n++
			text := strings.ReplaceAll(hostile[n%len(hostile)], broken, "") // names are in hashes, so they are UTF-8
			return s + text[:min(2000, len(text))]
		},
	}
}

// No text of a model, of an environment or of a plan becomes markup, and none makes a page large.
func TestHostileTexts(t *testing.T) {
	w := look(t, "hostile")
	wellFormed(t, w.page)
	out := w.bytes
	// Forms send the values of names as they are.
	out = regexp.MustCompile(` (value|data-[a-z]+)="[^"]*"`).ReplaceAll(out, nil)
	for _, bad := range []string{"<script>window", "<img", "<svg onload", "\x1b", "\x00", "\u202e", "\u2066", "\xff",
		"</title></style>", "href=\"javascript"} {
		if at := bytes.Index(out, []byte(bad)); at >= 0 {
			t.Errorf("the page contains %q: …%q…", bad, out[max(0, at-80):at+80])
		}
	}
	for _, want := range []string{"&lt;/script&gt;&lt;script&gt;window.hacked", "\\x1b[31mred", "\\x00",
		"\\u202eback"} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("the page does not show %q as text", want)
		}
	}
	if !utf8.Valid(out) {
		t.Error("the page is not UTF-8")
	}
	if len(out) > 12<<20 {
		t.Errorf("the page has %d bytes", len(out))
	}
}

// wellFormed reports a page whose sections, but the list of episodes, are no tree of elements.
func wellFormed(t *testing.T, p page.Page) {
	t.Helper()
	var all strings.Builder
	for _, part := range p.Body[:len(p.Body)-3] {
		all.WriteString(string(part))
	}
	d := xml.NewDecoder(strings.NewReader(all.String()))
	d.Entity = xml.HTMLEntity
	d.Strict = true
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Error(err)
			return
		}
	}
}

// Every figure and every table has a place in a report, unless a figure has the same numbers.
func TestNothingIsLeftOut(t *testing.T) {
	sections, tables := map[string]bool{}, map[string]bool{}
	ids := []string{"summary"} // the first screen, of which the tables are drawn
	for _, p := range plans() {
		ids = append(ids, p.IDs...)
	}
	for _, id := range ids {
		sections[id] = true
		for _, k := range report.In(id) {
			tables[k.ID] = true
		}
	}
	for _, k := range figure.Kinds() {
		tables[k.Table] = true
		if k.Section != "" && !sections[k.Section] {
			t.Errorf("the figure %s has no section", k.Name)
		}
	}
	// A page has one family of tests, so tables with tests of their own are asked for; names that
	// end in numbers may be no trainings of one arm; and what is for papers says nothing else.
	for _, id := range []string{"trainings", "trainings-paired", "change", "best-of-paired", "trials-paired",
		"refinement-paired", "notes", "paper", "paper-robustness", "paper-best-of"} {
		tables[id] = true
	}
	for _, id := range report.IDs() {
		if !tables[id] {
			t.Errorf("the table %s has no section", id)
		}
	}
}

// A section shows each of its tables: with the figures that draw it, or else once by itself.
func TestTablesAreShown(t *testing.T) {
	w := look(t, "several")
	f := &findings{Report: w.from, episodes: w.episodes, headline: w.from.Headline()}
	shown := 0
	for _, p := range plans() {
		c := sharedtest.Must(newContent(p, f))(t)
		drawn, alone := map[string]bool{}, map[string]int{}
		for _, d := range c.Figures {
			drawn[d.Numbers.ID] = true
		}
		for _, g := range c.Tables {
			alone[g.ID]++
		}
		for _, id := range p.IDs {
			for _, k := range report.In(id) {
				tables := w.from.Tables(k.ID)
				for _, table := range tables {
					if shown++; drawn[table.ID] != (alone[table.ID] == 0) || alone[table.ID] > len(tables) {
						t.Errorf("section %s has the table %s %d times by itself; drawn: %t", c.ID, table.ID,
							alone[table.ID], drawn[table.ID])
					}
				}
			}
		}
	}
	if shown < 9 {
		t.Errorf("only %d tables are looked for", shown)
	}
}
