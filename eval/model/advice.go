package model

import (
	"cmp"
	_ "embed"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v4"

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

// Advice is what helps against a symptom.
func (a Adviser) Advice(against Symptom) string {
	own := hints()[a.Kind]
	switch against {
	case Filtered:
		return "check the server's content filter"
	case ToolTalk:
		return cmp.Or(own[onTools], "start the server without automatic tool calls, or check its tool parser")
	case Silence:
		return "check the server's reasoning parser and " + a.template()
	case PureReasoning:
		return cmp.Or(own[onParser], longer+", which reasoning counts towards") + ", or " + a.lessReasoning()
	case LongReasoning:
		return longer + ", or " + a.lessReasoning()
	case Echo:
		return "try --prompt v3, whose correction is not an observation"
	case Repetition, Rambling, LongTail:
		return a.calmer(against)
	case Invention:
		return "what it adds is left out; if it does not know where its turn ends, check " + a.template()
	case BareAction:
		return "play it with --agent act, which takes the whole reply for an action"
	case Prose:
		return onFormat
	case EndTokens:
		return cmp.Or(own[onEnds], endsInConfiguration)
	case MixedReasoning:
		return cmp.Or(own[onParser], "start the server with the model's reasoning parser")
	}
	return a.further(against)
}

// template says what to check if the chat template may be the cause.
func (a Adviser) template() string {
	text := "its chat template"
	if hint := hints()[a.Kind][onTemplate]; hint != "" {
		text += " (" + hint + ")"
	}
	return text
}

// further is Advice against what concerns all replies.
func (a Adviser) further(against Symptom) string {
	if a.Own && against == InvalidActions {
		return "heldout view shows them: an action is sent as it is, so it must be one of those that the instruction has"
	}
	switch against {
	case InvalidActions:
		return a.Shows + "a tuned model may have learned other commands than the prompt's"
	case SeedsIgnored:
		return "check that the server lets temperature and seed of a request stand: seeds would measure no spread"
	case CacheSensitive:
		return cmp.Or(hints()[a.Kind][onCache], "switch the server's prompt cache off")
	}
	return ""
}

const (
	longer = "give a larger --max-tokens"
	// endsInConfiguration is where the tokens are that end a turn.
	endsInConfiguration = "check the chat template, and eos_token_id in the model's generation_config.json"
	onFormat            = "tune the model on the format, or try another --agent or --prompt"
)

func (a Adviser) lessReasoning() string {
	return cmp.Or(hints()[a.Kind][onThinking], "switch the model's reasoning off with --extra-body")
}

// calmer is advice for a model that goes on and on.
func (a Adviser) calmer(against Symptom) string {
	const ample = 256
	switch {
	case against != Repetition && a.Decoding.MaxTokens < ample && a.hot():
		return fmt.Sprintf("a lower --temperature than %v or a larger --max-tokens may help", a.Decoding.Temperature)
	case against != Repetition && a.Decoding.MaxTokens < ample:
		return longer
	case a.hot() && a.Kind == "": // services refuse the other field
		return fmt.Sprintf("a lower --temperature than %v keeps a small model from rambling", a.Decoding.Temperature)
	case a.hot():
		return fmt.Sprintf("a lower --temperature than %v, or --extra-body '{\"top_k\":20}', keeps a small model from "+
			"rambling", a.Decoding.Temperature)
	case against != Repetition:
		return longer
	case a.Decoding.Temperature == 0:
		return "give a --temperature such as 0.7: greedy decoding gets into loops"
	}
	return onFormat
}

type topic string

// The topics.
const (
	onAddress  topic = "address"  // nothing answers at the address
	onName     topic = "name"     // the server has no model of that name
	onContext  topic = "context"  // the context is short
	onTemplate topic = "template" // the chat template is missing, or is not the model's
	onParser   topic = "parser"   // reasoning is left in the text
	onThinking topic = "thinking" // there is too much reasoning
	onEnds     topic = "ends"     // the reply goes on after the end of its turn
	onCache    topic = "cache"    // a prompt in the server's cache gets another reply
	onTools    topic = "tools"    // calls of tools take the place of the reply
	onBatch    topic = "batch"    // replies depend on what else is computed
)

//go:embed hints.yaml
var hintsYAML []byte

// hints say what to do, by the kind of server.
var hints = sync.OnceValue(func() (all map[string]map[topic]string) {
	if err := yaml.Unmarshal(hintsYAML, &all); err != nil {
		panic(err) // the tests read it
	}
	return all
})

// withHint adds a hint to a text, if that kind of server has one.
func withHint(text, kind string, on topic) string {
	if hint := hints()[kind][on]; hint != "" {
		return text + "; " + hint
	}
	return text
}
