//go:build linux || darwin || freebsd

package official

import "golang.org/x/sys/unix"

// freeSpace returns how many bytes can still be written to the disk of a folder.
func freeSpace(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
