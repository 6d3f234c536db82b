package stats

import (
	"slices"
	"strings"
)

// Letters returns the compact letter display of n things: two things share a letter if
// and only if they do not differ. The letters begin at the first thing. The algorithm
// inserts and absorbs (Piepho 2004, doi:10.1198/1061860043515).
func Letters(n int, differ func(i, j int) bool) []string {
	groups := [][]int{slices.Repeat([]int{1}, n)} // 1 for each thing that is in the group
	for i := range n {
		for j := range i {
			if differ(i, j) {
				groups = absorb(insert(groups, i, j))
			}
		}
	}
	slices.SortFunc(groups, func(a, b []int) int { return slices.Compare(b, a) })
	out := make([]string, n)
	for g, group := range groups {
		for i, in := range group {
			out[i] += strings.Repeat(letter(g), in)
		}
	}
	return out
}

// insert divides the groups that hold both i and j.
func insert(groups [][]int, i, j int) (out [][]int) {
	for _, g := range groups {
		if g[i]*g[j] == 0 {
			out = append(out, g)
			continue
		}
		for _, removed := range []int{i, j} {
			part := slices.Clone(g)
			part[removed] = 0
			out = append(out, part)
		}
	}
	return out
}

// absorb leaves out groups that lie within another one.
func absorb(groups [][]int) (out [][]int) {
	for i, g := range groups {
		subset := func(j int) bool {
			for k := range g {
				if g[k] > groups[j][k] {
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
