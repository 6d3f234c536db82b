package refinement

import (
	"fmt"

	"heldout/scoring/stats"
)

// Unit is what a measure counts in.
type Unit string

// The units. A Share is a fraction in [0,1] that people read in percent.
const (
	Share Unit = "%"
	Steps Unit = "steps"
)

// Measure is a ratio: the sum of one count over the sum of another.
type Measure struct {
	// Key names the measure for programs, Name for people.
	Key, Name string
	Unit      Unit
	// Sums returns what an episode adds to both sums. An episode to which the
	// measure does not apply adds 0 to both.
	Sums func(c *Counts) (num, den float64)
}

// Measures lists the measures of MEASURES.md that are ratios: all except the
// quantile of error runs and the survival of errors.
func Measures() []Measure {
	list := []Measure{
		{"format_errors", "format errors", Share, perStep(func(c *Counts) uint16 { return c.FormatErrors })},
		{"cut_off", "cut off", Share, func(c *Counts) (float64, float64) {
			return float64(c.CutOff), float64(c.Replies)
		}},
		{"invalid", "invalid actions", Share, perStep(func(c *Counts) uint16 { return c.Invalid })},
		{"old_form", "old form used", Share, restricted(func(c *Counts) bool { return c.Perturbed },
			perStep(func(c *Counts) uint16 { return c.OldForm }))},
		OldFormUse(),
		AdaptationCost(),
		{"error_run_mean", "error run, mean", Steps, func(c *Counts) (float64, float64) {
			return float64(c.Errors()), float64(len(c.Runs))
		}},
		{"error_run_longest", "error run, longest", Steps, func(c *Counts) (float64, float64) {
			return float64(c.Longest()), 1
		}},
		{"repeated_errors", "repeated errors", Share, perError(func(c *Counts) uint16 { return c.Repeated })},
		{"loops", "steps in loops", Share, perStep(func(c *Counts) uint16 { return c.Looped })},
	}
	for h, horizon := range Horizons {
		list = append(list, Measure{fmt.Sprintf("recovered_%d", horizon), fmt.Sprintf("recovered within %d", horizon),
			Share, perError(func(c *Counts) uint16 { return c.Recovered[h] })})
	}
	for h, horizon := range Horizons {
		list = append(list, Measure{fmt.Sprintf("progressed_%d", horizon), fmt.Sprintf("progress within %d", horizon),
			Share, perError(func(c *Counts) uint16 { return c.Progressed[h] })})
	}
	list = append(list,
		Measure{"distinct_actions", "distinct valid actions", Share,
			perStep(func(c *Counts) uint16 { return c.Actions })},
		Measure{"distinct_observations", "distinct observations", Share,
			perStep(func(c *Counts) uint16 { return c.Observations })},
		Measure{"distinct_2", "distinct-2 of thoughts", Share, func(c *Counts) (float64, float64) {
			return float64(c.Thoughts.Distinct), float64(c.Thoughts.Bigrams)
		}},
		Measure{"compression", "compressed thoughts", Share,
			compression(func(t Thoughts) int32 { return t.Compressed })},
		Measure{"known_2", "known bigrams of thoughts", Share, restricted(knowing, func(c *Counts) (float64, float64) {
			return float64(c.Thoughts.Familiar), float64(c.Thoughts.Bigrams)
		})},
		Measure{"informed_compression", "compressed, knowing others", Share, restricted(knowing,
			compression(func(t Thoughts) int32 { return t.Informed }))},
		Measure{"lost_progress", "ended below the best", Share, func(c *Counts) (float64, float64) {
			return stats.Indicator(c.Lost), 1
		}},
		Measure{"stuck_since", "unsolved: stuck since step", Steps,
			restricted(unsolved, func(c *Counts) (float64, float64) { return float64(c.Stuck), 1 })},
		Measure{"stuck_steps", "unsolved: steps while stuck", Share,
			restricted(unsolved, perStep(func(c *Counts) uint16 { return c.Steps - c.Stuck }))},
	)
	return list
}

// SurvivalSteps are the numbers of steps after which the share of unrecovered errors is reported.
var SurvivalSteps = []int{1, 3, 5, longestSpell}

// Survival counts the errors that are still unrecovered and under observation before each step from 1 on, and those
// that are recovered from at it.
func (c *Counts) Survival() (atRisk, ended []uint16) { return c.Spells.Counts() }

func perStep(count func(*Counts) uint16) func(*Counts) (num, den float64) {
	return func(c *Counts) (float64, float64) { return float64(count(c)), float64(c.Steps) }
}

func perError(count func(*Counts) uint16) func(*Counts) (num, den float64) {
	return func(c *Counts) (float64, float64) { return float64(count(c)), float64(c.Errors()) }
}

// restricted is a measure of the episodes to which it applies.
func restricted(applies func(*Counts) bool, terms func(*Counts) (num, den float64)) func(*Counts) (num, den float64) {
	return func(c *Counts) (float64, float64) {
		if !applies(c) {
			return 0, 0
		}
		return terms(c)
	}
}

func unsolved(c *Counts) bool { return !c.Solved }

// knowing reports whether thoughts to compare with are known.
func knowing(c *Counts) bool { return c.Thoughts.Informed != 0 }

// compression is at most 1: short thoughts that grow count as not compressed.
func compression(size func(Thoughts) int32) func(*Counts) (num, den float64) {
	return func(c *Counts) (float64, float64) {
		return float64(min(size(c.Thoughts), c.Thoughts.Bytes)), float64(c.Thoughts.Bytes)
	}
}

// Unrecovered is the share of errors that are still unrecovered after the given
// number of steps, by the estimator of Kaplan and Meier; it has no Of.
func Unrecovered(steps int) Measure {
	return Measure{Key: fmt.Sprintf("unrecovered_%d", steps), Name: fmt.Sprintf("unrecovered after %d", steps),
		Unit: Share}
}

// LongRuns is the length that nine of ten error runs do not exceed; it has no Of.
func LongRuns() Measure {
	return Measure{Key: "error_run_90", Name: "error run, 90 %", Unit: Steps}
}

// RunsWithin is the share of error runs with at most the given length.
func RunsWithin(length uint16) Measure {
	return Measure{Key: "runs_within", Name: "error runs within", Unit: Share,
		Sums: func(c *Counts) (num, den float64) {
			for _, n := range c.Runs {
				if n <= length {
					num++
				}
			}
			return num, float64(len(c.Runs))
		}}
}
