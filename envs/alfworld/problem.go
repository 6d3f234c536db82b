package alfworld

import (
	"fmt"
	"strings"
)

func (s *scene) problem(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "(define (problem %s)\n(:domain alfred)\n(:objects\n", name)
	declare := func(typ string, names ...string) {
		for _, n := range names {
			b.WriteString("  " + n + " - " + typ + "\n")
		}
	}
	declare("agent", "agent1")
	declare("location", s.locations...)
	for _, f := range s.containers {
		declare("receptacle", f.id)
	}
	for _, thing := range s.items {
		declare("object", thing.id)
	}
	for _, class := range furnishing().Classes["objectClasses"] {
		declare("otype", class+"Type")
	}
	for _, class := range s.receptacles {
		declare("rtype", class+"Type")
	}
	b.WriteString(")\n(:init\n")
	for _, f := range s.facts() {
		b.WriteString("  (" + f + ")\n")
	}
	b.WriteString(")\n(:goal " + s.formula() + "))\n")
	return b.String()
}

func (s *scene) facts() []string {
	facts := []string{"atLocation agent1 " + s.locations[0]}
	add := func(words ...string) { facts = append(facts, strings.Join(words, " ")) }
	present := map[string]bool{} // classes
	for _, f := range s.containers {
		present[f.class] = true
		add("receptacleType", f.id, f.class+"Type")
		add("receptacleAtLocation", f.id, f.location)
		if f.openable {
			add("openable", f.id)
		}
	}
	for _, thing := range s.items {
		present[thing.class] = true
		add("objectType", thing.id, thing.class+"Type")
		add("objectAtLocation", thing.id, thing.location)
		for _, r := range thing.in {
			add("inReceptacle", thing.id, r)
		}
		if thing.holder != "" {
			add("inReceptacleObject", thing.id, thing.holder)
		}
		if thing.cool {
			add("isCool", thing.id)
		}
		if !can(thing.class, "fixed") {
			add("pickupable", thing.id)
		}
		for _, a := range s.affordances[thing.class] {
			add(a, thing.id)
		}
	}
	for _, container := range s.receptacles {
		for _, class := range s.accepts[container] {
			if present[container] && present[class] {
				add("canContain", container+"Type", class+"Type")
			}
		}
	}
	return facts
}

func (s *scene) formula() string {
	object, target := s.object+"Type", s.target+"Type"
	placed := func(o, condition string) string {
		return fmt.Sprintf("(objectType %s %s) (receptacleType ?r %s) (inReceptacle %s ?r)%s", o, object, target,
			o, condition)
	}
	exists := func(condition string) string {
		return "(exists (?r - receptacle) (exists (?o - object) (and " + placed("?o", condition) + ")))"
	}
	switch s.taskType {
	case pickClean:
		return exists(" (cleanable ?o) (isClean ?o)")
	case pickHeat:
		return exists(" (heatable ?o) (isHot ?o)")
	case pickCool:
		return exists(" (coolable ?o) (isCool ?o)")
	case pickTwo:
		second := " (exists (?o2 - object) (and (not (= ?o1 ?o2)) " + placed("?o2", "") + "))"
		return "(exists (?r - receptacle) (exists (?o1 - object) (and " + placed("?o1", second) + ")))"
	case lookInLight:
		return fmt.Sprintf(
			"(and (exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and (objectType ?ot %s) "+
				"(toggleable ?ot) "+
				"(isToggled ?ot) (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r))) "+
				"(exists (?o - object ?a - agent) (and (objectType ?o %s) (holds ?a ?o))))", target, object)
	default:
		return exists("")
	}
}
