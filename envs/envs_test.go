package envs

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// Values fit the types of their settings; an empty value stands for the default.
func TestSettings(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Setting Setting
		Value   string
		Want    string // of the error, "" for none
	}](t, "settings.yaml") {
		if err := c.Setting.Check(c.Value); (err == nil) != (c.Want == "") ||
			err != nil && !strings.Contains(err.Error(), c.Want) {
			t.Errorf("%s %q: %v, want %q", c.Setting.Type, c.Value, err, c.Want)
		}
	}
	s := Settings{"on": "true", "off": "false", "n": "12", "bad": "x"}
	if !s.On("on") || s.On("off") || s.On("bad") || s.On("none") || s.Number("n") != 12 || s.Number("bad") != 0 ||
		s.Number("none") != 0 {
		t.Errorf("the values of %v are misread", s)
	}
}

// Seeds are a number or a range, in flags and in files, and are written as they are read.
func TestGeneratorSeeds(t *testing.T) {
	for text, want := range map[string]GeneratorSeeds{"7": {7, 7}, "-3": {-3, -3}, "1-100": {1, 100}, "5-5": {5, 5},
		"0-9999": {0, 9999}} {
		sharedtest.Equal(t, sharedtest.Must(ParseGeneratorSeeds(text))(t), want, text)
	}
	for _, text := range []string{"", "x", "1-", "9-1", "0-10000", "1-2-3", "-5--1"} {
		if got, err := ParseGeneratorSeeds(text); err == nil ||
			!strings.Contains(err.Error(), "want a number such as 7") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Int64Range(0, 1<<40).Draw(t, "first")
		want := GeneratorSeeds{first, first + rapid.Int64Range(0, mostGeneratorSeeds-1).Draw(t, "more")}
		var got GeneratorSeeds
		if err := got.Set(want.String()); err != nil || got != want {
			t.Fatalf("%v is read as %v, %v", want, got, err)
		}
	})
	yaml := func(value any) (g GeneratorSeeds, err error) {
		err = g.UnmarshalYAML(func(to any) error {
			switch to := to.(type) {
			case *int64:
				n, ok := value.(int64)
				if *to = n; !ok {
					return context.Canceled
				}
			case *string:
				*to = value.(string)
			}
			return nil
		})
		return g, err
	}
	sharedtest.Equal(t, sharedtest.Must(yaml(int64(4)))(t), GeneratorSeeds{4, 4})
	sharedtest.Equal(t, sharedtest.Must(yaml("4-6"))(t), GeneratorSeeds{4, 6})
	sharedtest.Fails(t, sharedtest.Err(yaml("many")), "", "many")
}

// lists is a world with a list of actions; plain has none.
type plain struct{ World }
type lists struct{ World }

func (lists) Actions(context.Context) ([]string, error) { return []string{"look"}, nil }

// around is a wrapper that shows other actions, or hides them.
type around struct {
	World
	hide bool
}

func (a around) Unwrap() any { return a.World }
func (a around) Rewrites() []any {
	return []any{func(inner Lister) Lister {
		if a.hide {
			return nil
		}
		return louder{inner}
	}}
}

type louder struct{ Lister }

func (l louder) Actions(ctx context.Context) ([]string, error) {
	all, err := l.Lister.Actions(ctx)
	var out []string
	for _, a := range all {
		out = append(out, strings.ToUpper(a))
	}
	return out, err
}

// An ability is seen as all wrappers show it, and not at all if one hides it or the world lacks it.
func TestAbilitiesThroughWrappers(t *testing.T) {
	for name, c := range map[string]struct {
		world World
		want  string // "" if there is no list
	}{
		"none": {plain{}, ""}, "its own": {lists{}, "look"}, "wrapped": {around{World: lists{}}, "LOOK"},
		"twice": {around{World: around{World: lists{}}}, "LOOK"}, "hidden": {around{lists{}, true}, ""},
		"hidden below": {around{World: around{lists{}, true}}, ""}, "wrapped none": {around{World: plain{}}, ""},
	} {
		l, ok := As[Lister](c.world)
		if ok != (c.want != "") {
			t.Errorf("%s: there is a list: %v", name, ok)
			continue
		}
		if !ok {
			continue
		}
		if all, err := l.Actions(t.Context()); err != nil || len(all) != 1 || all[0] != c.want {
			t.Errorf("%s: %q, %v, want %q", name, all, err, c.want)
		}
	}
}

// What is small says what it is.
func TestWords(t *testing.T) {
	if Easy.Check() != nil || Hard.Check() != nil || Difficulty("odd").Check() == nil || Difficulty("").Check() == nil {
		t.Error("there are other difficulties than easy and hard")
	}
	if Digest("a", "b") == Digest("ab") || Digest("a", "b") == Digest("b", "a") {
		t.Error("other texts have the same digest")
	}
}
