package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sync/errgroup"

	"heldout/envs"
)

func (e *examiner) maxTokens(ctx context.Context) error {
	const limit = 4
	d := e.story(0)
	d.MaxTokens = limit
	reply, err := e.tell(ctx, d, 1)
	switch {
	case err != nil:
		return err
	case reply.CompletionTokens > limit:
		e.found(envs.CheckFail, "asked for at most %d tokens, got %d", limit, reply.CompletionTokens)
	case reply.CompletionTokens == 0 && len(fullText(reply)) >= len(fullText(e.first)) && fullText(reply) != "":
		e.found(envs.CheckWarn, "a reply of at most %d tokens is as long as one of at most %d", limit, storyTokens)
	default:
		e.found(envs.CheckOK, "honoured")
	}
	return nil
}

// stop asks for a stop at something that the first reply is known to hold.
func (e *examiner) stop(ctx context.Context) error {
	mark := middle(e.first.Text)
	if mark == "" {
		e.found(envs.CheckSkipped, "not examined: the reply has no text to stop at")
		return nil
	}
	d := e.story(0)
	d.Stop = []string{mark}
	reply, err := e.tell(ctx, d, 1)
	switch {
	case err != nil:
		return err
	case reply.Overran:
		e.found(envs.CheckFail, "asked to stop at %q, the reply goes past it", mark)
	default:
		e.found(envs.CheckOK, "honoured")
	}
	return nil
}

// middle returns a few printable ASCII characters from inside a text, or "".
func middle(text string) string {
	const length = 3
	odd := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) || r == ' ' }
	runs := strings.FieldsFunc(text, odd)
	for i := range runs {
		// From the middle run outwards to the end, then from the start.
		run := runs[(len(runs)/2+i)%len(runs)]
		if len(run) >= length {
			return run[:length]
		}
	}
	return ""
}

func (e *examiner) greedy(ctx context.Context) error {
	const times = 3
	replies, err := e.tellOften(ctx, 0, times)
	if err != nil {
		return err
	}
	if n := distinct(replies); n > 1 {
		e.found(envs.CheckWarn,
			"temperature 0 gave %d different replies to the same prompt, one call after the other: "+
				"results will not repeat exactly", n)
	} else {
		e.found(envs.CheckOK, "temperature 0 repeats itself, one call after the other")
	}
	return nil
}

func (e *examiner) sampling(ctx context.Context) error {
	const seeds = 4
	replies, err := e.tellOften(ctx, 1.3, seeds)
	if err != nil {
		return err
	}
	if distinct(replies) == 1 {
		e.found(envs.CheckWarn,
			"%d seeds at temperature 1.3 gave the same reply: the temperature or the seed is ignored, "+
				"and seeds would not measure any spread", seeds)
		return nil
	}
	e.seeds = true
	e.found(envs.CheckOK, "%d seeds at temperature 1.3 gave %d different replies", seeds, distinct(replies))
	return nil
}

// cache sends a prompt that the server has not seen three times with one seed. The second
// and the third time, it may be in the server's cache.
func (e *examiner) cache(ctx context.Context) error {
	if !e.seeds {
		return nil
	}
	prompt := e.log()
	var texts []string
	for range 3 {
		reply, err := e.chat(ctx, Request{Messages: []Message{{Role: User, Content: prompt}},
			Decoding: e.story(1.3), Seed: 1})
		if err != nil {
			return err
		}
		texts = append(texts, fullText(reply))
	}
	switch {
	case texts[1] != texts[2]:
		e.found(envs.CheckWarn, "the same seed gave another reply: runs can be compared, but not repeated exactly")
		return nil
	case texts[0] != texts[1]:
		e.add(CacheCheck, envs.CheckWarn, "%s",
			withHint("the same seed gave another reply once the server had the prompt in "+
				"its cache: an interrupted run may have other tables than an undisturbed one", e.client.Kind(),
				onCache))
		return nil
	}
	e.found(envs.CheckOK, "the same seed gives the same reply, also when the prompt was sent before")
	return nil
}

