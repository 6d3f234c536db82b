package configs

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// toolName is what servers take as the name of a function.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// checkForm reports settings without an effect: those that the agent's form ignores.
func (p *Play) checkForm(errs *complaints) {
	a, r := p.Agent, p.Reply
	only := func(set bool, field string, forms ...string) {
		errs.want(!set || slices.Contains(forms, a.Form), "%s is for the forms %s, not for %s", field,
			strings.Join(forms, ", "), a.Form)
	}
	ruled := []string{Chat, ToolCall, Single, Completion, Text} // the others have rules of their own
	only(p.Observation != Observation{}, "observation", ruled...)
	only(p.ActionsShown.When != Never, "actions-shown", ruled...)
	only(len(r.Normalise) > 0, "reply.normalise", ruled...)
	only(r.Reasoning != "", "reply.reasoning", ruled...)
	only(len(r.Messages) > 0, "reply.messages", ruled...)
	only(a.Thoughts != "", "agent.thoughts", ruled...)
	only(p.Stop.ContextOverflow == End, "stop.context-overflow: end", append(ruled, Act)...)
	only(a.Pairs > 0, "agent.pairs", Single, Chat)
	only(a.Joined, "agent.joined", Chat)
	only(a.Think != Think{}, "agent.think", Chat)
	errs.want(a.Think == Think{} || a.Think.Ask != "" && a.Think.Then != "" && a.Think.MaxTokens > 0,
		"agent.think wants ask, then and max-tokens")
	errs.want(a.Left == "" || a.Form == Chat && a.Pairs > 0, "agent.left is for agent.pairs of the form chat")
	errs.want(a.Form != Chat || a.Pairs == 0 || a.Acknowledge == "" && a.Shots.As == "" && a.Filter == Filter{},
		"agent.pairs of the form chat is for prompts that are only a system message")
	only(a.Said != "", "agent.said", Chat)
	only(a.Filter != Filter{}, "agent.filter", Chat)
	errs.want(a.Filter.Notice == "" || a.Filter.Segments > 0, "agent.filter.segments is missing")
	only(r.Messages["call"] != "", "reply.messages.call", ToolCall)
	errs.want(p.ActionsShown.Older == "" || p.ActionsShown.When == Latest, "actions-shown.older is for when: latest")
	errs.want(a.Said == "" || strings.Contains(a.Said, "{reply}"), "agent.said lacks the slot {reply}")
	only(a.Acknowledge != "", "agent.acknowledge", Chat, ToolCall)
	only(a.Tool != Tool{}, "agent.tool", ToolCall)
	only(r.Parser == ToolCall, "reply.parser tool-call", ToolCall)
	if a.Form == ToolCall {
		errs.want(r.Parser == ToolCall, "the form tool-call has reply.parser tool-call")
		errs.want(toolName.MatchString(a.Tool.Name) && toolName.MatchString(a.Tool.Argument),
			"agent.tool needs name and argument: up to 64 letters, digits, _ and -")
	}
	only(len(a.Wraps) > 0 || a.Added != "", "agent.wraps", Act)
	errs.want(len(a.Wraps) <= maxTexts, "agent.wraps has more than %d entries", maxTexts)
	for _, w := range a.Wraps {
		errs.want(w.Model != "" && w.Model == strings.ToLower(w.Model) && w.Text != "",
			"agent.wraps: want part of a model's name in lower case, and a text")
	}
	only(a.Cue != "", "agent.cue", Completion, Text)
	only(a.Memory != MemoryForm{}, "agent.memory", Chat, ToolCall, Single, Completion, Text)
	only(a.Reflection.Given(), "agent.reflection", Completion, Text)
	errs.want(a.Reflection.Given() || a.Reflection.Before == "", "agent.reflection.end is missing")
	if a.Reflection.Given() {
		a.Reflection.Decoding.check(errs)
	}
	only(a.CueFollows, "agent.cue-follows", Completion, Text)
	only(r.Again != Again{}, "reply.again", Chat, Single, Completion, Text)
	errs.want(r.Again == Again{} || r.Again.Empty != (r.Again.Under > 0) && r.Again.Calls > 1 && r.Again.Warmer >= 0,
		"reply.again wants under or empty, at least 2 calls, and no negative warmer")
	errs.want(!r.Again.Empty || a.Form == Chat, "reply.again.empty is for the form chat")
	errs.want((r.Thinks.Until == "") == (len(r.Thinks.Models) == 0) && len(r.Thinks.Models) <= maxTexts &&
		!slices.Contains(r.Thinks.Models, ""), "reply.thinks wants models and until")
	errs.want(r.Thinks.Until == "" && r.Blank == "" || r.Parser == "whole-reply",
		"reply.thinks and reply.blank are for reply.parser whole-reply")
	only(a.Shots.As == "turns", "agent.shots.as: turns", Chat, ToolCall)
	only(a.Shots.As == "text", "agent.shots.as: text", Chat, ToolCall, Completion, Text)
	only(r.Parser == "thought-action-i", "reply.parser thought-action-i", Completion, Text)
	switch a.Form {
	case React:
		errs.want(r.Parser == "agentrefine" && cmp.Or(r.OnFailure, Tell) == Tell,
			"the form react has reply.parser agentrefine and reply.on-failure tell")
	case Act:
		errs.want(r.Parser == "agentboard" && cmp.Or(r.OnFailure, SendEmpty) == SendEmpty,
			"the form act has reply.parser agentboard and reply.on-failure send-empty")
	default:
		errs.want(r.OnFailure != "", "reply.on-failure is missing")
	}
}

func (r ReplyRules) checkNumbers(errs *complaints) {
	for _, n := range r.Normalise {
		if text, ok := strings.CutPrefix(n, "nearest-bleu:"); ok {
			threshold, err := strconv.ParseFloat(text, 64)
			errs.want(err == nil && threshold > 0 && threshold < 1,
				"reply.normalise is %.50q: want a threshold between 0 and 1", n)
		}
	}
	if text, ok := strings.CutPrefix(r.OnFailure, SendTail+":"); ok {
		n, err := strconv.Atoi(text)
		errs.want(err == nil && n > 0, "reply.on-failure is %.50q: want a whole number of characters above 0",
			r.OnFailure)
	}
}
