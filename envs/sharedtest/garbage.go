package sharedtest

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// growth is by how many percent the memory of tests grows before garbage is collected.
// Tests are short and small: at Go's default a sixth of their time goes into collections.
const growth = 400

func init() {
	measured := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
	if !measured && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(growth)
	}
}
