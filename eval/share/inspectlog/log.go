package inspectlog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// log is the log of a condition, with all its seeds.
type log struct {
	score    *scoring.Score
	manifest *record.Manifest
	run      string // name of the run
	spec     spec
	name     string // of the file
	status   string
	archive  *archive
	rows     map[sampleKey]scoredSample
	// began and ended are the first and the last time of its samples.
	began, ended time.Time
}

// sampleKey is a sample of a log: its task by index, and its epoch.
type sampleKey struct{ task, epoch int }

// scoredSample is what is kept of a sample.
type scoredSample struct {
	summary json.RawMessage
	scores  map[string]float64 // nil without a result
}

// newLog returns the log of a score. Run identifies the run.
func newLog(s *scoring.Score, m *record.Manifest, name, run string, going bool) *log {
	l := &log{score: s, manifest: m, run: name, rows: map[sampleKey]scoredSample{}}
	l.status = l.ending(going)
	l.spec = l.newSpec(run)
	l.name = strings.Join([]string{clean(l.spec.Created.Format("2006-01-02T15:04:05+00:00")),
		clean(strings.TrimPrefix(l.spec.Task, "heldout/")), l.spec.TaskID}, "_") + ".eval"
	return l
}

// clean is a part of a file's name: parts are divided by underscores.
func clean(part string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`_/\:+ *?"<>|`, r) || r < ' ' {
			return '-'
		}
		return r
	}, part)
}

// ending says how the evaluation ended. A run is started as long as a process works on it. Samples
// with an error do not end it, but an evaluation that has no others failed.
func (l *log) ending(going bool) string {
	switch s := l.score; {
	case going && !s.Complete():
		return started
	case s.Unfinished[""]+s.Unfinished[record.Cancelled] > 0:
		return cancelled
	case s.Finished == 0:
		return failed
	}
	return success
}

// created is when the run was started.
func (l *log) created() time.Time {
	if len(l.manifest.Sessions) == 0 {
		return time.Unix(0, 0).UTC()
	}
	return l.manifest.Sessions[0].Started.UTC().Truncate(time.Second)
}

// taskName names a condition without model and decoding: its preset or environment, with its
// perturbation.
func taskName(c *record.Condition) string {
	name := c.Env
	if c.Preset != nil {
		name = c.Preset.Name
	}
	if c.Perturbation != "none" {
		name += "-" + c.Perturbation
	}
	return name
}

// modelName is a model as Inspect names it.
func modelName(model string) string {
	if provider, name, ok := strings.Cut(model, ":"); ok {
		return provider + "/" + name
	}
	return "heldout/" + model
}

// identity is a short hash of texts.
func identity(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d %s", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))[:22]
}

func (l *log) newSpec(run string) spec {
	c, s := &l.score.Condition, l.score
	key := c.Key()
	title := envs.Title(c.Env)
	if name := taskName(c); name != c.Env {
		title += ", " + name
	}
	ids := make([]string, len(s.Environment.Tasks))
	for i, t := range s.Environment.Tasks {
		ids[i] = t.ID
	}
	settings := map[string]string{}
	maps.Copy(settings, c.Settings)
	return spec{
		EvalID: identity("eval", run, key), RunID: identity("run", run), TaskID: identity("task", run, key),
		Created: l.created(), Task: "heldout/" + taskName(c), Title: title, TaskArgs: settings, Solver: c.Agent,
		TaskVersion: cmp.Or(fmt.Sprintf("%.12s", s.Environment.DataHash), string(c.Source)),
		Dataset:     dataset{Name: envs.Title(c.Env), Samples: len(ids), SampleIDs: ids},
		Model:       modelName(c.Model), Generate: l.generation(),
		Config:   config{Epochs: len(s.Seeds), Reducer: []string{"mean"}, TurnLimit: c.StepLimit},
		Packages: map[string]string{"heldout": l.manifest.Tool.Version}, Metadata: l.metadata(),
		Scorers: scorers(), Headline: headline{successScore, successScore, "accuracy"},
	}
}

// generation says how replies were sampled. Each seed is an epoch.
func (l *log) generation() (g generation) {
	d := l.score.Condition.Decoding
	if d == nil {
		return g
	}
	g = generation{MaxTokens: d.MaxTokens, TopP: &d.TopP, Temperature: &d.Temperature, Stop: d.Stop, Extra: d.Extra}
	if len(l.score.Seeds) == 1 {
		g.Seed = &l.score.Seeds[0]
	}
	return g
}

// metadata returns everything else that identifies the condition.
func (l *log) metadata() map[string]any {
	c, m := &l.score.Condition, l.manifest
	out := map[string]any{
		"run": l.run, "heldout_version": m.Tool.Version, "behaviour": m.Behaviour, "environment": c.Env,
		"source": c.Source, "agent": c.Agent, "step_limit": c.StepLimit, "seeds": l.score.Seeds,
		"perturbation":     c.Perturbation,
		"planned_episodes": l.score.Planned, "finished_episodes": l.score.Finished,
	}
	for name, value := range map[string]string{
		"commit": m.Tool.Commit, "prompt_sha256": c.PromptHash, "data_sha256": l.score.Environment.DataHash,
		"perturbation_sha256": c.PerturbationHash, "caveat": l.score.Environment.Caveat, "stopped": m.Stopped(),
	} {
		if value != "" {
			out[name] = value
		}
	}
	if c.Preset != nil {
		out["preset"], out["preset_sha256"] = c.Preset.Name, c.Preset.SHA256
	}
	if environments := m.HeldIn[c.Model]; len(environments) > 0 {
		out["held_out"] = !slices.Contains(environments, c.Env)
	}
	if c.Player != nil {
		out["player"] = c.Player
	}
	if servers := m.Servers[c.Model]; len(servers) > 0 {
		out["server"] = servers[len(servers)-1]
	}
	return out
}

