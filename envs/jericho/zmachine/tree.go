package zmachine

import "slices"

// node is a value that was read from memory, or a leaf. The next node, of what is
// read behind this value, follows it in the list.
type node struct {
	addr, value uint16
	edge        edge
}

// edge is what a node leads to, and in its highest two bits the number of bytes
// that were read. For a leaf, where that is 0, it is the outcome, otherwise the
// node for another value at the same address, or 0 for none.
type edge uint32

const (
	sizeShift = 30
	edgeMask  = 1<<sizeShift - 1
)

func (l edge) size() uint8 { return uint8(l >> sizeShift) }
func (l edge) to() int     { return int(l & edgeMask) }

func (n *node) setOther(at int) { n.edge = n.edge&^edgeMask | edge(at) }

// place is how far a tree knows a call.
type place struct {
	root  int32 // the tree
	node  int32 // the last node; 0 if not even the first is known
	depth int32 // nodes from the first to this one
}

// find follows a tree by what is in memory now. It returns the outcome, or 0 if
// there has not been such a call, and how far it is known. What is looked at is
// what the call reads.
func (m *Machine) find(root int32) (outcome int, known place) {
	nodes, mem := m.memo.nodes, m.mem
	known.root = root
	for at := int(m.memo.roots[root]); at != 0; at++ {
		n := &nodes[at]
		value := uint16(mem[n.addr])
		switch n.edge.size() {
		case 0:
			return n.edge.to(), known
		case 2:
			value = value<<8 | uint16(mem[n.addr+1])
		}
		if n.value != value {
			if at = m.memo.other(at, value); at == 0 {
				break
			}
		}
		if m.tracing {
			m.noteRead(n.addr, n.edge.size())
		}
		known.node = int32(at)
		known.depth++
	}
	return 0, known
}

// other returns the node for another value than that of the first node for an
// address, or 0. The one that was wanted last is the first of the others.
func (m *memo) other(first int, value uint16) int {
	head := &m.nodes[first]
	before := head
	for at := head.edge.to(); at != 0; {
		n := &m.nodes[at]
		if n.value == value {
			if before != head {
				before.setOther(n.edge.to())
				n.setOther(head.edge.to())
				head.setOther(at)
			}
			return at
		}
		before, at = n, n.edge.to()
	}
	return 0
}

// insert puts a call into a tree, of which it is known how far it knows the
// call; reads are those behind that.
func (m *memo) insert(known place, reads []read, o outcome) {
	at := int(known.node) + 1
	if known.node == 0 {
		at = int(m.roots[known.root])
	}
	if at == 0 {
		m.roots[known.root] = int32(len(m.nodes))
	}
	for at != 0 {
		n := &m.nodes[at]
		switch {
		case len(reads) == 0:
			return // a call in this one was just like it
		case n.value == reads[0].value:
			at++
			reads = reads[1:]
		case n.edge.to() != 0:
			at = n.edge.to()
		default:
			n.setOther(len(m.nodes))
			at = 0
		}
	}
	if len(m.nodes)+len(reads) >= cap(m.nodes) {
		m.nodes = slices.Grow(m.nodes, maxNodes) // at once: to grow step by step takes time
	}
	for _, r := range reads {
		m.nodes = append(m.nodes, node{r.addr, r.value, edge(r.size) << sizeShift})
	}
	m.nodes = append(m.nodes, node{edge: edge(len(m.outcomes))})
	m.outcomes = append(m.outcomes, o)
}
