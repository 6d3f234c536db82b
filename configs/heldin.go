package configs

import (
	"fmt"
	"slices"
	"strings"
)

// HeldIn are the environments whose data models were trained on, by what --model calls them.
// On the command line and in lists, each is SPEC=ENV, and a further environment of the same
// model may stand alone behind it: SPEC=ENV,ENV.
type HeldIn map[string][]string

// UnmarshalYAML implements yaml.InterfaceUnmarshaler.
func (h *HeldIn) UnmarshalYAML(read func(any) error) error {
	*h = HeldIn{}
	return readGiven(h.Append, read, func(spec string, list Strings) error { return h.addAll(spec, list) },
		`want a map from models to environments, such as {"vllm:NAME": [alfworld]}`)
}

const wantHeldIn = "want MODEL=ENV,ENV, such as vllm:tuned=alfworld,babyai"

func (h *HeldIn) addAll(spec string, list []string) error {
	return Each(strings.Split(strings.Join(list, ","), ","), func(env string) error { return h.add(spec, env) })
}

func (h *HeldIn) add(spec, env string) error {
	spec, env = strings.TrimSpace(spec), strings.TrimSpace(env)
	switch {
	case spec == "":
		return fmt.Errorf("--set held-in names %q for no model; %s", env, wantHeldIn)
	case env == "" || strings.ContainsAny(env, "= "):
		return fmt.Errorf("--set held-in names %q for %s; %s", env, spec, wantHeldIn)
	}
	if *h == nil {
		*h = HeldIn{}
	}
	if !slices.Contains((*h)[spec], env) {
		(*h)[spec] = append((*h)[spec], env)
		slices.Sort((*h)[spec])
	}
	return nil
}

// Lookup returns the environments of a model, with or without its provider.
func (h HeldIn) Lookup(spec string) []string {
	environments, _ := lookUp(h, spec)
	return environments
}

// Append reads one more text.
func (h *HeldIn) Append(s string) error {
	spec, list, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("%q names no model; %s", s, wantHeldIn)
	}
	return h.addAll(spec, []string{list})
}

// GetSlice returns the texts that Append reads.
func (h *HeldIn) GetSlice() []string {
	return assignments(*h, func(names []string) string { return strings.Join(names, ",") })
}
