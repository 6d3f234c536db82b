package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"heldout/envs/address"
)

// words is what a server said when it did not answer.
type words struct {
	text string
	// code and kind are the server's own classes of errors, where it has any, and
	// param the field of the request that it finds fault with.
	code, kind, param string
	// limit and requested count tokens, 0 when not told.
	limit, requested int
	// page: it is a page for browsers, which no model server sends.
	page bool
}

// pageWords are the words of a page for browsers: its title, if it has one.
func pageWords(body []byte) words {
	if title := wording("page-title").FindSubmatch(body); title != nil {
		return words{text: `a web page with the title "` + html.UnescapeString(string(title[1])) + `"`, page: true}
	}
	return words{text: string(body), page: true}
}

// readWords reads the body of a refusal, and reports whether it is an object
// that says "error" of itself. The forms come from OpenAI, vLLM old and new, llama.cpp, Ollama, FastAPI,
// Google and gateways; anything else is taken as plain text.
func readWords(body []byte) (words, bool) {
	body = bytes.TrimPrefix(body, byteOrderMark)
	if wording("page").Match(body) {
		return pageWords(body), false
	}
	plain := words{text: string(body)}
	var value any
	if json.Unmarshal(body, &value) != nil {
		return plain, false
	}
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	object, ok := value.(map[string]any)
	if !ok {
		return plain, false
	}
	refusal := object["error"]
	for _, name := range []string{"external_model_error", "external_model_message"} { // Databricks
		if inner, ok := object[name].(map[string]any); ok {
			refusal = cmp.Or[any](inner["error"], inner)
		}
	}
	if state, ok := object["base_resp"].(map[string]any); ok && !hollow(state["status_code"]) { // MiniMax
		refusal = state["status_msg"]
	}
	if list, ok := object["errors"].([]any); ok && len(list) > 0 && refusal == nil { // Cloudflare, watsonx
		refusal = list[0]
	}
	switch inner := refusal.(type) {
	case string:
		return words{text: inner}, inner != ""
	case map[string]any:
		return objectWords(inner, body), true
	}
	return objectWords(object, body), object["object"] == "error"
}

func objectWords(object map[string]any, body []byte) words {
	metadata, _ := object["metadata"].(map[string]any)
	text := cmp.Or(stringField(object, "message"), stringField(object, "detail"), string(body))
	raw := stringField(metadata, "raw") // OpenRouter: what the server behind it said
	if raw != "" || strings.HasPrefix(text, "{") && text != string(body) {
		upstream, _ := readWords([]byte(cmp.Or(raw, text)))
		return upstream
	}
	return words{
		text:      text,
		code:      stringField(object, "code"),
		kind:      stringField(object, "type"),
		param:     stringField(object, "param"),
		limit:     countField(object, "n_ctx"),
		requested: countField(object, "n_prompt_tokens"),
	}
}

func stringField(object map[string]any, name string) string {
	text, _ := object[name].(string)
	return text
}

func countField(object map[string]any, name string) int {
	count, _ := object[name].(float64)
	if !(count > 0 && count < 1<<31) {
		return 0
	}
	return int(count)
}

// speaksOfLength reports whether a refusal speaks of a length and of a limit, but of no
// field of the request other than the prompt.
func (w *words) speaksOfLength() bool {
	if len(w.text) > maxWords || strings.HasPrefix(w.text, "{") || wording("other-bound").MatchString(w.text) ||
		!wording("prompt-field").MatchString(w.param) || refusedField(w.param, w.text, w.unsupported()) != "" {
		return false
	}
	return wording("length").MatchString(w.text) && wording("bound").MatchString(w.text) ||
		wording("too-long").MatchString(w.text)
}

// overflow reports whether the words refuse a request because it does not fit
// the context. It fills in the numbers that are only told in the text.
func (w *words) overflow() bool {
	w.limit = cmp.Or(w.limit, numberIn("limit", w.text))
	w.requested = cmp.Or(w.requested, numberIn("asked", w.text))
	codes := wording("overflow-codes")
	return codes.MatchString(w.code) || codes.MatchString(w.kind) || wording("overflow").MatchString(w.text)
}

// waitIn returns the wait that a body asks for, 0 for none.
func waitIn(body []byte) (wait time.Duration) {
	match := wording("wait").FindSubmatch(body)
	if match == nil {
		return 0
	}
	for _, part := range wording("wait-part").FindAllSubmatch(match[2], -1) {
		number, _ := strconv.ParseFloat(string(part[1]), 64) // a number by the pattern
		unit := time.Second
		switch name := strings.ToLower(string(part[2])); {
		case name == "ms", name == "milli", len(match[1]) > 0:
			unit = time.Millisecond
		case name == "m":
			unit = time.Minute
		case name == "h":
			unit = time.Hour
		case name == "d":
			unit = 24 * time.Hour
		}
		wait += time.Duration(min(number, 1e6) * float64(unit))
	}
	return wait
}

// spent reports whether a refusal for a while that asks for a wait, 0 for none, says that nothing is left for long: an
// account is empty, or a quota is used up for a day.
func (w *words) spent(wait time.Duration, body []byte) bool {
	return w.code == "insufficient_quota" || w.kind == "insufficient_quota" || wait == 0 && wording("spent").Match(body)
}

func numberIn(pattern, text string) int {
	match := wording(pattern).FindStringSubmatch(text)
	if match == nil {
		return 0
	}
	number, err := strconv.ParseInt(strings.ReplaceAll(cmp.Or(match[1:]...), ",", ""), 10, 32)
	if err != nil {
		return 0
	}
	return int(number)
}

func (w words) unsupported() bool {
	return strings.HasPrefix(w.code, "unsupported_") || strings.HasPrefix(w.code, "unknown_") ||
		wording("unsupported").MatchString(w.text)
}

// refusedField returns the field of the decoding that a refusal is about, "" for none: the one that the server
// says, or the first that its message names. Where a field is not refused as such, but for its value, only names
// count that mean nothing else; the length is never among them, since what is too much may depend on the prompt.
func refusedField(param, message string, unsupported bool) string {
	if option := wording("mistyped-option").FindStringSubmatch(message); option != nil {
		return option[1]
	}
	if wording("both-fields").MatchString(message) {
		return "top_p"
	}
	// vLLM says where it lies, too.
	param = strings.TrimPrefix(param, "body.")
	if param == stopField || slices.Contains(samplingFields, param) {
		return param
	}
	if !unsupported {
		return refusedValue(message)
	}
	if param == "seed" || param == "max_tokens" {
		return param
	}
	return namedField(message)
}

// namedField is the first field of the decoding that a message names, "" for none.
func namedField(message string) string {
	found := wording("field").FindStringSubmatch(message)
	if found == nil {
		return ""
	}
	return found[1] + strings.ToLower(found[2]+found[3])
}

// refusedValue is the field whose value a message refuses, "" for none.
func refusedValue(message string) string {
	field := namedField(message)
	if wording("range").MatchString(message) && slices.Contains(samplingFields, field) {
		return field
	}
	return wording("neutral-field").FindString(message)
}

// maxWords is the longest that foreign text may be in an error, in characters.
const maxWords = 500

// clean makes foreign text fit to be shown: printable, on one line, without the key, and not too long. The key goes
// before the cut, which could leave half of it.
func clean(text string, key Secret) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	text = address.Plain(key.scrub(strings.Join(strings.Fields(text), " "), 1))
	if runes := []rune(text); len(runes) > maxWords {
		return string(runes[:maxWords]) + "…"
	}
	return text
}
