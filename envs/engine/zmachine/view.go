package zmachine

// ObjectView is an object as it is now. An object that does not exist is empty.
type ObjectView struct {
	Parent, Sibling, Child uint16
	// Name is the object's name as Jericho reads it: without abbreviations
	// and new lines, and empty if it is longer than 64 words; Latin-1.
	Name string
}

// longestName is the length in words of the longest name that is read.
const longestName = 64

// Object returns an object.
func (m *Machine) Object(n uint16) ObjectView {
	if n == 0 || n > maxObject || !m.wide() && n > 255 {
		return ObjectView{}
	}
	o := ObjectView{Parent: m.parent(n), Sibling: m.sibling(n), Child: m.child(n)}
	if addr, _ := m.properties(n); m.loadb(addr) > 0 && m.loadb(addr) <= longestName {
		o.Name = m.DecodeText(int(addr)+1, true)
	}
	return o
}
