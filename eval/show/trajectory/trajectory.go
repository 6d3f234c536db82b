// Package trajectory shows episodes as HTML: what the agent was told, thought and did in every step, and the list
// in which readers find an episode. Everything is rendered here, by html/template and by markup; scripts only find,
// show and align what is rendered. The server of heldout view and the file of heldout report use the same parts.
package trajectory

import (
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"heldout/envs"
	"heldout/scoring/record"
	"heldout/scoring/refinement"
	"heldout/scoring/table"
)

var (
	//go:embed list.html
	listText string
	//go:embed bundle.html
	bundleText string
	// Style is the style of lists and episodes.
	//go:embed trajectory.css
	Style template.CSS
	//go:embed episode.js
	episodeScript template.JS
	//go:embed prompts.js
	promptsScript template.JS
	// Script gives episodes their keys, aligns two of them and shows what the model was sent.
	Script = episodeScript + promptsScript

	lists  = template.New("list").Funcs(template.FuncMap{"visible": visible, "option": option})
	parsed = template.Must(template.Must(lists.Parse(listText)).New("bundle").Parse(bundleText))
)

// Name names an attempt in links: the id of the episode, and the number of the attempt if it is not the first.
func Name(r *record.Result) string {
	if r.Attempt == 1 {
		return r.ID
	}
	return r.ID + "." + strconv.Itoa(r.Attempt)
}

// EpisodePage is an attempt with what surrounds it on its page.
type EpisodePage struct {
	*record.Episode
	Run      string         // the run directory
	Pictures []envs.Picture // the states of the world, the first before the first step; nil for none
	// Sent is Prompts.Sent of the attempt, whose shapes the page has, or PromptsHref the address of
	// its prompts. Without both, the page does not have them.
	Sent, PromptsHref string
	Player            *record.Identity // an agent from outside heldout: its version, source and sampling
	Second            bool             // another episode is on the page; it may have the same name
}

// Title tells an attempt from the others of its task.
func Title(e *record.Result) string {
	parts := []string{e.Model, fmt.Sprintf("seed %d", e.Seed)}
	if e.Perturbation != "none" {
		parts = append(parts, e.Perturbation)
	}
	if e.Trial > 0 {
		parts = append(parts, fmt.Sprintf("trial %d", e.Trial))
	}
	if e.Attempt > 1 {
		parts = append(parts, fmt.Sprintf("attempt %d", e.Attempt))
	}
	return strings.Join(parts, ", ")
}

// fact is something that is known of an attempt, with its name.
type fact struct{ Name, Value string }

// facts list what else is known of an attempt besides its steps. Facts without a value are left out.
func facts(e EpisodePage) (out []fact) {
	out = []fact{{"Task", e.Task}, {"Type", e.TaskType}, {"Difficulty", string(e.Difficulty)}}
	if e.Agent != e.Model {
		out = append(out, fact{"Agent", e.Agent})
	}
	out = append(out, fact{"Player", strings.Join(record.Say(e.Player), ", ")}, fact{"Preset", e.Preset},
		fact{"Ended early", string(e.Cut)})
	if e.Score != nil {
		out = append(out, fact{"Score", fmt.Sprintf("%.3f", *e.Score)})
	}
	if e.Loose != nil {
		out = append(out, fact{"Loose success", fmt.Sprint(*e.Loose)})
	}
	out = append(out, fact{"Format errors", positive(e.FormatErrors)})
	for _, f := range record.Faults() {
		out = append(out, fact{capital(words(string(f))), positive(e.Faults[f])})
	}
	return slices.DeleteFunc(slices.Concat(out, behaviour(e), costs(e)), func(f fact) bool { return f.Value == "" })
}

// behaviour is what the agent did with its errors, as the tables of refinement count it.
func behaviour(e EpisodePage) (out []fact) {
	c := refinement.WithoutThoughts(e.Episode, nil)
	if n := c.Errors(); n > 0 {
		out = append(out, fact{"Errors", fmt.Sprintf("%d, longest run %d", n, c.Longest())},
			fact{"Repeated errors", fmt.Sprint(c.Repeated)},
			fact{"Recovered within 3 steps", fmt.Sprintf("%d of %d errors", c.Recovered[1], n)})
	}
	out = append(out, fact{"Steps in loops", positive(int(c.Looped))})
	if !c.Solved && c.Steps > 0 {
		out = append(out, fact{"No more progress after step", fmt.Sprint(c.Stuck)})
	}
	if c.Lost {
		out = append(out, fact{"Lost progress", "ended below its best"})
	}
	return out
}

// costs are the facts about tokens, requests and time.
func costs(e EpisodePage) (out []fact) {
	if e.Trimmed > 0 {
		out = append(out, fact{"History shortened", table.Counted(e.Trimmed, "time")})
	}
	out = append(out, fact{"Reflections left out", positive(e.Forgotten)}, fact{"Answered by", e.Answered.String()},
		fact{"Set-up of the server", strings.Join(e.Fingerprints, ", ")},
		fact{"Prompts cut by the server", positive(e.CutPrompts)},
		fact{"Decoding not sent", strings.Join(e.Dropped, ", ")})
	if e.Calls > 0 {
		out = append(out, fact{"Tokens", fmt.Sprintf("%d prompt + %d reply", e.PromptTokens, e.CompletionTokens)},
			fact{"Requests", fmt.Sprintf("%d for %s, %s", e.Requests, table.Counted(e.Calls, "reply", "replies"),
				seconds(e.ModelSeconds))})
	}
	if !e.Started.IsZero() {
		out = append(out, fact{"Started", e.Started.UTC().Format("2006-01-02 15:04:05 UTC")},
			fact{"Took", seconds(e.Ended.Sub(e.Started).Seconds())})
	}
	return append(out, fact{"Run", e.Run}, fact{"Episode", Name(&e.Result)})
}

// cost says what a step cost, as far as the record knows.
func cost(s record.Step) string {
	var parts []string
	if s.PromptTokens > 0 || s.CompletionTokens > 0 {
		parts = append(parts, fmt.Sprintf("%d + %d tokens", s.PromptTokens, s.CompletionTokens))
	}
	if s.ModelSeconds > 0 {
		parts = append(parts, seconds(s.ModelSeconds))
	}
	return strings.Join(parts, ", ")
}

// Outcome is an outcome in words.
func Outcome(o record.Outcome) string { return visible(words(string(o))) }

// verdict is the class of an outcome in the style.
func verdict(o record.Outcome) literal {
	switch o {
	case record.Success:
		return "good"
	case record.Failure:
		return "bad"
	}
	return "none"
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func percent(rate float64) string { return strconv.FormatFloat(100*rate, 'f', 1, 64) + " %" }

// seconds writes a duration with as many digits as matter.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", s)
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", s)
	}
	return fmt.Sprintf("%.0f ms", 1000*s)
}
