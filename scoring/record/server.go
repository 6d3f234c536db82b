package record

// Server is what a model server reports about itself and the model. Values that
// it does not report are left empty. It is part of a run's manifest.
type Server struct {
	// Software is "vllm", "sglang", "llama.cpp" or "ollama".
	Software string `json:"software,omitempty"`
	Version  string `json:"version,omitempty"`
	// Models are the names that the server lists, in its order.
	Models []string `json:"models,omitempty"`
	// Present reports that the model in use is one of them.
	Present bool `json:"present"`
	// ContextLength is the model's context in tokens; 0 is unknown.
	ContextLength int `json:"context_length,omitempty"`
	// Root is the path or name that the model was loaded from, Parent the model
	// that it is derived from.
	Root   string `json:"root,omitempty"`
	Parent string `json:"parent,omitempty"`
	// Digest identifies the exact weights, where the server has one.
	Digest string `json:"digest,omitempty"`
}
