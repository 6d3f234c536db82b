package planning

import (
	"fmt"
	"strings"
)

// node is an S-expression: an atom, or a list when list is true.
type node struct {
	position
	list bool
	atom string
	kids []node
}

// position is a place in a file, counted from 1; columns are bytes.
type position struct {
	line, col int32
}

// maxDepth bounds the nesting of an S-expression, so that a hostile file cannot exhaust the stack.
const maxDepth = 200

// reader turns PDDL text into S-expressions. Comments run from ";" to the end
// of the line; everything is lower-cased.
type reader struct {
	position
	file  string
	text  string
	pos   int
	words map[string]string
}

// readFile reads the one S-expression of a PDDL file.
func readFile(file, text string) (node, error) {
	r := &reader{file: file, text: strings.ToLower(text), position: position{1, 1},
		words: map[string]string{}}
	n, err := r.read(0)
	if err != nil {
		return node{}, err
	}
	r.skip()
	if n.list && r.pos < len(r.text) { // who reads the node refuses an atom
		return node{}, r.errorf("unexpected text after the closing parenthesis of the definition")
	}
	return n, nil
}

func (r *reader) read(depth int) (node, error) {
	r.skip()
	n := node{position: r.position}
	if r.pos == len(r.text) {
		return n, r.errorf("the file ends in the middle of a definition: a closing parenthesis is missing")
	}
	if depth > maxDepth {
		return n, r.errorf("parentheses are nested more than %d deep", maxDepth)
	}
	switch r.text[r.pos] {
	case ')':
		return n, r.errorf("unexpected closing parenthesis")
	case '(':
		r.advance()
		n.list = true
		for {
			r.skip()
			if r.pos < len(r.text) && r.text[r.pos] == ')' {
				r.advance()
				return n, nil
			}
			kid, err := r.read(depth + 1)
			if err != nil {
				return n, err
			}
			n.kids = append(n.kids, kid)
		}
	default:
		start := r.pos
		r.advance()
		// A "?" starts a new atom, so that "level?l1" reads as two words, as in one of the published domains.
		for r.pos < len(r.text) && strings.IndexByte("();?"+space, r.text[r.pos]) < 0 {
			r.advance()
		}
		n.atom = r.word(r.text[start:r.pos])
		return n, nil
	}
}

// word returns a copy of an atom, one for all equal atoms: a part of the text would keep all of it in memory.
func (r *reader) word(atom string) string {
	w, ok := r.words[atom]
	if !ok {
		w = strings.Clone(atom)
		r.words[w] = w
	}
	return w
}

const space = " \t\n\r\f\v"

// skip skips white space and comments.
func (r *reader) skip() {
	for r.pos < len(r.text) {
		switch {
		case strings.IndexByte(space, r.text[r.pos]) >= 0:
			r.advance()
		case r.text[r.pos] == ';':
			for r.pos < len(r.text) && r.text[r.pos] != '\n' {
				r.advance()
			}
		default:
			return
		}
	}
}

func (r *reader) advance() {
	if r.text[r.pos] == '\n' {
		r.line++
		r.col = 0
	}
	r.pos++
	r.col++
}

func (r *reader) errorf(format string, args ...any) error {
	return errorAt(r.file, r.position, format, args...)
}

// errorAt makes an error that starts with file:line:column.
func errorAt(file string, pos position, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", file, pos.line, pos.col, fmt.Sprintf(format, args...))
}
