package pddl

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/envs/engine/planning"
	"heldout/envs/stream"
)

// NewGenerated makes 60 tasks of our own. The numbers of tasks per game, and of easy and hard tasks, match the
// benchmark. The same seed gives the same tasks. Every task is solvable by construction.
func NewGenerated(seed int64) (*Env, error) {
	e := newEnv(envs.Generated)
	e.Set("generator-seed", strconv.FormatInt(seed, 10))
	for i := range games {
		g := &games[i]
		domainFile := "domains/" + g.Name + ".pddl"
		domainText, _ := domains.ReadFile(domainFile) // a test reads them all
		domain, err := planning.ParseDomain(domainFile, string(domainText))
		if err != nil {
			return nil, err
		}
		used := map[string]bool{}
		for n := range g.Capacity {
			id := fmt.Sprintf("%s/gen%d-%02d", g.Name, seed, n+1)
			rng := stream.New(seed, Name, g.Name, strconv.Itoa(n))
			text := generators[g.Name](n, g.difficultyOf(n) == envs.Hard, rng)
			for used[text] { // small problems can be identical
				text = generators[g.Name](n, g.difficultyOf(n) == envs.Hard, rng)
			}
			used[text] = true
			p, err := newProblem(g, domain, id, text)
			if err != nil {
				return nil, err
			}
			e.add(p, id, g.difficultyOf(n), string(domainText), text)
		}
	}
	return e, nil
}

// generators write the n-th problem of a game, easy or hard.
var generators = map[string]func(n int, hard bool, rng *rand.Rand) string{
	"gripper":    generateGripper,
	"blockworld": generateBlocks,
	"barman":     generateBarman,
	"tyreworld":  generateTyres,
}

type sketch struct {
	domain              string
	objects, init, goal []string
}

func (s *sketch) fact(format string, args ...any) {
	s.init = append(s.init, "("+fmt.Sprintf(format, args...)+")")
}

func (s *sketch) want(format string, args ...any) {
	s.goal = append(s.goal, "("+fmt.Sprintf(format, args...)+")")
}

func (s *sketch) text() string {
	return fmt.Sprintf("(define (problem generated) (:domain %s)\n(:objects %s)\n(:init\n%s)\n(:goal (and\n%s)))\n",
		s.domain, strings.Join(s.objects, " "), strings.Join(s.init, "\n"), strings.Join(s.goal, "\n"))
}

// names returns "base1" to "baseN".
func names(base string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = base + strconv.Itoa(i+1)
	}
	return out
}

// generateGripper puts 4 to 12 balls into two rooms. At least half of them and at most ten must change rooms: ten
// balls in one direction take at most 30 steps.
func generateGripper(n int, _ bool, rng *rand.Rand) string {
	counts := [...]int{4, 6, 8, 10, 12}
	balls := names("ball", counts[n%len(counts)])
	rooms := []string{"rooma", "roomb"}
	movers := len(balls)/2 + rng.IntN(min(len(balls), 10)-len(balls)/2+1)
	s := sketch{domain: "gripper", objects: append(append(append([]string{}, rooms...), "left", "right"), balls...)}
	for _, r := range rooms {
		s.fact("room %s", r)
	}
	for _, g := range []string{"left", "right"} {
		s.fact("gripper %s", g)
		s.fact("free %s", g)
	}
	s.fact("at-robby %s", rooms[rng.IntN(2)])
	for i, b := range rng.Perm(len(balls)) {
		room := rng.IntN(2)
		s.fact("ball %s", balls[b])
		s.fact("at %s %s", balls[b], rooms[room])
		if i < movers {
			room = 1 - room
		}
		s.want("at %s %s", balls[b], rooms[room])
	}
	return s.text()
}

// generateBlocks arranges 3 to 7 blocks in towers that the agent must rearrange: at most 4 steps per block.
func generateBlocks(_ int, hard bool, rng *rand.Rand) string {
	size := 3 + rng.IntN(3)
	if hard {
		size = 5 + rng.IntN(3)
	}
	blocks := names("b", size)
	s := sketch{domain: "blockworld", objects: blocks}
	s.fact("arm-empty")
	standing := map[string]bool{}
	for _, tower := range towers(blocks, rng) {
		s.fact("on-table %s", tower[0])
		for i := 1; i < len(tower); i++ {
			s.fact("on %s %s", tower[i], tower[i-1])
			standing[tower[i]+" "+tower[i-1]] = true
		}
		s.fact("clear %s", tower[len(tower)-1])
	}
	for open := 0; open < 2; { // at least two blocks must move
		open, s.goal = 0, nil
		for _, tower := range towers(blocks, rng) {
			for i := 1; i < len(tower); i++ {
				s.want("on %s %s", tower[i], tower[i-1])
				if !standing[tower[i]+" "+tower[i-1]] {
					open++
				}
			}
		}
	}
	return s.text()
}

