package alfworld

import (
	"fmt"

	"heldout/envs/engine/planning"
)

// check refuses problems that the text rules cannot answer.
func check(p *planning.Problem) error {
	if len(p.Repeated) > 0 {
		return fmt.Errorf("object %s is declared twice; names must be unique", p.Repeated[0])
	}
	types := map[string]string{}
	agents := 0
	for _, o := range p.Objects {
		types[o.Name] = o.Type
		if o.Type == "agent" {
			agents++
		}
	}
	params := map[string][]planning.Object{}
	for _, pr := range p.Domain.Predicates {
		params[pr.Name] = pr.Params
	}
	locations := map[string]string{} // receptacle to location
	positions := 0
	for _, a := range p.Init {
		for i, arg := range a.Args {
			if want := params[a.Predicate][i].Type; types[arg] != want {
				return fmt.Errorf("%s: %s is of type %s, want %s", a, arg, types[arg], want)
			}
		}
		switch a.Predicate {
		case "atlocation":
			positions++
		case "receptacleatlocation":
			if location := locations[a.Args[0]]; location != "" {
				return fmt.Errorf("receptacle %s is at %s and at %s", a.Args[0], location, a.Args[1])
			}
			locations[a.Args[0]] = a.Args[1]
		}
	}
	if agents != 1 || positions != 1 {
		return fmt.Errorf("want one agent at one location, not %d at %d", agents, positions)
	}
	for _, a := range p.Init {
		for _, arg := range a.Args {
			if types[arg] == "receptacle" && locations[arg] == "" {
				return fmt.Errorf("receptacle %s is at no location", arg)
			}
		}
	}
	return nil
}
