package model

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"heldout/scoring/table"
)

// ContextError reports that the prompt, or the prompt and the longest reply
// together, do not fit the model's context. A shorter prompt may.
type ContextError struct {
	// Status is the HTTP status of the refusal; 2xx when the server answered,
	// but with an error or after filling its context.
	Status int
	// Message is what the server said, made printable and cut to a few lines.
	Message string
	// Limit is the server's context in tokens, 0 when it did not say.
	Limit int
	// Requested is the number of tokens asked for as the server counted them, 0 when it did not say. Some servers
	// count the prompt alone, some stop counting one token past the limit.
	Requested int
	// Attempts counts the requests made for the call.
	Attempts int
}

// Error gives the numbers, if known, and the server's message.
func (e *ContextError) Error() string {
	var numbers []string
	if e.Requested > 0 {
		numbers = append(numbers, fmt.Sprintf("%d tokens asked for", e.Requested))
	}
	if e.Limit > 0 {
		numbers = append(numbers, fmt.Sprintf("limit %d", e.Limit))
	}
	text := "prompt does not fit the model's context"
	if len(numbers) > 0 {
		text += " (" + strings.Join(numbers, ", ") + ")"
	}
	return text + ": " + e.Message
}

// RequestError reports a request that the server would refuse again on every retry.
type RequestError struct {
	// URL is where the request went.
	URL string
	// Status is the HTTP status, 0 when the request could not be sent at all.
	Status int
	// Message is what the server said, made printable and cut to a few lines.
	Message string
	// Field is the field of the decoding that the refusal is about, by its name on the wire; "" when it is about
	// something else, or the server did not say. It is max_tokens only if the server does not know that name,
	// because the largest allowed value may depend on the prompt.
	Field string
	// unsupported: the server refuses the field as such, not its value.
	unsupported bool
	// wantsStream: the server may want to send replies in pieces; refusesUsage: without the tokens at their end.
	wantsStream, refusesUsage bool
	// remedy is the remedy for a refusal that affects every call; "" if the refusal
	// is not known to affect every call.
	remedy string
	// flagged: a filter refuses what this prompt says.
	flagged bool
	// Attempts counts the requests made for the call.
	Attempts int
}

// Fatal reports that the refusal is not about this one request: the server would refuse every other request with
// the same decoding. Examples are a wrong key, an unknown model, an empty account, the address of another service,
// a decoding field out of range, or a chat template without a system message.
func (e *RequestError) Fatal() bool {
	switch {
	case e.Field != "" || e.remedy != "":
		return true
	case e.flagged:
		return false
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden,
		http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusTooManyRequests:
		return true
	}
	return e.Status < 400
}

// checkName is the remedy of wordings.yaml for a model that the server does not have.
const checkName = "check the name of the model"

// checkAddress is the remedy for an address where pages for browsers are.
const checkAddress = "check --base-url: the address of a model server looks like http://HOST:8000/v1"

// checkBetween is the remedy for an answer that no model server gives.
const checkBetween = "check --base-url, and what stands between"

// UnknownModel reports that the server has no model of the name, as far as it tells.
func (e *RequestError) UnknownModel() bool {
	return e.Status == http.StatusNotFound && e.remedy != checkAddress || e.remedy == checkName
}

// Error says where the request was refused, gives the server's message, and says what to do about it.
func (e *RequestError) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("request to %s cannot be sent: %s", e.URL, e.Message)
	}
	text := fmt.Sprintf("%s refused the request: %s", e.URL, statusLine(e.Status, e.Message))
	if hint := e.hint(); hint != "" {
		text += "; " + hint
	}
	return text
}

