package agent

import (
	"encoding/json"
	"fmt"

	"heldout/configs"
	"heldout/eval/model"
)

// ReadAs returns what a preset makes of an action that a model says in its form, before the
// repair that needs the list of possible actions. It is another text if the form cannot hold
// the action, such as capitals where replies are read in lower case.
func ReadAs(play configs.Play, action string) (string, error) {
	parse := parsers[play.Reply.Parser]
	if parse == nil {
		return "", fmt.Errorf("unknown parser %q", play.Reply.Parser)
	}
	reply := "Thought: I see.\nAction: " + action
	switch play.Reply.Parser {
	case "react-line", wholeReply, "agentboard":
		reply = action
	case "upper-action-line":
		reply = "THOUGHT: I see.\nACTION: " + action
	case "action-tags", "action-tags-cased":
		reply = "<think>I see.</think>\n<action>" + action + "</action>"
	case numberedParser:
		reply = "I see.\nAction 1: " + action
	case configs.ToolCall:
		arguments, err := json.Marshal(map[string]string{play.Agent.Tool.Argument: action})
		if err != nil {
			return "", err
		}
		reply = callReply{Call: model.ToolCall{Name: play.Agent.Tool.Name, Arguments: string(arguments)}}.text()
	}
	p, ok := parse(reply, 1)
	if !ok {
		return "", nil
	}
	for _, name := range play.Reply.Normalise {
		n, err := newNormaliser(name)
		if err != nil {
			return "", err
		}
		if !n.lists {
			if p.action, err = n.apply(p.action, nil); err != nil {
				return "", err
			}
		}
	}
	return p.action, nil
}
