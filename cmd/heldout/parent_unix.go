//go:build unix

package main

import (
	"os"
	"time"
)

// awaitEnd returns when the process that started this one has ended. A process whose
// parent has ended gets another one.
func awaitEnd(parent int) {
	for os.Getppid() == parent {
		time.Sleep(300 * time.Millisecond)
	}
}
