package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"heldout/envs/datafile"
	"heldout/scoring/record"
)

// modelCard is one entry of /models. Below OwnedBy are fields of vLLM and llama.cpp; other servers leave them out.
type modelCard struct {
	ID          string `json:"id"`
	OwnedBy     string `json:"owned_by"`
	Root        string `json:"root"`
	Parent      string `json:"parent"`
	MaxModelLen count  `json:"max_model_len"`
	// Services call the same so: OpenRouter and Together, Groq, Mistral.
	ContextLength    count    `json:"context_length"`
	ContextWindow    count    `json:"context_window"`
	MaxContextLength count    `json:"max_context_length"`
	LoadedContext    count    `json:"loaded_context_length"` // LM Studio, beside the longest that it could load
	Aliases          []string `json:"aliases"`
	Meta             struct {
		// Context is the context of one slot, which is what a call can have.
		Context        count `json:"n_ctx"`
		ContextTrained count `json:"n_ctx_train"`
		// Parameters, Size in bytes and Type of the weights are what llama.cpp tells of them.
		Parameters int64  `json:"n_params"`
		Size       int64  `json:"size"`
		Type       string `json:"ftype"`
	} `json:"meta"`
}

// size describes the weights by what llama.cpp tells of them; empty if it tells nothing.
func (c modelCard) size() string {
	var parts []string
	if n := c.Meta.Parameters; n > 0 {
		parts = append(parts, fmt.Sprintf("%d parameters", n))
	}
	if n := c.Meta.Size; n > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes", n))
	}
	if c.Meta.Type != "" {
		parts = append(parts, c.Meta.Type)
	}
	return strings.Join(parts, ", ")
}

// contextLength is the model's context in tokens, 0 when it is not told.
func (c modelCard) contextLength() int {
	return int(cmp.Or(c.MaxModelLen, c.LoadedContext, c.ContextLength, c.ContextWindow, c.MaxContextLength,
		c.Meta.Context, c.Meta.ContextTrained))
}

// parentOf is the card of the model that an adapter is for.
func parentOf(adapter modelCard, cards []modelCard) modelCard {
	for _, card := range cards {
		if card.ID != "" && card.ID == adapter.Parent {
			return card
		}
	}
	return modelCard{}
}

// Server asks for the models, and what servers of some kinds tell besides.
func (o *openAI) Server(ctx context.Context) (record.ServerReport, error) {
	var list struct {
		Data []modelCard `json:"data"`
	}
	var answer json.RawMessage
	header, err := o.about().get(ctx, unlessAbsent, o.list, &answer)
	_ = readJSON(answer, &list)      // an object, or
	_ = readJSON(answer, &list.Data) // the list alone, as Together sends it
	// Services may want another kind of key for the list alone. Whether ours is good shows at the first call.
	refusesList := o.spec.Provider == OpenAI && o.key.Reveal() != "" && errors.As(err, new(*RequestError))
	if err != nil && !missing(err) && !refusesList {
		return record.ServerReport{}, err
	}

	s := record.ServerReport{Software: softwareOf(header, list.Data)}
	for _, card := range list.Data {
		if card.ID == "" {
			continue
		}
		s.Models = append(s.Models, clean(card.ID, o.key))
		if o.names(card) {
			s.Present = true
			s.Root, s.Parent = clean(card.Root, o.key), clean(card.Parent, o.key)
			s.Size = clean(card.size(), o.key)
			s.ContextLength = cmp.Or(card.contextLength(), parentOf(card, list.Data).contextLength())
		}
	}
	switch {
	case s.Software == llamaCpp:
		o.askLlamaCpp(ctx, &s)
	case s.Software == vLLM, o.spec.Provider == VLLM:
		o.askVLLM(ctx, &s)
	}
	o.reported.Store(&s)
	o.siblings.Store(new(o.alternatives(list.Data)))
	return s, nil
}

// alternatives are the names of the models that are listed beside ours. Equal roots are one model: vLLM lists
// it once for each of its names, and answers with the first.
func (o *openAI) alternatives(cards []modelCard) (names []string) {
	roots := map[string]bool{}
	for _, card := range cards {
		roots[card.Root] = roots[card.Root] || card.Root != "" && o.names(card)
	}
	for _, card := range cards {
		if !roots[card.Root] && !o.names(card) {
			names = append(names, clean(card.ID, o.key))
		}
	}
	return names
}

// names reports whether a card is our model's, also as Google and Ollama write names.
func (o *openAI) names(card modelCard) bool {
	name := o.spec.Name
	return slices.Contains([]string{name, "models/" + name, name + ":latest"}, card.ID) ||
		slices.Contains(card.Aliases, name)
}

// missing reports whether an error says that there is no such endpoint.
func missing(err error) bool {
	refused, ok := errors.AsType[*RequestError](err)
	return ok && (refused.Status == http.StatusNotFound || refused.Status == http.StatusMethodNotAllowed)
}

// owners are the servers by what they say who owns their models.
var owners = map[string]string{"vllm": vLLM, "sglang": sgLang, "llamacpp": llamaCpp}

// softwareOf tells a server by what it lets slip, "" when that is nothing.
func softwareOf(header http.Header, cards []modelCard) string {
	if strings.HasPrefix(header.Get("Server"), llamaCpp) {
		return llamaCpp
	}
	for _, card := range cards {
		if owner := owners[card.OwnedBy]; owner != "" {
			return owner
		}
	}
	return ""
}

// askVLLM adds what vLLM tells beside the OpenAI protocol.
func (o *openAI) askVLLM(ctx context.Context, s *record.ServerReport) {
	var about struct {
		Version string `json:"version"`
	}
	if o.getSibling(ctx, "/version", &about) && about.Version != "" {
		s.Software, s.Version = vLLM, clean(about.Version, o.key)
	}
}

// askLlamaCpp adds what llama.cpp tells beside the OpenAI protocol. Old versions
// tell the context of a slot only here.
func (o *openAI) askLlamaCpp(ctx context.Context, s *record.ServerReport) {
	var props struct {
		Build    string `json:"build_info"`
		Template string `json:"chat_template"`
		Path     string `json:"model_path"`
		Defaults struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if !o.getSibling(ctx, "/props", &props) {
		return
	}
	s.Version, s.Template = clean(props.Build, o.key), templateHash(props.Template)
	if s.Present && s.Root == "" {
		s.Root = clean(props.Path, o.key)
	}
	if props.Defaults.Context > 0 {
		s.ContextLength = props.Defaults.Context
	}
}

// templateHash identifies a chat template; empty if there is none.
func templateHash(text string) string {
	if text == "" {
		return ""
	}
	return datafile.Hash(text)[:16]
}

// getSibling fetches a document from beside /v1, and reports whether it is there.
func (o *openAI) getSibling(ctx context.Context, path string, into any) bool {
	_, err := o.about().get(ctx, never, strings.TrimSuffix(o.base, "/v1")+path+o.query, into)
	return err == nil
}
