package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Estimate is what the first trials of served models are expected to take, all planned episodes together.
type Estimate struct {
	PromptTokens     int `json:"prompt_tokens"`
	CachedTokens     int `json:"cached_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	// Dollars is nil if a model has no price.
	Dollars *float64 `json:"dollars,omitempty"`
	// Basis says for each environment where the tokens are from.
	Basis []string `json:"basis"`
}

type tokenUsage struct{ prompt, cached, completion float64 }

// episodeShape is what episodes have in common that take about the same.
type episodeShape struct {
	env, preset, agent string
	limit              int
}

func protocolOf(c record.Condition) episodeShape {
	return episodeShape{c.Env, c.Preset.Key(), c.Agent, c.StepLimit}
}

// estimate estimates what the plan takes, from the newest run beside it that has episodes of the same environment,
// preset, agent and step limit; else from prompts. nil if no model is served, or nothing can be told.
func (j *Job) estimate(ctx context.Context) *Estimate {
	e := &Estimate{Dollars: new(float64)}
	usages := map[episodeShape]*tokenUsage{}
	for i := range j.Plan.Episodes {
		ep := &j.Plan.Episodes[i]
		if ep.Player.Model == nil || j.Plan.Shard != nil && !j.Plan.Shard.Contains(ep.ID) {
			continue
		}
		proto := protocolOf(*ep.Condition)
		u, ok := usages[proto]
		if !ok {
			var basis string
			if u, basis = j.usageOf(ctx, ep, proto); u == nil {
				return nil
			}
			usages[proto] = u
			e.Basis = append(e.Basis, fmt.Sprintf("%s (%s)", basis, proto.env))
		}
		e.PromptTokens += int(u.prompt)
		e.CachedTokens += int(u.cached)
		e.CompletionTokens += int(u.completion)
		price, priced := j.Config.Prices.Lookup(ep.Player.Name)
		switch {
		case !priced:
			e.Dollars = nil
		case e.Dollars != nil:
			*e.Dollars += price.Dollars(int(u.prompt), int(u.cached), int(u.completion))
		}
	}
	if len(usages) == 0 {
		return nil
	}
	return e
}

// usageOf says what an episode takes, and from where that is known.
func (j *Job) usageOf(ctx context.Context, e *episode.Episode, proto episodeShape) (u *tokenUsage, basis string) {
	if u, dir := j.usageBeside(proto); u != nil {
		return u, "as in " + dir
	}
	if u := usageOfPrompts(ctx, *e); u != nil {
		return u, fmt.Sprintf("a guess: an episode up to the step limit, %d tokens a reply, %d characters a token",
			idleTokens, perToken)
	}
	return nil, ""
}

// usageBeside is the mean over the episodes of a protocol in the newest run beside this one that has any.
func (j *Job) usageBeside(proto episodeShape) (u *tokenUsage, dir string) {
	newest := time.Time{}
	for _, run := range record.Find(filepath.Dir(j.Dir), func(string, error) {}) {
		m, err := record.ReadManifest(run)
		if err != nil || len(m.Sessions) == 0 || !m.Sessions[len(m.Sessions)-1].Started.After(newest) ||
			!slices.ContainsFunc(m.Groups, func(g record.Group) bool {
				return g.Condition.Decoding != nil && protocolOf(g.Condition) == proto
			}) {
			continue
		}
		if found := meanUsage(run, proto); found != nil {
			u, dir, newest = found, run, m.Sessions[len(m.Sessions)-1].Started
		}
	}
	return u, dir
}

// meanUsage is the mean over the finished episodes of a protocol; nil if there are none.
func meanUsage(dir string, proto episodeShape) *tokenUsage {
	var sum tokenUsage
	n := 0.0
	if _, err := record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
		if e.Outcome.Final() && e.PromptTokens > 0 && e.Env == proto.env && e.Preset == proto.preset {
			sum.prompt += float64(e.PromptTokens)
			sum.cached += float64(e.CachedTokens)
			sum.completion += float64(e.CompletionTokens)
			n++
		}
	}); err != nil || n == 0 {
		return nil
	}
	return &tokenUsage{sum.prompt / n, sum.cached / n, sum.completion / n}
}

// usageOfPrompts plays an episode with replies of an idler, and counts characters. A model that
// solves tasks takes less, and one that reasons at length more.
func usageOfPrompts(ctx context.Context, e episode.Episode) *tokenUsage {
	var sum tokenUsage
	idle := *e.Player // the plan's episodes share theirs
	idle.Model = idler{&sum}
	e.Player = &idle
	if _, err := e.Play(ctx, episode.Trusting{}, func(agent.Usage) {}); err != nil || sum.prompt == 0 {
		return nil
	}
	return &sum
}

// idler is a model that does nothing of use, and counts the tokens of its prompts.
type idler struct{ sum *tokenUsage }

// A reply of an idler has so many tokens: models of 0.5 to 8 billion parameters take 30 to 60
// for a thought and an action. A token of English has about 4 characters.
const idleTokens, perToken = 60, 4

// idle is what an idler says.
var idle = "Thought: " + strings.Repeat("I look around. ", idleTokens*perToken/15-2) + "\nAction: look"

// Chat implements model.Model.
func (i idler) Chat(_ context.Context, req model.Request) (model.Reply, error) {
	for _, m := range req.Messages {
		i.sum.prompt += float64(len(m.Content)) / perToken
	}
	i.sum.completion += idleTokens
	return model.Reply{Text: idle, FinishReason: "stop", Attempts: 1}, nil
}

// String is the estimate as a line.
func (e *Estimate) String() string {
	text := fmt.Sprintf("estimate: %s tokens of prompts and %s of replies", rough(e.PromptTokens),
		rough(e.CompletionTokens))
	if e.CachedTokens > 0 {
		text += fmt.Sprintf(" (%s cached)", rough(e.CachedTokens))
	}
	if e.Dollars != nil {
		text += fmt.Sprintf(", %.2f dollars", *e.Dollars)
	}
	return text + ": " + strings.Join(e.Basis, "; ")
}

// rough writes a number with two digits that count.
func rough(n int) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f billion", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f million", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.0f thousand", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}
