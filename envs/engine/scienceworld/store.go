package scienceworld

// store is the memory of a world's objects. The world that takes the place of a released
// one uses it again.
type store struct {
	objects arena[Object]
	bodies  arena[body]
	doors   arena[door]
	lives   arena[life]
	lists   arena[placeLists]
	chains  arena[*Object]
}

// A house has about so many objects. A third of them have bodies, and the chains and lists
// of a copy have some times as many entries.
const (
	houseObjects = 416
	bodied       = 3
	chained      = 6
)

// reserve makes room for a house with so many objects.
func (s *store) reserve(objects, chains int) {
	s.objects.reserve(objects)
	s.bodies.reserve(objects / bodied)
	s.chains.reserve(chains)
}

// reset forgets all objects.
func (s *store) reset() {
	s.objects.reset()
	s.bodies.reset()
	s.chains.reset()
	s.doors.reset()
	s.lives.reset()
	s.lists.reset()
}

// gather forgets all objects and makes one room for as many.
func (s *store) gather() {
	s.objects.gather()
	s.bodies.gather()
	s.chains.gather()
	s.doors.gather()
	s.lives.gather()
	s.lists.gather()
}

// arena lends places side by side. It keeps the newest of its slices.
type arena[T any] struct {
	items []T
	used  int
	spent int // places used in older slices, since the last reset
}

// reserve makes room for n places side by side.
func (a *arena[T]) reserve(n int) {
	if a.used+n > len(a.items) {
		a.spent += a.used
		a.items, a.used = make([]T, n), 0
	}
}

func (a *arena[T]) reset() { a.used, a.spent = 0, 0 }

func (a *arena[T]) gather() {
	if n := a.spent + a.used; n > len(a.items) {
		a.items = make([]T, n)
	}
	a.reset()
}

// The least and the most room that is made at once for places one by one.
const (
	leastRoom = 16
	mostRoom  = 64
)

func (a *arena[T]) next() *T {
	if a.used == len(a.items) {
		a.reserve(min(max(leastRoom, 2*len(a.items)), mostRoom))
	}
	a.used++
	return &a.items[a.used-1]
}

// copied returns a place that holds a copy.
func (a *arena[T]) copied(x *T) *T {
	y := a.next()
	*y = *x
	return y
}

// alloc lends n places side by side.
func (a *arena[T]) alloc(n int) []T {
	if a.used+n > len(a.items) {
		a.reserve(max(n, mostRoom))
	}
	a.used += n
	return a.items[a.used-n : a.used : a.used]
}
