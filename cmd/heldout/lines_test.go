package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"heldout/envs/sharedtest"
)

// longestCode is where lines of code end, in columns with tabs of four. A line may be longer for a raw string, for
// a directive, or for one string literal, if what stands around it is short.
const longestCode, aroundLiteral = 120, 60

func TestLinesEnd(t *testing.T) {
	root := filepath.Join("..", "..")
	sharedtest.OK(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, n := range overlong(content) {
			t.Errorf("%s:%d: the line has more than %d columns", path, n, longestCode)
		}
		return nil
	}))
}

// overlong returns the numbers of the lines that are too long.
func overlong(content []byte) (numbers []int) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(content))
	s.Init(file, content, nil, 0)
	spared := map[int]int{} // columns by line
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			break
		}
		if kind != token.STRING {
			continue
		}
		for i, part := range strings.Split(text, "\n") {
			n := file.Line(at) + i
			if width := utf8.RuneCountInString(part); text[0] == '`' {
				spared[n] += longestCode + width
			} else {
				spared[n] = max(spared[n], width)
			}
		}
	}
	for i, line := range strings.Split(string(content), "\n") {
		width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
		if width > longestCode && width-spared[i+1] > aroundLiteral && !strings.HasPrefix(line, "//go:") {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

func TestOverlong(t *testing.T) {
	long := strings.Repeat("x", longestCode)
	for line, want := range map[string]int{
		"// " + long:                             1,
		"var a = \"" + long + "\" + b":           0,
		"var a = `" + long + "`":                 0,
		"//go:embed " + long:                     0,
		"\t" + long[:longestCode-4]:              0,
		"\t" + long[:longestCode-3]:              1,
		"f(\"" + long + "\", " + long[:60] + ")": 1,
	} {
		sharedtest.Equal(t, len(overlong([]byte(line+"\n"))), want, line)
	}
}
