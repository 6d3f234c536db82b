package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"heldout/configs"
	"heldout/envs/pytext"
	"heldout/eval/agent/bleu"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// settle turns what was read into what is sent.
func (f *formed) settle(ctx context.Context, p parsed, ok bool, move *Move) error {
	if !ok {
		if err := f.failure(ctx, p, move); err != nil || move.Correction != "" || move.End != "" {
			return err
		}
	}
	admissible := func() ([]string, error) { return f.admissible(ctx) }
	for _, n := range f.normalisers {
		prev := move.Action
		var err error
		if move.Action, err = n.apply(prev, admissible); err != nil {
			return err
		}
		if move.Action != prev {
			move.Repairs = append(move.Repairs, n.name)
		}
	}
	if ok && move.Action != p.action {
		move.Parsed = p.action
	}
	if f.play.Agent.Thoughts != "" && strings.HasPrefix(move.Action, ThoughtAction) {
		move.Answer = f.play.Reply.Messages["thought"]
	}
	return nil
}

// failure applies the rule for replies without an action.
func (f *formed) failure(ctx context.Context, p parsed, move *Move) error {
	rule := f.play.Reply.OnFailure
	if f.play.Reply.Parser == wholeReply && pytext.Strip(f.last().reply) == "" {
		rule = configs.SendEmpty // as TALES does
	}
	message := f.play.Reply.Messages["format"]
	if p.occasion == unanswered {
		rule = configs.End
	}
	if own := f.play.Reply.Messages[p.occasion]; own != "" {
		rule, message = configs.Tell, own
	}
	move.unread("")
	move.Repairs = append(move.Repairs, rule)
	move.Action = ""
	name, number, _ := strings.Cut(rule, ":")
	switch name {
	case configs.Tell:
		if strings.Contains(message, "{actions}") {
			if _, err := f.admissible(ctx); err != nil {
				return err
			}
		}
		f.corrected = true
		message = strings.TrimPrefix(message, numbered(f.play.Observation.Prefix, f.number())) // which it gets again
		move.Correction = strings.NewReplacer("{observation}", f.observation, "{actions}",
			writeActions(f.play.ActionsShown, f.last().admissible)).Replace(message)
	case configs.End:
		move.End = record.Unreadable
	case configs.SendReply:
		move.Action = pytext.Strip(cmp.Or(p.action, f.last().reply))
	case configs.SendTail:
		n, err := strconv.Atoi(number)
		if err != nil {
			return fmt.Errorf("on-failure is %q: %w", rule, err)
		}
		move.Action = tail(cmp.Or(p.action, f.last().reply), n)
	}
	return nil
}

// ThoughtAction begins an action that is a thought.
const ThoughtAction = "think:"

// SecondCall is the repair of a reply that is only a thought: the model is asked for the action.
const SecondCall = "second-call"

// CutSecondCall separates the two replies of a move that was repaired so. The second one is a line.
func CutSecondCall(reply string) (first, second string) {
	i := strings.LastIndex(reply, "\n")
	return reply[:max(0, i)], reply[i+1:]
}

// AskedAgain is the repair of a reply that is too short: the model is asked once more.
const AskedAgain = "asked-again"

// CutAsked cuts a reply that was repaired so into those that were received: a line for each
// that was asked for again.
func CutAsked(reply string, repairs []string) []string {
	retries := 0
	for _, rule := range repairs {
		if rule == AskedAgain {
			retries++
		}
	}
	return strings.SplitN(reply, "\n", retries+1)
}

// answered asks for a reply, after a thought if the preset says so.
func (f *formed) answered(ctx context.Context) (model.Reply, Usage, error) {
	rule := f.play.Agent.Think
	if rule.Ask == "" {
		return f.request(ctx, f.stops)
	}
	length := f.Decoding.MaxTokens
	defer func() { f.asks = forReply }()
	f.asks, f.Decoding.MaxTokens = forThought, rule.MaxTokens
	thought, used, err := f.request(ctx, f.stops)
	f.Decoding.MaxTokens = length
	if err != nil {
		return thought, used, err
	}
	f.asks, f.thought = forAction, pytext.Strip(thought.Text)
	reply, further, err := f.request(ctx, f.stops)
	used.plus(further)
	reply.Fault = cmp.Or(reply.Fault, thought.Fault)
	return reply, used, err
}

