package zmachine

import "strconv"

// maxObject is the largest object number that the reference accepts from version 4 on; spec §7.
const maxObject = 2000

// objectTable says where the entries of objects are.
type objectTable struct {
	first uint16 // entry
	size  uint16 // of an entry
	last  uint16 // the largest number
	wide  bool   // the larger entries of version 4 and later; Standard, section 12.3
	// attributes that an object has
	attributes uint16
}

func (s *Story) objectTable() objectTable {
	if s.version >= 4 {
		return objectTable{uint16(s.objects + 63*2), 14, maxObject, true, 48}
	}
	return objectTable{uint16(s.objects + 31*2), 9, 255, false, 32}
}

// object returns the address of an object's entry; ok is false for object 0,
// which is silently no object, and for numbers that are too large.
func (m *Machine) object(n uint16) (addr uint16, ok bool) {
	if t := &m.objects; n-1 < t.last {
		return t.first + (n-1)*t.size, true
	}
	return 0, m.refuse(n)
}

// refuse fails if a number is not 0 for which there is no object.
func (m *Machine) refuse(n uint16) (ok bool) {
	if n != 0 {
		number := strconv.Itoa(int(int16(n)))
		m.printString("@Attempt to address illegal object " + number + ".  This is normally fatal.")
		m.newLine()
		m.fail(IllegalObject)
	}
	return false
}

// link is one of the three places that tie an object into the tree.
type link int

const (
	parentLink link = iota
	siblingLink
	childLink
)

func (m *Machine) follow(object uint16, l link) uint16 {
	addr, ok := m.object(object)
	if !ok {
		return 0
	}
	if m.objects.wide {
		return m.loadw(addr + 6 + 2*uint16(l))
	}
	return m.loadb(addr + 4 + uint16(l))
}

func (m *Machine) tie(object uint16, l link, target uint16) {
	addr, ok := m.object(object)
	if !ok {
		return
	}
	if m.objects.wide {
		m.storew(addr+6+2*uint16(l), target)
	} else {
		m.storeb(addr+4+uint16(l), byte(target))
	}
}

func (m *Machine) parent(n uint16) uint16  { return m.follow(n, parentLink) }
func (m *Machine) sibling(n uint16) uint16 { return m.follow(n, siblingLink) }
func (m *Machine) child(n uint16) uint16   { return m.follow(n, childLink) }

// remove takes an object out of the tree.
func (m *Machine) remove(n uint16) {
	parent := m.parent(n)
	if n == 0 || parent == 0 || m.fault != nil {
		return
	}
	next := m.sibling(n)
	m.tie(n, parentLink, 0)
	m.tie(n, siblingLink, 0)
	cur := m.child(parent)
	if cur == n {
		m.tie(parent, childLink, next)
		return
	}
	for cur != 0 && m.charge(1) {
		sib := m.sibling(cur)
		if sib == n {
			m.tie(cur, siblingLink, next)
			return
		}
		cur = sib
	}
}

// insert makes an object the first child of another.
func (m *Machine) insert(n, parent uint16) {
	m.note(Moved, n, parent)
	if n == 0 || parent == 0 {
		return
	}
	m.remove(n)
	if m.fault != nil {
		return
	}
	first := m.child(parent)
	m.tie(n, parentLink, parent)
	m.tie(parent, childLink, n)
	m.tie(n, siblingLink, first)
}

// attribute finds the byte and bit of an attribute.
func (m *Machine) attribute(n, a uint16) (addr uint16, bit byte, ok bool) {
	if a >= m.objects.attributes {
		if a != m.options.StrayAttribute {
			m.fail(IllegalAttribute)
		}
		return 0, 0, false
	}
	addr, ok = m.object(n)
	return addr + a/8, 0x80 >> (a & 7), ok
}

func (m *Machine) testAttribute(n, a uint16) bool {
	addr, bit, ok := m.attribute(n, a)
	return ok && byte(m.loadb(addr))&bit != 0
}

func (m *Machine) setAttribute(n, a uint16) {
	m.note(Gained, n, a)
	if addr, bit, ok := m.attribute(n, a); ok {
		m.storeb(addr, byte(m.loadb(addr))|bit)
	}
}

