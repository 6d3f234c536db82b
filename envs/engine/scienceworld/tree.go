package scienceworld

import (
	"fmt"
	"strings"
)

// Tree shows a person all objects of the world except hidden terminals. Each
// object has its number, kind and state, and is listed below its container.
func (w *World) Tree() string {
	if w.universe == nil {
		return notInitialized
	}
	var b strings.Builder
	w.writeTree(&b, w.universe, 0)
	return b.String()
}

func (w *World) writeTree(b *strings.Builder, o *Object, depth int) {
	if o.hidden {
		return
	}
	fmt.Fprintf(b, "%s%s\n", strings.Repeat("  ", depth), w.line(o))
	for _, p := range o.portals.items() {
		fmt.Fprintf(b, "%s%s\n", strings.Repeat("  ", depth+1), w.line(p))
	}
	for _, x := range o.contents.items() {
		w.writeTree(b, x, depth+1)
	}
}

// line is the tree's line for one object.
func (w *World) line(o *Object) string {
	s := fmt.Sprintf("%s #%d", o.descriptiveName(), o.id)
	if o.stuff != nil {
		s += fmt.Sprintf(", %v %s at %.1f °C", o.state, o.stuff.Substance, o.temp)
	}
	if o.door != nil || o.isVessel && o.closable {
		s += ", " + openClosed(o.open)
	}
	if o.activable || o.activated {
		s += ", " + onOff(o.activated)
	}
	if o.broken {
		s += ", broken"
	}
	if o.life != nil {
		s += ", " + o.stageName()
	}
	if o.isTerminal() && o.partner != nil {
		s += ", connected to " + o.partner.name + " of " + o.partner.owner.name
	}
	if o == w.focus {
		s += ", in focus"
	}
	return s
}
