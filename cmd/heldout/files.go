package main

import (
	"bytes"

	"heldout/eval/training/export"
)

// writeFile writes a file for the user, all or nothing.
func writeFile(name string, content *bytes.Buffer) error {
	f, err := export.Create(name, true)
	if err != nil {
		return err
	}
	if _, err := content.WriteTo(f); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}
