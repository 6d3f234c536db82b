package datafile

import "syscall"

// Full is err as an error of a disk without room, which errors.Is finds, for errors that say it in words alone.
func Full(err error) error { return full{err} }

type full struct{ error }

// Is reports whether target stands for a disk without room.
func (full) Is(target error) bool { return target == syscall.ENOSPC }

// Unwrap returns the error itself.
func (f full) Unwrap() error { return f.error }
