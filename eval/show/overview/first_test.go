package overview

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/show/page"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/report"
)

// The title is the verdict's, and its sentences are there.
func TestTitleIsTheVerdict(t *testing.T) {
	w := look(t, "whole")
	p, from := w.page, w.from
	h := from.Headline()
	if len(from.Claims().Comparisons) == 0 || p.Title != h.Title {
		t.Errorf("the title is %q, that of the table %q", p.Title, h.Title)
	}
	first := string(p.Body[0])
	for _, sentence := range h.Verdict {
		sharedtest.Contains(t, html.UnescapeString(first), sentence, "the first screen")
	}
	if want := "1 January 1970 · 3 models · 2 environments · 24 generated tasks · 2 seeds · 144 episodes"; p.Lead != want {
		t.Errorf("the line below it is %q, want %q", p.Lead, want)
	}
}

// Without a comparison the title says whose rate it is.
func TestTitleOfOneModel(t *testing.T) {
	s := fewTasks()
	s.models, s.environments, s.missing = s.models[:1], s.environments[:1], 0
	w := write(t, t.TempDir(), s)
	p, from := w.page, w.from
	h := from.Headline()
	cell := h.Lines[0].Cells[0]
	sharedtest.Equal(t, p.Title, fmt.Sprintf("SR on ALFWorld (%d tasks, %s): base %s (95%% CI %.1f to %.1f)", s.tasks,
		h.Seeds, cell.Text, 100*cell.Interval.Low, 100*cell.Interval.High), "the title")
}

// The table of the first screen has the numbers of the table that programs read.
func TestFirstTableIsTheHeadline(t *testing.T) {
	from := look(t, "whole").from
	h := from.Headline()
	drawn := map[string]string{}
	for _, l := range h.Lines {
		for i, c := range l.Cells {
			drawn[l.Model+" "+placeName(h.Places[i])] = fmt.Sprintf("%.9f %.9f %.9f %s", 100*c.Value.(float64),
				100*c.Interval.Low, 100*c.Interval.High, c.Letters)
		}
	}
	programs := from.Tables("headline")[0].Programs[0]
	if len(programs.Rows) != len(drawn) || len(drawn) != 6 {
		t.Fatalf("%d cells are drawn, and programs read %d", len(drawn), len(programs.Rows))
	}
	at := func(row int, key string) any { return programs.Rows[row][programs.Pos(key)].Value }
	for row := range programs.Rows {
		of := column.Value
		want := fmt.Sprintf("%.9f %.9f %.9f %s", 100*at(row, of.Key).(float64), 100*at(row, of.Low.Key).(float64),
			100*at(row, of.High.Key).(float64), at(row, column.Letters.Key))
		name := fmt.Sprintf("%s %s", at(row, column.Model.Key), envs.Title(fmt.Sprint(at(row, column.Environment.Key))))
		sharedtest.Equal(t, drawn[name], want, name, "drawn, programs read")
	}
}

// hrefs are the links of a page that show episodes, without the links of its list.
var hrefs = regexp.MustCompile(`href="#(episode=[^"]*)"`)

// bundledRow is an episode that a page lists.
type bundledRow struct{ Key, HTML string }

// bundledRows are the episodes that a page lists.
func bundledRows(t *testing.T, p page.Page) (rows []bundledRow) {
	t.Helper()
	i := slices.IndexFunc(p.Data, func(d page.Data) bool { return d.ID == "rows" })
	z := sharedtest.Must(gzip.NewReader(bytes.NewReader(p.Data[i].Content)))(t)
	sharedtest.OK(t, json.NewDecoder(z).Decode(&rows))
	return rows
}

