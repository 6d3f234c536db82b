package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/scoring/record"
)

// tally counts what was compared in a case.
type tally struct {
	configs.Comparison
	differences []string // the requests' first one, and the outcome's
}

// firstOfEach are the first differences, each kind once.
func firstOfEach(differences []string) (out []string) {
	seen := map[string]bool{}
	for _, d := range differences {
		_, what, _ := strings.Cut(d, ": ")
		if !seen[what] && len(out) < 12 {
			seen[what] = true
			out = append(out, d)
		}
	}
	return out
}

// compare plays a case and compares it with its recording. More cases than the first do not read all games anew.
func (f recorded) compare(t *testing.T, folder string, c *goldenCase, first bool) (s tally) {
	t.Helper()
	s.Requests = len(c.requests)
	if c.outcome != nil {
		s.Outcomes = 1
	}
	differ := func(format string, args ...any) {
		s.differences = append(s.differences, c.name()+": "+fmt.Sprintf(format, args...))
	}
	h, err := f.how(t, c)
	if s.Preset = h.preset; h.whole {
		s.Preset, _, _ = strings.Cut(h.preset, ":")
	}
	if err != nil {
		differ("%v", err)
		return s
	}
	if !first {
		h.onlyGame(t)
	}
	p, sent, rec, err := f.play(t, folder, c, h)
	if err != nil {
		differ("it cannot be played: %v", err)
		return s
	}
	if c.about != nil {
		p.Decoding = p.Agent.Reflection.Decoding
	}
	found := false
	for i, want := range c.requests {
		if i >= len(sent.requests) {
			if !found {
				differ("request %d: it is not sent", i+1)
			}
			break
		}
		difference := sameRequest(p, c.paths[i], want, sent.paths[i], sent.requests[i])
		switch {
		case difference == "":
			s.Equal++
		case len(p.UpTo) > 0 && sameRequest(p, c.paths[i], plain(p.UpTo, want), sent.paths[i],
			plain(p.UpTo, sent.requests[i])) == "":
			s.UpTo++
		case !found:
			found = true
			differ("request %d: %s", i+1, difference)
		}
	}
	s.Extra = max(0, len(sent.requests)-len(c.requests))
	if c.outcome == nil {
		return s
	}
	if d := f.sameOutcome(p, c.outcome, rec); d != "" {
		differ("outcome: %s", d)
	} else {
		s.Same++
	}
	return s
}

// sameRequest says in what a request differs from the original's. Fields may be in any order, numbers may be
// written in any way, and one stop string may be a list of one. Names of models and ids of calls do not count. The
// fields that only heldout sends are in addedFields.
func sameRequest(p *configs.Preset, wantPath string, want map[string]any, gotPath string, got map[string]any) string {
	if wantPath != "" && wantPath != gotPath {
		return fmt.Sprintf("it goes to %s instead of %s", gotPath, wantPath)
	}
	want, got = plainBody(want), plainBody(got)
	for _, name := range addedFields(p) {
		if _, has := want[name]; has {
			return name + " is a field of the original too"
		}
		if value, has := got[name]; !has || !asStated(p, name, value) {
			return fmt.Sprintf("%s is %v, which the preset does not say", name, value)
		}
		delete(got, name)
	}
	names := maps.Clone(want)
	maps.Copy(names, got)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, inWant := want[name]
		b, inGot := got[name]
		switch {
		case !inWant:
			return fmt.Sprintf("%s is sent, the original has none: %s", name, short(b))
		case !inGot:
			return fmt.Sprintf("%s is not sent: %s", name, short(a))
		case !reflect.DeepEqual(a, b):
			return name + where(a, b)
		}
	}
	return ""
}

// addedFields are the fields of a body that only heldout sends under a preset. They have the
// preset's values, and stream is false.
func addedFields(p *configs.Preset) []string {
	family, _, _ := strings.Cut(p.Name, "-")
	switch {
	case p.Name == "agentbench-hh-fc":
		return []string{"seed", "stream", "temperature", "top_p", "max_tokens"}
	case family == "tales":
		return []string{"top_p"}
	case p.Name == "agentbench-hh", p.Name == "agentboard", family == "eto",
		family == "reflexion" && p.Decoding.Extra == nil: // else for a reflection
		return []string{"seed", "stream", "top_p"}
	}
	return []string{"seed", "stream"}
}

// plainBody is a body without what does not count.
func plainBody(body map[string]any) map[string]any {
	out := maps.Clone(body)
	delete(out, "model")
	stops := stopsOf(out["stop"])
	if delete(out, "stop"); len(stops) > 0 {
		out["stop"] = stops
	}
	if messages, ok := out["messages"].([]any); ok {
		out["messages"] = withoutIDs(messages)
	}
	return out
}

