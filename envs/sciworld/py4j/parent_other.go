//go:build !linux

package py4j

import "os/exec"

// dieWithParent does nothing: the end of standard input has to do.
func dieWithParent(*exec.Cmd) {}
