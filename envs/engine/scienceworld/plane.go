package scienceworld

// plane is what inclined planes have.
type plane struct {
	degrees   int
	surface   *material
	extra     string // additional name
	positions map[int32]float64
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
			speed := float64(slideSpeed * lists().Sines[o.plane.degrees])
			delta := float64(speed * float64(1-o.plane.surface.Friction))
			o.plane.positions[x.id] = max(p-delta, 0)
		}
	}
}
