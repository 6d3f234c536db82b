package stats

import (
	"slices"
	"strings"
)

// Letters returns the compact letter display of n things: two things share a letter if
// and only if they do not differ. The letters begin at the first thing. The algorithm
// inserts and absorbs (Piepho 2004, doi:10.1198/1061860043515).
func Letters(n int, differ func(i, j int) bool) []string {
	everyone := make([]bool, n)
	for i := range everyone {
		everyone[i] = true
	}
	groups := [][]bool{everyone}
	for i := range n {
		for j := range i {
			if differ(i, j) {
				groups = absorb(insert(groups, i, j))
			}
		}
	}
	slices.SortFunc(groups, func(a, b []bool) int {
		return slices.CompareFunc(b, a, func(in, other bool) int { return indicator(in) - indicator(other) })
	})
	out := make([]string, n)
	for g, group := range groups {
		for i, in := range group {
			if in {
				out[i] += letter(g)
			}
		}
	}
	return out
}

// indicator is 1 for true and 0 for false.
func indicator(b bool) int {
	if b {
		return 1
	}
	return 0
}

// insert divides the groups that hold both i and j.
func insert(groups [][]bool, i, j int) (out [][]bool) {
	for _, g := range groups {
		if !g[i] || !g[j] {
			out = append(out, g)
			continue
		}
		for _, without := range []int{i, j} {
			part := slices.Clone(g)
			part[without] = false
			out = append(out, part)
		}
	}
	return out
}

// absorb leaves out groups that lie within another one.
func absorb(groups [][]bool) (out [][]bool) {
	for i, g := range groups {
		subset := func(j int) bool {
			for k := range g {
				if g[k] && !groups[j][k] {
					return false
				}
			}
			return j < i || !slices.Equal(g, groups[j])
		}
		absorbed := false
		for j := range groups {
			absorbed = absorbed || j != i && subset(j)
		}
		if !absorbed {
			out = append(out, g)
		}
	}
	return out
}

// letter names a group: a to z, then aa, bb and so on.
func letter(g int) string {
	return strings.Repeat(string(rune('a'+g%26)), g/26+1)
}
