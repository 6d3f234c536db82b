package main

import (
	"strings"

	"heldout/configs"
)

// envList is the flag of environments, separated by commas, but for those that others run:
// the address of one goes to the end of the value, and may have commas.
type envList struct {
	list    *configs.Strings
	changed bool
}

// String implements pflag.Value.
func (l *envList) String() string {
	if l.list == nil {
		return "[]"
	}
	return "[" + strings.Join(*l.list, ",") + "]"
}

// Set implements pflag.Value.
func (l *envList) Set(value string) error {
	if !l.changed {
		*l.list, l.changed = nil, true
	}
	for value != "" {
		name, rest, _ := strings.Cut(value, ",")
		if strings.Contains(name, ":") {
			name, rest = value, ""
		}
		*l.list, value = append(*l.list, name), rest
	}
	return nil
}

// Type implements pflag.Value.
func (*envList) Type() string { return "stringSlice" }

// Append implements pflag.SliceValue.
func (l *envList) Append(value string) error { return l.Set(value) }

// Replace implements pflag.SliceValue.
func (l *envList) Replace(values []string) error {
	*l.list, l.changed = values, true
	return nil
}

// GetSlice implements pflag.SliceValue.
func (l *envList) GetSlice() []string { return *l.list }
