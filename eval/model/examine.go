package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strconv"
	"strings"
	"time"

	"heldout/envs"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Examine finds out whether a server can be benchmarked: whether it is there, has the model, honours every decoding
// field, repeats itself where it should, and refuses what it cannot hold. The extra fields go into every call, as
// in Decoding.Extra; concurrency is the number of calls that a run would have in flight. It waits 10 seconds for
// the server, and makes about a dozen short calls. Then it makes 16 calls at once, or as many as the concurrency if
// that is more, to see whether they affect each other.
//
// The checks come one by one as they are made, in a fixed order. They end early if nothing
// further can be learned, because there was no server, no reply or no time.
func Examine(ctx context.Context, c *Client, extra map[string]any, concurrency int) iter.Seq[envs.Check] {
	return func(yield func(envs.Check) bool) {
		e := &examiner{client: c, extra: extra, concurrency: max(concurrency, 1)}
		for _, p := range []probe{
			{make: e.server}, {make: e.reply}, {"max_tokens", lengthFields, e.maxTokens},
			{"stop", []string{stopField, "temperature"}, e.stop}, {"greedy", []string{"temperature"}, e.greedy},
			{SamplingCheck, []string{"temperature", "top_p", "top_k", seedField}, e.sampling}, {"seed", nil, e.cache},
			{"concurrency", []string{"temperature"}, e.concurrent},
			{"overflow", []string{"num_ctx", "truncate_prompt_tokens"}, e.overflow},
		} {
			err := e.try(ctx, p)
			for _, check := range e.checks {
				if !yield(check) {
					return
				}
			}
			if e.checks = nil; err != nil {
				return
			}
		}
	}
}

// The checks that a diagnosis uses: they warn if all seeds give one reply, and if a prompt in
// the server's cache gets another one.
const (
	SamplingCheck = "sampling"
	CacheCheck    = "cache"
)

// probe makes at least one check. It has the name of its only one, or none if it tells itself what fails.
type probe struct {
	name   string
	fields []string // the extra fields of which each decides the check
	make   func(context.Context) error
}

// examiner makes the checks.
type examiner struct {
	client      *Client
	extra       map[string]any
	concurrency int
	checks      []envs.Check // of the last probe
	name        string       // of that

	// seeds: replies differ by their seeds.
	seeds bool
	about record.ServerReport
	first Reply
}

func (e *examiner) add(name string, status envs.CheckStatus, format string, args ...any) {
	e.checks = append(e.checks, envs.Check{Name: name, Status: status, Text: fmt.Sprintf(format, args...)})
}

// found adds the check of the probe.
func (e *examiner) found(status envs.CheckStatus, format string, args ...any) {
	e.add(e.name, status, format, args...)
}

// try makes a probe, unless the extra fields decide it. It returns an error if there is no point in going on, because
// every further call would fail, too.
func (e *examiner) try(ctx context.Context, p probe) error {
	e.name = p.name
	for _, field := range p.fields {
		if _, set := e.extra[field]; set {
			e.found(envs.CheckSkipped, "not examined: the extra field %q decides it", field)
			return nil
		}
	}
	err := p.make(ctx)
	if err == nil || p.name == "" {
		return err
	}
	e.found(envs.CheckFail, "%v", err)
	if errors.As(err, new(*ContextError)) || ofItsRequest(err) {
		return nil
	}
	return err
}

// ofItsRequest reports whether an error refuses one request because of its
// content. The probes differ in their decoding, so others may succeed.
func ofItsRequest(err error) bool {
	refused, ok := errors.AsType[*RequestError](err)
	return ok && (refused.Field != "" || !refused.Fatal())
}

// storyPrompt has no short answer and no single correct answer, even for a good model.
const storyPrompt = "Tell a story about a lighthouse keeper who finds a strange boat. Begin at once."

// storyTokens is long enough for two samples to differ, and short enough not to burden the server.
const storyTokens = 48

// story is the decoding of a probe, sampled at that temperature.
func (e *examiner) story(temperature float64) record.Decoding {
	return record.Decoding{Temperature: temperature, TopP: 1, MaxTokens: storyTokens, Extra: e.extra}
}

