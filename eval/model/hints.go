package model

import (
	_ "embed"
	"sync"

	"go.yaml.in/yaml/v4"
)

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
