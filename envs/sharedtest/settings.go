package sharedtest

import (
	"flag"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	_ "pgregory.net/rapid" // which has a flag
)

// growth is by how many percent the memory of tests grows before garbage is collected.
// Tests are short and small: at Go's default a sixth of their time goes into collections.
const growth = 400

// Properties draw a dozen times in the short form, where the flag -rapid.checks says
// nothing else, and a hundred times in the long one, as rapid does.
func init() {
	measured := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
	if !measured && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(growth)
	}
	if !Long() {
		set("rapid.checks", "12")
	}
}

// Crowd lets n parallel tests run at once, where the flag -parallel says nothing else. A package calls it in
// TestMain if its tests spend most of their time in waits for programs, servers and time limits.
func Crowd(n string) { set("test.parallel", n) }

// set gives a flag another value than its own, before flags are read.
func set(name, value string) {
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}
