package planning

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkDomain reports what does not fit together in a domain. Reading on with
// such a domain would give silently wrong states.
func checkDomain(file string, d *Domain) error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf(file+": "+format, args...))
	}
	for _, t := range slices.Sorted(maps.Keys(d.Types)) {
		if err := checkAncestors(d, t); err != nil {
			fail("%w", err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...) // a broken type tree makes the rest meaningless
	}
	checkTypes := func(where string, list []Object) {
		for _, o := range list {
			if _, ok := d.Types[o.Type]; !ok && o.Type != rootType {
				fail("%s: unknown type %s of %s", where, o.Type, o.Name)
			}
		}
	}
	checkTypes(":constants", d.Constants)
	seen := map[string]bool{}
	for _, p := range d.Predicates {
		checkTypes("predicate "+p.Name, p.Params)
		if seen[p.Name] {
			fail("predicate %s is declared twice", p.Name)
		}
		seen[p.Name] = true
	}
	names := map[string]bool{}
	for _, a := range d.Actions {
		if names[a.Name] {
			fail("action %s is defined twice", a.Name)
		}
		names[a.Name] = true
		checkTypes("action "+a.Name, a.Params)
		scope := map[string]bool{}
		for _, c := range d.Constants {
			scope[c.Name] = true
		}
		if err := addVars(scope, a.Params); err != nil {
			fail("action %s: %w", a.Name, err)
			continue
		}
		for _, f := range []Formula{a.Precondition, a.Effect} {
			if err := checkFormula(d, f, scope); err != nil {
				fail("action %s: %w", a.Name, err)
			}
		}
	}
	return errors.Join(errs...)
}

// checkAncestors reports an unknown or circular parent of type t.
func checkAncestors(d *Domain, t string) error {
	for up, n := t, 0; up != rootType; n++ {
		parent, ok := d.Types[up]
		if !ok {
			return fmt.Errorf("unknown type %s above type %s", up, t)
		}
		if n > len(d.Types) {
			return fmt.Errorf("type %s is its own ancestor", t)
		}
		up = parent
	}
	return nil
}

// addVars puts variables in scope.
func addVars(scope map[string]bool, vars []Object) error {
	for _, v := range vars {
		if !strings.HasPrefix(v.Name, "?") {
			return fmt.Errorf("parameter %s does not start with ?", v.Name)
		}
		if scope[v.Name] {
			return fmt.Errorf("variable %s is declared twice", v.Name)
		}
		scope[v.Name] = true
	}
	return nil
}

// checkFormula reports undeclared predicates, types, variables and objects, and
// wrong numbers of arguments. The scope holds the names that may occur.
func checkFormula(d *Domain, f Formula, scope map[string]bool) error {
	switch f.Op {
	case OpAtom, OpEqual:
		if f.Op == OpAtom {
			if err := checkArity(d, f.Atom); err != nil {
				return err
			}
		}
		for _, t := range f.Atom.Args {
			if !scope[t] {
				return fmt.Errorf("unknown name %s in %s", t, f.Atom)
			}
		}
		return nil
	case OpExists, OpForall:
		for _, v := range f.Vars {
			if _, ok := d.Types[v.Type]; !ok && v.Type != rootType {
				return fmt.Errorf("unknown type %s of %s", v.Type, v.Name)
			}
		}
		scope = maps.Clone(scope)
		if err := addVars(scope, f.Vars); err != nil {
			return err
		}
	}
	for _, s := range f.Sub {
		if err := checkFormula(d, s, scope); err != nil {
			return err
		}
	}
	return nil
}

func checkArity(d *Domain, a Atom) error {
	for _, p := range d.Predicates {
		if p.Name == a.Predicate {
			if len(a.Args) != len(p.Params) {
				return fmt.Errorf("%s: predicate %s takes %d argument(s)", a, a.Predicate, len(p.Params))
			}
			return nil
		}
	}
	return fmt.Errorf("unknown predicate %s in %s", a.Predicate, a)
}

// objects returns the constants of the domain and the objects of the problem,
// in file order. One name may be declared twice only with the same type.
func objects(d *Domain, p *Problem) ([]Object, error) {
	var out []Object
	types := map[string]string{}
	for _, o := range slices.Concat(d.Constants, p.Objects) {
		if _, ok := d.Types[o.Type]; !ok && o.Type != rootType {
			return nil, fmt.Errorf("unknown type %s of object %s", o.Type, o.Name)
		}
		switch t, ok := types[o.Name]; {
		case !ok:
			types[o.Name] = o.Type
			out = append(out, o)
		case t != o.Type:
			return nil, fmt.Errorf("object %s is declared as %s and as %s", o.Name, t, o.Type)
		}
	}
	return out, nil
}

// checkProblem reports what in a problem does not fit its domain.
func checkProblem(d *Domain, p *Problem, objs []Object) error {
	scope := map[string]bool{}
	for _, o := range objs {
		scope[o.Name] = true
	}
	for _, a := range p.Init {
		if err := checkFormula(d, Formula{Op: OpAtom, Atom: a}, scope); err != nil {
			return fmt.Errorf("init: %w", err)
		}
	}
	if err := checkFormula(d, p.Goal, scope); err != nil {
		return fmt.Errorf("goal: %w", err)
	}
	return nil
}
