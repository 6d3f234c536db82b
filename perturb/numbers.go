package perturb

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numberWords are the words of the numbers from 0. One word is one token, so that
// two numbers side by side stay apart.
var numberWords = makeNumberWords()

func makeNumberWords() (words [1000]string) {
	small := strings.Fields(
		"zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
			"sixteen seventeen eighteen nineteen")
	tens := strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	for n := range words {
		switch {
		case n < len(small):
			words[n] = small[n]
		case n < 100 && n%10 == 0:
			words[n] = tens[n/10]
		case n < 100:
			words[n] = tens[n/10] + "-" + small[n%10]
		case n%100 == 0:
			words[n] = small[n/100] + "-hundred"
		default:
			words[n] = words[n-n%100] + "-" + words[n%100]
		}
	}
	return words
}

// wordOf is the word of a number in digits without leading zeros, if it has one.
func wordOf(digits string) (string, bool) {
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n >= len(numberWords) || strconv.Itoa(n) != digits {
		return "", false
	}
	return numberWords[n], true
}

// numberOfWord undoes wordOf.
func numberOfWord(word string) (string, bool) {
	digits, ok := wordNumbers[word]
	return digits, ok
}

var wordNumbers = func() map[string]string {
	numbers := make(map[string]string, len(numberWords))
	for n, word := range numberWords {
		numbers[word] = strconv.Itoa(n)
	}
	return numbers
}()

// letterOf is the letter of a number from 1, and from 27 on two letters: z, aa, ab, to zz.
func letterOf(digits string) (string, bool) {
	n, err := strconv.Atoi(digits)
	switch {
	case err != nil || n < 1 || n > 26*27 || strconv.Itoa(n) != digits:
		return "", false
	case n <= 26:
		return string(rune('a' + n - 1)), true
	}
	return string(rune('a'+(n-1)/26-1)) + string(rune('a'+(n-1)%26)), true
}

// numberOfLetter undoes letterOf.
func numberOfLetter(letters string) (string, bool) {
	n := 0
	for _, letter := range letters {
		if letter < 'a' || letter > 'z' {
			return "", false
		}
		n = 26*n + int(letter-'a') + 1
	}
	return strconv.Itoa(n), len(letters) == 1 || len(letters) == 2
}

// numberBegins finds the numbers at the beginnings of sentences.
var numberBegins = regexp.MustCompile(`(?:^|[.!?:] +)[0-9]+`)

// tellNumbers makes words of numbers in texts that nobody reads back. At the beginning of
// a sentence they have a capital.
func tellNumbers(text string) string {
	text = numberBegins.ReplaceAllStringFunc(text, func(begin string) string {
		i := strings.IndexAny(begin, "0123456789")
		if word, ok := wordOf(begin[i:]); ok {
			return begin[:i] + capitalized(word)
		}
		return begin
	})
	return mapNumbers(text, false, wordOf)
}

// swapNumbers makes words of numbers and numbers of words, wherever they stand alone, but for words that stay. It
// undoes itself. Words have small letters, or any with anyCase.
func swapNumbers(text string, anyCase bool, stay map[string]bool) string {
	return mapNumbers(text, anyCase, func(token string) (string, bool) {
		if stay[token] {
			return "", false
		}
		if word, ok := wordOf(token); ok {
			return word, true
		}
		return numberOfWord(token)
	})
}

// mapNumbers replaces what could be a number that stands alone.
func mapNumbers(text string, anyCase bool, convert func(token string) (string, bool)) string {
	var b strings.Builder
	for start := 0; start < len(text); {
		end := start + 1
		if !inNumber(text[start]) {
			b.WriteByte(text[start])
			start = end
			continue
		}
		for end < len(text) && inNumber(text[end]) {
			end++
		}
		b.WriteString(mapNumber(text[start:end], anyCase, convert))
		start = end
	}
	return b.String()
}

// mapNumber replaces a token. Periods at its end are not part of the number.
func mapNumber(token string, anyCase bool, convert func(token string) (string, bool)) string {
	word := strings.TrimRight(token, ".")
	end := token[len(word):]
	if anyCase {
		word = strings.ToLower(word)
	}
	if converted, ok := convert(word); ok {
		return converted + end
	}
	return token
}

// hasNumber reports whether a number in digits stands alone in a text.
func hasNumber(text string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && !inNumber(byte(r)) }),
		func(token string) bool {
			_, ok := wordOf(strings.TrimRight(token, "."))
			return ok
		})
}

// inNumber reports whether a byte can belong to what a number is part of: "150.0",
// "wait1" and "-5" are not numbers that stand alone.
func inNumber(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' ||
		c == '\'' || c >= 0x80
}

// shortWords is the pattern of the words of numbers below 100, without groups.
var shortWords = "(?:" + strings.Join(numberWords[:20], "|") +
	"|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-(?:" + strings.Join(numberWords[1:10], "|") + "))?)"

// shortWordOf is wordOf for numbers below 100, as in names.
func shortWordOf(digits string) (string, bool) {
	word, ok := wordOf(digits)
	return word, ok && len(digits) < 3
}
