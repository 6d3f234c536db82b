package planning

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// Sameness returns 16 hex digits that two problems have in common if they differ only in
// case, white space, comments, the order of their parts, and the names of problem, domain
// and objects.
// The names of objects of the types in named count. It is found by refining colours (three
// rounds), so problems that are almost alike may have it in common too, as may, with
// 1 in 2⁶⁴, others. An error starts with file:line:column.
func Sameness(file, text string, named ...string) (string, error) {
	root, err := readFile(file, text)
	if err != nil {
		return "", err
	}
	s := &sameness{numbers: map[string]int{}}
	var parts [2][]piece
	for _, n := range root.kids {
		if !n.list || len(n.kids) == 0 {
			continue
		}
		switch body := n.kids[1:]; n.kids[0].atom {
		case ":objects":
			s.objects(body, named)
		case ":init":
			parts[0] = append(parts[0], s.pieces(body)...)
		case ":goal":
			parts[1] = append(parts[1], s.pieces(body)...)
		}
	}
	for range 3 {
		s.refine(parts[:])
	}
	var sum uint64
	for _, c := range s.colours {
		sum += mix(1, c)
	}
	for i, part := range parts {
		for j := range part {
			sum += mix(uint64(2+i), s.hash(&part[j]))
		}
	}
	return fmt.Sprintf("%016x", sum), nil
}

// sameness refines the colours of objects: those that look alike have one colour.
type sameness struct {
	numbers map[string]int // of objects, by name
	colours []uint64       // by number
}

// piece is an object, a word, or a list of pieces.
type piece struct {
	object    int    // its number; -1 for others
	word      uint64 // the hash of a word; all variables have one
	list      bool
	unordered bool // a conjunction or disjunction
	kids      []piece
}

// objects reads declarations such as "a b - type".
func (s *sameness) objects(body []node, named []string) {
	first := 0 // of the objects without a type
	end := func(i int, typ string) {
		for _, n := range body[first:i] {
			colour := mix(4, hashText(typ))
			if slices.Contains(named, typ) {
				colour = mix(5, hashText(n.atom))
			}
			s.numbers[n.atom] = len(s.colours)
			s.colours = append(s.colours, colour)
		}
	}
	for i := range body {
		if body[i].atom == "-" && i+1 < len(body) {
			end(i, body[i+1].atom)
			first = i + 2
		}
	}
	end(len(body), "")
}

// pieces are what expressions say, with the objects known so far.
func (s *sameness) pieces(nodes []node) []piece {
	out := make([]piece, len(nodes))
	for i := range nodes {
		t, n := &out[i], &nodes[i]
		t.object = -1
		if n.list {
			t.list, t.kids = true, s.pieces(n.kids)
			t.unordered = len(n.kids) > 0 && (n.kids[0].atom == "and" || n.kids[0].atom == "or")
		} else if number, ok := s.numbers[n.atom]; ok {
			t.object = number
		} else if !strings.HasPrefix(n.atom, "?") {
			t.word = hashText(n.atom)
		}
	}
	return out
}

// refine gives each object a new colour, by the facts and the goals in which it stands.
func (s *sameness) refine(parts [][]piece) {
	used := make([]uint64, len(s.colours))
	for i, part := range parts {
		for j := range part {
			s.use(&part[j], uint64(6+i), used)
		}
	}
	for i, sum := range used {
		s.colours[i] = mix(s.colours[i], sum)
	}
}

// use adds a fact to the objects in it.
func (s *sameness) use(t *piece, part uint64, used []uint64) {
	fact := s.hash(t)
	for i := range t.kids {
		switch kid := &t.kids[i]; {
		case kid.list:
			s.use(kid, part, used)
		case kid.object >= 0:
			used[kid.object] += mix(mix(part, uint64(i)), fact)
		}
	}
}

// hash hashes a piece, with the colours of objects in their place.
func (s *sameness) hash(t *piece) uint64 {
	if !t.list {
		if t.object >= 0 {
			return s.colours[t.object]
		}
		return t.word
	}
	h := mix(8, uint64(len(t.kids)))
	for i := range t.kids {
		if kid := s.hash(&t.kids[i]); t.unordered {
			h += mix(9, kid)
		} else {
			h = mix(h, kid)
		}
	}
	return h
}

func hashText(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// mix makes one number of two, by the last steps of SplitMix64.
func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
