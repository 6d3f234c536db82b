package configs

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// Every option has a field of a run, whose kind its declaration fits, and every field has an option.
func TestOptions(t *testing.T) {
	r := DefaultRun()
	declared := map[string]bool{}
	for _, o := range Options() {
		field := reflect.ValueOf(o.Pointer(&r)).Elem()
		if declared[o.Name] || o.Help == "" {
			t.Errorf("%s is declared twice, or has no help", o.Name)
		}
		declared[o.Name] = true
		if field.IsZero() != (o.Default == "") || o.Default != "" && o.Text(&r) != o.Default {
			t.Errorf("the default of %s is %s, want %q", o.Name, o.Text(&r), o.Default)
		}
		if o.Name == "trials" && *o.Range.Max != MaxTrials {
			t.Errorf("there are at most %v trials, want %d", *o.Range.Max, MaxTrials)
		}
		if err := o.Check(&r); err != nil {
			t.Errorf("its default is refused: %v", err)
		}
		if _, list := field.Addr().Interface().(*Strings); o.Commas && !list {
			t.Errorf("%s has commas and is no list", o.Name)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Run]()) {
		if name := f.Tag.Get("yaml"); !f.Anonymous && name != "-" && !declared[name] {
			t.Errorf("%s has no option", f.Name)
		}
	}
}

// Numbers of a decoding are the numbers that requests have, each once.
func TestNumbers(t *testing.T) {
	r := DefaultRun()
	var got []string
	for _, n := range r.Numbers() {
		got = append(got, fmt.Sprint(n.Name, " ", n.Field, " ", n.Value))
	}
	if fmt.Sprint(got) != "[temperature temperature 0 top-p top_p 1]" ||
		fmt.Sprint(SamplingFields()) != "[temperature top_p]" {
		t.Errorf("%q, %q", got, SamplingFields())
	}
}

func TestRange(t *testing.T) {
	for _, c := range []struct {
		r     Range
		value any
		want  string
	}{
		{Range{}, -5, ""},
		{Range{Min: new(0.0)}, 0, ""},
		{Range{Min: new(0.0)}, -1, "x is -1, want at least 0"},
		{Range{Min: new(0.0)}, math.NaN(), "x is NaN, want at least 0"},
		{Range{Min: new(0.0)}, math.Inf(1), "x is +Inf, want at least 0"},
		{Range{ExclusiveMin: new(0.0)}, time.Duration(0), "x is 0s, want more than 0"},
		{Range{ExclusiveMin: new(0.0)}, time.Second, ""},
		{Range{Min: new(float64(time.Second))}, time.Millisecond, "x is 1ms, want at least 1s"},
		{Range{ExclusiveMin: new(0.0), Max: new(1.0)}, 1.0, ""},
		{Range{ExclusiveMin: new(0.0), Max: new(1.0)}, 0.0, "x is 0, want more than 0 and at most 1"},
		{Range{Min: new(1.0), Max: new(100.0)}, 101, "x is 101, want 1 to 100"},
		{Range{Min: new(1.0)}, "many", "x is many, which is not a number"},
	} {
		got := ""
		if err := c.r.Check("x", c.value); err != nil {
			got = err.Error()
		}
		sharedtest.Equal(t, got, c.want, c.value)
	}
}
