//go:build !linux && !darwin && !freebsd && !windows

package official

import "errors"

// freeSpace does not know this system.
func freeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }
