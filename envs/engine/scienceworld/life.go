package scienceworld

import _ "embed"

// stage is a part of a life cycle.
type stage struct {
	Name  string
	Ticks int    // how long it lasts; 0 for ever
	Fixed string // the name of an animal in this stage, if not made by rule
}

// cycles are the stages of the life cycles, in order (processes §11.3, §13). The
// stages of plants end by conditions.
var cycles = table[map[string][]stage](cyclesFile)

//go:embed cycles.json
var cyclesFile []byte

// The stages of plants by their place in the cycle.
const (
	seed = iota
	seedling
	adult
	reproducing
	deadPlant
)

// life is what living things have.
type life struct {
	form   string // life form
	stage  int    // place in the cycle
	sickly bool
	dead   bool
	// counters of each stage are kept when the stage changes.
	counters [5]counters
}

// counters are what a stage counts.
type counters struct{ mature, dry, bare, heat int }

// stageName is the name of the stage of a living thing, "" for anything else.
func (o *Object) stageName() string {
	if o.life == nil {
		return ""
	}
	return cycles[kinds[o.kind].Cycle][o.life.stage].Name
}

// setStage changes the stage. Counters stay.
func (w *World) setStage(o *Object, stage int) {
	if o.life.stage != stage {
		o.life.stage = stage
		w.renamed(o)
	}
}

// setStageNamed changes the stage to the stage of that name, which must exist.
func (w *World) setStageNamed(o *Object, name string) {
	for i, s := range cycles[kinds[o.kind].Cycle] {
		if s.Name == name {
			w.setStage(o, i)
		}
	}
}

// canonicalName is the name of an animal in its stage.
func (o *Object) canonicalName() string {
	s := &cycles[kinds[o.kind].Cycle][o.life.stage]
	switch {
	case s.Fixed != "":
		return s.Fixed
	case s.Name == "egg":
		return o.life.form + " egg"
	}
	return s.Name + " " + o.life.form
}

// stages makes one living thing of a kind for each stage of its life, as tasks
// place them: one more is made first and discarded (objects §3.11).
func (w *World) stages(k ObjectKind) (out []*Object) {
	throwaway := Animal
	if kinds[k].Groups&aPlant != 0 {
		throwaway = k
		if k == AvocadoTree {
			throwaway = AppleTree
		}
	}
	w.new(throwaway)
	for i := range cycles[kinds[k].Cycle] {
		o := w.new(k)
		o.life.stage = i
		out = append(out, o)
	}
	return out
}
