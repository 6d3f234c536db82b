package judge

import (
	"cmp"
	"fmt"
	"slices"

	"heldout/envs/stream"
)

// Kind is how turns are sampled.
type Kind string

// The kinds of samples.
const (
	// Balanced takes one turn that the trajectory has as right and one that it has as
	// wrong, as in AgentRefine's Section 8. Trajectories without both are passed over.
	Balanced Kind = "balanced"
	// Natural takes two turns of each trajectory at random, whatever their labels.
	Natural Kind = "natural"
)

// Kinds are all kinds of samples.
func Kinds() []Kind { return []Kind{Balanced, Natural} }

// turnsEach is the number of turns that are taken of a trajectory.
const turnsEach = 2

// Sample is a sample of turns. Trajectories are chosen, and their turns drawn, by
// streams that depend on the seed and the trajectory alone.
type Sample struct {
	kind Kind
	seed int64
	most int // trajectories
	kept []drawn

	// Seen counts the trajectories, Twice those that were there before, Unfit those
	// that the kind of sample cannot use.
	Seen, Twice, Unfit int
	// All counts the turns of the seen trajectories by the labels that they have;
	// "" counts those without one.
	All map[Label]int

	ids map[string]bool
}

// drawn is a trajectory with the number that decides whether it stays.
type drawn struct {
	priority uint64
	of       *Trajectory
}

// NewSample returns an empty sample of at most so many trajectories.
func NewSample(kind Kind, seed int64, trajectories int) *Sample {
	return &Sample{kind: kind, seed: seed, most: trajectories, All: map[Label]int{}, ids: map[string]bool{}}
}

// Add considers a trajectory. The order of the trajectories does not matter.
func (s *Sample) Add(t *Trajectory) {
	if s.ids[t.ID] {
		s.Twice++
		return
	}
	s.ids[t.ID] = true
	s.Seen++
	counts := map[Label]int{}
	for i := range t.Steps {
		counts[t.Steps[i].Given]++
		s.All[t.Steps[i].Given]++
	}
	fits := counts[Right] > 0 && counts[Wrong] > 0
	if s.kind == Natural {
		fits = counts[Right]+counts[Wrong] >= turnsEach
	}
	if !fits {
		s.Unfit++
		return
	}
	d := drawn{stream.New(s.seed, "judge", "trajectory", t.ID).Uint64(), t}
	at, _ := slices.BinarySearchFunc(s.kept, d, func(a, b drawn) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.of.ID, b.of.ID))
	})
	if at < s.most {
		s.kept = slices.Insert(s.kept, at, d)
		s.kept = s.kept[:min(len(s.kept), s.most)]
	}
}

// Turns returns the sampled turns, in an order that tells nothing about them.
func (s *Sample) Turns() []Turn {
	var out []Turn
	for _, d := range s.kept {
		for _, i := range s.draw(d.of) {
			out = append(out, newTurn(d.of, i))
		}
	}
	slices.SortFunc(out, func(a, b Turn) int { return cmp.Compare(a.ID, b.ID) }) // a hash
	return out
}

func (s *Sample) draw(t *Trajectory) []int {
	var with [2][]int // the steps of each label
	var all []int
	for i := range t.Steps {
		if at := slices.Index(labels(), t.Steps[i].Given); at >= 0 {
			with[at] = append(with[at], i)
			all = append(all, i)
		}
	}
	random := stream.New(s.seed, "judge", "turns", t.ID)
	if s.kind == Balanced {
		return []int{with[0][random.IntN(len(with[0]))], with[1][random.IntN(len(with[1]))]}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:turnsEach]
}

// Notes says what the sample is.
func (s *Sample) Notes() []string {
	text := fmt.Sprintf("Sample: %d turns of %d trajectories out of %d", turnsEach*len(s.kept), len(s.kept), s.Seen)
	switch s.kind {
	case Balanced:
		text += ", one right and one wrong each by their own labels. Agreement and kappa are those of balanced turns."
		if s.Unfit > 0 {
			text += fmt.Sprintf(" %d trajectories have no such pair.", s.Unfit)
		}
	case Natural:
		text += ", drawn at random."
		if s.Unfit > 0 {
			text += fmt.Sprintf(" %d trajectories have fewer than %d turns with a label.", s.Unfit, turnsEach)
		}
	}
	if s.Twice > 0 {
		text += fmt.Sprintf(" %d trajectories occur twice and count once.", s.Twice)
	}
	if n := s.All[""]; n > 0 {
		text += fmt.Sprintf(" %d turns without a readable action are not judged.", n)
	}
	return []string{text}
}
