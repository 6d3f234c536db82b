// Package board makes a static site of bundles: each is checked, and the numbers are
// computed from its records. The site asks no server for anything.
package board

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/bench"
	"heldout/eval/share/bundle"
	"heldout/eval/share/check"
	"heldout/eval/show/overview"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Options say how a board is made.
type Options struct {
	Check check.Options
	// Date is the date of the checks, Version heldout's.
	Date, Version string
	Baselines     []string // published results, as heldout compare takes them
	// Tell receives a line for each bundle; Force replaces a site that exists.
	Tell  func(line string)
	Force bool
}

// Board is board.json.
type Board struct {
	Schema  int       `json:"schema"`
	Date    string    `json:"date"`
	Version string    `json:"version"`
	Places  []Ranking `json:"places"`
	Unread  []Unread  `json:"unread,omitempty"` // bundles without rows, because they cannot be read

	published []report.Baseline
}

// Schema is the version of the form of board.json.
const Schema = 1

// Ranking is a preset, or an environment without one, with its rows, the best first.
type Ranking struct {
	Name    string     `json:"name"`
	Title   string     `json:"-"` // the name for people
	Rows    []ModelRow `json:"rows"`
	NoRanks string     `json:"no_ranks,omitempty"` // why rows have no ranks; empty if they have
}

// Unread is a bundle that cannot be read.
type Unread struct {
	Bundle string `json:"bundle"`
	Why    string `json:"why"`
}

// ModelRow is a model in a place.
type ModelRow struct {
	Model  string `json:"model"`
	Bundle string `json:"bundle"`
	Who    string `json:"who,omitempty"`
	// Checked: no claim of the bundle fails. Why are the claims that do.
	Checked bool     `json:"checked"`
	Why     []string `json:"why,omitempty"`
	// Success and Progress are in percent, with 95 % limits if there are any.
	Success  Rate `json:"success"`
	Progress Rate `json:"progress"`
	// Best and Worst are the ranks that the differences from other checked rows allow; 0 without ranks.
	Best  int `json:"best_rank,omitempty"`
	Worst int `json:"worst_rank,omitempty"`
	// Perturbed is the mean success under all perturbations, in percent; nil if there are none.
	Perturbed     *float64           `json:"perturbed,omitempty"`
	Perturbations int                `json:"perturbations,omitempty"`
	Tasks         int                `json:"tasks"`
	Seeds         int                `json:"seeds"`
	Tokens        float64            `json:"tokens"` // the tokens of prompts and replies per episode
	About         configs.AboutModel `json:"about"`

	score *scoring.Score
}

// Rate is a rate in percent. Low and High are nil without an interval.
type Rate struct {
	Mean float64  `json:"mean"`
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
}

// Page is the file with the episodes of the row.
func (r ModelRow) Page() string { return r.Bundle + ".html" }

// named are the names that bundles may have: they are parts of addresses.
var named = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// mostBundles is the largest number of bundles of a board.
const mostBundles = 1000

