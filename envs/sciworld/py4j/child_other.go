//go:build !unix

package py4j

import "syscall"

// childAttributes are none.
func childAttributes() *syscall.SysProcAttr { return nil }
