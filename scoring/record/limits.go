package record

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"heldout/configs"
)

// The limits of what a manifest says. They are checked before anything is made of it, and before it is written.
const (
	// mostPlanned bounds the trials of all episodes, and the pairs of groups and
	// environments: what is made of a plan takes memory and time for each.
	mostPlanned = 10_000_000
	// maxText is the longest text, in bytes. A name, which tables repeat, has at most maxName.
	maxText = 64 << 10
	maxName = 4 << 10
	// maxNesting is how deep objects and lists are nested: indented, deep ones become large.
	maxNesting = 100
)

// checkNesting reports JSON that is nested too deep, before it is parsed.
func checkNesting(b []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if depth > maxNesting {
			line := 1 + bytes.Count(b[:i], []byte("\n"))
			return fmt.Errorf("line %d: lists or objects are nested more than %d deep", line, maxNesting)
		}
	}
	return nil
}

// checkLimits reports numbers, texts and names beyond their limits.
func (m *Manifest) checkLimits() error {
	if err := m.checkCounts(); err != nil {
		return err
	}
	return checkTexts(reflect.ValueOf(m).Elem(), "", maxText)
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

// checkTexts reports a text in a value that is longer than limit, or the key of a map that is
// longer than a name. The field of an error is relative to the value.
func checkTexts(v reflect.Value, field string, limit int) error {
	switch v.Kind() {
	case reflect.String:
		if v.Len() > limit {
			return tooLong(field, v.String(), limit)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return checkTexts(v.Elem(), field, limit)
		}
	case reflect.Slice:
		return checkItems(v, field, limit)
	case reflect.Map:
		return checkEntries(v, field, limit)
	case reflect.Struct:
		return checkFields(v, field)
	}
	return nil
}

func checkItems(v reflect.Value, field string, limit int) error {
	if v.Type().Elem().Kind() == reflect.Uint8 { // JSON that is read by others
		return nil
	}
	for i := range v.Len() {
		if checkTexts(v.Index(i), field, limit) != nil {
			return checkTexts(v.Index(i), fmt.Sprintf("%s[%d]", field, i), limit)
		}
	}
	return nil
}

func checkEntries(v reflect.Value, field string, limit int) error {
	for entries := v.MapRange(); entries.Next(); {
		if err := checkTexts(entries.Key(), field, maxName); err != nil {
			return err
		}
		if err := checkTexts(entries.Value(), field, limit); err != nil {
			return err
		}
	}
	return nil
}

func checkFields(v reflect.Value, field string) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		limit := maxText
		if names[name] {
			limit = maxName
		}
		if err := checkTexts(v.Field(i), name, limit); err != nil {
			return prefixed(field, err)
		}
	}
	return nil
}

// prefixed puts the name of a field before the field of an error inside.
func prefixed(field string, err error) error {
	if e, ok := err.(*fieldError); ok && field != "" {
		e.field = field + "." + e.field
	}
	return err
}
