package main

import (
	"io"

	"heldout/eval/training/export"
)

// writeFile writes a file for the user, all or nothing. A file of that name is an error without force.
func writeFile(name string, force bool, write func(io.Writer) error) error {
	f, err := export.Create(name, force)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}
