package jericho

import "strings"

// splitWalkthrough takes apart a stored walkthrough.
func splitWalkthrough(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "/")
}
