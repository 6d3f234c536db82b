package record

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"heldout/configs"
)

// The limits of what a manifest says. They are checked before anything is made of it, and before it is written.
const (
	// mostPlanned bounds the trials of all episodes, and the pairs of groups and
	// environments: what is made of a plan takes memory and time for each.
	mostPlanned = 10_000_000
	// maxText is the longest text, in bytes. A name, which tables repeat, has at most maxName.
	maxText    = 64 << 10
	maxName    = 4 << 10
	maxNesting = 100 // how deep objects and lists are nested: indented, deep ones become large
)

// checkNesting reports JSON that is nested too deep, before it is parsed, and says whether it may have texts that are
// longer than a name.
func checkNesting(b []byte) (long bool, err error) {
	depth, quoted, start := 0, false, 0
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted, long, start = !quoted, long || quoted && i-start > maxName, i
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if depth > maxNesting {
			line := 1 + bytes.Count(b[:i], []byte("\n"))
			return long, fmt.Errorf("line %d: lists or objects are nested more than %d deep", line, maxNesting)
		}
	}
	return long, nil
}

// checkLimits reports numbers, texts and names beyond their limits in a manifest, which is b in JSON; long: b may have
// texts that are longer than a name.
func (m *Manifest) checkLimits(b []byte, long bool) error {
	if err := m.checkCounts(); err != nil || !long {
		return err
	}
	return checkTexts(b)
}

func (m *Manifest) checkCounts() error {
	if s := m.Shard; s != nil {
		if err := checkRange("shard.count", s.Count, 1, mostShards); err != nil {
			return err
		}
		if err := checkRange("shard.index", s.Index, 1, s.Count); err != nil {
			return err
		}
	}
	if err := checkRange("groups", len(m.Groups), 0, mostPlanned/max(1, len(m.Environments))); err != nil {
		return err
	}
	trials := 0
	for i := range m.Groups {
		c := &m.Groups[i].Condition
		field := fmt.Sprintf("groups[%d].condition.", i)
		if err := checkRange(field+"step_limit", c.StepLimit, 0, MaxSteps); err != nil {
			return err
		}
		if err := checkRange(field+"trials.most", c.MostTrials(), 1, configs.MaxTrials); err != nil {
			return err
		}
		if n := len(c.Perturbation); n > configs.MaxRuleLength {
			return tooLong(field+"perturbation", c.Perturbation, configs.MaxRuleLength)
		}
		trials += len(m.Groups[i].Episodes) * c.MostTrials()
	}
	return checkRange("groups: the number of trials of all episodes", trials, 0, mostPlanned)
}

func checkRange(field string, n, low, high int) error {
	if n >= low && n <= high {
		return nil
	}
	return &fieldError{field, "", fmt.Sprintf("%d is out of the limits, %d to %d", n, low, high)}
}

func tooLong(field, text string, limit int) error {
	return &fieldError{field, "", fmt.Sprintf("%.40q… has %d bytes, the limit is %d", text, len(text), limit)}
}

// names are the fields, and the lists of a field, whose texts tables repeat.
var names = map[string]bool{"name": true, "title": true, "names": true, "env": true, "model": true, "models": true,
	"agent": true, "type": true, "id": true, "difficulty": true, "source": true, "perturbation": true,
	"instead": true, "protocol": true, "episodes": true, "family": true, "anchors": true, "suite": true}

// checkTexts reports a text of a manifest that is longer than its limit, or a key that is longer than a name. The
// definitions of protocols are read by others.
func checkTexts(b []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := d.ReadToken()
		if err != nil { // the end: all of it was parsed before
			return nil
		}
		if token.Kind() != '"' {
			continue
		}
		text, path, limit := token.String(), slices.Collect(d.StackPointer().Tokens()), maxText
		object, n := d.StackIndex(d.StackDepth())
		switch {
		case slices.Contains(path, "definition"):
			continue
		case object == '{' && n%2 == 1: // a key
			limit, path = maxName, path[:len(path)-1]
		case slices.ContainsFunc(path, func(field string) bool { return names[field] }):
			limit = maxName
		}
		if len(text) > limit {
			field := index.ReplaceAllString(strings.Join(path, "."), "[$1]")
			return tooLong(field, text, limit)
		}
	}
}

// index is the number of an item of a list in a path of fields.
var index = regexp.MustCompile(`\.(\d+)\b`)
