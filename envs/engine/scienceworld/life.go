package scienceworld

// cycle is a life cycle.
type cycle uint8

const (
	noCycle cycle = iota
	cycleAnimal
	cycleBird
	cycleTortoise
	cycleButterfly
	cycleFrog
	cycleAdultForever
	cyclePlant
)

// stage is a part of a life cycle.
type stage struct {
	name  string
	ticks int    // how long it lasts; 0 for ever
	fixed string // the name of an animal in this stage, if not made by rule
}

// cycles are the stages of the life cycles, in order (processes §11.3, §13). The
// stages of plants end by conditions.
var cycles = [...][]stage{
	cycleAnimal: {{"baby", 20, ""}, {"juvenile", 20, ""}, {"adult", 50, ""}, {"dead", 0, ""}},
	cycleBird: {{"egg", 20, ""}, {"hatchling", 20, ""}, {"juvenile", 20, ""}, {"adult", 50, ""},
		{"dead", 0, ""}},
	cycleTortoise: {{"egg", 20, ""}, {"hatchling", 20, ""}, {"juvenile", 20, ""}, {"adult", 50, ""},
		{"dead", 0, ""}},
	cycleButterfly: {{"egg", 20, "butterfly egg"}, {"caterpillar", 20, "caterpillar"},
		{"pupa", 20, "butterfly pupa"}, {"adult", 50, "adult butterfly"}, {"death", 0, "dead butterfly"}},
	cycleFrog: {{"egg", 20, "frog egg"}, {"tadpole", 20, "tadpole"}, {"adult", 50, "adult frog"},
		{"death", 0, "dead frog"}},
	cycleAdultForever: {{"adult", 0, ""}, {"dead", 0, ""}},
	cyclePlant: {{"seed", 0, ""}, {"seedling", 0, ""}, {"adult", 0, ""}, {"reproducing", 0, ""},
		{"dead", 0, ""}},
}

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
	cycle  cycle
	stage  int // place in the cycle
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
	return cycles[o.life.cycle][o.life.stage].name
}

// setStage changes the stage. Counters stay.
func (w *World) setStage(o *Object, stage int) {
	if o.life.stage != stage {
		o.life.stage = stage
		w.renamed(o)
	}
}

// setStageNamed changes the stage to the one of that name, which must exist.
func (w *World) setStageNamed(o *Object, name string) {
	for i, s := range cycles[o.life.cycle] {
		if s.name == name {
			w.setStage(o, i)
		}
	}
}

// canonicalName is the name of an animal in its stage.
func (o *Object) canonicalName() string {
	s := &cycles[o.life.cycle][o.life.stage]
	switch {
	case s.fixed != "":
		return s.fixed
	case s.name == "egg":
		return o.life.form + " egg"
	}
	return s.name + " " + o.life.form
}

// stages makes one living thing of a kind for each stage of its life, as tasks
// place them: one more is made first and discarded (objects §3.11).
func (w *World) stages(k ObjectKind) (out []*Object) {
	throwaway := Animal
	if kinds[k].groups&aPlant != 0 {
		throwaway = k
		if k == AvocadoTree {
			throwaway = AppleTree
		}
	}
	w.new(throwaway)
	for i := range cycles[kinds[k].cycle] {
		o := w.new(k)
		o.life.stage = i
		out = append(out, o)
	}
	return out
}
