package agent

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"heldout/configs"
	"heldout/eval/model"
)

// filtered leaves out messages as a preset's filter says.
func filtered(rule configs.Filter, messages []model.Message) []model.Message {
	if rule.Segments == 0 {
		return messages
	}
	start, sum := len(messages), segments(messages[0].Content)
	for start > 1 {
		if sum += segments(messages[start-1].Content); sum >= rule.Segments {
			break
		}
		start--
	}
	if start < len(messages) && messages[start].Role == model.User {
		start++
	}
	if start <= 1 {
		return messages
	}
	first := messages[0]
	first.Content += strings.ReplaceAll(rule.Notice, "{omitted}", strconv.Itoa(start-1))
	return slices.Concat([]model.Message{first}, messages[start:])
}

// longestSegment is the largest number of letters in a segment.
const longestSegment = 7

func segments(text string) (n int) {
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			if letters%longestSegment == 0 {
				n++
			}
			letters++
			continue
		}
		letters = 0
		if r != ' ' && r != '\n' {
			n++
		}
	}
	return n
}
