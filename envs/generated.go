package envs

import (
	"fmt"
	"strconv"
	"strings"
)

// GeneratorSeeds are seeds of generated tasks, from First to Last. The tasks of several seeds are one environment.
type GeneratorSeeds struct{ First, Last int64 }

// mostGeneratorSeeds bounds a range: more is probably a typing mistake.
const mostGeneratorSeeds = 10_000

// ParseGeneratorSeeds reads a seed, such as 7, or a range, such as 1-100.
func ParseGeneratorSeeds(text string) (g GeneratorSeeds, err error) {
	if g.First, err = strconv.ParseInt(text, 10, 64); err == nil {
		g.Last = g.First
		return g, nil
	}
	start, end, _ := strings.Cut(text, "-")
	first, err1 := strconv.ParseUint(start, 10, 62)
	last, err2 := strconv.ParseUint(end, 10, 62)
	if err1 != nil || err2 != nil || last < first || last-first >= mostGeneratorSeeds {
		return GeneratorSeeds{}, fmt.Errorf(
			"generator-seed is %q, want a number such as 7, or a range of at most %d such as 1-100", text,
			mostGeneratorSeeds)
	}
	return GeneratorSeeds{int64(first), int64(last)}, nil
}

// String implements pflag.Value and fmt.Stringer.
func (g GeneratorSeeds) String() string {
	if g.First == g.Last {
		return strconv.FormatInt(g.First, 10)
	}
	return fmt.Sprintf("%d-%d", g.First, g.Last)
}

// Set implements pflag.Value.
func (g *GeneratorSeeds) Set(text string) (err error) {
	*g, err = ParseGeneratorSeeds(text)
	return err
}

// Type implements pflag.Value.
func (*GeneratorSeeds) Type() string { return "seeds" }

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (g *GeneratorSeeds) UnmarshalYAML(read func(any) error) error {
	var number int64
	if read(&number) == nil {
		*g = GeneratorSeeds{number, number}
		return nil
	}
	var text string
	if err := read(&text); err != nil {
		return err
	}
	return g.Set(text)
}
