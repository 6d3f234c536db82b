package agentboard

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/envs/datafile"
)

// The limits of what is read.
const (
	maxFile     = 1 << 30 // bytes
	maxEpisodes = 10_000  // of a file
	maxNumber   = 1 << 20 // of a task
	maxLine     = 1 << 20 // bytes
	maxLimit    = 1 << 16 // steps
)

// parseLog reads JSON values one after the other, whether or not each is a line.
func parseLog(name string, b []byte) (out []episode, err error) {
	err = datafile.EachValue(name, b, func(value []byte) error {
		e := episode{ID: -1, Progress: -1, Grounding: -1}
		if err := datafile.Unmarshal(value, &e, datafile.Lenient); err != nil {
			return fmt.Errorf("episode %d of the file: %w", len(out)+1, err)
		}
		out = append(out, e)
		return tooFew(out)
	})
	return out, err
}

func tooFew(episodes []episode) error {
	if len(episodes) > maxEpisodes {
		return fmt.Errorf("there are more than %d episodes", maxEpisodes)
	}
	return nil
}

// The form of a line of TASK.txt, and of a rise in it. Older logs have shorter names.
var (
	lineForm = regexp.MustCompile(`^\[EXP\] (\d{1,7}): \[(?:sr|success_rate)\]: ([\w.]+), ` +
		`\[(?:score|progress_rate)\]: ([\w.+-]+), \[grounding_acc\]: ([\w.+-]+), \[score_state\]: \[(.*)\]\s*$`)
	riseForm = regexp.MustCompile(`^\('?(\d{1,7})'?, ([\d.eE+-]+)\)$`)
)

// parseLines reads a line for each episode.
func parseLines(name string, b []byte) (out []episode, err error) {
	err = datafile.EachLine(name, bytes.NewReader(b), maxLine, func(_ int, line []byte) error {
		e, err := parseLine(string(line))
		if err != nil {
			return err
		}
		out = append(out, e)
		return tooFew(out)
	})
	return out, err
}

func parseLine(line string) (e episode, err error) {
	parts := lineForm.FindStringSubmatch(line)
	if parts == nil {
		return e, fmt.Errorf("%.60q is not an episode: want [EXP] number: [success_rate]: …", line)
	}
	var errs [4]error
	e.ID, errs[0] = strconv.Atoi(parts[1])
	errs[1] = e.Done.parse(parts[2])
	e.Progress, errs[2] = strconv.ParseFloat(parts[3], 64)
	e.Grounding, errs[3] = strconv.ParseFloat(parts[4], 64)
	if err := cmp.Or(errs[:]...); err != nil {
		return e, datafile.Plain(err)
	}
	for pair := range strings.SplitSeq(parts[5], "), ") {
		if pair = strings.TrimSuffix(pair, ")"); pair == "" {
			continue
		}
		numbers := riseForm.FindStringSubmatch(pair + ")")
		if numbers == nil {
			return e, fmt.Errorf("[score_state]: %.40q is not a step and the progress after it", pair)
		}
		var c rise
		if err := c.parse(numbers[1], numbers[2]); err != nil {
			return e, datafile.Plain(err)
		}
		e.Changes = append(e.Changes, c)
	}
	return e, nil
}

// check reports episodes that AgentBoard would not write, and sorts the others.
func check(episodes []episode) error {
	slices.SortStableFunc(episodes, func(a, b episode) int { return cmp.Compare(a.ID, b.ID) })
	for i, e := range episodes {
		d := envs.Difficulty(e.Difficulty)
		switch {
		case e.ID < 0 || e.ID > maxNumber:
			return fmt.Errorf("id: %d is outside of 0 to %d, or missing", e.ID, maxNumber)
		case i > 0 && episodes[i-1].ID == e.ID:
			return fmt.Errorf("episode %d is there twice", e.ID)
		case !(e.Progress >= 0 && e.Progress <= 1):
			return fmt.Errorf("episode %d: progress %v is outside of 0 to 1, or missing", e.ID, e.Progress)
		case !(e.Grounding >= 0 && e.Grounding <= 1):
			return fmt.Errorf("episode %d: grounding_acc %v is outside of 0 to 1, or missing", e.ID, e.Grounding)
		case d != "" && d.Check() != nil:
			return fmt.Errorf("episode %d: %w", e.ID, d.Check())
		case e.steps() >= maxLimit:
			return fmt.Errorf("episode %d has %d steps", e.ID, e.steps())
		}
		for _, c := range e.Changes {
			if c.step < 0 || c.step >= maxLimit || !(c.progress >= 0 && c.progress <= 1) {
				return fmt.Errorf("episode %d: progress %v at step %d", e.ID, c.progress, c.step)
			}
		}
	}
	return nil
}
