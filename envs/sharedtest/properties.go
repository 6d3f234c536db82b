package sharedtest

import (
	"flag"

	_ "pgregory.net/rapid" // which has the flag
)

// Properties draw a dozen times in the short form, where the flag -rapid.checks says
// nothing else, and a hundred times in the long one, as rapid does.
func init() {
	if Long() {
		return
	}
	if err := flag.Set("rapid.checks", "12"); err != nil {
		panic(err)
	}
}
