package configs

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// The limits of a YAML document. They are checked on its tokens, before it is
// parsed: the parser is recursive, and its time and memory grow faster than the
// document.
const (
	// maxYAML is the size in bytes. The largest embedded file has a tenth of this.
	maxYAML = 256 << 10
	// maxDepth is how deep lists and mappings may be nested.
	maxDepth = 64
	// maxMarks is the number of anchors (&name) and aliases (*name) together. With
	// so few marks, nested aliases cannot expand to much more than the written text.
	maxMarks = 16
)

// checkLimits reports a document that is too large, is nested too deep, or has
// too many anchors and aliases or any tag (!name): no setting needs one, and the
// decoder cannot read one without a value.
func checkLimits(b []byte) error {
	if len(b) > maxYAML {
		return fmt.Errorf("the file has more than %d bytes, the limit for YAML", maxYAML)
	}
	flow, marks := 0, 0
	var block []int // the columns of the block lists and mappings that are open
	// The lexer drops a tag at the end of a text that ends without a line break.
	for _, t := range lexer.Tokenize(string(b) + "\n") {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.TagType:
			return fmt.Errorf(
				"line %d: there is a tag, %.20q; leave it out, or put a text that starts with ! in quotes",
				t.Position.Line, t.Value)
		case token.AnchorType, token.AliasType:
			marks++
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
			if flow == 0 {
				block = open(block, column(t))
			}
		}
		if flow+len(block) > maxDepth {
			return fmt.Errorf("line %d: lists or mappings are nested more than %d deep", t.Position.Line, maxDepth)
		}
		if marks > maxMarks {
			return fmt.Errorf("line %d: there are more than %d anchors and aliases", t.Position.Line, maxMarks)
		}
	}
	return nil
}

// open returns the columns still open when an entry starts: none to the right of it.
func open(block []int, column int) []int {
	for len(block) > 0 && block[len(block)-1] >= column {
		block = block[:len(block)-1]
	}
	return append(block, column)
}

// column returns where an entry starts: a mapping's at its key, before the colon.
func column(t *token.Token) int {
	if key := t.Prev; t.Type == token.MappingValueType && key != nil && key.Position.Line == t.Position.Line {
		return key.Position.Column
	}
	return t.Position.Column
}
