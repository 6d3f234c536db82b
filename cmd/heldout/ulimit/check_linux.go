package ulimit

import "syscall"

const (
	// leastFiles is the least number of open files: a run has its directory, its lock,
	// its records and connections open, the runtime a few more.
	leastFiles = 16
	// leastSpace is the least address space, in bytes. The runtime reserves far more than
	// it uses: the built-in suite needs 2 GB.
	leastSpace = 3 << 30
)

func init() {
	files, space := syscall.Rlimit{Max: leastFiles}, syscall.Rlimit{Cur: leastSpace} // where they cannot be read
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)
	_ = syscall.Getrlimit(syscall.RLIMIT_AS, &space)
	if reason := lack(files.Max, space.Cur); reason != "" { // the runtime takes the hard limit of files
		_, _ = syscall.Write(2, []byte(reason))
		syscall.Exit(1)
	}
}

// lack says which limit is too low, if one is.
func lack(files, space uint64) string {
	switch {
	case files < leastFiles:
		return "heldout: fewer than 16 files may be open: raise the limit (ulimit -n)\n"
	case space < leastSpace:
		return "heldout: the address space is limited to less than 3 GB: raise the limit (ulimit -v); GOMEMLIMIT=1GiB " +
			"bounds memory\n"
	}
	return ""
}
