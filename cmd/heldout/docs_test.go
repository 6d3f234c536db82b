package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// longestParagraph is how many words a paragraph of ARCHITECTURE.md may have.
const longestParagraph = 60

// ARCHITECTURE.md has short paragraphs, and names only files and packages that
// are there.
func TestArchitecture(t *testing.T) {
	root := filepath.Join("..", "..")
	b, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	paragraphs := regexp.MustCompile(`\n\n|\n(?:- |\d+\. )`).Split(text, -1)
	for _, p := range paragraphs {
		if words := strings.Fields(p); len(words) > longestParagraph && !strings.HasPrefix(p, "|") {
			t.Errorf("a paragraph of %d words: %s…", len(words), strings.Join(words[:8], " "))
		}
	}
	for _, match := range regexp.MustCompile(
		"`((?:cmd|configs|envs|eval|perturb|scoring)/[a-z0-9/_.]+)`").FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(match[1]))); err != nil {
			t.Errorf("it names %s: %v", match[1], err)
		}
	}
}
