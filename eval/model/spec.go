package model

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"heldout/envs/spelling"
)

// Provider is a kind of model server.
type Provider string

// The providers. VLLM and OpenAI speak the same protocol and differ in their default address.
const (
	VLLM   Provider = "vllm"
	OpenAI Provider = "openai"
	Ollama Provider = "ollama"
)

// Spec names a model and the kind of server that has it.
type Spec struct {
	Provider Provider
	// Name is what the server calls the model. It may hold colons and slashes.
	Name string
}

// String returns the form that ParseSpec reads, such as "ollama:llama3:8b".
func (s Spec) String() string { return string(s.Provider) + ":" + s.Name }

// ParseSpec reads PROVIDER:NAME. Everything after the first colon is the name.
func ParseSpec(text string) (Spec, error) {
	provider, name, found := strings.Cut(text, ":")
	if wording("several-models").MatchString(text) || !found && strings.Contains(text, ",") {
		return Spec{}, fmt.Errorf("model %q is several: repeat --model for each, as in --model vllm:A --model vllm:B, or "+
			"write a list in a file", text)
	}
	if !found {
		return Spec{}, fmt.Errorf("model %q has no provider: write vllm:NAME, openai:NAME or ollama:NAME%s", text,
			spelling.Hint(text, []string{"expert", "expert-errs", "random"}))
	}
	s := Spec{Provider: Provider(provider), Name: name}
	if err := s.validate(); err != nil {
		return Spec{}, err
	}
	return s, nil
}

func (s Spec) validate() error {
	switch s.Provider {
	case VLLM, OpenAI, Ollama:
	default:
		return fmt.Errorf("model %q: unknown provider %q%s: use vllm, openai or ollama", s.String(), string(s.Provider),
			spelling.Hint(string(s.Provider), []string{string(VLLM), string(OpenAI), string(Ollama)}))
	}
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	switch {
	case s.Name == "":
		return fmt.Errorf("model %q: the name is missing after the colon", s.String())
	case !utf8.ValidString(s.Name):
		return fmt.Errorf("model %q: the name is not valid UTF-8", s.String())
	case s.Name != strings.TrimSpace(s.Name) || strings.ContainsFunc(s.Name, unprintable):
		return fmt.Errorf("model %q: the name begins or ends with a blank, or holds an unprintable character: have the "+
			"server use another one (vLLM and SGLang: --served-model-name NAME; llama-server: --alias NAME)", s.String())
	}
	return nil
}
