package jericho

import "strings"

// splitWalkthrough takes apart a stored walkthrough.
func splitWalkthrough(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "/")
}

// findGame returns a game of the benchmark by its name, or nil.
func findGame(name string) *game {
	for i := range games {
		if games[i].name == name {
			return &games[i]
		}
	}
	return nil
}
