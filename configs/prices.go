package configs

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// highestPrice bounds a price: more is probably one per token in other units.
const highestPrice = 1e5

// Price is what a model costs, in dollars per million tokens.
type Price struct {
	Input  float64  `yaml:"input" json:"input"`             // for tokens of prompts
	Output float64  `yaml:"output" json:"output"`           // for tokens of replies, reasoning included
	Cached *float64 `yaml:"cached" json:"cached,omitempty"` // for those that the server had computed; nil for Input
}

// Dollars returns what so many tokens cost. The cached ones are part of the prompt's.
func (p Price) Dollars(prompt, cached, completion int) float64 {
	return (float64(prompt-cached)*p.Input + float64(cached)**cmp.Or(p.Cached, &p.Input) +
		float64(completion)*p.Output) / 1e6
}

func (p Price) check(spec string) error {
	for _, dollars := range []float64{p.Input, *cmp.Or(p.Cached, &p.Input), p.Output} {
		if math.IsNaN(dollars) || dollars < 0 || dollars > highestPrice {
			return fmt.Errorf("the price of %s is %v dollars per million tokens, want 0 to %.0f", spec, dollars,
				float64(highestPrice))
		}
	}
	return nil
}

// String writes the price as it is given on the command line.
func (p Price) String() string {
	text := strconv.FormatFloat(p.Input, 'g', -1, 64) + "/"
	if p.Cached != nil {
		text += strconv.FormatFloat(*p.Cached, 'g', -1, 64) + "/"
	}
	return text + strconv.FormatFloat(p.Output, 'g', -1, 64)
}

// Prices are what models cost, by what --model calls them. On the command line and in
// lists, each is SPEC=INPUT/OUTPUT or SPEC=INPUT/CACHED/OUTPUT.
type Prices map[string]Price

// wantPrice says how a price is written.
const wantPrice = "want SPEC=INPUT/OUTPUT or SPEC=INPUT/CACHED/OUTPUT in dollars per million tokens, such as " +
	"openai:NAME=2.5/0.25/10"

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (p *Prices) UnmarshalYAML(read func(any) error) error {
	*p = Prices{}
	return readGiven(p.Append, read, p.add, "want a map from models to dollars per million tokens, such as "+
		`{"openai:NAME": 2.5/0.25/10} or {"openai:NAME": {input: 2.5, cached: 0.25, output: 10}}`)
}

// Lookup returns what a model costs, with or without its provider; false if nobody said.
func (p Prices) Lookup(spec string) (Price, bool) {
	return lookUp(p, spec)
}

func (p *Prices) add(spec string, price Price) error {
	previous, twice := (*p)[spec]
	switch {
	case spec == "":
		return fmt.Errorf("the price %s is for no model; %s", price, wantPrice)
	case twice && previous.String() != price.String():
		return fmt.Errorf("%s has two prices, %s and %s", spec, previous, price)
	}
	if *p == nil {
		*p = Prices{}
	}
	(*p)[spec] = price
	return price.check(spec)
}

// Append reads one more text.
func (p *Prices) Append(s string) error {
	i := strings.LastIndex(s, "=")
	if i < 0 {
		return fmt.Errorf("%q is not a price; %s", s, wantPrice)
	}
	var dollars []float64
	for text := range strings.SplitSeq(s[i+1:], "/") {
		d, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return fmt.Errorf("%q is not a price; %s", s, wantPrice)
		}
		dollars = append(dollars, d)
	}
	price := Price{Input: dollars[0], Output: dollars[len(dollars)-1]}
	if len(dollars) == 3 {
		price.Cached = &dollars[1]
	} else if len(dollars) != 2 {
		return fmt.Errorf("%q is not a price; %s", s, wantPrice)
	}
	return p.add(strings.TrimSpace(s[:i]), price)
}

// GetSlice returns the texts that Append reads.
func (p *Prices) GetSlice() []string { return assignments(*p, Price.String) }
