package zmachine

// random is the generator of the reference; spec §7. restart seeds it with Options.Seed, the instruction random draws.
type random struct {
	a        uint32
	interval uint16 // if not 0, numbers are counted up to it instead
	counter  uint16
}

func (r *random) seed(s int) {
	r.a, r.interval = uint32(s), 0
}

// next answers the random instruction.
func (r *random) next(n int16, seed int) uint16 {
	switch {
	case n == 0:
		r.seed(seed)
		return 0
	case n < 0:
		if k := -int(n); k < 1000 {
			r.counter, r.interval = 0, uint16(k)
		} else {
			r.seed(k)
		}
		return 0
	}
	var drawn uint16
	if r.interval != 0 {
		drawn = r.counter
		if r.counter++; r.counter == r.interval {
			r.counter = 0
		}
	} else {
		r.a = r.a*0x015A4E35 + 1
		drawn = uint16(r.a>>16) & 0x7FFF
	}
	return drawn%uint16(n) + 1
}
