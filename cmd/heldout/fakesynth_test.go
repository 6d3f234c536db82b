package main

import (
	"fmt"
	"strings"
)

// fakeScript is a script that names a persona.
const fakeScript = `{"Environment": {"places": {"shop %[1]x": ["lamp"], "yard": []}}, "Goal": "Sell the lamp number %[1]x.", "Completion Conditions": ["the lamp is sold"],
"Available Actions": {"take {item}": {"verification code": "^take (\\w+)$", "parameters": {"item": ["lamp", "rope"]}}, "sell%[1]x {item}": {"verification code": "^sell%[1]x (\\w+)$", "parameters": {"item": ["lamp"]}}, "wait": {"verification code": "^wait$", "parameters": {}}}}`

// fakeTurns are a game that passes, with a word that makes it different from others.
func fakeTurns(sum uint64) []string {
	master := func(n int, observation string, wrong bool) string {
		return fmt.Sprintf(
			`{"turn": %d, "role": "DM", "Thought": "", "Observation": %q, "parameter_error": %v, "place_error": false, "logic_error": false}`, n, observation, wrong)
	}
	player := func(n int, action string) string {
		return fmt.Sprintf(`{"turn": %d, "role": "Player", "Thought": "I try %x%d and %s and %x.", "Action": %q}`, n,
			sum, n, action, sum>>8+uint64(n), action)
	}
	return []string{
		master(1, fmt.Sprintf("You are in shop %x.", sum), false),
		player(2, "take lmap"), master(3, fmt.Sprintf("There is no lmap %x here.", sum), true),
		player(4, "take lamp"), master(5, "You take it.", false),
		player(6, "take book"), master(7, "There is no book.", true),
		player(8, "wait"), master(9, fmt.Sprintf("Task Succeed after %x.", sum), false),
	}
}

// fakeSynthReply writes scripts and games with all kinds of mistakes, and labels of
// turns; false if the prompt asks for neither.
func fakeSynthReply(prompt string, sum uint64) (text, finish string, ok bool) {
	turns := fakeTurns(sum)
	game := "[" + strings.Join(turns, ", ") + "]"
	finish = "stop"
	switch {
	case strings.HasSuffix(prompt, "\nScript:"):
		text = fmt.Sprintf(fakeScript, sum)
		switch sum % 12 {
		case 0:
			text = "I would rather not."
		case 1:
			text = strings.Replace(text, `"Goal"`, `"Aim"`, 1)
		case 2:
			text = strings.Replace(text, "^wait$", "^await$", 1)
		case 3:
			text = strings.Replace(text, "^wait$", "^(?!x)wait$", 1)
		case 4:
			finish = "length"
		}
	case strings.HasSuffix(prompt, "\nTurns:") && strings.Contains(prompt, "These turns of the game are verified:"):
		text = "[" + strings.Join(turns[3:], ", ") + "]"
	case strings.HasSuffix(prompt, "\nTurns:"):
		switch text = game; sum % 9 {
		case 0:
			text = "It went well."
		case 1:
			text = strings.Replace(game, `"Action": "take lamp"`, `"Action": "steal lamp"`, 1)
		case 2:
			text = strings.Replace(game, "Task Succeed", "Done", 1)
		case 3:
			text = strings.Replace(game, `"parameter_error": true`, `"parameter_error": "yes"`, 1)
		case 4:
			text = "[" + strings.Join(turns[:2], ", ") + "]"
		case 5:
			finish = "length"
		}
	case strings.Contains(prompt, `{"verdict": "right", "kind": null}`):
		text = []string{`Fine. {"verdict": "right", "kind": null}`, `No. {"verdict": "wrong", "kind": "logic"}`,
			"Who knows?"}[sum%7%3]
	default:
		return "", "", false
	}
	return text, finish, true
}
