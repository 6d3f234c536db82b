package model

import (
	"fmt"
	"net/http"
	"slices"
	"sync"

	"heldout/scoring/record"
)

const (
	stopField   = "stop"
	streamField = "stream"
)

// habit is how requests are written for a server, as learned from its refusals and the model's replies.
type habit struct {
	// dropped are the fields, sorted, that the server refuses.
	dropped []string
	// completionLength: the length is called max_completion_tokens.
	completionLength bool
	// keepsStops: stop strings are not sent.
	keepsStops bool
	// streams: replies are asked for in pieces; uncounted: without the tokens at their end.
	streams, uncounted bool
	// silent: nothing says that whole replies are wanted, which is what servers send without it.
	silent bool
}

// stream asks for a whole reply, or for pieces if the server wants to send them. The extra
// fields may leave the former out: some servers refuse it, and send whole replies without it.
func (h habit) stream(fields, extra map[string]any) {
	if _, decided := extra[streamField]; !decided && !h.silent || h.streams {
		fields[streamField] = h.streams
	}
	if h.streams && !h.uncounted {
		fields["stream_options"] = map[string]bool{"include_usage": true}
	}
}

// replyLimit is the longest reply in bytes for that number of tokens; 0 stands for an unknown number. Pieces are much
// longer than what they add up to.
func (h habit) replyLimit(tokens int) int {
	if h.streams || tokens <= 0 || tokens > mostReply/tokenBytes {
		return mostReply
	}
	return max(leastReply, tokens*tokenBytes)
}

func (h habit) lengthField() string {
	if h.completionLength {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

func (h habit) sendsStops(d record.Decoding) bool {
	_, decided := d.Extra[stopField]
	return len(d.Stop) > 0 && !h.keepsStops && !decided
}

// habits keeps what is learned about a server. It is safe for concurrent use.
type habits struct {
	// tell receives the changes; nil for none.
	tell func(string)

	mu    sync.Mutex
	habit habit
	// hushed: it was tried to be silent; heard: that brought a reply.
	hushed, heard bool
}

func (s *habits) now() habit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.habit
}

// drop learns from a refusal of a field and reports whether the request should be repeated. used says how the
// request was made. A field that the user set explicitly is never dropped.
func (s *habits) drop(refused *RequestError, used habit, d record.Decoding) bool {
	_, explicit := d.Extra[refused.Field]
	switch {
	case refused.wantsPieces(used):
	case refused.unexplained():
		return s.hush(used)
	case explicit || !refused.unsupported:
		return false
	}
	news, retry := s.learn(refused, used)
	if news != "" && s.tell != nil {
		s.tell(news)
	}
	return retry
}

// hush leaves "stream": false out of requests, which some gateways refuse without a word about it. If
// the same request is refused without it, it was not that.
func (s *habits) hush(used habit) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case used.silent:
		s.habit.silent = s.heard
		return false
	case !s.hushed && !used.streams:
		s.hushed, s.habit.silent = true, true
	}
	return s.habit.silent
}

// replied notes a reply to a request that was made so, and whether stop strings may have cut its reasoning.
func (s *habits) replied(used habit, reasoned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = s.heard || used.silent
	s.habit.keepsStops = s.habit.keepsStops || reasoned
}

// learn is drop without the notification. If several calls are refused together, only the first brings a change.
func (s *habits) learn(refused *RequestError, used habit) (news string, retry bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch field := refused.Field; {
	case refused.wantsPieces(used):
		if !s.habit.streams {
			news = "the server refuses whole replies, which are now asked for in pieces: " + refused.Message
		}
		s.habit.streams, s.habit.uncounted = true, s.habit.uncounted || used.streams
	case field == stopField && !used.keepsStops:
		if !s.habit.keepsStops {
			s.habit.keepsStops = true
			news = "the server refuses stop strings, which are not sent any more: replies are cut when they have come"
		}
	case field == "max_tokens" && !used.completionLength:
		if !s.habit.completionLength {
			s.habit.completionLength = true
			news = "the server refuses max_tokens and gets max_completion_tokens in its place"
		}
	case slices.Contains(droppable, field) && !slices.Contains(used.dropped, field):
		if !slices.Contains(s.habit.dropped, field) {
			s.habit.dropped = slices.Sorted(slices.Values(append([]string{field}, s.habit.dropped...)))
			news = fmt.Sprintf("the server refuses %s: it is not sent any more; records and tables say so: %s", field,
				refused.Message)
		}
	default:
		return "", false
	}
	return news, true
}

// wantsPieces reports a refusal of whole replies, or of the tokens at the end of pieces.
func (e *RequestError) wantsPieces(used habit) bool {
	return e.wantsStream && !used.streams || e.refusesUsage && used.streams && !used.uncounted
}

// unexplained reports a refusal that does not say what it finds fault with.
func (e *RequestError) unexplained() bool {
	return (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity) && e.Field == "" &&
		e.remedy == "" && wording("vague").MatchString(e.Message)
}
