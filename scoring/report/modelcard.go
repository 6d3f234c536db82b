package report

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/table"
)

// indexed is a model in the front matter of its card on the Hub, under the key model-index.
type indexed struct {
	Name    string          `yaml:"name"`
	Results []indexedResult `yaml:"results"`
}

type indexedResult struct {
	Task    indexedName     `yaml:"task"`
	Dataset indexedData     `yaml:"dataset"`
	Metrics []indexedMetric `yaml:"metrics"`
}

type indexedName struct {
	Type string `yaml:"type"`
	Name string `yaml:"name"`
}

type indexedData struct {
	Name     string         `yaml:"name"`
	Type     string         `yaml:"type"`
	Config   string         `yaml:"config"`
	Revision string         `yaml:"revision,omitempty"` // hash of the protocol, else of the data
	Args     map[string]any `yaml:"args,omitempty"`
}

type indexedMetric struct {
	Type  string                `yaml:"type"`
	Value cardNumber            `yaml:"value"`
	Name  string                `yaml:"name"`
	Args  map[string]cardNumber `yaml:"args,omitempty"`
}

// cardNumber is a number that YAML writes with a point: 100.0.
type cardNumber float64

// MarshalYAML implements yaml.Marshaler.
func (x cardNumber) MarshalYAML() (any, error) {
	text := strconv.FormatFloat(float64(x), 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: text}, nil
}

// ModelCard returns what the card of a model on the Hub says of its results: the front matter, and a paragraph.
func (r *Report) ModelCard() (string, error) {
	s := r.standing()
	if err := checkCard(r); err != nil {
		return "", err
	}
	model := indexed{Name: s.lines[0].Name}
	for _, place := range s.Columns() {
		if success, progress, ok := s.paperRates(0, place); ok {
			model.Results = append(model.Results, indexedResult{
				Task:    indexedName{"text-generation", "Acting in text environments"},
				Dataset: indexedDataset(place, s.lines[0].Scores[place.Name]),
				Metrics: []indexedMetric{metric("success_rate", "Success rate, %", success),
					metric("progress_rate", "Progress rate, %", progress)},
			})
		}
	}
	if model.Results == nil {
		return "", errors.New("no episode has a result, so a model card has nothing to say")
	}
	front, err := yaml.Dump(map[string][]indexed{"model-index": {model}})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("---\n%s\n---\n\n## Evaluation\n\n%s\n", table.PrintableLines(string(front)),
		table.Printable(strings.Join(cardNotes(r), " "))), nil
}

// checkCard reports results that are not of one model, or not by a protocol that a card can name.
func checkCard(r *Report) error {
	for _, run := range r.Runs {
		if run.Board {
			return fmt.Errorf("a model card says how rates were measured, and the logs in %s do not: leave them out", run.Name)
		}
	}
	if names := table.Keys(r.standing().lines, func(l modelRates) string { return l.Name }); len(names) > 1 {
		return fmt.Errorf("a model card describes one model, and these runs have %s: choose one with --model", table.List(names))
	}
	return nil
}

func indexedDataset(place claim.Scope, score *scoring.Score) indexedData {
	if score == nil {
		return indexedData{Name: "Held-out score", Type: "heldout/held-out", Config: "held-out"}
	}
	c, data := score.Condition, score.Environment
	out := indexedData{Name: envs.Title(c.Env), Type: "heldout/" + c.Env, Config: place.Name, Revision: data.DataHash,
		Args: map[string]any{"source": string(c.Source), "tasks": len(data.Tasks), "seeds": score.SeedCount(),
			"episodes": score.Finished, "step_limit": c.StepLimit}}
	if c.Preset != nil {
		out.Config, out.Revision = c.Preset.Name, c.Preset.SHA256
	}
	return out
}

func metric(kind, name string, rate scoring.Rate) indexedMetric {
	percent := func(x float64) cardNumber { return cardNumber(math.Round(1e4*x) / 100) }
	m := indexedMetric{Type: kind, Name: name, Value: percent(rate.Mean), Args: map[string]cardNumber{}}
	if rate.Interval != nil {
		m.Args["low"], m.Args["high"] = percent(rate.Interval.Low), percent(rate.Interval.High)
		m.Args["confidence"] = 95
	}
	if !math.IsNaN(rate.SampleStd) {
		m.Args["std_over_seeds"] = percent(rate.SampleStd)
	}
	return m
}

// cardNotes say by which protocol rates were measured, with its hash, and what limits are about.
func cardNotes(r *Report) []string {
	s := r.standing()
	notes := []string{fmt.Sprintf("Measured with %s by the %s, %s.", tools(r.Runs), protocolNames(r.plain),
		seedsSaid(r.plain))}
	var success, progress []string
	for _, place := range s.Columns() {
		if first, second, ok := s.paperRates(0, place); ok {
			mark := s.rated(0, place).Mark
			success = append(success, place.Title+" "+rateWithLimits(first, mark))
			progress = append(progress, place.Title+" "+rateWithLimits(second, mark))
		}
		if score := s.lines[0].Scores[place.Name]; score == nil {
			continue
		} else if p := score.Condition.Preset; p != nil {
			notes = table.AppendNew(notes, fmt.Sprintf("%s has the SHA-256 %s.", p.Name, p.SHA256))
		} else if hash := score.Condition.PromptHash; hash != "" {
			notes = table.AppendNew(notes, fmt.Sprintf("The prompt of %s has the SHA-256 %s.", place.Title, hash))
		}
	}
	notes = append(notes, "Success rates in percent, with 95% confidence intervals for "+population(r.plain)+": "+
		strings.Join(success, ", ")+"; progress rates: "+strings.Join(progress, ", ")+".")
	return append(notes, caveatsOf(r, s)...)
}

func rateWithLimits(rate scoring.Rate, mark string) string {
	limits := "no interval"
	if rate.Interval != nil {
		limits = fmt.Sprintf("%.1f to %.1f", 100*rate.Interval.Low, 100*rate.Interval.High)
	}
	return fmt.Sprintf("%.1f%s (%s)", 100*rate.Mean, mark, limits)
}
