package scienceworld

// The coefficients of heat transfer (processes §3).
const (
	transfer  = 0.10
	mostMoved = 1000.0
)

// exchangeHeat lets the object and its contents exchange heat, then its contents
// with each other.
func (o *Object) exchangeHeat() {
	var room [16]*Object // most things have no more in them
	warm := room[:0]
	for _, x := range o.contents.items() {
		if x.stuff != nil {
			warm = append(warm, x)
		}
	}
	if len(warm) == 0 {
		return
	}
	if o.stuff != nil {
		o.touch(warm)
	}
	for i, x := range warm {
		x.touch(warm[:i])
	}
}

// touch moves heat between a thing and others, one after the other: the second one of two
// already feels the new temperature of the first.
func (o *Object) touch(things []*Object) {
	t, c := o.temp, o.stuff.Conductivity
	for _, x := range things {
		m := min(c, x.stuff.Conductivity)
		t += clip(float64(float64((x.temp-t)*m) * transfer))
		x.temp += clip(float64(float64((t-x.temp)*m) * transfer))
	}
	o.temp = t
}

func clip(v float64) float64 { return max(-mostMoved, min(v, mostMoved)) }
