package scienceworld

import "slices"

// trait is one of the traits that genes decide (processes §11.1).
type trait struct {
	Name      string
	Dominant  string
	Recessive string
	Suffix    string
}

// genome lists the traits of a plant in the order in which they are drawn.
type genome [4]trait

// fixedOrderE is the order of plant E's traits if one of them is given.
var fixedOrderE = func(e *genome) genome { return genome{e[0], e[2], e[3], e[1]} }(kinds[RandomGeneticsPlantsE].Traits)

// allele is one side of a trait.
type allele uint8

const (
	dominant allele = iota
	recessive
)

// genes are the chromosomes that a plant has from its two parents. They never change.
type genes struct {
	order  *genome
	parent [2][4]allele // by parent, by trait in the order
}

// index is the place of a trait in the order, -1 if there is none.
func (g *genes) index(traitName string) int {
	if g == nil {
		return -1
	}
	return slices.IndexFunc(g.order[:], func(t trait) bool { return t.Name == traitName })
}

// value is the word that the genes give a trait, "" if they have no such trait.
func (g *genes) value(traitName string) string {
	i := g.index(traitName)
	switch {
	case i < 0:
		return ""
	case g.parent[0][i] == recessive && g.parent[1][i] == recessive:
		return g.order[i].Recessive
	}
	return g.order[i].Dominant
}

// readable is the value with its trait, such as "tall height".
func (g *genes) readable(traitName string) string {
	v := g.value(traitName)
	if v == "" {
		return ""
	}
	return v + " " + g.order[g.index(traitName)].Suffix
}

// randomGenes draws the genes of a plant of a kind: eight draws.
func (w *World) randomGenes(k ObjectKind) *genes { return w.genesWith(k, "", dominant) }

// genesWith draws genes. The genes of one trait are given for both parents: six draws if the plant has the trait.
func (w *World) genesWith(k ObjectKind, traitName string, fixed allele) *genes {
	g := &genes{order: kinds[k].Traits}
	if k == RandomGeneticsPlantsE && traitName != "" {
		g.order = &fixedOrderE
	}
	for p := range g.parent {
		for i := range g.parent[p] {
			if g.order[i].Name == traitName {
				g.parent[p][i] = fixed
			} else {
				g.parent[p][i] = allele(w.random.intn(2))
			}
		}
	}
	return g
}

// mate draws the genes of a child: twelve draws.
func (w *World) mate(a, b *genes) *genes {
	child := &genes{order: a.order}
	for i := range a.order {
		a1, a2 := a.parent[0][i], a.parent[1][i]
		k := b.index(a.order[i].Name)
		b1, b2 := b.parent[0][k], b.parent[1][k]
		pairs := [][2]allele{{a1, b1}, {a1, b2}, {a2, b1}, {a2, b2}}
		shuffle(&w.random, pairs)
		child.parent[0][i], child.parent[1][i] = pairs[0][0], pairs[0][1]
	}
	return child
}

// newPlant makes a plant of a kind with genes; nil draws them.
func (w *World) newPlant(k ObjectKind, g *genes) *Object {
	w.presetGenes = g
	o := w.new(k)
	w.presetGenes = nil
	return o
}
