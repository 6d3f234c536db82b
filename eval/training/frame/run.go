package frame

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// RunRow is a condition of a run: what one planned group of episodes was played
// under, how far it is, and its rates. Optional columns are null where there is
// nothing to say.
type RunRow struct {
	Run          string   `parquet:"run,dict"`
	Dir          string   `parquet:"dir,dict"`
	State        string   `parquet:"state,dict"` // complete, or incomplete: first trials lack results
	Env          string   `parquet:"env,dict"`
	Source       string   `parquet:"source,dict"`
	Settings     string   `parquet:"settings,dict"` // JSON object of names and values
	Model        string   `parquet:"model,dict"`
	Agent        string   `parquet:"agent,dict"`
	Preset       *string  `parquet:"preset,optional,dict"`
	PresetSHA256 *string  `parquet:"preset_sha256,optional,dict"`
	Perturbation string   `parquet:"perturbation,dict"`
	Seed         int64    `parquet:"seed"`
	StepLimit    int32    `parquet:"step_limit"`
	PromptHash   string   `parquet:"prompt_hash,dict"`
	Temperature  *float64 `parquet:"temperature,optional"`
	TopP         *float64 `parquet:"top_p,optional"`
	MaxTokens    *int32   `parquet:"max_tokens,optional"`
	// Planned counts first trials, Finished the episodes with a result, later trials
	// included, and Failed the attempts without one.
	Planned  int32 `parquet:"planned"`
	Finished int32 `parquet:"finished"`
	Failed   int32 `parquet:"failed_attempts"`
	// Rates of first trials are fractions, with 95 % intervals about Interval.
	Success          *float64   `parquet:"success,optional"`
	SuccessLow       *float64   `parquet:"success_low,optional"`
	SuccessHigh      *float64   `parquet:"success_high,optional"`
	Progress         *float64   `parquet:"progress,optional"`
	ProgressLow      *float64   `parquet:"progress_low,optional"`
	ProgressHigh     *float64   `parquet:"progress_high,optional"`
	Interval         string     `parquet:"interval,dict"`
	PromptTokens     int64      `parquet:"prompt_tokens"`
	CompletionTokens int64      `parquet:"completion_tokens"`
	ModelSeconds     float64    `parquet:"model_seconds"`
	Started          *time.Time `parquet:"started,optional,timestamp(microsecond)"` // of the first attempt
	Ended            *time.Time `parquet:"ended,optional,timestamp(microsecond)"`   // of the last one
	Version          string     `parquet:"tool_version,dict"`
	Commit           string     `parquet:"commit,dict"`
	// What the model server said of itself when the run was last started.
	ServerSoftware *string `parquet:"server_software,optional,dict"`
	ServerVersion  *string `parquet:"server_version,optional,dict"`
	ModelDigest    *string `parquet:"model_digest,optional,dict"`
	// What is known of an agent from outside heldout.
	PlayerVersion *string `parquet:"player_version,optional,dict"`
	PlayerSource  *string `parquet:"player_source,optional,dict"`
}

// about is what the intervals are about, as by default in tables.
const about = stats.TheseKinds

// conditionRow is the row of a condition, and the results that its rates come from.
type conditionRow struct {
	row     RunRow
	results *scoring.Run
}

// conditionsOf returns the conditions of a run, without what was played.
func conditionsOf(name, dir string, m *record.Manifest) ([]conditionRow, error) {
	conditions := make([]conditionRow, len(m.Groups))
	for i, g := range m.Groups {
		row, err := planned(m, &g)
		if err != nil {
			return nil, err
		}
		row.Run, row.Dir = name, dir
		alone := *m
		alone.Groups = m.Groups[i : i+1]
		conditions[i] = conditionRow{row, scoring.NewRun(&alone)}
	}
	return conditions, nil
}

// planned is the row of a group without its run and what was played.
func planned(m *record.Manifest, g *record.Group) (RunRow, error) {
	c := &g.Condition
	settings := []byte("{}")
	if c.Settings != nil {
		var err error
		if settings, err = json.Marshal(c.Settings); err != nil {
			return RunRow{}, err
		}
	}
	r := RunRow{
		Env: c.Env, Source: string(c.Source), Settings: string(settings), Model: c.Model, Agent: c.Agent,
		Perturbation: c.Perturbation, Seed: c.Seed, StepLimit: int32(c.StepLimit), PromptHash: c.PromptHash,
		Planned: int32(len(g.Episodes)), Interval: string(about), Version: m.Tool.Version, Commit: m.Tool.Commit,
	}
	if p := c.Preset; p != nil {
		r.Preset, r.PresetSHA256 = &p.Name, &p.SHA256
	}
	if d := c.Decoding; d != nil {
		maxTokens := int32(d.MaxTokens)
		r.Temperature, r.TopP, r.MaxTokens = &d.Temperature, &d.TopP, &maxTokens
	}
	if p := c.Player; p != nil {
		r.PlayerVersion, r.PlayerSource = filled(p.Version), filled(p.Source)
	}
	if servers := m.Servers[c.Model]; len(servers) > 0 {
		last := servers[len(servers)-1]
		r.ServerSoftware, r.ServerVersion = filled(last.Software), filled(last.Version)
		r.ModelDigest = filled(last.Digest)
	}
	return r, nil
}

func (c *conditionRow) add(e *record.Episode, pos record.Position, counts bool) {
	r := &c.row
	r.PromptTokens += int64(e.PromptTokens)
	r.CompletionTokens += int64(e.CompletionTokens)
	r.ModelSeconds += e.ModelSeconds
	started, ended := e.Started, e.Ended // copies: the episode is not kept
	if r.Started == nil || started.Before(*r.Started) {
		r.Started = &started
	}
	if r.Ended == nil || ended.After(*r.Ended) {
		r.Ended = &ended
	}
	switch {
	case counts:
		r.Finished++
	case !e.Outcome.Final():
		r.Failed++
	}
	pos.Group = 0
	c.results.Add(pos, &e.Result, nil)
}

func (c *conditionRow) rated() (RunRow, error) {
	scores, err := scoring.Compute(c.results, about)
	if err != nil {
		return RunRow{}, err
	}
	r, score := c.row, scores[0]
	r.State = "incomplete"
	if score.Complete() {
		r.State = "complete"
	}
	r.Success, r.SuccessLow, r.SuccessHigh = limits(score.Success)
	r.Progress, r.ProgressLow, r.ProgressHigh = limits(score.Progress)
	return r, nil
}

// limits are a rate and the ends of its interval; nil for what there is not.
func limits(r scoring.Rate) (mean, low, high *float64) {
	if math.IsNaN(r.Mean) {
		return nil, nil, nil
	}
	if i := r.Interval; i != nil {
		low, high = &i.Low, &i.High
	}
	return &r.Mean, low, high
}

func ratedRows(conditions []conditionRow) ([]RunRow, error) {
	rows := slices.Grow([]RunRow(nil), len(conditions))
	for i := range conditions {
		row, err := conditions[i].rated()
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
