package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"
)

// goldenServer is a model server that hands out recorded replies, one after the other, and after the last one the
// last again. It cuts a reply before the first stop string of the request, as servers do, and keeps the requests.
type goldenServer struct {
	model   string
	replies []json.RawMessage

	mu       sync.Mutex
	paths    []string
	requests []map[string]any
}

// most bounds the requests that are kept of an episode that goes on for ever.
const most = 1000

// ServeHTTP implements http.Handler.
func (s *goldenServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Method != http.MethodPost {
		if !strings.HasSuffix(r.URL.Path, "/models") {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q}]}`, s.model)
		return
	}
	body, err := io.ReadAll(r.Body)
	request := map[string]any{}
	if err == nil {
		err = json.Unmarshal(body, &request)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == most {
		http.Error(w, `{"error":"the episode does not end"}`, http.StatusBadRequest)
		return
	}
	reply := s.replies[min(len(s.requests), len(s.replies)-1)]
	if reply == nil { // only the prompt was recorded
		reply = json.RawMessage(`""`)
	}
	s.paths, s.requests = append(s.paths, r.URL.Path), append(s.requests, request)
	answer(w, r.URL.Path, reply, request)
}

// tokens counts the tokens of a request as the recordings do: a token is four characters of a text.
func tokens(request map[string]any) (n int) {
	count := func(v any) int {
		text, _ := v.(string)
		return utf8.RuneCountInString(text) / 4
	}
	messages, isChat := request["messages"].([]any)
	if !isChat {
		return count(request["prompt"])
	}
	for _, m := range messages {
		message, _ := m.(map[string]any)
		n += count(message["role"]) + count(message["content"])
	}
	return n + 3 // for the reply
}

// goldenReply is a reply that is not just a text: a call of a function, or an error.
type goldenReply struct {
	Content   *string         `json:"content"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Status    int             `json:"status"`
	Error     string          `json:"error"`
}

// answer writes a recorded reply as a server does.
func answer(w http.ResponseWriter, path string, reply json.RawMessage, request map[string]any) {
	var text string
	var other goldenReply
	choice := map[string]any{"index": 0, "finish_reason": "stop"}
	if json.Unmarshal(reply, &text) != nil {
		if err := json.Unmarshal(reply, &other); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if other.Status != 0 {
			w.WriteHeader(other.Status)
			write(w, map[string]any{"error": map[string]any{"message": other.Error}})
			return
		}
		choice["message"] = map[string]any{"role": "assistant", "content": other.Content, "tool_calls": []any{
			map[string]any{
				"id": "call_1", "type": "function",
				"function": map[string]any{"name": other.Tool, "arguments": asPython(other.Arguments)},
			}}}
	} else {
		for _, stop := range stopsOf(request["stop"]) {
			text, _, _ = strings.Cut(text, stop)
		}
		if strings.HasSuffix(path, "/chat/completions") {
			choice["message"] = map[string]any{"role": "assistant", "content": text}
		} else {
			choice["text"] = text
		}
	}
	write(w, map[string]any{
		"object": "chat.completion", "choices": []any{choice},
		"usage": map[string]int{"prompt_tokens": tokens(request), "completion_tokens": 9},
	})
}

// asPython writes the arguments of a call as Python's json.dumps does: with blanks. A text is meant as it is.
func asPython(arguments json.RawMessage) string {
	var text string
	if json.Unmarshal(arguments, &text) == nil {
		return text
	}
	return strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(compact(arguments))
}

// compact is JSON without white space between its tokens.
func compact(b json.RawMessage) string {
	var v any
	if json.Unmarshal(b, &v) != nil {
		return string(b)
	}
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return string(b)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func write(w io.Writer, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(err) // the client left in the middle of a reply
	}
}

// stopsOf are the stop strings of a request: a text, a list, or nothing.
func stopsOf(field any) (out []string) {
	switch stop := field.(type) {
	case string:
		return []string{stop}
	case []any:
		for _, s := range stop {
			out = append(out, fmt.Sprint(s))
		}
	}
	return out
}