// chat makes a call, and waits for a server that is busy, but not for long.
func (e *examiner) chat(ctx context.Context, req Request) (reply Reply, err error) {
	const mostRefused = 7
	for refused := range mostRefused + 1 {
		reply, err = e.client.Chat(ctx, req)
		reply.Attempts += refused
		busy, ok := errors.AsType[*UnavailableError](err)
		if !ok || !busy.Busy || busy.Wait > LongWait || Pause(ctx, cmp.Or(busy.Wait, time.Second)) != nil {
			break
		}
	}
	return reply, err
}

func (e *examiner) tell(ctx context.Context, d record.Decoding, seed int64) (Reply, error) {
	return e.chat(ctx, Request{Messages: []Message{{Role: User, Content: storyPrompt}}, Decoding: d, Seed: seed})
}

// fullText is the whole content of a reply, reasoning included: a reasoning model may
// not finish its reasoning in so few tokens.
func fullText(r Reply) string { return r.Reasoning + r.Text }

// tellOften has the story told with the seeds 0, 1, 2 and so on.
func (e *examiner) tellOften(ctx context.Context, temperature float64, times int) (replies []Reply, err error) {
	for seed := range int64(times) {
		reply, err := e.tell(ctx, e.story(temperature), seed)
		if err != nil {
			return nil, err
		}
		replies = append(replies, reply)
	}
	return replies, nil
}

func distinct(replies []Reply) int {
	texts := map[string]bool{}
	for _, r := range replies {
		texts[fullText(r)] = true
	}
	return len(texts)
}

func (e *examiner) server(ctx context.Context) error {
	about, err := e.client.about(ctx)
	if err != nil {
		e.add("reachable", envs.CheckFail, "%v", err)
		return err
	}
	e.about = about
	e.add("reachable", envs.CheckOK, "the server answers")
	e.present()
	if about.Version != "" {
		e.add("version", envs.CheckOK, "%s %s", about.Software, about.Version)
	} else {
		e.add("version", envs.CheckSkipped,
			"the server does not tell its version: note it yourself, results depend on it")
	}
	e.context()
	return nil
}

// about asks a server about itself, and does not wait for long. The error says what helps.
func (c *Client) about(ctx context.Context) (record.ServerReport, error) {
	limited, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	report, err := c.Server(limited)
	stopped, repeated := errors.AsType[*StoppedError](err)
	switch {
	case err == nil || ctx.Err() != nil:
	case repeated && strings.HasSuffix(stopped.Last, checkAddress):
		err = fmt.Errorf("%s: %s", c.url, stopped.Last)
	case repeated:
		err = fmt.Errorf("%s: %s; a server that still loads its model is waited for with --set wait-for-servers=10m", c.url,
			stopped.Last)
	case limited.Err() != nil:
		err = errors.New(withHint(fmt.Sprintf("%s: no answer within %v", c.url, pingTimeout), c.Kind(), onAddress))
	default:
		err = c.absent(err)
	}
	return report, err
}

// absent adds what helps if nobody answers.
func (c *Client) absent(err error) error {
	if nobody, ok := errors.AsType[*UnavailableError](err); ok && nobody.Status == 0 {
		return errors.New(withHint(err.Error(), c.Kind(), onAddress))
	}
	return err
}

// Reach checks with one call whether a server is there.
func Reach(ctx context.Context, c *Client) envs.Check {
	if err := c.Ping(ctx); err != nil {
		return envs.Check{Name: "reachable", Status: envs.CheckFail, Text: c.absent(err).Error()}
	}
	return envs.Check{Name: "reachable", Status: envs.CheckOK, Text: "the server answers"}
}

// FirstReply is how long the first reply may take: some servers load the model for it.
const FirstReply = 2 * time.Minute

func (e *examiner) present() {
	name := e.client.spec.Name
	hinted := func(format string, args ...any) string {
		return withHint(fmt.Sprintf(format, args...), e.client.Kind(), onName)
	}
	switch {
	case e.about.Present:
		e.add("model", envs.CheckOK, "%q is there", name)
	case len(e.about.Models) == 0:
		e.add("model", envs.CheckSkipped, "the server lists no models")
	case e.about.Software == llamaCpp:
		e.add("model", envs.CheckWarn, "%s", hinted(
			"the server has %s and answers for any name: the results would go under %q", quoteSome(e.about.Models),
			name))
	default:
		// Services have models that they do not list, such as variants.
		status := envs.CheckWarn
		if e.about.Software != "" {
			status = envs.CheckFail
		}
		e.add("model", status, "%s", hinted("%q is not there; the server has %s", name, quoteSome(e.about.Models)))
	}
}

