package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/envs/spelling"
	"heldout/scoring"
	"heldout/scoring/agentboard"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// PresetResults is the baseline that stands for the published results of presets,
// which are shown without it if the run did not change the preset.
const PresetResults = "presets"

// Inputs holds what a report is made from in addition to runs.
type Inputs struct {
	// Interval is the population of the intervals.
	Interval string
	// Baselines are published results, as FindBaselines takes them, or PresetResults.
	Baselines []string
	// Thoughts is a file with a thought per line; empty for none.
	Thoughts string
	// Names are the names of models, before those that the runs have recorded.
	Names configs.Names
	// Prices are the prices of models, before those that the runs have recorded.
	Prices configs.Prices
	// HeldIn are the environments whose data models were trained on, before those that the runs have recorded.
	HeldIn configs.HeldIn
	// Boards are folders of AgentBoard's logs, of which Only is read.
	Boards []*agentboard.Logs
	Only   record.EpisodeFilter
	// Measure has the steps of episodes measured for later readers.
	Measure bool
	// Collected are the results of the runs if they are read already, in the order of the runs.
	Collected []*scoring.Run
	// Companion makes something else of the attempts of a run, by its number, while they are read. It knows what tables
	// call the models; nil for nothing.
	Companion func(run int, called map[string]string) scoring.Companion
	// Weights is a file with the weights of the held-out score; empty for AgentRefine's.
	Weights string
}

// Loaded are Inputs whose files are read.
type Loaded struct {
	source    Inputs
	weights   configs.Weights
	baselines []Baseline
	thoughts  []string
}

// Load reads the files of a source. An error is one of what the user gave.
func (s Inputs) Load() (g Loaded, err error) {
	g.source = s
	if err := checkInterval(s.Interval); err != nil {
		return g, err
	}
	if g.thoughts, err = readThoughts(s.Thoughts); err != nil {
		return g, err
	}
	if g.weights, err = readWeights(s.Weights); err != nil {
		return g, err
	}
	for _, name := range s.Baselines {
		if name == PresetResults {
			continue
		}
		found, err := findBaselines(name, g.weights)
		if err != nil {
			return g, err
		}
		g.baselines = append(g.baselines, found...)
	}
	return g, nil
}

// Intervals are the names of the populations that intervals can refer to.
func Intervals() []string {
	return table.Keys(stats.Questions(), func(q stats.Question) string { return string(q) })
}

// checkInterval reports an unknown population of intervals.
func checkInterval(about string) error {
	if slices.Contains(Intervals(), about) {
		return nil
	}
	return fmt.Errorf("unknown interval %q%s; there are %s", about, spelling.Hint(about, Intervals()),
		strings.Join(Intervals(), ", "))
}

// readWeights reads the weights of the held-out score from a file; those that are embedded without one.
func readWeights(file string) (configs.Weights, error) {
	if file == "" {
		return configs.LoadWeights()
	}
	b, err := datafile.Read(file, datafile.MaxConfig)
	if err != nil {
		return configs.Weights{}, err
	}
	return configs.Parse[configs.Weights](file, b)
}

// readThoughts reads a file with a thought per line; none without a file.
func readThoughts(file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	b, err := datafile.ReadText(file, datafile.MaxLabels)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' || r == '\r' }), nil
}

// findBaselines finds "NAME" or "NAME:TABLE", embedded or in a file. Without a table it is the first whose columns
// are environments, the first of these with the best of several tries, and the first of each environment whose
// columns are its conditions. A table of none of these kinds cannot be compared with runs.
func findBaselines(arg string, w configs.Weights) (out []Baseline, err error) {
	name, id, chosen := strings.Cut(arg, ":")
	p, err := ReadPublished(name)
	if err != nil {
		return nil, err
	}
	var ids []string
	type kind struct {
		env    string
		bestOf bool
	}
	first := map[kind]bool{}
	for _, t := range p.Tables {
		if t.Env == "" && !slices.ContainsFunc(t.Columns, w.Contains) {
			continue
		}
		ids = append(ids, t.ID)
		if chosen && t.ID == id || !chosen && !first[kind{t.Env, t.HasBestOf()}] {
			out = append(out, Baseline{Name: arg, Source: p, Table: t})
		}
		first[kind{t.Env, t.HasBestOf()}] = true
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("baseline %s has no table %q of environments or conditions; it has: %s", name, id,
			strings.Join(ids, ", "))
	}
	return out, nil
}

