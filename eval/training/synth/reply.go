package synth

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ReadReply finds the JSON value in a model's reply, which begins with open: '{' or
// '['. Mended says that the value is not the whole reply: there are code fences or
// other text around it, or commas before closing brackets. An error is for the
// model to read.
func ReadReply(reply string, open byte) (value []byte, mended bool, err error) {
	reply = strings.TrimSpace(reply)
	candidates := []string{reply}
	if _, inside, ok := strings.Cut(reply, "```"); ok {
		inside, _, _ = strings.Cut(inside, "```")
		candidates = append(candidates, "```"+inside) // mend removes the name of the language
	}
	closing := byte('}')
	if open == '[' {
		closing = ']'
	}
	if from, to := strings.IndexByte(reply, open), strings.LastIndexByte(reply, closing); from >= 0 && from < to {
		candidates = append(candidates, reply[from:to+1])
	}
	for i, text := range candidates {
		if text != "" && text[0] == open && json.Valid([]byte(text)) {
			return []byte(text), i > 0, nil
		}
		if text = strings.TrimSpace(mend(text)); text != "" && text[0] == open && json.Valid([]byte(text)) {
			return []byte(text), true, nil
		}
	}
	return nil, false, unreadable(candidates[len(candidates)-1], open)
}

// unreadable says why a text is not the wanted JSON.
func unreadable(text string, open byte) error {
	kind := "object"
	if open == '[' {
		kind = "list"
	}
	if text == "" || !strings.Contains(text, string(open)) {
		return fmt.Errorf("the reply has no JSON %s", kind)
	}
	var v any
	err := json.Unmarshal([]byte(text[strings.IndexByte(text, open):]), &v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("the reply is no JSON %s: at its byte %d: %v", kind, syntax.Offset, syntax)
	}
	return fmt.Errorf("the reply is no JSON %s", kind)
}
