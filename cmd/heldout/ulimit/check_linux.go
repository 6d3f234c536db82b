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
	var files, space syscall.Rlimit
	// the runtime takes the hard limit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) == nil && files.Max < leastFiles {
		end("heldout: fewer than 16 files may be open: raise the limit (ulimit -n)\n")
	}
	if syscall.Getrlimit(syscall.RLIMIT_AS, &space) == nil && space.Cur < leastSpace {
		end(
			"heldout: the address space is limited to less than 3 GB: raise the limit (ulimit -v); GOMEMLIMIT=1GiB " +
				"bounds memory\n")
	}
}

func end(why string) {
	_, _ = syscall.Write(2, []byte(why))
	syscall.Exit(1)
}