// scorers declares the scores and their metrics.
func scorers() []scorer {
	return []scorer{
		{successScore, []metricDefinition{{"accuracy"}, {"stderr"}}},
		{progressScore, []metricDefinition{{"mean"}, {"stderr"}}},
		{groundingScore, []metricDefinition{{"mean"}, {"stderr"}}},
		{unreadableScore, []metricDefinition{{"share_of_replies"}}},
	}
}

// plan is how it was played.
func (l *log) plan() plan {
	return plan{Name: "plan", Config: l.spec.Generate,
		Steps: []solver{{l.spec.Solver, map[string]any{"step_limit": l.spec.Config.TurnLimit}}}}
}

// finish writes what is known at the end, and closes the file.
func (l *log) finish() error {
	h := header{Version: version, Status: l.status, Eval: l.spec, Plan: l.plan(), Results: l.results(),
		Stats: &usages{Usage: l.usage()}}
	if !l.began.IsZero() {
		h.Stats.Started, h.Stats.Completed = &l.began, &l.ended
	}
	if l.status == failed {
		h.Error = &evalError{Message: l.unfinished()}
	}
	summaries, err := packList("summaries.json", l.summaries())
	reductions, failed := pack("reductions.json", l.reductions())
	end, other := pack("header.json", h)
	if err := cmp.Or(err, failed, other); err != nil {
		return err
	}
	for _, e := range []entry{summaries, reductions, end} {
		if err := l.archive.add(e); err != nil {
			return err
		}
	}
	return l.archive.close()
}

// summaries are those of the samples.
func (l *log) summaries() iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		for _, at := range l.order() {
			if !yield(l.rows[at].summary) {
				return
			}
		}
	}
}

// unfinished counts the episodes without a result.
func (l *log) unfinished() string {
	var counts []string
	for _, outcome := range slices.Sorted(maps.Keys(l.score.Unfinished)) {
		counts = append(counts, fmt.Sprintf("%d %s", l.score.Unfinished[outcome], outcome))
	}
	n := l.score.Planned - l.score.Finished
	return table.Counted(n, "planned episode") + " without a result: " + strings.Join(counts, ", ")
}

// order is the order of the samples: by epoch and task.
func (l *log) order() []sampleKey {
	return slices.SortedFunc(maps.Keys(l.rows), func(a, b sampleKey) int {
		return cmp.Or(cmp.Compare(a.epoch, b.epoch), cmp.Compare(a.task, b.task))
	})
}

func (l *log) usage() map[string]tokenCounts {
	if l.score.Condition.Decoding == nil {
		return map[string]tokenCounts{}
	}
	s := l.score.Spent
	return map[string]tokenCounts{l.spec.Model: newUsage(s.PromptTokens, s.CompletionTokens, s.TokenDetails)}
}

// results are the rates as heldout's tables have them.
func (l *log) results() *results {
	s := l.score
	r := &results{Total: s.Planned, Completed: s.Finished, Headline: l.spec.Headline}
	rates := []scoring.Rate{s.Success, s.Progress, s.Grounding}
	for i, of := range l.spec.Scorers {
		values := slices.Collect(maps.Values(l.reduced(of.Name)))
		total := totalScore{Name: of.Name, Scorer: of.Name, Scored: len(values)}
		switch u := s.Unreadable(); {
		case len(values) == 0:
		case i < len(rates):
			total.Metrics = rated(of.Metrics[0].Name, rates[i], values)
		case u.Replies > 0:
			total.Metrics = metrics{{Name: of.Metrics[0].Name, Value: float64(u.Unread) / float64(u.Replies)}}
		}
		r.Scores = append(r.Scores, total)
	}
	return r
}

// rated are the metrics of a rate. The interval is heldout's; stderr is Inspect's, the standard
// error of the mean over tasks.
func rated(mean string, r scoring.Rate, values []float64) metrics {
	slices.Sort(values)
	m := metrics{{Name: mean, Value: r.Mean}, {Name: "stderr"}}
	if len(values) > 1 {
		m[1].Value = stats.SampleStd(values) / math.Sqrt(float64(len(values)))
	}
	if i := r.Interval; i != nil {
		const group = "heldout_ci95"
		m = append(m, metric{"lower", group, i.Low}, metric{"upper", group, i.High})
	}
	if !math.IsNaN(r.SampleStd) {
		m = append(m, metric{Name: "std_seeds", Value: r.SampleStd})
	}
	return m
}

// reduced are the means of a score over epochs, by task.
func (l *log) reduced(name string) map[int]float64 {
	values := map[int][]float64{}
	for _, at := range l.order() {
		if scores := l.rows[at].scores; scores != nil {
			values[at.task] = append(values[at.task], scores[name])
		}
	}
	means := map[int]float64{}
	for task, list := range values {
		means[task] = stats.Mean(list)
	}
	return means
}

func (l *log) reductions() []reduction {
	out := []reduction{}
	for _, of := range l.spec.Scorers {
		r := reduction{Scorer: of.Name, Reducer: "mean", Samples: []reducedScore{}}
		means := l.reduced(of.Name)
		for _, task := range slices.Sorted(maps.Keys(means)) {
			r.Samples = append(r.Samples, reducedScore{means[task], l.spec.Dataset.SampleIDs[task]})
		}
		out = append(out, r)
	}
	return out
}