// Every link to an episode leads to one that is in the file.
func TestLinksLeadToEpisodes(t *testing.T) {
	w := look(t, "whole")
	p, e := w.page, w.episodes
	var keys []string
	for _, row := range bundledRows(t, p) {
		keys = append(keys, row.Key)
	}
	if len(keys) != 144 {
		t.Fatalf("%d episodes are listed", len(keys))
	}
	links := 0
	for _, part := range p.Body[:len(p.Body)-3] {
		for _, found := range hrefs.FindAllStringSubmatch(string(part), -1) {
			links++
			for _, field := range strings.Split(html.UnescapeString(found[1]), "&") {
				_, key, _ := strings.Cut(field, "=")
				if key = strings.ReplaceAll(key, "%2F", "/"); !slices.Contains(keys, key) {
					t.Errorf("%s leads nowhere", found[1])
				}
			}
		}
	}
	if links < 10 || len(e.attempts) != 6 {
		t.Errorf("%d links, %d models in places", links, len(e.attempts))
	}
}

// Won tasks and reasons of failures add up to what the scores say.
func TestGroupsAddUp(t *testing.T) {
	w := look(t, "whole")
	from, e := w.from, w.episodes
	h := from.Headline()
	duels := e.duels(from.Claims())
	if surest := claim.Surest(from.Claims().Comparisons)[0].Subjects; len(duels) != 3 ||
		duels[0].A != surest[0].Name || duels[0].B != surest[1].Name {
		t.Fatalf("%d pairs, the first %s and %s", len(duels), duels[0].A, duels[0].B)
	}
	rates := map[string]map[string]float64{} // by model and task
	unsolved := map[string]int{}
	for _, s := range from.Runs[0].Scores {
		model := strings.TrimPrefix(s.Condition.Model, "vllm:")
		for _, r := range s.TaskRates() {
			if rates[model] == nil {
				rates[model] = map[string]float64{}
			}
			rates[model][s.Condition.Env+r.Task.ID] = r.Success
		}
		unsolved[model] += s.Finished - s.Endings().Solved
	}
	for _, d := range duels {
		won, lost := 0, 0
		for task, rate := range rates[d.A] {
			switch other := rates[d.B][task]; {
			case rate > other:
				won++
			case rate < other:
				lost++
			}
		}
		if d.WonA != won || d.WonB != lost {
			t.Errorf("%s and %s: %d won and %d lost, want %d and %d", d.A, d.B, d.WonA, d.WonB, won, lost)
		}
		for _, p := range d.Places {
			if p.WonA+p.WonB+p.Tied != p.Tasks || len(p.LinksA)+p.MoreA != p.WonA || len(p.LinksB)+p.MoreB != p.WonB {
				t.Errorf("%s and %s on %s do not add up: %+v", d.A, d.B, p.Place, p)
			}
		}
	}
	for _, f := range e.failures(h.Lines, from.Places()) {
		sum, share := 0, 0.0
		for _, g := range f.Groups {
			sum, share = sum+g.Episodes, share+g.Share
			if len(g.Examples) == 0 {
				t.Errorf("%s: no example of %s", f.Model, g.Name)
			}
		}
		if sum != f.Unsolved || f.Unsolved != unsolved[f.Model] || share < 99.9 || share > 100.1 {
			t.Errorf("%s: %d in groups of %d unsolved episodes, want %d (%.1f %%)", f.Model, sum, f.Unsolved,
				unsolved[f.Model], share)
		}
	}
}

// Only replies of models can be read; baselines have steps without any.
func TestReadable(t *testing.T) {
	for name, c := range map[string]struct {
		decoding *record.Decoding
		replies  scoring.Replies
		want     bool
	}{
		"baseline": {nil, scoring.Replies{Steps: 5}, false},
		"no reply": {&record.Decoding{}, scoring.Replies{}, false},
		"all read": {&record.Decoding{}, scoring.Replies{Steps: 5}, true},
		"one not":  {&record.Decoding{}, scoring.Replies{Steps: 5, FormatErrors: 1}, false},
	} {
		s := &scoring.Score{Condition: record.Condition{Decoding: c.decoding}, Replies: c.replies}
		sharedtest.Equal(t, readable([]report.NamedRun{{Scores: []*scoring.Score{s}}}), c.want, name)
	}
}
