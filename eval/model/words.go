package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"heldout/configs"
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

var (
	pageText  = regexp.MustCompile(`(?is)^(?:\x{FEFF}|\s|<\?xml[^>]*>|<!--.*?-->)*<(?:!doctype html|html|head|title)\b`)
	pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
)

// pageWords are the words of a page for browsers: its title, if it has one.
func pageWords(body []byte) words {
	if title := pageTitle.FindSubmatch(body); title != nil {
		return words{text: `a web page with the title "` + html.UnescapeString(string(title[1])) + `"`, page: true}
	}
	return words{text: string(body), page: true}
}

// readWords reads the body of a refusal, and reports whether it is an object
// that says "error" of itself. The forms are those of OpenAI, vLLM old and new,
// llama.cpp, Ollama, FastAPI and Google; anything else is taken as plain text.
func readWords(body []byte) (words, bool) {
	body = bytes.TrimPrefix(body, byteOrderMark)
	if pageText.Match(body) {
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
	switch inner := object["error"].(type) {
	case string:
		return words{text: inner}, inner != ""
	case map[string]any:
		return objectWords(inner, body), true
	}
	return objectWords(object, body), object["object"] == "error"
}

func objectWords(object map[string]any, body []byte) words {
	return words{
		text:      cmp.Or(stringField(object, "message"), stringField(object, "detail"), string(body)),
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

// The wordings by which servers refuse what does not fit their context, and how
// they put the numbers. Where no server is named it is several.
var (
	overflowCodes = []string{"context_length_exceeded", "exceed_context_size_error", "context_window_exceeded"}

	overflowText = lazyPattern(`(?i)` + strings.Join([]string{
		`maximum context length`,
		`context length is only`,                 // vLLM
		`longer than the maximum model length`,   // vLLM
		`longer than the model's context length`, // SGLang
		`exceeds? the maximum allowed length`,    // SGLang
		`exceeds? (the )?((available|maximum|max|model's) )*context (size|length|window)`,
		`context size has been exceeded`,           // llama.cpp, while it generates
		`input tokens exceed the configured limit`, // OpenAI
		`prompt (is )?too long`,
		// vLLM, of a prompt that fills the context to the last token. What it was
		// asked for is never less than 1.
		`max_tokens must be at least 1, got [0-]`,
		"`inputs` tokens \\+ `max_new_tokens` must be", // TGI
	}, "|"))

	limitText = lazyPattern(
		`(?i)(?:maximum context length (?:is|of)|context length is only|maximum model length of|` +
			`context (?:length|size) \(|maximum allowed length \(|configured limit of|context window of|must be <=) ?(\d+)`)

	askedText = lazyPattern(`(?i)(?:requested(?: a total of)?|resulted in|passed|too long:|given:|` +
		`(?:request|prompt) (?:has|contains)(?: at least)?|(?:request|input|requested tokens) \(|prompt \(length) ?` +
		"(\\d+)(?:\\)| tokens| input tokens| `inputs` tokens)")
)

// What a refusal speaks of that is about the length of a prompt, in words that are not on
// the list, and what it is not about.
var (
	lengthText = lazyPattern(`(?i)\b(?:tokens?|context|length|characters?|window)\b`)
	boundText  = lazyPattern(`(?i)exceed|\bmax(?:imum)?\b|limit|too (?:long|large|many|big)|` +
		`(?:long|great|larg|few|small|short)er than|(?:less|more) than|at most|range of|does(?: not|n't) fit|overflow`)
	tooLongText = lazyPattern(
		`(?i)\b(?:prompt|inputs?|requests?|messages?|context|conversation|text|payload|body)\b.{0,80}too (?:long|large|big)`)
	otherText = lazyPattern(`(?i)quota|billing|per (?:second|minute|hour|day)|rate.limit|stop.sequences?|` +
		`access.token|auth|output.tokens|completion.tokens`)
	promptText = lazyPattern(`(?i)^(?:body\.)?(?:messages?|prompt|inputs?)?(?:$|[\[._])`)
)

// speaksOfLength reports whether a refusal speaks of a length and of a limit, but of no
// field of the request other than the prompt.
func (w *words) speaksOfLength() bool {
	if len(w.text) > maxWords || strings.HasPrefix(w.text, "{") || otherText().MatchString(w.text) ||
		!promptText().MatchString(w.param) || refusedField(w.param, w.text, w.unsupported()) != "" {
		return false
	}
	return lengthText().MatchString(w.text) && boundText().MatchString(w.text) || tooLongText().MatchString(w.text)
}

// overflow reports whether the words refuse a request because it does not fit
// the context, and fills in the numbers that are only told in the text.
func (w *words) overflow() bool {
	if !slices.Contains(overflowCodes, w.code) && !slices.Contains(overflowCodes, w.kind) &&
		!overflowText().MatchString(w.text) {
		return false
	}
	w.limit = cmp.Or(w.limit, numberIn(limitText, w.text))
	w.requested = cmp.Or(w.requested, numberIn(askedText, w.text))
	return true
}

// waitText matches a wait that is told in a body: "retryDelay": "38s", retry_after_ms: 500,
// "try again in 1m2.5s", "wait 20 seconds".
var (
	waitText = lazyPattern(`(?i)(?:retry[\s_-]?(?:delay|after|in)|try again (?:in|after)|wait(?: for)?)(_ms)?["'\s:=]*` +
		`((?:about\s+)?(?:\d+(?:\.\d+)?\s*(?:[a-z]+\b|[hms])?[\s,]*)+)`)
	waitPart = lazyPattern(`(?i)(\d+(?:\.\d+)?)\s*(ms|milli|s|m|h|d)?`)
	// spentText says that nothing is left for a long time.
	spentText = lazyPattern(`(?i)per[\s_-]?(?:day|week|month)|daily|monthly|billing`)
)

// waitIn returns the wait that a body asks for, 0 for none.
func waitIn(body []byte) (wait time.Duration) {
	told := waitText().FindSubmatch(body)
	if told == nil {
		return 0
	}
	for _, part := range waitPart().FindAllSubmatch(told[2], -1) {
		number, _ := strconv.ParseFloat(string(part[1]), 64) // a number by the pattern
		unit := time.Second
		switch name := strings.ToLower(string(part[2])); {
		case name == "ms", name == "milli", len(told[1]) > 0:
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
	return w.code == "insufficient_quota" || w.kind == "insufficient_quota" || wait == 0 && spentText().Match(body)
}

func numberIn(pattern func() *regexp.Regexp, text string) int {
	match := pattern().FindStringSubmatch(text)
	if match == nil {
		return 0
	}
	number, err := strconv.ParseInt(match[1], 10, 32)
	if err != nil {
		return 0
	}
	return int(number)
}

var (
	// mistypedOption is how Ollama refuses an option, with a status of 500.
	mistypedOption = regexp.MustCompile(`^option "(\w{1,40})" must be of `)

	// unsupportedText is how servers refuse a field as such, rather than its value.
	unsupportedText = lazyPattern(`(?i)` + strings.Join([]string{
		// OpenAI, Groq, xAI, Anthropic
		`unsupported`, `not supported`, `(?:does not|doesn't) support`, `only the default`, `deprecated`,
		`unrecogni[sz]ed`, `unknown (?:name|field|parameter|argument|property)`, // OpenAI, Azure, Google
		`unexpected (?:keyword|field|property|parameter|argument)`,
		// Mistral, Fireworks, vLLM
		`(?:extra|additional) \w+ (?:are|is) not (?:permitted|allowed)`, `extra_forbidden`, `not permitted`,
		bothText.String(),
	}, "|"))
	// bothText is how Anthropic refuses temperature and top_p together.
	bothText = regexp.MustCompile("(?i)cannot both be specified")

	// fieldText finds the fields of a decoding by name. Those that are also words
	// of English count in quotes, or behind or before what says that they are
	// fields.
	fieldText = lazyPattern(`\b(` + strings.Join(slices.Concat(neutralFields, wordless(configs.SamplingFields()),
		[]string{"max_tokens", "max_completion_tokens"}), "|") + `)\b` +
		"|(?i:(?:parameters?|arguments?|fields?|property|model):? " +
		"|['\"`\\[]|body\\.)(temperature|seed|stop)\\b|^(temperature|seed|stop):")
)

// wordless are the names that are not words of English.
func wordless(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.Contains(name, "_") })
}

func (w words) unsupported() bool {
	return strings.HasPrefix(w.code, "unsupported_") || strings.HasPrefix(w.code, "unknown_") ||
		unsupportedText().MatchString(w.text)
}

// refusedField returns the field of the decoding that a refusal is about, "" for
// none: the one that the server says, or the first that its message names. Where
// a field is not refused as such, but for its value, only names count that mean
// nothing else; the length is never among them, since what is too much may depend
// on the prompt.
func refusedField(param, message string, unsupported bool) string {
	if option := mistypedOption.FindStringSubmatch(message); option != nil {
		return option[1]
	}
	if bothText.MatchString(message) {
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
	found := fieldText().FindStringSubmatch(message)
	if found == nil {
		return ""
	}
	return found[1] + strings.ToLower(found[2]+found[3])
}

// refusedValue is the field whose value a message refuses, "" for none.
func refusedValue(message string) string {
	field := namedField(message)
	if rangeText().MatchString(message) && slices.Contains(samplingFields, field) {
		return field
	}
	return neutralText().FindString(message)
}

// rangeText is how servers refuse a value: it has to lie elsewhere.
var rangeText = lazyPattern(`(?i)\b(?:must|should|has to|needs to) be\b|out of range|\b(?:in|outside) the range\b`)

// streamText is how gateways refuse whole replies.
var streamText = lazyPattern(`(?i)\b(?:stream|streaming)\b`)

var neutralText = lazyPattern(`\b(?:` + strings.Join(neutralFields, "|") + `)\b`)

// obstacle is a refusal that every call of a run would meet, with what helps: the
// server's hint on a topic, or the same everywhere.
type obstacle struct {
	text   func() *regexp.Regexp
	remedy string
	on     topic
}

// templateObstacles come from chat templates; some servers call them errors of
// their own.
var templateObstacles = []obstacle{
	{
		lazyPattern(
			`(?i)system (?:role|messages?|prompts?)\b.{0,40}(?:not|n't|un)[ -]?(?:be )?(?:supported|allowed)|(?:not|n't) support (?:a |the )?["'` + "`" + `]?system|` +
				`does not support 'system'|developer instruction is not enabled`), foldSystem, ""},
	{lazyPattern(`(?i)roles must alternate|must alternate between`), foldSystem, ""},
	{
		lazyPattern(
			`(?i)default chat template is no longer allowed|must provide a chat template|(?:no|not have an?y?|not define an?y?|without a) chat[ _]template|chat[ _]template is not (?:set|defined)`),
		"", onTemplate},
}

// noModel says that a server does not have the model.
var noModel = lazyPattern(
	`(?i)\bmodel\b.{0,200}(?:does not exist|not found|not exist\b|is not available|is not a valid model)|is not a valid model|invalid model\b|unknown model\b`)

var requestObstacles = []obstacle{
	{noModel, checkName, ""},
	{
		lazyPattern(
			`(?i)max_(?:completion_)?tokens.{0,60}(?:too large|cannot be greater|must be less|less than or equal|exceeds? the (?:model|maximum))|supports at most \d+ completion tokens`),
		"give a smaller --max-tokens", ""},
	{
		lazyPattern(
			`(?i)max_(?:completion_|output_)?tokens\b.{0,80}(?:at least|greater than|(?:must|should|has to) be (?:>|≥)|below (?:the )?minimum|less than (?:the )?minimum|too small)`),
		"give a larger --max-tokens", ""},
}

// foldSystem is the remedy for chat templates without a system message.
const foldSystem = "--set no-system-role puts the prompt's system message into the first user message"

// remedyFor returns what helps against a refusal that every call would meet, ""
// if it is not known to be one. kind is the kind of server.
func remedyFor(kind string, status int, message string) string {
	var obstacles []obstacle
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		obstacles = slices.Concat(templateObstacles, requestObstacles)
	case http.StatusInternalServerError:
		obstacles = templateObstacles
	}
	for _, o := range obstacles {
		if o.text().MatchString(message) {
			return cmp.Or(o.remedy, hints()[kind][o.on])
		}
	}
	return ""
}

// maxWords is the longest that foreign text may be in an error, in characters.
const maxWords = 500

// clean makes foreign text fit to be shown: printable, on one line, without the
// key, and not too long. The key goes before the cut, which could leave half of
// it.
func clean(text string, key Secret) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	text = address.Plain(key.scrub(strings.Join(strings.Fields(text), " ")))
	if runes := []rune(text); len(runes) > maxWords {
		return string(runes[:maxWords]) + "…"
	}
	return text
}

// lazyPattern compiles a pattern when it is first needed: most commands talk to no server.
func lazyPattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
