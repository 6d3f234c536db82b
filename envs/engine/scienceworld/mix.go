package scienceworld

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"
)

// reaction is a row of the table of chemistry (processes §10).
type reaction struct {
	Needs   []string // names of ingredients
	Product ObjectKind
	Name    string // filling of sandwiches, color of papers
	Text    string
}

//go:embed reactions.json
var reactionsFile []byte

// reactions are tried in their order, those with as many ingredients as there are things.
var reactions = sync.OnceValue(func() []reaction { return table[[]reaction](reactionsFile) })

// neededState is the state of matter that an ingredient must have, if any.
func neededState(name string) (want phase, stated bool) {
	switch {
	case name == "sodium chloride":
		return solid, true
	case name == "water" || slices.Contains(lists().MixedPaints, name):
		return liquid, true
	}
	return solid, false
}

// ingredient finds something to mix by name, or by substance if a state is required.
func (o *Object) ingredient(name string) *Object {
	want, stated := neededState(name)
	for _, x := range o.contents.items() {
		if x.name == name && (!stated || x.stuff != nil && x.state == want) {
			return x
		}
		if stated && x.stuff != nil && x.stuff.Substance == name && x.state == want {
			return x
		}
	}
	return nil
}

// mix mixes what is in a container.
func (w *World) mix(o *Object) string {
	things := visible(o.contents.items())
	switch len(things) {
	case 0:
		return "That container is empty, so there are no items to mix."
	case 1:
		return fmt.Sprintf("There is only one thing (%s)", things[0].descriptiveName())
	}
	for _, r := range reactions() {
		if len(r.Needs) != len(things) {
			continue
		}
		if used := o.ingredients(r.Needs); len(used) == len(r.Needs) {
			return w.react(o, used, r)
		}
	}
	if n := len(things); n <= 4 {
		if used := o.ingredients(lists().MixedPaints); len(used) == n {
			return w.react(o, used, reaction{Product: BrownPaint, Text: "The paints mix to produce brown paint."})
		}
	}
	return "Mixing the contents of the " + o.descriptiveName() + " does not appear to produce anything new."
}

// ingredients finds the present ingredients with the given names.
func (o *Object) ingredients(names []string) (found []*Object) {
	for _, name := range names {
		if x := o.ingredient(name); x != nil {
			found = append(found, x)
		}
	}
	return found
}

func (w *World) react(o *Object, used []*Object, r reaction) string {
	for _, x := range used {
		w.delete(x, false)
	}
	var product *Object
	switch r.Product {
	case Sandwich:
		product = w.newNamed(Sandwich, r.Name+" sandwich")
		product.page.Title = product.name
	case ColoredPaper:
		product = w.newNamed(r.Product, r.Name+" paper")
	default:
		product = w.new(r.Product)
	}
	w.put(product, o)
	return r.Text
}