// ReadPublished reads published results: embedded ones, or a YAML file's.
func ReadPublished(name string) (configs.Published, error) {
	if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
		return configs.LoadPublished(name)
	}
	b, err := datafile.Read(name, datafile.MaxConfig)
	if err != nil {
		return configs.Published{}, err
	}
	return configs.ParsePublished(name, b)
}

// Read makes the report of runs, from their records alone; steps says whether any table is
// made from the steps of episodes. uncovered are the files and lines without a checksum.
func (g Loaded) Read(chosen []record.Chosen, steps bool) (r *Report, uncovered []string, err error) {
	var called []map[string]string
	if g.source.Companion != nil {
		if called, err = g.called(chosen); err != nil {
			return nil, nil, err
		}
	}
	var runs []NamedRun
	for i, p := range chosen {
		read := scoring.ReadResults
		var companion scoring.Companion
		if called != nil {
			companion = g.source.Companion(i, called[i])
		}
		switch {
		case steps, called != nil:
			read = func(p record.Readable) (*scoring.Run, error) { return scoring.ReadRun(p, g.thoughts, companion) }
		case g.source.Collected != nil:
			read = func(record.Readable) (*scoring.Run, error) { return g.source.Collected[i], nil }
		case g.source.Measure:
			read = scoring.MeasureRun
		}
		run, err := read(p)
		if err != nil {
			return nil, nil, err
		}
		scores := scoring.Compute(run, stats.Question(g.source.Interval))
		uncovered = append(uncovered, run.Manifest.Uncovered...)
		named := g.named(p, run.Manifest, scores)
		named.Run, named.PresetResults = run, slices.Contains(g.source.Baselines, PresetResults)
		runs = append(runs, named)
	}
	for _, logs := range g.source.Boards {
		if run := g.board(logs); len(run.Scores) > 0 {
			runs = append(runs, run)
		}
	}
	return New(runs, g.baselines, g.weights), uncovered, nil
}

// called is what tables will call the models of each run, by model.
func (g Loaded) called(chosen []record.Chosen) ([]map[string]string, error) {
	var runs []NamedRun
	for _, p := range chosen {
		m, err := p.Manifest()
		if err != nil {
			return nil, err
		}
		runs = append(runs, g.named(p, m, table.Each(m.Groups, func(g record.Group) *scoring.Score {
			return &scoring.Score{Condition: g.Condition}
		})))
	}
	called := call(runs)
	for i, run := range runs {
		maps.DeleteFunc(called[i], func(spec, _ string) bool { return run.Sweep.ExtraAnchor(spec) })
	}
	return called, nil
}

// named is a run with what the user says of its models.
func (g Loaded) named(p record.Chosen, m *record.Manifest, scores []*scoring.Score) NamedRun {
	named := NamedRun{Name: p.Name(), Scores: scores, Manifest: *m}
	named.Absent, _ = p.Absent() // what cannot be listed cannot be read either
	named.Groups = nil           // the ids of maybe millions of episodes
	named.Names, named.Prices = merge(named.Names, g.source.Names), merge(named.Prices, g.source.Prices)
	named.HeldIn, named.Behaviour = merge(named.HeldIn, g.source.HeldIn), max(1, named.Behaviour)
	return named
}

// board is a folder of AgentBoard's logs as a run.
func (g Loaded) board(logs *agentboard.Logs) NamedRun {
	scores := scoring.Compute(logs.Run(g.source.Only), stats.Question(g.source.Interval))
	return NamedRun{Name: logs.Dir, Scores: scores, Board: true, Notes: logs.Notes,
		Manifest: record.Manifest{Names: g.source.Names, HeldIn: g.source.HeldIn}}
}

// merge is what runs have recorded of models with what the user says over it, whether
// either name the provider or not.
func merge[M ~map[string]V, V any](recorded, overrides M) M {
	out := M{}
	for spec, value := range recorded {
		if _, ok := overrides[bare(spec)]; !ok {
			out[spec] = value
		}
	}
	maps.Copy(out, overrides)
	return out
}