// read reads a reply, and keeps what the history holds of it.
func (f *formed) read(text string) (p parsed, ok bool) {
	rules := f.play.Reply
	if text == "" && rules.Retry.Empty {
		return parsed{occasion: unanswered}, false
	}
	if rules.Blank != "" && pytext.Strip(text) == "" {
		text = rules.Blank
	}
	thought := ""
	for _, name := range rules.Thinks.Models {
		if !strings.Contains(f.name, name) {
			continue
		}
		head, rest, ended := strings.Cut(text, rules.Thinks.Until)
		if !ended {
			return parsed{occasion: unanswered}, false
		}
		thought, text = pytext.Strip(strings.TrimPrefix(pytext.Strip(head), "<think>")), rest
	}
	p, ok = f.parse(text, f.number())
	p.thought, f.last().reply = cmp.Or(p.thought, thought), text
	return p, ok
}

// unanswered is the occasion of a reply that ends an episode, whatever the preset does with
// others that it cannot read.
const unanswered = "unanswered"

// askFurther asks again for a reply that is too short, as the preset says.
func (f *formed) askFurther(ctx context.Context, reply *model.Reply, move *Move) error {
	rule, first := f.play.Reply.Retry, f.Decoding.Temperature
	defer func() { f.Decoding.Temperature, f.asks = first, forReply }()
	short := func() bool {
		return rule.Empty && reply.Text == "" || utf8.RuneCountInString(pytext.Strip(reply.Text)) < rule.Short
	}
	for call := 1; call < rule.Calls && short(); call++ {
		f.Decoding.Temperature = first + float64(call)*rule.Warmer
		if rule.Empty {
			f.asks, f.repeats = onceMore, call
		}
		next, used, err := f.request(ctx, f.stops)
		move.Usage.plus(used)
		if err != nil {
			return err
		}
		*reply = next
		move.FinishReason, move.Fault, move.Reasoning = next.FinishReason, next.Fault, next.Reasoning
		move.Reply += "\n" + next.Text
		move.Repairs = append(move.Repairs, AskedAgain)
	}
	if short() {
		reply.Text = ""
	}
	return nil
}

// askAgain asks for the action after a reply that is only a thought.
func (f *formed) askAgain(ctx context.Context, p *parsed, move *Move) error {
	f.last().reply = p.thought + fmt.Sprintf("\nAction %d:", f.number())
	f.asks = forRest
	reply, used, err := f.request(ctx, []string{"\n"})
	f.asks = forReply
	move.Usage.plus(used)
	if err != nil {
		return err
	}
	move.Reply += "\n" + reply.Text
	move.Repairs = append(move.Repairs, SecondCall)
	action := pytext.Strip(reply.Text)
	p.action = lowerFirst(action)
	f.last().reply += " " + action
	return nil
}

// normaliser changes an action before it is sent. admissible lists what the
// environment accepts now; it is called only if that is needed.
type normaliser struct {
	name string
	// lists: it needs the admissible actions.
	lists bool
	apply func(action string, admissible func() ([]string, error)) (string, error)
}

// newNormaliser returns the normaliser of that name:
//
//   - lower: lower case.
//   - first-line: the first line of the text without white space around it.
//   - nearest-bleu:T: an action that is not admissible becomes the admissible
//     action with the highest BLEU, if that is above T.
func newNormaliser(name string) (normaliser, error) {
	plain := func(f func(string) string) (normaliser, error) {
		return normaliser{name, false, func(action string, _ func() ([]string, error)) (string, error) {
			return f(action), nil
		}}, nil
	}
	switch name {
	case "lower":
		return plain(pytext.Lower)
	case "first-line":
		return plain(func(action string) string {
			line, _, _ := strings.Cut(pytext.Strip(action), "\n")
			return line
		})
	}
	number, ok := strings.CutPrefix(name, configs.NearestBLEU+":")
	threshold, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(threshold >= 0 && threshold < 1) {
		return normaliser{}, fmt.Errorf("unknown normalisation %q; there are lower, first-line and nearest-bleu:T "+
			"with T from 0 to less than 1", name)
	}
	return normaliser{name, true, func(action string, admissible func() ([]string, error)) (string, error) {
		choices, err := admissible()
		if err != nil || action == "" || slices.Contains(choices, action) {
			return action, err
		}
		if nearest, ok := bleu.Nearest(action, choices, threshold); ok {
			return nearest, nil
		}
		return action, nil
	}}, nil
}

func tail(text string, n int) string {
	runes := []rune(text)
	return string(runes[max(0, len(runes)-n):])
}
