package report

import "slices"

// appendNew appends the items that are not there yet.
func appendNew[T comparable](list []T, items ...T) []T {
	for _, item := range items {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// groupedBy puts items of one key together, in the order in which the keys come.
func groupedBy[T any, K comparable](items []T, key func(T) K) (groups [][]T) {
	index := map[K]int{}
	for _, item := range items {
		i, ok := index[key(item)]
		if !ok {
			i = len(groups)
			index[key(item)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}
