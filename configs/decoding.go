package configs

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Decoding says how replies are sampled. Its options are declared in Options; a number
// that is left out of JSON at 0 is sent only if it is another. Every other field is sent
// with every call, zero or not: a server's own defaults never decide what is measured.
//
// For the same reason, further fields are sent at their neutral values:
//
//   - To vLLM and SGLang: top_k -1, min_p 0, repetition_penalty 1,
//     presence_penalty 0 and frequency_penalty 0. Otherwise they would come from
//     the model's generation_config.json.
//   - To llama.cpp: top_k 0, min_p 0, typical_p 1, repeat_penalty 1,
//     presence_penalty 0, frequency_penalty 0, and what turns its rarer samplers
//     off. Its own default is a top_k of 40 and a min_p of 0.05; the command line
//     and the model file can set all of them.
//   - To Ollama: top_k 0, min_p 0, typical_p 1, repeat_penalty 1,
//     presence_penalty 0 and frequency_penalty 0. Its own default is a top_k of 40
//     and a repeat_penalty of 1.1, which changes what even temperature 0 gives.
//   - To others: nothing. OpenAI's protocol has only two of these fields, the
//     penalties, which are 0 unless set. OpenAI's reasoning models refuse
//     requests with them.
//
// The provider vllm stands for vLLM unless Client.Server finds another of these servers; the provider openai stands
// for others until it finds one. The server decides in which order it applies top_p and the temperature.
//
// In a run, MaxTokens 0 and Stop nil stand for the agent's own.
type Decoding struct {
	// Temperature 0 is greedy decoding.
	Temperature float64 `yaml:"temperature" json:"temperature"`
	// TopP 1 keeps all tokens.
	TopP      float64 `yaml:"top-p" json:"top_p"`
	MaxTokens int     `yaml:"max-tokens" json:"max_tokens"` // the largest length of a reply, at least 1
	// Stop holds the strings that end a reply; they are not part of it. Servers look for them in the reasoning too
	// and would end the reply there, so they are no longer sent once a model has shown reasoning: heldout then cuts
	// the received reply, not the reasoning. Ollama also gets the stop strings of the model's own file, which these
	// would otherwise replace.
	Stop Strings `yaml:"stop" json:"stop,omitempty"`
	// Extra holds further fields of the request body, such as top_k or repetition_penalty. For Ollama they are
	// fields of its "options", where it ignores what it does not know; only think lies beside them. A field here
	// overrides the same field from above, by its name on the wire; null removes that field, for a server that
	// refuses it. The fields model, messages and stream are not allowed.
	Extra map[string]any `yaml:"extra-body" json:"extra,omitempty"`
	// OnlyVLLM are the names of those fields of Extra that no other server gets.
	OnlyVLLM []string `yaml:"-" json:"-"`
}

// promptTokensField is vLLM's field for the length in tokens to which it cuts a longer prompt, from the left if
// truncation_side says so. Other servers have no such field, and some refuse what they do not know.
const promptTokensField = "truncate_prompt_tokens"

// LimitCuts keeps the fields by which a preset has vLLM cut prompts from other servers. A field that the user gives is
// sent to any server.
func (d *Decoding) LimitCuts(preset Decoding) {
	for _, name := range []string{promptTokensField, "truncation_side"} {
		if value, ok := preset.Extra[name]; ok && reflect.DeepEqual(d.Extra[name], value) {
			d.OnlyVLLM = append(d.OnlyVLLM, name)
		}
	}
}

// PromptTokens is that length, 0 if prompts are sent whole.
func (d Decoding) PromptTokens() int {
	switch n := d.Extra[promptTokensField].(type) {
	case int:
		return n
	case float64: // as JSON has it
		return int(n)
	}
	return 0
}

// The longest replies of the agents, in tokens. AgentBoard lets open models write 100; a thought needs more.
const (
	reactMaxTokens = 512
	actMaxTokens   = 100
)

// AgentDecoding is the decoding of a run with what its agent has where the run says nothing:
// the longest reply and the stop strings.
func (r Run) AgentDecoding() Decoding {
	d := r.Decoding
	if d.MaxTokens == 0 && r.Agent == Act {
		d.MaxTokens = actMaxTokens
	} else if d.MaxTokens == 0 {
		d.MaxTokens = reactMaxTokens
	}
	switch {
	case r.Stop != nil:
		d.Stop = slices.DeleteFunc(slices.Clone(r.Stop), func(s string) bool { return s == "" })
	case r.Agent == React:
		d.Stop = []string{"\nObservation:"}
	}
	if len(d.Stop) == 0 {
		d.Stop = nil
	}
	return d
}

// Number is a number that says how tokens are drawn.
type Number struct {
	Option
	Field string // its name in requests and records
	Value any
}

// drawn is a field of Decoding that says how tokens are drawn.
type drawn struct {
	Number      // without its value
	index  int  // of the field
	absent bool // at 0
}

var drawnFields = sync.OnceValue(func() (list []drawn) {
	t := reflect.TypeFor[Decoding]()
	for i := range t.NumField() {
		field, omit, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if o, _ := FindOption(t.Field(i).Tag.Get("yaml")); o.Group == Sampling {
			list = append(list, drawn{Number{Option: o, Field: field}, i, omit == "omitempty"})
		}
	}
	return list
})

// Numbers are the numbers that say how tokens are drawn: all but the length, and those that are left out at 0.
func (d Decoding) Numbers() []Number {
	v, list := reflect.ValueOf(d), drawnFields()
	out := make([]Number, 0, len(list))
	for _, f := range list {
		if n, value := f.Number, v.Field(f.index); !f.absent || !value.IsZero() {
			n.Value = value.Interface()
			out = append(out, n)
		}
	}
	return out
}

// SamplingFields are the names in requests of all numbers that say how tokens are drawn.
func SamplingFields() (names []string) {
	for _, f := range drawnFields() {
		names = append(names, f.Field)
	}
	return names
}

// Validate reports every field that is out of its range, joined into one error.
func (d Decoding) Validate() error {
	var errs Faults
	for _, n := range d.Numbers() {
		errs.Add(n.Range.Check(n.Field, n.Value))
	}
	errs.Add(Range{Min: new(1.0)}.Check("max_tokens", d.MaxTokens))
	errs.Note(slices.Contains(d.Stop, ""), "a stop string is empty")
	for _, field := range []string{"model", "messages", "prompt", "stream"} {
		value, set := d.Extra[field]
		errs.Note(set && (field != "stream" || value != nil), // null leaves stream out, which some servers refuse
			"extra field %q does not belong to decoding: leave it out", field)
	}
	for _, field := range slices.Sorted(maps.Keys(d.Extra)) {
		_, err := json.Marshal(d.Extra[field])
		errs.Note(err != nil, "extra field %q cannot be sent: %w", field, err)
	}
	return errs.Err()
}
