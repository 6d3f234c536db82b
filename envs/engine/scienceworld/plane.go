package scienceworld

import "math"

// plane is what inclined planes have.
type plane struct {
	degrees   int
	surface   *material
	extra     string // additional name
	positions map[int32]float64
}

// sines are Java's sines of the angles in use, the last bit of which differs from Go's for some (processes §14).
var sines = map[int]float64{
	10: math.Float64frombits(0x3fc63a1a7e0b7389), 20: math.Float64frombits(0x3fd5e3a8748a0bf5),
	30: math.Float64frombits(0x3fdfffffffffffff),
	40: math.Float64frombits(0x3fe491b7523c161c), 45: math.Float64frombits(0x3fe6a09e667f3bcc),
	50: math.Float64frombits(0x3fe8836fa2cf5039),
	60: math.Float64frombits(0x3febb67ae8584caa), 70: math.Float64frombits(0x3fee11f642522d1b),
	80: math.Float64frombits(0x3fef838b8c811c17),
}

// slideSpeed is the reference's 32-bit constant.
const slideSpeed = 0.10000000149011612

// slide moves what lies on a plane (objects §3.8).
func (o *Object) slide() {
	for _, x := range o.contents.items() {
		p, placed := o.plane.positions[x.id]
		switch {
		case x.hidden || !placed:
		case x.stuff != nil && x.state == liquid:
			o.plane.positions[x.id] = 0
		case x.stuff != nil && x.state == gas:
			o.plane.positions[x.id] = 1
		case p > 0:
			speed := float64(slideSpeed * sines[o.plane.degrees])
			delta := float64(speed * float64(1-o.plane.surface.Friction))
			o.plane.positions[x.id] = max(p-delta, 0)
		}
	}
}
