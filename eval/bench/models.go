package bench

import (
	"fmt"
	"slices"

	"heldout/configs"
	"heldout/eval"
	"heldout/eval/model"
	"heldout/eval/record"
)

// The longest replies of the agents, in tokens. AgentBoard lets open models
// write 100; a thought needs more.
const (
	reactMaxTokens = 512
	actMaxTokens   = 100
)

// decoding says how replies are sampled.
func decoding(r configs.Run) record.Decoding {
	d := record.Decoding{Temperature: r.Temperature, TopP: r.TopP, MaxTokens: r.MaxTokens, Extra: r.ExtraBody}
	if d.MaxTokens == 0 && r.Agent == eval.Act {
		d.MaxTokens = actMaxTokens
	} else if d.MaxTokens == 0 {
		d.MaxTokens = reactMaxTokens
	}
	switch {
	case r.Stop != nil:
		d.Stop = slices.DeleteFunc(slices.Clone([]string(r.Stop)), func(s string) bool { return s == "" })
	case r.Agent == eval.React:
		d.Stop = []string{"\nObservation:"}
	}
	if len(d.Stop) == 0 {
		d.Stop = nil
	}
	return d
}

// OpenAIKey is the variable that holds the key for OpenAI's own address.
const OpenAIKey = "OPENAI_API_KEY"

// openModel prepares to ask a served model.
func openModel(out Outside, r configs.Run, name string) (*model.Client, error) {
	spec, err := model.ParseSpec(name)
	if err != nil {
		return nil, err
	}
	o := model.Options{
		Spec: spec, BaseURL: r.BaseURL, ContextLimit: r.Context, Timeout: r.Timeout,
		Retry:       model.Retry{Attempts: r.Retries + 1},
		Concurrency: r.Concurrency, Now: out.Now, Proxy: out.Proxy, UserAgent: out.userAgent(),
		Tell: func(line string) { out.Warn(name + ": " + line) },
	}
	if spec.Provider == model.Ollama && o.BaseURL == "" {
		o.BaseURL = out.Getenv("OLLAMA_HOST")
	}
	if r.APIKeyEnv == "" && spec.Provider == model.OpenAI && r.BaseURL == "" {
		o.Key = model.NewSecret(out.Getenv(OpenAIKey))
	}
	if r.APIKeyEnv != "" {
		key := out.Getenv(r.APIKeyEnv)
		if key == "" {
			return nil, fmt.Errorf("the environment variable %s, which --api-key-env names, is not set", r.APIKeyEnv)
		}
		o.Key = model.NewSecret(key)
	}
	return model.Open(o)
}
