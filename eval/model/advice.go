package model

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"

	"heldout/envs/datafile"
	"heldout/scoring/record"
)

// CutAdvice says what a server does that cuts prompts, and what helps.
const (
	CutAdvice = "the server cuts prompts: it counts no more tokens in one that continues another; " + cutRemedy
	cutRemedy = "give the context that it serves with --context, or have it serve a longer one (LM Studio sets it when it " +
		"loads the model; Ollama is asked as ollama:NAME, which sets it)"
)

// Adviser knows what helps against symptoms, from the kind of server and how replies are drawn.
type Adviser struct {
	Kind     string
	Decoding record.Decoding
	// Shows says how replies can be seen, for the beginning of a sentence; empty if they are shown.
	Shows string
	// Own: an agent of the user's plays, and asks its model itself.
	Own bool
}

// hot reports whether improbable tokens are drawn as often as the model has them.
func (a Adviser) hot() bool {
	const warm = 0.8
	_, narrow := a.Decoding.Extra["top_k"]
	_, likely := a.Decoding.Extra["min_p"]
	return a.Decoding.Temperature >= warm && a.Decoding.TopP == 1 && !narrow && !likely
}

// ownHint is the place of a hint in an advice, with what stands there without one.
var ownHint = regexp.MustCompile(`\{([a-z]+)\|([^}]*)\}`)

// Advice is what helps against a symptom.
func (a Adviser) Advice(against Symptom) string {
	switch {
	case against == Repetition, against == Rambling, against == LongTail:
		return a.calmer(against)
	case against == InvalidActions && a.Own:
		return "heldout view shows them: an action is sent as it is, so it must be one of those that the instruction has"
	case against == InvalidActions:
		return a.Shows + help().Advice[against]
	}
	return ownHint.ReplaceAllStringFunc(help().Advice[against], func(place string) string {
		found := ownHint.FindStringSubmatch(place)
		hint := help().Kinds[a.Kind][topic(found[1])]
		if hint != "" && topic(found[1]) == onTemplate {
			return " (" + hint + ")"
		}
		return cmp.Or(hint, found[2])
	})
}

// calmer is advice for a model that goes on and on.
func (a Adviser) calmer(against Symptom) string {
	const ample = 256
	switch {
	case against != Repetition && a.Decoding.MaxTokens < ample && a.hot():
		return fmt.Sprintf("a lower --temperature than %v or a larger --max-tokens may help", a.Decoding.Temperature)
	case against != Repetition && a.Decoding.MaxTokens < ample:
		return "give a larger --max-tokens"
	case a.hot() && a.Kind == "": // services refuse the other field
		return fmt.Sprintf("a lower --temperature than %v keeps a small model from rambling", a.Decoding.Temperature)
	case a.hot():
		return fmt.Sprintf("a lower --temperature than %v, or --extra-body '{\"top_k\":20}', keeps a small model from "+
			"rambling", a.Decoding.Temperature)
	case against != Repetition:
		return "give a larger --max-tokens"
	case a.Decoding.Temperature == 0:
		return "give a --temperature such as 0.7: greedy decoding gets into loops"
	}
	return help().Advice[Prose]
}

type topic string

// The topics of checks. Advice names more of them.
const (
	onAddress  topic = "address"  // nothing answers at the address
	onName     topic = "name"     // the server has no model of that name
	onContext  topic = "context"  // the context is short
	onTemplate topic = "template" // the chat template is missing, or is not the model's
	onCache    topic = "cache"    // a prompt in the server's cache gets another reply
	onBatch    topic = "batch"    // replies depend on what else is computed
)

//go:embed hints.yaml
var hintsYAML []byte

// help says what to do: by the kind of server, against a symptom, and against a status of a refusal.
var help = datafile.Embedded[struct {
	Kinds    map[string]map[topic]string
	Advice   map[Symptom]string
	Statuses map[int]string
}](hintsYAML)

// withHint adds a hint to a text, if that kind of server has one.
func withHint(text, kind string, on topic) string {
	if hint := help().Kinds[kind][on]; hint != "" {
		return text + "; " + hint
	}
	return text
}
