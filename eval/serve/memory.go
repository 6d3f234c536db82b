package serve

import (
	"sync"
	"time"
)

// Memory bounds what the process holds.
type Memory struct {
	// Limit is the largest number of bytes; 0 sets no bound.
	Limit int64
	// Read returns the bytes of what was in use at the last garbage collection, and the
	// number of collections so far. Collect collects garbage.
	Read    func() (live int64, collections uint64)
	Collect func()
}

// room says whether there is memory for another world. It counts what the last garbage collection found in use, and
// for each world since then as much as those before have on average. That is too much if worlds were closed or
// environments opened meanwhile, so before it refuses a world it collects garbage and looks again. If there are few
// more worlds than at the last collection, that takes a tenth of the time at most.
type room struct {
	Memory
	mu          sync.Mutex
	collections uint64
	worlds      int64     // at the last collection
	rested      time.Time // from when on garbage may be collected again
}

// usable is the share of the memory that worlds may fill. The rest is for garbage: without
// it, the collector would take more time than the worlds.
const usable = 0.8

// admit reports whether there is room for another world beside those that there are.
func (r *room) admit(worlds int64, now func() time.Time) (inUse int64, ok bool) {
	if r.Limit == 0 {
		return 0, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	inUse, ok = r.fits(worlds)
	if began := now(); !ok && (worlds > r.worlds+r.worlds/8 || !began.Before(r.rested)) {
		r.Collect()
		ended := now()
		r.rested = ended.Add(9 * ended.Sub(began))
		inUse, ok = r.fits(worlds)
	}
	return inUse, ok
}

// fits is admit without a collection.
func (r *room) fits(worlds int64) (inUse int64, ok bool) {
	live, collections := r.Read()
	if collections != r.collections {
		r.collections, r.worlds = collections, worlds
	}
	inUse = live + max(0, worlds+1-r.worlds)*(live/max(1, r.worlds))
	return inUse, float64(inUse) < usable*float64(r.Limit)
}