func (m *Machine) clearAttribute(n, a uint16) {
	m.note(Lost, n, a)
	if addr, bit, ok := m.attribute(n, a); ok {
		m.storeb(addr, byte(m.loadb(addr))&^bit)
	}
}

// properties returns the address of an object's property table: the length of
// its name in words, the name, the properties.
func (m *Machine) properties(n uint16) (addr uint16, ok bool) {
	entry, ok := m.object(n)
	if !ok {
		return 0, false
	}
	return m.propertiesAt(entry), true
}

// propertiesAt returns the address of the property table that an entry names.
func (m *Machine) propertiesAt(entry uint16) uint16 {
	if m.objects.wide {
		return m.loadw(entry + 12)
	}
	return m.loadw(entry + 7)
}

// propertyEntry is a property as it is stored.
type propertyEntry struct {
	number uint16 // 0 behind the last
	data   uint16
	length uint16
}

// entryAt reads the property at an address.
func (m *Machine) entryAt(addr uint16) propertyEntry {
	b := m.loadb(addr)
	if !m.objects.wide {
		return propertyEntry{b & 31, addr + 1, b>>5 + 1}
	}
	if b&0x80 == 0 {
		return propertyEntry{b & 63, addr + 1, b>>6 + 1}
	}
	length := m.loadb(addr+1) & 63
	if length == 0 {
		length = 64
	}
	return propertyEntry{b & 63, addr + 2, length}
}

// firstEntry reads the first property of an object.
func (m *Machine) firstEntry(n uint16) (propertyEntry, bool) {
	addr, ok := m.properties(n)
	if !ok {
		return propertyEntry{}, false
	}
	return m.entryAt(addr + 1 + 2*m.loadb(addr)), true
}

// findEntry looks for a property; they are stored with falling numbers.
func (m *Machine) findEntry(n, number uint16) (e propertyEntry, found bool) {
	e, ok := m.firstEntry(n)
	if !ok {
		return propertyEntry{}, false
	}
	for e.number > number && m.charge(1) {
		e = m.entryAt(e.data + e.length)
	}
	return e, e.number == number && number != 0
}

// property reads a property, or its default value.
func (m *Machine) property(n, number uint16) uint16 {
	if n == 0 {
		return 0
	}
	e, found := m.findEntry(n, number)
	switch {
	case !found:
		return m.loadw(uint16(m.story.objects) + 2*(number-1))
	case e.length == 1:
		return m.loadb(e.data)
	default:
		return m.loadw(e.data)
	}
}

func (m *Machine) propertyAddress(n, number uint16) uint16 {
	if e, found := m.findEntry(n, number); found {
		return e.data
	}
	return 0
}

// propertyLength reads a property's length from what is in front of its data.
func (m *Machine) propertyLength(data uint16) uint16 {
	if data == 0 {
		return 0
	}
	b := m.loadb(data - 1)
	switch {
	case !m.objects.wide:
		return b>>5 + 1
	case b&0x80 == 0:
		return b>>6 + 1
	case b&63 == 0:
		return 64
	default:
		return b & 63
	}
}

// nextProperty returns the number of the property behind another, or of the first one.
func (m *Machine) nextProperty(n, number uint16) uint16 {
	e, ok := m.firstEntry(n)
	if !ok || number == 0 {
		return e.number
	}
	e, found := m.findEntry(n, number)
	if !found {
		m.fail(MissingProperty)
		return 0
	}
	return m.entryAt(e.data + e.length).number
}

func (m *Machine) putProperty(n, number, value uint16) {
	if n == 0 {
		return
	}
	e, found := m.findEntry(n, number)
	switch {
	case !found:
		m.fail(MissingProperty)
	case e.length == 1:
		m.storeb(e.data, byte(value))
	default:
		m.storew(e.data, value)
	}
}

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
	if n == 0 || n > maxObject || !m.objects.wide && n > 255 {
		return ObjectView{}
	}
	o := ObjectView{Parent: m.parent(n), Sibling: m.sibling(n), Child: m.child(n)}
	if addr, _ := m.properties(n); m.loadb(addr) > 0 && m.loadb(addr) <= longestName {
		o.Name = m.DecodeText(int(addr)+1, true)
	}
	return o
}
