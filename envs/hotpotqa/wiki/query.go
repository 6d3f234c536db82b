package wiki

import "strings"

// quoted is what is sent after "search=" for a query. Like the reference, it makes plus
// signs of spaces (spec section 1.2) and, like the reference's HTTP
// library, it escapes characters that are illegal in an address. An ampersand
// or a number sign ends the query, and an existing escape is kept.
func quoted(query string) string {
	query, _, _ = strings.Cut(strings.ReplaceAll(query, " ", "+"), "#") // the rest is a fragment
	var b strings.Builder
	for i := 0; i < len(query); i++ {
		c := query[i]
		switch {
		case c == '%' && i+2 < len(query) && isHex(query[i+1]) && isHex(query[i+2]), isLegal(c):
			b.WriteByte(c)
		default:
			const digits = "0123456789ABCDEF"
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// isLegal reports whether the query of an address may have a byte (RFC 3986, 3.4).
func isLegal(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		strings.IndexByte("-._~!$&'()*+,;=:@/?", c) >= 0
}
