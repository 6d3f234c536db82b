// Package spelling says which name a mistyped one may stand for.
package spelling

import (
	"slices"
	"strings"
)

// maxNames is the largest number of names that are offered: more would be a list.
const maxNames = 3

// Hint returns the known names that a name is closest to, in words such as
// " (did you mean babyai?)"; empty if it is close to none, or to many.
func Hint(name string, names []string) string { return Question(Nearest(strings.ToLower(name), names)) }

// Question asks for names as Hint does.
func Question(closest []string) string {
	if len(closest) == 0 || len(closest) > maxNames {
		return ""
	}
	return " (did you mean " + strings.Join(closest, " or ") + "?)"
}

// Nearest returns the known names that take the fewest edits, each once. A name may
// differ in a third of its characters, or be cut short after two or more.
func Nearest(name string, names []string) (closest []string) {
	length := len([]rune(name))
	best := length/3 + 1
	for _, k := range names {
		d := edits(name, strings.ToLower(k))
		if length > 2 && strings.HasPrefix(strings.ToLower(k), name) {
			d = min(d, 1)
		}
		if d > length/3 || d > best || slices.Contains(closest, k) {
			continue
		}
		if d < best {
			closest, best = nil, d
		}
		closest = append(closest, k)
	}
	return closest
}

// edits counts insertions, deletions, replacements and swaps from a to b.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	if max(len(x), len(y)) > 64 { // no name is that long
		return len(x) + len(y)
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			replaced := rows[i-1][j-1]
			if x[i-1] != y[j-1] {
				replaced++
			}
			rows[i][j] = min(replaced, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
