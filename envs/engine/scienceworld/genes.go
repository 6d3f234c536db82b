package scienceworld

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

// genes are the chromosomes that a plant has from its two parents. They never
// change.
type genes struct {
	order  *genome
	parent [2][4]allele // by parent, by trait in the order
}

// value is the word that the genes give a trait, "" if they have no such trait.
func (g *genes) value(traitName string) string {
	if g == nil {
		return ""
	}
	for i := range g.order {
		t := &g.order[i]
		if t.Name != traitName {
			continue
		}
		if g.parent[0][i] == recessive && g.parent[1][i] == recessive {
			return t.Recessive
		}
		return t.Dominant
	}
	return ""
}

// readable is the value with its trait, such as "tall height".
func (g *genes) readable(traitName string) string {
	v := g.value(traitName)
	if v == "" {
		return ""
	}
	for i := range g.order {
		if g.order[i].Name == traitName {
			v += " " + g.order[i].Suffix
		}
	}
	return v
}

// randomGenes draws the genes of a plant of a kind: eight draws.
func (w *World) randomGenes(k ObjectKind) *genes {
	g := &genes{order: kinds[k].Traits}
	for p := range g.parent {
		for i := range g.parent[p] {
			g.parent[p][i] = allele(w.random.intn(2))
		}
	}
	return g
}

// genesWith draws genes. The genes of one trait are given for both parents: six
// draws if the plant has the trait.
func (w *World) genesWith(k ObjectKind, traitName string, fixed allele) *genes {
	g := &genes{order: kinds[k].Traits}
	if k == RandomGeneticsPlantsE {
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
		b1, b2 := b.alleles(a.order[i].Name)
		pairs := [][2]allele{{a1, b1}, {a1, b2}, {a2, b1}, {a2, b2}}
		shuffle(&w.random, pairs)
		child.parent[0][i], child.parent[1][i] = pairs[0][0], pairs[0][1]
	}
	return child
}

// alleles is the pair of alleles of a trait.
func (g *genes) alleles(traitName string) (first, second allele) {
	for i := range g.order {
		if g.order[i].Name == traitName {
			first, second = g.parent[0][i], g.parent[1][i]
		}
	}
	return first, second
}

// newPlant makes a plant of a kind with genes; nil draws them.
func (w *World) newPlant(k ObjectKind, g *genes) *Object {
	w.presetGenes = g
	o := w.new(k)
	w.presetGenes = nil
	return o
}