func (e *RequestError) hint() string {
	if e.remedy != "" {
		return e.remedy
	}
	field := e.Field
	if e.wantsStream {
		field = streamField
	}
	if field != "" {
		return fmt.Sprintf("--extra-body '{%q:null}' leaves that field out", field)
	}
	switch {
	case e.flagged:
		return ""
	case e.Status != http.StatusNotFound:
	case strings.Contains(e.URL, "/v1/api/") && !strings.Contains(strings.ToLower(e.Message), "model"):
		return "leave /v1 out of --base-url, where Ollama's own protocol is not, or ask it as openai:NAME"
	case strings.HasSuffix(e.URL, "/chat/completions") && !strings.Contains(e.URL, "/v1/"):
		return "check --base-url, which usually ends in /v1"
	}
	status := e.Status
	if wording("quota").MatchString(e.Message) { // Azure's API Management says so with 403
		status = http.StatusTooManyRequests
	}
	if hint := help().Statuses[status]; hint != "" || status >= 400 {
		return hint
	}
	return "no model server answers so: " + checkBetween
}

// UnavailableError reports that every attempt failed in a way that another
// might not have: the server was busy, broken, slow or not there.
type UnavailableError struct {
	// URL is where the requests went.
	URL string
	// Status is the HTTP status of the last attempt, 0 when no reply came.
	Status int
	// Message is why the last attempt failed, made printable and cut to a few lines. It stands for the cause: a
	// time-out of one attempt must not pass for the end of the caller's context.
	Message string
	// Busy reports that the server refused the last attempt for a while (429, 408).
	Busy bool
	// Wait is the wait that the server asked for with the last attempt; 0 for none.
	Wait time.Duration
	// Limit is the time within which the last attempt had no reply; 0 if it failed otherwise.
	Limit time.Duration
	// Attempts counts the requests made for the call, and Late how many of them had no reply in time.
	Attempts, Late int
	// Unsent reports that the last request did not reach a server.
	Unsent bool
	// gone reports that the last attempt failed as it does when a server is gone: nobody was at the address, the
	// connection broke, a gateway found nobody behind it, or no reply came in time.
	gone bool
	// blank reports that the last reply held no message.
	blank bool
}

// Error gives the number of attempts and why the last one failed.
func (e *UnavailableError) Error() string {
	return fmt.Sprintf("%s gave no usable reply in %s: %s", e.URL,
		table.Counted(e.Attempts, "attempt", "attempts, the last"), e.Message)
}

// MachineError reports a call for which this machine had no open file left. No server is at fault.
type MachineError struct{ Err error }

// Error says what to do.
func (e *MachineError) Error() string {
	return fmt.Sprintf("%v: raise the limit with ulimit -n, or lower --concurrency", e.Err)
}

// Unwrap returns the error inside.
func (e *MachineError) Unwrap() error { return e.Err }

// failure is an error that says how many requests were made for a call.
type failure interface {
	error
	attempts() *int
}

func (e *ContextError) attempts() *int     { return &e.Attempts }
func (e *RequestError) attempts() *int     { return &e.Attempts }
func (e *UnavailableError) attempts() *int { return &e.Attempts }

// Attempts counts the requests made for a call that ended with an error.
func Attempts(err error) int {
	if e, ok := errors.AsType[failure](err); ok {
		return *e.attempts()
	}
	return 0
}

// Late counts the requests made for a call that ended with an error that had no reply in time.
func Late(err error) int {
	if e, ok := errors.AsType[*UnavailableError](err); ok {
		return e.Late
	}
	return 0
}

// StoppedError reports a question to a server about itself that was to be asked again when its context was done.
type StoppedError struct {
	// Last is why the last attempt failed, Err the context's error.
	Last string
	Err  error
}

// Error implements error.
func (e *StoppedError) Error() string { return e.Err.Error() + " after " + e.Last }

// Unwrap returns the context's error.
func (e *StoppedError) Unwrap() error { return e.Err }

func unsendable(url, message string) *RequestError {
	return &RequestError{URL: url, Message: strings.ReplaceAll(message, "\n", "; ")}
}

// statusLine is an HTTP status with the words that came with it.
func statusLine(status int, message string) string {
	line := strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
	if message == "" {
		return line
	}
	return line + ": " + message
}
