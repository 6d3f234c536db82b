package scienceworld

import (
	"fmt"
	"slices"
)

// reaction is a row of the table of chemistry (processes §10).
type reaction struct {
	needs   []string // names of ingredients
	product ObjectKind
	name    string // filling of sandwiches, color of papers
	text    string
}

// reactions are tried in their order, those with as many ingredients as there
// are things.
var reactions = []reaction{
	{[]string{"water", "sodium chloride"}, SaltWater, "", "Sodium chloride and water mix to produce salt water."},
	{[]string{"water", "soap"}, SoapyWater, "", "Soap and water mix to produce soapy water."},
	{[]string{"water", "sugar"}, SugarWater, "", "Sugar and water mix to produce sugar water."},
	{[]string{"water", "flour"}, Dough, "", "Flour and water mix to produce dough."},
	{[]string{"chocolate", "marshmallow"}, Smores, "", "Chocolate and marshmallow mix to produce smores."},
	{[]string{"water", "iron block"}, Rust, "", "Iron block and water mix to produce rust."},
	{[]string{"sodium bicarbonate", "acetic acid"}, SodiumAcetate, "",
		"Sodium bicarbonate and acetic acid mix to produce sodium acetate."},
	{[]string{"bread", "peanut"}, Sandwich, "peanut butter",
		"Bread and peanuts mix to produce a peanut butter sandwich."},
	{[]string{"bread", "jam"}, Sandwich, "jam", "Bread and peanuts mix to produce a jam sandwich."},
	{[]string{"bread", "banana"}, Sandwich, "banana", "Bread and peanuts mix to produce a banana sandwich."},
	{[]string{"paper", "red paint"}, ColoredPaper, "red", "Paper and blue paint mix to produce red paper."},
	{[]string{"paper", "green paint"}, ColoredPaper, "green", "Paper and blue paint mix to produce green paper."},
	{[]string{"paper", "blue paint"}, ColoredPaper, "blue", "Paper and blue paint mix to produce blue paper."},
	{[]string{"paper", "orange paint"}, ColoredPaper, "orange", "Paper and blue paint mix to produce orange paper."},
	{[]string{"paper", "yellow paint"}, ColoredPaper, "yellow", "Paper and blue paint mix to produce yellow paper."},
	{[]string{"paper", "violet paint"}, ColoredPaper, "violet", "Paper and blue paint mix to produce violet paper."},
	{[]string{"red paint", "blue paint"}, VioletPaint, "", "Red and blue paint mix to produce violet paint."},
	{[]string{"blue paint", "yellow paint"}, GreenPaint, "", "Blue and yellow paint mix to produce green paint."},
	{[]string{"yellow paint", "red paint"}, OrangePaint, "", "Yellow and red paint mix to produce orange paint."},
	{[]string{"yellow paint", "orange paint"}, YellowOrangePaint, "",
		"Yellow and orange paint mix to produce yellow-orange paint."},
	{[]string{"orange paint", "red paint"}, RedOrangePaint, "",
		"Red and orange paint mix to produce red-orange paint."},
	{[]string{"red paint", "violet paint"}, VioletRedPaint, "",
		"Violet and red paint mix to produce violet-red paint."},
	{[]string{"violet paint", "blue paint"}, BlueVioletPaint, "",
		"Blue and violet paint mix to produce blue-violet paint."},
	{[]string{"blue paint", "green paint"}, GreenBluePaint, "",
		"Blue and green paint mix to produce blue green paint."},
	{[]string{"green paint", "yellow paint"}, YellowGreenPaint, "",
		"Green and yellow paint mix to produce yellow-green paint."},
	{[]string{"peanut", "almond", "cashew"}, MixedNuts, "", "Peanuts, almonds, and cashews mix to produce mixed nuts."},
	{[]string{"apple", "orange", "banana"}, FruitSalad, "", "Apples, oranges, and bananas mix to produce fruit salad."},
	{[]string{"bread", "peanut", "jam"}, Sandwich, "peanut butter with jam",
		"Bread and peanuts and jam mix to produce a peanut butter with jam sandwich."},
	{[]string{"bread", "peanut", "banana"}, Sandwich, "peanut butter with banana",
		"Bread and peanuts and jam mix to produce a peanut butter with banana sandwich."},
}

// mixedPaints are the paints that any mixture of them turns brown, in the order
// in which they are used up. The reference looks for a green-yellow one, but no
// paint ever has that name.
var mixedPaints = []string{"red paint", "blue paint", "yellow paint", "violet paint", "green paint", "orange paint",
	"yellow-orange paint",
	"red-orange paint", "violet-red paint", "blue-violet paint", "green-blue paint", "green-yellow paint",
	"brown paint"}

// neededState is the state of matter that an ingredient must have, if any.
func neededState(name string) (want phase, stated bool) {
	switch {
	case name == "sodium chloride":
		return solid, true
	case name == "water" || slices.Contains(mixedPaints, name):
		return liquid, true
	}
	return solid, false
}

// ingredient finds something to mix by name, or by substance if a state is
// required.
func (o *Object) ingredient(name string) *Object {
	want, stated := neededState(name)
	for _, x := range o.contents.items() {
		if x.name == name && (!stated || x.stuff != nil && x.state == want) {
			return x
		}
		if stated && x.stuff != nil && x.stuff.substance == name && x.state == want {
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
	for _, r := range reactions {
		if len(r.needs) != len(things) {
			continue
		}
		if used := o.ingredients(r.needs); len(used) == len(r.needs) {
			return w.react(o, used, r)
		}
	}
	if n := len(things); n <= 4 {
		if used := o.ingredients(mixedPaints); len(used) == n {
			return w.react(o, used, reaction{product: BrownPaint, text: "The paints mix to produce brown paint."})
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
	switch r.product {
	case Sandwich:
		product = w.newSandwich(r.name)
	case ColoredPaper:
		product = w.newNamed(ColoredPaper, r.name+" paper")
	default:
		product = w.new(r.product)
	}
	w.put(product, o)
	return r.text
}
