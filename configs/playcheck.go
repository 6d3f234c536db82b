package configs

import (
	"cmp"
	"slices"
	"strings"
)

// checkForm reports settings without an effect: those that the agent's form ignores.
func (p *Play) checkForm(errs *Faults) {
	a, r := p.Agent, p.Reply
	only := func(set bool, field string, forms ...string) {
		errs.want(!set || slices.Contains(forms, a.Form), "%s is for the forms %s, not for %s", field,
			strings.Join(forms, ", "), a.Form)
	}
	ruled := []string{Chat, ToolCall, Single, Completion, Text} // the others have rules of their own
	only(p.Observation != Observation{}, "observation", ruled...)
	only(p.ActionsShown.Timing != Never, "actions-shown", ruled...)
	only(r.Reasoning != "", "reply.reasoning", ruled...)
	only(len(r.Messages) > 0, "reply.messages", ruled...)
	only(p.Stop.ContextOverflow == End, "stop.context-overflow: end", append(ruled, Act)...)
	only(a.Pairs > 0, "agent.pairs", Single, Chat)
	errs.want(a.Form != Chat || a.Pairs == 0 || a.Acknowledge == "" && a.Shots.Format == "",
		"agent.pairs of the form chat is for prompts that are only a system message")
	only(r.Messages["call"] != "", "reply.messages.call", ToolCall)
	only(a.Acknowledge != "", "agent.acknowledge", Chat, ToolCall)
	only(a.Cue != "", "agent.cue", Completion, Text)
	only(r.Parser == ToolCall, "reply.parser tool-call", ToolCall)
	if a.Form == ToolCall {
		errs.want(r.Parser == ToolCall, "the form tool-call has reply.parser tool-call")
	}
	only(a.Shots.Count > 0 && len(a.Shots.Order) == 0, "agent.shots.count", Chat, ToolCall, Completion, Text)
	only(a.Shots.Format == "turns", "agent.shots.as: turns", Chat, ToolCall)
	only(a.Shots.Format == "text", "agent.shots.as: text", Chat, ToolCall, Completion, Text)
	only(r.Parser == thoughtActionI, "reply.parser "+thoughtActionI, Completion, Text)
	switch a.Form {
	case React:
		errs.want(r.Parser == "agentrefine" && cmp.Or(r.OnFailure, Tell) == Tell,
			"the form react has reply.parser agentrefine and reply.on-failure tell")
	case Act:
		errs.want(r.Parser == "agentboard" && cmp.Or(r.OnFailure, SendEmpty) == SendEmpty,
			"the form act has reply.parser agentboard and reply.on-failure send-empty")
	default:
		errs.want(r.OnFailure != "" || slices.Contains(alwaysRead(), r.Parser), "reply.on-failure is missing")
	}
}