// withoutIDs are messages without the ids of calls.
func withoutIDs(messages []any) (out []any) {
	for _, m := range messages {
		message := maps.Clone(m.(map[string]any))
		delete(message, "tool_call_id")
		var calls []any
		list, _ := message["tool_calls"].([]any)
		for _, one := range list {
			call := maps.Clone(one.(map[string]any))
			delete(call, "id")
			calls = append(calls, call)
		}
		if calls != nil {
			message["tool_calls"] = calls
		}
		out = append(out, message)
	}
	return out
}

// asStated reports whether a field that only heldout sends has the value of the preset.
func asStated(p *configs.Preset, name string, value any) bool {
	number, isNumber := value.(float64)
	switch name {
	case "stream":
		return value == false
	case "seed":
		return isNumber && number == math.Trunc(number) && (p.Decoding.Seed == 0 || number == float64(p.Decoding.Seed))
	case "temperature":
		return isNumber && number == p.Decoding.Temperature
	case "top_p":
		return isNumber && number == p.Decoding.TopP
	case "max_tokens":
		return isNumber && number == float64(p.Decoding.MaxTokens)
	}
	return false
}

// where says where two values differ first.
func where(want, got any) string {
	switch a := want.(type) {
	case []any:
		b, _ := got.([]any)
		for i := range min(len(a), len(b)) {
			if !reflect.DeepEqual(a[i], b[i]) {
				return fmt.Sprintf("[%d]", i) + where(a[i], b[i])
			}
		}
		return fmt.Sprintf(" has %d elements instead of %d", len(b), len(a))
	case map[string]any:
		b, _ := got.(map[string]any)
		names := maps.Clone(a)
		maps.Copy(names, b)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if _, sent := b[name]; !sent {
				return "." + name + " is not sent"
			}
			if !reflect.DeepEqual(a[name], b[name]) {
				return "." + name + where(a[name], b[name])
			}
		}
	case string:
		if b, ok := got.(string); ok {
			at := 0
			for at < min(len(a), len(b)) && a[at] == b[at] {
				at++
			}
			return fmt.Sprintf(" differs from byte %d: %s instead of %s", at, excerpt(b, at), excerpt(a, at))
		}
	}
	return fmt.Sprintf(" is %s instead of %s", short(got), short(want))
}

// excerpt is the part of a text around a place.
func excerpt(text string, at int) string {
	return fmt.Sprintf("%q", text[max(0, at-20):min(len(text), at+40)])
}

func short(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b[:min(len(b), 80)])
}

// sameOutcome says in what a recorded episode differs from what the original reported. If
// a preset has two definitions of success, the loose one is the original's.
func (f recorded) sameOutcome(p *configs.Preset, want *goldenOutcome, got *record.Episode) string {
	if !got.Outcome.Final() {
		return fmt.Sprintf("there is no result: %s: %.200s", got.Outcome, got.Error)
	}
	success := got.Success
	if p.Metric.Loose != "" {
		success = *got.Loose
	}
	if want.Success != nil && *want.Success != success {
		return fmt.Sprintf("success is %v", success)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	if want.Progress != nil && !near(*want.Progress, got.Progress) {
		return fmt.Sprintf("progress is %v instead of %v", got.Progress, *want.Progress)
	}
	if want.Grounding != nil && !near(*want.Grounding, got.Grounding) {
		return fmt.Sprintf("grounding is %v instead of %v", got.Grounding, *want.Grounding)
	}
	steps := len(got.Trajectory)
	if got.Cut == record.Unreadable {
		steps-- // the original has no step of a reply that ends an episode
	}
	if want.Steps != nil && *want.Steps != steps {
		return fmt.Sprintf("%d steps instead of %d", steps, *want.Steps)
	}
	score := 0.0
	if got.Score != nil {
		score = *got.Score
	}
	if want.NormScore != nil && !near(*want.NormScore, score) {
		return fmt.Sprintf("the score is %v instead of %v", score, *want.NormScore)
	}
	if want.Reward != nil {
		if reward := f.reward(want.Reward); !near(reward, score) {
			return fmt.Sprintf("the score is %v instead of %v", score, reward)
		}
	}
	return ""
}

// reward is the reward of an original from 0 to 1. ETO's None adds nothing to its mean,
// and ScienceWorld's scores in AgentGym are percentages.
func (f recorded) reward(text json.RawMessage) float64 {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return math.NaN()
	}
	switch reward := v.(type) {
	case bool:
		if reward {
			return 1
		}
		return 0
	case float64:
		if f.File == "agentgym-sciworld" {
			return reward / 100
		}
		return reward
	}
	return 0
}
