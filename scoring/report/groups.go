package report

import "slices"

// appendNew appends the items that are not there yet.
func appendNew[T comparable](to []T, items ...T) []T {
	for _, item := range items {
		if !slices.Contains(to, item) {
			to = append(to, item)
		}
	}
	return to
}

// groupedBy puts items of one key together, in the order in which the keys come.
func groupedBy[T any, K comparable](items []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, item := range items {
		i, ok := at[key(item)]
		if !ok {
			i = len(groups)
			at[key(item)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}