// towers divides blocks into towers, each from the bottom up.
func towers(blocks []string, rng *rand.Rand) [][]string {
	var out [][]string
	for _, i := range rng.Perm(len(blocks)) {
		if len(out) == 0 || rng.IntN(3) == 0 {
			out = append(out, nil)
		}
		last := len(out) - 1
		out[last] = append(out[last], blocks[i])
	}
	return out
}

// generateBarman asks for drinks in shot glasses. Easy tasks ask for one to three plain ingredients. Hard tasks ask
// for one or two cocktails, which take 10 and about 24 steps, or for one cocktail and an ingredient.
func generateBarman(n int, hard bool, rng *rand.Rand) string {
	shots, cocktails := names("shot", 4+rng.IntN(3)), names("cocktail", 3+rng.IntN(3))
	ingredients, dispensers := names("ingredient", 3), names("dispenser", 3)
	levels := []string{"l0", "l1", "l2"}
	s := sketch{domain: "barman"}
	declare := func(typ string, names ...string) {
		s.objects = append(s.objects, strings.Join(names, " ")+" - "+typ)
	}
	declare("shaker", "shaker1")
	declare("hand", "left", "right")
	declare("shot", shots...)
	declare("ingredient", ingredients...)
	declare("cocktail", cocktails...)
	declare("dispenser", dispensers...)
	declare("level", levels...)
	for _, c := range append([]string{"shaker1"}, shots...) {
		s.fact("ontable %s", c)
		s.fact("clean %s", c)
		s.fact("empty %s", c)
	}
	for i, d := range dispensers {
		s.fact("dispenses %s %s", d, ingredients[i])
	}
	s.fact("handempty left")
	s.fact("handempty right")
	s.fact("shaker-empty-level shaker1 l0")
	s.fact("shaker-level shaker1 l0")
	s.fact("next l0 l1")
	s.fact("next l1 l2")
	for _, c := range cocktails {
		parts := rng.Perm(len(ingredients))
		s.fact("cocktail-part1 %s %s", c, ingredients[parts[0]])
		s.fact("cocktail-part2 %s %s", c, ingredients[parts[1]])
	}
	mixed, plain := 0, 1+rng.IntN(3)
	if hard {
		order := [...][2]int{{1, 0}, {2, 0}, {1, 1}}[n%3]
		mixed, plain = order[0], order[1]
	}
	glasses, kinds := rng.Perm(len(shots)), rng.Perm(len(cocktails))
	for i := range mixed {
		s.want("contains %s %s", shots[glasses[i]], cocktails[kinds[i]])
	}
	for i := range plain {
		s.want("contains %s %s", shots[glasses[mixed+i]], ingredients[rng.IntN(len(ingredients))])
	}
	return s.text()
}

// generateTyres parks a car with one to four flat wheels. Easy tasks ask the agent to change one wheel, or to pump
// up some spare wheels. Hard tasks ask for two changes, which take 21 steps, or for one change whose nut is
// tightened at the end.
func generateTyres(n int, hard bool, rng *rand.Rand) string {
	hubs := 1 + rng.IntN(4)
	if hard {
		hubs = 2 + rng.IntN(3)
	}
	s := sketch{domain: "tyreworld", objects: []string{
		"wrench jack pump - tool", "boot - container",
		strings.Join(names("the-hub", hubs), " ") + " - hub",
		strings.Join(names("nuts", hubs), " ") + " - nut",
		strings.Join(names("w", hubs), " ") + " " + strings.Join(names("r", hubs), " ") + " - wheel",
	}}
	for _, tool := range []string{"wrench", "jack", "pump"} {
		s.fact("in %s boot", tool)
	}
	s.fact("unlocked boot")
	s.fact("closed boot")
	for i := 1; i <= hubs; i++ {
		s.fact("on w%d the-hub%d", i, i)
		s.fact("on-ground the-hub%d", i)
		s.fact("tight nuts%d the-hub%d", i, i)
		s.fact("fastened the-hub%d", i)
		s.fact("in r%d boot", i)
		s.fact("intact r%d", i)
		s.fact("not-inflated r%d", i)
	}
	order := rng.Perm(hubs)
	change := func(hub int) {
		s.want("on r%d the-hub%d", hub, hub)
		s.want("inflated r%d", hub)
		s.want("in w%d boot", hub)
	}
	switch {
	case hard && n%2 == 0:
		change(order[0] + 1)
		change(order[1] + 1)
	case hard:
		change(order[0] + 1)
		s.want("tight nuts%d the-hub%d", order[0]+1, order[0]+1)
	case n%2 == 0:
		change(order[0] + 1)
	default:
		for _, hub := range order[:1+rng.IntN(hubs)] {
			s.want("inflated r%d", hub+1)
		}
	}
	return s.text()
}
