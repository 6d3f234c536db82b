package main

import "os"

// awaitEnd returns when the process that started this one has ended.
func awaitEnd(parent int) {
	p, err := os.FindProcess(parent)
	if err != nil {
		return // it has ended
	}
	if _, err := p.Wait(); err != nil {
		select {} // it cannot be watched; its pipes end with it
	}
}
