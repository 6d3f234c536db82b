package zmachine

import "unicode/utf16"

// The codes of characters that do something; Standard, section 3.8.
const (
	tab      = 9
	gap      = 11 // space between sentences
	carriage = 13
)

// Where the characters beyond ASCII lie.
const (
	firstExtra = 155
	latin1     = 0xA0 // first of Latin-1 beyond ASCII
	menuZSCII  = 252  // menuClick, in front of the other clicks
)

// defaultUnicode is what ZSCII 155 and up stand for; Standard, table 1. The
// ligatures, which Latin-1 does not have, are printed as question marks.
var defaultUnicode = utf16.Encode([]rune("äöüÄÖÜß»«ëïÿËÏáéíóúýÁÉÍÓÚÝàèìòùÀÈÌÒÙâêîôûÂÊÎÔÛåÅøØãñõÃÑÕæÆçÇþðÞÐ£œŒ¡¿"))

// loadUnicode reads the story's own table, if it has one.
func (s *Story) loadUnicode() {
	if s.version < 5 {
		return
	}
	extension := s.word(headerExtension)
	if extension == 0 || s.word(extension) < 3 {
		return
	}
	table := s.word(extension + 6)
	if table == 0 || table >= len(s.image) {
		return
	}
	for i := range int(s.image[table]) {
		s.unicode = append(s.unicode, uint16(s.word(table+1+2*i)))
	}
}

// extra returns what ZSCII 155 and up stand for.
func (s *Story) extra() []uint16 {
	if s.unicode != nil {
		return s.unicode
	}
	return defaultUnicode
}

// fromZSCII turns a ZSCII code, of which the low byte counts, into Latin-1. Codes below 155 stay what they are.
func (s *Story) fromZSCII(code uint16) byte {
	z := byte(code)
	if z < firstExtra {
		return z
	}
	extra := s.extra()
	switch i := int(z - firstExtra); {
	case i < len(extra) && extra[i] <= 0xFF:
		return byte(extra[i])
	case z >= menuZSCII && z <= menuZSCII+2:
		return menuClick - (z - menuZSCII)
	}
	return '?'
}

// toZSCII turns a character of Latin-1 into ZSCII.
func (s *Story) toZSCII(c byte) byte {
	switch {
	case c >= singleClick && c <= menuClick:
		return menuZSCII + (menuClick - c)
	case c < latin1:
		return c
	}
	for i, u := range s.extra() {
		if u == uint16(c) && firstExtra+i <= 0xFF {
			return byte(firstExtra + i)
		}
	}
	return '?'
}

// lower brings a character of Latin-1 into lower case.
func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' || c >= 0xC0 && c <= 0xDE && c != 0xD7 {
		return c + 0x20
	}
	return c
}

// checkUnicode says whether a character can be printed (1) and typed (2).
func checkUnicode(c uint16) uint16 {
	switch {
	case c >= 0x20 && c <= 0x7E, c >= 0xA1 && c <= 0xFF:
		return 3
	case c == 0xA0:
		return 1
	default:
		return 0
	}
}
