package model_test

import (
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]model.Spec{
		"vllm:meta-llama/Meta-Llama-3-8B-Instruct": {Provider: model.VLLM, Name: "meta-llama/Meta-Llama-3-8B-Instruct"},
		"openai:gpt-4o":                {Provider: model.OpenAI, Name: "gpt-4o"},
		"openai:ft:gpt-4o:org::id":     {Provider: model.OpenAI, Name: "ft:gpt-4o:org::id"},
		"vllm:/mnt/f/AI Models/ckpt":   {Provider: model.VLLM, Name: "/mnt/f/AI Models/ckpt"},
		"ollama:llama3:8b":             {Provider: model.Ollama, Name: "llama3:8b"},
		"ollama:hf.co/a/b-GGUF:Q4_K_M": {Provider: model.Ollama, Name: "hf.co/a/b-GGUF:Q4_K_M"},
	} {
		got, err := model.ParseSpec(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("ParseSpec(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                 "has no provider",
		"gpt-4o":           "has no provider: write vllm:NAME, openai:NAME or ollama:NAME",
		"vllm:":            "name is missing",
		"anthropic:claude": `unknown provider "anthropic"`,
		"VLLM:x":           `unknown provider "VLLM"`,
		":x":               `unknown provider ""`,
		"vllm: x":          "begins or ends with a blank",
		"vllm:x\n":         "holds an unprintable character",
		"vllm:\u202ex":     "holds an unprintable character",
		"vllm:\xff":        "not valid UTF-8",
	} {
		_, err := model.ParseSpec(text)
		sharedtest.Fails(t, err, want, text)
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, text := range []string{"vllm:a/b", "openai:ft:x", "ollama:llama3:8b", "x", "vllm:", ":", "ollama:\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := model.ParseSpec(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("error %q is not printable", err)
			}
			return
		}
		sharedtest.Equal(t, spec.String(), text, "ParseSpec() comes back as", spec)
		if _, err := model.Open(model.Options{Spec: spec, Now: time.Now}); err != nil {
			t.Errorf("Open refuses the spec %v: %v", spec, err)
		}
	})
}

// An @ in the path is no user name.
func TestAtInPath(t *testing.T) {
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		c, err := model.Open(model.Options{Spec: spec, BaseURL: "http://127.0.0.1:1/models/@main/v1", Now: time.Now})
		if err != nil || c.URL() != "http://127.0.0.1:1/models/@main/v1" {
			t.Errorf("%v: %v", spec, err)
		}
	}
}

// FuzzBaseURL checks that an address is either refused or leads to one host,
// and that nothing of a password gets into the error.
func FuzzBaseURL(f *testing.F) {
	for _, text := range []string{
		"", "http://localhost:8000/v1/", "https://h/v1", "localhost", "::1", "[::1]:80", "0.0.0.0", ":11434",
		"h:99999", "a\nb", "ftp://h", "http://user:hunter2@h/", "http://h?x=1", "http://h#f", "a b",
		"http://[fe80::1%25en0]/",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			_, err := model.Open(model.Options{Spec: spec, BaseURL: text, Now: time.Now})
			if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("error %q is not printable", err)
			}
			secret := "http://user:hunter2@" + text
			if _, err = model.Open(model.Options{Spec: spec, BaseURL: secret, Now: time.Now}); err == nil {
				t.Errorf("Open takes %q, which holds a password", secret)
			} else if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %q tells the password", err)
			}
			divided := "http://user:hunter2/word@" + text
			if _, err = model.Open(model.Options{Spec: spec, BaseURL: divided, Now: time.Now}); err == nil ||
				strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%q: %v", divided, err)
			}
		}
	})
}
