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
func filtered(rule configs.Filter, all []model.Message) []model.Message {
	if rule.Segments == 0 {
		return all
	}
	from, sum := len(all), segments(all[0].Content)
	for from > 1 {
		if sum += segments(all[from-1].Content); sum >= rule.Segments {
			break
		}
		from--
	}
	if from < len(all) && all[from].Role == model.User {
		from++
	}
	if from <= 1 {
		return all
	}
	first := all[0]
	first.Content += strings.ReplaceAll(rule.Notice, "{omitted}", strconv.Itoa(from-1))
	return slices.Concat([]model.Message{first}, all[from:])
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
