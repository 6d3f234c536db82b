package judge

import (
	"cmp"
	"fmt"
	"slices"

	"heldout/envs/stream"
	"heldout/scoring/table"
)

// Sampling is how turns are sampled.
type Sampling string

// The kinds of samples.
const (
	// Balanced takes one turn that the trajectory has as right and one that it has as
	// wrong, as in AgentRefine's Section 8. Trajectories without both are passed over.
	Balanced Sampling = "balanced"
	Natural  Sampling = "natural" // two turns of each trajectory are drawn at random, whatever their labels
)

// turnsEach is the number of turns that are taken of a trajectory.
const turnsEach = 2

// Sample is a sample of turns. Trajectories are chosen, and their turns drawn, by
// streams that depend on the seed and the trajectory alone.
type Sample struct {
	kind  Sampling
	seed  int64
	limit int // trajectories
	picks []sampled

	// Read counts the trajectories, Twice those that were there before, Unfit those
	// that the kind of sample cannot use.
	Read, Twice, Unfit int
	// Labels counts the turns of the seen trajectories by the labels that they have; "" counts those without one.
	Labels map[Label]int

	ids map[string]bool
}

// sampled is a trajectory with the number that decides whether it stays.
type sampled struct {
	priority   uint64
	trajectory *Trajectory
}

// NewSample returns an empty sample of at most so many trajectories.
func NewSample(kind Sampling, seed int64, trajectories int) *Sample {
	return &Sample{kind: kind, seed: seed, limit: trajectories, Labels: map[Label]int{}, ids: map[string]bool{}}
}

// Add considers a trajectory. The order of the trajectories does not matter.
func (s *Sample) Add(t *Trajectory) {
	if s.ids[t.ID] {
		s.Twice++
		return
	}
	s.ids[t.ID] = true
	s.Read++
	counts := map[Label]int{}
	for i := range t.Steps {
		counts[t.Steps[i].Label]++
		s.Labels[t.Steps[i].Label]++
	}
	fits := counts[Right] > 0 && counts[Wrong] > 0
	if s.kind == Natural {
		fits = counts[Right]+counts[Wrong] >= turnsEach
	}
	if !fits {
		s.Unfit++
		return
	}
	d := sampled{stream.New(s.seed, "judge", "trajectory", t.ID).Uint64(), t}
	i, _ := slices.BinarySearchFunc(s.picks, d, func(a, b sampled) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.trajectory.ID, b.trajectory.ID))
	})
	if i < s.limit {
		s.picks = slices.Insert(s.picks, i, d)
		s.picks = s.picks[:min(len(s.picks), s.limit)]
	}
}

// Turns returns the sampled turns, in an order that tells nothing about them.
func (s *Sample) Turns() []JudgedTurn {
	var out []JudgedTurn
	for _, d := range s.picks {
		for _, i := range s.draw(d.trajectory) {
			out = append(out, newTurn(d.trajectory, i))
		}
	}
	slices.SortFunc(out, func(a, b JudgedTurn) int { return cmp.Compare(a.ID, b.ID) }) // a hash
	return out
}

func (s *Sample) draw(t *Trajectory) []int {
	var byLabel [2][]int // the steps of each label
	var steps []int
	for i := range t.Steps {
		if j := slices.Index(labels(), t.Steps[i].Label); j >= 0 {
			byLabel[j] = append(byLabel[j], i)
			steps = append(steps, i)
		}
	}
	random := stream.New(s.seed, "judge", "turns", t.ID)
	if s.kind == Balanced {
		return []int{byLabel[0][random.IntN(len(byLabel[0]))], byLabel[1][random.IntN(len(byLabel[1]))]}
	}
	random.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	return steps[:turnsEach]
}

// Notes says what the sample is.
func (s *Sample) Notes() []string {
	text := fmt.Sprintf("Sample: %d turns of %s out of %d", turnsEach*len(s.picks),
		table.Counted(len(s.picks), "trajectory", "trajectories"), s.Read)
	switch s.kind {
	case Balanced:
		text += ", one right and one wrong each by their own labels. Agreement and kappa are those of balanced turns."
		if s.Unfit > 0 {
			text += fmt.Sprintf(" %s no such pair.", table.Counted(s.Unfit, "trajectory has", "trajectories have"))
		}
	case Natural:
		text += ", drawn at random."
		if s.Unfit > 0 {
			text += fmt.Sprintf(" %s fewer than %d turns with a label.",
				table.Counted(s.Unfit, "trajectory has", "trajectories have"), turnsEach)
		}
	}
	if s.Twice > 0 {
		text += " " + table.Counted(s.Twice, "trajectory occurs twice and counts",
			"trajectories occur twice and count") + " once."
	}
	if n := s.Labels[""]; n > 0 {
		text += " " + table.Counted(n, "turn without a readable action is",
			"turns without a readable action are") + " not judged."
	}
	return []string{text}
}