// Write checks the bundles in a folder and writes a site into a new one.
func Write(ctx context.Context, folder, out string, o Options) (*Board, error) {
	found, err := filepath.Glob(filepath.Join(folder, "*"+bundle.Extension))
	if err != nil || len(found) == 0 || len(found) > mostBundles {
		return nil, errors.Join(err, fmt.Errorf("%s has %d bundles (*%s), want 1 to %d", folder, len(found),
			bundle.Extension, mostBundles))
	}
	if _, err := os.Lstat(out); err == nil && !o.Force {
		return nil, fmt.Errorf("%s exists already; replace it with --force", out)
	}
	work, err := openWorkplace(out)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	stop := work.Until(ctx)
	site := work.Path("site")
	b, err := build(ctx, found, site, o)
	if !stop() {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return b, replace(work, site, out)
}

// build checks the bundles and writes a site into a new folder.
func build(ctx context.Context, found []string, site string, o Options) (*Board, error) {
	if err := os.Mkdir(site, 0o755); err != nil {
		return nil, err
	}
	b := &Board{Schema: Schema, Date: o.Date, Version: o.Version}
	for _, name := range o.Baselines {
		p, err := report.ReadPublished(name)
		if err != nil {
			return nil, err
		}
		for _, t := range p.Tables {
			b.published = append(b.published, report.Baseline{Name: name, Source: p, Table: t})
		}
	}
	for _, file := range found {
		if err := b.add(ctx, file, site, o); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	b.rank()
	return b, b.write(site)
}

// replacedSite is the name in the workplace of the site that a new one replaces.
const replacedSite = "earlier"

// openWorkplace returns an empty workplace. A site that a killed process has moved there, and not
// replaced, gets its name back.
func openWorkplace(out string) (*record.Workplace, error) {
	work, err := record.OpenWorkplace(out)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(out); errors.Is(err, os.ErrNotExist) {
		if err := os.Rename(work.Path(replacedSite), out); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, errors.Join(err, work.Close())
		}
	}
	return work, work.Empty()
}

// replace gives a site its name, in place of the one before.
func replace(work *record.Workplace, site, out string) error {
	err := os.Rename(out, work.Path(replacedSite))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(site, out)
}

// add checks a bundle, adds its rows, and writes the page with its episodes.
func (b *Board) add(ctx context.Context, file, site string, o Options) error {
	name := strings.TrimSuffix(filepath.Base(file), bundle.Extension)
	if !named.MatchString(name) {
		b.refuse(o, table.Printable(name),
			"its name is part of addresses: it may have only letters, digits, dots, - and _, at most 100")
		return nil
	}
	dir, err := os.MkdirTemp(site, "unpacked-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	portable := func(text string) string { return strings.ReplaceAll(text, dir+string(filepath.Separator), "") }
	c, err := bundle.Open(file, dir)
	if bundle.MachineFault(err) {
		return err
	}
	if err != nil {
		b.refuse(o, name, portable(err.Error()))
		return nil
	}
	r, err := check.Check(ctx, c, o.Check)
	if err != nil {
		return err
	}
	var reasons []string
	for _, claim := range r.Claims {
		if claim.Verdict == check.Fails || claim.Verdict == check.Unchecked {
			reasons = append(reasons, portable(fmt.Sprintf("%s: %s", claim.ID, strings.Join(claim.Notes, "; "))))
		}
	}
	var chosen []record.Chosen
	for _, p := range c.Runs {
		chosen = append(chosen, record.Chosen{Parts: p, Title: name + "/" + filepath.Base(p.Name())})
	}
	prompts := bench.Prompts{Worlds: &bench.Worlds{Texts: o.Check.Texts}, NoWorlds: true}
	episodes, err := overview.NewCollector(chosen, prompts.Sent)
	if err != nil {
		return err
	}
	source, err := report.Inputs{Interval: string(stats.TheseKinds), Companion: episodes.Beside(ctx)}.Load()
	if err != nil {
		return err
	}
	rep, _, err := source.Read(chosen, true)
	if bundle.MachineFault(err) {
		return err
	}
	if err != nil {
		b.refuse(o, name, portable(err.Error()))
		return nil
	}
	for _, run := range rep.Runs {
		b.rows(run, ModelRow{Bundle: name, Who: c.About.Authors, Checked: len(reasons) == 0, Why: reasons}, c.About)
	}
	if !slices.ContainsFunc(rep.Runs, func(r report.NamedRun) bool {
		return slices.ContainsFunc(r.Scores, func(s *scoring.Score) bool { return s.Finished > 0 })
	}) {
		b.Unread = append(b.Unread, Unread{name, "no episode has a result"})
	}
	o.Tell(fmt.Sprintf("%s: %s played again, %s", name, table.Counted(r.Episodes, "episode"),
		cmp.Or(strings.Join(reasons, "; "), "checked")))
	text, err := overview.HTML(rep, episodes)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(site, name+".html"), text, 0o644) // with its episodes, as far as there is room
}

// refuse lists a bundle without rows.
func (b *Board) refuse(o Options, name, reason string) {
	b.Unread = append(b.Unread, Unread{name, reason})
	o.Tell(fmt.Sprintf("%s: it cannot be read", name))
}

// rows adds a row for each model of a run that has a result. blank has the fields that are the same in all of them.
func (b *Board) rows(run report.NamedRun, blank ModelRow, about configs.About) {
	for _, s := range run.Scores {
		if s.Condition.Perturbation != plain || s.Finished == 0 || run.Sweep.ExtraAnchor(s.Condition.Model) {
			continue
		}
		row := blank
		row.Model, row.score = cmp.Or(run.Names[s.Condition.Model], record.CalledPlayer(s.Condition.Model)), s
		if parts := record.Say(s.Condition.Player); len(parts) > 0 {
			row.Model += " (" + strings.Join(parts, ", ") + ")"
		}
		row.About = about.Models[s.Condition.Model]
		row.About.Tasks = nil // the bundle has them
		row.Success, row.Progress = percent(s.Success.Estimate), percent(s.Progress.Estimate)
		row.Tasks, row.Seeds = len(s.Environment.Tasks), len(s.Seeds)
		row.Tokens = float64(s.Spent.PromptTokens+s.Spent.CompletionTokens) / float64(max(1, s.Finished))
		sum := 0.0
		for _, score := range run.Scores {
			c := score.Condition
			same := c.Model == s.Condition.Model && c.Env == s.Condition.Env
			if same && c.Perturbation != plain && score.Finished > 0 {
				sum += 100 * score.Success.Mean
				row.Perturbations++
			}
		}
		if row.Perturbations > 0 {
			mean := sum / float64(row.Perturbations)
			row.Perturbed = &mean
		}
		env, source := s.Condition.Env, string(s.Condition.Source)
		place := b.place(cmp.Or(s.Condition.Preset.Label(), env+" ("+source+")"))
		place.Title = envs.Title(env) + ", " + source + " tasks"
		if s.Condition.Preset != nil {
			place.Title = envs.Title(env) + ", preset " + place.Name
		}
		place.Rows = append(place.Rows, row)
	}
}

// plain is the name of the perturbation of unperturbed episodes.
const plain = "none"

func (b *Board) place(name string) *Ranking {
	i := slices.IndexFunc(b.Places, func(p Ranking) bool { return p.Name == name })
	if i < 0 {
		i = len(b.Places)
		b.Places = append(b.Places, Ranking{Name: name})
	}
	return &b.Places[i]
}

func percent(e scoring.Estimate) Rate {
	r := Rate{Mean: 100 * e.Mean}
	if e.Interval != nil {
		low, high := 100*e.Interval.Low, 100*e.Interval.High
		r.Low, r.High = &low, &high
	}
	return r
}

// rank sorts the rows and ranks the checked ones.
func (b *Board) rank() {
	slices.SortFunc(b.Places, func(x, y Ranking) int { return strings.Compare(x.Name, y.Name) })
	for i := range b.Places {
		p := &b.Places[i]
		slices.SortStableFunc(p.Rows, func(x, y ModelRow) int {
			if x.Checked != y.Checked {
				return map[bool]int{true: -1, false: 1}[x.Checked]
			}
			return cmp.Compare(y.Success.Mean, x.Success.Mean)
		})
	}
	claims := b.claims()
	for i := range b.Places {
		p := &b.Places[i]
		for j := range p.Rows {
			r := &p.Rows[j]
			if best, worst, ok := claims.Ranks(claim.Scope{Name: p.Name}, r.id()); ok && worst > 1 {
				r.Best, r.Worst = best, worst
			}
		}
		for _, c := range claims.Comparisons {
			if len(p.Rows) > 1 && c.Place.Name == p.Name && c.Kind == claim.NotCompared && p.NoRanks == "" {
				p.NoRanks = c.Reason
			}
		}
	}
}

// id is the row's name among the board's rows.
func (r ModelRow) id() string { return r.Model + " in " + r.Bundle }

// claims compare the checked rows of each place, as one family of tests.
func (b *Board) claims() *claim.Set {
	results := claim.Results{Rate: claim.Success}
	for _, p := range b.Places {
		results.Places = append(results.Places, claim.Scope{Name: p.Name, Title: p.Name})
		for _, r := range p.Rows {
			if r.Checked {
				results.Models = append(results.Models, claim.Model{Name: r.id(),
					Scores: map[string]*scoring.Score{p.Name: r.score}})
			}
		}
	}
	return claim.Derive(&results)
}

// write writes board.json and the first page.
func (b *Board) write(site string) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	var out bytes.Buffer
	text = table.PrintableJSON(append(text, '\n'))
	return errors.Join(b.page().Write(&out), os.WriteFile(filepath.Join(site, "board.json"), text, 0o644),
		os.WriteFile(filepath.Join(site, "index.html"), out.Bytes(), 0o644))
}
