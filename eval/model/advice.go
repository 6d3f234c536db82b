package model

import (
	"cmp"
	"fmt"
)

// Advice is what helps against a symptom.
func (s Setting) Advice(against Symptom) string {
	own := hints[s.Kind]
	switch against {
	case Filtered:
		return "check the server's content filter"
	case ToolTalk:
		return cmp.Or(own[onTools], "start the server without automatic tool calls, or check its tool parser")
	case Silence:
		return cmp.Or(own[onTemplate], "check the server's chat template and reasoning parser")
	case PureReasoning:
		return cmp.Or(own[onParser], longer+", which reasoning counts towards") + ", or " + s.lessReasoning()
	case LongReasoning:
		return longer + ", or " + s.lessReasoning()
	case Repetition, Rambling:
		return s.calmer(against)
	case LongTail:
		return longer
	case Invention:
		return "check the chat template, and play a base model with --completions"
	case Prose:
		return onFormat
	case EndTokens:
		return cmp.Or(own[onEnds], endsInConfiguration)
	case MixedReasoning:
		return cmp.Or(own[onParser], "start the server with the model's reasoning parser")
	}
	return s.further(against)
}

// further is Advice against what concerns all replies.
func (s Setting) further(against Symptom) string {
	switch against {
	case InvalidActions:
		return "heldout doctor --show prints them: a tuned model may have learned other commands than the prompt's"
	case SeedsIgnored:
		return "check that the server lets temperature and seed of a request stand: seeds would measure no spread"
	case CacheSensitive:
		return cmp.Or(hints[s.Kind][onCache], "switch the server's prompt cache off")
	}
	return ""
}

const (
	longer   = "give a larger --max-tokens"
	onFormat = "tune the model on the format, or try another --agent or --prompt"
)

func (s Setting) lessReasoning() string {
	return cmp.Or(hints[s.Kind][onThinking], "switch the model's reasoning off with --extra-body")
}

// calmer is advice for a model that goes on and on.
func (s Setting) calmer(against Symptom) string {
	const ample = 256
	switch {
	case against == Rambling && s.Decoding.MaxTokens < ample:
		return longer
	case s.hot() && s.Kind == "": // services refuse the other field
		return fmt.Sprintf("a lower --temperature than %v keeps a small model from rambling", s.Decoding.Temperature)
	case s.hot():
		return fmt.Sprintf("a lower --temperature than %v, or --extra-body '{\"top_k\":20}', keeps a small model from "+
			"rambling", s.Decoding.Temperature)
	case against == Rambling:
		return longer
	case s.Decoding.Temperature == 0:
		return "give a --temperature such as 0.7: greedy decoding gets into loops"
	}
	return onFormat
}
