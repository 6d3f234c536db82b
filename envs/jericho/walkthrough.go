package jericho

import "strings"

func splitWalkthrough(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "/")
}