// quoteSome lists the first names of a list that may be long.
func quoteSome(names []string) string {
	const limit = 20
	quoted := table.Each(names[:min(len(names), limit)], strconv.Quote)
	if extra := len(names) - limit; extra > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", extra))
	}
	return strings.Join(quoted, ", ")
}

func (e *examiner) context() {
	limit, length := e.client.ContextLimit(), e.about.ContextLength
	switch {
	case limit == 0:
		e.add("context", envs.CheckWarn,
			"the server does not tell the model's context length: give it with --context, or prompts are only "+
				"trimmed once refused")
	case length > 0 && limit > length:
		e.add("context", envs.CheckFail, "%s", withHint(fmt.Sprintf(
			"the limit of %d tokens is more than the %d that the server reports: lower --context", limit, length),
			e.client.Kind(), onContext))
	case length > limit:
		text := fmt.Sprintf("%d tokens, of %d that the model could have", limit, length)
		if e.client.Kind() == ollamaSW { // not a limit of the server
			text = withHint(text, ollamaSW, onContext)
		}
		e.add("context", envs.CheckOK, "%s", text)
	default:
		e.add("context", envs.CheckOK, "%d tokens", limit)
	}
}

// reply makes the first call, which is given some time. When it is refused, a call that leaves the
// sampling to the server tells whether that is what was refused.
func (e *examiner) reply(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, FirstReply)
	defer cancel()
	reply, err := e.tell(limited, e.story(0), 1)
	if limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%s: no reply within %v", e.client.url, FirstReply)
	}
	if ofItsRequest(err) {
		bare := e.story(0)
		bare.Extra = map[string]any{"seed": nil}
		for _, name := range samplingFields {
			bare.Extra[name] = nil
		}
		maps.Copy(bare.Extra, e.extra)
		if _, bareErr := e.tell(ctx, bare, 1); bareErr == nil {
			e.add("reply", envs.CheckOK, "a reply comes")
			e.add("decoding", envs.CheckFail, "a reply comes only if the sampling is left to the server: %v", err)
			return err
		}
	}
	if err != nil {
		e.add("reply", envs.CheckFail, "%v", err)
		return err
	}
	e.first = reply
	switch {
	case reply.Attempts > 1 && len(reply.Dropped) == 0:
		e.add("reply", envs.CheckWarn, "it took %d attempts to get a reply: %s", reply.Attempts, excerpt(reply))
	case fullText(reply) == "":
		e.add("reply", envs.CheckWarn, "%s", withHint(
			"the reply is empty: does the server use the model's own chat template?", e.client.Kind(), onTemplate))
	default:
		e.add("reply", envs.CheckOK, "%s", excerpt(reply))
	}
	if len(reply.Dropped) > 0 {
		e.add("decoding", envs.CheckWarn,
			"the server refuses %s: a run leaves that to the server, and its records and tables say so",
			strings.Join(reply.Dropped, ", "))
	} else if e.about.Software == "" && e.client.spec.Provider == OpenAI {
		e.add("decoding", envs.CheckOK,
			"the decoding fields are accepted; the kind of server is not known, so set its top_k, "+
				"min_p and the like with --extra-body if it has them")
	} else {
		e.add("decoding", envs.CheckOK, "the decoding fields are accepted")
	}
	if reply.OtherModel {
		e.add("answers", envs.CheckWarn, "the reply is by %s, another model of the server's list: results would go under %q",
			reply.Model, e.client.spec.Name)
	}
	if reply.PromptTokens > 0 && (reply.CompletionTokens > 0 || fullText(reply) == "") {
		e.add("usage", envs.CheckOK, "%d prompt and %d completion tokens reported", reply.PromptTokens,
			reply.CompletionTokens)
	} else {
		e.add("usage", envs.CheckWarn,
			"the server does not report the tokens used: they will be missing from the records")
	}
	return nil
}

// excerpt is the beginning of a reply, quoted.
func excerpt(r Reply) string {
	const limit = 60
	text := []rune(strings.TrimSpace(fullText(r)))
	if len(text) > limit {
		return fmt.Sprintf("%q …", string(text[:limit]))
	}
	return fmt.Sprintf("%q", string(text))
}
