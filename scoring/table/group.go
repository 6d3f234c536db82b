package table

import "slices"

// Grouped puts items of one key together, in the order in which the keys come.
func Grouped[T any, K comparable](items []T, key func(T) K) (groups [][]T) {
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

// Keys are the keys of items, each once, in the order in which they come.
func Keys[T any, K comparable](items []T, key func(T) K) (keys []K) {
	for _, group := range Grouped(items, key) {
		keys = append(keys, key(group[0]))
	}
	return keys
}

// AppendNew appends the items that are not there yet.
func AppendNew[T comparable](list []T, items ...T) []T {
	for _, item := range items {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// Filter lists the items that pass, in their order.
func Filter[T any](items []T, pass func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(items), func(item T) bool { return !pass(item) })
}

// Each lists what a function makes of each item.
func Each[In, Out any](items []In, f func(In) Out) []Out {
	out := make([]Out, len(items))
	for i, item := range items {
		out[i] = f(item)
	}
	return out
}
