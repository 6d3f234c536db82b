package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// longestParagraph is how many words a paragraph about the code may have.
const longestParagraph = 60

// The most lines of ARCHITECTURE.md, and of the README of an engine or a room.
const (
	mostLines       = 120
	mostLinesOfRoom = 60
)

// measured is a measured figure, which belongs beside its command and not into ARCHITECTURE.md.
var measured = regexp.MustCompile(`\d ?(?:µs|ms|ns|s|kB|MB|GB|kiB|MiB|%)\b`)

// ARCHITECTURE.md fits a page and has no figures, and every engine and room has a README.
func TestArchitecture(t *testing.T) {
	text := described(t, "ARCHITECTURE.md")
	if n := strings.Count(text, "\n"); n > mostLines {
		t.Errorf("ARCHITECTURE.md has %d lines, want at most %d", n, mostLines)
	}
	sharedtest.Equal(t, measured.FindString(text), "", "ARCHITECTURE.md has the figure")
	readmes := append([]string{}, rooms...)
	for pkg := range readFloors(t) {
		if below(pkg, "envs/engine") {
			readmes = append(readmes, pkg)
		}
	}
	for _, folder := range readmes {
		file := folder + "/README.md"
		if n := strings.Count(described(t, file), "\n"); n > mostLinesOfRoom {
			t.Errorf("%s has %d lines, want at most %d", file, n, mostLinesOfRoom)
		}
	}
	err := fs.WalkDir(os.DirFS(filepath.Join("..", "..")), "docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			described(t, path)
		}
		return err
	})
	sharedtest.OK(t, err)
}

// described reads a text about the code. It must have short paragraphs, and name only
// files and packages that are there.
func described(t *testing.T, file string) string {
	t.Helper()
	root := filepath.Join("..", "..")
	b := sharedtest.Must(os.ReadFile(filepath.Join(root, filepath.FromSlash(file))))(t)
	for _, p := range regexp.MustCompile(`\n\n|\n(?:- |\d+\. )`).Split(string(b), -1) {
		words := strings.Fields(p)
		if len(words) > longestParagraph && !strings.HasPrefix(p, "|") {
			t.Errorf("%s: a paragraph of %d words: %s…", file, len(words), strings.Join(words[:8], " "))
		}
	}
	for _, match := range regexp.MustCompile(
		"`((?:cmd|configs|envs|eval|perturb|scoring)/[a-z0-9/_.]+)`").FindAllStringSubmatch(string(b), -1) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(match[1]))); err != nil {
			t.Errorf("%s names %s: %v", file, match[1], err)
		}
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, match := range link.FindAllStringSubmatch(string(b), -1) {
		if _, err := os.Stat(filepath.Join(root, filepath.Dir(file), match[1])); err != nil {
			t.Errorf("%s links to %s: %v", file, match[1], err)
		}
	}
	return string(b)
}
