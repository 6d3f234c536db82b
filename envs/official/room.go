package official

import (
	"fmt"

	"heldout/envs/datafile"
)

// reserve is how much of a disk is left free, in bytes.
const reserve = 256 << 20

// room reports a disk on which so many bytes more would leave too little. A disk of
// which nothing is known has room.
func room(dir string, need int64, free func(dir string) (int64, error)) error {
	available, err := free(dir)
	if err != nil || available >= need+reserve {
		return nil
	}
	return datafile.Full(fmt.Errorf("the disk of %s has %d MB free, want %d: free some space, or choose another --data",
		dir, available>>20, (need+reserve)>>20))
}
