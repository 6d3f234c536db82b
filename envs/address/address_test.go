package address

import (
	"testing"

	"heldout/envs/sharedtest"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"no address":                    "no address",
		"http://host:80/a/b":            "http://host:80/a/b",
		"see http://me:key@host/a?k=1.": "see http://host/a",
		`a "https://key@host/a#b" b`:    `a "https://host/a" b`,
		"http://h/a@b":                  "http://h/a@b",
		"base: http://me:key@h/v1?k=v\nnext: socks5://me@h": "base: http://h/v1\nnext: socks5://h",
	} {
		sharedtest.Equal(t, Plain(text), want, text, "became")
	}
}
