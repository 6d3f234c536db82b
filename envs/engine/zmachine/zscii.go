package zmachine

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
var defaultUnicode = []uint16{
	0xE4, 0xF6, 0xFC, 0xC4, 0xD6, 0xDC, 0xDF, 0xBB, 0xAB, 0xEB, 0xEF, 0xFF, 0xCB, 0xCF, 0xE1, 0xE9,
	0xED, 0xF3, 0xFA, 0xFD, 0xC1, 0xC9, 0xCD, 0xD3, 0xDA, 0xDD, 0xE0, 0xE8, 0xEC, 0xF2, 0xF9, 0xC0,
	0xC8, 0xCC, 0xD2, 0xD9, 0xE2, 0xEA, 0xEE, 0xF4, 0xFB, 0xC2, 0xCA, 0xCE, 0xD4, 0xDB, 0xE5, 0xC5,
	0xF8, 0xD8, 0xE3, 0xF1, 0xF5, 0xC3, 0xD1, 0xD5, 0xE6, 0xC6, 0xE7, 0xC7, 0xFE, 0xF0, 0xDE, 0xD0,
	0xA3, 0x153, 0x152, 0xA1, 0xBF,
}

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
