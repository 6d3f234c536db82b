package envs

import "errors"

// Wrapper is an Env or a World around another one. It changes how callers talk to the inner one or observe it, and
// hides none of its abilities: As finds them through any number of wrappers.
type Wrapper interface {
	// Unwrap returns the Env or World inside.
	Unwrap() any
	// Rewrites lists the abilities that look different through the wrapper. Each entry is a func(A) A for one
	// ability A; it gets the ability of the inner Env or World and returns what the outside sees of it, or nil to
	// hide it. Abilities without an entry are seen as they are.
	Rewrites() []any
}

// As returns the ability A of an Env or a World, such as Lister, as it looks through all wrappers around it. Always
// use As to ask for an optional ability: a type assertion sees only the abilities of the outermost wrapper.
func As[A any](v any) (ability A, ok bool) {
	w, wrapped := v.(Wrapper)
	if !wrapped {
		ability, ok = v.(A)
		return ability, ok
	}
	if ability, ok = As[A](w.Unwrap()); !ok {
		return ability, false
	}
	for _, rewrite := range w.Rewrites() {
		if f, match := rewrite.(func(A) A); match {
			ability = f(ability)
		}
	}
	return ability, any(ability) != nil
}

// Need returns an ability as As does. The error says what an Env or a World without it lacks, such as "has no expert".
func Need[A any](v any, lack string) (A, error) {
	ability, ok := As[A](v)
	if !ok {
		return ability, errors.New("the environment " + lack)
	}
	return ability, nil
}
