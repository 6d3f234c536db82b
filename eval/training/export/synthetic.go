package export

import (
	"fmt"
	"strings"

	"heldout/envs/datafile"
	"heldout/eval/agent"
	"heldout/eval/model"
	"heldout/eval/training/synth"
)

// Synthetic is the environment of trajectories that a model made.
const Synthetic = "synthetic"

// instruction begins the conversation of a trajectory. AgentRefine does not say what its own is.
const instruction = `You act in an environment that is described in text. In each turn, you are told
what you observe. Reply with a thought and one action, in exactly this form:
Thought: what you think
Action: the action`

// itemConversation writes a verified trajectory as a conversation: observations of the master are the user's
// messages, and a thought with an action is a reply in the form of ReAct. The master's thoughts and the description
// of the environment, which the player cannot see, are left out.
func itemConversation(i *synth.Item) []Conversation {
	var messages []Message
	user := introduction(i.Script)
	add := func(m Message) { messages = append(messages, m) }
	end := 0
	for k, t := range i.Turns {
		if t.Master {
			user = strings.TrimPrefix(user+"\n\nObservation: "+t.Observation, "\n\n")
			continue
		}
		add(Message{Role: model.User, Content: user})
		user = ""
		add(Message{model.Assistant, agent.Canonical(oneLine(t.Thought), oneLine(t.Action)), i.Train[k]})
		if i.Train[k] {
			end = len(messages)
		}
	}
	if end == 0 {
		return nil
	}
	return []Conversation{{messages[:end], 1}}
}

// oneLine keeps a thought or an action from being read as several.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func introduction(s *synth.Script) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nYour goal: %s\n\nActions:", instruction, s.Goal)
	for _, a := range s.Actions {
		fmt.Fprintf(&b, "\n- %s", a.Template)
		for _, name := range a.Slots {
			if values := a.Values[name]; len(values) > 0 {
				fmt.Fprintf(&b, "\n  %s: %s", name, strings.Join(values, ", "))
			}
		}
	}
	return b.String()
}

// itemTask is the name of a trajectory's task: the hash of its script.
func itemTask(i *synth.Item) string { return "script/" + datafile.Hash(i.Raw)[:20] }
