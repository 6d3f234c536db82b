package record

import (
	"cmp"
	"fmt"
)

// ServerReport is what a model server reports about itself and the model. Values that
// it does not report are left empty. It is part of a run's manifest.
type ServerReport struct {
	// Software is "vllm", "sglang", "llama.cpp" or "ollama".
	Software string `json:"software,omitempty"`
	Version  string `json:"version,omitempty"`
	// Models are the names that the server lists, in its order.
	Models []string `json:"models,omitempty"`
	// Present reports that the model in use is one of them.
	Present bool `json:"present"`
	// ContextLength is the model's context in tokens; 0 is unknown.
	ContextLength int `json:"context_length,omitempty"`
	// Root is the path or name that the model was loaded from, Parent the model that it is derived from.
	Root string `json:"root,omitempty"`
	// Roots are the roots of all servers, if the user says that they hold the same weights; nil otherwise.
	Roots  []string `json:"roots,omitempty"`
	Parent string   `json:"parent,omitempty"`
	// Size describes the weights where the server has no digest, such as "494032768 parameters,
	// 531067904 bytes, Q8_0".
	Size string `json:"size,omitempty"`
	// Digest identifies the exact weights, where the server has one.
	Digest string `json:"digest,omitempty"`
	// Template is the hash of the chat template, where the server says it.
	Template string `json:"template,omitempty"`
}

// Identity identifies the weights: by their digest, or by where they were loaded from; empty if neither is known.
func (s ServerReport) Identity() string { return cmp.Or(s.Digest, s.Root) }

// Program is the server's software with its version; empty if either is not known.
func (s ServerReport) Program() string {
	if s.Software == "" || s.Version == "" {
		return ""
	}
	return s.Software + " " + s.Version
}

// Changes lists what a server's model has become since another report of it, if both say so: each with both values.
// A model whose weights changed is another model under the same name.
func Changes(old, now ServerReport) (changes []string) {
	for _, of := range []struct{ label, old, now string }{
		{"digest", old.Digest, now.Digest}, {"root", old.Root, now.Root},
		{"size", old.Size, now.Size},
	} {
		if of.label == "root" && now.Roots != nil {
			continue
		}
		if of.old != "" && of.now != "" && of.old != of.now {
			changes = append(changes, fmt.Sprintf("%s %s, now %s", of.label, of.old, of.now))
		}
	}
	if old.ContextLength > 0 && now.ContextLength > 0 && old.ContextLength != now.ContextLength {
		changes = append(changes, fmt.Sprintf("context %d tokens, now %d", old.ContextLength, now.ContextLength))
	}
	return changes
}
