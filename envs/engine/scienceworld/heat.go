package scienceworld

// The coefficients of heat transfer (processes §3).
const (
	transfer  = 0.10
	mostMoved = 1000.0
)

// manyWarm is the number of things from which their exchange of heat is worth
// gathering what it needs.
const manyWarm = 16

// exchangeHeat lets the object and its contents exchange heat, then its contents
// with each other.
func (o *Object) exchangeHeat() {
	var room [manyWarm]*Object
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
	if len(warm) >= manyWarm && exchangeMany(warm) {
		return
	}
	for i, x := range warm {
		x.touch(warm[:i])
	}
}

// touch moves heat between a thing and others, one after the other: the second one of two
// already feels the new temperature of the first.
func (o *Object) touch(things []*Object) {
	t, c := o.temp, o.stuff.conductivity
	for _, x := range things {
		m := lesser(c, x.stuff.conductivity)
		t += clip(float64(float64((x.temp-t)*m) * transfer))
		x.temp += clip(float64(float64((t-x.temp)*m) * transfer))
	}
	o.temp = t
}

func clip(v float64) float64 {
	switch {
	case v > mostMoved:
		return mostMoved
	case v < -mostMoved:
		return -mostMoved
	}
	return v
}

// exchangeMany lets many things touch each other if no transfer can reach the most,
// and reports it. A tap that is left open fills a drain with thousands of waters.
func exchangeMany(warm []*Object) bool {
	lo, hi, peak := warm[0].temp, warm[0].temp, 0.0
	for _, x := range warm {
		lo, hi, peak = min(lo, x.temp), max(hi, x.temp), max(peak, x.stuff.conductivity)
	}
	// Temperatures stay between the lowest and the highest.
	if !(peak <= 1 && (hi-lo)*transfer < mostMoved/2) {
		return false
	}
	temps, conducts := make([]float64, len(warm)), make([]float64, len(warm))
	for i, x := range warm {
		temps[i], conducts[i] = x.temp, x.stuff.conductivity
	}
	i := 1
	for ; i+rowsAtOnce <= len(warm); i += rowsAtOnce {
		exchangeRows(temps, conducts, i)
	}
	for ; i < len(warm); i++ {
		exchangeRow(temps, conducts, i, 0)
	}
	for i, x := range warm {
		x.temp = temps[i]
	}
	return true
}

// exchangeRow lets thing i touch those before it, from j on.
func exchangeRow(temps, conducts []float64, i, j int) {
	t, c := temps[i], conducts[i]
	for ; j < i; j++ {
		t, temps[j] = touched(t, temps[j], lesser(c, conducts[j]))
	}
	temps[i] = t
}

// lesser is min for numbers, which costs less.
func lesser(a, b float64) float64 {
	if a < b {
		return a
	}
	return b
}

// touched are two temperatures after a touch.
func touched(a, b, m float64) (float64, float64) {
	a += float64(float64((b-a)*m) * transfer)
	b += float64(float64((a-b)*m) * transfer)
	return a, b
}

// rowsAtOnce is how many things touch those before them at once.
const rowsAtOnce = 4

// exchangeRows is exchangeRow for four things, i to i+3, with the same results: each
// is one thing behind the one before it, so that the four touches of a turn do not
// depend on each other, and a processor makes them at once.
func exchangeRows(temps, conducts []float64, i int) {
	a, b, c, d := temps[i], temps[i+1], temps[i+2], temps[i+3]
	ca, cb, cc, cd := conducts[i], conducts[i+1], conducts[i+2], conducts[i+3]
	lead := min(i, rowsAtOnce-1) // turns before all four take part
	for j := range lead {
		a, temps[j] = touched(a, temps[j], lesser(ca, conducts[j]))
		if j > 0 {
			b, temps[j-1] = touched(b, temps[j-1], lesser(cb, conducts[j-1]))
		}
		if j > 1 {
			c, temps[j-2] = touched(c, temps[j-2], lesser(cc, conducts[j-2]))
		}
	}
	for j := lead; j < i; j++ {
		ts, cs := temps[j-3:j+1:j+1], conducts[j-3:j+1:j+1]
		a, ts[3] = touched(a, ts[3], lesser(ca, cs[3]))
		b, ts[2] = touched(b, ts[2], lesser(cb, cs[2]))
		c, ts[1] = touched(c, ts[1], lesser(cc, cs[1]))
		d, ts[0] = touched(d, ts[0], lesser(cd, cs[0]))
	}
	temps[i], temps[i+1], temps[i+2], temps[i+3] = a, b, c, d
	exchangeRow(temps, conducts, i+1, max(i-1, 0))
	exchangeRow(temps, conducts, i+2, max(i-2, 0))
	exchangeRow(temps, conducts, i+3, max(i-3, 0))
}
