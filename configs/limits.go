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
	// maxMarks is the number of anchors (&name) and aliases (*name) together, but for those of
	// texts. With so few marks, nested aliases cannot expand to much more than the written text.
	maxMarks = 16
	// maxShared is the size of texts that aliases stand for, all together, in bytes: sections of a
	// prompt may share one.
	maxShared = 4 << 20
)

// checkLimits reports a document that is too large, is nested too deep, or has
// too many anchors and aliases or any tag (!name): no setting needs one, and the
// decoder cannot read one without a value.
func checkLimits(b []byte) error {
	if len(b) > maxYAML {
		return fmt.Errorf("the file has more than %d bytes, the limit for YAML", maxYAML)
	}
	flow, marks, shared := 0, 0, 0
	texts := map[string]int{} // the sizes of those with an anchor
	var block []int           // the columns of the block lists and mappings that are open
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
		case token.AnchorType:
			name, size := anchored(t)
			if texts[name] = size; size == 0 {
				marks++
			}
		case token.AliasType:
			if size := texts[nameOf(t)]; size > 0 {
				shared += size
			} else {
				marks++
			}
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
		if shared > maxShared {
			return fmt.Errorf("line %d: aliases stand for texts of more than %d bytes", t.Position.Line, maxShared)
		}
	}
	return nil
}

// nameOf is the name behind the sign of an anchor or an alias.
func nameOf(sign *token.Token) string {
	if sign.Next == nil {
		return ""
	}
	return sign.Next.Value
}

// anchored returns the name of an anchor, and the size of its text; 0 for anything else.
func anchored(anchor *token.Token) (name string, size int) {
	name = nameOf(anchor)
	if anchor.Next == nil || anchor.Next.Next == nil {
		return name, 0
	}
	value := anchor.Next.Next
	if value.Type == token.LiteralType || value.Type == token.FoldedType {
		if value.Next == nil {
			return name, 0
		}
		return name, len(value.Next.Value)
	}
	isText := value.Type == token.StringType || value.Type == token.SingleQuoteType ||
		value.Type == token.DoubleQuoteType
	if !isText || value.Next != nil && value.Next.Type == token.MappingValueType { // a key
		return name, 0
	}
	return name, len(value.Value)
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
