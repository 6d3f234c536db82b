package main

import "strings"

// envList is the flag of environments, separated by commas, but for those that others run:
// the address of one goes to the end of the value, and may have commas.
type envList []string

// String implements pflag.Value.
func (l *envList) String() string { return "[" + strings.Join(*l, ",") + "]" }

// Set implements pflag.Value.
func (l *envList) Set(value string) error {
	for value != "" {
		name, rest, _ := strings.Cut(value, ",")
		if strings.Contains(name, ":") {
			name, rest = value, ""
		}
		*l, value = append(*l, name), rest
	}
	return nil
}

// Type implements pflag.Value.
func (*envList) Type() string { return "stringSlice" }

// Append implements pflag.SliceValue.
func (l *envList) Append(value string) error { return l.Set(value) }

// Replace implements pflag.SliceValue.
func (l *envList) Replace(values []string) error {
	*l = values
	return nil
}

// GetSlice implements pflag.SliceValue.
func (l *envList) GetSlice() []string { return *l }