// log is a prompt of some hundred words, as far as the context has room. No server has seen
// it: it begins with the time.
func (e *examiner) log() string {
	const entries, words = 24, 16
	count := entries
	if limit := e.client.ContextLimit(); limit > 0 {
		count = min(count, (limit-storyTokens)/(4*words))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Log of a lighthouse, opened at %s.\n", e.client.now().Format(time.RFC3339Nano))
	for i := range count {
		fmt.Fprintf(&text, "Entry %d: wind from the west, force %d; lamp lit at 18:%02d; %d ships passed.\n", i+1,
			i%9+1,
			10+i, i*7%5)
	}
	return text.String() + "Tell a story about the keeper who wrote this. Begin at once."
}

// concurrent sends one prompt many times over. Kernels that sum in an order
// that depends on the batch give different replies.
func (e *examiner) concurrent(ctx context.Context) error {
	replies := make([]Reply, max(16, e.concurrency))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(e.concurrency)
	for i := range replies {
		group.Go(func() (err error) {
			replies[i], err = e.tell(groupCtx, e.story(0), 1)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if n := distinct(replies); n > 1 {
		e.found(envs.CheckWarn, "%s", withHint(
			fmt.Sprintf("%d identical prompts at temperature 0, %d in flight, gave %d different replies: "+
				"the server's arithmetic depends on what else it is computing, so results will not repeat exactly",
				len(replies), e.concurrency, n), e.client.Kind(), onBatch))
	} else {
		e.found(envs.CheckOK, "%d identical prompts at temperature 0, %d in flight, gave one reply", len(replies),
			e.concurrency)
	}
	return nil
}

// politeContext is the longest context in tokens that is filled just to see what happens.
const politeContext = 32 << 10

// usualContext is longer than the contexts to which servers cut prompts if nobody says what they shall have: 2048 to
// 8192 tokens. leastContext is a context in tokens that no server falls short of.
const usualContext, leastContext = 9 << 10, 256

// overflow sends a prompt that is certainly too long: no tokenizer makes less
// than one token of a word. If the context is not known, the prompt is a long one, but no longer than the user says:
// some servers cut prompts without a word.
func (e *examiner) overflow(ctx context.Context) error {
	limit := e.about.ContextLength
	if e.about.Software == ollamaSW {
		limit = e.client.ContextLimit()
	}
	words := limit + limit/8 + 16
	switch own := e.client.ContextLimit(); {
	case limit > politeContext:
		e.found(envs.CheckSkipped, "not examined: a context of %d tokens takes too long to fill", limit)
		return nil
	case limit == 0 && own > 0:
		words = min(usualContext, max(1, own-leastContext)) // with room for the chat template
	case limit == 0:
		words = usualContext
	}
	d := e.story(0)
	d.MaxTokens = 1
	prompt := strings.Repeat("a b c d ", (words+3)/4)
	limited, cancel := context.WithTimeout(ctx, FirstReply)
	defer cancel()
	reply, err := e.chat(limited, Request{Messages: []Message{{Role: User, Content: prompt}}, Decoding: d, Seed: 1})

	tooLong, isTooLong := errors.AsType[*ContextError](err)
	switch {
	case isTooLong && limit == 0:
		e.found(envs.CheckOK, "a prompt of %d tokens or more is refused: %s", words, tooLong.Message)
	case isTooLong:
		e.found(envs.CheckOK, "a prompt that does not fit is refused: %s", tooLong.Message)
	case ofItsRequest(err):
		e.found(envs.CheckWarn,
			"a prompt that does not fit is refused, but not in words that are known, so history "+
				"would not be trimmed after a refusal: %v", err)
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		e.found(envs.CheckSkipped, "not examined: a prompt of %d tokens got no reply within %v", words, FirstReply)
	case err != nil:
		return err
	default:
		e.spent(words, reply.PromptTokens, limit)
	}
	return nil
}

// spent says what it means that the server counted so many tokens in a prompt of so many words, or more tokens.
func (e *examiner) spent(words, counted, limit int) {
	switch {
	case counted >= words && limit > 0:
		e.found(envs.CheckWarn, "the server took a prompt of %d tokens, more than the context of %d that it reports",
			counted, limit)
	case counted >= words:
		e.found(envs.CheckOK, "a prompt of %d tokens is taken whole", counted)
	case counted < leastContext && limit == 0:
		e.found(envs.CheckSkipped, "not examined: the server counts %d tokens in a prompt of %d or more", counted, words)
	case limit > 0:
		e.found(envs.CheckWarn,
			"the server answered a prompt of at least %d tokens as if it were %d, with a context of %d: "+
				"it cuts prompts silently, so give a limit well below that with --context", words, counted, limit)
	default:
		e.found(envs.CheckWarn, "the server counted %d tokens in a prompt of %d or more: it cuts prompts silently; %s",
			counted, words, cutRemedy)
	}
}
