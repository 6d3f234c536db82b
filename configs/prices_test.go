package configs

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

func TestPrices(t *testing.T) {
	var flags, list, mapping Prices
	for _, s := range []string{"openai:a=2.5/0.25/10", "vllm:b=w=1/2"} {
		sharedtest.OK(t, flags.Append(s))
	}
	for text, into := range map[string]*Prices{
		`prices: ["openai:a=2.5/0.25/10", "vllm:b=w=1/2"]`:                                                &list,
		`prices: {"openai:a": {input: 2.5, cached: 0.25, output: 10}, "vllm:b=w": {input: 1, output: 2}}`: &mapping,
	} {
		var r Run
		sharedtest.OK(t, sharedtest.Err(ParseRun("x.yaml", []byte(text), &r, nil, nil)))
		*into = r.Prices
	}
	sharedtest.Equal(t, cmp.Diff(flags, list)+cmp.Diff(flags, mapping), "", "flags", flags, list, mapping)
	sharedtest.Equal(t, strings.Join(flags.GetSlice(), ","), "openai:a=2.5/0.25/10,vllm:b=w=1/2")
	// 600 of 1,000 tokens are cached: 400 × 2.5 + 600 × 0.25 + 100 × 10 = 2,150 millionths
	if got := flags["openai:a"].Dollars(1000, 600, 100); math.Abs(got-0.00215) > 1e-12 {
		t.Error(got)
	}
	if got := flags["vllm:b=w"].Dollars(1000, 600, 100); math.Abs(got-0.0012) > 1e-12 {
		t.Error(got)
	}
}

func TestPricesRefused(t *testing.T) {
	for text, want := range sharedtest.Table[string](t, "prices-refused.yaml") {
		var p Prices
		sharedtest.Fails(t, Each(strings.Split(text, ","), p.Append), want, text)
	}
	var r Run
	_, err := ParseRun("x.yaml", []byte("prices: {a: {inputs: 1}}"), &r, nil, nil)
	if err == nil {
		t.Error("an unknown part of a price is taken")
	}
}
